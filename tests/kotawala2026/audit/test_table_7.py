"""What Table 7 decides alone, against the standard library, scipy and statsmodels."""

from __future__ import annotations

import math
from dataclasses import replace
from math import comb, erfc, sqrt
from statistics import NormalDist, median

import numpy as np
import pytest
from scipy.stats import binomtest, chi2
from second_derivations_paper import (
    N_MMLU_PRO,
    K,
    correlation,
    counts_n_star,
    rho_max,
    shortcut_ratio,
    table,
    variance,
    whole,
)
from statsmodels.stats.multitest import multipletests

from findings_by_name import Values, values_of
from kotawala2026.findings import on_printed_numbers
from kotawala2026.quantities.grounds import PublishedNumbers

Z = NormalDist().inv_cdf


def _counts() -> list[tuple[str, int, int, int]]:
    """Label, b, c and printed N* of the rows of Table 7, read with nothing but the csv module."""
    return [(row["pair"], int(row["b"]), int(row["c"]), whole(row["n_star"])) for row in table(7)]


# With nothing but the standard library and the printed numbers


def test_median_shortcut_ratio_from_printed_numbers(found: Values) -> None:
    # Section 6.2 prints 0.500; the ends of the range are derived twice. The accuracies are printed
    # to four digits, which moves a ratio by less than 2e-5; b, c and N give the rest.
    ratios = []
    for row, (_, b, c, _) in zip(table(7), _counts(), strict=True):
        delta, p_a = (b - c) / N_MMLU_PRO, float(row["p_a"])
        p_b = p_a - delta
        rho = correlation(p_a, p_b, (b + c) / N_MMLU_PRO)
        ratios.append(shortcut_ratio(p_a, p_b, rho))
    assert found["shortcut_ratio_median", "Table 7"] == pytest.approx(median(ratios), abs=2e-5)


def test_a_family_of_45_costs_a_fifth_pair(found: Values) -> None:
    inflation = ((Z(1 - 0.05 / 90) + Z(0.8)) / (Z(0.975) + Z(0.8))) ** 2
    assert found["inflation", "Bonferroni, m = 45"] == pytest.approx(inflation, rel=1e-10)
    unresolved = [
        label
        for label, b, c, _ in _counts()
        if inflation * counts_n_star(b, c, N_MMLU_PRO) > N_MMLU_PRO
    ]
    assert unresolved == ["3 vs 4", "5 vs 6", "6 vs 7", "8 vs 9", "9 vs 10"]
    assert found["unresolved_bonferroni_45_at_printed_n", "MMLU-Pro"] == 5
    assert found["unresolved_that_stay_bonferroni_45_at_printed_n", "MMLU-Pro"] == 4


# Against other implementations


def test_required_n_and_gap_of_each_row(found: Values) -> None:
    for row, (label, b, c, _) in zip(table(7), _counts(), strict=True):
        assert found["n_star_at_implied_n", label] == pytest.approx(
            counts_n_star(b, c, 12_031), rel=1e-10
        )
        apart = abs(float(row["p_a"]) - float(row["p_b"]) - (b - c) / N_MMLU_PRO)
        assert found["gap_mismatch_at_printed_n", label] == pytest.approx(apart, abs=1e-15)
        assert apart <= 0.0001  # two accuracies of four digits


def test_each_count_follows_from_the_rest_of_its_row(found: Values) -> None:
    for label, b, c, _ in _counts():
        assert (found["b_from_row", label], found["c_from_row", label]) == (b, c)


def test_ten_accuracies_and_the_counts_leave_one_number_of_solved_items(found: Values) -> None:
    """4 vs 5: 8,424 and 7,629 of 12,031; nobody else's accuracy fits with 8,423 or 8,425."""
    solved = [7629 + 1871 - 1076, 7629]
    accuracies = [found[f"p_{side}_from_row", "4 vs 5"] for side in "ab"]
    assert accuracies == pytest.approx([x / 12_031 for x in solved], rel=1e-12)
    n11 = solved[0] - 1871
    margins = solved[0] * (12_031 - solved[0]) * solved[1] * (12_031 - solved[1])
    phi = (n11 * (12_031 - n11 - 1871 - 1076) - 1871 * 1076) / math.sqrt(margins)
    assert found["rho_from_row", "4 vs 5"] == pytest.approx(phi, rel=1e-12)


