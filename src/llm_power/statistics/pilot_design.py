r"""How many items a declared gap needs, when all else is known from a pilot alone.

The required items rest on the discordance of 0/1 scores, the variance of graded differences, or the
variances between and within clusters. Each is an estimate, and its interval becomes one of the
required items: the upper end is what suffices with that confidence. The gap is declared, never the
pilot's own: of that one, see `llm_power.statistics.selected_gap`.

References
----------
Wilson (1927), doi:10.1080/01621459.1927.10502953, for the discordance; Bonett (2006),
doi:10.1016/j.csda.2004.10.003, for a variance of data that are not normal; Weerahandi (1993),
doi:10.1080/01621459.1993.10476355, for functions of two variance components; Browne (1995),
doi:10.1002/sim.4780141709, for sizes at the upper limit of a pilot's variance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
from scipy.special import betaincinv, chdtri, ndtri

from llm_power.choices import McNemarTest
from llm_power.errors import InvalidArgument
from llm_power.statistics._checks import (
    counts,
    finite,
    open_unit,
    pair_counts,
    positive,
)
from llm_power.statistics._t_power import near_power, shift_of_power
from llm_power.statistics._thresholds import smallest_that
from llm_power.statistics._typing import ArrayLike, FloatArray
from llm_power.statistics.assurance import LARGEST_PLAN, AssuredN
from llm_power.statistics.cluster_moments import ClusterMoments
from llm_power.statistics.cluster_requirement import cluster_power, clusters_required
from llm_power.statistics.cluster_robust import cluster_robust_test
from llm_power.statistics.exact_required_n import powers_of_test, required_n_of_test
from llm_power.statistics.score_interval import wilson_interval

# Points of the lattice over what a pilot leaves open of clusters.
_DRAWS: Final = 4096

# Nodes over what it leaves open of a single variance.
_NODES: Final = 16

# Relative size below which a whole number is exceeded by rounding alone.
_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class PilotDesign:
    """Required number of units at a declared gap, with what the pilot leaves open."""

    #: Units at the pilot's estimates: items, or clusters; ``inf`` where no number is enough.
    n_star: float
    #: `low`, `high`: Interval of the required number.
    low: float
    high: float
    #: Power at `n_star`, expected over what the pilot leaves open; NaN without `n_star`.
    assurance: float
    #: Of the interval.
    confidence: float


def binary_design(
    gap: float,
    b: int,
    c: int,
    pilot_items: int,
    *,
    test: McNemarTest = "exact",
    alpha: float = 0.05,
    power: float = 0.80,
    confidence: float = 0.90,
) -> PilotDesign:
    """Items that McNemar's test needs to find a gap, with the discordance of a pilot."""
    first, second, n = (int(x) for x in pair_counts(b, c, pilot_items))
    size, discordant = abs(float(finite("gap", gap))), first + second
    if not 0 < size <= discordant / n:
        raise InvalidArgument(
            f"gap must lie in (0, {discordant / n:.6g}], at most the share of items that the "
            f"models differ on in the pilot, got {gap!r}"
        )
    limits = wilson_interval(discordant, n, confidence=confidence)

    n_star, low, high = (
        required_n_of_test(*_cells(psi, size), test=test, alpha=alpha, power=power)
        for psi in (discordant / n, float(limits[0]), float(limits[1]))
    )
    settings: dict[str, Any] = {"test": test, "alpha": alpha}
    assurance = binary_expected_power(size, n_star, first, second, n, **settings)
    return PilotDesign(n_star, low, high, float(assurance), confidence)


def binary_expected_power(
    gap: float,
    n_items: ArrayLike,
    b: int,
    c: int,
    pilot_items: int,
    *,
    test: McNemarTest = "exact",
    alpha: float = 0.05,
) -> FloatArray:
    """Power of McNemar's test at a declared gap, expected over a pilot's discordance."""
    first, second, n = (int(x) for x in pair_counts(b, c, pilot_items))
    size = _gap_size(gap)
    # Jeffreys' posterior, at quantiles of equal probability.
    drawn = betaincinv(first + second + 0.5, n - first - second + 0.5, _levels(_NODES))
    powers = [powers_of_test(n_items, *_cells(psi, size), test=test, alpha=alpha) for psi in drawn]
    return np.asarray(np.mean(powers, axis=0))


def mean_design(
    gap: float,
    differences: ArrayLike,
    *,
    alpha: float = 0.05,
    power: float = 0.80,
    confidence: float = 0.90,
) -> PilotDesign:
    """Items that the paired t test needs to find a gap, with the variance of a pilot."""
    d = finite("differences", differences)
    if d.ndim != 1 or len(d) < 5 or np.ptp(d) == 0:
        raise InvalidArgument(
            "differences must hold five numbers or more, not all equal, "
            f"got {d.size} of {np.unique(d).size} values"
        )
    size = _gap_size(gap)
    tail = (1 - open_unit("confidence", confidence)) / 2
    center, error = _log_variance(d)

    def items(log_variance: float) -> float:
        sigma = np.exp(log_variance / 2)
        return clusters_required(size, sigma, 0.0, 1, alpha=alpha, power=power)

    n_star = items(float(np.log(d.var(ddof=1))))
    low, high = (items(center + error * float(ndtri(p))) for p in (tail, 1 - tail))
    assurance = mean_expected_power(size, n_star, d, alpha=alpha)
    return PilotDesign(n_star, low, high, float(assurance), confidence)


