"""Clustered items: ICC of the paired difference, design effect, and their bootstrap by clusters.

Section 6.4, Appendices F and G and Table 9 of the paper. Items of one subject are not independent
draws; the
one-way ANOVA ICC of the paired difference :math:`D` says by how much, and the design effect
multiplies :math:`N^*`. Everything is computed from the moments of the clusters
(`llm_power._statistics.cluster_moments`), never from items.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import broadcast, numbers, refuse
from llm_power._statistics.arrays import (
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    RandomSource,
    ordered_product,
    ratio,
)
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

_PERCENTILES = np.array([0.05, 0.95])
# Pairs at a time: bounds the memory, some 20 arrays of as many floats times the resamples, and does
# not change a bit of the result.
_PAIRS = 256


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
    :math:`\sum_k n_k^2 / N` for :math:`\bar m`, which is larger: the mean size is lenient.

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
    refuse("mean_cluster_size", size, size < 1, "be at least 1")
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
    >>> from llm_power import cluster_resolution, moments_from_counts
    >>> moments = moments_from_counts([90, 110, 100], b=[30, 35, 19], c=[8, 10, 12])
    >>> resolution = cluster_resolution(moments)
    >>> round(float(resolution.n_star_iid), 1), round(float(resolution.n_star), 1)
    (84.2, 220.1)
    >>> bool(resolution.resolved)
    True
    """
    return resolution_of(moments.anova, alpha, power)


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
    return resolution_of(one_way_anova(moments, all_but_one), alpha, power)


