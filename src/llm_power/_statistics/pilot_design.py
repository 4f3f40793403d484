r"""How many items a declared gap needs, when all else is known from a pilot alone.

The required items rest on the discordance of 0/1 scores, the variance of graded differences, or the
variances between and within clusters. Each is an estimate, and its interval becomes one of the
required items: the upper end is what suffices with that confidence. The gap is declared, never the
pilot's own: of that one, see `llm_power._statistics.selection_bias`.

Assurance is the power of a plan, expected over what a pilot leaves open. Power at the pilot's gap
is a promise on a condition; its mean over the posterior of the true values is the chance that the
planned run finds the pilot's better model significantly better. However many items there are, it
stays below the chance that this model is the better one.

The priors are the usual ones for no information: Jeffreys' for the three cells of a pair of 0/1
scores, :math:`1/\sigma` for the mean and standard deviation of graded differences.

References
----------
Wilson (1927), doi:10.1080/01621459.1927.10502953, for the discordance; Bonett (2006),
doi:10.1016/j.csda.2004.10.003, for a variance of data that are not normal; Weerahandi (1993),
doi:10.1080/01621459.1993.10476355, for functions of two variance components; Browne (1995),
doi:10.1002/sim.4780141709, for sizes at the upper limit of a pilot's variance; O'Hagan, Stevens and
Campbell (2005), doi:10.1002/pst.175; Spiegelhalter and Freedman (1986), doi:10.1002/sim.4780050103,
for the expected power of a pilot.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from scipy.special import betainc, betaincinv, betaln, chdtri, ndtri, stdtr

from llm_power._choices import McNemarTest
from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import counts, finite, pair_counts, positive
from llm_power._statistics.arrays import ArrayLike, FloatArray, IntArray
from llm_power._statistics.cluster_moments import ClusterMoments
from llm_power._statistics.cluster_requirement import MeanDesign, items_per_cluster
from llm_power._statistics.cluster_robust import cluster_robust_test
from llm_power._statistics.designs import (
    ENDLESS,
    LARGEST_PLAN,
    MOST_UNITS,
    Design,
    required_units,
)
from llm_power._statistics.intervals import wilson_interval
from llm_power._statistics.mcnemar import (
    MOST_SUMMED,
    P_VALUES,
    McNemarDesign,
    critical_count,
    mcnemar_detectable_gaps,
)
from llm_power._statistics.selection_bias import share_limit, shift_limit
from llm_power._statistics.t_test import (
    below,
    critical_values,
    near_power,
    quantile_means,
    shift_of_power,
)

# Jeffreys' prior of each of the three cells.
_PRIOR: Final = 0.5

# Numbers of items that are looked at for a saw-tooth: it is left only where a pilot's models differ
# on all items, nearly.
_TEETH: Final = 32

# Gauss-Legendre nodes over the quantiles of the standard deviation.
_QUANTILE_NODES: Final = 64


class McNemarAssurance(Design):
    """Assurance of McNemar's test on new items, from the counts of a pilot.

    That is the chance of a rejection in favor of the model that leads in the pilot, of A in a tie.
    Of a Dirichlet posterior the discordance and A's share of it are independent Betas. Both counts
    of the plan are then beta-binomial, and the chance is a sum over them, without simulation.
    """

    most = LARGEST_PLAN

    def __init__(
        self, b: int, c: int, pilot_items: int, test: McNemarTest = "exact", alpha: float = 0.05
    ) -> None:
        first, second, n = (int(x) for x in pair_counts(b, c, pilot_items))
        # Parameters of the Betas of the discordance, and of the leader's share of it.
        self._discordance = first + second + 2 * _PRIOR, n - first - second + _PRIOR
        self._ahead, self._behind = max(first, second) + _PRIOR, min(first, second) + _PRIOR
        self.largest = float(betainc(self._behind, self._ahead, 0.5))
        self.test, self.alpha = test, alpha
        self._path = np.zeros(0)

    def power(self, n: ArrayLike) -> FloatArray:
        """Assurance of each number of items, up to `LARGEST_PLAN`."""
        sizes = counts("n_items", n)
        most = int(sizes.max())
        if self._path.size <= most:
            self._path = self._rejection_path(min(2 * most, LARGEST_PLAN))
        return np.reshape([self._mean(size) for size in sizes.ravel().tolist()], sizes.shape)

    def last_below(self, target: float, n: int) -> int:
        """Look at a few numbers of items more, for a saw-tooth."""
        sizes = np.arange(n, min(n + _TEETH, LARGEST_PLAN + 1))
        below = sizes[self.power(sizes) < target]
        return int(below.max(initial=n - 1))

    def _mean(self, n: int) -> float:
        """Mean over the beta-binomial number of discordant items of n."""
        m = np.arange(n + 1)
        return float(_beta_binomial(m, m * 0 + n, *self._discordance) @ self._path[: n + 1])

    def _rejection_path(self, most: int) -> FloatArray:
        """Chance of a rejection for the leader given m discordant items, m = 0, ..., most.

        The leader loses C of m items, C beta-binomial, and wins where C is at most k(m). One more
        item is Polya's draw: P(C' <= k) = P(C <= k) - P(C = k) (behind + k) / (ahead + behind + m);
        and k rises by 1 at most.
        """
        m = np.arange(most + 1)
        k = critical_count(m, self.test, self.alpha)
        ahead, behind = self._ahead, self._behind
        # Where none rejects the product has no k to lose.
        lost = _beta_binomial(k, m, behind, ahead) * (behind + k) / (ahead + behind + m)
        rises = np.diff(k) > 0
        gained = np.where(rises, _beta_binomial(k[1:], m[1:], behind, ahead), 0.0)
        return np.concatenate([[0.0], np.cumsum(gained - lost[:-1])])


def _beta_binomial(k: IntArray, m: IntArray, first: float, second: float) -> FloatArray:
    """P(C = k) of m, with parameters of success and failure; 0 where k is negative."""
    inside = k >= 0
    at = np.where(inside, k, 0)
    log_mass = betaln(at + first, m - at + second) - betaln(first, second)
    log_choose = -np.log1p(m) - betaln(m - at + 1, at + 1)
    return np.where(inside, np.exp(log_mass + log_choose), 0.0)


# Points of the lattice over what a pilot leaves open of clusters.
_DRAWS: Final = 4096

# Nodes over what it leaves open of a single variance.
_NODES: Final = 16

# Relative size below which a whole number is exceeded by rounding alone.
_ROUNDING: Final = 1e-12

# Of intervals of a required number, and the probability below and above them.
_CONFIDENCE: Final = 0.90
_TAIL: Final = (1 - _CONFIDENCE) / 2


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
    confidence: float = _CONFIDENCE


@dataclass(frozen=True)
class ExpectedDesign(Design):
    """A design whose power is its mean over what a pilot leaves open."""

    mean_power: Callable[[IntArray], FloatArray]
    largest: float = 1.0
    least: int = 1
    most: int = LARGEST_PLAN

    def power(self, n: ArrayLike) -> FloatArray:
        """Expected power of numbers of units."""
        return self.mean_power(counts("n_units", n))


class BinaryPilot:
    """A pilot of 0/1 scores: McNemar's test on new items, of unknown discordance."""

    #: Mean items of a unit: 1 where units are items.
    cluster_size = 1.0

    def __init__(
        self, b: int, c: int, n_items: int, test: McNemarTest = "exact", alpha: float = 0.05
    ) -> None:
        self.b, self.c, self.n_items = (int(x) for x in pair_counts(b, c, n_items))
        self.test, self.alpha = test, alpha
        self.delta = (self.b - self.c) / self.n_items
        self.p = float(P_VALUES[test](self.b, self.c))

    @property
    def discordance(self) -> float:
        """Share of the pilot's items that exactly one model solves."""
        return (self.b + self.c) / self.n_items

    def at(self, gap: float) -> McNemarDesign:
        """McNemar's test at the pilot's discordance, at least the size of the gap."""
        return self._design(self.discordance, self._admitted(gap))

    def ends(self, gap: float) -> tuple[McNemarDesign, McNemarDesign]:
        """McNemar's test at both limits of Wilson's interval of the discordance."""
        size = self._admitted(gap)
        limits = wilson_interval(self.b + self.c, self.n_items, confidence=_CONFIDENCE)
        low, high = (self._design(float(psi), size) for psi in limits)
        return low, high

    def expected(self, gap: float) -> Design:
        """McNemar's test over Jeffreys' posterior of the discordance."""
        size, discordant = _gap_size(gap), self.b + self.c
        # At quantiles of equal probability.
        drawn = betaincinv(
            discordant + 0.5, self.n_items - discordant + 0.5, _levels(_NODES)
        ).tolist()
        designs = [self._design(psi, size, summed=MOST_SUMMED) for psi in drawn]
        return ExpectedDesign(lambda n: np.asarray(np.mean([x.power(n) for x in designs], axis=0)))

    def assurance(self) -> McNemarAssurance:
        """McNemar's test over the posterior of all three cells."""
        return McNemarAssurance(self.b, self.c, self.n_items, self.test, self.alpha)

    def detectable(self, units: IntArray, power: float) -> FloatArray:
        """Smallest gap that McNemar's test finds at the pilot's discordance."""
        return mcnemar_detectable_gaps(units, self.discordance, self.test, self.alpha, power)

    def limit(self, confidence: float, *, selected: bool) -> float:
        """`share_limit` of the items that the models differ on."""
        ahead, behind = max(self.b, self.c), min(self.b, self.c)
        law: dict[str, Any] = {"test": self.test, "alpha": self.alpha}
        share = share_limit(ahead, behind, selected=selected, confidence=confidence, **law)
        return (2 * share - 1) * self.discordance

    def _admitted(self, gap: float) -> float:
        size = abs(float(finite("gap", gap)))
        if not 0 < size <= self.discordance:
            raise InvalidArgument(
                f"gap must lie in (0, {self.discordance:.6g}], at most the share of items that the "
                f"models differ on in the pilot, got {gap!r}"
            )
        return size

    def _design(self, psi: float, gap: float, *, summed: int = ENDLESS) -> McNemarDesign:
        # A discordance below the gap is none that the gap admits.
        cells = (max(psi, gap) + gap) / 2, (max(psi, gap) - gap) / 2
        return McNemarDesign(*cells, self.test, self.alpha, summed=summed)


