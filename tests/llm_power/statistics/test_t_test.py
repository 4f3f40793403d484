"""The paired t test from sums, against scipy; equal differences by the sign test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm, skew, ttest_1samp

from llm_power._statistics.random_streams import named_rng
from llm_power._statistics.t_test import below, normal_skewness, shift_of_power, t_test_p_value


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


@pytest.mark.parametrize(("units", "shift", "end"), [(2, 636_620, 636_620), (2, 8e5, 636_620)])
def test_a_noncentral_t_beyond_scipys_reach_is_an_integral_over_chi(
    units: int, shift: float, end: float
) -> None:
    """Of one degree of freedom chi is half normal; the mirrored chance is the rest."""
    expected = quad(
        lambda c: 2 * norm.pdf(c) * norm.cdf(end * c - shift), 0, 8, points=[shift / end]
    )
    np.testing.assert_allclose(below(units - 1, shift, end), expected[0], atol=1e-7)
    np.testing.assert_allclose(below(units - 1, -shift, -end), 1 - expected[0], atol=1e-7)
    np.testing.assert_allclose(below(2, [60.0, -60.0], [-5.0, 5.0]), [0, 1], atol=1e-12)


def test_two_units_have_the_power_at_a_small_level() -> None:
    shift, end = float(shift_of_power(2, 1e-6, 0.8)), 636_619.772
    kink = shift / end
    found = quad(lambda c: 2 * norm.pdf(c) * norm.sf(end * c - shift), 0, 8, points=[kink])
    np.testing.assert_allclose(found[0], 0.8, atol=1e-6)