def test_connors_formula_is_more_than_a_percent_away_on_one_pair(
    found: Values,
) -> None:
    ratios = {}
    for label, b, c, _ in _counts():
        psi, delta = (b + c) / N_MMLU_PRO, (b - c) / N_MMLU_PRO
        connor = ((Z(0.975) * sqrt(psi) + Z(0.8) * sqrt(psi - delta**2)) / delta) ** 2
        ratios[label] = connor / counts_n_star(b, c, N_MMLU_PRO)
    assert [label for label, ratio in ratios.items() if ratio > 1.01] == ["4 vs 5"]
    farthest = max(ratios.values(), key=lambda ratio: abs(ratio - 1))
    subject = "Table 7, farthest from 1"
    assert found["connor_over_equation_6", subject] == pytest.approx(farthest, rel=1e-10)
    assert found["connor_over_equation_6", "delta = 0.0001"] == pytest.approx(1, abs=1e-6)
    # In per cent; eq. (5) cancels.
    largest = 100 * abs(farthest - 1)
    assert found["forms_apart_connor_max", "Table 7"] == pytest.approx(largest, abs=1e-10)
    assert largest == pytest.approx(1.268, abs=0.0005)
    assert found["forms_apart_same_variance_max", "Table 7"] < 1e-9


@pytest.mark.parametrize(
    ("subject", "level", "printed"),
    [
        ("Bonferroni, m = 40", 0.05 / 40, 2.11),  # Section 6.3
        ("Šidák, m = 40", 1 - 0.95 ** (1 / 40), 2.10),  # Section 6.3
        ("Bonferroni, m = 45", 0.05 / 45, 2.14),  # Section 6.2
    ],
)
def test_inflation_factors(found: Values, subject: str, level: float, printed: float) -> None:
    expected = ((Z(1 - level / 2) + Z(0.8)) / (Z(0.975) + Z(0.8))) ** 2
    assert found["inflation", subject] == pytest.approx(expected, rel=1e-10)
    assert expected == pytest.approx(printed, abs=0.005)
    if subject == "Bonferroni, m = 40":
        assert found["critical_value", subject] == pytest.approx(Z(1 - level / 2), rel=1e-10)


def test_holm_is_nowhere_above_bonferroni(found: Values) -> None:
    steps = [
        ((Z(1 - 0.05 / (2 * (40 - k))) + Z(0.8)) / (Z(0.975) + Z(0.8))) ** 2 for k in range(40)
    ]
    assert found["holm_inflation_max", "m = 40"] == pytest.approx(max(steps), rel=1e-10)
    assert found["holm_steps_above_bonferroni", "m = 40"] == 0


def test_holm_agrees_with_statsmodels(found: Values) -> None:
    # A pair is resolved at a level if its Wald statistic, moved by the quantile of the power,
    # rejects at that level: Holm on those p-values is Holm on required items.
    p = []
    for _, b, c, _ in _counts():
        wald = (b - c) / sqrt(b + c - (b - c) ** 2 / N_MMLU_PRO)
        p.append(erfc((wald - Z(0.8)) / sqrt(2)))
    holm = multipletests(np.clip(p, 0, 1), alpha=0.05, method="holm")[0]
    assert found["unresolved_holm_9_at_printed_n", "MMLU-Pro"] == int(np.sum(~holm))


def test_false_discovery_bounds(found: Values) -> None:
    p = {}
    for name, r in (("p_largest_above_5pp", 0.655), ("p_largest_resolved", 1.0)):
        squared = K / r  # T_N² of a pair with this r = N*/N
        p[name] = chi2.sf(squared / (1 + squared / 1172), 1)
    name = "p_largest_above_5pp"
    assert found[name, "OLL v1"] == pytest.approx(p[name], rel=1e-10)
    # The least favorable p-values that Table 3 admits: 23 above 5 pp, six more resolved.
    worst = [p["p_largest_above_5pp"]] * 23 + [p["p_largest_resolved"]] * 6 + [1.0] * 11
    rejected = multipletests(worst, alpha=0.05, method="fdr_bh")[0]
    assert rejected[:29].all()
    assert found["bh_retracted_above_5pp_at_most", "OLL v1"] == 0
    assert found["bh_rejections_up_to_5pp_at_least", "OLL v1"] == 6