def resolution_of(fit: Anova, alpha: float, power: float) -> ClusterResolution:
    """Return `cluster_resolution` of clusters that are pooled already."""
    n_items = fit.n_items.copy()
    shift = ratio(fit.sum_d, n_items, empty=0.0)
    var_d = np.maximum(ratio(fit.sum_d2, n_items, empty=0.0) - shift**2, 0.0)
    n_star_iid = np.where(
        n_items > 0,
        required_n(fit.origin + shift, np.sqrt(var_d), alpha=alpha, power=power),
        np.nan,
    )
    effect = design_effect(fit.mean_cluster_size, fit.icc)
    n_star = inflate(n_star_iid, effect)
    q = resolution_ratio(budget(n_items), n_star)
    return ClusterResolution(
        n_clusters=fit.n_clusters.astype(np.int64),
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


@dataclass(frozen=True, slots=True)
class CategoryBootstrap:
    """Spread of the clustered verdicts over resamples of the clusters."""

    #: `icc_interval`, `design_effect_interval`, `n_star_interval`: 5th and 95th percentile (linear
    #: interpolation) over the resamples in which the ICC is defined; (2,) for a single pair given
    #: as vectors; shape (2, n_pairs).
    icc_interval: FloatArray
    design_effect_interval: FloatArray
    n_star_interval: FloatArray
    #: Share of all resamples in which the pair is not resolved; an undefined ICC counts as not
    #: resolved; shape (n_pairs,).
    probability_unresolved: FloatArray
    #: Resamples in which the ICC of the pair is undefined; shape (n_pairs,).
    n_undefined: IntArray
    #: Number of unresolved pairs in each resample; shape (n_resamples,).
    unresolved_counts: IntArray
    #: Share of the resamples with 0, 1, ... unresolved pairs; shape (n_pairs + 1,).
    count_distribution: FloatArray
    #: Number of resamples :math:`B`.
    n_resamples: int
    #: `alpha`, `power`: Level and target power.
    alpha: float
    power: float


def category_bootstrap(
    moments: ClusterMoments,
    *,
    rng: RandomSource = None,
    n_resamples: int = 1000,
    alpha: float = 0.05,
    power: float = 0.80,
) -> CategoryBootstrap:
    """Resample the clusters and recompute ICC, design effect and clustered required items.

    Appendix G and Table 9. :math:`N^*_{IID}` and the budget N stay at their values on the full
    data; a cluster drawn twice is two clusters. The mean cluster size is that of the
    resample, which the text leaves open and Table 9 decides: in its row "4 vs 5" an ICC of
    0.044 goes with a design effect of 40.9, out of reach of the full data's size of 859.

    Parameters
    ----------
    moments : ClusterMoments
        Items, sums and squares of each cluster, from `moments_from_counts` or
        `moments_from_differences`.
    rng : Generator or function of none that makes one, optional
        Source of the resamples.
    n_resamples : int, default 1000
        Number of resamples.
    alpha, power : float
        Two-sided level and target power, in (0, 1).

    Returns
    -------
    CategoryBootstrap
        Intervals, and how often each pair is unresolved.

    Raises
    ------
    InvalidArgument
        If a number is outside its domain.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power import category_bootstrap, moments_from_counts
    >>> moments = moments_from_counts([90, 110, 100], b=[30, 35, 19], c=[8, 10, 12])
    >>> rng = np.random.default_rng(1)
    >>> category_bootstrap(moments, rng=rng, n_resamples=200).unresolved_counts.size
    200
    """
    rng = np.random.default_rng(rng)
    draws = resample_clusters(moments.sum_d.shape[0], n_resamples, rng)
    pool = partial(ordered_product, draws.astype(np.float64))
    table = _as_table(moments)
    full = cluster_resolution(table, alpha=alpha, power=power)

    n_pairs = table.sum_d.shape[1]
    icc_interval = np.empty((2, n_pairs))
    effect_interval = np.empty((2, n_pairs))
    n_undefined = np.empty(n_pairs, dtype=np.int64)
    n_unresolved = np.empty(n_pairs, dtype=np.int64)
    unresolved_counts = np.zeros(n_resamples, dtype=np.int64)
    for start in range(0, n_pairs, _PAIRS):
        block = slice(start, start + _PAIRS)
        fit = one_way_anova(_columns(table, block), pool)
        effect = design_effect(fit.mean_cluster_size, fit.icc)
        n_star = inflate(full.n_star_iid[block], effect)
        unresolved = ~(resolution_ratio(budget(full.n_items[block]), n_star) >= 1)
        icc_interval[:, block] = _percentiles(fit.icc)
        effect_interval[:, block] = _percentiles(effect)
        n_undefined[block] = np.count_nonzero(np.isnan(fit.icc), axis=0)
        n_unresolved[block] = np.count_nonzero(unresolved, axis=0)
        unresolved_counts += np.count_nonzero(unresolved, axis=1)

    shape = moments.sum_d.shape[1:]
    return CategoryBootstrap(
        icc_interval=icc_interval.reshape(2, *shape),
        design_effect_interval=effect_interval.reshape(2, *shape),
        n_star_interval=inflate(full.n_star_iid, effect_interval).reshape(2, *shape),
        probability_unresolved=(n_unresolved / n_resamples).reshape(shape),
        n_undefined=n_undefined.reshape(shape),
        unresolved_counts=unresolved_counts,
        count_distribution=np.bincount(unresolved_counts, minlength=n_pairs + 1) / n_resamples,
        n_resamples=n_resamples,
        alpha=alpha,
        power=power,
    )


def resample_clusters(n_clusters: int, n_resamples: int, rng: RandomSource = None) -> IntArray:
    """Draw clusters with replacement, as multiplicities of shape (n_resamples, n_clusters)."""
    rng = np.random.default_rng(rng)
    for name, value in (("n_clusters", n_clusters), ("n_resamples", n_resamples)):
        if value < 1:
            raise InvalidArgument(f"{name} must be at least 1, got {value!r}")
    even = np.full(n_clusters, 1.0 / n_clusters)
    return rng.multinomial(n_clusters, even, size=n_resamples).astype(np.int64)


def _as_table(moments: ClusterMoments) -> ClusterMoments:
    n_clusters = moments.sum_d.shape[0]
    n_items, sum_d, sum_d2 = (
        x.reshape(n_clusters, -1) for x in (moments.n_items, moments.sum_d, moments.sum_d2)
    )
    return ClusterMoments(n_items, sum_d, sum_d2, moments.origin)


def _columns(table: ClusterMoments, block: slice) -> ClusterMoments:
    shared = table.n_items.shape[1] == 1
    n_items = table.n_items if shared else table.n_items[:, block]
    return ClusterMoments(n_items, table.sum_d[:, block], table.sum_d2[:, block])


def _percentiles(values: FloatArray) -> FloatArray:
    """Percentiles of the defined values of each column; NaN sorts behind them."""
    ordered = np.sort(values, axis=0)
    last = np.maximum(np.count_nonzero(~np.isnan(values), axis=0) - 1, 0)
    place = np.multiply.outer(_PERCENTILES, last)
    low = np.take_along_axis(ordered, np.floor(place).astype(np.int64), axis=0)
    high = np.take_along_axis(ordered, np.ceil(place).astype(np.int64), axis=0)
    between: FloatArray = low + (place % 1) * (high - low)
    return between
