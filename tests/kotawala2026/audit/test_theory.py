"""Evidence from mathematics, Table 1's formulas and displayed scores, against other routes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from statistics import NormalDist

import mpmath
import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import norm
from second_derivations_calculators import mean
from second_derivations_paper import K, cohens_h, constant, counts_n_star, shortcut_ratio

from findings_by_name import Sets, Values
from kotawala2026.findings import on_printed_numbers
from kotawala2026.quantities.closed_forms import Expansion, taylor_coefficient
from kotawala2026.quantities.grounds import PublishedNumbers
from kotawala2026.quantities.unpaired import _recovered
from llm_power_audit._errors import UNDEFINED
from replication.findings import Finding

TOPICS = {
    *{"displayed_scores", "closed_forms", "shortcut", "unpaired", "anytime"},
}


@pytest.fixture(scope="module")
def rows(evidence: list[Finding]) -> list[Finding]:
    return [row for row in evidence if row.topic in TOPICS]


def ratio(p: float, rho: float, delta: float) -> float:
    return shortcut_ratio(p + delta / 2, p - delta / 2, rho)


def test_every_row_says_how_it_follows(rows: list[Finding]) -> None:
    assert {row.topic for row in rows} == TOPICS
    assert all(row.method and row.quantity for row in rows)
    assert {row.basis for row in rows} <= {"derived", "displayed", "counts"}


@pytest.mark.parametrize(
    ("n", "verdicts"),
    [
        (100.4, ["recovered", "recovered"]),
        (99.1, ["missed", "recovered"]),
        (101.1, ["missed", "missed"]),
    ],
)
def test_a_number_is_recovered_to_the_item_or_within_one_percent(
    n: float, verdicts: list[str]
) -> None:
    assert [row.value for row in _recovered("formula", n, 100.0)] == verdicts
    assert next(_recovered("formula", 64.5, 64.0)).value == "recovered"


# Lemma 1 and Appendix A


@pytest.mark.parametrize(("p", "rho"), [(0.35, -0.2), (0.5, 0.3), (0.65, 0.9), (0.8, 0.6)])
@pytest.mark.parametrize("function", ["variance", "h2_scaled", "root_of_product", "ratio"])
def test_taylor_coefficients_are_those_of_mpmath(p: float, rho: float, function: str) -> None:
    def h2(delta: mpmath.mpf) -> mpmath.mpf:
        a, b = p + delta / 2, p - delta / 2
        return (2 * mpmath.asin(mpmath.sqrt(a)) - 2 * mpmath.asin(mpmath.sqrt(b))) ** 2

    def root(delta: mpmath.mpf) -> mpmath.mpf:
        a, b = p + delta / 2, p - delta / 2
        return mpmath.sqrt(a * (1 - a) * b * (1 - b))

    def variance(delta: mpmath.mpf) -> mpmath.mpf:
        a, b = p + delta / 2, p - delta / 2
        return a * (1 - a) + b * (1 - b) - 2 * rho * root(delta)

    # Even functions of delta: f(x) = c0 + c2 x^2 + c4 x^4, solved at three tiny steps.
    functions = {
        "variance": variance,
        "root_of_product": root,
        "h2_scaled": lambda x: p * (1 - p) * h2(x) / x**2,
        "ratio": lambda x: (1 - rho) * x**2 / (h2(x) * variance(x)),
    }
    with mpmath.workdps(60):
        steps = [mpmath.mpf(10) ** -6 * k for k in (1, 2, 3)]
        matrix = mpmath.matrix([[1, x**2, x**4] for x in steps])
        values = mpmath.matrix([functions[function](x) for x in steps])  # type: ignore[no-untyped-call]
        oracle = mpmath.lu_solve(matrix, values)
        zeroth, second = float(oracle[0]), float(oracle[1])
    own = Expansion(p, rho)
    assert own.coefficient(function, 0) == pytest.approx(zeroth, rel=1e-10)
    assert own.coefficient(function, 2) == pytest.approx(second, rel=1e-9)


def test_taylor_coefficient_of_the_exponential() -> None:
    assert taylor_coefficient(np.exp, 3) == pytest.approx(1 / 6, rel=1e-11)


@pytest.mark.parametrize(
    "equation",
    ["phi'''/phi'", *(f"eq. ({n})" for n in (11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22))],
)
def test_printed_coefficients_hold(equation: str, found: Values) -> None:
    assert found["coefficient_over_printed", equation] == pytest.approx(1, abs=1e-10)


def test_orders_of_the_ratio(found: Values) -> None:
    assert found["shortcut_ratio_coefficient", "order 0"] == pytest.approx(0.5, abs=1e-12)
    assert found["shortcut_ratio_coefficient", "order 1"] == pytest.approx(0, abs=1e-12)
    assert found["shortcut_ratio_coefficient", "order 3"] == pytest.approx(0, abs=1e-10)


def test_constants_in_exact_arithmetic(found: Values) -> None:
    f = Fraction
    exact = {
        "p = 0.5, rho = 0.3": constant(f(1, 2), f(3, 10)),
        "p = 0.65, rho = 0": constant(f(13, 20), f(0)),
        "p = 0.8, rho = 0.5": constant(f(4, 5), f(1, 2)),
        "p = 0.65, rho = 0.9": constant(f(13, 20), f(9, 10)),
    }
    assert exact["p = 0.5, rho = 0.3"] == f(1, 3)
    for subject, value in exact.items():
        assert found["constant", subject] == pytest.approx(float(value), rel=1e-12)
    off = found["change_of_printed_constant", "from (0.65, 0) to (0.8, 0.5)"]
    assert off == pytest.approx(0.80 - 0.31, abs=1e-12)


def test_side_of_one_half(found: Values) -> None:
    for p, rho in ((0.5, 0.3), (0.8, 0.5)):
        side = "above" if ratio(p, rho, 0.01) > 0.5 else "below"
        assert found["side_of_one_half", f"p = {p:g}, rho = {rho:g}"] == side


def test_corollary_1(found: Values) -> None:
    gap = math.sqrt(0.05 / float(constant(Fraction(13, 20), Fraction(3, 10))))
    assert found["admissible_gap", ""] == pytest.approx(gap, rel=1e-12)
    assert found["shortcut_ratio_at_admissible_gap", "0.43"] == pytest.approx(
        ratio(0.65, 0.3, 0.43), rel=1e-12
    )


def rho_bounds(p: float, q: float) -> tuple[float, float]:
    """Least and largest correlation of two 0/1 scores, by linear programming."""
    table = [[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0]]
    ends = [
        linprog([sign, 0, 0, 0], A_eq=table, b_eq=[1, p, q], bounds=(0, 1))["fun"] * sign
        for sign in (1, -1)
    ]
    scale = math.sqrt(p * (1 - p) * q * (1 - q))
    return (ends[0] - p * q) / scale, (ends[1] - p * q) / scale


def test_admissible_correlations(found: Values) -> None:
    assert found["correlation_bound_error", "eq. (7)"] == pytest.approx(0, abs=1e-12)
    assert found["correlation_bound_error", "eq. (8)"] == pytest.approx(0, abs=1e-12)
    # The corner rho = 0.7, delta = 0.20 of Appendix A's grid.
    beyond = sum(rho_bounds(p + 0.1, p - 0.1)[1] < 0.7 for p in (0.5, 0.65, 0.8))
    assert found["inadmissible_corners", "rho = 0.7, delta = 0.20"] == beyond == 3


def test_normal_approximation(found: Values) -> None:
    # R 4.2.2: print(qnorm(0.975) + qnorm(0.8), digits = 15) gives 2.80158521811297
    assert found["z_sum", ""] == pytest.approx(2.80158521811297, rel=1e-13)
    mu = norm.isf(0.025) + norm.isf(0.2)
    assert found["far_tail_power", ""] == pytest.approx(norm.cdf(-norm.isf(0.025) - mu), rel=1e-10)
    assert found["near_tail_power", ""] == pytest.approx(0.8, rel=1e-12)


def test_arcsine_is_odd_about_one_half_alone(found: Values) -> None:
    with mpmath.workdps(40):
        second = mpmath.diff(lambda t: mpmath.asin(mpmath.sqrt(t)), mpmath.mpf("0.65"), 2)
    assert found["arcsine_second_derivative", "p = 0.65"] == pytest.approx(float(second), rel=1e-9)
    assert found["arcsine_second_derivative", "p = 0.5"] == 0


def test_gain_of_pairing_is_the_textbook_value_at_nearly_equal_accuracies(found: Values) -> None:
    assert found["gain_over_textbook_limit", ""] == pytest.approx(1, abs=1e-6)


def test_added_standard_errors_of_miller_are_unpaired(found: Values) -> None:
    # Two questions with success probabilities (9/10, 8/10) and (2/10, 4/10), one answer each.
    f = Fraction
    a, b = (f(9, 10), f(2, 10)), (f(8, 10), f(4, 10))
    within = mean(x * (1 - x) for x in a) + mean(y * (1 - y) for y in b)
    independent = mean(a) * (1 - mean(a)) + mean(b) * (1 - mean(b))
    # The two squared standard errors, times n
    between = sum((mean((x - mean(scores)) ** 2 for x in scores) for scores in (a, b)), f(0))
    assert between + within == independent
    assert found["miller_standard_error", ""] == "unpaired"


# Table 1


def test_calculators(found: Values) -> None:
    one = K / cohens_h(0.65, 0.60) ** 2
    # The two rows that the paper prints otherwise are derived twice.
    for name, value in (("Cohen 1988, Eq. 6.3.2", one), ("statsmodels.NormalIndPower", 2 * one)):
        assert found["per_arm", name] == pytest.approx(value, rel=1e-10)
        assert found["times_one_minus_rho", name] == pytest.approx(0.7 * value, rel=1e-10)
    # data/recorded: pwr.2p.test(h = ES.cohens_h(0.65, 0.60), ...) counts the far tail as well.
    assert found["per_arm", "R pwr::pwr.2p.test"] == pytest.approx(1470.090128455628, abs=0.005)
    assert found["table_1_cells_by_rule", "up"] == 9


def test_convention_of_the_last_row(found: Values) -> None:
    u, v = 0.65 * 0.35, 0.6 * 0.4
    without_k = (u + v - 2 * 0.3 * math.sqrt(u * v)) / 0.05**2
    assert found["printed_convention", "llm_power (paired)"] == pytest.approx(without_k, rel=1e-10)
    assert found["printed_convention_times_k", "llm_power (paired)"] == pytest.approx(
        K * without_k, rel=1e-10
    )


def test_table_1_must_have_its_rows(numbers: PublishedNumbers) -> None:
    short = dataclasses.replace(numbers, tables={**numbers.tables, 1: numbers.tables[1][:4]})
    undefined = [f for f in on_printed_numbers(short, {"unpaired"}) if f.quantity == UNDEFINED]
    assert undefined
    assert all("5 rows, got 4" in f.method for f in undefined)


# Displayed scores


def test_board_scores(numbers: PublishedNumbers, found: Values) -> None:
    scores: dict[str, list[Fraction]] = {}
    for score in numbers.board_scores["oll_v1"]:
        scores.setdefault(score.task, []).append(Fraction(score.score.text))
    pairs = [pair for task in scores.values() for pair in combinations(task, 2)]
    assert found["oll_v1_pairs", ""] == len(pairs) == 40
    close = sum(abs(a - b) <= 5 for a, b in pairs)
    assert found["oll_v1_pairs_within_5pp", ""] == close == 17
    everything = [p for task in scores.values() for p in task]
    for points in (5, 10, 15):
        near = sum(abs(p - 50) <= points for p in everything) / len(everything)
        share = found["share_of_accuracies_near_half", f"OLL v1, within {points} pp"]
        assert share == pytest.approx(near)


def test_no_pair_reaches_the_printed_maximum(sets: Sets) -> None:
    # GSM8K 68.69 against 29.19; Section 4 prints 0.562.
    p, delta = (0.6869 + 0.2919) / 2, 0.6869 - 0.2919
    lower, upper = rho_bounds(0.6869, 0.2919)
    largest = max(ratio(p, rho, delta) for rho in np.linspace(lower, upper, 401)[1:-1])
    least, most = sets["shortcut_ratio_max_over_correlations", ""]
    assert most == pytest.approx(largest, abs=1e-4)
    assert least < most < 0.5615
    # Rounded up to whole items it can be: 9/16 among them.
    least, most = sets["shortcut_ratio_of_whole_items_max_over_correlations", ""]
    assert least < 9 / 16 < most


def test_cells_that_the_text_names_are_admissible(found: Values) -> None:
    """Table 1's, Corollary 1's at its own gap of 0.43, and the last of Appendix A's grid."""
    for p_a, p_b, rho in ((0.65, 0.60, 0.3), (0.865, 0.435, 0.3), (0.9, 0.7, 0.5)):
        assert rho <= rho_bounds(p_a, p_b)[1]
    assert found["inadmissible_named_cells", ""] == 0
    # One step on, ρ = 0.6, the last one is not.
    assert rho_bounds(0.9, 0.7)[1] < 0.6


