"""What Tables 3 to 9 decide about one another, against pocket-calculator arithmetic."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
import pytest
from second_derivations_paper import counts_n_star

from findings_by_name import Sets, Values, values_of
from kotawala2026.findings import on_printed_numbers
from kotawala2026.quantities.grounds import PublishedNumbers, load_published
from llm_power_audit.printed import parse_printed
from paper_fixtures import PUBLISHED, with_cell
from replication.constraints import Interval, interval_of

# Tables 4, 7 and 9 once more, by hand: an oracle that shares nothing with the loader.
PAIRS = [f"{i} vs {i + 1}" for i in range(1, 10)]
B = [253, 284, 32, 1871, 1680, 1449, 352, 787, 1227]
C = [111, 76, 20, 1076, 1454, 1439, 242, 684, 1200]
N, K = 12_032, 14
# At the N that the rows of Table 7 imply.
IMPLIED = N - 1
REQUIRED = [counts_n_star(b, c, IMPLIED) for b, c in zip(B, C, strict=True)]
SIZE = IMPLIED / K
ICC = [0.0004, -0.0003, 0.0002, 0.036, 0.0067, 0.012, -0.0002, 0.0010, 0.0029]
EFFECT = [1.37, 1.00, 1.19, 31.5, 6.74, 11.5, 1.00, 1.88, 3.52]
CLUSTERED = [2_327, 778, 40_660, 13_621, 39_009, 31.4e6, 4_628, 24_632, 1.11e6]
HALF_UNIT = [0.5, 0.5, 0.5, 0.5, 0.5, 0.05e6, 0.5, 0.5, 0.005e6]


def test_reach_is_half_a_unit_around_the_printed_number() -> None:
    reach = interval_of(parse_printed("1.37"))
    assert (reach.lower, reach.upper) == pytest.approx((1.365, 1.375), abs=1e-15)
    assert reach.nearest_to(2.0) == reach.upper
    assert reach.nearest_to(1.0) == reach.lower
    assert Interval(0.0, 1.0).nearest_to(0.25) == 0.25


def test_summaries_of_table_4(found: Values) -> None:
    assert found["mean_cluster_size", "MMLU-Pro"] == pytest.approx(859 + 3 / 7, rel=1e-12)
    assert found["icc_median", "Table 4"] == median(ICC)
    assert (found["icc_min", "Table 4"], found["icc_max", "Table 4"]) == (-3e-4, 0.036)
    assert found["design_effect_median", "Table 4"] == median(EFFECT)


@pytest.mark.parametrize("i", range(9))
def test_design_effect_and_icc_follow_from_the_cluster_n_star(sets: Sets, i: int) -> None:
    # Rounded up or to the nearest, and 31.4M to the nearest after that.
    below = 1.0 if HALF_UNIT[i] == 0.5 else HALF_UNIT[i] + 1
    low = max((CLUSTERED[i] - below) / REQUIRED[i], 1.0)
    high = (CLUSTERED[i] + HALF_UNIT[i]) / REQUIRED[i]
    half = 0.00005 if abs(ICC[i]) < 0.01 else 0.0005
    of_icc = [1 + (SIZE - 1) * max(ICC[i] + s * half, 0) for s in (-1, 1)]
    effect = sets["design_effect_of_cluster_n_star_within_rounding", PAIRS[i]]
    assert effect == pytest.approx((max(low, of_icc[0]), min(high, of_icc[1])), rel=1e-9)
    half = 0.005 if EFFECT[i] < 10 else 0.05
    ends = [(x - 1) / (SIZE - 1) for x in (max(low, EFFECT[i] - half), min(high, EFFECT[i] + half))]
    icc = sets["icc_of_cluster_n_star_within_rounding", PAIRS[i]]
    if ICC[i] > 0:
        assert icc == pytest.approx(ends, rel=1e-9)
    else:
        # Any ICC up to zero has a design effect of one.
        assert icc[0] == -math.inf
        assert icc[1] == pytest.approx(ends[1], rel=1e-6)


def test_an_icc_bound_is_that_of_its_design_effect_at_some_mean_size(sets: Sets) -> None:
    """Resamples of 14 subjects have from 381 (history) to 1,351 items (math) a subject."""
    low, high = max(40.85, 17_671 / REQUIRED[3]), min(40.95, 17_672.5 / REQUIRED[3])
    found = sets["icc_of_resample", "4 vs 5, 95%"]
    assert found == pytest.approx(((low - 1) / 1350, (high - 1) / 380), rel=1e-9)
    # No design effect is below one, whatever a negative ICC; an ICC is at least -1/(m - 1).
    low, high = sets["icc_of_resample", "3 vs 4, 5%"]
    assert low == pytest.approx(-1 / 380, rel=1e-12)
    assert 0 <= high < 1e-6


def test_no_icc_is_blamed_for_bounds_that_contradict_each_other(
    numbers: PublishedNumbers,
) -> None:
    """With a design effect of 10 for 20.3 the cluster N* of 4 vs 5 has another: one is wrong."""
    table = numbers.tables[9].copy()
    effects = table["design_effect"].to_dict()
    effects[3] = replace(effects[3], upper=parse_printed("10.0"))
    table["design_effect"] = pd.Series(effects)
    wrong = replace(numbers, tables={**numbers.tables, 9: table})
    found = values_of(on_printed_numbers(wrong, {"clusters"}))
    assert math.isnan(float(found["icc_of_resample", "4 vs 5, 95%"]))
    assert not math.isnan(float(found["icc_of_resample", "5 vs 6, 95%"]))


def test_a_negative_icc_needs_the_positive_part(
    found: Values,
) -> None:
    # Row 2 vs 3 prints ICC -0.0003 and a design effect of 1.00; the ICC nearest to zero that
    # rounds so is -0.00025.
    value = found["design_effect_of_icc_without_positive_part_within_rounding", "2 vs 3"]
    assert value == pytest.approx(1 - (SIZE - 1) * 0.00025, rel=1e-12)
    assert abs(float(value) - 1) > 0.2
    assert found["design_effect_of_icc_within_rounding", "2 vs 3"] == 1


def test_the_cluster_n_star_is_as_wide_as_the_rounding_of_the_design_effect(sets: Sets) -> None:
    for i, pair in enumerate(PAIRS):
        low, high = sets["cluster_n_star_of_icc", pair]
        if ICC[i] < 0:
            assert (low, high) == pytest.approx((REQUIRED[i], REQUIRED[i]), rel=1e-12)
        else:
            assert low < CLUSTERED[i] + HALF_UNIT[i]
            assert high > CLUSTERED[i] - HALF_UNIT[i] - 1
    # 2,327 by 1.37: 1.365 to 1.375 times 1,696.8.
    assert sets["cluster_n_star_of_icc", "1 vs 2"] == pytest.approx((2316.13, 2333.10), abs=0.01)
    # A negative bound of the ICC leaves N* itself, 34,092 rounded up.
    assert sets["cluster_n_star_of_icc", "3 vs 4, 5%"] == pytest.approx((34_091.83,) * 2, abs=0.01)
    low, high = sets["cluster_n_star_of_icc", "3 vs 4, 95%"]
    assert (low, high) == pytest.approx((55_740.1, 56_081.1), abs=0.1)
    decided = {p for p in PAIRS if sets["pr_unresolved_of_n_star", p] == (1.0, 1.0)}
    assert decided == {"3 vs 4", "6 vs 7", "8 vs 9", "9 vs 10"}


def test_which_pairs_the_clusters_turn(found: Values) -> None:
    before = {p for p, x in zip(PAIRS, REQUIRED, strict=True) if x > N}
    after = {p for p, x in zip(PAIRS, CLUSTERED, strict=True) if x > N}
    flipped = after - before
    assert found["unresolved_iid", "MMLU-Pro"] == len(before) == 4
    assert found["unresolved_clustered", "MMLU-Pro"] == len(after) == 6
    assert found["flipped_by_clusters_which", "MMLU-Pro"] == ", ".join(sorted(flipped))
    beyond = {p for p in flipped if CLUSTERED[PAIRS.index(p)] > 3 * N}
    assert found["flipped_beyond_three_n", "MMLU-Pro"] == len(beyond) == 1
    assert beyond == {"5 vs 6"}
    assert found["cluster_n_star_over_n", "4 vs 5"] == pytest.approx(13_621 / 12_031, rel=1e-12)
    # 31.5, 11.5 and 6.74; the next is 3.52.
    assert found["design_effect_as_large_as_of_flipped", "MMLU-Pro"] == 3
    assert found["flipped_by_clusters_with_large_design_effect", "MMLU-Pro"] == 2


def test_half_of_the_icc_bounds_deny_a_fixed_mean_cluster_size(
    found: Values,
) -> None:
    # Positive bounds of the ICC with half a unit, and the bound of cluster N* with its own.
    bounds: dict[int, list[tuple[float, float, float, float]]] = {
        0: [(0.0012, 5e-5, 3_308, 0.5)],
        1: [(0.0001, 5e-5, 868, 0.5)],
        2: [(0.0008, 5e-5, 55_765, 0.5)],
        3: [(0.021, 5e-4, 7_546, 0.5), (0.044, 5e-4, 17_672, 0.5)],
        4: [(0.0026, 5e-5, 18_800, 0.5), (0.0104, 5e-5, 56_617, 0.5)],
        5: [(0.004, 5e-4, 11.2e6, 5e4), (0.020, 5e-4, 48.3e6, 5e4)],
        6: [(0.0002, 5e-5, 5_314, 0.5)],
        7: [(0.0002, 5e-5, 14_873, 0.5), (0.0016, 5e-5, 30_865, 0.5)],
        8: [(0.0015, 5e-5, 0.73e6, 5e3), (0.0037, 5e-5, 1.28e6, 5e3)],
    }
    denying = 0
    for i, triples in bounds.items():
        for icc, half, clustered, unit in triples:
            low, high = (((clustered + s * unit) / REQUIRED[i] - 1) / (N / K - 1) for s in (-1, 1))
            denying += high < icc - half or low > icc + half
    assert found["bounds_denying_fixed_mean_size", "Table 9"] == denying == 7
    assert found["bounds_denying_any_mean_size", "Table 9"] == 0


def test_shares_follow_from_the_two_pairs_that_vary(
    found: Values,
) -> None:
    # In thousandths: of 1000 resamples, 552 leave 4 vs 5 unresolved, 997 leave 5 vs 6, 1 neither.
    both = 552 + 997 - (1000 - 1)
    assert both == 550
    assert found["bootstrap_share", "6 unresolved"] == pytest.approx(both / 1000, abs=1e-12)
    share_5 = found["bootstrap_share", "5 unresolved"]
    assert share_5 == pytest.approx((552 - both + 997 - both) / 1000, abs=1e-12)
    assert found["bootstrap_share", "5 or more unresolved"] == pytest.approx(0.999, abs=1e-12)
    assert found["resamples_of_shares", "Table 9"] == 1000  # 0.997 is in lowest terms
    # 1 vs 2, 2 vs 3 and 7 vs 8 are unresolved in no resample, so that never more than six are.
    assert found["bootstrap_share", "7 or more unresolved, at most"] == 0
    assert found["sum_of_shares", "Table 9"] == pytest.approx(1, abs=1e-12)
    assert found["mean_unresolved_of_pairs", "Table 9"] == pytest.approx(5.549, abs=1e-12)


def test_leave_one_out_and_definitions(found: Values) -> None:
    with (PUBLISHED / "mmlu_pro_categories.csv").open(encoding="utf-8") as file:
        n_categories = len(list(csv.DictReader(file)))
    assert found["drops_named", "all"] == n_categories == K
    assert found["drops_named", "6 unresolved"] == 11
    assert found["drops_named", "5 unresolved"] == 3
    assert found["drops_below_clustered_count", "any drop"] == 3  # health, law, psychology
    assert found["drops_to_fixed_n_count", "any drop"] == 0
    assert (
        found["fewest_unresolved", "any drop"]
        == found["fewest_unresolved", "any drop or definition"]
    )
    assert found["fewest_unresolved", "any drop"] == 5
    assert found["fewest_unresolved", "any resample"] == 4  # in 0.1% of them
    assert found["alternative_clusterings", "Section 6.4"] == 3
    assert found["least_icc_lower", "6 vs 7"] == pytest.approx(0.0035, abs=1e-15)


def test_gap_of_table_4_is_that_of_the_counts(found: Values) -> None:
    expected = 100 * (1871 - 1076) / IMPLIED
    assert found["gap_pp_of_counts", "4 vs 5"] == pytest.approx(expected, rel=1e-12)


def test_other_tables(found: Values) -> None:
    assert found["pairs_up_to_5pp", "Table 3"] == 3 + 4 + 10
    for label in ("5%–15%", ">15%"):  # worst r of 0.65 and 0.07
        assert found["bucket_unresolved_by_worst_r", label] == 0
    assert found["tasks_of_pairs", "Table 3"] == 40 / (5 * 4 / 2)
    assert found["boards_counted", "Table 5"] == 2
    assert found["unresolved_after_bonferroni", "Section 6.3"] == 3 + 4 + 6 + (17 - 16) + 0
    assert found["largest_unpaired_r", ">15%"] == pytest.approx(0.075 * 5.39, rel=1e-12)
    assert found["smallest_increase_over_fixed_n", "OLL v1"] == 14 - 11
    assert found["smallest_increase_over_fixed_n", "MMLU-Pro"] == 4 - 4
    both = (14 + 4) - (11 + 4), (14 + 5) - (11 + 4), 6 - 4
    assert found["smallest_increase_over_fixed_n", "both boards together"] == min(both)
    assert found["halved_clusters", "MMLU-Pro"] == 28


def test_a_changed_count_changes_what_depends_on_it_alone(found: Values, tmp_path: Path) -> None:
    folder = with_cell(tmp_path, 7, 4, "b", "1781")
    changed = values_of(on_printed_numbers(load_published(folder), {"clusters"}))
    assert changed.keys() <= found.keys()
    moved = {key for key in changed if not _same(found[key], changed[key])}
    assert moved
    about_bounds = {("bounds_denying_fixed_mean_size", "Table 9")}
    assert all(subject.startswith("4 vs 5") for _, subject in moved - about_bounds)


def _same(one: float | str, other: float | str) -> bool:
    return one == other or (
        isinstance(one, float)
        and isinstance(other, float)
        and bool(np.isclose(one, other, rtol=1e-12))
    )


def test_the_brackets_leave_the_share_of_a_pair_open(sets: Sets) -> None:
    # 5 vs 6 has 0.3% of the resamples below N, outside its bracket, and 4 vs 5 44.8%, inside.
    assert sets["tail_of_brackets", "Table 9"] == pytest.approx([0.0025, 0.4485], abs=1e-12)
