r"""What clustered verdicts need of the items: at most three numbers a cluster and pair.

Items, sum of the paired difference :math:`D` and sum of its square are sufficient for the ICC, the
design effect and the required N; nothing is computed from items again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import counts, finite, non_negative, refuse
from llm_power._statistics.arrays import ArrayLike, FloatArray, centered, ordered_sum, ratio

#: A sum below this share of what it may be at most is rounding of numbers that are not whole.
ROUNDING = 1e-12


@dataclass(frozen=True)
class ClusterMoments:
    """Sufficient statistics of the paired difference, one row a cluster."""

    #: Items both models of the pair have a score on; one column if the same for all pairs; shape
    #: (n_clusters, n_pairs).
    n_items: FloatArray
    #: `sum_d`, `sum_d2`: Sum of the paired difference, less `origin`, and of its square over those
    #: items; shape (n_clusters, n_pairs) or (n_clusters,). Squares may have one row, of all
    #: clusters together: they are needed apart where clusters are left out, drawn or weighted.
    sum_d: FloatArray
    sum_d2: FloatArray
    #: What was taken off every difference beforehand. Taking off the mean keeps the digits of a
    #: variance that is small beside the squared gap; shape (n_pairs,) or ().
    origin: FloatArray = field(default_factory=lambda: np.zeros(()))

    @cached_property
    def anova(self) -> Anova:
        """One-way ANOVA over all clusters."""
        return one_way_anova(self, ordered_sum)


def moments_from_sums(n_items: ArrayLike, sum_d: ArrayLike, sum_d2: ArrayLike) -> ClusterMoments:
    """Collect the sufficient statistics of graded scores.

    Shapes: `sum_d`, `sum_d2` (n_clusters, n_pairs) or (n_clusters,); `n_items` these or
    (n_clusters, 1).
    """
    n = counts("n_items", n_items).astype(np.float64)
    total, squares = finite("sum_d", sum_d), non_negative("sum_d2", sum_d2)
    if total.shape != squares.shape or total.ndim not in (1, 2) or total.size == 0:
        raise InvalidArgument(
            "sum_d and sum_d2 must share a shape (n_clusters, n_pairs) or (n_clusters,), "
            f"got {total.shape!r} and {squares.shape!r}"
        )
    if n.shape not in (total.shape, (total.shape[0], 1)):
        raise InvalidArgument(f"n_items must fit sum_d of {total.shape!r}, got shape {n.shape!r}")
    impossible = (total**2 > n * squares * (1 + ROUNDING)) | ((n == 0) & (squares > 0))
    refuse("sum_d2", squares, impossible, "be at least sum_d**2 / n_items")
    return ClusterMoments(n, total, squares)


def moments_from_differences(differences: ArrayLike, labels: ArrayLike) -> ClusterMoments:
    """Collect the sufficient statistics from items, in two passes; rows in order of the labels.

    Shapes: `differences` (n_items,) or (n_items, n_pairs); `labels` (n_items,).

    Parameters
    ----------
    differences : array_like
        Score of A less that of B, shape (n_items,) or (n_items, n_pairs); NaN where missing.
    labels : array_like
        Cluster of each item, shape (n_items,).

    Returns
    -------
    ClusterMoments
        Rows in the order of the labels.

    Raises
    ------
    InvalidArgument
        If shapes do not fit or differences are masked.

    Examples
    --------
    >>> from llm_power import moments_from_differences
    >>> moments_from_differences([1, 0, -1, 1], ["a", "a", "b", "b"]).n_items.tolist()
    [2.0, 2.0]
    """
    if np.ma.is_masked(differences):
        raise InvalidArgument("differences must not have masked entries; set them to NaN")
    d, names = np.asarray(differences, dtype=np.float64), np.asarray(labels)
    if d.ndim not in (1, 2) or names.shape != d.shape[:1] or d.size == 0:
        raise InvalidArgument(
            "differences and labels must have one row an item, "
            f"got shapes {d.shape!r} and {names.shape!r}"
        )
    present = ~np.isnan(d)
    finite("differences", d[present])
    origin, deviations = centered(d)
    codes, sizes = np.unique(names, return_inverse=True, return_counts=True)[1:]
    order, starts = np.argsort(codes, kind="stable"), np.cumsum(sizes) - sizes
    n, sum_d, sum_d2 = (
        # A pair's items one after the other: its sum depends on no other pair.
        np.add.reduceat(np.ascontiguousarray(x[order].T), starts, axis=-1).T
        for x in (present.astype(np.float64), deviations, np.square(deviations))
    )
    return ClusterMoments(n, sum_d, sum_d2, np.asarray(origin))


def moments_from_counts(n_items: ArrayLike, b: ArrayLike, c: ArrayLike) -> ClusterMoments:
    """Collect the sufficient statistics of binary scores.

    Shapes: `b`, `c` (n_clusters, n_pairs) or (n_clusters,); `n_items` these or (n_clusters, 1).

    Parameters
    ----------
    n_items, b, c : array_like
        Items of each cluster, those that A alone solved, and B alone.

    Returns
    -------
    ClusterMoments
        Rows in the order given.

    Raises
    ------
    InvalidArgument
        If shapes do not fit or discordant items exceed the items.

    Examples
    --------
    >>> from llm_power import moments_from_counts
    >>> moments_from_counts([90, 110], b=[30, 35], c=[8, 10]).sum_d.tolist()
    [22.0, 25.0]
    """
    only_a, only_b = counts("b", b), counts("c", c)
    if only_a.shape != only_b.shape:
        raise InvalidArgument(f"b and c must share a shape, got {only_a.shape!r}, {only_b.shape!r}")
    moments = moments_from_sums(n_items, only_a - only_b, only_a + only_b)
    over = moments.sum_d2 > moments.n_items
    if np.any(over):
        discordant = int(moments.sum_d2[over][0])
        raise InvalidArgument(f"b + c must not exceed n_items, got {discordant!r}")
    return moments


#: From values (n_clusters, ...) to their sums over all clusters, or over each set (n_sets, ...).
Pool = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class Anova:
    """One-way ANOVA of D, (n_pairs,); sets of clusters are a leading axis before the pairs'."""

    n_clusters: FloatArray
    n_items: FloatArray
    #: Sum of the squared sizes of the clusters.
    squared_sizes: FloatArray
    sum_d: FloatArray
    sum_d2: FloatArray
    #: What was taken off every difference beforehand.
    origin: FloatArray
    #: Mean squares, and the size of equal clusters of the same expected mean square between them.
    ms_between: FloatArray
    ms_within: FloatArray
    n0: FloatArray
    icc: FloatArray

    @property
    def mean_cluster_size(self) -> FloatArray:
        """Items a non-empty cluster; NaN without any."""
        return ratio(self.n_items, self.n_clusters)

    @property
    def spread_of_sizes(self) -> FloatArray:
        """Clusters over Kish's effective number of them, 1 + c^2."""
        return ratio(self.n_clusters, ratio(np.square(self.n_items), self.squared_sizes))


