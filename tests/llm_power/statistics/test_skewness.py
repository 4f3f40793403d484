"""Hall's transformation against scipy's skewness, and the interval against the test it inverts."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import skew, t

from graded_pairs import graded_verdicts
from llm_power._statistics.t_test import (
    asymmetry,
    equivalence_p,
    interval_multipliers,
    one_sided_p,
    two_sided_p,
)


def test_asymmetry_is_the_sample_skewness_over_the_root_of_n() -> None:
    d = np.random.default_rng(1).gamma(0.4, size=(60, 3))
    np.testing.assert_allclose(asymmetry(d - d.mean(axis=0)), skew(d) / np.sqrt(60), rtol=1e-12)
    # No cube underflows, and differences that are all equal have none.
    np.testing.assert_allclose(asymmetry(1e-150 * (d - d.mean(axis=0))), skew(d) / np.sqrt(60))
    assert asymmetry(np.zeros(4)) == 0


@pytest.mark.parametrize("a", [-0.9, -0.2, 0.0, 1e-12, 0.05, 0.6])
@pytest.mark.parametrize(("df", "hall_df"), [(4, 49), (13, 13)])
def test_the_interval_ends_where_p_is_the_level(a: float, df: int, hall_df: int) -> None:
    below, above = interval_multipliers(0.05, df, a, hall_df)
    for side in (float(below), -float(above)):
        np.testing.assert_allclose(two_sided_p(side, df, a, hall_df), 0.05, rtol=1e-7)
        assert two_sided_p(1.001 * side, df, a, hall_df) < 0.05


def test_hall_is_the_cubic_of_his_paper() -> None:
    """Solved for the value at which the cubic, written out, is the critical value."""
    a, critical = 0.3, t.isf(0.025, 20)
    found = brentq(lambda x: x + a * x**2 / 3 + a**2 * x**3 / 27 + a / 6 + critical, -20, 0)
    np.testing.assert_allclose(interval_multipliers(0.05, 20, a, 20)[1], -found, rtol=1e-12)


@pytest.mark.parametrize("a", [-0.3, -1e-3, -1e-6, 1e-12, 2e-9, 1e-7, 0.2])
def test_a_small_skewness_costs_no_digits(a: float) -> None:
    critical, student = t.isf(0.025, 30), t.isf(0.025, 1e9)
    with mpmath.workdps(40):
        for end, h in zip(
            interval_multipliers(0.05, 1e9, a, 30), (critical, -critical), strict=True
        ):
            q = mpmath.cbrt(1 + mpmath.mpf(a) * (h - mpmath.mpf(a) / 6))
            exact = float(abs((q - 1) * 3 / a))
            assert float(end) == pytest.approx(max(exact, student), rel=1e-13, abs=0)


def test_no_skewness_is_students_test() -> None:
    np.testing.assert_allclose(two_sided_p([-3.0, 0.4], 9, 0.0, 9), 2 * t.sf([3.0, 0.4], 9))
    np.testing.assert_allclose(one_sided_p([-3.0, 0.4], 9, 0.0, 9), t.sf([-3.0, 0.4], 9))
    np.testing.assert_allclose(interval_multipliers(0.1, 9, 0.0, 9), [t.isf(0.05, 9)] * 2)


def test_exchanging_the_models_mirrors_everything() -> None:
    x = np.linspace(-4, 4, 17)
    np.testing.assert_allclose(two_sided_p(x, 5, 0.4, 30), two_sided_p(-x, 5, -0.4, 30))
    np.testing.assert_allclose(
        equivalence_p(x, 1.0, 5, 0.4, 30, margin=3.0),
        equivalence_p(-x, 1.0, 5, -0.4, 30, margin=3.0),
    )
    np.testing.assert_allclose(
        interval_multipliers(0.05, 5, 0.4, 30), interval_multipliers(0.05, 5, -0.4, 30)[::-1]
    )


def test_equivalence_is_an_interval_inside_the_margin() -> None:
    rng = np.random.default_rng(4)
    d = (rng.random((50, 400)) < 0.2) * rng.uniform(-0.4, 1.0, (50, 400))
    within = graded_verdicts(d, margin=0.12).within_margin
    interval = graded_verdicts(d, alpha=0.1).interval
    assert 0.1 < within.mean() < 0.9
    np.testing.assert_array_equal(within, (interval.low > -0.12) & (interval.high < 0.12))
