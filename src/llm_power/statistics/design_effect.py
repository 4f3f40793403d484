r"""Clustered items: the ICC of the paired difference, the design effect, and what they cost.

Section 6.4 and Appendix F of the paper. Items of one subject are not independent draws; the
one-way ANOVA ICC of the paired difference :math:`D` says by how much, and the design effect
multiplies :math:`N^*`. Everything is computed from the moments of the clusters
(`llm_power.statistics.cluster_moments`), never from items.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from llm_power.errors import InvalidArgument
from llm_power.statistics._checks import broadcast, numbers
from llm_power.statistics._cluster_sets import (
    Anova,
    all_but_one,
    budget,
    inflate,
    one_way_anova,
    pool_all,
    ratio,
)
from llm_power.statistics._typing import ArrayLike, BoolArray, FloatArray, IntArray
from llm_power.statistics.cluster_moments import ROUNDING, ClusterMoments
from llm_power.statistics.inversion import required_n, resolution_ratio


@dataclass(frozen=True, slots=True)
class ClusterResolution:
    """Clustered required items and verdict of each pair.

    The arrays have shape (n_pairs,), or () for a single pair given as vectors; from
    `leave_one_cluster_out` they have one more leading axis, the dropped cluster.

    Attributes
    ----------
    n_clusters, n_items : ndarray
        Non-empty clusters :math:`K` of the pair, and its items :math:`N`.
    icc : ndarray
        One-way ANOVA ICC of the paired difference; NaN where undefined.
    design_effect : ndarray
        Design effect; NaN where the ICC is.
    n_star_iid : ndarray
        Required items were the items independent; ``inf`` where the gap is zero.
    n_star : ndarray
        Required items under clustering; ``inf`` where the gap is zero, else NaN where the
        ICC is.
    q : ndarray
        `n_items` over `n_star`.
    resolved : ndarray of bool
        Whether ``q >= 1``; false where q is NaN.
    alpha, power : float
        Level and target power.

    Examples
    --------
    >>> from llm_power import cluster_resolution
    >>> from llm_power.statistics.cluster_moments import moments_from_counts
    >>> found = cluster_resolution(moments_from_counts([90, 110], b=[20, 25], c=[8, 10]))
    >>> int(found.n_clusters), int(found.n_items)
    (2, 200)
    """

    n_clusters: IntArray
    n_items: FloatArray
    icc: FloatArray
    design_effect: FloatArray
    n_star_iid: FloatArray
    n_star: FloatArray
    q: FloatArray
    resolved: BoolArray
    alpha: float
    power: float


def intraclass_correlation(moments: ClusterMoments) -> FloatArray:
    r"""One-way ANOVA ICC of the paired difference, for clusters of unequal size.

    .. math::
        ICC = \frac{MSB - MSW}{MSB + (n_0 - 1)\,MSW}, \quad
        n_0 = \frac{N - \sum_k n_k^2 / N}{K - 1}

    Parameters
    ----------
    moments : ClusterMoments
        Sufficient statistics of each cluster and pair.

    Returns
    -------
    ndarray of shape (n_pairs,), or () for a single pair given as vectors
        At most 1, possibly negative. NaN where it is undefined: with fewer than two
        non-empty clusters, with no two items in one cluster, or where all differences are
        equal, so that both mean squares are zero.

    Notes
    -----
    Section 6.4 and Table 4. Clusters without items of a pair do not count in its K.

    References
    ----------
    Donner (1986), International Statistical Review 54, 67-82.

    Examples
    --------
    >>> from llm_power.statistics.cluster_moments import moments_from_counts
    >>> from llm_power.statistics.design_effect import intraclass_correlation
    >>> moments = moments_from_counts([90, 110, 100], b=[20, 25, 9], c=[8, 10, 12])
    >>> round(float(intraclass_correlation(moments)), 4)
    0.0231
    """
    return one_way_anova(moments, pool_all(moments)).at(0).icc


def design_effect(mean_cluster_size: ArrayLike, icc: ArrayLike) -> FloatArray:
    r"""Design effect of clustered items, Section 6.4.

    .. math:: DE = 1 + (\bar m - 1) \max(ICC, 0)

    Parameters
    ----------
    mean_cluster_size : array_like
        Mean cluster size :math:`\bar m = N/K`, items.
    icc : array_like
        Intra-cluster correlation; NaN stays NaN.

    Returns
    -------
    ndarray
        Broadcast shape; at least 1.

    Raises
    ------
    InvalidArgument
        If a size is below 1, which no non-empty cluster has, or an ICC exceeds 1.

    Notes
    -----
    The paper uses the mean size, as here. For unequal clusters Kish's form has
    :math:`\sum_k n_k^2 / N` for :math:`\bar m`, which is larger: the mean size is lenient. See
    `llm_power.statistics.cluster_requirement.kish_design_effect`.

    References
    ----------
    Kish (1965), Survey Sampling, Wiley.

    Examples
    --------
    >>> from llm_power.statistics.design_effect import design_effect
    >>> float(design_effect(mean_cluster_size=101, icc=0.01))
    2.0
    """
    size, correlation = broadcast(
        mean_cluster_size=numbers("mean_cluster_size", mean_cluster_size), icc=numbers("icc", icc)
    )
    if np.any(size < 1):
        raise InvalidArgument(
            f"mean_cluster_size must be at least 1, got {float(size[size < 1].flat[0])!r}"
        )
    if np.any(correlation > 1 + ROUNDING):
        raise InvalidArgument(f"icc must not exceed 1, got {float(np.nanmax(correlation))!r}")
    positive_part = np.maximum(correlation, 0.0)
    return np.asarray(1.0 + (size - 1.0) * positive_part)


def cluster_resolution(
    moments: ClusterMoments, *, alpha: float = 0.05, power: float = 0.80
) -> ClusterResolution:
    r"""Required items under clustering, :math:`N^*_{cluster} = N^*_{IID} \cdot DE`.

    Parameters
    ----------
    moments : ClusterMoments
        Sufficient statistics of each cluster and pair.
    alpha : float, default 0.05
        Two-sided level.
    power : float, default 0.80
        Target power.

    Returns
    -------
    ClusterResolution
        Arrays of shape (n_pairs,).

    Raises
    ------
    InvalidArgument
        If `alpha` or `power` is outside its domain.

    Notes
    -----
    Section 6.4 and Table 4; :math:`N^*_{IID}` is eq. (3) on the items of all clusters.

    Examples
    --------
    >>> from llm_power import cluster_resolution
    >>> from llm_power.statistics.cluster_moments import moments_from_counts
    >>> moments = moments_from_counts([90, 110, 100], b=[30, 35, 19], c=[8, 10, 12])
    >>> found = cluster_resolution(moments)
    >>> round(float(found.n_star_iid), 1), round(float(found.n_star), 1)
    (84.2, 220.1)
    >>> bool(found.resolved)
    True
    """
    fit = one_way_anova(moments, pool_all(moments))
    return _resolution(fit.at(0), moments.origin, alpha, power)


def leave_one_cluster_out(
    moments: ClusterMoments, *, alpha: float = 0.05, power: float = 0.80
) -> ClusterResolution:
    r"""Clustered verdicts after dropping each cluster in turn.

    Parameters
    ----------
    moments, alpha, power
        As in `cluster_resolution`.

    Returns
    -------
    ClusterResolution
        Arrays of shape (n_clusters, n_pairs); row k is without cluster k. The gap,
        :math:`N^*_{IID}`, ICC and design effect are those of the remaining items, and so is
        the budget: `q` and `resolved` compare with the N that remains. NaN where nothing
        remains.

    Raises
    ------
    InvalidArgument
        If `alpha` or `power` is outside its domain.

    Notes
    -----
    Appendix F and Table 8, which reruns Section 6.4 "on the remaining items". Against the
    budget of the whole benchmark a pair is resolved where `n_star` is at most that N.

    Examples
    --------
    >>> from llm_power.statistics.cluster_moments import moments_from_counts
    >>> from llm_power.statistics.design_effect import leave_one_cluster_out
    >>> moments = moments_from_counts([90, 110, 100], b=[30, 35, 19], c=[8, 10, 12])
    >>> leave_one_cluster_out(moments).resolved
    array([False, False,  True])
    """
    return _resolution(one_way_anova(moments, all_but_one), moments.origin, alpha, power)


def _resolution(fit: Anova, origin: FloatArray, alpha: float, power: float) -> ClusterResolution:
    n_items = np.broadcast_to(fit.n_items, fit.icc.shape).copy()
    shift = ratio(fit.sum_d, n_items, empty=0.0)
    var_d = np.maximum(ratio(fit.sum_d2, n_items, empty=0.0) - shift**2, 0.0)
    n_star_iid = np.where(
        n_items > 0, required_n(origin + shift, np.sqrt(var_d), alpha=alpha, power=power), np.nan
    )
    effect = design_effect(fit.mean_cluster_size, fit.icc)
    n_star = inflate(n_star_iid, effect)
    q = resolution_ratio(budget(n_items), n_star)
    return ClusterResolution(
        n_clusters=np.broadcast_to(fit.n_clusters, fit.icc.shape).astype(np.int64),
        n_items=n_items,
        icc=fit.icc,
        design_effect=effect,
        n_star_iid=n_star_iid,
        n_star=n_star,
        q=q,
        resolved=np.asarray(q >= 1),
        alpha=alpha,
        power=power,
    )
