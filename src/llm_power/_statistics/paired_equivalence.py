r"""Equivalence of two models within a declared margin: two one-sided tests (TOST).

The hypothesis is that the gap :math:`\Delta` is at least the margin :math:`m` on one side or the
other; rejecting it says :math:`|\Delta| < m`. The margin is the user's, declared before the data
are seen. Not rejecting a difference is never evidence of equivalence.

References
----------
Schuirmann (1987), doi:10.1007/BF01068419.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, ndtr, ndtri

from llm_power._statistics._numerics import binomial_pmf, fewest, likely_counts, thresholds
from llm_power._statistics.argument_checks import (
    open_unit,
    strictly_between,
)
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray
from llm_power._statistics.intervals import (
    score_statistic,
    score_variance,
    tango_interval,
)


@dataclass(frozen=True, slots=True)
class EquivalenceTest:
    """Outcome of two one-sided tests for each pair."""

    #: The larger of the two one-sided p-values.
    p: FloatArray
    #: Whether p is at most `alpha`.
    equivalent: BoolArray
    #: `low`, `high`: Interval of confidence ``1 - 2 * alpha`` from the same test, in score units.
    #: It lies inside the margin exactly where the pair is equivalent.
    low: FloatArray
    high: FloatArray
    #: Declared margin, in score units.
    margin: float
    #: Level: the chance of a wrong claim of equivalence.
    alpha: float


def score_equivalence_test(
    b: ArrayLike, c: ArrayLike, n_items: ArrayLike, *, margin: float, alpha: float = 0.05
) -> EquivalenceTest:
    """Equivalence of two 0/1 scored models by two one-sided score tests.

    Both tests are those of `score_statistic`, and the interval is Tango's. At a true gap equal
    to the margin the exact type I error for a nominal .05 is at most .058, over margins .02,
    .05, .1 and .2, discordances from the margin to 1 and n = 50, 100, 200 and 500; with n = 20
    it is .069 at margin and discordance .2.

    Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B; Liu, Hsueh,
    Hsieh and Chen (2002), doi:10.1002/sim.1012.

    Parameters
    ----------
    b, c : array_like
        Items that A alone solved, and B alone.
    n_items : array_like
        All items.
    margin : float
        Largest gap that does not matter, in (0, 1).
    alpha : float, default 0.05
        Level of each of the two tests.

    Returns
    -------
    EquivalenceTest
        P-value, verdict and interval; broadcast shape.

    Raises
    ------
    InvalidArgument
        If a number is outside its domain.

    Examples
    --------
    >>> from llm_power import score_equivalence_test
    >>> bool(score_equivalence_test(30, 28, 1_000, margin=0.03).equivalent)
    True
    """
    bound, level = open_unit("margin", margin), float(strictly_between("alpha", alpha, 0.0, 0.5))
    below = ndtr(score_statistic(b, c, n_items, bound))
    above = ndtr(-score_statistic(b, c, n_items, -bound))
    p = np.asarray(np.maximum(below, above))
    interval = tango_interval(b, c, n_items, confidence=1 - 2 * level)
    return EquivalenceTest(p, np.asarray(p <= level), interval.low, interval.high, bound, level)


def score_equivalence_required_n(
    p10: ArrayLike,
    p01: ArrayLike,
    *,
    margin: float,
    alpha: float = 0.05,
    power: float = 0.80,
) -> FloatArray:
    r"""Items from which `score_equivalence_test` finds equivalence with the target power.

    .. math::
        \Phi\!\left(\frac{\sqrt n (m - \delta) - z_{1-\alpha}\sigma_{+}}{\sigma}\right)
        + \Phi\!\left(\frac{\sqrt n (m + \delta) - z_{1-\alpha}\sigma_{-}}{\sigma}\right)
        - 1 = 1 - \beta

    ``inf`` where the gap is not inside the margin.

    :math:`\sigma_{\pm}` are the deviations fitted at the two ends of the margin and
    :math:`\sigma` is the true one. Exact power at this n, for a target of .80 and seven
    combinations of discordance .04 to .3 and margin .02 to .1, is .803 to .845.

    Nam (1997), doi:10.2307/2533508.
    """
    first, second = np.asarray(p10), np.asarray(p01)
    delta = first - second
    sigma = np.sqrt(np.maximum(first + second - np.square(delta), 0.0))
    fitted = np.stack([score_variance(first, second, 1.0, end) for end in (margin, -margin)])
    critical = -ndtri(alpha) * np.sqrt(fitted)
    room = np.stack([margin - delta, margin + delta])
    inside = np.all(room > 0, axis=0)
    room = np.where(inside, room, 1.0)

    def size(one_sided_power: float) -> FloatArray:
        reach = np.maximum(critical + ndtri(one_sided_power) * sigma, 0.0) / room
        return np.asarray(np.square(reach.max(axis=0)))

    scale = np.where(sigma > 0, sigma, 1.0)

    def enough(n: FloatArray) -> BoolArray:
        tails = ndtr((critical - np.sqrt(n) * room) / scale)
        return np.asarray(tails.sum(axis=0) <= 1 - power)

    # Between the sizes of the harder test alone and of both.
    high = thresholds(enough, size(power), size((1 + power) / 2), halvings=60)
    return np.where(inside, high, np.inf)


def score_equivalence_power(
    n_items: int, p10: float, p01: float, *, margin: float, alpha: float = 0.05
) -> float:
    """Exact unconditional power of `score_equivalence_test`.

    Of m discordant items the gap lies below the margin where A has at most k of them, and above
    minus the margin where B has: equivalence is found between m - k and k.
    """
    n, psi = n_items, p10 + p01
    m = likely_counts(n, n, psi, outside=1e-16)

    def too_many(k: FloatArray) -> BoolArray:
        return np.asarray(ndtr(score_statistic(k, m - k, n, margin)) > alpha)

    most = fewest(too_many, np.full(m.shape, -1), m + 1) - 1
    possible = most >= m - most
    k, least = np.where(possible, most, 0), np.where(possible, m - most, 0)
    below_least = np.where(least > 0, bdtr(np.maximum(least - 1, 0), m, p10 / psi), 0.0)
    shown = np.where(possible, bdtr(k, m, p10 / psi) - below_least, 0.0)
    return float(binomial_pmf(m, n, psi) @ shown)
