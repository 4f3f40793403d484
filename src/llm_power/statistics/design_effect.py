r"""Clustered items: the ICC of the paired difference, the design effect, and what they cost.

Section 6.4 and Appendices F and G of the paper. Items of one subject are not independent
draws; the one-way ANOVA ICC of the paired difference :math:`D` says by how much, and the
design effect multiplies :math:`N^*`. Everything is computed from three numbers a cluster
and pair (items, sum of D, sum of squared D), never from items.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from llm_power.errors import InvalidArgument
from llm_power.statistics._checks import counts, finite, non_negative
from llm_power.statistics._typing import ArrayLike, BoolArray, FloatArray, IntArray
from llm_power.statistics.inversion import required_n, resolution_ratio

# A sum of squares below this share of the raw one is rounding of sums that are not whole.
_ROUNDING = 1e-12
_PERCENTILES = np.array([0.05, 0.95])

_Pool = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class ClusterMoments:
    """Sufficient statistics of the paired difference, one row a cluster.

    Attributes
    ----------
    n_items : ndarray of shape (n_clusters, n_pairs), (n_clusters, 1) or (n_clusters,)
        Items both models of the pair have a score on; one column if the same for all pairs.
    sum_d, sum_d2 : ndarray of shape (n_clusters, n_pairs) or (n_clusters,)
        Sum of the paired difference and of its square over those items.
    """

    n_items: FloatArray
    sum_d: FloatArray
    sum_d2: FloatArray


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


@dataclass(frozen=True, slots=True)
class CategoryBootstrap:
    """Bootstrap of the clusters: how far the clustered verdicts hang on which clusters there are.

    Attributes
    ----------
    icc_interval, design_effect_interval, n_star_interval : ndarray of shape (2, n_pairs)
        5th and 95th percentile (linear interpolation) over the resamples in which the ICC is
        defined; (2,) for a single pair given as vectors.
    probability_unresolved : ndarray of shape (n_pairs,)
        Share of all resamples in which the pair is not resolved; an undefined ICC counts as
        not resolved.
    n_undefined : ndarray of shape (n_pairs,)
        Resamples in which the ICC of the pair is undefined.
    unresolved_counts : ndarray of shape (n_resamples,)
        Number of unresolved pairs in each resample.
    count_distribution : ndarray of shape (n_pairs + 1,)
        Share of the resamples with 0, 1, ... unresolved pairs.
    n_resamples : int
        Number of resamples :math:`B`.
    seed : tuple of int
        Entropy of the generator's seed sequence; from it a fresh generator repeats the draws.
    alpha, power : float
        Level and target power.
    """

    icc_interval: FloatArray
    design_effect_interval: FloatArray
    n_star_interval: FloatArray
    probability_unresolved: FloatArray
    n_undefined: IntArray
    unresolved_counts: IntArray
    count_distribution: FloatArray
    n_resamples: int
    seed: tuple[int, ...]
    alpha: float
    power: float


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
    impossible = (total**2 > n * squares * (1 + _ROUNDING)) | ((n == 0) & (squares > 0))
    if np.any(impossible):
        raise InvalidArgument(
            f"sum_d2 must be at least sum_d**2 / n_items, got {float(squares[impossible][0])!r}"
        )
    return ClusterMoments(n, total, squares)


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
    """
    return _one_way_anova(moments, _pool_all(moments)).at(0).icc


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

    Notes
    -----
    The paper uses the mean size, as here. For unequal clusters Kish's form has
    :math:`\sum_k n_k^2 / N` for :math:`\bar m`, which is larger: the mean size is lenient.

    References
    ----------
    Kish (1965), Survey Sampling, Wiley.
    """
    size = np.asarray(mean_cluster_size, dtype=np.float64)
    positive_part = np.maximum(np.asarray(icc, dtype=np.float64), 0.0)
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
    """
    fit = _one_way_anova(moments, _pool_all(moments))
    return _resolution(fit.at(0), alpha, power)


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
    """
    return _resolution(_one_way_anova(moments, _all_but_one), alpha, power)


def resample_clusters(n_clusters: int, n_resamples: int, rng: np.random.Generator) -> IntArray:
    """Draw clusters with replacement, as multiplicities.

    Parameters
    ----------
    n_clusters : int
        Number of clusters :math:`K`, which is also the number drawn in each resample.
    n_resamples : int
        Number of resamples :math:`B`.
    rng : numpy.random.Generator
        Source of the draws.

    Returns
    -------
    ndarray of shape (n_resamples, n_clusters)
        How often each resample holds each cluster; rows sum to `n_clusters`.

    Raises
    ------
    InvalidArgument
        If a number is not positive.
    """
    for name, value in (("n_clusters", n_clusters), ("n_resamples", n_resamples)):
        if value < 1:
            raise InvalidArgument(f"{name} must be at least 1, got {value!r}")
    even = np.full(n_clusters, 1.0 / n_clusters)
    return rng.multinomial(n_clusters, even, size=n_resamples).astype(np.int64)


def category_bootstrap(
    moments: ClusterMoments,
    *,
    rng: np.random.Generator,
    n_resamples: int = 1000,
    alpha: float = 0.05,
    power: float = 0.80,
    block_size: int = 256,
) -> CategoryBootstrap:
    r"""Resample the clusters and recompute ICC, design effect and clustered required items.

    Parameters
    ----------
    moments : ClusterMoments
        Sufficient statistics of each cluster and pair.
    rng : numpy.random.Generator
        Source of the draws; all pairs see the same resamples.
    n_resamples : int, default 1000
        Number of resamples :math:`B`.
    alpha, power : float
        Level and target power.
    block_size : int, default 256
        Pairs worked on at a time. It bounds the memory (some 20 arrays of `n_resamples` x
        `block_size` floats) and does not change a bit of the result.

    Returns
    -------
    CategoryBootstrap
        Percentile intervals and verdicts.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.

    Notes
    -----
    Appendix G and Table 9. :math:`N^*_{IID}` and the budget N stay at their values on the full
    data; a cluster drawn twice is two clusters. The mean cluster size is that of the
    resample, which the text leaves open and Table 9 decides: in its row "4 vs 5" an ICC of
    0.044 goes with a design effect of 40.9, out of reach of the full data's size of 859.
    """
    if block_size < 1:
        raise InvalidArgument(f"block_size must be at least 1, got {block_size!r}")
    draws = resample_clusters(moments.sum_d.shape[0], n_resamples, rng)
    pool = partial(_weighted_sum, draws.astype(np.float64))
    table = _as_table(moments)
    full = cluster_resolution(table, alpha=alpha, power=power)

    n_pairs = table.sum_d.shape[1]
    icc_interval = np.empty((2, n_pairs))
    effect_interval = np.empty((2, n_pairs))
    n_undefined = np.empty(n_pairs, dtype=np.int64)
    n_unresolved = np.empty(n_pairs, dtype=np.int64)
    unresolved_counts = np.zeros(n_resamples, dtype=np.int64)
    for start in range(0, n_pairs, block_size):
        block = slice(start, start + block_size)
        fit = _one_way_anova(_columns(table, block), pool)
        n_star = _inflate(full.n_star_iid[block], fit.design_effect)
        unresolved = ~(resolution_ratio(_budget(full.n_items[block]), n_star) >= 1)
        icc_interval[:, block] = _percentiles(fit.icc)
        effect_interval[:, block] = _percentiles(fit.design_effect)
        n_undefined[block] = np.count_nonzero(np.isnan(fit.icc), axis=0)
        n_unresolved[block] = np.count_nonzero(unresolved, axis=0)
        unresolved_counts += np.count_nonzero(unresolved, axis=1)

    shape = moments.sum_d.shape[1:]
    return CategoryBootstrap(
        icc_interval=icc_interval.reshape(2, *shape),
        design_effect_interval=effect_interval.reshape(2, *shape),
        n_star_interval=_inflate(full.n_star_iid, effect_interval).reshape(2, *shape),
        probability_unresolved=(n_unresolved / n_resamples).reshape(shape),
        n_undefined=n_undefined.reshape(shape),
        unresolved_counts=unresolved_counts,
        count_distribution=np.bincount(unresolved_counts, minlength=n_pairs + 1) / n_resamples,
        n_resamples=n_resamples,
        seed=_seed(rng),
        alpha=alpha,
        power=power,
    )


@dataclass(frozen=True, slots=True)
class _Anova:
    """One-way ANOVA of D; a leading axis of cluster sets before the pairs'."""

    n_clusters: FloatArray
    n_items: FloatArray
    sum_d: FloatArray
    sum_d2: FloatArray
    icc: FloatArray

    @property
    def design_effect(self) -> FloatArray:
        return design_effect(_ratio(self.n_items, self.n_clusters), self.icc)

    def at(self, row: int) -> _Anova:
        fields = (self.n_clusters, self.n_items, self.sum_d, self.sum_d2, self.icc)
        return _Anova(*(np.asarray(x[row]) for x in fields))


