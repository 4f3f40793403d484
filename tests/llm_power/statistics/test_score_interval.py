"""Intervals of single scores against scipy, and their coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from llm_power import InvalidArgument
from llm_power._statistics.score_interval import mean_interval, wilson_interval


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
