r"""What the outcomes of two models on one item come from, by name and parameters.

Where the items of an evaluation are alike and have finitely many outcomes, the counts of these are
sufficient, and a trial is one multinomial draw of them, whatever the number of items.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar, Protocol

import numpy as np
from scipy.special import bdtrc, comb, ndtr, ndtri

from llm_power.errors import InvalidArgument
from llm_power.simulation.outcomes import IndependentOutcomes, Outcomes, PairedOutcomes
from llm_power.statistics._checks import (
    finite,
    open_unit,
    positive_count,
    proportions,
)
from llm_power.statistics._typing import FloatArray, IntArray
from llm_power.statistics.bernoulli_pairs import paired_bernoulli_cells
from llm_power.statistics.graded_pairs import draw_graded_pairs, lattice_graded_pairs
from llm_power.statistics.paired_binary import admissible_rho

# Rounding of a probability that was worked out from others.
_ROUNDING = 1e-9
# Nodes of a quadrature over a normal variable: probabilities are within 3e-5 up to this spread.
_NODES, _WIDEST = 100, 4
# Points of a lattice that stands for a law.
_LATTICE = 2**15
# The four outcomes of 0/1 scores: neither, only B, only A and both models solve the item.
_SCORE_A = np.array([0.0, 0.0, 1.0, 1.0])
_SCORE_B = np.array([0.0, 1.0, 0.0, 1.0])


class Process(Protocol):
    """What outcomes come from; its `repr` names its stream of random numbers.

    Examples
    --------
    >>> from llm_power.simulation.processes import PairedMultinomial
    >>> PairedMultinomial(0.5, 0.2, 0.1, 0.2).by_items
    False
    """

    @property
    def by_items(self) -> bool:
        """Whether a trial holds numbers for each item, so that few trials fit in memory.

        Examples
        --------
        >>> from llm_power.simulation.processes import GradedBeta
        >>> GradedBeta(0.1, 0.5).by_items
        True
        """

    def draw(self, n_items: int, n_trials: int, rng: np.random.Generator) -> Outcomes:
        """Draw trials.

        Parameters
        ----------
        n_items, n_trials : int
            Items a trial, and trials.
        rng : numpy.random.Generator
            Where `by_items`, two calls give what one call for all the trials gives.

        Returns
        -------
        Outcomes
            Trial by trial.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.processes import PairedMultinomial
        >>> process = PairedMultinomial(0.5, 0.2, 0.1, 0.2)
        >>> process.draw(100, 3, np.random.default_rng(1)).n_items
        array([100, 100, 100])
        """

    def population(self) -> Outcomes:
        """Return one row of probabilities, which true effects are worked out from.

        Examples
        --------
        >>> from llm_power.simulation.processes import PairedMultinomial
        >>> PairedMultinomial(0.5, 0.2, 0.1, 0.2).population().gap.round(3)
        array([0.1])
        """


class AlikeItems:
    """A process whose items are alike and have finitely many outcomes.

    Examples
    --------
    >>> from llm_power.simulation.processes import AlikeItems, Preferences
    >>> issubclass(Preferences, AlikeItems)
    True
    """

    __slots__ = ()

    by_items: ClassVar[bool] = False

    def law(self) -> PairedOutcomes:
        """Return one row of probabilities of what is seen.

        Examples
        --------
        >>> from llm_power.simulation.processes import Preferences
        >>> Preferences(0.6, tie_rate=0.2).law().counts
        array([[0.5, 0.2, 0.3]])
        """
        raise NotImplementedError

    def population(self) -> PairedOutcomes:
        """Return one row of probabilities of what is true: what is seen, unless seen with errors.

        Examples
        --------
        >>> from llm_power.simulation.processes import Preferences
        >>> Preferences(0.6, tie_rate=0.2).population().gap.round(3)
        array([0.2])
        """
        return self.law()

    def draw(self, n_items: int, n_trials: int, rng: np.random.Generator) -> PairedOutcomes:
        """Draw trials, each a multinomial of the outcomes.

        Parameters
        ----------
        n_items, n_trials : int
            Items a trial, and trials.
        rng : numpy.random.Generator
            Stream of random numbers.

        Returns
        -------
        PairedOutcomes
            Counts, trial by trial.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.processes import Preferences
        >>> Preferences(0.6).draw(10, 2, np.random.default_rng(1)).n_items
        array([10, 10])
        """
        law = self.law()
        return replace(law, counts=rng.multinomial(n_items, law.counts[0], size=n_trials))


@dataclass(frozen=True, slots=True)
class PairedMultinomial(AlikeItems):
    """The 2 x 2 table of two models on the same items, by its probabilities.

    Attributes
    ----------
    p11, p10, p01, p00 : float
        Probability that both, only A, only B, and neither solve an item.

    Examples
    --------
    >>> from llm_power.simulation.processes import PairedMultinomial
    >>> PairedMultinomial(0.5, 0.2, 0.1, 0.2).population().gap.round(3)
    array([0.1])
    >>> PairedMultinomial(0.5, 0.2, 0.1, 0.3)
    Traceback (most recent call last):
    llm_power.errors.InvalidArgument: p00 must be 0.2 beside the other three, got 0.3
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
        """Return one row of probabilities: neither, only B, only A, both.

        Examples
        --------
        >>> from llm_power.simulation.processes import PairedMultinomial
        >>> PairedMultinomial(0.5, 0.2, 0.1, 0.2).law().counts
        array([[0.2, 0.1, 0.2, 0.5]])
        """
        return _binary_law([self.p00, self.p01, self.p10, self.p11])


