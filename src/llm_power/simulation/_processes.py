r"""Distributions of the outcomes of two models on one item, by name and parameters.

Where the items of an evaluation are alike and have finitely many outcomes, the counts of these are
sufficient, and a trial is one multinomial draw of them, whatever the number of items.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, betaln, ndtr, ndtri, xlog1py, xlogy

from llm_power._errors import InvalidArgument, listed
from llm_power._statistics.argument_checks import (
    finite,
    open_unit,
    positive_count,
    proportions,
)
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray
from llm_power._statistics.copula_pairs import (
    draw_graded_pairs,
    lattice_graded_pairs,
    paired_bernoulli_cells,
)
from llm_power._statistics.paired_binary import admissible_rho
from llm_power._statistics.paired_bootstrap import score_vectors
from llm_power.simulation._outcomes import IndependentOutcomes, Outcomes, PairedOutcomes

if TYPE_CHECKING:
    from llm_power._scores.store import TaskScores

# Rounding of a probability that was computed from others.
_ROUNDING = 1e-9
# Nodes of a quadrature over a normal variable: probabilities are within 3e-5 up to this spread.
_NODES, _WIDEST = 100, 4
# Quantiles of a lattice that stands for a continuous distribution; effects have five digits.
_LATTICE = 2**15
# With more outcomes than these, resampled items are drawn one by one.
_MOST_OUTCOMES = 256
# The four outcomes of 0/1 scores: neither, only B, only A and both models solve the item.
_SCORE_A = np.array([0.0, 0.0, 1.0, 1.0])
_SCORE_B = np.array([0.0, 1.0, 0.0, 1.0])


class Process(Protocol):
    """A distribution to draw trials from; its `repr` names its stream of random numbers."""

    @property
    def by_items(self) -> bool:
        """Whether a trial holds numbers for each item, so that few trials fit in memory."""

    def draw(self, n_items: int, n_trials: int, rng: np.random.Generator) -> Outcomes:
        """Draw trials; where `by_items`, two calls give what one call for all trials gives."""

    def population(self) -> Outcomes:
        """Return one row of probabilities, from which true effects are computed."""


class AlikeItems:
    """A process whose items are alike and have finitely many outcomes."""

    __slots__ = ()

    by_items: ClassVar[bool] = False

    def law(self) -> PairedOutcomes:
        """Return one row of probabilities of what is observed."""
        raise NotImplementedError

    def population(self) -> PairedOutcomes:
        """Return one row of probabilities of what is true: `law`, unless observed with errors."""
        return self.law()

    def draw(self, n_items: int, n_trials: int, rng: np.random.Generator) -> PairedOutcomes:
        """Draw trials, each a multinomial of the outcomes."""
        return _multinomial(self.law(), n_items, n_trials, rng)


@dataclass(frozen=True, slots=True)
class PairedMultinomial(AlikeItems):
    """The 2 x 2 table by its probabilities: both, only A, only B, and neither solve an item.

    sk-power's `dgp::contingency_table`.
    """

    p11: float
    p10: float
    p01: float
    p00: float

    def __post_init__(self) -> None:
        proportions("p11, p10, p01 and p00", [self.p11, self.p10, self.p01, self.p00])
        rest = 1 - self.p11 - self.p10 - self.p01
        if abs(rest - self.p00) > _ROUNDING:
            raise InvalidArgument(f"p00 must be {rest:.6g} beside the other three, got {self.p00}")

    def law(self) -> PairedOutcomes:
        """Return one row of probabilities: neither, only B, only A, both."""
        return _binary_law([self.p00, self.p01, self.p10, self.p11])


@dataclass(frozen=True, slots=True)
class _TwoAccuracies(AlikeItems):
    """Two accuracies, and in a subclass one number of how the two 0/1 scores of an item depend."""

    p_a: float
    p_b: float

    def _check_dependence(self, name: str, low: float, high: float) -> None:
        given = f" for p_a={self.p_a:.6g} and p_b={self.p_b:.6g}"
        _check_inside(name, getattr(self, name), low, high, given)

    def _p11(self) -> float:
        """Probability that both models solve an item."""
        raise NotImplementedError

    def law(self) -> PairedOutcomes:
        """Return one row of probabilities: neither, only B, only A, both."""
        p11 = self._p11()
        return _binary_law([1 - self.p_a - self.p_b + p11, self.p_b - p11, self.p_a - p11, p11])


@dataclass(frozen=True, slots=True)
class AgreementRate(_TwoAccuracies):
    """Two accuracies, and the share of items that both models solve or both fail.

    sk-power's `estimate_power_from_accuracy`.
    """

    agreement: float

    def __post_init__(self) -> None:
        self._check_dependence("agreement", *admissible_agreement(self.p_a, self.p_b))

    def _p11(self) -> float:
        return (self.agreement + self.p_a + self.p_b - 1) / 2


def admissible_agreement(p_a: float, p_b: float) -> tuple[float, float]:
    r"""Interval of agreement rates: :math:`|p_A + p_B - 1|` to :math:`1 - |p_A - p_B|`.

    Parameters
    ----------
    p_a, p_b : float
        Accuracies in [0, 1].

    Returns
    -------
    tuple of float
        Lowest and highest share of items that both models solve or both fail.

    Raises
    ------
    InvalidArgument
        If an accuracy is outside [0, 1].

    Examples
    --------
    >>> from llm_power.simulation import admissible_agreement
    >>> admissible_agreement(0.75, 0.5)
    (0.25, 0.75)
    """
    a, b = float(proportions("p_a", p_a)), float(proportions("p_b", p_b))
    return abs(a + b - 1), 1 - abs(a - b)


@dataclass(frozen=True, slots=True)
class CorrelatedBernoulli(_TwoAccuracies):
    """Two accuracies, and the correlation of the two 0/1 scores of an item (`admissible_rho`)."""

    rho: float

    def __post_init__(self) -> None:
        low, high = admissible_rho(self.p_a, self.p_b)
        self._check_dependence("rho", float(low), float(high))

    def _p11(self) -> float:
        a, b = self.p_a, self.p_b
        return float(a * b + self.rho * np.sqrt(a * (1 - a) * b * (1 - b)))


@dataclass(frozen=True, slots=True)
class CopulaBernoulli(AlikeItems):
    """Two accuracies under a Gaussian copula of latent correlation `rho_z`, all in open intervals.

    See `llm_power._statistics.copula_pairs`.
    """

    p_a: float
    p_b: float
    rho_z: float

    def __post_init__(self) -> None:
        paired_bernoulli_cells(self.p_a, self.p_b, self.rho_z)

    def law(self) -> PairedOutcomes:
        """Return one row of probabilities: neither, only B, only A, both."""
        return _binary_law(_copula_cells(self.p_a, self.p_b, self.rho_z))


@dataclass(frozen=True, slots=True)
class IndependentBinomials:
    """Two accuracies, each model on as many items of its own.

    sk-power's `dgp::successes_and_failures`, whose two accuracies are swapped.
    """

    p_a: float
    p_b: float
    by_items: ClassVar[bool] = False

    def __post_init__(self) -> None:
        proportions("p_a", self.p_a)
        proportions("p_b", self.p_b)

    def draw(self, n_items: int, n_trials: int, rng: np.random.Generator) -> IndependentOutcomes:
        """Draw trials, each of two binomials."""
        solved = rng.binomial(n_items, (self.p_a, self.p_b), size=(n_trials, 2))
        return IndependentOutcomes(solved[:, 0], solved[:, 1], n_items)

    def population(self) -> IndependentOutcomes:
        """Return the two probabilities."""
        return IndependentOutcomes(np.array([self.p_a]), np.array([self.p_b]), 1)


@dataclass(frozen=True, slots=True)
class Preferences(AlikeItems):
    """Which of two answers a judge prefers, by A's win rate, ties counted one half, and ties."""

    win_rate: float
    tie_rate: float = 0.0

    def __post_init__(self) -> None:
        rate = float(proportions("win_rate", self.win_rate))
        most = 2 * min(rate, 1 - rate)
        _check_inside("tie_rate", self.tie_rate, 0, most, f" for win_rate={rate:.6g}")

    def law(self) -> PairedOutcomes:
        """Return one row of probabilities: A wins, a tie, B wins."""
        half = self.tie_rate / 2
        cells = [self.win_rate - half, self.tie_rate, 1 - self.win_rate - half]
        scores = np.array([1.0, 0.5, 0.0])
        return PairedOutcomes(_row(cells), scores, 1 - scores)


