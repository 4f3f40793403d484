"""Outcomes of the trials of a simulated evaluation, the effects they show, and tests by name.

A test of paired scores whose differences are 1, 0 or -1 needs the wins and losses alone: flips of
the signs of the differences are then the exact form of McNemar's test, and Tango's score test of a
zero gap is its asymptotic form (Tango 1998).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from scipy.special import ndtr, stdtr

from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray, ratio
from llm_power._statistics.mcnemar import (
    mcnemar_asymptotic,
    mcnemar_continuity_corrected,
    mcnemar_exact,
    mcnemar_mid_p,
)
from llm_power._statistics.paired_bootstrap import (
    percentile_bootstrap_rejects,
    shared_bootstrap_rejects,
)
from llm_power._statistics.t_test import t_test_p_value

# Resamples and flips of signs, which the trials share.
_RESAMPLES = 1_999
# Numbers held at once by a work array; results do not depend on it.
_BLOCK = 2**22
# Sums within this share of the largest one are a tie, in whatever order they were added.
_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class Sample:
    """Number, mean and sum of squared deviations of one model's scores, a value a trial."""

    n_items: FloatArray | IntArray
    mean: FloatArray
    squares: FloatArray


@dataclass(frozen=True)
class PairedOutcomes:
    """How often each outcome of two models on one item occurred, trial by trial.

    One row of probabilities stands for a population.
    """

    counts: FloatArray | IntArray  # shape (n_trials, n_outcomes)
    score_a: FloatArray  # shape (n_outcomes,) or (n_trials, n_outcomes), and so score_b
    score_b: FloatArray
    # Shape (n_outcomes,): whether the reference is the positive class of F1; scores are 0/1 then.
    positive: BoolArray | None = None

    @cached_property
    def difference(self) -> FloatArray:
        """Score of A minus that of B, of each outcome."""
        return self.score_a - self.score_b

    @cached_property
    def n_items(self) -> FloatArray | IntArray:
        """Number of items of each trial."""
        number: FloatArray | IntArray = self.counts.sum(axis=-1)
        return number

    @cached_property
    def wins(self) -> FloatArray | IntArray:
        """Items on which A scores more; the b of McNemar's test where scores are 0/1."""
        return self._number_where(self.difference > 0)

    @cached_property
    def losses(self) -> FloatArray | IntArray:
        """Items on which B scores more; the c of McNemar's test where scores are 0/1."""
        return self._number_where(self.difference < 0)

    @property
    def gap(self) -> FloatArray:
        """Mean score of A less that of B."""
        return np.asarray(self.total(self.difference) / self.n_items)

    @property
    def binary(self) -> bool:
        """Whether every score is 0 or 1."""
        return bool(np.isin([self.score_a, self.score_b], (0.0, 1.0)).all())

    @property
    def steps(self) -> bool:
        """Whether every difference is 1, 0 or -1, so that wins and losses are sufficient."""
        return bool(np.isin(self.difference, (-1.0, 0.0, 1.0)).all())

    def total(self, values: FloatArray | IntArray) -> FloatArray | IntArray:
        """Sum over the items of each trial of `values`, with the shape of a score."""
        product: FloatArray | IntArray = (
            self.counts @ values if values.ndim == 1 else (self.counts * values).sum(axis=-1)
        )
        return product

    def _number_where(self, these: BoolArray) -> FloatArray | IntArray:
        """Number of items of each trial with some of the outcomes."""
        # Counts stay whole, and probabilities what they are.
        number: FloatArray | IntArray = (self.counts * these).sum(axis=-1)
        return number

    def deviations(self, values: FloatArray) -> Sample:
        """Mean and squared deviations over the items of each trial of `values`, as in `total`."""
        # Two passes: a small variance beside a large mean keeps its digits.
        mean = np.asarray(self.total(values) / self.n_items)
        squares = self.total(np.square(values - mean[:, np.newaxis]))
        return Sample(self.n_items, mean, np.asarray(squares, dtype=np.float64))

    @property
    def samples(self) -> tuple[Sample, Sample]:
        """The scores of A and of B, as if they were two samples."""
        return self.deviations(self.score_a), self.deviations(self.score_b)

    def item_differences(self) -> FloatArray:
        """Difference of each item, shape (n_trials, n_items), in the order of the outcomes."""
        trials = self.counts.shape[0]
        values = np.broadcast_to(self.difference, self.counts.shape).ravel()
        return np.repeat(values, self.counts.astype(np.int64).ravel()).reshape(trials, -1)


@dataclass(frozen=True)
class IndependentOutcomes:
    """Solved items of two models, each on `n_items` of its own, trial by trial.

    Probabilities, with one item, stand for a population.
    """

    solved_a: FloatArray | IntArray  # shape (n_trials,), and so solved_b
    solved_b: FloatArray | IntArray
    n_items: int

    @property
    def gap(self) -> FloatArray:
        """Accuracy of A less that of B."""
        return np.asarray((self.solved_a - self.solved_b) / self.n_items)

    @property
    def samples(self) -> tuple[Sample, Sample]:
        """The scores of A and of B."""
        return self._sample(self.solved_a), self._sample(self.solved_b)

    def _sample(self, solved: FloatArray | IntArray) -> Sample:
        mean = np.asarray(solved / self.n_items)
        return Sample(np.full(mean.shape, self.n_items), mean, np.asarray(solved * (1 - mean)))


