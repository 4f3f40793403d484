"""The binomial law without `scipy.stats`: its numbers, and that nothing else imports it."""

from __future__ import annotations

import importlib
import sys

import mpmath
import numpy as np
import pytest
from scipy.stats import binom

from llm_power._statistics import _numerics
from llm_power._statistics._numerics import binomial_pmf, likely_counts


@pytest.mark.parametrize("n", [0, 1, 2, 7, 100, 12_032, 10**6])
@pytest.mark.parametrize("p", [0.0, 1e-6, 0.02, 0.3, 0.5, 0.999, 1.0])
def test_numbers_are_those_of_scipy_stats_to_the_last_bit(n: int, p: float) -> None:
    near = int(n * p) + np.arange(-300, 301)
    k = np.concatenate([near, [-1, 0, 1, n - 1, n, n + 1]])
    np.testing.assert_array_equal(binomial_pmf(k, n, p), binom.pmf(k, n, p))
    np.testing.assert_array_equal(binomial_pmf(3, np.arange(9), p), binom.pmf(3, np.arange(9), p))
    for outside in (1e-16, 1e-14, 0.01):
        low, high = max(binom.ppf(outside, n // 2, p), 0), binom.isf(outside, n, p)
        expected = np.arange(low, high + 1)
        np.testing.assert_array_equal(likely_counts(n // 2, n, p, outside=outside), expected)


def test_where_scipy_has_moved_its_functions_scipy_stats_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    k = np.arange(12)
    pmf, counts = binomial_pmf(k, 10, 0.3), likely_counts(5, 10, 0.3, outside=0.01)
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "scipy.special._ufuncs", None)
        moved = importlib.reload(_numerics)
        np.testing.assert_array_equal(moved.binomial_pmf(k, 10, 0.3), pmf)
        np.testing.assert_array_equal(moved.likely_counts(5, 10, 0.3, outside=0.01), counts)
    assert importlib.reload(_numerics)._binom_pmf is not binom.pmf


@pytest.mark.parametrize("x", [16.0, 16.5, 20.0, 100.0, 1e6])
def test_stirlings_error_is_that_of_mpmath(x: float) -> None:
    with mpmath.workdps(40):
        formula = (x - mpmath.mpf(0.5)) * mpmath.log(x) - x + mpmath.log(2 * mpmath.pi) / 2
        error = float(mpmath.loggamma(x) - formula)
    assert float(_numerics._stirling_error(np.array(x))) == pytest.approx(error, abs=1e-16)