@dataclass(frozen=True, slots=True)
class AgreementRate(AlikeItems):
    """Two accuracies, and the share of items that both models solve or both fail.

    Attributes
    ----------
    p_a, p_b : float
        Accuracies.
    agreement : float
        Inside the interval of `admissible_agreement`.

    Examples
    --------
    >>> from llm_power.simulation.processes import AgreementRate
    >>> AgreementRate(0.75, 0.70, 0.85).law().counts.round(3)
    array([[0.2 , 0.05, 0.1 , 0.65]])
    >>> AgreementRate(0.75, 0.70, 0.99)
    Traceback (most recent call last):
    llm_power.errors.InvalidArgument: agreement must lie in [0.45, 0.95] for p_a=0.75 and p_b=0.7,
    got 0.99
    """

    p_a: float
    p_b: float
    agreement: float

    def __post_init__(self) -> None:
        low, high = admissible_agreement(self.p_a, self.p_b)
        _inside("agreement", self.agreement, (low, high), self.p_a, self.p_b)

    def law(self) -> PairedOutcomes:
        """Return one row of probabilities: neither, only B, only A, both.

        Examples
        --------
        >>> from llm_power.simulation.processes import AgreementRate
        >>> AgreementRate(0.75, 0.70, 0.85).law().wins.round(3)
        array([0.1])
        """
        return _accuracies_law(self.p_a, self.p_b, (self.agreement + self.p_a + self.p_b - 1) / 2)


def admissible_agreement(p_a: float, p_b: float) -> tuple[float, float]:
    r"""Interval of agreement rates that two accuracies can have.

    Parameters
    ----------
    p_a, p_b : float
        Accuracies in [0, 1].

    Returns
    -------
    low, high : float
        :math:`|p_A + p_B - 1|` and :math:`1 - |p_A - p_B|`.

    Raises
    ------
    InvalidArgument
        If an accuracy is outside [0, 1].

    Examples
    --------
    >>> from llm_power.simulation.processes import admissible_agreement
    >>> [round(end, 3) for end in admissible_agreement(0.75, 0.70)]
    [0.45, 0.95]
    """
    a, b = float(proportions("p_a", p_a)), float(proportions("p_b", p_b))
    return abs(a + b - 1), 1 - abs(a - b)


@dataclass(frozen=True, slots=True)
class CorrelatedBernoulli(AlikeItems):
    """Two accuracies, and the correlation of the two 0/1 scores of an item.

    Attributes
    ----------
    p_a, p_b : float
        Accuracies.
    rho : float
        Inside the interval of `llm_power.statistics.paired_binary.admissible_rho`.

    Examples
    --------
    >>> from llm_power.simulation.processes import CorrelatedBernoulli
    >>> CorrelatedBernoulli(0.65, 0.60, 0.3).population().gap.round(3)
    array([0.05])
    >>> CorrelatedBernoulli(0.65, 0.60, 0.95)
    Traceback (most recent call last):
    llm_power.errors.InvalidArgument: rho must lie in [-0.599145, 0.898717] for p_a=0.65 and
    p_b=0.6, got 0.95
    """

    p_a: float
    p_b: float
    rho: float

    def __post_init__(self) -> None:
        low, high = admissible_rho(self.p_a, self.p_b)
        _inside("rho", self.rho, (float(low), float(high)), self.p_a, self.p_b)

    def law(self) -> PairedOutcomes:
        """Return one row of probabilities: neither, only B, only A, both.

        Examples
        --------
        >>> from llm_power.simulation.processes import CorrelatedBernoulli
        >>> CorrelatedBernoulli(0.65, 0.60, 0.0).law().counts.round(3)
        array([[0.14, 0.21, 0.26, 0.39]])
        """
        a, b = self.p_a, self.p_b
        covariance = self.rho * np.sqrt(a * (1 - a) * b * (1 - b))
        return _accuracies_law(a, b, a * b + covariance)