Outcomes = PairedOutcomes | IndependentOutcomes

#: Outcomes of trials to one number a trial; NaN where a trial has none.
Effect = Callable[[Outcomes], FloatArray]
#: Outcomes of trials, the level, and random numbers for tests that resample, to decisions of
#: shape (n_trials,).
Test = Callable[[Outcomes, float, np.random.Generator], BoolArray]


def paired(outcomes: Outcomes, purpose: str) -> PairedOutcomes:
    """Return the outcomes, refused if each model has items of its own."""
    if not isinstance(outcomes, PairedOutcomes):
        raise InvalidArgument(
            f"{purpose} needs both models on the same items; use unpaired_z or two_sample_t"
        )
    return outcomes


def accuracy_gap(outcomes: Outcomes) -> FloatArray:
    """Mean score of A less that of B; sk-power's `cohens_g` and `risk_difference`."""
    return outcomes.gap


def cohens_g(outcomes: Outcomes) -> FloatArray:
    """Cohen's g with a sign, b/(b+c) - 1/2 (Cohen 1988, chapter 5); NaN where no item differs."""
    pairs = paired(outcomes, "Cohen's g")
    return ratio(pairs.wins, pairs.wins + pairs.losses, empty=np.nan) - 0.5


def win_rate(outcomes: Outcomes) -> FloatArray:
    """Win rate of A, ties counted one half, less one half."""
    pairs = paired(outcomes, "a win rate")
    return np.asarray((pairs.wins - pairs.losses) / (2 * pairs.n_items))


def f1_gap(outcomes: Outcomes) -> FloatArray:
    """F1 of A less that of B, where an F1 of 0/0 counts as 0."""
    pairs = paired(outcomes, "F1")
    positive = positive_references(pairs)
    return _f1(pairs, pairs.score_a, positive) - _f1(pairs, pairs.score_b, positive)


def positive_references(pairs: PairedOutcomes) -> IntArray:
    """Return 1 for outcomes whose reference is positive and 0 for others, refused if unknown."""
    if pairs.positive is None:
        raise InvalidArgument(
            "F1 needs the class of each reference; use resampled_predictions with positive"
        )
    return pairs.positive.astype(np.int64)


def _f1(pairs: PairedOutcomes, score: FloatArray, positive: IntArray) -> FloatArray:
    # A right answer to a positive item and a wrong one to a negative item both predict positive.
    predicted = np.where(positive == 1, score, 1 - score)
    true_positives = pairs.total(score * positive)
    both_sides = pairs.total(predicted) + pairs.total(positive)
    return ratio(2 * true_positives, both_sides, empty=0.0)


EFFECTS: Final[Mapping[str, Effect]] = {
    effect.__name__: effect for effect in (accuracy_gap, cohens_g, f1_gap, win_rate)
}


