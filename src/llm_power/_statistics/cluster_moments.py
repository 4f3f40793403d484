r"""What clustered verdicts need of the items: three numbers a cluster and pair.

Items, sum of the paired difference :math:`D` and sum of its square are sufficient for the ICC, the
design effect and the required N; nothing is computed from items again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._statistics._ordered_sums import centered
from llm_power._statistics.argument_checks import counts, finite, non_negative
from llm_power._statistics.arrays import ArrayLike, FloatArray

#: A sum of squares below this share of the raw one is rounding of sums that are not whole.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class ClusterMoments:
    """Sufficient statistics of the paired difference, one row a cluster."""

    #: Items both models of the pair have a score on; one column if the same for all pairs; shape
    #: (n_clusters, n_pairs).
    n_items: FloatArray
    #: `sum_d`, `sum_d2`: Sum of the paired difference, less `origin`, and of its square over those
    #: items; shape (n_clusters, n_pairs) or (n_clusters,).
    sum_d: FloatArray
    sum_d2: FloatArray
    #: What was taken off every difference beforehand. Taking off the mean keeps the digits of a
    #: variance that is small beside the squared gap; shape (n_pairs,) or ().
    origin: FloatArray = field(default_factory=lambda: np.zeros(()))


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
    if np.any(impossible):
        raise InvalidArgument(
            f"sum_d2 must be at least sum_d**2 / n_items, got {float(squares[impossible][0])!r}"
        )
    return ClusterMoments(n, total, squares)


def moments_from_differences(differences: ArrayLike, labels: ArrayLike) -> ClusterMoments:
    """Collect the sufficient statistics from items, in two passes; rows in order of the labels.

    Shapes: `differences` (n_items,) or (n_items, n_pairs); `labels` (n_items,).
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