@dataclass(frozen=True, slots=True)
class CopulaBernoulli(AlikeItems):
    """Two accuracies under a latent Gaussian copula (`llm_power.statistics.bernoulli_pairs`).

    Attributes
    ----------
    p_a, p_b : float
        Accuracies, strictly between 0 and 1.
    rho_z : float
        Latent correlation, strictly between -1 and 1.

    Examples
    --------
    >>> from llm_power.simulation.processes import CopulaBernoulli
    >>> CopulaBernoulli(0.65, 0.60, 0.5).law().counts.round(4)
    array([[0.2163, 0.1337, 0.1837, 0.4663]])
    """

    p_a: float
    p_b: float
    rho_z: float

    def __post_init__(self) -> None:
        paired_bernoulli_cells(self.p_a, self.p_b, self.rho_z)

    def law(self) -> PairedOutcomes:
        """Return one row of probabilities: neither, only B, only A, both.

        Examples
        --------
        >>> from llm_power.simulation.processes import CopulaBernoulli
        >>> CopulaBernoulli(0.65, 0.60, 0.5).law().gap.round(3)
        array([0.05])
        """
        cells = paired_bernoulli_cells(self.p_a, self.p_b, self.rho_z)
        return _binary_law([float(p) for p in (cells.p00, cells.p01, cells.p10, cells.p11)])


@dataclass(frozen=True, slots=True)
class IndependentBinomials:
    """Two models, each on as many items of its own.

    Attributes
    ----------
    p_a, p_b : float
        Accuracies.

    Examples
    --------
    >>> from llm_power.simulation.processes import IndependentBinomials
    >>> IndependentBinomials(0.7, 0.6).population().gap.round(3)
    array([0.1])
    """

    p_a: float
    p_b: float
    by_items: ClassVar[bool] = False

    def __post_init__(self) -> None:
        proportions("p_a", self.p_a)
        proportions("p_b", self.p_b)

    def draw(self, n_items: int, n_trials: int, rng: np.random.Generator) -> IndependentOutcomes:
        """Draw trials, each of two binomials.

        Parameters
        ----------
        n_items, n_trials : int
            Items of each model a trial, and trials.
        rng : numpy.random.Generator
            Stream of random numbers.

        Returns
        -------
        IndependentOutcomes
            Solved items, trial by trial.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.processes import IndependentBinomials
        >>> IndependentBinomials(1.0, 0.0).draw(10, 2, np.random.default_rng(1)).gap
        array([1., 1.])
        """
        solved = rng.binomial(n_items, (self.p_a, self.p_b), size=(n_trials, 2))
        return IndependentOutcomes(solved[:, 0], solved[:, 1], n_items)

    def population(self) -> IndependentOutcomes:
        """Return the two probabilities.

        Examples
        --------
        >>> from llm_power.simulation.processes import IndependentBinomials
        >>> IndependentBinomials(0.7, 0.6).population().solved_a
        array([0.7])
        """
        return IndependentOutcomes(np.array([self.p_a]), np.array([self.p_b]), 1)