def _mcnemar(p_value: Callable[[ArrayLike, ArrayLike], FloatArray]) -> Test:
    """McNemar's test by a p-value of wins and losses; it never rejects where no item differs."""

    def rejects(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
        pairs = paired(outcomes, "McNemar's test")
        if not pairs.steps:
            raise InvalidArgument(
                "McNemar's test needs differences of 1, 0 or -1; use paired_t, permutation or sign"
            )
        return p_value(pairs.wins, pairs.losses) <= alpha

    return rejects


def _sign(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Exact sign test, a binomial test of wins among the items that are no tie.

    Its null hypothesis is that wins and losses are as likely, which for graded scores is not a
    zero gap.
    """
    pairs = paired(outcomes, "the sign test")
    return mcnemar_exact(pairs.wins, pairs.losses) <= alpha


def _paired_t(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Paired t test of the mean difference; where all are equal, the exact sign test."""
    pairs = paired(outcomes, "the paired t test")
    values = np.broadcast_to(pairs.difference, pairs.counts.shape)
    present = pairs.counts > 0
    # Differences less one that is present: equal ones are then 0 to the bit.
    first = np.take_along_axis(values, np.argmax(present, axis=1)[:, np.newaxis], axis=1)
    moved = pairs.deviations(np.where(present, values - first, 0.0))
    return t_test_p_value(first[:, 0] + moved.mean, moved.squares, moved.n_items) <= alpha


def _paired_bootstrap(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Percentile bootstrap of the mean difference (Definition 2).

    Where differences are 1, 0 or -1 it is the decision of infinitely many resamples; else trials
    share 1,999 resamples of the items.
    """
    pairs = paired(outcomes, "the paired bootstrap")
    if pairs.steps:
        return percentile_bootstrap_rejects(pairs.wins, pairs.losses, pairs.n_items, alpha=alpha)
    return shared_bootstrap_rejects(
        pairs.item_differences().T, resamples=_RESAMPLES, alpha=alpha, rng=rng
    )


def _permutation(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Permutation test of the mean difference by flips of its signs.

    Where differences are 1, 0 or -1 all flips are summed; else trials share 1,999 flips, and the
    observed signs are one more.
    """
    pairs = paired(outcomes, "the permutation test")
    if pairs.steps:
        return mcnemar_exact(pairs.wins, pairs.losses) <= alpha
    differences = pairs.item_differences()
    n_trials, n_items = differences.shape
    scale = np.abs(differences).sum(axis=1)
    observed = np.abs(differences.sum(axis=1)) - _TIE * scale
    as_large = np.ones(n_trials, dtype=np.int64)
    rows = max(1, _BLOCK // n_items)
    for start in range(0, _RESAMPLES, rows):
        flips = np.where(rng.random((min(rows, _RESAMPLES - start), n_items)) < 0.5, -1.0, 1.0)
        as_large += (np.abs(flips @ differences.T) >= observed).sum(axis=0)
    return as_large / (_RESAMPLES + 1) <= alpha


def _f1_permutation(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Permutation test of the difference of F1, which swaps the two answers to an item.

    Of the items of one class that one model alone answers right, the first model's are binomial
    under the null hypothesis: 1,999 draws of them, with the trial itself.
    """
    pairs = paired(outcomes, "the permutation test of F1")
    positive = positive_references(pairs)
    observed = np.abs(f1_gap(pairs)) * (1 - _TIE)
    counts = []
    for label in (0, 1):
        of_class = positive == label
        for a, b in ((0, 0), (0, 1), (1, 0), (1, 1)):
            here = of_class & (pairs.score_a == a) & (pairs.score_b == b)
            counts.append(pairs.total(here.astype(np.int64)))
    cells = np.stack(counts, axis=1)
    score_a, score_b = np.array([[0.0, 0, 1, 1] * 2, [0.0, 1, 0, 1] * 2])
    as_large = np.ones(cells.shape[0], dtype=np.int64)
    for of_trial in range(cells.shape[0]):
        swapped = np.tile(cells[of_trial], (_RESAMPLES, 1))
        for first in (1, 5):
            differ = int(cells[of_trial, first] + cells[of_trial, first + 1])
            swapped[:, first] = rng.binomial(differ, 0.5, size=_RESAMPLES)
            swapped[:, first + 1] = differ - swapped[:, first]
        drawn = PairedOutcomes(swapped, score_a, score_b, np.repeat([False, True], 4))
        as_large[of_trial] += int((np.abs(f1_gap(drawn)) >= observed[of_trial]).sum())
    return as_large / (_RESAMPLES + 1) <= alpha


def _unpaired_z(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Pooled z test of two proportions, as if the models had items of their own.

    It never rejects where both models solve all items or none.
    """
    if isinstance(outcomes, PairedOutcomes) and not outcomes.binary:
        raise InvalidArgument("unpaired_z is a test of 0/1 scores; use two_sample_t")
    a, b = outcomes.samples
    pooled = (a.n_items * a.mean + b.n_items * b.mean) / (a.n_items + b.n_items)
    error = np.sqrt(pooled * (1 - pooled) * (1 / a.n_items + 1 / b.n_items))
    z = ratio(np.abs(a.mean - b.mean), error, empty=0.0)
    return 2 * ndtr(-z) <= alpha


def _two_sample_t(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Welch's t test, as if the models had items of their own.

    It never rejects where neither model's scores vary.
    """
    a, b = outcomes.samples
    first, second = _squared_error(a), _squared_error(b)
    both = first + second
    freedom = ratio(
        np.square(both),
        np.square(first) / np.maximum(a.n_items - 1, 1)
        + np.square(second) / np.maximum(b.n_items - 1, 1),
        empty=1.0,
    )
    t = ratio(np.abs(a.mean - b.mean), np.sqrt(both), empty=0.0)
    return 2 * stdtr(freedom, -t) <= alpha


def _squared_error(sample: Sample) -> FloatArray:
    return np.asarray(sample.squares / np.maximum(sample.n_items - 1, 1) / sample.n_items)


# sk-power's `mcnemar` and `paired_z` are both "asymptotic".
TESTS: Final[Mapping[str, Test]] = {
    # Against the chi-squared law, which is the score test of a zero gap.
    "asymptotic": _mcnemar(mcnemar_asymptotic),
    "score": _mcnemar(mcnemar_asymptotic),
    "continuity_corrected": _mcnemar(mcnemar_continuity_corrected),
    "exact": _mcnemar(mcnemar_exact),
    "mid_p": _mcnemar(mcnemar_mid_p),
    "sign": _sign,
    "binomial": _sign,
    "paired_t": _paired_t,
    "permutation": _permutation,
    "paired_bootstrap": _paired_bootstrap,
    "f1_permutation": _f1_permutation,
    "unpaired_z": _unpaired_z,
    "two_sample_t": _two_sample_t,
}
