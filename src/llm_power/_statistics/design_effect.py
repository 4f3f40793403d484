r"""Clustered items: the ICC of the paired difference, the design effect, and what they cost.

Section 6.4 and Appendix F of the paper. Items of one subject are not independent draws; the
one-way ANOVA ICC of the paired difference :math:`D` says by how much, and the design effect
multiplies :math:`N^*`. Everything is computed from the moments of the clusters
(`llm_power._statistics.cluster_moments`), never from items.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import broadcast, numbers
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray, ratio
from llm_power._statistics.cluster_moments import (
    ROUNDING,
    Anova,
    ClusterMoments,
    all_but_one,
    budget,
    inflate,
    one_way_anova,
)
from llm_power._statistics.inversion import required_n, resolution_ratio


@dataclass(frozen=True, slots=True)
class ClusterResolution:
    """Clustered required items and verdict of each pair.

    The arrays have shape (n_pairs,), or () for a single pair given as vectors; from
    `leave_one_cluster_out` they have one more leading axis, the dropped cluster.
    """

    #: `n_clusters`, `n_items`: Non-empty clusters :math:`K` of the pair, and its items :math:`N`.
    n_clusters: IntArray
    n_items: FloatArray
    #: One-way ANOVA ICC of the paired difference; NaN where undefined.
    icc: FloatArray
    #: Design effect; NaN where the ICC is.
    design_effect: FloatArray
    #: Required items were the items independent; ``inf`` where the gap is zero.
    n_star_iid: FloatArray
    #: Required items under clustering; ``inf`` where the gap is zero, else NaN where the ICC is.
    n_star: FloatArray
    #: `n_items` over `n_star`.
    q: FloatArray
    #: Whether ``q >= 1``; false where q is NaN.
    resolved: BoolArray
    #: `alpha`, `power`: Level and target power.
    alpha: float
    power: float


def design_effect(mean_cluster_size: ArrayLike, icc: ArrayLike) -> FloatArray:
    r"""Design effect of clustered items, Section 6.4.

    .. math:: DE = 1 + (\bar m - 1) \max(ICC, 0)

    The paper uses the mean size, as here. For unequal clusters Kish's form has
    :math:`\sum_k n_k^2 / N` for :math:`\bar m`, which is larger: the mean size is lenient. See
    `llm_power._statistics.cluster_requirement.kish_design_effect`.

    Kish (1965), Survey Sampling, Wiley.

    Parameters
    ----------
    mean_cluster_size : array_like
        Items of a cluster, at least 1.
    icc : array_like
        Intra-cluster correlation.

    Returns
    -------
    ndarray
        Broadcast shape, at least 1.

    Raises
    ------
    InvalidArgument
        If a mean size is below 1.

    Examples
    --------
    >>> from llm_power import design_effect
    >>> round(float(design_effect(20, 0.05)), 2)
    1.95
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
    >>> from llm_power import moments_from_counts
    >>> moments = moments_from_counts([90, 110, 100], b=[30, 35, 19], c=[8, 10, 12])
    >>> found = cluster_resolution(moments)
    >>> round(float(found.n_star_iid), 1), round(float(found.n_star), 1)
    (84.2, 220.1)
    >>> bool(found.resolved)
    True
    """
    return _resolution(moments.anova, moments.origin, alpha, power)


def leave_one_cluster_out(
    moments: ClusterMoments, *, alpha: float = 0.05, power: float = 0.80
) -> ClusterResolution:
    """Clustered verdicts after dropping each cluster in turn, row k without cluster k.

    Appendix F and Table 8, which reruns Section 6.4 "on the remaining items". Against the
    budget of the whole benchmark a pair is resolved where `n_star` is at most that N.

    Parameters
    ----------
    moments : ClusterMoments
        Items, sums and squares of each cluster, from `moments_from_counts` or
        `moments_from_differences`.
    alpha, power : float
        Two-sided level and target power, in (0, 1).

    Returns
    -------
    ClusterResolution
        Arrays of shape (n_clusters,) or (n_clusters, n_pairs).

    Raises
    ------
    InvalidArgument
        If `alpha` or `power` is outside its domain.

    Examples
    --------
    >>> from llm_power import leave_one_cluster_out, moments_from_counts
    >>> moments = moments_from_counts([90, 110, 100], b=[30, 35, 19], c=[8, 10, 12])
    >>> leave_one_cluster_out(moments).n_star.round(1).tolist()
    [430.8, 476.0, 51.1]
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