@dataclass(frozen=True, slots=True)
class Preferences(AlikeItems):
    """Which of two answers a judge prefers: wins of A, ties and wins of B.

    Attributes
    ----------
    win_rate : float
        Probability that A wins, ties counted one half.
    tie_rate : float
        Probability of a tie, at most twice the distance of `win_rate` from 0 and 1.

    Examples
    --------
    >>> from llm_power.simulation.processes import Preferences
    >>> Preferences(0.6, tie_rate=0.2).law().counts
    array([[0.5, 0.2, 0.3]])
    >>> Preferences(0.6, tie_rate=0.9)
    Traceback (most recent call last):
    llm_power.errors.InvalidArgument: tie_rate must lie in [0, 0.8] for win_rate=0.6, got 0.9
    """

    win_rate: float
    tie_rate: float = 0.0

    def __post_init__(self) -> None:
        rate = float(proportions("win_rate", self.win_rate))
        most = 2 * min(rate, 1 - rate)
        if not -_ROUNDING <= self.tie_rate <= most + _ROUNDING:
            raise InvalidArgument(
                f"tie_rate must lie in [0, {most:.6g}] for win_rate={rate:.6g}, "
                f"got {self.tie_rate!r}"
            )

    def law(self) -> PairedOutcomes:
        """Return one row of probabilities: A wins, a tie, B wins.

        Examples
        --------
        >>> from llm_power.simulation.processes import Preferences
        >>> Preferences(0.6).law().gap.round(3)
        array([0.2])
        """
        half = self.tie_rate / 2
        cells = [self.win_rate - half, self.tie_rate, 1 - self.win_rate - half]
        scores = np.array([1.0, 0.5, 0.0])
        return PairedOutcomes(_row(cells), scores, 1 - scores)


@dataclass(frozen=True, slots=True)
class ItemDifficulty(AlikeItems):
    r"""Items of different difficulty, and the mean of several answers of each model to an item.

    Attributes
    ----------
    p_a, p_b : float
        Accuracies, strictly between 0 and 1.
    spread : float
        Standard deviation of the difficulty, on the probit scale, at most 4.
    shared : float
        Correlation of the difficulties that the two models see, in [-1, 1].
    repeats_a, repeats_b : int
        Answers of each model to an item.

    Notes
    -----
    A solves an item of difficulty :math:`z` with probability
    :math:`\Phi(\Phi^{-1}(p_A)\sqrt{1+s^2} + s z)`, whose mean is :math:`p_A`. With one answer each
    this is `CopulaBernoulli` of the latent correlation :math:`r s^2/(1+s^2)`.

    Examples
    --------
    >>> from llm_power.simulation.processes import CopulaBernoulli, ItemDifficulty
    >>> ItemDifficulty(0.65, 0.60, spread=1.0, shared=0.8).law().counts.round(4)
    array([[0.1998, 0.1502, 0.2002, 0.4498]])
    >>> CopulaBernoulli(0.65, 0.60, 0.4).law().counts.round(4)
    array([[0.1998, 0.1502, 0.2002, 0.4498]])
    """

    p_a: float
    p_b: float
    spread: float = 1.0
    shared: float = 1.0
    repeats_a: int = 1
    repeats_b: int = 1

    def __post_init__(self) -> None:
        open_unit("p_a", self.p_a)
        open_unit("p_b", self.p_b)
        _within("spread", self.spread, 0, _WIDEST)
        _within("shared", self.shared, -1, 1)
        positive_count("repeats_a", self.repeats_a)
        positive_count("repeats_b", self.repeats_b)

    def law(self) -> PairedOutcomes:
        """Return one row of probabilities, of each pair of numbers of right answers.

        Examples
        --------
        >>> from llm_power.simulation.processes import ItemDifficulty
        >>> ItemDifficulty(0.65, 0.60, repeats_a=2, repeats_b=3).law().counts.shape
        (1, 12)
        """
        return _difficulty_law(self)


