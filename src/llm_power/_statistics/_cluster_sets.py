"""One-way ANOVA of the paired difference over many sets of clusters at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from llm_power._statistics._ordered_sums import ordered_product
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.cluster_moments import ROUNDING, ClusterMoments

#: From values (n_clusters, ...) to their sums over each set of clusters (n_sets, ...).
Pool = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class Anova:
    """One-way ANOVA of D; a leading axis of cluster sets before the pairs'."""

    n_clusters: FloatArray
    n_items: FloatArray
    sum_d: FloatArray
    sum_d2: FloatArray
    icc: FloatArray

    @property
    def mean_cluster_size(self) -> FloatArray:
        """Items a non-empty cluster; NaN without any."""
        return ratio(self.n_items, self.n_clusters)

    def at(self, row: int) -> Anova:
        """The fit of one set of clusters."""
        fields = (self.n_clusters, self.n_items, self.sum_d, self.sum_d2, self.icc)
        return Anova(*(np.asarray(x[row]) for x in fields))


def one_way_anova(moments: ClusterMoments, pool: Pool) -> Anova:
    r"""Fit every set of clusters that `pool` sums over; clusters without items do not count in K.

    .. math::
        ICC = \frac{MSB - MSW}{MSB + (n_0 - 1)\,MSW}, \quad
        n_0 = \frac{N - \sum_k n_k^2 / N}{K - 1}

    It is NaN with fewer than two non-empty clusters, with no two items in one cluster, or where all
    differences are equal. Donner (1986), International Statistical Review 54, 67-82.
    """
    n, sum_d, sum_d2 = moments.n_items, moments.sum_d, moments.sum_d2
    n_clusters, n_items = pool((n > 0).astype(np.float64)), pool(n)
    total, squares = pool(sum_d), pool(sum_d2)
    explained = pool(ratio(sum_d**2, n, empty=0.0))
    between = _sum_of_squares(explained - ratio(total**2, n_items), squares)
    within = _sum_of_squares(squares - explained, squares)
    ms_between = ratio(between, n_clusters - 1)
    ms_within = ratio(within, n_items - n_clusters)
    n0 = ratio(n_items - ratio(pool(n**2), n_items), n_clusters - 1)
    icc = ratio(ms_between - ms_within, ms_between + (n0 - 1) * ms_within)
    return Anova(n_clusters, n_items, total, squares, icc)


def pool_all(moments: ClusterMoments) -> Pool:
    """Sum over all clusters, as one set."""
    return partial(ordered_product, np.ones((1, moments.sum_d.shape[0])))


def all_but_one(values: FloatArray) -> FloatArray:
    """Sum over all clusters but the one of the row, by sums from both ends: no cancellation."""
    before, after = np.zeros_like(values), np.zeros_like(values)
    np.cumsum(values[:-1], axis=0, out=before[1:])
    after[:-1] = np.cumsum(values[:0:-1], axis=0)[::-1]
    return before + after


def inflate(n_star_iid: FloatArray, effect: FloatArray) -> FloatArray:
    """Required items under clustering."""
    # A zero gap stays out of reach where the ICC is undefined, as for identical models.
    return np.where(np.isinf(n_star_iid), np.inf, n_star_iid * effect)


def budget(n_items: FloatArray) -> FloatArray:
    """Items that N* is held against."""
    # Without items N* is NaN and so is q; the 1 only keeps the division in its domain.
    return np.maximum(n_items, 1.0)


def ratio(top: FloatArray, bottom: FloatArray, empty: float = np.nan) -> FloatArray:
    """Quotient, and `empty` where the divisor is zero."""
    top, bottom = np.broadcast_arrays(top, bottom)
    quotient = np.full(top.shape, empty)
    np.divide(top, bottom, out=quotient, where=bottom != 0)
    return quotient


def _sum_of_squares(value: FloatArray, raw: FloatArray) -> FloatArray:
    return np.where(value <= ROUNDING * raw, 0.0, value)
