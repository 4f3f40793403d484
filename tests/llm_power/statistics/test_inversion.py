"""Oracle tests of eqs. (1) to (4).

R 4.2.2 session::

    > za <- qnorm(.975); zb <- qnorm(.8); K <- (za+zb)^2; za+zb; K
    [1] 2.80158521811297
    [1] 7.84887973434909
    > pnorm(.02*sqrt(3000)/.4-za)
    [1] 0.781906688828427
    > pnorm(-za-.02*sqrt(3000)/.4)+1-pnorm(za-.02*sqrt(3000)/.4)
    [1] 0.78190799873198
    > (za+zb)*.4/sqrt(3000)
    [1] 0.02045988560978
    > ((qnorm(1-.01/2)+qnorm(.9))*.4/.02)^2
    [1] 5951.75486769941
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import normal_power_het

from llm_power._errors import InvalidArgument
from llm_power._statistics.inversion import (
    exact_two_sided_power,
    minimum_detectable_effect,
    required_n,
    resolution_ratio,
    wald_power,
    z_sum,
)

RTOL = 1e-10
gaps = st.floats(1e-6, 0.9)
deviations = st.floats(1e-3, 1.0)
levels = st.floats(1e-12, 0.2)
powers = st.floats(0.3, 0.999)


def test_z_sum_equals_r() -> None:
    np.testing.assert_allclose(z_sum(0.05, 0.8), 2.80158521811297, rtol=RTOL)


def test_required_n_equals_r() -> None:
    np.testing.assert_allclose(required_n(0.05, np.sqrt(0.327300142653425)), 1027.57578268881, RTOL)
    np.testing.assert_allclose(
        required_n(-0.02, 0.4, alpha=0.01, power=0.9), 5951.75486769941, RTOL
    )


def test_mde_equals_r() -> None:
    np.testing.assert_allclose(minimum_detectable_effect(3000, 0.4), 0.02045988560978, rtol=RTOL)


def test_power_equals_r() -> None:
    np.testing.assert_allclose(wald_power(0.02, 0.4, 3000), 0.781906688828427, rtol=RTOL)
    np.testing.assert_allclose(exact_two_sided_power(-0.02, 0.4, 3000), 0.78190799873198, RTOL)


@pytest.mark.parametrize(("delta", "n"), [(0.005, 500), (0.02, 3000), (0.1, 90)])
def test_exact_power_equals_statsmodels(delta: float, n: int) -> None:
    expected = normal_power_het(delta, n, 0.05, std_null=0.4, alternative="two-sided")
    np.testing.assert_allclose(exact_two_sided_power(delta, 0.4, n), expected, rtol=RTOL)


def test_far_region_is_below_a_thousandth_at_the_usual_power() -> None:
    # Footnote 1 of the paper.
    n = required_n(0.02, 0.4)
    far = exact_two_sided_power(0.02, 0.4, n) - wald_power(0.02, 0.4, n)
    assert 0 < far < 1e-3


@given(gaps, deviations, levels, powers)
def test_required_n_gives_back_the_power(
    delta: float, sigma_d: float, alpha: float, power: float
) -> None:
    n = required_n(delta, sigma_d, alpha=alpha, power=power)
    np.testing.assert_allclose(wald_power(delta, sigma_d, n, alpha=alpha), power, rtol=1e-9)


@given(gaps, deviations, levels, powers)
def test_mde_at_required_n_is_the_gap(
    delta: float, sigma_d: float, alpha: float, power: float
) -> None:
    n = required_n(delta, sigma_d, alpha=alpha, power=power)
    mde = minimum_detectable_effect(n, sigma_d, alpha=alpha, power=power)
    np.testing.assert_allclose(mde, delta, rtol=RTOL)


def test_ratio_is_the_squared_wald_statistic() -> None:
    # Section 3: q = T^2 / (z + z)^2.
    q = resolution_ratio(3000, required_n(0.02, 0.4))
    np.testing.assert_allclose(q, (0.02 * np.sqrt(3000) / 0.4 / z_sum(0.05, 0.8)) ** 2, rtol=RTOL)


def test_zero_gap_needs_infinitely_many_items() -> None:
    n_star = required_n([0.0, 0.0, 0.1], [0.4, 0.0, 0.0])
    np.testing.assert_array_equal(n_star, [np.inf, np.inf, 0.0])
    np.testing.assert_array_equal(resolution_ratio(100, n_star), [0.0, 0.0, np.inf])


def test_undefined_need_gives_an_undefined_ratio() -> None:
    assert np.isnan(resolution_ratio(100, np.nan))


def test_levels_broadcast() -> None:
    n_star = required_n(0.02, 0.4, alpha=[0.05, 0.05 / 40])
    assert n_star.shape == (2,)
    # Section 6.3: Bonferroni over 40 pairs multiplies N* by about 2.11.
    assert n_star[1] / n_star[0] == pytest.approx(2.11, abs=0.005)


def test_power_at_zero_gap_is_the_level() -> None:
    np.testing.assert_allclose(exact_two_sided_power(0.0, 0.4, 100, alpha=0.03), 0.03, rtol=RTOL)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: required_n(0.1, 0.4, alpha=0.0),
            "alpha must lie strictly between .* got 0.0",
        ),
        (
            lambda: required_n(0.1, 0.4, power=1.0),
            "power must lie strictly between .* got 1.0",
        ),
        (lambda: required_n(0.1, 0.4, alpha=0.5, power=0.1), "power must exceed alpha / 2"),
        (lambda: required_n(np.nan, 0.4), "delta must be finite, got nan"),
        (lambda: required_n(0.1, -0.4), "sigma_d must not be negative, got -0.4"),
        (lambda: minimum_detectable_effect(0, 0.4), "n_items must be positive, got 0.0"),
        (lambda: resolution_ratio(10, -1), "n_star must not be negative, got -1.0"),
        (
            lambda: minimum_detectable_effect([9, -1, -2], 0.4),
            "n_items must be positive, got -1.0",
        ),
        (lambda: wald_power(0.1, 0.0, 10), "sigma_d must be positive, got 0.0"),
    ],
)
def test_bad_arguments_are_named(call: Callable[[], object], text: str) -> None:
    with pytest.raises(InvalidArgument, match=text):
        call()
