"""Oracle tests of eqs. (5) to (8) and of the summary of a 2 x 2 table.

R 4.2.2 session::

    > s2 <- .65*.35+.6*.4-2*.3*sqrt(.65*.35*.6*.4); s2; K*s2/.05^2
    [1] 0.327300142653425
    [1] 1027.57578268881
    > x <- rep(c(1,1,0,0), c(500,98,94,480)); y <- rep(c(1,0,1,0), c(500,98,94,480))
    > cor(x,y); var(x-y)*(length(x)-1)/length(x)
    [1] 0.672278997374433
    [1] 0.163810877237941
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import proportion_effectsize

from llm_power._errors import InvalidArgument
from llm_power._statistics.inversion import z_sum
from llm_power._statistics.paired_binary import (
    admissible_rho,
    attainable,
    cohens_h,
    miller_unpaired_required_n,
    paired_difference_variance,
    required_n_discordance,
    required_n_paired_binary,
    shortcut_required_n,
    summarize_counts,
    unpaired_required_n_per_arm,
)

cells = st.tuples(*[st.integers(0, 3000)] * 4).filter(lambda t: sum(t) > 0)
accuracies = st.floats(0.02, 0.98)


def test_variance_and_required_n_equal_r() -> None:
    np.testing.assert_allclose(
        paired_difference_variance(0.65, 0.60, 0.30), 0.327300142653425, rtol=1e-10
    )
    np.testing.assert_allclose(
        required_n_paired_binary(0.65, 0.60, 0.30), 1027.57578268881, rtol=1e-10
    )


def test_summary_equals_r() -> None:
    summary = summarize_counts(500, 98, 94, 480)
    np.testing.assert_allclose(summary.rho, 0.672278997374433, rtol=1e-10)
    np.testing.assert_allclose(summary.var_d, 0.163810877237941, rtol=1e-10)


@given(cells)
def test_summary_equals_item_level_moments(cell: tuple[int, int, int, int]) -> None:
    n11, b, c, n00 = cell
    x = np.repeat([1.0, 1.0, 0.0, 0.0], cell)
    y = np.repeat([1.0, 0.0, 1.0, 0.0], cell)
    summary = summarize_counts(*cell)
    np.testing.assert_allclose(summary.delta, np.mean(x) - np.mean(y), atol=1e-12)
    np.testing.assert_allclose(summary.var_d, np.var(x - y), rtol=1e-9, atol=1e-12)
    if min(x.std(), y.std()) > 0:
        np.testing.assert_allclose(summary.rho, np.corrcoef(x, y)[0, 1], rtol=1e-9, atol=1e-9)
    else:
        assert np.isnan(summary.rho)


@given(cells)
def test_three_forms_of_required_n_agree(cell: tuple[int, int, int, int]) -> None:
    n11, b, c, n00 = cell
    summary = summarize_counts(*cell)
    np.testing.assert_allclose(required_n_discordance(b, c, sum(cell)), summary.n_star, rtol=1e-12)
    if b == c:
        assert summary.n_star == np.inf
        assert summary.q == 0
        return
    k = float(z_sum(0.05, 0.8)) ** 2
    exact = k * float(Fraction(sum(cell) * (b + c), (b - c) ** 2) - 1)
    np.testing.assert_allclose(summary.n_star, exact, rtol=1e-9, atol=1e-9)
    if not np.isnan(summary.rho) and summary.var_d > 0:
        marginal = required_n_paired_binary(summary.p_a, summary.p_b, summary.rho)
        np.testing.assert_allclose(marginal, summary.n_star, rtol=1e-6, atol=1e-6)


@given(accuracies, accuracies)
def test_admissible_rho_equals_the_linear_program(p_a: float, p_b: float) -> None:
    # The joint probability p11 is the only freedom; its extremes come from the simplex.
    lower, upper = admissible_rho(p_a, p_b)
    scale = np.sqrt(p_a * (1 - p_a) * p_b * (1 - p_b))
    equalities = [[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]]
    for sign, bound in ((1.0, lower), (-1.0, upper)):
        found = linprog([sign, 0, 0, 0], A_eq=equalities, b_eq=[p_a, p_b, 1], method="highs")
        extreme = (sign * float(found.fun) - p_a * p_b) / scale  # type: ignore[arg-type]
        np.testing.assert_allclose(float(bound), extreme, atol=1e-7)


@pytest.mark.parametrize(("p_a", "p_b"), [(0, 0.5), (1, 0.5), (0.5, 0), (0.5, 1), (1, 1)])
def test_a_score_that_never_varies_has_no_correlation(p_a: float, p_b: float) -> None:
    assert [float(end) for end in admissible_rho(p_a, p_b)] == [0, 0]


def test_rho_beyond_the_bounds_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"rho must lie in \[-0.599145, 0.898717\]"):
        paired_difference_variance(0.65, 0.60, 0.95)


def test_rho_on_the_bound_is_accepted() -> None:
    _, upper = admissible_rho(0.7, 0.4)
    # All discordant items favor A: sigma_D^2 = delta (1 - delta).
    np.testing.assert_allclose(paired_difference_variance(0.7, 0.4, upper), 0.3 * 0.7, rtol=1e-10)


def test_constant_scores_admit_no_correlation() -> None:
    lower, upper = admissible_rho([0.0, 1.0, 0.5], [0.5, 0.5, 1.0])
    np.testing.assert_array_equal(lower, 0.0)
    np.testing.assert_array_equal(upper, 0.0)


def test_verdict_needs_six_discordant_items() -> None:
    np.testing.assert_array_equal(attainable([0, 5, 6, 7]), [False, False, True, True])
    np.testing.assert_array_equal(attainable([7, 8], alpha=0.01), [False, True])


def test_ties_and_perfect_agreement_are_quiet() -> None:
    summary = summarize_counts([0, 10], [3, 0], [3, 0], [0, 0])
    np.testing.assert_array_equal(summary.n_star, [np.inf, np.inf])
    np.testing.assert_array_equal(summary.resolved, [False, False])
    assert np.isnan(summary.rho[1])


def test_resolved_and_attainable_are_two_questions() -> None:
    # Five of ten items discordant, all one way: q > 1 by the normal approximation, and yet
    # no exact test can reach 0.05 with five discordant items.
    summary = summarize_counts(5, 5, 0, 0)
    assert summary.resolved
    assert not summary.attainable


def test_every_item_discordant_one_way_needs_no_items() -> None:
    summary = summarize_counts(0, 9, 0, 0)
    assert summary.n_star == 0
    assert summary.q == np.inf
    assert summary.resolved


def test_impossible_counts_are_named() -> None:
    with pytest.raises(InvalidArgument, match="every pair needs at least one item"):
        summarize_counts(0, 0, 0, 0)
    with pytest.raises(InvalidArgument, match="n11 must not be negative, got -1.0"):
        summarize_counts(-1, 0, 0, 4)
    with pytest.raises(InvalidArgument, match="n_items must be positive and at least b"):
        required_n_discordance(6, 5, 10)


def test_variance_keeps_its_digits_where_nearly_all_items_are_discordant() -> None:
    b, c, n = 10**7 - 1, 0, 10**7
    expected = float(Fraction(b + c, n) - Fraction(b - c, n) ** 2)
    assert float(summarize_counts(0, b, c, 1).var_d) == pytest.approx(expected, rel=1e-15)
    assert float(summarize_counts(0, 7, 0, 0).var_d) == 0


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