def test_the_smallest_ratio_is_at_an_end_of_the_admissible_correlations(
    numbers: PublishedNumbers, sets: Sets
) -> None:
    least = []
    for one, other in combinations(numbers.board_scores["oll_v1"], 2):
        p_a, p_b = one.accuracy, other.accuracy
        if one.task == other.task and abs(p_a - p_b) > 0.02:
            low, high = rho_bounds(p_a, p_b)
            least += [shortcut_ratio(p_a, p_b, rho) for rho in (low + 1e-9, high - 1e-9)]
    smallest = sets["shortcut_ratio_min_over_correlations", ""][0]
    assert smallest == pytest.approx(min(least), abs=2e-4)


# Tables 6 and 7


def test_shortcut_on_the_close_pairs(numbers: PublishedNumbers, found: Values) -> None:
    pairs = numbers.close_pairs
    ratios, gains, changed = [], [], 0
    for i in range(len(pairs)):
        n, b, c = int(pairs.n_items[i]), int(pairs.b[i]), int(pairs.c[i])
        solved = round(pairs.p_a[i].value * n)
        p_a, p_b = solved / n, (solved - b + c) / n
        n_star = counts_n_star(b, c, n)
        u, v = p_a * (1 - p_a), p_b * (1 - p_b)
        covariance = (solved - b) / n - p_a * p_b
        n_h = (1 - covariance / math.sqrt(u * v)) * K / cohens_h(p_a, p_b) ** 2
        ratios.append(n_h / n_star)
        gains.append(K * (u + v) / (p_a - p_b) ** 2 / n_star)
        changed += n_h <= n < n_star
    rounded = sum(round(r, 4) == 0.5 for r in ratios)
    assert found["close_pairs_at_half_to_four_decimals", "as real numbers"] == rounded == 3
    assert found["largest_gain", "OLL v1"] == pytest.approx(max(gains), rel=1e-10)
    assert found["verdicts_the_shortcut_changes", "Table 6"] == changed == 0


