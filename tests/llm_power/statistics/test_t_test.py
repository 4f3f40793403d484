"""The paired t test from sums, against scipy; equal differences by the sign test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import skew, ttest_1samp

from llm_power._statistics.random_streams import named_rng
from llm_power._statistics.t_test import normal_skewness, t_test_p_value


def p_value(differences: np.ndarray) -> float:
    moved = differences - differences[0]
    squares = np.asarray(np.square(moved - moved.mean()).sum())
    delta = np.asarray(differences[0] + moved.mean())
    return float(t_test_p_value(delta, squares, np.asarray(differences.size)))


def test_t_equals_scipy() -> None:
    for pair in named_rng(1, "t").uniform(-1, 1, (6, 40)) + 0.1:
        assert p_value(pair) == pytest.approx(ttest_1samp(pair, 0).pvalue, rel=1e-10)


def test_equal_differences_are_judged_by_the_sign_test() -> None:
    for n in range(1, 9):
        assert p_value(np.full(n, 0.1)) == min(1, 2.0 ** (1 - n))
    assert p_value(np.zeros(20)) == 1
    assert np.isnan(t_test_p_value(np.asarray(np.nan), np.zeros(()), np.asarray(0)))


@pytest.mark.parametrize("units", [40, 200])
def test_nodes_of_a_normal_samples_skewness_have_its_moments(units: int) -> None:
    sample = named_rng(0, "skewness").normal(size=(units, 20_000))
    drawn = skew(sample) / np.sqrt(units)
    nodes = normal_skewness(units)
    np.testing.assert_allclose(nodes.mean(), 0, atol=1e-12)
    # The Monte Carlo error of the deviation is half a percent; 64 nodes lose 1.5 percent.
    np.testing.assert_allclose(nodes.std(), drawn.std(), rtol=0.03)