def mean_expected_power(
    gap: float, n_items: ArrayLike, differences: ArrayLike, *, alpha: float = 0.05
) -> FloatArray:
    """Power of the paired t test at a declared gap, expected over a pilot's variance."""
    center, error = _log_variance(finite("differences", differences))
    drawn = np.exp((center + error * ndtri(_levels(_NODES))) / 2)
    n = counts("n_items", n_items)[..., np.newaxis]
    return np.asarray(cluster_power(gap, drawn, 0.0, n, 1, alpha=alpha).mean(axis=-1))


@dataclass(frozen=True, slots=True)
class ClusterPilot:
    """What a pilot in clusters leaves open, at equally likely points."""

    #: Gap of the pilot.
    delta: float
    #: Of the gap over a sample of clusters, and its degrees of freedom.
    standard_error: float
    freedom: float
    #: `between`, `within`: Variance of the paired difference between clusters, at least 0, and
    #: within them.
    between: float
    within: float
    #: `n_clusters`, `cluster_size`, `size_cv`: Clusters, their mean size and the coefficient of
    #: variation of their sizes.
    n_clusters: float
    cluster_size: float
    size_cv: float
    #: `drawn_between`, `drawn_within`, `drawn_delta`: Equally likely values of both variances, and
    #: of the gap; shape (n_points,).
    drawn_between: FloatArray
    drawn_within: FloatArray
    drawn_delta: FloatArray

    @property
    def drawn_variance(self) -> FloatArray:
        """Equally likely values of that variance, at clusters of the pilot's size."""
        return self.variance(self.drawn_between, self.drawn_within, self.cluster_size)

    def variance(self, between: ArrayLike, within: ArrayLike, size: float) -> FloatArray:
        """Variance of one cluster's share in the mean gap, at clusters of a mean size."""
        spread = 1 + self.size_cv**2
        return np.asarray(np.asarray(within) / size + spread * np.asarray(between))


def cluster_pilot(moments: ClusterMoments) -> ClusterPilot:
    """Gap and variance components of one pair, from the clusters of a pilot.

    Mean squares over their expectations are chi-square over their degrees of freedom, exactly so
    for normal differences and clusters of one size. Inverted, they give the generalized pivotal
    values of both variances (Weerahandi 1993), here at the points of a lattice: nothing is drawn at
    random.
    """
    there = moments.n_items > 0
    n, total, squares = (x[there] for x in (moments.n_items, moments.sum_d, moments.sum_d2))
    k, items = float(n.size), float(n.sum())
    if k < 2 or items == k:
        raise InvalidArgument(
            f"a pilot in clusters must have two clusters, and two items in one, got {k:g} clusters "
            f"of {items:g} items"
        )
    explained = float((np.square(total) / n).sum())
    within = max(float(squares.sum()) - explained, 0.0)
    between = max(explained - float(total.sum()) ** 2 / items, 0.0)
    size = (items - float(np.square(n).sum()) / items) / (k - 1)
    test = cluster_robust_test(moments)
    mean_square = within / (items - k)
    first, second, third = _lattice()
    drawn_within = within / chdtri(items - k, first)
    drawn_between = np.maximum((between / chdtri(k - 1, second) - drawn_within) / size, 0.0)
    pilot = ClusterPilot(
        delta=float(test.delta),
        standard_error=float(test.standard_error),
        freedom=float(test.df),
        between=max((between / (k - 1) - mean_square) / size, 0.0),
        within=mean_square,
        n_clusters=k,
        cluster_size=items / k,
        size_cv=float(n.std() / n.mean()),
        drawn_between=drawn_between,
        drawn_within=drawn_within,
        drawn_delta=np.zeros(0),
    )
    spread = np.sqrt(pilot.variance(drawn_between, drawn_within, pilot.cluster_size) / k)
    return replace(pilot, drawn_delta=pilot.delta + spread * ndtri(third))


def cluster_number_design(
    gap: float,
    pilot: ClusterPilot,
    *,
    alpha: float = 0.05,
    power: float = 0.80,
    confidence: float = 0.90,
) -> PilotDesign:
    """Clusters, of the pilot's sizes, that the t test over clusters needs to find a gap."""
    size = _gap_size(gap)
    drawn = pilot.drawn_variance
    known = float(pilot.variance(pilot.between, pilot.within, pilot.cluster_size))
    n_star, low, high = (
        clusters_required(size, float(np.sqrt(variance)), 0.0, 1, alpha=alpha, power=power)
        for variance in (known, *_ends(drawn, confidence))
    )
    assurance = cluster_expected_power(size, n_star, pilot, alpha=alpha)
    return PilotDesign(n_star, low, high, float(assurance), confidence)


