r"""How long a pair is monitored: crossing probability, anytime-valid required N, stopping counts.

The e-process of `llm_power._statistics.e_process` crosses when the walk :math:`b - c` over the
discordant items first reaches a boundary. Under the null hypothesis the law of that time follows
from the recursion of the walk. Under an alternative :math:`\theta` it is the same law tilted: a
:math:`\pm1` walk meets a boundary that never falls at one height for each time :math:`d`, so that
the likelihood ratio is a function of :math:`d` and of the side alone. One recursion therefore
serves every pair, exactly.

References
----------
Siegmund (1985), Sequential Analysis, doi:10.1007/978-1-4757-1862-1, for the likelihood ratio at a
stopping time and the correction for a boundary that is watched at intervals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log, log2, sqrt

import numpy as np
from scipy.special import betainc, ndtr, ndtri

from llm_power._statistics._numerics import fewest, nearest_that, smallest_that
from llm_power._statistics.argument_checks import open_unit, pair_counts
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray
from llm_power._statistics.e_process import BETA_4_4, Mixture, require_symmetric
from llm_power._statistics.inversion import resolution_ratio, z_sum

_Arrival = Callable[[FloatArray, float, float], FloatArray]

# Discordant items whose recursion is exact; each further level of the lattice covers four times
# as many as the one before, by steps of twice its size. Of a level below 0 the recursion is as
# exact, and shorter by the same factor.
_EXACT_STEPS = 2**14
_LOWEST_LEVEL = -3
# Standard deviations of a binomial count that hold all but 1e-18 of it.
_WIDE = 9.0
# Items beyond any that counts tell apart.
_ENDLESS = 2**63
# The share of runs that `stopping_90` speaks of.
_STOPPING_SHARE = 0.90


@dataclass(frozen=True, slots=True)
class AnytimeHorizon:
    """Required items of each pair under continuous monitoring, and how soon it stops."""

    #: Items at which the probability to have crossed reaches `power`; whole numbers, and ``inf``
    #: where the gap is zero or the mixture never finds it.
    n_star_anytime: FloatArray
    #: Items at hand over `n_star_anytime`.
    q_anytime: FloatArray
    #: Mean number of items of a run that ends at its crossing or at `n_star_anytime`.
    expected_items: FloatArray
    #: Items by which 90 % of the runs have crossed, were they to go on.
    stopping_90: FloatArray
    #: `alpha`, `power`: The operating point.
    alpha: float
    power: float
    #: The mixture of alternatives.
    mixture: Mixture


def anytime_horizon(
    b: ArrayLike,
    c: ArrayLike,
    n_items: ArrayLike,
    *,
    alpha: float = 0.05,
    power: float = 0.80,
    mixture: Mixture = BETA_4_4,
) -> AnytimeHorizon:
    r"""Horizon at which the e-process has crossed with the target power.

    Parameters
    ----------
    b, c : array_like of int
        Items that only the first, and only the second, model solves.
    n_items : array_like of int
        Items that both models were scored on, at least b + c.
    alpha, power : float
        Level and target power.
    mixture : DiscreteMixture or BetaMixture, default `BETA_4_4`
        A mixture that is symmetric about 1/2.

    Returns
    -------
    AnytimeHorizon
        Arrays of the broadcast shape.

    Raises
    ------
    InvalidArgument
        If a count is not whole, negative, or b + c exceeds `n_items`, or the mixture is not
        symmetric.

    Notes
    -----
    The pair is taken at its observed rates b/N and c/N, as :math:`N^*` takes it. A crossing
    counts whenever it comes: `llm_power._statistics.e_process.anytime_required_n` takes the
    boundary at one number of discordant items, and is larger by what the earlier ones add.

    Up to 16,384 discordant items the law is exact. From there on the lattice of the walk is
    doubled whenever four times as many items have passed, and the boundary is moved by the half
    step that the coarser lattice would add. With a mixture that has mass near the pair's own
    :math:`\theta` the horizon is then within one part in a thousand.

    Examples
    --------
    >>> from llm_power import anytime_horizon
    >>> pair = anytime_horizon(284, 76, 12_032)
    >>> float(pair.n_star_anytime), float(pair.stopping_90)
    (1254.0, 1546.0)
    """
    first, second, n = pair_counts(b, c, n_items)
    level = open_unit("alpha", alpha)
    z_sum(level, power)
    pairs = np.stack([np.maximum(first, second), np.minimum(first, second), n], axis=-1)
    # Pairs are many and their counts often the same.
    distinct, where = np.unique(pairs.reshape(-1, 3), axis=0, return_inverse=True)
    horizons = [
        _pair_horizon(more, fewer, size, alpha=level, power=power, mixture=mixture)
        for more, fewer, size in distinct.tolist()
    ]
    columns = np.reshape(horizons, (-1, 3))[where.ravel()].T.reshape(3, *n.shape)
    n_star, expected, most = columns
    return AnytimeHorizon(
        n_star_anytime=n_star,
        q_anytime=resolution_ratio(n, n_star),
        expected_items=expected,
        stopping_90=most,
        alpha=level,
        power=power,
        mixture=mixture,
    )


def monitored_required_n(
    p10: float, p01: float, *, alpha: float = 0.05, power: float = 0.80
) -> tuple[float, float, float]:
    """Return horizon, expected items and `stopping_90` of given rates; ``inf`` at equal ones."""
    more, fewer = max(p10, p01), min(p10, p01)
    return _pair_horizon(more, fewer, 1, alpha=alpha, power=power, mixture=BETA_4_4)


def _pair_horizon(
    more: float, fewer: float, n: int, *, alpha: float, power: float, mixture: Mixture
) -> tuple[float, float, float]:
    """Of a pair with so many, or such shares, of `n` items."""
    if more == fewer:
        return np.inf, np.inf, np.inf
    total, theta = (more + fewer) / n, more / (more + fewer)
    horizon = expected = ninety = np.inf
    for levels in _levels_to_try(theta, alpha, max(power, _STOPPING_SHARE)):
        law = _crossing_law(mixture, alpha, levels, theta)
        if np.isinf(horizon):
            horizon = _items_for(law, power, total)
            expected = _expected_items(law, horizon, total) if np.isfinite(horizon) else np.inf
        ninety = _items_for(law, _STOPPING_SHARE, total)
        if np.isfinite(ninety) and np.isfinite(horizon):
            break
    return horizon, expected, ninety


def _levels_to_try(theta: float, alpha: float, share: float) -> range:
    """From the levels that a gap takes as a rule to those that leave the mixture to blame."""
    unit = 1 / (2 * theta - 1) ** 2
    # With mass near theta it crosses near (u + z)^2 units, u^2 being 2 log(1/alpha) + log d.
    critical, spread = sqrt(2 * log(1 / alpha)), max(float(ndtri(share)), 0.0)
    hopeless = 8 * unit * (critical**2 + spread**2 + log(1 + unit))
    return range(_levels_for(unit * (critical + spread) ** 2), _levels_for(hopeless) + 1)


def _levels_for(n_discordant: float) -> int:
    """How often the lattice is doubled before it covers so many discordant items."""
    return max(_LOWEST_LEVEL, ceil(log2(n_discordant / _EXACT_STEPS) / 2))


@dataclass(frozen=True, slots=True)
class _NullPassage:
    """How often a fair walk first meets the boundary, on one side, at each step.

    Arrays over the steps: discordant items so far, level of the lattice, whose steps have `sizes`,
    and steps of that size since the one before. Of the steps at which the boundary can be met
    (`met`), its height and the probability of meeting it there.
    """

    time: FloatArray
    level: IntArray
    sizes: FloatArray
    steps: FloatArray
    met: IntArray
    height: FloatArray
    probability: FloatArray


@lru_cache(maxsize=32)
def _null_passage(mixture: Mixture, alpha: float, levels: int) -> _NullPassage:
    """Each level doubles the step and so covers four times as many discordant items."""
    require_symmetric(mixture)
    time = np.arange(1.0, _EXACT_STEPS * 4.0 ** min(levels, 0) + 1)
    height = _crossing_height(time, time, 1.0, alpha, mixture)
    mass, met = _walk(np.ones(1), height)
    parts = [(time, np.ones(time.size), height, met)]
    for level in range(1, levels + 1):
        size = 2.0**level
        # Coarsening adds the variance of two steps of the finer walk.
        step = np.arange(1.0, _EXACT_STEPS * 3 // 4 + 1)
        time = time[-1] + size**2 * (step + 0.5)
        height = _crossing_height(step, time, size, alpha, mixture)
        mass, met = _walk(_coarsened(mass), height)
        parts.append((time, np.full(time.size, size), size * height, met))
    time, step, height, probability = (np.concatenate(x) for x in zip(*parts, strict=True))
    sizes, of_step = np.unique(step, return_inverse=True)
    hits = np.flatnonzero(probability > 0)
    steps = np.diff(time, prepend=0.0) / step**2
    return _NullPassage(
        time, of_step.astype(np.int64), sizes, steps, hits, height[hits], probability[hits]
    )


def _crossing_height(
    step: FloatArray, time: FloatArray, size: float, alpha: float, mixture: Mixture
) -> FloatArray:
    """Fewest steps of a size from 0 that stand for a crossing, of the parity of the steps made.

    A lattice meets a boundary half a step late on average: the walk's own delay alone is kept.
    """

    def crosses(steps: FloatArray) -> BoolArray:
        gap = size * (steps + 0.5) - 0.5
        return np.asarray(mixture.log_e((time + gap) / 2, (time - gap) / 2) >= -log(alpha))

    last = np.floor((time + 0.5) / size - 0.5).astype(np.int64)
    least = fewest(crosses, np.full(time.shape, -1), last + 1)
    return least + (step + least) % 2


def _walk(mass: FloatArray, height: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Step a symmetric walk, -k, -k + 2, ..., k, and take off what reaches `height`."""
    met = np.zeros(height.size)
    for i, limit in enumerate(height.tolist()):
        grown = np.zeros(mass.size + 1)
        grown[1:] = mass
        grown[:-1] += mass
        grown *= 0.5
        while grown.size > limit:
            met[i] += grown[-1]
            grown = grown[1:-1]
        mass = grown
    return mass, met


