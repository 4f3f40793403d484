"""Hall's transformation against scipy's skewness, and the interval against the test it inverts."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import skew, t, ttest_1samp

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
@pytest.mark.parametrize(("df", "hall_df"), [(4, 49), (13, 13), (4, 4)])
@pytest.mark.parametrize("level", [0.05, 7e-4, 1e-8])
def test_the_interval_ends_where_p_is_the_level(
    a: float, df: int, hall_df: int, level: float
) -> None:
    below, above = interval_multipliers(level, df, a, hall_df)
    for side in (float(below), -float(above)):
        np.testing.assert_allclose(two_sided_p(side, df, a, hall_df), level, rtol=1e-7)
        assert two_sided_p(1.001 * side, df, a, hall_df) < level


def test_hall_is_the_cubic_of_his_paper() -> None:
    """Solved for the value at which the cubic, written out, is the critical value."""
    a, critical = 0.3, t.isf(0.025, 20)
    found = brentq(lambda x: x + a * x**2 / 3 + a**2 * x**3 / 27 + a / 6 + critical, -20, 0)
    np.testing.assert_allclose(interval_multipliers(0.05, 20, a, 20)[1], -found, rtol=1e-12)


def test_no_slope_is_below_one_quarter() -> None:
    """Hall's slope, (1 + at/3)^2 or 1/4, integrated; his cubic alone is flat at t = 10."""
    a, freedom = -0.3, 13
    for x in (2.0, 5.0, 10.0, 15.0, 25.0, 40.0):
        slopes = (lambda u: max((1 + a * u / 3) ** 2, 0.25), 0, x)
        h = a / 6 + quad(*slopes, points=[3 / a * (s * 0.5 - 1) for s in (1, -1)])[0]
        np.testing.assert_allclose(two_sided_p(x, 5e8, a, freedom), 2 * t.sf(h, freedom), rtol=1e-8)


def test_a_clear_gap_is_found_whatever_its_skewness() -> None:
    """Four times Student's critical value is enough, up to the largest skewness of so many."""
    for clusters in (5, 8, 14, 30):
        largest = (clusters - 2) / np.sqrt(clusters - 1) / np.sqrt(clusters)
        for level in (0.05, 0.005, 7e-4):
            student = t.isf(level / 2, clusters - 1)
            for ends in interval_multipliers(
                level, clusters - 1, np.linspace(-largest, largest, 99), clusters - 1
            ):
                assert np.all(ends < 4 * student + largest)


def test_the_bound_on_the_slope_keeps_halls_level() -> None:
    """14 exponential clusters at .005: his cubic alone .0099, Student's test alone .029."""
    d = np.random.default_rng(8).exponential(size=(14, 100_000)) - 1
    x = d.mean(axis=0) / (d.std(axis=0, ddof=1) / np.sqrt(14))
    a = asymmetry(d - d.mean(axis=0))
    cubic = x + a * x**2 / 3 + a**2 * x**3 / 27 + a / 6
    by_cubic = (x * cubic > 0) & (np.minimum(np.abs(x), np.abs(cubic)) >= t.isf(0.0025, 13))
    bounded = two_sided_p(x, 13, a, 13) <= 0.005
    assert by_cubic.mean() <= bounded.mean() < 1.05 * by_cubic.mean() < 0.012


@pytest.mark.parametrize("sign", [1, -1])
def test_fourteen_clusters_in_one_direction_decide(sign: int) -> None:
    """Gaps of a board's categories, of 18 to 45 points: Hall's cubic alone has p = .008."""
    gaps = sign * np.array([18, 21, 29, 31, 34, 36, 36, 38, 38, 39, 39, 39, 40, 45.0])
    x, a = ttest_1samp(gaps, 0).statistic, skew(gaps) / np.sqrt(14)
    assert two_sided_p(x, 13, a, 13) < 1e-4


@pytest.mark.parametrize("a", [-0.9, -0.3, 0.2, 0.7])
def test_no_interval_is_wider_than_that_of_halls_cubic(a: float) -> None:
    for level in (0.05, 0.005, 7e-4):
        critical = t.isf(level / 2, 9)
        for end, h in zip(interval_multipliers(level, 9, a, 9), (critical, -critical), strict=True):
            cubic = 3 * (np.cbrt(1 + a * (h - a / 6)) - 1) / a
            assert end <= max(critical, abs(cubic)) * (1 + 1e-12)


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
