"""Adjustment of the printed numbers for the size of a family of pairs, Section 6.3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

import numpy as np
from scipy.special import chdtrc

from kotawala2026.exhibits.table_05 import unresolved_under
from kotawala2026.labels import BUCKETS, bucket_mask
from kotawala2026.operating_point import ALPHA, POWER, K
from kotawala2026.quantities.grounds import QUANTITIES, Board, PublishedNumbers
from llm_power._statistics.inversion import z_sum
from llm_power._statistics.mcnemar import mcnemar_asymptotic, mcnemar_exact
from llm_power._statistics.multiplicity import (
    bonferroni_level,
    family_size,
    sidak_level,
    step_levels,
)
from llm_power._statistics.paired_binary import required_n_discordance
from replication.constraints import Interval, interval_of
from replication.findings import Finding, derived, within

_MMLU_PRO, _CLOSE, _OLL_V1 = "MMLU-Pro", "close pairs", "OLL v1"
# Buckets of Table 3 with gaps above five points, whose rejections Section 6.3 says stand.
_ABOVE_5PP: Final = tuple(BUCKETS)[3:]
# What names multiplicity and sequential testing in the rows of Table 5.
_ADJUSTMENTS: Final = ("Bonferroni", "Anytime")


@QUANTITIES.on(PublishedNumbers)
def families(published: PublishedNumbers) -> Iterator[Finding]:
    """Sizes of the families of Section 6.3."""
    settings = published.settings
    for subject, models, tasks in (
        (_MMLU_PRO, len(published.adjacent_pairs) + 1, 1),
        ("frontier panel", 4, 1),
        ("one task of OLL v1", 5, 1),
        ("four tasks of OLL v1", 5, 4),
    ):
        method = f"K = {models} models, {tasks} task(s)"
        yield derived("family_adjacent", subject, tasks * family_size(models, "adjacent"), method)
        yield derived("family_all", subject, tasks * family_size(models, "all"), method)
    error = float(1 - (1 - settings["alpha"]) ** int(settings["oll_v1_pairs"]))
    method = "1 - (1 - α)^m, true nulls, independent tests"
    yield derived("family_wise_error", "m = 40", error, method)


@QUANTITIES.on(PublishedNumbers)
def unresolved_in_families(published: PublishedNumbers) -> Iterator[Finding]:
    """Unresolved pairs of Table 7 at fixed n and under the families of 9 and of 45 pairs."""
    counts = published.adjacent_pairs
    n = counts.n_items
    adjacent = family_size(len(counts) + 1, "adjacent")
    everything = int(published.settings["mmlu_pro_all_pairs_family"])
    fixed = required_n_discordance(counts.b, counts.c, n) > n
    bonferroni = unresolved_under(counts, "bonferroni", everything)
    method = "N* at the adjusted level exceeds N, from b and c of Table 7"
    stay = "pairs unresolved at fixed n that the family leaves unresolved"
    for name, which, how in (
        ("fixed_n", fixed, method),
        (f"bonferroni_{adjacent}", unresolved_under(counts, "bonferroni", adjacent), method),
        (f"bonferroni_{everything}", bonferroni, method),
        (f"holm_{adjacent}", unresolved_under(counts, "holm", adjacent), method),
        (f"that_stay_bonferroni_{everything}", fixed & bonferroni, stay),
    ):
        count = int(np.count_nonzero(which))
        yield Finding(f"unresolved_{name}_at_printed_n", _MMLU_PRO, count, how)


@QUANTITIES.on(PublishedNumbers)
def inflations(published: PublishedNumbers) -> Iterator[Finding]:
    """Factors by which adjusted levels raise N*, and what is unresolved under them."""
    settings = published.settings
    pairs, everything = int(settings["oll_v1_pairs"]), int(settings["mmlu_pro_all_pairs_family"])
    for name, level in (
        ("fixed n", ALPHA),
        (f"Bonferroni, m = {pairs}", bonferroni_level(pairs)),
        (f"Bonferroni, m = {everything}", bonferroni_level(everything)),
        (f"Šidák, m = {pairs}", sidak_level(pairs)),
    ):
        # The quantile of a power of one half is 0: what is left is that of the level.
        yield derived("critical_value", name, float(z_sum(level, 0.5)), "z at 1 - α'/2")
        yield derived("inflation", name, _inflation(level), "((z' + z_β)/(z + z_β))²")
    bound = _inflation(bonferroni_level(pairs))
    steps = np.array(
        [_inflation(level) for level in step_levels(np.arange(1, pairs + 1) / (pairs + 1), "holm")]
    )
    above = np.count_nonzero(steps > bound * (1 + 1e-12))
    method = "largest factor of Holm's steps, m = 40"
    yield derived("holm_inflation_max", "m = 40", float(steps.max()), method)
    method = "Holm's steps that inflate N* by more than Bonferroni, m = 40"
    yield derived("holm_steps_above_bonferroni", "m = 40", float(above), method)
    close = published.close_pairs
    needed = required_n_discordance(close.b, close.c, close.n_items, alpha=bonferroni_level(pairs))
    count = int(np.count_nonzero(needed > close.n_items))
    method = "pairs of Table 6 whose N* at level 0.05/40 exceeds N"
    yield Finding("unresolved_bonferroni_40", _CLOSE, count, method)
    table = published.tables[3]
    for label, worst in zip(table["gap_bucket"], table["r_worst"], strict=True):
        possible = interval_of(worst).times(Interval.around(bound))
        method = "worst r of Table 3 times the factor"
        yield within("worst_r_inflated", label, worst.value * bound, possible, method)
    total = sum(int(x) for x in settings["bonferroni_unresolved_by_bucket"])
    method = "sum over the buckets as Section 6.3 gives them"
    yield Finding("unresolved_after_bonferroni", "Section 6.3", total, method)


def _inflation(level: float) -> float:
    return float((z_sum(level, POWER) / z_sum(ALPHA, POWER)) ** 2)


@QUANTITIES.on(PublishedNumbers)
def false_discovery(published: PublishedNumbers) -> Iterator[Finding]:
    """Bounds that Table 3 puts on Benjamini-Hochberg's rejections, as T_N² is (z_α + z_β)²/r."""
    table, pairs = published.tables[3], int(published.settings["oll_v1_pairs"])
    above = table[table["gap_bucket"].isin(_ABOVE_5PP)]
    n_above = sum(int(cell.value) for cell in above["pairs"])
    worst = max(cell.value + cell.half_unit for cell in above["r_worst"])
    fewest = int(published.close_pairs.n_items.min())
    p, p_resolved = _p_value(K / worst, fewest), _p_value(K, fewest)
    level = float(step_levels(np.full(n_above, p), "benjamini_hochberg", pairs)[0])
    resolved = int(
        sum(
            cell.value - unresolved.count
            for cell, unresolved in zip(table["pairs"][:-1], table["unresolved"][:-1], strict=True)
        )
    )
    equal = np.full(resolved, p_resolved)
    level_resolved = float(step_levels(equal, "benjamini_hochberg", pairs)[0])
    for name, value, method in (
        ("p_largest_above_5pp", p, "of the worst r above 5 pp in Table 3"),
        ("bh_level_above_5pp", level, "level of Benjamini-Hochberg at the rank of those pairs"),
        ("bh_retracted_above_5pp_at_most", 0 if p <= level else n_above, "p against that level"),
        (
            "bh_rejections_up_to_5pp_at_least",
            resolved - n_above if p_resolved <= level_resolved else 0,
            "resolved pairs of Table 3 with smaller gaps: their p against the level of their rank",
        ),
    ):
        yield Finding(name, _OLL_V1, float(value), method)
    counts = published.close_pairs
    for name, values in (
        ("asymptotic", mcnemar_asymptotic(counts.b, counts.c)),
        ("exact", mcnemar_exact(counts.b, counts.c)),
    ):
        method = f"smallest {name} McNemar p-value of Table 6"
        yield Finding("smallest_p", f"{_CLOSE}, {name}", float(values.min()), method)


