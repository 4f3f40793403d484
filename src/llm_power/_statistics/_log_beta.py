"""The beta function without the cancellation of its logarithm's large terms."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from llm_power._statistics.arrays import FloatArray

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
