r"""Family-wise p-values by max-T, from the joint distribution of the gaps on one set of items.

Gaps between models that share their items are correlated, and Bonferroni's bound ignores it. Each
pair's p-value, of whatever test, is put on the normal scale, :math:`z = \Phi^{-1}(1 - p/2)`, and
held against the largest of the jointly normal deviates of the pairs that are still undecided.

References
----------
Romano and Wolf (2005), doi:10.1198/016214504000000539, for the step-down; Chernozhukov, Chetverikov
and Kato (2013), doi:10.1214/13-AOS1161, for Gaussian multipliers on centred scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from llm_power.errors import InvalidArgument
from llm_power.statistics._multipliers import (
    inverse_standard_errors,
    multiplier_means,
    stratified,
)
from llm_power.statistics.argument_checks import open_unit, positive_count, proportions
from llm_power.statistics.arrays import ArrayLike, BoolArray, FloatArray
from llm_power.statistics.multiplicity import adjust_holm
from llm_power.statistics.random_streams import named_rng

#: Standard normal deviates of one pair, an entry a draw; the draws are those of all pairs.
Deviates = Callable[[int], FloatArray]


@dataclass(frozen=True, slots=True)
class FamilyTest:
    """P-values of a family of pairs."""

    #: Adjusted p-values; shape (n_pairs,).
    p: FloatArray
    #: Level of a single pair at the last step: what a pair that is not declared still faces.
    level: float
    #: Number of pairs.
    size: int

    def of(self, rows: BoolArray) -> FamilyTest:
        """Return the same for some of the pairs; the family stays as large as it is."""
        return FamilyTest(self.p[rows], self.level, self.size)


def holm_family(p: ArrayLike, *, alpha: float = 0.05) -> FamilyTest:
    """Adjust by Holm's procedure, which asks nothing of the joint distribution."""
    adjusted = adjust_holm(p)
    left = int(np.count_nonzero(adjusted > open_unit("alpha", alpha)))
    return FamilyTest(adjusted, alpha / max(left, 1), adjusted.size)


def max_t_family(
    p: ArrayLike, deviates: Deviates, *, n_draws: int, alpha: float = 0.05
) -> FamilyTest:
    """Adjust by the step-down max-T procedure.

    Adjusted p-values are never below the pair's own, never above Holm's. Exact up to the
    correlations, which are estimated: every pair keeps the p-value of its own test, whatever the
    number of its discordant items. The Monte Carlo error of an adjusted p-value is at most that of
    a share of `n_draws`; Holm's bound holds without it.
    """
    values, level = proportions("p", p), open_unit("alpha", alpha)
    if values.ndim != 1:
        raise InvalidArgument(f"p must be one-dimensional, got shape {values.shape!r}")
    draws = positive_count("n_draws", n_draws)
    z = -ndtri(values / 2)
    largest, share, critical = np.zeros(draws), np.empty(values.size), []
    # From the least evidence to the most: the pairs that a step is about are those before it.
    order = np.argsort(z, kind="stable")
    for pair in order.tolist():
        np.maximum(largest, np.abs(deviates(pair)), out=largest)
        share[pair] = (1 + np.count_nonzero(largest >= z[pair] * (1 - 1e-12))) / (draws + 1)
        critical.append(np.partition(largest, -_rank(draws, level))[-_rank(draws, level)])
    steps = np.maximum.accumulate(share[order[::-1]])[::-1]
    adjusted = np.empty(values.size)
    adjusted[order] = steps
    adjusted = np.maximum(np.minimum(adjusted, adjust_holm(values)), values)
    left = int(np.count_nonzero(adjusted > level))
    faced = 2 * float(ndtr(-critical[left - 1])) if left else level
    return FamilyTest(adjusted, min(max(faced, level / max(left, 1)), level), values.size)


def _rank(draws: int, level: float) -> int:
    """Position from the top of the critical value among the draws."""
    return max(1, int(level * (draws + 1)))


def gap_deviates(
    scores: FloatArray,
    first: ArrayLike,
    second: ArrayLike,
    *,
    n_draws: int,
    rng: np.random.Generator | None = None,
) -> Deviates:
    """Jointly normal deviates of the gaps of pairs of models, by Gaussian multipliers.

    A missing score counts as its model's mean: the correlations are then approximate, each pair's
    own deviates standard normal all the same. `scores` have shape (n_items, n_models).
    """
    return average_deviates([scores], [1.0], first, second, n_draws=n_draws, rng=rng)


def average_deviates(
    tasks: Sequence[FloatArray],
    weights: Sequence[float],
    first: ArrayLike,
    second: ArrayLike,
    *,
    n_draws: int,
    rng: np.random.Generator | None = None,
) -> Deviates:
    """Jointly normal deviates of average gaps over tasks, as `gap_deviates` of single ones."""
    stream = named_rng(0, "gap_deviates") if rng is None else rng
    centred = stratified(tasks, weights)
    precision = inverse_standard_errors(centred)
    drawn = np.ascontiguousarray(multiplier_means(centred, n_draws, stream).T)
    a, b = (np.asarray(x, dtype=np.int64).tolist() for x in (first, second))
    return lambda pair: (drawn[a[pair]] - drawn[b[pair]]) * precision[a[pair], b[pair]]
