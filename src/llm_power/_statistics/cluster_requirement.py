r"""What clustered items need: power and required N as clusters x items a cluster.

The clusters are a sample of a population. With :math:`K` clusters of mean size :math:`m`, sizes of
coefficient of variation :math:`c`, and the variance and ICC of the paired difference,

.. math::
    \mathrm{Var}(\bar D) = \frac{\sigma_D^2}{K}
    \left(\frac{1 - \mathrm{ICC}}{m} + (1 + c^2)\,\mathrm{ICC}\right),

which is :math:`\sigma_D^2 / N` times Kish's design effect. More items shrink the first term alone:
with too few clusters no number of items is enough.

References
----------
Kish (1965), Survey Sampling, Wiley; Donner and Klar (2000), Design and Analysis of Cluster
Randomization Trials, for power by the t distribution with K - 1 degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import fdtri

from llm_power._errors import InvalidArgument
from llm_power._statistics._numerics import find_roots
from llm_power._statistics.argument_checks import (
    broadcast,
    finite,
    open_unit,
    positive,
)
from llm_power._statistics.arrays import (
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    ordered_sum,
    ratio,
)
from llm_power._statistics.cluster_moments import Anova, ClusterMoments
from llm_power._statistics.design_effect import design_effect, resolution_of
from llm_power._statistics.designs import ENDLESS, Design
from llm_power._statistics.inversion import z_sum
from llm_power._statistics.t_test import near_power, shift_of_power

# At the end itself weights are infinite.
_EDGE: Final = 1e-12
# Newton's last step beside the distance from that end.
_NEAR: Final = 1e-9
# Pairs times clusters whose roots are searched at once: they are in a core's cache.
_SUMS: Final = 2**13


def icc_interval(
    moments: ClusterMoments, *, confidence: float = 0.90
) -> tuple[FloatArray, FloatArray]:
    r"""Exact interval of the intra-cluster correlation of normal differences (Wald 1940).

    .. math::
        \frac{\sum_k w_k (\bar d_k - \bar d_w)^2}{(K-1)\, MS_{within}} = F_{1-\alpha/2}
        \text{ and } F_{\alpha/2}, \qquad w_k = \frac{n_k (1 - \rho)}{1 + (n_k - 1) \rho}

    Returns `low`, `high` (n_pairs,) or ().

    NaN where the ICC is undefined.

    The left-hand side has the F distribution with K - 1 and N - K degrees of freedom at the true
    ICC, whatever the sizes, and falls with it. With clusters of one size this is Searle's interval;
    with fourteen of 20 to 150 items Searle's, which puts one size in their place, covers .87 for a
    nominal .90 at an ICC of .1. Skewed clusters cost coverage: docs/verdicts.md has it measured.

    Wald (1940), doi:10.1214/aoms/1177731790; Burdick and Graybill (1992), Confidence Intervals on
    Variance Components, section 4.3; Searle (1971), doi:10.2307/2528928.

    Parameters
    ----------
    moments : ClusterMoments
        Items, sums and squares of each cluster, from `moments_from_counts` or
        `moments_from_differences`.
    confidence : float, default 0.90
        Confidence, in (0, 1).

    Returns
    -------
    low, high : ndarray
        Limits; shape (n_pairs,) or (); NaN where the ICC is undefined.

    Raises
    ------
    InvalidArgument
        If `confidence` is outside (0, 1).

    Examples
    --------
    >>> from llm_power import icc_interval, moments_from_counts
    >>> moments = moments_from_counts([90, 110, 100], b=[30, 35, 19], c=[8, 10, 12])
    >>> low, high = icc_interval(moments)
    >>> print(f"{low:.4f} to {high:.4f}")
    -0.0012 to 0.3387
    """
    tail = (1 - open_unit("confidence", confidence)) / 2
    fit = moments.anova
    icc = np.atleast_1d(fit.icc)
    n, sums = (values.reshape(len(values), -1) for values in (moments.n_items, moments.sum_d))
    means = ratio(sums, n, empty=0.0)
    between, within = (n > 0).sum(axis=0) - 1, n.sum(axis=0) - (n > 0).sum(axis=0)
    least = np.broadcast_to(-1 / np.maximum(n.max(axis=0) - 1, 1), icc.shape)
    clusters = _by_size(n, means)
    # Within mean squares of 0 make the ICC 1.
    known = np.isfinite(icc) & (icc < 1)
    limits = []
    for probability in (1 - tail, tail):
        critical = fdtri(np.maximum(between, 1), np.maximum(within, 1), probability)
        target = critical * between * np.atleast_1d(fit.ms_within)
        limits.append(np.where(known, _limit(clusters, target, (least, icc), known), icc))
    return limits[0].reshape(fit.icc.shape), limits[1].reshape(fit.icc.shape)


def _by_size(
    n: FloatArray, means: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Clusters of one size as one: size, number, mean of means, and their squared deviations.

    Shapes: all (n_sizes, n_pairs); of few clusters each stands for itself.
    """
    (n_clusters, n_pairs), whole = means.shape, n.astype(np.int64)
    different = np.flatnonzero(np.bincount(whole.ravel()))
    if (sizes := different.size) > n_clusters / 4:
        return np.broadcast_to(n, means.shape), np.ones(means.shape), means, np.zeros(means.shape)
    cell = np.searchsorted(different, whole) + sizes * np.arange(n_pairs)
    cells, place = (n_pairs, sizes), cell.ravel()

    def summed(values: FloatArray) -> FloatArray:
        sums = np.bincount(place, values.ravel(), sizes * n_pairs)
        return np.asarray(sums.reshape(cells).T)

    number = summed(np.ones(means.shape))
    mean = ratio(summed(means), number, empty=0.0)
    apart = summed(np.square(means - mean.T.ravel()[cell]))
    # A size that another pair has and this one lacks has no weight, whatever the ICC.
    of_size = np.where(number > 0, different[:, np.newaxis], 0.0)
    return of_size, number, mean, apart