def _one_way_anova(moments: ClusterMoments, pool: _Pool) -> _Anova:
    """Fit every set of clusters that `pool` sums over."""
    n, sum_d, sum_d2 = moments.n_items, moments.sum_d, moments.sum_d2
    n_clusters, n_items = pool((n > 0).astype(np.float64)), pool(n)
    total, squares = pool(sum_d), pool(sum_d2)
    explained = pool(_ratio(sum_d**2, n, empty=0.0))
    between = _sum_of_squares(explained - _ratio(total**2, n_items), squares)
    within = _sum_of_squares(squares - explained, squares)
    ms_between = _ratio(between, n_clusters - 1)
    ms_within = _ratio(within, n_items - n_clusters)
    n0 = _ratio(n_items - _ratio(pool(n**2), n_items), n_clusters - 1)
    icc = _ratio(ms_between - ms_within, ms_between + (n0 - 1) * ms_within)
    return _Anova(n_clusters, n_items, total, squares, icc)


def _pool_all(moments: ClusterMoments) -> _Pool:
    return partial(_weighted_sum, np.ones((1, moments.sum_d.shape[0])))


def _weighted_sum(weights: FloatArray, values: FloatArray) -> FloatArray:
    """Matrix product of `weights` (n_sets, n_clusters) and `values` (n_clusters, ...).

    Added up cluster by cluster: BLAS may order its additions by the shape of a block and by
    the number of cores, and the last bits of a pair must depend on neither.
    """
    total = np.zeros((weights.shape[0], *values.shape[1:]))
    for k in range(values.shape[0]):
        total += np.multiply.outer(weights[:, k], values[k])
    return total