@dataclass(frozen=True, slots=True)
class ItemDifficulty(AlikeItems):
    r"""Items of different difficulty, and the mean of several answers of each model to an item.

    A solves an item of difficulty :math:`z` with probability
    :math:`\Phi(\Phi^{-1}(p_A)\sqrt{1+s^2} + s z)`, whose mean is :math:`p_A`. With one answer each
    this is `CopulaBernoulli` of the latent correlation :math:`r s^2/(1+s^2)`.
    """

    p_a: float
    p_b: float
    spread: float = 1.0  # s, the standard deviation of the difficulty on the probit scale
    shared: float = 1.0  # r, the correlation of the difficulties for the two models
    repeats_a: int = 1
    repeats_b: int = 1

    def __post_init__(self) -> None:
        open_unit("p_a", self.p_a)
        open_unit("p_b", self.p_b)
        _check_inside("spread", self.spread, 0, _WIDEST)
        _check_inside("shared", self.shared, -1, 1)
        positive_count("repeats_a", self.repeats_a)
        positive_count("repeats_b", self.repeats_b)

    def law(self) -> PairedOutcomes:
        """Return one row of probabilities, of each pair of numbers of right answers."""
        return _difficulty_law(self)


@dataclass(frozen=True, slots=True)
class AnnotatorNoise(AlikeItems):
    """0/1 scores or preferences of a process as a majority of annotators judges them.

    0/1 scores are judged one by one; of a preference the sides are mistaken. True effects are
    those of `process`: a type M error below 1 is what the noise hides.
    """

    process: AlikeItems
    error_rate: float
    n_annotators: int = 1

    def __post_init__(self) -> None:
        _check_inside("error_rate", self.error_rate, 0, 0.5)
        if positive_count("n_annotators", self.n_annotators) % 2 == 0:
            raise InvalidArgument(f"n_annotators must be odd, got {self.n_annotators!r}")
        if not isinstance(self.process, AlikeItems):
            raise InvalidArgument(f"process must be of items that are alike, got {self.process!r}")
        truth = self.process.population()
        if not (_is_preference(truth) or truth.binary):
            raise InvalidArgument("process must have 0/1 scores or be of preferences")

    def law(self) -> PairedOutcomes:
        """Return one row of probabilities of what is observed, once for each pattern of errors."""
        observed = self.process.law()
        wrong = float(bdtrc(self.n_annotators // 2, self.n_annotators, self.error_rate))
        right = 1 - wrong
        if _is_preference(observed):
            errors = [(False, False, right), (True, True, wrong)]
        else:
            weights = ((False, right), (True, wrong))
            errors = [(a, b, p * q) for a, p in weights for b, q in weights]
        return PairedOutcomes(
            np.concatenate([p * observed.counts for _, _, p in errors], axis=1),
            np.concatenate([np.abs(a - observed.score_a) for a, _, _ in errors]),
            np.concatenate([np.abs(b - observed.score_b) for _, b, _ in errors]),
        )

    def population(self) -> PairedOutcomes:
        """Return one row of probabilities of what is true."""
        return self.process.population()


@dataclass(frozen=True, slots=True)
class PromptVariants:
    """Accuracies that depend on the wording of the prompt, which each trial draws anew.

    A wording's effect on the gap does not shrink with the number of items. A test that takes items
    for independent then rejects too often where the mean gap is zero, and the more so the more
    items there are.
    """

    p_a: float  # in the mean over wordings
    p_b: float
    rho_z: float  # latent correlation of the two scores of an item
    spread: float  # standard deviation of a wording's effect on the probit scale
    shared: float = 0.0  # correlation of a wording's effects on the two models
    n_prompts: int = 1  # wordings a trial, which the items are dealt to in equal parts
    by_items: ClassVar[bool] = False

    def __post_init__(self) -> None:
        paired_bernoulli_cells(self.p_a, self.p_b, self.rho_z)
        _check_inside("spread", self.spread, 0, _WIDEST)
        _check_inside("shared", self.shared, -1, 1)
        positive_count("n_prompts", self.n_prompts)

    def draw(self, n_items: int, n_trials: int, rng: np.random.Generator) -> PairedOutcomes:
        """Draw the wordings of each trial, and the items of each wording; at least one each."""
        if n_items < self.n_prompts:
            raise InvalidArgument(
                f"n_items must be at least n_prompts={self.n_prompts}, got {n_items}"
            )
        z = rng.standard_normal((n_trials, self.n_prompts, 2))
        cells = self._cells(z[..., 0], z[..., 1])
        items = np.diff(np.arange(self.n_prompts + 1) * n_items // self.n_prompts)
        counts = rng.multinomial(items, cells).sum(axis=1)
        return PairedOutcomes(counts, _SCORE_A, _SCORE_B)

    def population(self) -> PairedOutcomes:
        """Return one row of probabilities, in the mean over wordings."""
        nodes, weights = _normal_nodes()
        cells = self._cells(nodes[:, np.newaxis], nodes[np.newaxis])
        mean = np.einsum("i,j,ijk->k", weights, weights, cells)
        return PairedOutcomes(mean[np.newaxis], _SCORE_A, _SCORE_B)

    def _cells(self, z: FloatArray, other: FloatArray) -> FloatArray:
        """Cells at a wording's effects, in the order neither, only B, only A, both."""
        z_b = self.shared * z + np.sqrt(1 - self.shared**2) * other
        # Far out a probability is 0 or 1 to the last bit.
        a, b = (
            np.clip(_shifted(p, self.spread, effect), 1e-15, 1 - 1e-15)
            for p, effect in ((self.p_a, z), (self.p_b, z_b))
        )
        table = _copula_cells(a, b, self.rho_z).clip(0.0)
        return np.asarray(table / table.sum(axis=-1, keepdims=True))


@dataclass(frozen=True, slots=True)
class GradedBeta:
    """Graded scores with Beta marginals, B's mean `mean_shift` below 2/3, and a Gaussian copula.

    See `llm_power._statistics.copula_pairs`.
    """

    mean_shift: float
    rho_z: float
    by_items: ClassVar[bool] = True

    def __post_init__(self) -> None:
        lattice_graded_pairs(1, self.mean_shift, self.rho_z)

    def draw(self, n_items: int, n_trials: int, rng: np.random.Generator) -> PairedOutcomes:
        """Draw the scores of each item of each trial."""
        scores = draw_graded_pairs(n_items * n_trials, self.mean_shift, self.rho_z, rng=rng)
        return one_by_one(*(score.reshape(n_trials, n_items) for score in scores))

    def population(self) -> PairedOutcomes:
        """Return equally likely quantiles."""
        scores = _graded_lattice(self.mean_shift, self.rho_z)
        return PairedOutcomes(np.full((1, _LATTICE), 1 / _LATTICE), *scores)


@dataclass(frozen=True, eq=False, repr=False)
class ResampledPairs:
    """Scores of two models on the same items, shape (n_items,), drawn with replacement.

    The population has the gap that was observed, which is not the true one: its power plans a
    replication of what was observed, and is no verdict (`ObservedPower`).
    """

    scores_a: ArrayLike
    scores_b: ArrayLike

    def __post_init__(self) -> None:
        score_vectors(self.scores_a, self.scores_b)

    def __repr__(self) -> str:
        law = self._law
        arrays = [law.counts, law.score_a, law.score_b, law.positive]
        digest = sha256(b"".join(np.asarray(part).tobytes() for part in arrays if part is not None))
        return f"{type(self).__name__}({self.n_items} items, {digest.hexdigest()[:16]})"

    @classmethod
    def of_task(cls, task: TaskScores, model_a: str, model_b: str) -> ResampledPairs:
        """Take two models of a matrix of scores, on the items that both have a score for."""
        for model in (model_a, model_b):
            if model not in task.models:
                raise InvalidArgument(f"model must be one of {listed(task.models)}, got {model!r}")
        both = task.values[:, [task.models.index(model) for model in (model_a, model_b)]]
        both = both[~np.isnan(both).any(axis=1)]
        return cls(both[:, 0], both[:, 1])

    @property
    def n_items(self) -> int:
        """Number of items at hand."""
        return int(np.size(self.scores_a))

    @property
    def by_items(self) -> bool:
        """Whether there are so many outcomes that items are drawn one by one."""
        return bool(self._law.counts.shape[1] > _MOST_OUTCOMES)

    def population(self) -> PairedOutcomes:
        """Return one row with the share of each outcome."""
        return self._law

    def draw(self, n_items: int, n_trials: int, rng: np.random.Generator) -> PairedOutcomes:
        """Draw items with replacement."""
        if not self.by_items:
            return _multinomial(self._law, n_items, n_trials, rng)
        rows = self._rows[rng.integers(0, self.n_items, size=(n_trials, n_items))]
        return one_by_one(rows[..., 0], rows[..., 1])

    @cached_property
    def _rows(self) -> FloatArray:
        """The scores of each item, shape (n_items, 2), or 3 with the class of its reference."""
        return np.stack([finite("scores", self.scores_a), finite("scores", self.scores_b)], axis=1)

    @cached_property
    def _law(self) -> PairedOutcomes:
        rows, counts = np.unique(self._rows, axis=0, return_counts=True)
        positive = rows[:, 2] == 1 if rows.shape[1] == 3 else None
        return PairedOutcomes(counts[np.newaxis] / self.n_items, rows[:, 0], rows[:, 1], positive)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class ResampledPredictions(ResampledPairs):
    """Labels that two models predicted and their references, drawn with replacement.

    A prediction that is its reference scores 1; F1 is of the label `positive`. sk-power's
    `estimate_power_from_predictions`.
    """

    _positive: BoolArray | None

    def __init__(
        self,
        predictions_a: ArrayLike,
        predictions_b: ArrayLike,
        references: ArrayLike,
        *,
        positive: object = None,
    ) -> None:
        labels: list[NDArray[Any]] = [
            np.asarray(given) for given in (predictions_a, predictions_b, references)
        ]
        shapes = {given.shape for given in labels}
        if len(shapes) > 1 or labels[0].ndim != 1:
            raise InvalidArgument(
                "predictions and references must be vectors over the same items, got shapes "
                f"{', '.join(str(given.shape) for given in labels)}"
            )
        a, b, truth = labels
        is_positive = None if positive is None else truth == positive
        if is_positive is not None and np.unique(np.concatenate(labels)).size > 2:
            raise InvalidArgument("F1 is of two classes; give labels that are positive or not")
        super().__init__((a == truth).astype(np.float64), (b == truth).astype(np.float64))
        object.__setattr__(self, "_positive", is_positive)

    @cached_property
    def _rows(self) -> FloatArray:
        scores = [np.asarray(self.scores_a), np.asarray(self.scores_b)]
        if self._positive is not None:
            scores.append(self._positive.astype(np.float64))
        return np.stack(scores, axis=1)


PROCESSES: Final[Mapping[str, Callable[..., Process]]] = {
    "agreement_rate": AgreementRate,
    "annotator_noise": AnnotatorNoise,
    "copula_bernoulli": CopulaBernoulli,
    "correlated_bernoulli": CorrelatedBernoulli,
    "graded_beta": GradedBeta,
    "independent_binomials": IndependentBinomials,
    "item_difficulty": ItemDifficulty,
    "paired_multinomial": PairedMultinomial,
    "preferences": Preferences,
    "prompt_variants": PromptVariants,
    "resampled_pairs": ResampledPairs,
    "resampled_predictions": ResampledPredictions,
}


def one_by_one(score_a: FloatArray, score_b: FloatArray) -> PairedOutcomes:
    """Return the outcomes of items drawn one by one, from scores of shape (n_trials, n_items)."""
    return PairedOutcomes(np.broadcast_to(np.int64(1), score_a.shape), score_a, score_b)


def _multinomial(
    law: PairedOutcomes, n_items: int, n_trials: int, rng: np.random.Generator
) -> PairedOutcomes:
    return replace(law, counts=rng.multinomial(n_items, law.counts[0], size=n_trials))


def _row(cells: ArrayLike) -> FloatArray:
    """One row of probabilities; what rounding left below 0 is 0."""
    return np.asarray(np.maximum(np.array([cells]), 0.0))


def _binary_law(cells: ArrayLike) -> PairedOutcomes:
    """Law of 0/1 scores, from the cells neither, only B, only A and both."""
    return PairedOutcomes(_row(cells), _SCORE_A, _SCORE_B)


def _copula_cells(p_a: ArrayLike, p_b: ArrayLike, rho_z: float) -> FloatArray:
    """Cells neither, only B, only A and both, on a last axis."""
    cells = paired_bernoulli_cells(p_a, p_b, rho_z)
    return np.stack([cells.p00, cells.p01, cells.p10, cells.p11], axis=-1)


def _check_inside(name: str, value: float, low: float, high: float, given: str = "") -> None:
    """Refuse a value outside an interval, whose ends have rounding if they follow from others."""
    number = float(finite(name, value))
    slack = _ROUNDING if given else 0.0
    if not low - slack <= number <= high + slack:
        raise InvalidArgument(f"{name} must lie in [{low:.6g}, {high:.6g}]{given}, got {number!r}")


def _is_preference(outcomes: PairedOutcomes) -> bool:
    return bool(np.all(outcomes.score_a + outcomes.score_b == 1))


def _normal_nodes() -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return nodes, weights / weights.sum()


def _shifted(p: float, spread: float, z: FloatArray) -> FloatArray:
    """Probabilities that vary with z on the probit scale, and have the mean p."""
    return np.asarray(ndtr(ndtri(p) * np.sqrt(1 + spread**2) + spread * z))


@lru_cache(maxsize=256)
def _difficulty_law(process: ItemDifficulty) -> PairedOutcomes:
    nodes, weights = _normal_nodes()
    shared = process.shared
    z_b = shared * nodes[:, np.newaxis] + np.sqrt(1 - shared**2) * nodes
    given_a = _right_answers(_shifted(process.p_a, process.spread, nodes), process.repeats_a)
    given_b = _right_answers(_shifted(process.p_b, process.spread, z_b), process.repeats_b)
    cells = np.einsum("i,ik,ijm,j->km", weights, given_a, given_b, weights)
    a, b = np.meshgrid(
        np.arange(process.repeats_a + 1) / process.repeats_a,
        np.arange(process.repeats_b + 1) / process.repeats_b,
        indexing="ij",
    )
    return PairedOutcomes(cells.reshape(1, -1), a.ravel(), b.ravel())


def _right_answers(p: FloatArray, repeats: int) -> FloatArray:
    """Binomial probabilities of 0 to `repeats` right answers, on a last axis."""
    right, chance = np.arange(repeats + 1), p[..., np.newaxis]
    wrong = repeats - right
    # Of many repeats the number of orders overflows.
    orders = -betaln(right + 1, wrong + 1) - np.log1p(repeats)
    return np.asarray(np.exp(orders + xlogy(right, chance) + xlog1py(wrong, -chance)))


@lru_cache(maxsize=16)
def _graded_lattice(mean_shift: float, rho_z: float) -> tuple[FloatArray, FloatArray]:
    return lattice_graded_pairs(_LATTICE, mean_shift, rho_z)
