"""Two-sided tests by name: whether each rejects at a level, for every trial at once.

A test of paired scores whose differences are 1, 0 or -1 needs the wins and losses alone: flips of
the signs of the differences are then the exact form of McNemar's test, and Tango's score test of a
zero gap is its asymptotic form (Tango 1998).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from scipy.special import ndtr, stdtr

from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray
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
from llm_power.simulation._effects import f1_gap, positive_references
from llm_power.simulation._outcomes import Outcomes, PairedOutcomes, Sample, paired, ratio

#: Outcomes of trials, the level, and random numbers for tests that resample, to decisions of
#: shape (n_trials,).
Test = Callable[[Outcomes, float, np.random.Generator], BoolArray]

# Resamples and flips of signs, which the trials share.
_RESAMPLES = 1_999
# Numbers held at once by a work array; results do not depend on it.
_BLOCK = 2**22
# Sums within this share of the largest one are a tie, in whatever order they were added.
_TIE = 1e-9


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
    z = ratio(np.abs(a.mean - b.mean), error, otherwise=0.0)
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
        otherwise=1.0,
    )
    t = ratio(np.abs(a.mean - b.mean), np.sqrt(both), otherwise=0.0)
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
