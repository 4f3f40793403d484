"""Binomial laws with the numbers of `scipy.stats.binom`, and the beta function's logarithm.

Importing `scipy.stats` takes 0.4 s of processor time: a quarter of what resolving a small board
takes, and more than most jobs of a workflow do.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from llm_power._statistics.arrays import ArrayLike, FloatArray, IntArray

try:
    # What scipy.stats.binom calls; SciPy promises no name with an underscore.
    from scipy.special._ufuncs import _binom_isf, _binom_pmf, _binom_ppf
except ImportError:
    from scipy.stats import binom

    _binom_isf, _binom_pmf, _binom_ppf = binom.isf, binom.pmf, binom.ppf  # type: ignore[assignment]


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
    small = np.minimum(x, _SERIES_FROM)
    direct = gammaln(small) - ((small - 0.5) * np.log(small) - small + np.log(2 * np.pi) / 2)
    return np.where(x >= _SERIES_FROM, series / large, direct)
