"""Intervals of a paired difference against printed tables, other derivations and exact coverage.

Newcombe (1998), Table III, 95 % limits of method 10, cells e, f, g, h = both, A, B, neither. Its
lower limit of (1, 97, 1, 1) is printed as .8736 and left out: no score correlation is positive
there, so that method 8 is the same method, and that is printed, rightly, as .8737.

Fagerland, Lydersen and Laake (2014), doi:10.1002/sim.6148, complete response before and after
consolidation therapy, cells 59, 6, 16, 80: Tango -0.1240 to -0.0054, Newcombe -0.1186 to -0.0046.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq, minimize_scalar
from scipy.special import xlogy
from scipy.stats import multinomial, norm

from graded_pairs import graded_verdicts
from llm_power import InvalidArgument
from llm_power._statistics.intervals import (
    PairedDifferenceInterval,
    mean_interval,
    score_statistic,
    tango_interval,
    wilson_interval,
)
from llm_power._statistics.mcnemar import mcnemar_asymptotic

Z = norm.isf(0.025)


def all_tables(n: int) -> tuple[np.ndarray, np.ndarray]:
    b, c = np.meshgrid(np.arange(n + 1), np.arange(n + 1))
    return b[b + c <= n], c[b + c <= n]


def profile_variance(b: int, c: int, n: int, gap: float) -> float:
    """Variance at the maximum of the trinomial likelihood, found by a search."""

    def loss(q: float) -> float:
        rest = max(1 - gap - 2 * q, 0.0)
        return -float(xlogy(b, q + gap) + xlogy(c, q) + xlogy(n - b - c, rest))

    bounds = (max(0.0, -gap), (1 - gap) / 2)
    q = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-13}).x
    return float(2 * q + gap - gap**2)


def test_tango_equals_the_printed_example() -> None:
    tango = tango_interval(6, 16, 161)
    np.testing.assert_allclose([tango.low, tango.high], [-0.1240, -0.0054], atol=0.5e-4)


@pytest.mark.parametrize("gap", [-0.6, -0.2, -1e-3, 1e-3, 0.15, 0.7])
@pytest.mark.parametrize(
    ("b", "c", "n"), [(3, 1, 9), (0, 4, 7), (5, 0, 5), (0, 0, 6), (20, 40, 90)]
)
def test_score_statistic_is_that_of_the_maximum_likelihood(
    b: int, c: int, n: int, gap: float
) -> None:
    expected = (b - c - n * gap) / np.sqrt(n * profile_variance(b, c, n, gap))
    np.testing.assert_allclose(score_statistic(b, c, n, gap), expected, rtol=2e-5)


@pytest.mark.parametrize("n", [1, 2, 5, 13])
def test_limits_are_where_the_score_statistic_meets_the_quantile(n: int) -> None:
    b, c = all_tables(n)
    interval = tango_interval(b, c, n)
    assert np.all(interval.low <= interval.delta)
    assert np.all(interval.delta <= interval.high)
    for limit, quantile, inside in (
        (interval.high, -Z, interval.high < 1 - 1e-12),
        (interval.low, Z, interval.low > -1 + 1e-12),
    ):
        at_limit = score_statistic(b[inside], c[inside], n, limit[inside])
        np.testing.assert_allclose(at_limit, quantile, rtol=1e-8)


def test_score_statistic_at_zero_is_mcnemars() -> None:
    b, c = all_tables(6)
    found = score_statistic(b, c, 6)
    np.testing.assert_allclose(found**2 * (b + c), (b - c) ** 2.0, rtol=1e-12)
    assert score_statistic(0, 0, 5) == 0


def test_score_statistic_falls_as_the_hypothesis_rises() -> None:
    b, c = all_tables(12)
    gaps = np.linspace(-0.999, 0.999, 801)[:, np.newaxis]
    assert np.all(np.diff(score_statistic(b, c, 12, gaps), axis=0) < 1e-12)


def test_limits_equal_a_root_search_in_tangos_own_notation() -> None:
    b, c, n = 40, 20, 160

    def statistic(gap: float) -> float:
        linear, constant = -b - c + (2 * n - b + c) * gap, -c * gap * (1 - gap)
        q = (np.sqrt(linear**2 - 8 * n * constant) - linear) / (4 * n)
        return float((b - c - n * gap) / np.sqrt(n * (2 * q + gap * (1 - gap))))

    interval = tango_interval(b, c, n)
    low = brentq(lambda x: statistic(x) - Z, 1e-6, b / n - c / n)
    high = brentq(lambda x: statistic(x) + Z, b / n - c / n, 0.9)
    np.testing.assert_allclose([interval.low, interval.high], [low, high], rtol=1e-10)


@pytest.mark.parametrize("n", [1, 10, 12_000, 10_000_000])
def test_limits_without_variance_have_closed_forms(n: int) -> None:
    none, all_a = tango_interval(0, 0, n), tango_interval(n, 0, n)
    np.testing.assert_allclose([none.low, none.high], [-(Z**2) / (n + Z**2), Z**2 / (n + Z**2)])
    np.testing.assert_allclose([all_a.low, all_a.high], [(n - Z**2) / (n + Z**2), 1])


def test_ten_million_items_agree_with_wald() -> None:
    b, c, n = 1_005_000, 995_000, 10_000_000
    interval = tango_interval(b, c, n)
    delta = (b - c) / n
    reach = Z * np.sqrt(((b + c) / n - delta**2) / n)
    np.testing.assert_allclose(
        [interval.low, interval.high], [delta - reach, delta + reach], rtol=1e-4
    )


@pytest.mark.parametrize("level", [0.05, 0.6])
@pytest.mark.parametrize("n", [10, 60])
def test_tango_excludes_zero_exactly_where_mcnemar_rejects(n: int, level: float) -> None:
    b, c = all_tables(n)
    interval = tango_interval(b, c, n, confidence=1 - level)
    excludes = (interval.low > 0) | (interval.high < 0)
    np.testing.assert_array_equal(excludes, mcnemar_asymptotic(b, c) < level)


def test_exchanging_the_models_mirrors_the_interval() -> None:
    b, c = all_tables(9)
    one, other = tango_interval(b, c, 9), tango_interval(c, b, 9)
    np.testing.assert_allclose(one.low, -other.high, atol=1e-15)
    np.testing.assert_allclose(one.delta, -other.delta)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: tango_interval(3, 3, 5), "at least b \\+ c"),
        (lambda: tango_interval(-1, 3, 5), "b must not be negative"),
        (lambda: tango_interval(1, 3, 5, confidence=1), "confidence"),
        (lambda: score_statistic(1, 3, 5, 1.0), "delta_0"),
    ],
)
def test_faults_are_named(call, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument, match=said):
        call()


def exact_coverage(interval: PairedDifferenceInterval, mass: np.ndarray, gap: float) -> float:
    covers = (interval.low <= gap + 1e-12) & (interval.high >= gap - 1e-12)
    return float(mass[covers].sum())


SEVEN, FINE = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.9), tuple(np.arange(1, 51) / 50)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("discordances", "n_gaps", "n", "least", "mean"),
    [
        *((SEVEN, 9, 20, 0.9452, 0.9754), (SEVEN, 9, 50, 0.9406, 0.9633)),
        *((SEVEN, 9, 100, 0.9364, 0.9566), (FINE, 26, 20, 0.9274, 0.9624)),
        *((FINE, 26, 50, 0.9216, 0.9529), (FINE, 26, 100, 0.9291, 0.9513)),
    ],
)
def test_exact_coverage_of_tangos_interval(
    discordances: Sequence[float], n_gaps: int, n: int, least: float, mean: float
) -> None:
    """Summed over all tables; nominal .95. The docstring has the figures of the fine grid."""
    b, c = all_tables(n)
    interval = tango_interval(b, c, n)
    covered = []
    for discordance in discordances:
        for gap in discordance * np.linspace(0, 1, n_gaps):
            cells = [(discordance + gap) / 2, (discordance - gap) / 2, 1 - discordance]
            mass = multinomial.pmf(np.stack([b, c, n - b - c], axis=-1), n, cells)
            covered.append(exact_coverage(interval, mass, gap))
    assert min(covered) == pytest.approx(least, abs=1e-4)
    assert np.mean(covered) == pytest.approx(mean, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "share", "expected"),
    [
        (50, 1 / 4, 0.973),
        (50, 1 / 10, 0.967),
        (50, 1 / 50, 0.9999),
        (500, 1 / 4, 0.958),
        (500, 1 / 10, 0.965),
        (500, 1 / 50, 0.968),
    ],
)
def test_coverage_of_the_graded_interval_where_most_differences_are_0(
    n: int, share: float, expected: float
) -> None:
    """A share of the differences is uniform on (-.4, 1), the others 0; 20,000 simulations."""
    rng = np.random.default_rng([n, round(1 / share)])
    d = (rng.random((n, 20_000)) < share) * rng.uniform(-0.4, 1.0, (n, 20_000))
    interval = graded_verdicts(d).interval
    covered = np.mean((interval.low <= share * 0.3) & (interval.high >= share * 0.3))
    error = np.sqrt(expected * (1 - expected) / 20_000)
    assert abs(float(covered) - expected) < 4 * np.sqrt(2) * error


@pytest.mark.parametrize(("solved", "n"), [(0, 7), (7, 7), (81, 263), (5, 10), (11_999, 12_032)])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_wilson_is_that_of_scipy(solved: int, n: int, confidence: float) -> None:
    expected = stats.binomtest(solved, n).proportion_ci(confidence, method="wilson")
    low, high = wilson_interval(solved, n, confidence=confidence)
    np.testing.assert_allclose([low, high], [expected.low, expected.high], rtol=1e-12, atol=1e-15)


def test_student_is_that_of_scipy_on_the_items_that_are_there() -> None:
    values = np.random.default_rng(3).beta(2, 3, (40, 3))
    values[:10, 1] = np.nan
    values[1:, 2] = np.nan
    low, high = mean_interval(values, confidence=0.9)
    for j in range(2):
        own = values[~np.isnan(values[:, j]), j]
        expected = stats.t.interval(0.9, len(own) - 1, own.mean(), stats.sem(own))
        np.testing.assert_allclose([low[j], high[j]], expected, rtol=1e-12)
    assert np.isnan([low[2], high[2]]).all()


def test_no_item_has_no_interval() -> None:
    assert np.isnan(wilson_interval(0, 0)).all()


def test_more_solved_than_there_are() -> None:
    with pytest.raises(InvalidArgument, match="solved must be at most n_items"):
        wilson_interval(3, 2)


@pytest.mark.parametrize("n", [50, 500, 5000])
def test_coverage_of_wilson_on_average_over_accuracies(n: int) -> None:
    """Exact: sums of binomial probabilities, no draws. Its mean over p is at the nominal."""
    solved = np.arange(n + 1)
    low, high = wilson_interval(solved, n)
    p = np.linspace(0.02, 0.98, 97)[:, np.newaxis]
    inside = (low <= p) & (p <= high)
    coverage = np.sum(stats.binom.pmf(solved, n, p) * inside, axis=1)
    assert abs(coverage.mean() - 0.95) < 0.005
    assert coverage.min() > 0.92