def cluster_expected_power(
    gap: float, n_clusters: ArrayLike, pilot: ClusterPilot, *, alpha: float = 0.05
) -> FloatArray:
    """Power of the t test over clusters at a declared gap, expected over a pilot's variances."""
    drawn = pilot.drawn_variance
    k = counts("n_clusters", n_clusters)[..., np.newaxis].astype(np.float64)
    powers = near_power(_gap_size(gap) * np.sqrt(k / drawn), k, open_unit("alpha", alpha))
    return np.asarray(powers.mean(axis=-1))


def cluster_items_design(
    gap: float,
    pilot: ClusterPilot,
    *,
    alpha: float = 0.05,
    power: float = 0.80,
    confidence: float = 0.90,
) -> PilotDesign:
    """Items of the pilot's own clusters that the t test over them needs; ``inf`` if too few."""
    size, k = _gap_size(gap), pilot.n_clusters
    shift = float(shift_of_power(k, open_unit("alpha", alpha), open_unit("power", power)))
    spread = 1 + pilot.size_cv**2

    def items(between: FloatArray, within: FloatArray) -> FloatArray:
        room = k * (size / shift) ** 2 - spread * between
        each = np.full(room.shape, np.inf)
        np.divide(within, room, out=each, where=room > 0)
        return np.asarray(np.ceil(k * each * (1 - _ROUNDING)))

    n_star = float(items(np.asarray(pilot.between), np.asarray(pilot.within)))
    low, high = _ends(items(pilot.drawn_between, pilot.drawn_within), confidence)
    if np.isinf(n_star):
        return PilotDesign(n_star, low, high, np.nan, confidence)
    drawn = pilot.variance(pilot.drawn_between, pilot.drawn_within, n_star / k)
    powers = near_power(size * np.sqrt(k / drawn), k, alpha)
    return PilotDesign(n_star, low, high, float(powers.mean()), confidence)


def cluster_assurance(
    n_clusters: ArrayLike, pilot: ClusterPilot, *, alpha: float = 0.05
) -> FloatArray:
    """Assurance of the t test over new clusters of the pilot's sizes."""
    k = counts("n_clusters", n_clusters)[..., np.newaxis].astype(np.float64)
    if np.any(k < 2):
        raise InvalidArgument(f"n_clusters must be at least 2, got {int(k.min())!r}")
    drawn = pilot.drawn_variance
    shift = np.sign(pilot.delta) * pilot.drawn_delta * np.sqrt(k / drawn)
    return np.asarray(near_power(shift, k, open_unit("alpha", alpha)).mean(axis=-1))


def cluster_assured_n(
    pilot: ClusterPilot, *, alpha: float = 0.05, assurance: float = 0.80
) -> AssuredN:
    """Smallest number of clusters, of the pilot's sizes, that has the target assurance."""
    target = open_unit("assurance", assurance)
    largest = float(np.mean(np.sign(pilot.delta) * pilot.drawn_delta > 0))

    def reaches(k: int) -> bool:
        return bool(cluster_assurance(k, pilot, alpha=alpha) >= target)

    if target >= largest or not reaches(LARGEST_PLAN):
        return AssuredN(np.inf, largest)
    return AssuredN(float(smallest_that(reaches, 2, LARGEST_PLAN)), largest)


def _cells(psi: float, gap: float) -> tuple[float, float]:
    # A discordance below the gap is none that the gap admits.
    return (max(psi, gap) + gap) / 2, (max(psi, gap) - gap) / 2


def _gap_size(gap: float) -> float:
    return float(positive("gap", abs(float(finite("gap", gap)))))


def _log_variance(d: FloatArray) -> tuple[float, float]:
    """Centre and standard error of Bonett's interval of the logarithm of a variance."""
    n, z = len(d), float(-ndtri(0.05))
    cut = int(n / (2 * np.sqrt(n - 4)))
    trimmed = np.sort(d)[cut : n - cut].mean() if 2 * cut < n else np.median(d)
    squares = float(np.square(d - d.mean()).sum())
    kurtosis = n * float(((d - trimmed) ** 4).sum()) / squares**2
    factor = n / (n - z)
    error = factor * np.sqrt(max(kurtosis - (n - 3) / n, 0.0) / (n - 1))
    return float(np.log(factor * squares / (n - 1))), float(error)


def _levels(points: int) -> FloatArray:
    """Midpoints of intervals of equal probability."""
    return (np.arange(points) + 0.5) / points


def _ends(drawn: FloatArray, confidence: float) -> tuple[float, float]:
    """Quantiles of values of which some may be infinite."""
    tail = (1 - open_unit("confidence", confidence)) / 2
    ordered = np.sort(drawn)
    return float(ordered[int(tail * len(drawn))]), float(ordered[int((1 - tail) * len(drawn))])


@lru_cache(maxsize=1)
def _lattice() -> FloatArray:
    """Points of the unit cube, spread evenly by the powers of a root of x^4 = x + 1."""
    steps = 1.2207440846057596 ** -np.arange(1.0, 4.0)
    return np.asarray((0.5 + np.outer(steps, np.arange(_DRAWS))) % 1)