def _p_value(wald_squared: float, n_items: int) -> float:
    """Asymptotic McNemar p-value at T_N², N items: McNemar's z² is T²/(1 + T²/N)."""
    return float(chdtrc(1, wald_squared / (1 + wald_squared / n_items)))


def _stress_tests(published: PublishedNumbers) -> Iterator[Finding]:
    """Of Section 1's three stress tests: those that a board has, and those combined."""
    # Table 11 has four tests on pairs of OLL v1; Table 5 has the other two, each in a row.
    table = published.tables[5]
    named = [[word in name for word in _ADJUSTMENTS] for name in table["procedure"]]
    of_oll = [row for row, cell in zip(named, table["oll_v1"], strict=True) if cell is not None]
    in_table_5 = sum(any(column) for column in zip(*of_oll, strict=True))
    on_oll = in_table_5 + bool(len(published.tables[11]))
    yield Finding("stress_tests", "on OLL v1", on_oll, "rows of Tables 5 and 11")
    combined = sum(sum(row) > 1 for row in named)
    yield Finding("stress_tests", "rows with two of them", combined, "rows of Table 5")


@QUANTITIES.on(PublishedNumbers)
def procedures_of_table_5(published: PublishedNumbers) -> Iterator[Finding]:
    """Fewest unresolved pairs that a procedure of Table 5 adds to those at fixed n."""
    table = published.tables[5]
    boards = [name for name in table.columns if name != "procedure"]
    yield Finding("boards_counted", "Table 5", len(boards), "columns of counts")
    on_both: Counter[str] = Counter()
    for board, subject in (("oll_v1", _OLL_V1), ("mmlu_pro", _MMLU_PRO)):
        counts = {
            name: cell.count
            for name, cell in zip(table["procedure"], table[board], strict=True)
            if cell is not None
        }
        fixed, *_ = counts.values()
        increases = {name: count - fixed for name, count in list(counts.items())[1:]}
        on_both.update(increases)
        smallest = min(increases.values())
        yield Finding("smallest_increase_over_fixed_n", subject, smallest, "column of Table 5")
    yield from _stress_tests(published)
    smallest, together = min(on_both.values()), "both boards together"
    method = "sum over the boards that a row of Table 5 has a count for"
    yield Finding("smallest_increase_over_fixed_n", together, smallest, method)


_LARGE_GAP: Final = 0.05


@QUANTITIES.on(Board)
def unresolved_in_buckets(board: Board) -> Iterator[Finding]:
    """Unresolved pairs of each bucket of Table 3 under Bonferroni: r times its inflation."""
    which = board.unresolved("resolved_bonferroni")
    for label in BUCKETS:
        inside = bucket_mask(label, board.gap)
        count, of = float(np.count_nonzero(which & inside)), f"of {int(inside.sum())}"
        yield Finding("bonferroni_unresolved_in_bucket", label, count, of)


@QUANTITIES.on(Board)
def rejections_retracted(board: Board) -> Iterator[Finding]:
    """Rejections of large gaps at the unadjusted level that Benjamini-Hochberg takes back."""
    rejected = board.column("p_unadjusted") <= ALPHA
    taken_back = rejected & (board.column("p_bh") > ALPHA)
    count = float(np.count_nonzero(taken_back & (board.gap > _LARGE_GAP)))
    yield Finding("bh_retracted_above_5pp", "", count)