def test_smallest_p_of_the_close_pairs(found: Values) -> None:
    # Table 6, HellaSwag: b = 295, c = 249; 0.049 and 0.054 are printed.
    assert found["smallest_p", "close pairs, asymptotic"] == pytest.approx(
        chi2.sf(46**2 / 544, 1), rel=1e-10
    )
    assert found["smallest_p", "close pairs, exact"] == pytest.approx(
        binomtest(249, 544).pvalue, rel=1e-9
    )


def test_shifted_correlation_by_hand(found: Values) -> None:
    flips = []
    after = {"lower": 0, "upper": 0}
    for row, (label, b, c, _) in zip(table(7), _counts(), strict=True):
        delta, p_a = (b - c) / N_MMLU_PRO, float(row["p_a"])
        p_b = p_a - delta
        rho = correlation(p_a, p_b, (b + c) / N_MMLU_PRO)
        moved = [min(rho + shift, rho_max(p_a, p_b)) for shift in (-0.1, 0.0, 0.1)]
        verdicts = [K * variance(p_a, p_b, r) / delta**2 > N_MMLU_PRO for r in moved]
        after["lower"] += verdicts[0]
        after["upper"] += verdicts[2]
        flips += [label] if len(set(verdicts)) > 1 else []
    assert flips == ["3 vs 4", "8 vs 9"]
    assert found["rho_shift_flips", "MMLU-Pro"] == 2
    assert (after["upper"], after["lower"]) == (2, 4)
    assert found["rho_shift_fewest", "MMLU-Pro"] == 2
    assert found["rho_shift_most", "MMLU-Pro"] == 4


def test_hellaswag_at_a_shifted_correlation(found: Values) -> None:
    # Table 6, row 4: b = 295, c = 249, N = 10,042; p_A = 0.8247 is one count, 8282.
    n, solved = 10_042, 8282
    p_a, p_b = solved / n, (solved - 46) / n
    rho = correlation(p_a, p_b, 544 / n)
    pair = "HS, gemma-7b, Llama-3-8B"
    assert found["rho_shifted", pair] == pytest.approx(rho + 0.1, rel=1e-10)
    assert found["rho_upper_limit", pair] == pytest.approx(rho_max(p_a, p_b), rel=1e-10)
    moved = K * variance(p_a, p_b, rho + 0.1) / (46 / n) ** 2
    assert found["r_at_shifted_rho", pair] == pytest.approx(moved / n, rel=1e-8)


def test_families(found: Values) -> None:
    for subject, models, tasks in (
        ("MMLU-Pro", 10, 1),
        ("frontier panel", 4, 1),
        ("one task of OLL v1", 5, 1),
        ("four tasks of OLL v1", 5, 4),
    ):
        assert found["family_adjacent", subject] == tasks * (models - 1)
        assert found["family_all", subject] == tasks * comb(models, 2)
    assert found["family_wise_error", "m = 40"] == pytest.approx(1 - 0.95**40, rel=1e-12)
    assert found["worst_r_inflated", "5%–15%"] == pytest.approx(
        0.65 * ((Z(1 - 0.05 / 80) + Z(0.8)) / (Z(0.975) + Z(0.8))) ** 2, rel=1e-10
    )


def test_a_changed_count_hides_no_other_row(numbers: PublishedNumbers) -> None:
    b = numbers.adjacent_pairs.b.copy()
    b[0] += 1
    planted = replace(numbers, adjacent_pairs=replace(numbers.adjacent_pairs, b=b))
    found = values_of(on_printed_numbers(planted, {"rows_of_counts"}))
    assert found["n_items_implied", "Table 7"] == 12_031
    assert found["rows_explained_at_implied_n", "up"] == 8
    assert found["rows_unexplained_at_printed_n", "Table 7"] == 4


def test_rows_in_the_order_of_ranks_are_as_many_as_the_table_has(found: Values) -> None:
    for number in (4, 7, 9):
        rows = len(table(number))
        assert found["name", f"table_{number:02d}/{rows}/pair"] == f"{rows} vs {rows + 1}"
        assert ("name", f"table_{number:02d}/{rows + 1}/pair") not in found
