r"""Gap over all items where some scores are missing, weighted by the inverse of the share answered.

Where items of a cluster are missing at random within it, whatever the cluster, each item that both
models answered stands for :math:`n_k/m_k` of its cluster's: :math:`n_k` items, of which
:math:`m_k` have both scores. The weighted gap is then

.. math:: \hat\delta = \sum_k \frac{n_k}{N} \bar d_k.

Deleting the others instead weighs clusters by what happens to be answered. Bounds that assume
nothing are `llm_power._statistics.missing_bounds`.

References
----------
Horvitz and Thompson (1952), doi:10.1080/01621459.1952.10483446; Seaman and White (2013),
doi:10.1177/0962280210395740; Lunceford and Davidian (2004), doi:10.1002/sim.1903, for the
linearised variance with estimated shares.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from llm_power._errors import InvalidArgument
from llm_power._statistics._cluster_sets import ratio
from llm_power._statistics.argument_checks import counts, open_unit
from llm_power._statistics.arrays import ArrayLike, FloatArray, IntArray
from llm_power._statistics.cluster_moments import ROUNDING, ClusterMoments


@dataclass(frozen=True, slots=True)
class WeightedGap:
    """Weighted gap of each pair, arrays of shape (n_pairs,) or ()."""

    #: Gap over the items of all clusters that have an item with both scores.
    delta: FloatArray
    #: Linearised, for items as the sample; NaN without two items of one cluster.
    standard_error: FloatArray
    #: Two-sided p-value of a zero gap, by t.
    p: FloatArray
    #: `low`, `high`: Limits of the interval.
    low: FloatArray
    high: FloatArray
    #: Items with both scores.
    n_answered: IntArray
    #: Items of clusters without one: about these the gap says nothing.
    n_left_out: IntArray
    #: Nominal confidence.
    confidence: float


def weighted_moments(moments: ClusterMoments, cluster_sizes: ArrayLike) -> ClusterMoments:
    """Moments of all items of each cluster that has answers, from those that are answered.

    With these `cluster_robust_test` takes clusters as the sample: its standard error holds what is
    lost within them as well.
    """
    m, sizes = moments.n_items, counts("cluster_sizes", cluster_sizes).astype(np.float64)
    if sizes.shape != m.shape[:1]:
        raise InvalidArgument(
            f"cluster_sizes must have one number a cluster, got shape {sizes.shape!r}"
        )
    n = np.where(m > 0, sizes.reshape(-1, *[1] * (m.ndim - 1)), 0.0)
    if np.any(m > n):
        raise InvalidArgument(
            f"cluster_sizes must be at least the answered items, got {float(n[m > n][0]):g}"
        )
    weight = ratio(n, m, empty=0.0)
    return ClusterMoments(n, weight * moments.sum_d, weight * moments.sum_d2, moments.origin)


def weighted_gap(
    moments: ClusterMoments, cluster_sizes: ArrayLike, *, confidence: float = 0.95
) -> WeightedGap:
    r"""Gap over all items, weighted by the inverse of the share answered in each cluster.

    An item adds :math:`\frac{n_k}{m_k}(d_i - \bar d_k)` where it is answered, and
    :math:`\bar d_k - \hat\delta` in any case:

    .. math:: \widehat{V} = \sum_k \left(\frac{n_k}{N}\right)^2 \frac{s_k^2}{m_k}
        + \frac{1}{N}\sum_k \frac{n_k}{N} (\bar d_k - \hat\delta)^2.

    Without missing scores this is the variance of the mean. A cluster with one answer has the
    variance :math:`s^2` of all clusters. The second term is what clusters as strata add where their
    items are a sample from a larger number in the same proportions.
    """
    level = 1 - open_unit("confidence", confidence)
    whole = weighted_moments(moments, cluster_sizes)
    m, n, _ = np.broadcast_arrays(moments.n_items, whole.n_items, moments.sum_d)
    total, answered = n.sum(axis=0), m.sum(axis=0)
    mean = ratio(moments.sum_d, m, empty=0.0)
    shift = ratio(whole.sum_d.sum(axis=0), total)
    squares = moments.sum_d2 - m * np.square(mean)
    squares = np.where(squares > ROUNDING * moments.sum_d2, squares, 0.0)
    freedom = np.maximum(m - 1, 0).sum(axis=0)
    pooled = ratio(squares.sum(axis=0), freedom)
    own = np.where(m > 1, ratio(squares, m - 1, empty=0.0), pooled)
    share = ratio(n, total)
    within = (np.square(share) * ratio(own, m, empty=0.0)).sum(axis=0)
    between = (share * np.square(mean - shift)).sum(axis=0) / np.maximum(total, 1)
    variance = within + between
    error = np.where(variance > 0, np.sqrt(variance), np.nan)
    df = np.maximum(freedom, 1.0)
    delta, reach = moments.origin + shift, -stdtrit(df, level / 2) * error
    sizes = counts("cluster_sizes", cluster_sizes).sum()
    return WeightedGap(
        delta=np.asarray(delta),
        standard_error=error,
        p=np.asarray(2 * stdtr(df, -np.abs(delta / error))),
        low=np.asarray(delta - reach),
        high=np.asarray(delta + reach),
        n_answered=answered.astype(np.int64),
        n_left_out=(sizes - total).astype(np.int64),
        confidence=confidence,
    )