class _UnitMeans(ABC):
    """What a t test over units, items or clusters, tells of a pilot."""

    delta: float
    standard_error: float
    freedom: float
    sigma: float
    alpha: float

    @property
    def p(self) -> float:
        """Two-sided p-value of the t test."""
        return float(2 * stdtr(self.freedom, -abs(self.delta / self.standard_error)))

    def at(self, gap: float) -> MeanDesign:
        """T test at the pilot's variance."""
        return MeanDesign(_gap_size(gap), self.sigma, self.alpha)

    def ends(self, gap: float) -> tuple[MeanDesign, MeanDesign]:
        """T test at both ends of an interval of the variance."""
        low, high = (MeanDesign(_gap_size(gap), x, self.alpha) for x in self._sigmas())
        return low, high

    @abstractmethod
    def _sigmas(self) -> tuple[float, float]: ...

    def detectable(self, units: IntArray, power: float) -> FloatArray:
        """Smallest gap that the t test finds at the pilot's variance."""
        return shift_of_power(units, self.alpha, power) * self.sigma / np.sqrt(units)

    def limit(self, confidence: float, *, selected: bool) -> float:
        """`shift_limit` in score units."""
        t, law = self.delta / self.standard_error, {"confidence": confidence, "alpha": self.alpha}
        return self.standard_error * shift_limit(t, self.freedom, selected=selected, **law)


