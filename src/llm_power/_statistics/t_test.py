r"""Student's t test of a mean over units, and Hall's, which takes the skewness out of it.

Where few items differ, or few clusters lean, the mean and its standard error move together, and
Student's interval ends too early on the side of the long tail. Hall's transformation

.. math:: h(t) = t + \frac{a}{3} t^2 + \frac{a^2}{27} t^3 + \frac{a}{6}, \qquad
    a = \frac{\sum_i e_i^3}{(\sum_i e_i^2)^{3/2}}

of :math:`t = (\bar D - \delta)/SE`, with :math:`e` the residuals of items or of cluster sums,
undoes that to the next order. A few observations can show a skewness of the wrong sign, and then
it harms. So both must reject: p is the larger of the two, and the interval holds both. The two have
degrees of freedom of their own, for items that do not differ say nothing of how the others vary.

Hall's slope :math:`(1 + at/3)^2` falls to 0 at :math:`t = -3/a`: the skewness of a few clusters
could leave a gap of many standard errors undecided. Here, unlike there, no slope is below 1/4. Of a
million samples of 14 clusters with exponential effects and no gap, .0508, .0101 and .0032 reject at
the levels .05, .005 and .0007, by his cubic .0503, .0099 and .0031, by Student's test alone .0900,
.0293 and .0122 (Monte Carlo standard error at most .0003).

References
----------
Hall (1992), doi:10.1111/j.2517-6161.1992.tb01872.x; Johnson (1978),
doi:10.1080/01621459.1978.10480051; Bahadur and Savage (1956), doi:10.1214/aoms/1177728077: no
interval of a mean holds its level for every distribution.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from scipy.special import chdtr, nctdtr, ndtri, stdtr, stdtrit

from llm_power._statistics._numerics import find_roots
from llm_power._statistics.arrays import ArrayLike, FloatArray, IntArray, ordered_sum, ratio
from llm_power._statistics.mcnemar import smallest_exact_p
from llm_power._statistics.random_streams import named_rng


def asymmetry(residuals: FloatArray) -> FloatArray:
    """Skewness over the root of the number of observations on axis 0, :math:`a` above."""
    # By the largest one, so that no cube falls below the smallest float.
    largest = np.abs(residuals).max(axis=0)
    e = residuals / np.where(largest > 0, largest, 1.0)
    square = np.square(e)
    squares, cubes = ordered_sum(square), ordered_sum(square * e)
    return np.asarray(cubes / np.where(squares > 0, squares, 1.0) ** 1.5)


def _hall(t: FloatArray, skew: FloatArray) -> FloatArray:
    square = np.square(t)
    cubic = t + skew / 3 * square + np.square(skew) / 27 * square * t + skew / 6
    return cubic - _flat_part(1 + skew * t / 3, skew)


def _flat_part(q: FloatArray, skew: FloatArray) -> FloatArray:
    """Hall's cubic less the integral of max(q^2, 1/4), q = 1 + at/3; exactly 0 from 1/2 on."""
    inner = np.clip(q, -0.5, 0.5)
    return ratio(np.square(inner - 0.5) * (inner + 1), skew, 0.0)


def one_sided_p(t: ArrayLike, df: ArrayLike, skew: ArrayLike, hall_df: ArrayLike) -> FloatArray:
    """Larger p-value of Student's and Hall's test against a gap above its hypothetical value."""
    x, student, a, hall = (np.asarray(v, dtype=np.float64) for v in (t, df, skew, hall_df))
    return np.asarray(np.maximum(stdtr(student, -x), stdtr(hall, -_hall(x, a))))


def two_sided_p(
    t: ArrayLike, df: ArrayLike, skew: ArrayLike, hall_df: ArrayLike | None = None
) -> FloatArray:
    """Larger p-value of Student's and Hall's two-sided tests; 1 where their signs differ."""
    x, a = np.asarray(t, dtype=np.float64), np.asarray(skew, dtype=np.float64)
    h = _hall(x, a)
    freedom = np.asarray(df, dtype=np.float64)
    if hall_df is None:
        tail = stdtr(freedom, -np.minimum(np.abs(x), np.abs(h)))
    else:
        hall = stdtr(np.asarray(hall_df, dtype=np.float64), -np.abs(h))
        tail = np.maximum(stdtr(freedom, -np.abs(x)), hall)
    # On either side one of the two is above 1/2 where their signs differ.
    return np.asarray(np.where(x * h > 0, 2 * tail, 1.0))


def equivalence_p(
    delta: ArrayLike,
    standard_error: ArrayLike,
    df: ArrayLike,
    skew: ArrayLike,
    hall_df: ArrayLike,
    *,
    margin: float,
) -> FloatArray:
    """Larger p-value of the one-sided tests of a gap of the margin and more, on either side."""
    gap, error = np.asarray(delta), np.asarray(standard_error)
    a = np.asarray(skew, dtype=np.float64)
    below_margin = one_sided_p((margin - gap) / error, df, -a, hall_df)
    above_margin = one_sided_p((margin + gap) / error, df, a, hall_df)
    return np.asarray(np.maximum(below_margin, above_margin))


