"""What Tables 3, 6, 10 and 11 decide about one another, against scipy, statsmodels and hand work.

`ROWS` repeats Table 6 by hand, so that the oracle shares nothing with the loader.
"""

from __future__ import annotations

import math
from pathlib import Path
from statistics import NormalDist, median

import numpy as np
import pytest
from scipy import stats
from second_derivations_paper import K, counts_n_star
from statsmodels.stats.contingency_tables import mcnemar

from findings_by_name import Errors, Values, values_of
from kotawala2026.findings import on_printed_numbers
from kotawala2026.quantities.close_pairs import percentiles, resampled_required_n
from kotawala2026.quantities.grounds import load_published
from paper_fixtures import with_cell
from replication.findings import Finding

# Table 6: pair, N, p_A, p_B, b, c, N*.
Row = tuple[str, int, float, float, int, int, int]
ROWS: list[Row] = [
    ("ARC-C, gemma-7b, Llama-3-8B-Instruct", 1172, 0.6109, 0.6075, 98, 94, 110_379),
    ("ARC-C, Llama-3-8B-Instruct, Llama-3-8B", 1172, 0.6075, 0.5922, 81, 63, 4_081),
    ("ARC-C, gemma-7b, Llama-3-8B", 1172, 0.6109, 0.5922, 100, 78, 3_375),
    ("HS, gemma-7b, Llama-3-8B", 10042, 0.8247, 0.8202, 295, 249, 20_255),
    ("Wino, Mistral-7B-I-v0.2, Llama-3-8B", 1267, 0.7719, 0.7711, 121, 120, 2_396_624),
    ("Wino, gemma-7b, Mistral-7B-I-v0.2", 1267, 0.7845, 0.7719, 119, 103, 8_616),
    ("Wino, gemma-7b, Llama-3-8B", 1267, 0.7845, 0.7711, 98, 81, 6_152),
]
NAMES = [row[0] for row in ROWS]
TOPICS = {"rows_of_counts", "gap_buckets", "close_pairs", "prospective", "displayed_scores"}
Z = NormalDist()
# Table 10: label, gap, rho, N*, powers, and the scores that the board displayed with their N.
Row10 = tuple[str, float, float, int, tuple[float, float, float], float, float, int]
TABLE_10: list[Row10] = [
    ("HS, Mistral-I / Llama-I", 0.063, 0.68, 193, (0.71, 0.83, 0.89), 84.88, 78.55, 10042),
    ("ARC, Llama-3-8B / gemma", 0.078, 0.54, 294, (0.69, 0.80, 0.88), 59.22, 51.45, 1172),
    ("HS, Llama-3-8B / gemma", 0.101, 0.57, 120, (0.72, 0.81, 0.88), 82.02, 71.96, 10042),
]


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_a_row_of_table_6_is_overdetermined(found: Values, row: Row) -> None:
    pair, n, p_a, p_b, b, c, n_star = row
    assert found["b_from_row", pair] == b
    assert found["c_from_row", pair] == c
    assert found["n_items_from_row", pair] == n
    assert found["n_discordant", pair] == b + c
    assert found["n_difference", pair] == b - c
    items = found["accuracy_gap_items", pair]
    assert items == pytest.approx(n * (p_a - p_b))
    assert abs(items - (b - c)) <= n * 1e-4
    # No second (b, c) fits the accuracies and displays N*, and no second N.
    difference = range(math.ceil(items - n * 1e-4), math.floor(items + n * 1e-4) + 1)
    fits = [
        ((s + d) // 2, (s - d) // 2)
        for d in difference
        for s in range(d, n + 1, 2)
        if round(counts_n_star((s + d) // 2, (s - d) // 2, n)) == n_star
    ]
    assert fits == [(b, c)]
    assert [m for m in range(b + c, 3 * n) if round(counts_n_star(b, c, m)) == n_star] == [n]


def test_table_6_rounds_to_the_nearest_and_only_so(found: Values) -> None:
    exact = [(counts_n_star(b, c, n), n_star) for _, n, _, _, b, c, n_star in ROWS]
    assert found["n_star_rows_by_rule", "nearest"] == 7
    assert sum(round(x) == n_star for x, n_star in exact) == 7
    assert found["n_star_rows_by_rule", "up"] == sum(math.ceil(x) == y for x, y in exact) == 4
    assert found["n_star_rows_by_rule", "down"] == sum(int(x) == y for x, y in exact) == 3


def test_table_6_is_at_power_080(found: Values) -> None:
    k = 2_396_624 / (1267 * 241 - 1)
    assert found["power_implied", ""] == pytest.approx(Z.cdf(math.sqrt(k) - Z.inv_cdf(0.975)))
    assert found["power_implied", ""] == pytest.approx(0.8, abs=1e-6)


def test_differences_add_up_along_chains(found: Values) -> None:
    assert found["difference_by_chain", NAMES[2]] == (98 - 94) + (81 - 63) == 100 - 78
    assert found["difference_by_chain", NAMES[6]] == (119 - 103) + (121 - 120) == 98 - 81


def test_table_3_follows_from_table_6_where_it_can(found: Values) -> None:
    ratios = [(100 * (b - c) / n, counts_n_star(b, c, n) / n) for _, n, _, _, b, c, _ in ROWS]
    near = [r for gap, r in ratios if gap <= 1]
    far = [r for gap, r in ratios if gap > 1]
    for label, inside, r_median, r_worst in (("≤1%", near, 94, 1892), ("1%–2%", far, 4.2, 6.8)):
        assert found["bucket_pairs", label] == len(inside)
        assert found["bucket_unresolved", label] == sum(r > 1 for r in inside) == len(inside)
        assert found["bucket_r_median", label] == pytest.approx(median(inside))
        assert found["bucket_r_worst", label] == pytest.approx(max(inside))
        assert float(f"{median(inside):.2g}") == r_median
        assert float(f"{max(inside):.{4 if r_worst > 100 else 2}g}") == r_worst


def test_table_3_adds_up(found: Values) -> None:
    assert found["buckets_sum_pairs", ""] == 3 + 4 + 10 + 17 + 6
    assert found["buckets_sum_unresolved", ""] == 3 + 4 + 4
    assert found["buckets_worst", ""] == 1892
    assert found["buckets_verdicts_against_r", ""] == 0
    assert found["bucket_share", "all"] == 11 / 40
    assert found["all_pairs", ""] == 40
    assert found["models_displayed", ""] == 5
    for label, n_pairs in (("≤1%", 3), ("1%–2%", 4), ("2%–5%", 10), ("5%–15%", 17), (">15%", 6)):
        assert found["bucket_pairs_of_displayed_scores", label] == n_pairs


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_share_of_resamples_by_two_binomials(row: Row) -> None:
    _, n, _, _, b, c, n_star = row
    # m discordant items in a resample, then b* of them: resolved where N d² >= K (N m - d²).
    reach = int(10 * math.sqrt(b + c))
    m = np.arange(max(1, b + c - reach), b + c + reach + 1)[:, None]
    b_star = np.arange(m.max() + 1)[None, :]
    d = 2 * b_star - m
    resolved = n * d.astype(float) ** 2 >= K * (n * m - d.astype(float) ** 2)
    inner = np.where(resolved & (b_star <= m), stats.binom.pmf(b_star, m, b / (b + c)), 0.0)
    share = 1 - stats.binom.pmf(m[:, 0], n, (b + c) / n) @ inner.sum(axis=1)
    needed, mass = resampled_required_n(b, c, n)
    assert mass[needed > n].sum() == pytest.approx(share, abs=1e-9)
    low, high = percentiles(needed, mass)
    assert (low > n) == (share > 0.95)
    assert low < n_star < high


def test_three_pairs_are_robust_not_four(found: Values, errors: Errors) -> None:
    shares = list(_shares().values())
    assert found["robustly_unresolved", ""] == sum(x > 0.95 for x in shares) == 3
    assert found["spanning", ""] == 4
    chance = [stats.binom.cdf(24, 500, 1 - x) for x in shares]
    mean, spread = sum(chance), math.sqrt(sum(p * (1 - p) for p in chance))
    for quantity, expected in (
        ("robustly_unresolved_in_a_run", mean),
        ("spanning_in_a_run", 7 - mean),
    ):
        assert found[quantity, ""] == pytest.approx(expected)
        assert errors[quantity, ""] == pytest.approx(spread)
    assert abs(4 - mean) < 4 * spread
    # By the normal approximation, as on a pocket calculator: the resampled b - c exceeds the bound.
    by_hand = [
        Z.cdf((math.sqrt(K * (b + c)) - (b - c)) / math.sqrt(b + c - (b - c) ** 2 / n))
        for _, n, _, _, b, c, _ in ROWS
    ]
    # The other tail counts for the two pairs near zero; it does not bring either below 95%.
    assert [x > 0.95 for x in by_hand] == [x > 0.95 for x in shares]


def test_spanning_intervals_belong_to_the_larger_gaps(found: Values) -> None:
    gap = {name: (b - c) / math.sqrt(b + c) for name, _, _, _, b, c, _ in ROWS}
    robust = {NAMES[0], NAMES[4], NAMES[5]}
    assert {name for name, share in _shares().items() if share > 0.95} == robust
    farthest = max(gap[name] for name in robust)
    nearest = [name for name in gap if name not in robust and gap[name] < farthest]
    assert found["spanning_pairs_nearer_zero", ""] == len(nearest) == 0
    assert found["intervals_beyond_tenfold", ""] == 4


def _shares() -> dict[str, float]:
    """Share of the resamples of each pair that need more than N items."""
    shares = {}
    for name, n, _, _, b, c, _ in ROWS:
        needed, mass = resampled_required_n(b, c, n)
        shares[name] = float(mass[needed > n].sum())
    return shares


def test_arbiters_by_statsmodels(found: Values) -> None:
    words = []
    for _, n, _, _, b, c, _ in ROWS:
        table = [[0, b], [c, 0]]
        tail = stats.binom.cdf(c, b + c, 0.5) - stats.binom.pmf(c, b + c, 0.5) / 2
        rejects = [
            mcnemar(table, exact=False, correction=False).pvalue <= 0.05,
            mcnemar(table, exact=True).pvalue <= 0.05,
            2 * tail <= 0.05,
            _bootstrap_tail(b, c, n) < 0.025,
        ]
        words.append("".join("R" if r else "F" for r in rejects))
    assert words == ["FFFF", "FFFF", "FFFF", "RFRF", "FFFF", "FFFF", "FFFF"]
    for subject in ("verdict", "verdict_printed"):
        assert found["split", subject] == sum(len(set(word)) > 1 for word in words) == 1
        assert found["unanimous", subject] == found["unanimous_fail", subject] == 6
    assert found["arbiters", ""] == 4
    assert found["verdict_of_printed_cells", "HS, gem/L-8B"] == "RFRF"
    assert found["verdict_of_printed_cells", "Wi, gem/Mi"] == "FFFF"


def _bootstrap_tail(b: int, c: int, n: int) -> float:
    """P(b* <= c*), by the number of discordant items in the resample."""
    m = np.arange(n + 1)
    return float(stats.binom.pmf(m, n, (b + c) / n) @ stats.binom.cdf(m // 2, m, b / (b + c)))


@pytest.mark.parametrize("row", TABLE_10, ids=[row[0] for row in TABLE_10])
def test_powers_of_table_10(found: Values, errors: Errors, row: Row10) -> None:
    label, gap, _, n_star, printed, *_ = row
    discordant = n_star * gap**2 / K + gap**2
    for name, factor, power in zip(("080", "100", "120"), (0.8, 1.0, 1.2), printed, strict=True):
        n = round(factor * n_star)
        m = np.arange(1, n + 1)[:, None]
        b = np.arange(n + 1)[None, :]
        rejects = ((2 * b - m) ** 2 > stats.chi2.ppf(0.95, 1) * m) & (b <= m)
        inner = np.where(rejects, stats.binom.pmf(b, m, (1 + gap / discordant) / 2), 0.0)
        exact = stats.binom.pmf(m[:, 0], n, discordant) @ inner.sum(axis=1)
        value, error = found[f"power_at_{name}", label], errors[f"power_at_{name}", label]
        assert value == pytest.approx(exact, abs=1e-10)
        assert error == pytest.approx(math.sqrt(exact * (1 - exact) / 1000))
        assert abs(power - value) <= 0.005 + 4 * error


def test_summary_of_table_10(found: Values) -> None:
    powers = [found["power_at_100", row[0]] for row in TABLE_10]
    assert found["power_on_target_max_dev", ""] == pytest.approx(
        100 * max(abs(x - 0.8) for x in powers)
    )
    assert found["powers_below_target", ""] == found["powers_above_target", ""] == 3
    assert found["prospective_mc_se", ""] == pytest.approx(100 * math.sqrt(0.16 / 1000))


@pytest.mark.parametrize("row", TABLE_10, ids=[row[0] for row in TABLE_10])
def test_table_10_against_the_displayed_scores(found: Values, row: Row10) -> None:
    label, gap, rho, n_star, _, better, worse, n = row
    p_a, p_b = round(better / 100 * n) / n, round(worse / 100 * n) / n
    assert found["gap_of_displayed_scores", label] == pytest.approx(100 * (p_a - p_b))
    assert abs(p_a - p_b - gap) <= 0.0005
    a, b = round(better / 100 * n), round(worse / 100 * n)
    tables = []
    for discordant in range(a - b, min(a + b, 2 * n - a - b) + 1, 2):
        phi = (n * (a + b - discordant) / 2 - a * b) / math.sqrt(a * (n - a) * b * (n - b))
        tables.append((phi, K * (n * discordant / (a - b) ** 2 - 1)))
    of_rho = [needed for phi, needed in tables if abs(phi - rho) <= 0.005]
    value = found["n_star_nearest_to_printed", label]
    assert value == pytest.approx(min(of_rho, key=lambda needed: abs(needed - n_star)))
    assert math.ceil(value) == n_star
    # Rounding to the nearest is excluded by the digits of the first row, and on ARC by whole items.
    nearest = [needed for needed in of_rho if abs(needed - n_star) <= 0.5]
    assert (not nearest) == (not label.endswith("gemma") or label.startswith("ARC"))
    of_n_star = [phi for phi, needed in tables if n_star in (math.ceil(needed), round(needed))]
    value = found["rho_nearest_to_printed", label]
    assert value == pytest.approx(min(of_n_star, key=lambda phi: abs(phi - rho)))
    assert abs(value - rho) <= 0.005


def test_the_pair_of_figure_4_is_one_table(found: Values) -> None:
    """28 of 1,172 items and N* 2,362 leave b = 115 and c = 87, whose correlation is 0.64."""
    assert found["gap_nearest_to_printed", "Figure 4"] == pytest.approx(100 * 28 / 1172)
    assert found["n_star_nearest_to_printed", "Figure 4"] == pytest.approx(
        counts_n_star(115, 87, 1172)
    )
    phi = (1172 * (740 - 115) - 740 * 712) / math.sqrt(740 * 432 * 712 * 460)
    assert found["rho_nearest_to_printed", "Figure 4"] == pytest.approx(phi)
    assert round(phi, 2) == 0.64


def test_gemma_of_table_10_is_the_instruction_tuned_one(evidence: list[Finding]) -> None:
    for label in (TABLE_10[1][0], TABLE_10[2][0]):
        (gap,) = [
            f for f in evidence if (f.quantity, f.subject) == ("gap_of_displayed_scores", label)
        ]
        assert gap.method.endswith(" and gemma-7b-it")


def test_a_wrong_required_n_leaves_the_row_its_counts(found: Values, tmp_path: Path) -> None:
    folder = with_cell(tmp_path, 6, 2, "n_star", "4,090")
    planted = values_of(on_printed_numbers(load_published(folder), TOPICS))
    changed = {key for key in planted if planted[key] != found[key] and key[0] != "power_implied"}
    assert changed == {
        ("n_star_rows_by_rule", "nearest"),
        ("n_star_rows_by_rule", "up"),
        ("n_items_from_row", NAMES[1]),
    }


def test_three_stress_tests_are_on_oll_v1_and_no_row_has_two(found: Values) -> None:
    """Two in Table 5, whose clusters are not of OLL v1, and the tests of Table 11."""
    assert found["stress_tests", "on OLL v1"] == 3
    assert found["stress_tests", "rows with two of them"] == 0
