"""Oracle tests of eq. (9), Lemma 1 and Corollary 1.

R 4.2.2 with pwr 1.3.0::

    > h <- ES.h(.65, .6); h; K/h^2; .7*K/h^2
    [1] 0.103334733225067
    [1] 735.046864538634
    [1] 514.532805177044
    > K*(.65*.35+.6*.4)/.05^2
    [1] 1467.74051032328
    > pwr.2p.test(h=ES.h(.65,.6), sig.level=.05, power=.8)$n    # 2K/h^2, not K/h^2
    [1] 1470.09
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import asin, mp, mpf, sqrt
from mpmath import sin as mp_sin
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import proportion_effectsize

from llm_power.errors import InvalidArgument
from llm_power.statistics.paired_binary import admissible_rho, required_n_paired_binary
from llm_power.statistics.shortcut import (
    admissible_delta,
    cohens_h,
    miller_unpaired_required_n,
    shortcut_constant,
    shortcut_ratio_expansion,
    shortcut_required_n,
    unpaired_required_n_per_arm,
)

accuracies = st.floats(0.05, 0.95)


def test_shortcut_equals_r() -> None:
    np.testing.assert_allclose(cohens_h(0.65, 0.60), 0.103334733225067, rtol=1e-10)
    np.testing.assert_allclose(unpaired_required_n_per_arm(0.65, 0.60), 735.046864538634, 1e-10)
    np.testing.assert_allclose(shortcut_required_n(0.65, 0.60, 0.30), 514.532805177044, rtol=1e-10)
    np.testing.assert_allclose(miller_unpaired_required_n(0.65, 0.60), 1467.74051032328, 1e-10)


@given(accuracies, accuracies)
def test_cohens_h_equals_statsmodels(p1: float, p2: float) -> None:
    np.testing.assert_allclose(cohens_h(p1, p2), proportion_effectsize(p1, p2), atol=1e-13)


def test_two_sample_calculators_need_twice_the_printed_per_arm_value() -> None:
    # 2K/h^2 is what statsmodels and R's pwr.2p.test return; both count the far region as well.
    solved = NormalIndPower().solve_power(float(cohens_h(0.65, 0.60)), alpha=0.05, power=0.8)
    assert solved == pytest.approx(2 * float(unpaired_required_n_per_arm(0.65, 0.60)), rel=1e-5)
    assert solved == pytest.approx(1470.09, abs=0.005)


@pytest.mark.parametrize(("p", "rho"), [(0.5, 0.0), (0.65, 0.3), (0.8, 0.5), (0.3, -0.2)])
def test_constant_is_the_limit_of_the_exact_ratio(p: float, rho: float) -> None:
    with mp.workdps(60):
        delta = mpf(10) ** -8
        a, b = mpf(p) + delta / 2, mpf(p) - delta / 2
        h = 2 * asin(sqrt(a)) - 2 * asin(sqrt(b))
        assert mp_sin(h) != 0
        ua, ub = a * (1 - a), b * (1 - b)
        variance = ua + ub - 2 * mpf(rho) * sqrt(ua * ub)
        ratio = (1 - mpf(rho)) * delta**2 / (h**2 * variance)
        limit = float((ratio - mpf(1) / 2) / delta**2)
    np.testing.assert_allclose(shortcut_constant(p, rho), abs(limit), rtol=1e-10)
    signed = (float(shortcut_ratio_expansion(p, 0.1, rho)) - 0.5) / 0.01
    np.testing.assert_allclose(signed, limit, rtol=1e-10)


def test_constant_at_one_half_does_not_depend_on_rho() -> None:
    # Lemma 1: C(1/2, rho) = 1/3.
    np.testing.assert_allclose(shortcut_constant(0.5, [0.0, 0.5, 0.9]), 1 / 3, rtol=1e-12)


@pytest.mark.parametrize(
    ("p", "rho", "printed"), [(0.65, 0.0, 0.31), (0.8, 0.5, 0.80), (0.65, 0.9, 0.67)]
)
def test_constants_printed_in_appendix_a(p: float, rho: float, printed: float) -> None:
    assert shortcut_constant(p, rho) == pytest.approx(printed, abs=0.005)


def test_admissible_delta_printed_in_corollary_1() -> None:
    assert admissible_delta(0.65, 0.30, 0.05) == pytest.approx(0.43, abs=0.005)


@given(st.floats(0.3, 0.7), st.floats(0.0, 0.7), st.floats(0.001, 0.05))
def test_shortcut_is_about_half_at_small_gaps(p: float, rho: float, delta: float) -> None:
    a, b = p + delta / 2, p - delta / 2
    if rho > admissible_rho(a, b)[1]:
        return
    ratio = shortcut_required_n(a, b, rho) / required_n_paired_binary(a, b, rho)
    # The remainder is of fourth order; its constant stays below 60 on this compact set.
    assert abs(ratio - shortcut_ratio_expansion(p, delta, rho)) < 60 * delta**4


def test_equal_accuracies_need_infinitely_many_items() -> None:
    assert shortcut_required_n(0.6, 0.6, 1.0) == np.inf
    assert miller_unpaired_required_n(0.6, 0.6) == np.inf


def test_undefined_correlation_stays_undefined() -> None:
    assert np.isnan(shortcut_required_n(0.7, 0.6, np.nan))


def test_bad_arguments_are_named() -> None:
    with pytest.raises(InvalidArgument, match="p1 must lie in"):
        cohens_h(1.2, 0.5)
    with pytest.raises(InvalidArgument, match=r"rho must lie in \[-1, 1\), got|rho must lie in"):
        shortcut_constant(0.5, 1.0)
    with pytest.raises(InvalidArgument, match="p must lie strictly between 0 and 1"):
        shortcut_constant(1.0, 0.2)
    with pytest.raises(InvalidArgument, match="epsilon must be positive, got 0.0"):
        admissible_delta(0.6, 0.3, 0.0)
