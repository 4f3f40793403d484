"""Roots and thresholds of functions, binomial laws, and the beta function's logarithm.

Roots are Chandrupatla's, by bisection with inverse interpolation.
`scipy.optimize.elementwise.find_root` finds the same numbers to the last bit. Importing it takes .2
s of processor time, a sixth of what a small board takes.

Importing `scipy.stats` takes 0.4 s of processor time: a quarter of what resolving a small board
takes, and more than most jobs of a workflow do.

References
----------
Chandrupatla (1997), doi:10.1016/S0965-9978(96)00051-8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from scipy.special import gammaln

from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray

_RELATIVE: Final = 4 * np.finfo(float).eps
_TINY: Final = np.finfo(float).tiny
try:
    # What scipy.stats.binom calls; SciPy promises no name with an underscore.
    from scipy.special._ufuncs import _binom_isf, _binom_pmf, _binom_ppf
except ImportError:
    from scipy.stats import binom

    _binom_isf, _binom_pmf, _binom_ppf = binom.isf, binom.pmf, binom.ppf  # type: ignore[assignment]


def find_roots(
    function: Callable[..., FloatArray],
    bracket: tuple[FloatArray, FloatArray],
    args: tuple[FloatArray, ...] = (),
) -> FloatArray:
    """Return a root of each function between the ends of its bracket; NaN where there is none."""
    shape = np.broadcast_shapes(*(np.shape(each) for each in (*bracket, *args)))
    low, high, *given = (
        np.broadcast_to(each, shape).astype(np.float64).ravel() for each in (*bracket, *args)
    )
    # Newest point, other end of the bracket, and the point before: (3, n_open).
    x = np.stack([low, high, high])
    f = np.stack([function(low, *given), *[function(high, *given)] * 2])
    roots, at = np.full(low.shape, np.nan), np.arange(low.size)
    while True:
        nearer = np.abs(f[0]) < np.abs(f[1])
        best, least = np.where(nearer, x[0], x[1]), np.abs(np.where(nearer, f[0], f[1]))
        width, tolerance = np.abs(x[1] - x[0]), np.abs(best) * _RELATIVE + 4 * _TINY
        zero, crosses = least <= _TINY, np.sign(f[0]) * np.sign(f[1]) < 0
        near = width < tolerance
        roots[at] = np.where(zero | (crosses & near), best, np.nan)
        left = crosses & ~zero & ~near
        if not left.any():
            return roots.reshape(shape)
        x, f, at, given = x[:, left], f[:, left], at[left], [each[left] for each in given]
        edge = 0.5 * tolerance[left] / width[left]
        newest = x[0] + np.clip(_share(x, f), edge, 1 - edge) * (x[1] - x[0])
        value = function(newest, *given)
        same = np.sign(value) == np.sign(f[0])
        x = np.stack([newest, np.where(same, x[1], x[0]), np.where(same, x[0], x[1])])
        f = np.stack([value, np.where(same, f[1], f[0]), np.where(same, f[0], f[1])])


def _share(x: FloatArray, f: FloatArray) -> FloatArray:
    """Return the next point as a share of the way from the newest to the other end."""
    (x1, x2, x3), (f1, f2, f3) = x, f
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        place, height = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2)
        smooth = (1 - np.sqrt(1 - place) < height) & (height < np.sqrt(place))
        far = (x3 - x1) / (x2 - x1)
        inverse = f1 / (f1 - f2) * f3 / (f3 - f2) - far * f1 / (f3 - f1) * f2 / (f2 - f3)
        return np.where(smooth, inverse, 0.5)


def threshold(holds: Callable[[float], bool], low: float, high: float, *, halvings: int) -> float:
    """Return the smallest number of an interval that it holds for, by so many halvings.

    Where it does not hold at `low`, that is the upper end of what is left: there it holds.
    """
    if holds(low):
        return low
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def thresholds(
    holds: Callable[[FloatArray], BoolArray], low: FloatArray, high: FloatArray, *, halvings: int
) -> FloatArray:
    """Return `threshold` of many intervals at once, of which it holds at no `low`."""
    for _ in range(halvings):
        middle = (low + high) / 2
        does = holds(middle)
        low, high = np.where(does, low, middle), np.where(does, middle, high)
    return high


def smallest_that(holds: Callable[[int], bool], least: int, most: int) -> int:
    """Return the smallest whole number in [least, most] that it holds for; it does at `most`."""
    while least < most:
        middle = (least + most) // 2
        least, most = (least, middle) if holds(middle) else (middle + 1, most)
    return least


def nearest_that(holds: Callable[[int], bool], start: int, least: int, most: int) -> int | None:
    """Return some whole number that it holds for where it does not for the one before.

    The search goes from `start` by steps that double, then by bisection; None where it finds none.
    """
    n, step = min(max(start, least), most), 1
    if holds(n):
        while n > least and holds(lower := max(n - step, least)):
            n, step = lower, 2 * step
        return smallest_that(holds, max(n - step, least), n)
    while n < most:
        fails, n = n, min(n + step, most)
        if holds(n):
            return smallest_that(holds, fails + 1, n)
        step *= 2
    return None


def fewest(holds: Callable[[FloatArray], BoolArray], fails: IntArray, most: IntArray) -> IntArray:
    """Return the smallest whole numbers above `fails` that it holds for, `most` where none does."""
    while np.any(wide := most - fails > 1):
        middle = np.where(wide, (fails + most) // 2, fails)
        # Where nothing is left to find, what comes out is not used.
        does = holds(np.maximum(middle, 0).astype(np.float64))
        fails, most = np.where(wide & ~does, middle, fails), np.where(wide & does, middle, most)
    return most


def binomial_pmf(k: ArrayLike, n: IntArray | int, p: float) -> FloatArray:
    """P(B = k) of B ~ Binomial(n, p); 0 where k is none of 0, ..., n."""
    count, size = np.asarray(k), np.asarray(n)
    inside = (count >= 0) & (count <= size)
    return np.where(inside, _binom_pmf(np.where(inside, count, 0), size, np.asarray(p)), 0.0)


def likely_counts(least: int, most: int, p: float, *, outside: float) -> IntArray:
    """Counts of Binomial(n, p) for some n in [least, most], but for `outside` on each side."""
    low = int(_binom_ppf(outside, least, p)) if least > 0 else 0
    return np.arange(low, int(_binom_isf(outside, most, p)) + 1)


# Coefficients of 1/x, 1/x^3, ... in Stirling's series: B_2k / (2k (2k - 1)).
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
# From here on the first neglected term is below 1e-17.
_SERIES_FROM = 16.0


def scaled_log_beta(x: FloatArray, y: FloatArray, difference: FloatArray | float) -> FloatArray:
    r"""Logarithm of :math:`B(x, y)\,2^{x+y}`, for positive x and y.

    With :math:`n = x + y`, :math:`t = (x-y)/n` and Stirling's error :math:`\epsilon`,

    .. math::
        \tfrac{n}{2}\left(\log(1-t^2) + 2t\,\mathrm{artanh}\,t\right)
        + \tfrac12\log\frac{2\pi n}{xy} + \epsilon(x) + \epsilon(y) - \epsilon(n).

    `difference` is x - y, given apart because it may be known better than x and y are.
    """
    n = x + y
    t = difference / n
    balanced = np.abs(t) < 0.5
    safe = np.where(balanced, t, 0.0)
    near = (np.log1p(-(safe**2)) + 2 * safe * np.arctanh(safe)) / 2
    # Near t = 1 the two terms would cancel, and 2 x / n has no cancellation.
    far = (x * np.log(2 * x / n) + y * np.log(2 * y / n)) / n
    errors = _stirling_error(x) + _stirling_error(y) - _stirling_error(n)
    return np.asarray(
        n * np.where(balanced, near, far) + np.log(2 * np.pi * (n / x) / y) / 2 + errors
    )


def _stirling_error(x: FloatArray) -> FloatArray:
    """Logarithm of Gamma(x) minus Stirling's formula for it."""
    large = np.maximum(x, _SERIES_FROM)
    inverse_square = 1 / large**2
    series = np.zeros(np.shape(x))
    for coefficient in reversed(_STIRLING):
        series = series * inverse_square + coefficient
    errors, small = np.asarray(series / large), x < _SERIES_FROM
    few = x[small]
    errors[small] = gammaln(few) - ((few - 0.5) * np.log(few) - few + np.log(2 * np.pi) / 2)
    return errors
