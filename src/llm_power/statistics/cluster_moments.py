r"""What clustered verdicts need of the items: three numbers a cluster and pair.

Items, sum of the paired difference :math:`D` and sum of its square are sufficient for the ICC, the
design effect and the required N; nothing is computed from items again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from llm_power.errors import InvalidArgument
from llm_power.statistics._checks import counts, finite, non_negative
from llm_power.statistics._ordered_sums import centered, ordered_sum
from llm_power.statistics._typing import ArrayLike, FloatArray

#: A sum of squares below this share of the raw one is rounding of sums that are not whole.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class ClusterMoments:
    """Sufficient statistics of the paired difference, one row a cluster.

    Attributes
    ----------
    n_items : ndarray of shape (n_clusters, n_pairs), (n_clusters, 1) or (n_clusters,)
        Items both models of the pair have a score on; one column if the same for all pairs.
    sum_d, sum_d2 : ndarray of shape (n_clusters, n_pairs) or (n_clusters,)
        Sum of the paired difference, less `origin`, and of its square over those items.
    origin : ndarray of shape (n_pairs,) or (), default 0
        What was taken off every difference beforehand. Taking off the mean keeps the digits of a
        variance that is small beside the squared gap.

    Examples
    --------
    >>> from llm_power.statistics.cluster_moments import moments_from_counts
    >>> moments = moments_from_counts([90, 110], b=[20, 25], c=[8, 10])
    >>> moments.sum_d
    array([12., 15.])
    """

    n_items: FloatArray
    sum_d: FloatArray
    sum_d2: FloatArray
    origin: FloatArray = field(default_factory=lambda: np.zeros(()))


def moments_from_sums(n_items: ArrayLike, sum_d: ArrayLike, sum_d2: ArrayLike) -> ClusterMoments:
    """Collect the sufficient statistics of graded scores.

    Parameters
    ----------
    n_items : array_like of shape (n_clusters, n_pairs), (n_clusters, 1) or (n_clusters,)
        Items of each cluster that both models have a score on; 0 where there is none.
    sum_d, sum_d2 : array_like of shape (n_clusters, n_pairs) or (n_clusters,)
        Sum of the paired difference and of its square, in score units and their square.

    Returns
    -------
    ClusterMoments
        The checked arrays.

    Raises
    ------
    InvalidArgument
        If shapes do not fit, or no set of `n_items` numbers has these two sums.

    Examples
    --------
    >>> from llm_power.statistics.cluster_moments import moments_from_sums
    >>> moments = moments_from_sums([90, 110], sum_d=[4.5, 7.0], sum_d2=[20.2, 31.0])
    >>> moments.sum_d2
    array([20.2, 31. ])
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
    if np.any(impossible):
        raise InvalidArgument(
            f"sum_d2 must be at least sum_d**2 / n_items, got {float(squares[impossible][0])!r}"
        )
    return ClusterMoments(n, total, squares)


def moments_from_differences(differences: ArrayLike, labels: ArrayLike) -> ClusterMoments:
    """Collect the sufficient statistics from items, in two passes.

    Parameters
    ----------
    differences : array_like of shape (n_items,) or (n_items, n_pairs)
        Paired difference of each item; NaN where a model of the pair lacks it.
    labels : array_like of shape (n_items,)
        Cluster of each item, numbers or strings.

    Returns
    -------
    ClusterMoments
        One row a cluster, in sorted order of the labels; `origin` is the mean difference.

    Raises
    ------
    InvalidArgument
        If shapes do not fit, there is no item, or a difference is infinite.

    Examples
    --------
    >>> from llm_power.statistics.cluster_moments import moments_from_differences
    >>> moments = moments_from_differences([0.5, 1.0, 0.0, -0.5], ["x", "x", "y", "y"])
    >>> float(moments.origin), moments.sum_d.tolist(), moments.sum_d2.tolist()
    (0.25, [1.0, -1.0], [0.625, 0.625])
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
    codes = np.unique(names, return_inverse=True)[1]
    n, sum_d, sum_d2 = (
        np.stack([ordered_sum(x[codes == code]) for code in range(int(codes.max()) + 1)])
        for x in (present.astype(np.float64), deviations, np.square(deviations))
    )
    return ClusterMoments(n, sum_d, sum_d2, np.asarray(origin))


def moments_from_counts(n_items: ArrayLike, b: ArrayLike, c: ArrayLike) -> ClusterMoments:
    """Collect the sufficient statistics of binary scores.

    Parameters
    ----------
    n_items : array_like of shape (n_clusters, n_pairs), (n_clusters, 1) or (n_clusters,)
        Items of each cluster that both models have a score on; 0 where there is none.
    b, c : array_like of shape (n_clusters, n_pairs) or (n_clusters,)
        Items of each cluster that only A, and only B, solves.

    Returns
    -------
    ClusterMoments
        With ``sum_d = b - c`` and ``sum_d2 = b + c``.

    Raises
    ------
    InvalidArgument
        If shapes do not fit, or there are more discordant items than items.

    Examples
    --------
    >>> from llm_power.statistics.cluster_moments import moments_from_counts
    >>> moments = moments_from_counts([90, 110], b=[20, 25], c=[8, 10])
    >>> moments.sum_d, moments.sum_d2
    (array([12., 15.]), array([28., 35.]))
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