def _coarsened(mass: FloatArray) -> FloatArray:
    """Keep every other point of a symmetric lattice around 0, the others split between them."""
    if mass.size % 4 == 3:
        mass = np.pad(mass, 1)
    kept, halves = mass[::2].copy(), mass[1::2] / 2
    kept[1:] += halves
    kept[:-1] += halves
    return kept


@dataclass(frozen=True, slots=True)
class _CrossingLaw:
    """Probability of having crossed after each of so many discordant items."""

    time: FloatArray
    crossed: FloatArray


def _crossing_law(mixture: Mixture, alpha: float, levels: int, theta: float) -> _CrossingLaw:
    """Tilt the null passage to a discordant item that favors A with probability `theta`."""
    null = _null_passage(mixture, alpha, levels)
    # At theta = 1 the log odds are infinite; e^-36 is 0 beside 1.
    tilt = min(log(theta / max(1 - theta, 1e-300)) / 2, 18.0)
    x = tilt * null.sizes
    growth = (np.logaddexp(x, -x) - log(2))[null.level]
    normalizer = np.cumsum(null.steps * growth)[null.met]
    moved = tilt * null.height
    at_step = np.zeros(null.time.size)
    at_step[null.met] = null.probability * (
        np.exp(moved - normalizer) + np.exp(-moved - normalizer)
    )
    return _CrossingLaw(
        np.concatenate([[0.0], null.time]), np.concatenate([[0.0], np.cumsum(at_step)])
    )