class MeanPilot(_UnitMeans):
    """A pilot of graded scores: the paired t test on new items, of unknown variance."""

    cluster_size = 1.0
    test = "student"

    def __init__(self, differences: ArrayLike, *, alpha: float = 0.05) -> None:
        d = finite("differences", differences)
        self.n_items, self.delta, self.sigma = len(d), float(d.mean()), float(d.std(ddof=1))
        self.standard_error, self.freedom = float(self.sigma / np.sqrt(len(d))), len(d) - 1
        self.alpha, (self._center, self._error) = alpha, _log_variance(d)

    def _sigmas(self) -> tuple[float, float]:
        """Limits of Bonett's interval."""
        low, high = self._sigma_at(np.array([_TAIL, 1 - _TAIL])).tolist()
        return low, high

    def expected(self, gap: float) -> Design:
        """Paired t test over the law of the variance that Bonett's interval rests on."""
        design = MeanDesign(_gap_size(gap), self._sigma_at(_levels(_NODES)), self.alpha)
        return ExpectedDesign(lambda n: np.asarray(design.power(n[..., np.newaxis]).mean(axis=-1)))

    def assurance(self) -> Design:
        r"""Paired t test over the posterior of mean and variance.

        Given the true standard deviation, the plan's mean has the pilot's mean and the variance
        :math:`\sigma^2(1/n + 1/n_0)`, so that its t statistic over :math:`\sqrt{1 + n/n_0}` is
        noncentral t. What is left is one integral over the scaled chi-square of the pilot's
        variance.
        """
        n_0, delta = self.n_items, abs(self.delta)
        nodes, weights = np.polynomial.legendre.leggauss(_QUANTILE_NODES)
        # Of the pilot's deviation over the true one.
        deviation = np.sqrt(chdtri(n_0 - 1, (1 - nodes) / 2) / (n_0 - 1))

        def power(n: IntArray) -> FloatArray:
            return np.reshape([chance(int(each)) for each in n.flat], n.shape)

        def chance(n: int) -> float:
            spread = np.sqrt(1 + n / n_0)
            center = np.sqrt(n) * (delta / self.sigma) / spread
            critical = critical_values(n, self.alpha) / spread
            chances = 1 - below(n - 1, center * deviation[:, np.newaxis], critical)
            return float(weights / 2 @ chances.mean(axis=1))

        same_sign = float(stdtr(n_0 - 1, np.sqrt(n_0) * delta / self.sigma))
        return ExpectedDesign(power, largest=same_sign, least=2)

    def _sigma_at(self, levels: FloatArray) -> FloatArray:
        return np.asarray(np.exp((self._center + self._error * ndtri(levels)) / 2))