def test_wald_and_q_agree(found: Values) -> None:
    assert found["q_against_wald", "Tables 6 and 7"] == pytest.approx(0, abs=1e-12)
    assert found["verdicts_against_wald", "Tables 6 and 7"] == 0
    assert found["n_star_at_detectable_gap", ""] == pytest.approx(1, rel=1e-12)
    # Accuracies a few points apart have nearly one variance, and then the gain is 1/(1-rho).
    for table in ("Table 6", "Table 7"):
        limit = 1 / (1 - float(found["smallest_rho", table]))
        assert found["smallest_gain", table] == pytest.approx(limit, rel=5e-3)
    z_a, z_b = NormalDist().inv_cdf(0.975), NormalDist().inv_cdf(0.8)
    threshold = float(found["anytime_inflation_of", "the threshold"]) * z_a
    assert ((threshold + z_b) / (z_a + z_b)) ** 2 == pytest.approx(2.15, rel=1e-12)


def test_numbers_of_the_equations_by_hand(found: Values) -> None:
    def terms(of: Callable[[Fraction, Fraction], Fraction], first: Fraction) -> tuple[float, float]:
        # At p = 1/2 only the term in 1/u = 4 is left; the other one follows at p = 1/5.
        half = of(Fraction(1, 2), Fraction(0)) / 4
        rest = of(Fraction(1, 5), Fraction(1, 2)) - half * Fraction(25, 4)
        return float(first / rest), float(1 / half)

    def h2(p: Fraction, rho: Fraction) -> Fraction:
        u = p * (1 - p)  # a twelfth of the third derivative over the first, eq. (13)
        return (1 / u + 3 * (1 - 2 * p) ** 2 / (4 * u**2)) / 12

    def v2(p: Fraction, rho: Fraction) -> Fraction:
        u = p * (1 - p)  # eq. (18) over 2u(1 - rho)
        bracket = rho * (1 - 2 * p) ** 2 / u - 2 * (1 - rho)
        return bracket / (8 * u * (1 - rho))

    square = Fraction(9, 25) / Fraction(4, 25) ** 2
    for equation, of, first in (
        ("eq. (20)", h2, square),
        ("eq. (21)", v2, square),
        ("eq. (22)", lambda p, rho: h2(p, rho) + v2(p, rho), 3 * square),
    ):
        for name, value in zip(("(1 - 2p)^2", "1/u"), terms(of, first), strict=True):
            assert found["denominator", f"{equation}, {name}"] == pytest.approx(value, rel=1e-9)
    assert found["factor_of_constant", ""] == pytest.approx(0.5, rel=1e-9)


def test_bounds_of_the_largest_gain_hold_the_printed_one(rows: list[Finding]) -> None:
    bounds = {row.quantity: row for row in rows if row.subject == "OLL v1"}
    gain, residual = bounds["largest_gain"], bounds["largest_residual"]
    assert gain.lower == pytest.approx(5.393, abs=5e-4)  # HellaSwag, Table 6
    # HellaSwag, 84.88 and 82.47: 242 items apart, and none that the worse one solves alone.
    p_a, p_b = 8524 / 10042, 8282 / 10042
    most = (p_a * (1 - p_a) + p_b * (1 - p_b)) / (p_a - p_b - (p_a - p_b) ** 2)
    assert gain.upper >= 0.99 * most
    assert residual.lower < 0.062 < residual.upper


def test_median_error_depends_on_the_steps(found: Values) -> None:
    medians = {s: v for (q, s), v in found.items() if q == "constant_median_relative_error"}
    assert [round(100 * v, 2) for v in medians.values()] == [0.08, 0.10, 0.04]
