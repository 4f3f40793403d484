r"""Tests of the mean difference of graded scores: paired t, its interval, and an e-process.

References
----------
Student (1908), doi:10.1093/biomet/6.1.1; Waudby-Smith and Ramdas (2024),
doi:10.1093/jrsssb/qkad009, for betting on bounded means; Robbins (1970),
doi:10.1214/aoms/1177696786, for the method of mixtures.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy
from scipy.special import betaln, logsumexp, stdtr, stdtrit

from llm_power.errors import InvalidArgument
from llm_power.statistics._checks import finite, numbers, open_unit
from llm_power.statistics._typing import ArrayLike, FloatArray, IntArray
from llm_power.statistics.e_process import BETA_4_4, DiscreteMixture, Mixture
from llm_power.statistics.mcnemar import smallest_exact_p


@dataclass(frozen=True, slots=True)
class PairedT:
    """Paired t test of each pair, and the studentized interval that inverts it.

    Arrays of shape (n_pairs,), or () for one pair.
    """

    #: Items with a difference.
    n_items: IntArray
    #: `delta`, `standard_error`: Mean difference and its standard error, divisor N - 1; NaN with
    #: fewer than two items.
    delta: FloatArray
    standard_error: FloatArray
    #: Two-sided p-value.
    p_value: FloatArray
    #: `ci_low`, `ci_high`: Ends of the interval, infinite with fewer than two items.
    ci_low: FloatArray
    ci_high: FloatArray
    #: Confidence of the interval.
    confidence: float


def paired_t_test(differences: ArrayLike, *, confidence: float = 0.95) -> PairedT:
    """Paired t test of the mean difference, against t with N - 1 degrees of freedom.

    Shapes: `differences` (n_items,) or (n_items, n_pairs).

    Two passes, so that a small variance beside a large gap keeps its digits. Where all N
    differences are equal and not 0 the t statistic is infinite, which is no p-value of 0: it is
    then that of the exact sign test, :math:`2^{1-N}`, and the interval is the whole line unless
    this p-value reaches the level. Where all are 0 the p-value is 1.
    """
    level = 1 - open_unit("confidence", confidence)
    d = _differences(differences, dimensions=(1, 2))
    present = ~np.isnan(d)
    n = present.sum(axis=0)
    # Differences less the first one present: equal ones are then 0 to the bit.
    first = np.take_along_axis(d, np.argmax(present, axis=0)[np.newaxis], axis=0)
    moved = np.where(present, d - first, 0.0)
    mean = moved.sum(axis=0) / np.maximum(n, 1)
    squares = np.where(present, np.square(moved - mean), 0.0).sum(axis=0)
    delta = np.where(n > 0, first[0] + mean, np.nan)
    freedom = np.maximum(n - 1.0, 1.0)
    error = np.where(n > 1, np.sqrt(squares / freedom / np.maximum(n, 1)), np.nan)
    regular = (n > 1) & (squares > 0)
    reach = np.where(regular, -stdtrit(freedom, level / 2) * np.where(regular, error, 0.0), np.inf)
    # All equal: a point where the exact test of it could reject, else the whole line.
    reach = np.where(~regular & (smallest_exact_p(n) <= level), 0.0, reach)
    return PairedT(
        n_items=np.asarray(n),
        delta=delta,
        standard_error=error,
        p_value=t_test_p_value(delta, squares, n),
        ci_low=np.asarray(delta - reach),
        ci_high=np.asarray(delta + reach),
        confidence=confidence,
    )


def t_test_p_value(
    delta: FloatArray, squares: FloatArray, n_items: IntArray | FloatArray
) -> FloatArray:
    """Two-sided p-value of the paired t test, from sums; NaN without a difference.

    Differences that are all equal and not 0 have an infinite t statistic, which is no p-value of 0:
    it is then that of the exact sign test, 2^(1 - N). `squares` is 0 to the bit where all are
    equal.
    """
    freedom = np.maximum(n_items - 1.0, 1.0)
    regular = (n_items > 1) & (squares > 0)
    error = np.sqrt(squares / freedom / np.maximum(n_items, 1))
    t = np.abs(delta) / np.where(regular, error, 1.0)
    sign_test = np.where(delta == 0, 1.0, smallest_exact_p(n_items))
    p = np.where(regular, 2 * stdtr(freedom, -t), np.where(n_items > 0, sign_test, np.nan))
    return np.asarray(p)


def log_e_bounded(differences: ArrayLike, mixture: Mixture = BETA_4_4) -> float:
    r"""Log e of the betting e-process for differences in [-1, 1].

    .. math:: e_n = \int \prod_{i \le n} \left(1 + (2\theta - 1) D_i\right) d\nu(\theta)

    Shapes: `differences` (n_items,).

    While each difference has mean 0 given those before it, every factor is non-negative with
    mean 1, so that e is a martingale whatever the law of the differences, and may be looked at
    after any item. For differences of -1, 0 and 1 it is eq. (24).
    """
    d = _differences(differences, dimensions=(1,))
    outside = ~(np.abs(d) <= 1)
    if np.any(outside):
        raise InvalidArgument(f"differences must lie in [-1, 1], got {float(d[outside][0])!r}")
    values, times = np.unique(d, return_counts=True)
    if isinstance(mixture, DiscreteMixture):
        bets = 2 * np.asarray(mixture.points) - 1
        return float(logsumexp(np.log1p(np.outer(bets, values)) @ times + np.log(mixture.weights)))
    if min(mixture.a, mixture.b) < 1:
        raise InvalidArgument(f"mixture must have parameters of at least 1, got {mixture.name}")

    def log_density(bet: float) -> float:
        gains = times @ np.log1p(bet * values)
        prior = (mixture.a - 1) * np.log1p(bet) + (mixture.b - 1) * np.log1p(-bet)
        return float(gains + prior)

    edge = 1 - 1e-15
    mode = float(
        scipy.optimize.minimize_scalar(
            lambda bet: -log_density(bet), bounds=(-edge, edge), options={"xatol": 1e-12}
        ).x
    )
    top = log_density(mode)
    curvature = float(times @ np.square(values / (1 + mode * values)))
    curvature += (mixture.a - 1) / (1 + mode) ** 2 + (mixture.b - 1) / (1 - mode) ** 2
    # The integrand is log-concave: these panels hold its bulk, the rest falls off.
    width = max(curvature, 1.0) ** -0.5
    reach = np.array([-np.inf, -30, -8, 0, 8, 30, np.inf])
    panels = np.clip(mode + width * reach, -edge, edge).tolist()
    area = sum(
        scipy.integrate.quad(
            lambda bet: np.exp(log_density(bet) - top), low, high, epsabs=0, epsrel=1e-9
        )[0]
        for low, high in pairwise(panels)
        if high > low and log_density((low + high) / 2) - top > -745
    )
    total = mixture.a + mixture.b
    return float(top + np.log(area) - (total - 1) * np.log(2) - betaln(mixture.a, mixture.b))


def _differences(value: ArrayLike, dimensions: tuple[int, ...]) -> FloatArray:
    d = numbers("differences", value)
    if d.ndim not in dimensions or (d.ndim == 2 and len(d) == 0):
        raise InvalidArgument(f"differences must have one row an item, got shape {d.shape!r}")
    finite("differences", d[~np.isnan(d)])
    return d