@dataclass(frozen=True, slots=True)
class AnnotatorNoise(AlikeItems):
    """What annotators see of a process: each judgement is wrong at times.

    Attributes
    ----------
    process : AlikeItems
        What is true: 0/1 scores, judged one by one, or preferences, whose sides are mistaken.
    error_rate : float
        Probability that an annotator's judgement is wrong, at most one half.
    n_annotators : int
        An odd number; the majority decides.

    Notes
    -----
    True effects are those of `process`: a type M error below 1 is what the noise hides.

    Examples
    --------
    >>> from llm_power.simulation.processes import AnnotatorNoise, Preferences
    >>> noisy = AnnotatorNoise(Preferences(0.6), error_rate=0.1)
    >>> noisy.law().gap.round(3), noisy.population().gap.round(3)
    (array([0.16]), array([0.2]))
    """

    process: AlikeItems
    error_rate: float
    n_annotators: int = 1

    def __post_init__(self) -> None:
        _within("error_rate", self.error_rate, 0, 0.5)
        if positive_count("n_annotators", self.n_annotators) % 2 == 0:
            raise InvalidArgument(f"n_annotators must be odd, got {self.n_annotators!r}")
        if not isinstance(self.process, AlikeItems):
            raise InvalidArgument(f"process must be of items that are alike, got {self.process!r}")
        truth = self.process.population()
        if not (_is_preference(truth) or _is_binary(truth)):
            raise InvalidArgument("process must have 0/1 scores or be of preferences")

    def law(self) -> PairedOutcomes:
        """Return one row of probabilities of what is seen, once for each pattern of errors.

        Examples
        --------
        >>> from llm_power.simulation.processes import AnnotatorNoise, PairedMultinomial
        >>> noisy = AnnotatorNoise(PairedMultinomial(0.6, 0.2, 0.1, 0.1), 0.2)
        >>> noisy.law().gap.round(3)
        array([0.06])
        """
        seen = self.process.law()
        wrong = float(bdtrc(self.n_annotators // 2, self.n_annotators, self.error_rate))
        right = 1 - wrong
        if _is_preference(seen):
            errors = [(False, False, right), (True, True, wrong)]
        else:
            weights = ((False, right), (True, wrong))
            errors = [(a, b, p * q) for a, p in weights for b, q in weights]
        return PairedOutcomes(
            np.concatenate([p * seen.counts for _, _, p in errors], axis=1),
            np.concatenate([np.abs(a - seen.score_a) for a, _, _ in errors]),
            np.concatenate([np.abs(b - seen.score_b) for _, b, _ in errors]),
        )

    def population(self) -> PairedOutcomes:
        """Return one row of probabilities of what is true.

        Examples
        --------
        >>> from llm_power.simulation.processes import AnnotatorNoise, Preferences
        >>> AnnotatorNoise(Preferences(0.6), 0.1).population().counts
        array([[0.6, 0. , 0.4]])
        """
        return self.process.population()


@dataclass(frozen=True, slots=True)
class PromptVariants:
    r"""Accuracies that depend on the wording of the prompt, which each trial draws anew.

    Attributes
    ----------
    p_a, p_b : float
        Accuracies in the mean over wordings, strictly between 0 and 1.
    rho_z : float
        Latent correlation of the two scores of an item.
    spread : float
        Standard deviation of a wording's effect, on the probit scale, at most 4.
    shared : float
        Correlation of a wording's effects on the two models, in [-1, 1].
    n_prompts : int
        Wordings a trial, which the items are dealt to in equal parts.

    Notes
    -----
    What a wording does to the gap does not shrink with the number of items. A test that takes
    items for independent then rejects too often where the mean gap is zero, and the more so the
    more items there are.

    Examples
    --------
    >>> from llm_power.simulation.processes import PromptVariants
    >>> PromptVariants(0.65, 0.60, rho_z=0.5, spread=0.2).population().gap.round(6)
    array([0.05])
    """

    p_a: float
    p_b: float
    rho_z: float
    spread: float
    shared: float = 0.0
    n_prompts: int = 1
    by_items: ClassVar[bool] = False

    def __post_init__(self) -> None:
        paired_bernoulli_cells(self.p_a, self.p_b, self.rho_z)
        _within("spread", self.spread, 0, _WIDEST)
        _within("shared", self.shared, -1, 1)
        positive_count("n_prompts", self.n_prompts)

    def draw(self, n_items: int, n_trials: int, rng: np.random.Generator) -> PairedOutcomes:
        """Draw the wordings of each trial, and the items of each wording.

        Parameters
        ----------
        n_items, n_trials : int
            Items a trial, at least one a wording, and trials.
        rng : numpy.random.Generator
            Stream of random numbers.

        Returns
        -------
        PairedOutcomes
            Counts over all wordings, trial by trial.

        Raises
        ------
        InvalidArgument
            If there are more wordings than items.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.processes import PromptVariants
        >>> process = PromptVariants(0.65, 0.60, rho_z=0.5, spread=0.2, n_prompts=3)
        >>> process.draw(100, 2, np.random.default_rng(1)).n_items
        array([100, 100])
        """
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
        """Return one row of probabilities, in the mean over wordings.

        Examples
        --------
        >>> from llm_power.simulation.processes import PromptVariants
        >>> process = PromptVariants(0.65, 0.60, rho_z=0.5, spread=0.0)
        >>> process.population().counts.round(4)
        array([[0.2163, 0.1337, 0.1837, 0.4663]])
        """
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
        cells = paired_bernoulli_cells(a, b, self.rho_z)
        table = np.stack([cells.p00, cells.p01, cells.p10, cells.p11], axis=-1).clip(0.0)
        return np.asarray(table / table.sum(axis=-1, keepdims=True))


@dataclass(frozen=True, slots=True)
class GradedBeta:
    """Graded scores with Beta marginals and a Gaussian copula (`graded_pairs`).

    Attributes
    ----------
    mean_shift : float
        How much lower model B's mean score is, below 2/3.
    rho_z : float
        Latent correlation, strictly between -1 and 1.

    Notes
    -----
    True effects are those of a lattice of 32,768 quantiles, which has them to about five digits.

    Examples
    --------
    >>> from llm_power.simulation.processes import GradedBeta
    >>> GradedBeta(0.1, 0.6).population().gap.round(4)
    array([0.1])
    """

    mean_shift: float
    rho_z: float
    by_items: ClassVar[bool] = True

    def __post_init__(self) -> None:
        lattice_graded_pairs(1, self.mean_shift, self.rho_z)

    def draw(self, n_items: int, n_trials: int, rng: np.random.Generator) -> PairedOutcomes:
        """Draw the scores of each item of each trial.

        Parameters
        ----------
        n_items, n_trials : int
            Items a trial, and trials.
        rng : numpy.random.Generator
            Stream of random numbers.

        Returns
        -------
        PairedOutcomes
            An outcome an item.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.processes import GradedBeta
        >>> GradedBeta(0.1, 0.6).draw(100, 2, np.random.default_rng(1)).difference.shape
        (2, 100)
        """
        scores = draw_graded_pairs(n_items * n_trials, self.mean_shift, self.rho_z, rng=rng)
        return one_by_one(*(score.reshape(n_trials, n_items) for score in scores))

    def population(self) -> PairedOutcomes:
        """Return equally likely quantiles.

        Examples
        --------
        >>> from llm_power.simulation.processes import GradedBeta
        >>> GradedBeta(0.1, 0.6).population().n_items.round(6)
        array([1.])
        """
        scores = _graded_lattice(self.mean_shift, self.rho_z)
        return PairedOutcomes(np.full((1, _LATTICE), 1 / _LATTICE), *scores)


def one_by_one(score_a: FloatArray, score_b: FloatArray) -> PairedOutcomes:
    """Return the outcomes of items that are drawn one by one.

    Parameters
    ----------
    score_a, score_b : ndarray, shape (n_trials, n_items)
        Scores of each item of each trial.

    Returns
    -------
    PairedOutcomes
        An outcome an item, each once.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.simulation.processes import one_by_one
    >>> one_by_one(np.array([[0.5, 1.0]]), np.array([[0.25, 0.5]])).gap
    array([0.375])
    """
    return PairedOutcomes(np.broadcast_to(np.int64(1), score_a.shape), score_a, score_b)


def _row(cells: list[float]) -> FloatArray:
    """One row of probabilities; what rounding left below 0 is 0."""
    return np.asarray(np.maximum(np.array([cells]), 0.0))


def _binary_law(cells: list[float]) -> PairedOutcomes:
    """Law of 0/1 scores, from the cells neither, only B, only A and both."""
    return PairedOutcomes(_row(cells), _SCORE_A, _SCORE_B)


def _accuracies_law(p_a: float, p_b: float, p11: float) -> PairedOutcomes:
    return _binary_law([1 - p_a - p_b + p11, p_b - p11, p_a - p11, p11])


def _inside(name: str, value: float, interval: tuple[float, float], p_a: float, p_b: float) -> None:
    low, high = interval
    number = float(finite(name, value))
    if not low - _ROUNDING <= number <= high + _ROUNDING:
        raise InvalidArgument(
            f"{name} must lie in [{low:.6g}, {high:.6g}] for p_a={p_a:.6g} and p_b={p_b:.6g}, "
            f"got {number!r}"
        )


def _within(name: str, value: float, low: float, high: float) -> None:
    number = float(finite(name, value))
    if not low <= number <= high:
        raise InvalidArgument(f"{name} must lie in [{low:g}, {high:g}], got {number!r}")


def _is_binary(outcomes: PairedOutcomes) -> bool:
    return bool(np.isin([outcomes.score_a, outcomes.score_b], (0.0, 1.0)).all())


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
    k: IntArray = np.arange(repeats + 1)
    chance = p[..., np.newaxis]
    return np.asarray(comb(repeats, k) * chance**k * (1 - chance) ** (repeats - k))


@lru_cache(maxsize=16)
def _graded_lattice(mean_shift: float, rho_z: float) -> tuple[FloatArray, FloatArray]:
    return lattice_graded_pairs(_LATTICE, mean_shift, rho_z)