def _items_for(law: _CrossingLaw, share: float, total: float) -> float:
    """Fewest items that have crossed with probability `share`; ``inf`` if the law is too short."""
    if law.crossed[-1] < share:
        return np.inf

    def nearly(n: float) -> bool:
        return _crossed_by(law, n, total, _nearly_arrived) >= share

    middle = law.time[np.searchsorted(law.crossed, share)] / total
    width = 2.0 + sqrt(middle * (1 - total) / total)
    low, high = max(0.0, middle - width), middle + width
    while low > 0 and nearly(low):
        low = max(0.0, low - width)
    while not nearly(high) and high * total < law.time[-1]:
        high += width
    if _upper_count(high, total) > law.time[-1]:
        return np.inf
    # The normal law comes within a few items; the binomial one, which is dear, decides.
    start, most = smallest_that(nearly, int(low), ceil(high)), _ENDLESS
    n = nearest_that(lambda n: _crossed_by(law, n, total) >= share, start, 1, most)
    return np.inf if n is None else float(n)


def _crossed_by(
    law: _CrossingLaw, n: float, total: float, arrived: _Arrival | None = None
) -> float:
    sure, doubtful = _arrivals(law, n, total)
    gained = np.diff(law.crossed[sure : doubtful.stop])
    return float(law.crossed[sure] + gained @ (arrived or _arrived)(law.time[doubtful], n, total))


def _expected_items(law: _CrossingLaw, n: float, total: float) -> float:
    """Mean of the smaller of the crossing time and n, by Wald's identity."""
    sure, doubtful = _arrivals(law, n, total)
    running = (1 - law.crossed[:-1]) * np.diff(law.time)
    arrival = _arrived(law.time[doubtful], n, total)
    counted = running[:sure].sum() + running[sure : doubtful.stop - 1] @ arrival
    return float(counted / total)


def _arrivals(law: _CrossingLaw, n: float, total: float) -> tuple[int, slice]:
    """Last time that n items are sure to reach, and the times after it that they may reach."""
    spread = _WIDE * sqrt(n * total * (1 - total)) + _WIDE
    sure = max(int(np.searchsorted(law.time, n * total - spread)) - 1, 0)
    stop = int(np.searchsorted(law.time, _upper_count(n, total), side="right"))
    return sure, slice(sure + 1, max(stop, sure + 1))


def _nearly_arrived(count: FloatArray, n: float, total: float) -> FloatArray:
    """`_arrived` by the normal law."""
    spread = sqrt(n * total * (1 - total)) + 1e-9
    return np.asarray(ndtr((n * total - count + 0.5) / spread))


def _arrived(count: FloatArray, n: float, total: float) -> FloatArray:
    """Probability that n items hold at least `count` discordant ones."""
    inside = count < n + 1
    tail = betainc(np.where(inside, count, 1.0), np.where(inside, n - count + 1, 1.0), total)
    return np.where(inside, tail, 0.0)


def _upper_count(n: float, total: float) -> float:
    """Upper quantile of the discordant count among n items."""
    return min(float(n), n * total + _WIDE * sqrt(n * total * (1 - total)) + _WIDE)