def _all_but_one(values: FloatArray) -> FloatArray:
    """Sum over all clusters but the one of the row, by sums from both ends: no cancellation."""
    before, after = np.zeros_like(values), np.zeros_like(values)
    np.cumsum(values[:-1], axis=0, out=before[1:])
    after[:-1] = np.cumsum(values[:0:-1], axis=0)[::-1]
    return before + after


def _ratio(top: FloatArray, bottom: FloatArray, empty: float = np.nan) -> FloatArray:
    top, bottom = np.broadcast_arrays(top, bottom)
    ratio = np.full(top.shape, empty)
    np.divide(top, bottom, out=ratio, where=bottom != 0)
    return ratio


def _sum_of_squares(value: FloatArray, raw: FloatArray) -> FloatArray:
    return np.where(value <= _ROUNDING * raw, 0.0, value)


def _resolution(fit: _Anova, alpha: float, power: float) -> ClusterResolution:
    n_items = np.broadcast_to(fit.n_items, fit.icc.shape).copy()
    delta = _ratio(fit.sum_d, n_items, empty=0.0)
    var_d = np.maximum(_ratio(fit.sum_d2, n_items, empty=0.0) - delta**2, 0.0)
    n_star_iid = np.where(
        n_items > 0, required_n(delta, np.sqrt(var_d), alpha=alpha, power=power), np.nan
    )
    n_star = _inflate(n_star_iid, fit.design_effect)
    q = resolution_ratio(_budget(n_items), n_star)
    return ClusterResolution(
        n_clusters=np.broadcast_to(fit.n_clusters, fit.icc.shape).astype(np.int64),
        n_items=n_items,
        icc=fit.icc,
        design_effect=fit.design_effect,
        n_star_iid=n_star_iid,
        n_star=n_star,
        q=q,
        resolved=np.asarray(q >= 1),
        alpha=alpha,
        power=power,
    )


def _inflate(n_star_iid: FloatArray, effect: FloatArray) -> FloatArray:
    # A zero gap stays out of reach where the ICC is undefined, as for identical models.
    return np.where(np.isinf(n_star_iid), np.inf, n_star_iid * effect)


def _budget(n_items: FloatArray) -> FloatArray:
    # Without items N* is NaN and so is q; the 1 only keeps the division in its domain.
    return np.maximum(n_items, 1.0)


def _as_table(moments: ClusterMoments) -> ClusterMoments:
    n_clusters = moments.sum_d.shape[0]
    return ClusterMoments(
        *(x.reshape(n_clusters, -1) for x in (moments.n_items, moments.sum_d, moments.sum_d2))
    )


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


def _seed(rng: np.random.Generator) -> tuple[int, ...]:
    entropy = getattr(rng.bit_generator.seed_seq, "entropy", None)
    return () if entropy is None else tuple(int(x) for x in np.atleast_1d(entropy))