def _limit(
    clusters: Sequence[FloatArray],
    target: FloatArray,
    bounds: tuple[FloatArray, FloatArray],
    known: BoolArray,
) -> FloatArray:
    r"""ICC at which the sum of squares between `_by_size` clusters is `target`.

    It is at least the first of the bounds, which the sum may be too small for, and is sought from
    the second. In :math:`\rho/(1 - \rho)` one over the sum is concave, as the least of functions
    that are linear in the variances of the means: Newton's steps never go beyond the root.
    """
    icc, every = bounds[0].copy(), np.flatnonzero(known)
    pairs = max(1, _SUMS // len(clusters[0]))
    for start in range(0, every.size, pairs):
        at = every[start : start + pairs]
        least, here = (np.asarray(x[at] / (1 - x[at])) for x in bounds)
        inside = _between(clusters, at, least * (1 - _EDGE))[0] > target[at]
        at, least, here = at[inside], least[inside], np.maximum(here, least / 2)[inside]
        while at.size:
            total, fall = _between(clusters, at, here)
            nearer = here + total / fall * (total / target[at] - 1)
            nearer = np.where(nearer > least, nearer, (here + least) / 2)
            icc[at] = nearer / (1 + nearer)
            # What is left after a step is the square of the step, and less.
            left = np.abs(nearer - here) > _NEAR * (here - least)
            at, least, here = at[left], least[left], nearer[left]
    return icc


def _between(
    clusters: Sequence[FloatArray], at: IntArray, ratio: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Weighted sum of squares between clusters of some pairs, and minus its derivative."""
    size, number, means, apart = (values[:, at] for values in clusters)
    weight = size / (1 + size * ratio)
    whole = weight * number
    centre = ordered_sum(whole * means) / ordered_sum(whole)
    squares = number * np.square(means - centre) + apart
    squares *= weight
    return ordered_sum(squares), ordered_sum(squares * weight)


def cluster_power(
    delta: ArrayLike,
    sigma_d: ArrayLike,
    icc: ArrayLike,
    n_clusters: ArrayLike,
    cluster_size: ArrayLike,
    *,
    alpha: float = 0.05,
    hall: bool = True,
) -> FloatArray:
    """Power of Student's and Hall's tests of the mean gap over a sample of clusters.

    Broadcast shape; the near rejection region alone, as in eq. (2). Without `hall`, of Student's.
    """
    clusters, size, inside, sigma, gap = broadcast(
        n_clusters=finite("n_clusters", n_clusters),
        cluster_size=positive("cluster_size", cluster_size),
        icc=np.maximum(finite("icc", icc), 0.0),
        sigma_d=positive("sigma_d", sigma_d),
        delta=np.abs(finite("delta", delta)),
    )
    if np.any(clusters < 2):
        raise InvalidArgument(f"n_clusters must be at least 2, got {float(clusters.min())!r}")
    if np.any(inside > 1):
        raise InvalidArgument(f"icc must not exceed 1, got {float(inside.max())!r}")
    shift = gap / sigma * np.sqrt(clusters / ((1 - inside) / size + inside))
    return near_power(shift, clusters, open_unit("alpha", alpha), hall=hall)


@dataclass(frozen=True)
class ClusterDesign(Design):
    """Both tests of the verdict, over new clusters of one size or of infinitely many items.

    Those are Student's and Hall's: see `llm_power._statistics.t_test`.
    """

    delta: float
    sigma_d: float
    icc: float
    cluster_size: float = np.inf
    alpha: float = 0.05

    least = 2

    def power(self, n: ArrayLike) -> FloatArray:
        """`cluster_power` of numbers of clusters."""
        size = min(self.cluster_size, float(ENDLESS))
        law = self.delta, self.sigma_d, self.icc
        return cluster_power(*law, n, size, alpha=self.alpha)


@dataclass(frozen=True)
class MeanDesign(Design):
    """The same tests over units: items, or clusters of which each is a single number.

    `sigma_d` may hold several deviations; power then has a last axis for them. Without `hall`, of
    Student's test alone.
    """

    delta: float
    sigma_d: ArrayLike
    alpha: float = 0.05
    hall: bool = True

    least = 2

    def power(self, n: ArrayLike) -> FloatArray:
        """Power of numbers of units."""
        law = self.delta, self.sigma_d, 0.0
        return cluster_power(*law, n, 1, alpha=self.alpha, hall=self.hall)


@dataclass(frozen=True)
class ClusterItemsDesign(Design):
    """The same tests where more items come from so many clusters; a unit is an item of each."""

    delta: float
    sigma_d: float
    icc: float
    n_clusters: float
    alpha: float = 0.05

    def power(self, n: ArrayLike) -> FloatArray:
        """`cluster_power` of numbers of items a cluster."""
        law = self.delta, self.sigma_d, self.icc, self.n_clusters
        return cluster_power(*law, n, alpha=self.alpha)


@dataclass(frozen=True, slots=True)
class ClusterRequirement:
    """What each pair needs of clusters and items.

    Arrays of shape (n_pairs,), or () for a single pair given as vectors. NaN where the ICC is
    undefined, ``inf`` where the gap is zero.
    """

    #: Kish's design effect at the sizes at hand.
    design_effect: FloatArray
    #: Mean items a cluster that these clusters would need, their shares unchanged; ``inf`` where no
    #: number of items is enough.
    items_per_cluster: FloatArray
    #: The same as items in all, clusters at hand times `items_per_cluster`.
    n_star: FloatArray
    #: Clusters that would be enough at the mean size and spread of sizes at hand; whole numbers.
    n_clusters: FloatArray


def cluster_requirement(
    fit: Anova, *, alpha: float = 0.05, power: float = 0.80
) -> ClusterRequirement:
    r"""Required items from the clusters at hand, and required clusters of the size at hand.

    With :math:`\lambda` the noncentrality at which both tests have the target power, and
    :math:`A = (\lambda\sigma_D/\delta)^2` the items that independent ones would take,

    .. math:: m^* = \frac{1 - ICC}{K/A - (1 + c^2)\,ICC},

    which is out of reach where :math:`A\,(1 + c^2)\,ICC \ge K`. The paper's
    :math:`N^*_{IID} \cdot DE` holds the cluster size fixed: it is a number of clusters times that
    size, and reads as items only where new clusters come with them.
    """
    n, clusters, inside = fit.n_items, fit.n_clusters, np.maximum(fit.icc, 0.0)
    between = fit.spread_of_sizes * inside
    # N* of independent items over the squared normal quantiles: (sigma / delta)^2.
    unit = resolution_of(fit, alpha, power).n_star_iid / np.square(z_sum(alpha, power))
    known = np.isfinite(fit.icc) & np.isfinite(unit)
    shift, required = np.full(n.shape, np.nan), np.full(n.shape, np.nan)
    variance = unit * (ratio(clusters, n) * (1 - inside) + between)
    if known.any():
        shift[known] = shift_of_power(clusters[known], alpha, power)
        required[known] = _required_clusters(variance[known], alpha, power)
    items = items_per_cluster(ratio(clusters, unit * np.square(shift)), between, 1 - inside)
    items, required = (np.where(np.isinf(unit), np.inf, x) for x in (items, required))
    return ClusterRequirement(
        design_effect=design_effect(ratio(fit.squared_sizes, n), fit.icc),
        items_per_cluster=items,
        n_star=np.asarray(clusters * items),
        n_clusters=required,
    )


def items_per_cluster(most: ArrayLike, between: ArrayLike, within: ArrayLike) -> FloatArray:
    """Items of a cluster whose variance, between + within / m, is `most`; ``inf`` where none is."""
    return ratio(within, np.maximum(np.subtract(most, between), 0.0), np.inf)


def _required_clusters(variance: FloatArray, alpha: float, power: float) -> FloatArray:
    """Fewest clusters, at least 2, where that of one of them over the squared gap is given."""

    def excess(k: FloatArray, variance: FloatArray) -> FloatArray:
        return k - variance * np.square(shift_of_power(k, alpha, power))

    clusters = np.full(variance.shape, 2.0)
    more = excess(clusters, variance) < 0
    if more.any():
        rest = variance[more]
        many = 2 * rest * np.square(z_sum(alpha, power)) + 50
        roots = find_roots(excess, (clusters[more], many), (rest,))
        clusters[more] = np.ceil(roots - 1e-9)
    return clusters