def interval_multipliers(
    level: float, df: ArrayLike, skew: ArrayLike, hall_df: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return the distance from the gap down and up to its limits, in standard errors.

    Hall's transform is :math:`((1 + at/3)^3 - 1)/a + a/6`. With :math:`q = 1 + at/3` its inverse is
    :math:`t = 3 (h - a/6) / (q^2 + q + 1)`, which loses no digits where the skewness is small.
    Where its slope is bounded, h is that of the cubic less its flat part.
    """
    freedom, a, hall = (np.asarray(v, dtype=np.float64) for v in (df, skew, hall_df))
    student, critical = upper_t_quantile(freedom, level / 2), upper_t_quantile(hall, level / 2)

    def inverse(h: FloatArray) -> FloatArray:
        cube = 1 + a * (h - a / 6)
        flat = _flat_part((4 * cube + 1) / 3, a)
        q = np.cbrt(cube + a * flat)
        return np.asarray(3 * (h - a / 6 + flat) / (q * q + q + 1))

    below, above = inverse(critical), -inverse(-critical)
    return np.asarray(np.maximum(student, below)), np.asarray(np.maximum(student, above))


def upper_t_quantile(df: ArrayLike, tail: float) -> FloatArray:
    """Quantile of Student's t that leaves `tail` above it, computed once for equal `df`."""
    freedom, places = np.unique(np.asarray(df, dtype=np.float64), return_inverse=True)
    return np.asarray(-stdtrit(freedom, tail)[places].reshape(np.shape(df)))


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


# Nodes over the skewness of a normal sample, draws that they are taken from, and units from which
# on it is normal itself.
_NODES: Final = 64
_DRAWS: Final = 8_192
_MANY: Final = 65
# Degrees of freedom that shifts are tabulated at; between them 1 / freedom is interpolated.
_TABULATED: Final = np.unique(np.rint(np.append(np.arange(1, 65), np.geomspace(64, 1e6, 61))))
# Shift from which on SciPy's noncentral t is slow, and normal deviations with weights in its place.
_FAR: Final = 1_000.0
_NORMAL: Final = np.linspace(-8, 8, 401)
_WEIGHTS: Final = np.exp(-np.square(_NORMAL) / 2) / np.exp(-np.square(_NORMAL) / 2).sum()


def near_power(
    shift: ArrayLike, units: ArrayLike, alpha: float, *, hall: bool = True
) -> FloatArray:
    """Chance that both tests reject on the positive side, where the gap is `shift` standard errors.

    It is a mean over the `critical_values` of normal samples; without Hall's, of Student's alone.
    """
    gaps, sizes = np.broadcast_arrays(shift, units)
    power = np.zeros(gaps.shape)
    for k in np.unique(sizes):
        at = sizes == k
        critical = critical_values(int(k), alpha) if hall else upper_t_quantile([k - 1], alpha / 2)
        chance = below(k - 1, gaps[at][:, np.newaxis], critical)
        power[at] = 1 - chance.mean(axis=-1)
    return power


@lru_cache(maxsize=4096)
def critical_values(units: int, alpha: float) -> FloatArray:
    """Equally likely values of t from which on both tests reject.

    Hall's test moves Student's by the skewness of a normal sample, which is independent of the
    sample's mean and variance (Basu 1955), and so of t.
    """
    return interval_multipliers(alpha, units - 1, normal_skewness(units), units - 1)[0]


@lru_cache(maxsize=4096)
def normal_skewness(units: int) -> FloatArray:
    """Equally likely values of `asymmetry` in normal samples."""
    if units > _MANY:
        variance = 6 * (units - 2) / ((units + 1) * (units + 3) * units)
        return np.asarray(ndtri((np.arange(_NODES) + 0.5) / _NODES) * np.sqrt(variance))
    sample = named_rng(0, f"skewness of {units}").normal(size=(units, _DRAWS // 2))
    drawn = asymmetry(sample - sample.mean(axis=0))
    return quantile_means(np.concatenate([drawn, -drawn]))


def quantile_means(values: FloatArray) -> FloatArray:
    """Means of equally likely values over parts of equal probability, in order."""
    return np.asarray(np.sort(values).reshape(_NODES, -1).mean(axis=1))


def below(freedom: ArrayLike, shift: ArrayLike, t: ArrayLike) -> FloatArray:
    """Chance of a noncentral t below `t`; by chi-square where SciPy's is lost to underflow."""
    given = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (freedom, shift, t)))
    # Of the largest shifts SciPy's sum takes minutes.
    near = np.where(np.abs(given[1]) < _FAR, given[1], np.nan)
    chance = np.asarray(nctdtr(given[0], near, given[2]), dtype=np.float64)
    if (lost := np.isnan(chance)).any():
        df, gap, end = (x[lost][:, np.newaxis] for x in given)
        # Beyond SciPy's reach the numerator of t has the sign of the shift.
        within = chdtr(df, df * np.square((gap + _NORMAL) / end)) @ _WEIGHTS
        gap, end = gap[:, 0], end[:, 0]
        same = np.where(gap > 0, 1 - within, within)
        chance[lost] = np.where(gap * end > 0, same, gap < end)
    return chance


def shift_of_power(
    units: ArrayLike, alpha: float, power: float, *, hall: bool = True
) -> FloatArray:
    """Gap over its standard error at which both tests, or Student's, have their power."""
    freedom = np.asarray(units, dtype=np.float64) - 1
    # Neighbors in a fixed table: no pair's gap depends on the others.
    after = np.clip(np.searchsorted(_TABULATED, freedom, side="right"), 1, _TABULATED.size - 1)
    known = _TABULATED[np.union1d(after - 1, after)]
    shifts = [_tabulated_shift(int(f) + 1, alpha, power, hall) for f in known]
    return np.asarray(np.interp(-1 / freedom, -1 / known, shifts))


@lru_cache(maxsize=4096)
def _tabulated_shift(units: int, alpha: float, power: float, hall: bool) -> float:
    def excess(shift: FloatArray) -> FloatArray:
        return near_power(shift, units, alpha, hall=hall) - power

    least, highest = np.zeros(1), 10 + 10 * upper_t_quantile([units - 1], alpha / 2)
    return float(find_roots(excess, (least, highest))[0]) if excess(least) < 0 else 0.0
