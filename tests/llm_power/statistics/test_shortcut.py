"""Oracle tests of eq. (9).

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
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import proportion_effectsize

from llm_power._errors import InvalidArgument
from llm_power._statistics.shortcut import (
    cohens_h,
    miller_unpaired_required_n,
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


def test_equal_accuracies_need_infinitely_many_items() -> None:
    assert shortcut_required_n(0.6, 0.6, 1.0) == np.inf
    assert miller_unpaired_required_n(0.6, 0.6) == np.inf


def test_undefined_correlation_stays_undefined() -> None:
    assert np.isnan(shortcut_required_n(0.7, 0.6, np.nan))


def test_bad_arguments_are_named() -> None:
    with pytest.raises(InvalidArgument, match="p1 must lie in"):
        cohens_h(1.2, 0.5)