class ClusterPilot(_UnitMeans):
    """A pilot in clusters: the t test over new clusters of its sizes, of unknown variances.

    Mean squares over their expectations are chi-square over their degrees of freedom, exactly so
    for normal differences and clusters of one size. Inverted, they give the generalized pivotal
    values of both variances (Weerahandi 1993), here at the points of a lattice: nothing is drawn at
    random.
    """

    test = "cluster"

    def __init__(self, moments: ClusterMoments, *, alpha: float = 0.05) -> None:
        fit = moments.anova
        k, items = float(fit.n_clusters), float(fit.n_items)
        if k < 2 or items == k:
            raise InvalidArgument(
                "a pilot in clusters must have two clusters, and two items in one, "
                f"got {k:g} clusters of {items:g} items"
            )
        test = cluster_robust_test(moments)
        self.delta, self.standard_error = float(test.delta), float(test.standard_error)
        self.freedom, self.alpha = float(test.df), alpha
        self.n_clusters, self.cluster_size, self.spread = k, items / k, float(fit.spread_of_sizes)
        size, mean_square = float(fit.n0), float(fit.ms_between)
        # Variance of the paired difference within clusters and between them, at least 0.
        self.within = float(fit.ms_within)
        self.between = max((mean_square - self.within) / size, 0.0)
        self.sigma = float(np.sqrt(self.variance(self.between, self.within, self.cluster_size)))
        # Equally likely values of both variances, of one cluster's share, and of the gap.
        first, second, third = _lattice()
        self.drawn_within = (items - k) * self.within / chdtri(items - k, first)
        drawn = (k - 1) * mean_square / chdtri(k - 1, second)
        self.drawn_between = np.maximum((drawn - self.drawn_within) / size, 0.0)
        self.drawn_variance = self.variance(
            self.drawn_between, self.drawn_within, self.cluster_size
        )
        self.drawn_delta = self.delta + np.sqrt(self.drawn_variance / k) * ndtri(third)

    def variance(self, between: ArrayLike, within: ArrayLike, size: float) -> FloatArray:
        """Variance of one cluster's share in the mean gap, at clusters of a mean size."""
        return np.asarray(np.asarray(within) / size + self.spread * np.asarray(between))

    def _sigmas(self) -> tuple[float, float]:
        """Quantiles of the equally likely ones."""
        low, high = np.sqrt(_ends(self.drawn_variance)).tolist()
        return low, high

    def expected(self, gap: float) -> Design:
        """Tests over clusters, over the equally likely variances."""
        return ExpectedDesign(self._mean_power(_gap_size(gap)))

    def assurance(self) -> Design:
        """Tests over clusters on the side of the pilot's gap, over the likely values of all."""
        gap = np.sign(self.delta) * self.drawn_delta
        same_sign = float(np.mean(gap > 0))
        return ExpectedDesign(self._mean_power(gap), largest=same_sign, least=2)

    def _mean_power(self, gap: ArrayLike) -> Callable[[IntArray], FloatArray]:
        """Mean power of numbers of clusters at equally likely gaps."""
        effect = quantile_means(np.asarray(gap) / np.sqrt(self.drawn_variance))

        def power(n_clusters: IntArray) -> FloatArray:
            k = n_clusters[..., np.newaxis].astype(np.float64)
            return np.asarray(near_power(np.sqrt(k) * effect, k, self.alpha).mean(axis=-1))

        return power