def one_way_anova(moments: ClusterMoments, pool: Pool) -> Anova:
    r"""Fit the clusters that `pool` sums over; clusters without items do not count in K.

    .. math::
        ICC = \frac{MSB - MSW}{MSB + (n_0 - 1)\,MSW}, \quad
        n_0 = \frac{N - \sum_k n_k^2 / N}{K - 1}

    It is NaN with fewer than two non-empty clusters, with no two items in one cluster, or where all
    differences are equal. Donner (1986), International Statistical Review 54, 67-82.
    """
    n, sum_d, sum_d2 = moments.n_items, moments.sum_d, moments.sum_d2
    n_clusters, n_items, squared_sizes = pool((n > 0).astype(np.float64)), pool(n), pool(n**2)
    total, squares = pool(sum_d), pool(sum_d2)
    total = np.where(np.abs(total) <= ROUNDING * np.sqrt(n_items * squares), 0.0, total)
    explained = pool(ratio(sum_d**2, n, empty=0.0))
    between = _sum_of_squares(explained - ratio(total**2, n_items), squares)
    within = _sum_of_squares(squares - explained, squares)
    ms_between = ratio(between, n_clusters - 1)
    ms_within = ratio(within, n_items - n_clusters)
    n0 = ratio(n_items - ratio(squared_sizes, n_items), n_clusters - 1)
    icc = ratio(ms_between - ms_within, ms_between + (n0 - 1) * ms_within)
    sums = n_clusters, n_items, squared_sizes, total, squares, moments.origin
    return Anova(*np.broadcast_arrays(*sums, ms_between, ms_within, n0, icc))


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


def _sum_of_squares(value: FloatArray, raw: FloatArray) -> FloatArray:
    return np.where(value <= ROUNDING * raw, 0.0, value)