#: What two models' pilot tells of designs at a declared gap.
Pilot = BinaryPilot | MeanPilot | ClusterPilot


def too_many_units(gap: float) -> InvalidArgument:
    """Return the refusal of a gap that takes more units than are counted."""
    return InvalidArgument(
        f"gap must be farther from 0: {gap!r} may take more than {MOST_UNITS:.0e} units by the "
        "pilot"
    )


def pilot_design(pilot: Pilot, gap: float, *, power: float = 0.80) -> PilotDesign:
    """Units that a declared gap needs, with their interval and their expected power."""
    designs = pilot.at(gap), *pilot.ends(gap)
    n_star, low, high = (required_units(design, power) for design in designs)
    if high > MOST_UNITS:
        raise too_many_units(gap)
    assurance = float(pilot.expected(gap).power(n_star))
    return PilotDesign(n_star, low, high, assurance)


def cluster_items_design(pilot: ClusterPilot, gap: float, *, power: float = 0.80) -> PilotDesign:
    """Items of the pilot's own clusters that the tests over them need; ``inf`` if too few."""
    size, k = _gap_size(gap), pilot.n_clusters
    most = k * (size / float(shift_of_power(k, pilot.alpha, power))) ** 2

    def items(between: ArrayLike, within: ArrayLike) -> FloatArray:
        each = items_per_cluster(most, pilot.spread * np.asarray(between), within)
        return np.asarray(np.ceil(k * each * (1 - _ROUNDING)))

    n_star = float(items(pilot.between, pilot.within))
    low, high = _ends(items(pilot.drawn_between, pilot.drawn_within))
    if np.isinf(n_star):
        return PilotDesign(n_star, low, high, np.nan)
    drawn = pilot.variance(pilot.drawn_between, pilot.drawn_within, n_star / k)
    shifts = quantile_means(size * np.sqrt(k / drawn))
    return PilotDesign(n_star, low, high, float(near_power(shifts, k, pilot.alpha).mean()))


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


def _ends(drawn: FloatArray) -> tuple[float, float]:
    """Quantiles of values of which some may be infinite."""
    ordered = np.sort(drawn)
    return float(ordered[int(_TAIL * len(drawn))]), float(ordered[int((1 - _TAIL) * len(drawn))])


@lru_cache(maxsize=1)
def _lattice() -> FloatArray:
    """Points of the unit cube, spread evenly by the powers of a root of x^4 = x + 1."""
    steps = 1.2207440846057596 ** -np.arange(1.0, 4.0)
    return np.asarray((0.5 + np.outer(steps, np.arange(_DRAWS))) % 1)
