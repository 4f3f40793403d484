"""The range of unresolved pairs that the printed numbers leave, and that its ends are reached."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from kotawala2026.labels import BUCKETS_AND_ALL
from kotawala2026.quantities.displayed_scores import gain_of
from kotawala2026.quantities.grounds import DisplayedScores, PublishedNumbers
from kotawala2026.quantities.pairs import required_n_at_shifted_rho
from kotawala2026.quantities.true_ranges import (
    PossibleTables,
    printed_rows,
    rows_without_counts,
    unresolved_pairs,
)
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.paired_binary import (
    PairSummary,
    shortcut_required_n,
    summarize_counts,
)
from llm_power_audit.printed import parse_printed
from replication.contradictions import CountRow, count_ranges, quantile_rows
from replication.findings import Finding

#: Which of the five models solve an item.
PATTERNS = np.array(list(product((0, 1), repeat=5)))
SHARES = {"min": 0.0, "q1": 0.25, "median": 0.5, "q3": 0.75, "max": 1.0}


@pytest.fixture(scope="module")
def possible(numbers: PublishedNumbers) -> PossibleTables:
    return PossibleTables(DisplayedScores(numbers))


def found(numbers: PublishedNumbers) -> dict[tuple[str, str], Finding]:
    return {(f.quantity, f.subject): f for f in unresolved_pairs(DisplayedScores(numbers))}


def test_the_headline_has_its_range(numbers: PublishedNumbers, possible: PossibleTables) -> None:
    findings = found(numbers)
    everything = findings["unresolved_of_printed_numbers", "all"]
    assert (everything.lower, everything.upper, everything.basis) == (10, 12, "counts")
    middle = findings["unresolved_of_printed_numbers", "2%–5%"]
    assert (middle.lower, middle.upper) == (3, 5)
    said = str(findings["range_of_unresolved", ""].value)
    assert said == (
        "Of the 40 pairs of Open LLM Leaderboard v1 the paper has 11 unresolved; displayed scores "
        "and all its other numbers leave 10 to 12."
    )
    assert "contradict" not in said
    # Step by step: margins, Table 6, and everything but counts.
    rows, unresolved = list(rows_without_counts(possible)), possible.unresolved("all")
    of_table_6 = [row for row in rows if "Table 6" in row.member]
    assert count_ranges([], [(unresolved, ())]) == ([(2, 15)], [])
    assert count_ranges(of_table_6, [(unresolved, ())]) == ([(7, 15)], [])
    assert count_ranges(rows, [(unresolved, ())]) == ([(9, 12)], [])


def test_which_pairs_of_two_tasks_are_unresolved_is_open(possible: PossibleTables) -> None:
    """The caption of Figure 2: the rest follows from Table 3's count and all other numbers."""
    middle = possible.unresolved("2%–5%")
    rows = [*printed_rows(possible), CountRow("Table 3's count", middle, 4, 4)]
    ends = {"ARC-C": (5, 6), "HS": (1, 1), "Wino": (4, 5), "GSM8K": (0, 0)}
    everything = possible.unresolved("all").items()
    of_tasks = [
        ({i: has for i, has in everything if possible.pairs[i][0].task == task}, ())
        for task in ends
    ]
    assert count_ranges(rows, of_tasks) == ([*ends.values()], [])
    free = {
        possible.pairs[i][0].task
        for i, has in middle.items()
        if count_ranges(rows, [({i: has}, ())])[0] == [(0, 1)]
    }
    assert free == {"ARC-C", "Wino"}


def test_one_arc_pair_is_displayed_with_the_gap_of_figure_4(possible: PossibleTables) -> None:
    names = [
        (a.model, b.model)
        for (a, b), gap in zip(possible.pairs, possible.gaps, strict=True)
        if a.task == "ARC-C" and f"{gap:.3f}" == "0.024"
    ]
    assert names == [("Mistral-7B-I-v0.2", "Llama-3-8B-Instruct")]


def test_ratios_of_whole_items_leave_the_range(possible: PossibleTables) -> None:
    """Section 4's five numbers of n_h/N*, both rounded up, fit the others and exclude no count."""
    rows, unresolved = list(printed_rows(possible)), possible.unresolved("all")
    ratio = {}
    for i, table in enumerate(possible.tables):
        n_h = shortcut_required_n(table.p_a, table.p_b, table.rho)
        ratio[i] = np.ceil(n_h) / np.ceil(table.n_star)
    printed = (0.487, 0.0005), (0.4999, 5e-5), (0.5002, 5e-5), (0.5035, 5e-5), (0.562, 0.0005)
    for (name, share), (value, half_unit) in zip(SHARES.items(), printed, strict=True):
        rows += quantile_rows(name, ratio, share, value - half_unit, value + half_unit)
    assert count_ranges(rows, [(unresolved, ())]) == ([(10, 12)], [])


def quantiles(numbers: PublishedNumbers, possible: PossibleTables) -> list[Any]:
    """The printed quantiles: values of all tables, share, and ends."""
    listed: list[Any] = []
    gain = {i: gain_of(table) for i, table in enumerate(possible.tables)}
    least, most = numbers.settings["miller_gain_range"]
    printed = dict(zip(SHARES, (least, *numbers.settings["figure_1_gain"], most), strict=True))
    listed += [(gain, SHARES[x], printed[x] - 0.005, printed[x] + 0.005) for x in SHARES]
    for row in numbers.tables[3].to_dict(orient="records"):
        for column, share in (("r_median", 0.5), ("r_worst", 1.0)):
            cell, r = row[column], possible.r(row["gap_bucket"])
            listed.append((r, share, cell.value - cell.half_unit, cell.value + cell.half_unit))
    residual = {i: np.abs(gain[i] - 1 / (1 - t.rho)) for i, t in enumerate(possible.tables)}
    return [*listed, (residual, 1.0, 0.0615, 0.0625)]


def near(values: dict[int, FloatArray], share: float, low: float, high: float) -> list[CountRow]:
    """Both neighbors of an interpolated quantile between the ends: more than is printed."""
    place = share * (len(values) - 1)
    at_most = {i: x <= high for i, x in values.items()}
    at_least = {i: x >= low for i, x in values.items()}
    return [
        CountRow("", at_most, math.ceil(place) + 1),
        CountRow("", at_least, len(values) - math.floor(place)),
    ]


@pytest.mark.parametrize("count", [10, 11, 12])
def test_each_count_of_the_range_is_that_of_whole_answers(
    count: int, numbers: PublishedNumbers, possible: PossibleTables
) -> None:
    """Five models' answers, task by task, that have every printed number."""
    rows, settings = list(rows_without_counts(possible)), numbers.settings
    inflated = possible.unresolved("all", 0.05 / 40)
    for label, n in zip(BUCKETS_AND_ALL, settings["bonferroni_unresolved_by_bucket"], strict=False):
        rows.append(CountRow("", {i: inflated[i] for i in possible.inside(label)}, int(n), int(n)))
    for n, shift in zip(settings["oll_v1_rho_shift_range"], (0.1, -0.1), strict=True):
        rows.append(CountRow("", possible.unresolved_at_shift(shift), int(n), int(n)))
    rows.append(CountRow("", possible.unresolved("all"), count, count))
    middle = possible.r("2%–5%")
    straddled = middle.keys() if count == 12 else None
    for values, share, low, high in quantiles(numbers, possible):
        # Table 6 fixes those of the closest pairs.
        if len(values) >= 5 and (share != 0.5 or values.keys() != straddled):
            rows += near(values, share, low, high)
    if count == 12:
        # Of the two in the middle of ten one is unresolved, and their mean is 0.75.
        fifth = {i: (x >= 0.49) & (x <= 0.50) for i, x in middle.items()}
        sixth = {i: (x > 1.0) & (x <= 1.01) for i, x in middle.items()}
        rows += [CountRow("", fifth, 1, 1), CountRow("", sixth, 1, 1)]
        rows.append(CountRow("", {i: x < 0.49 for i, x in middle.items()}, 4, 4))
    summaries = whole_answers(rows, possible)
    r = np.array([float(s.n_star) / int(s.n_items) for s in summaries])
    assert (r > 1).sum() == count
    gain = np.array([float(gain_of(s)) for s in summaries])
    least, most = settings["miller_gain_range"]
    printed = (least, *settings["figure_1_gain"], most)
    for share, value in zip(SHARES.values(), printed, strict=True):
        assert np.quantile(gain, share) == pytest.approx(value, abs=0.005)
    for row in numbers.tables[3].to_dict(orient="records"):
        inside = r[possible.inside(row["gap_bucket"])]
        assert abs(np.median(inside) - row["r_median"].value) <= row["r_median"].half_unit
        assert abs(inside.max() - row["r_worst"].value) <= row["r_worst"].half_unit
    moved = [
        sum(
            bool(required_n_at_shifted_rho(s.p_a, s.p_b, s.rho, shift) > s.n_items)
            for s in summaries
        )
        for shift in (0.1, -0.1)
    ]
    assert moved == settings["oll_v1_rho_shift_range"]


def whole_answers(rows: list[CountRow], possible: PossibleTables) -> list[PairSummary]:
    """The pairs of some answers of the five models, with the displayed scores, by the rows."""
    scores, pairs = possible.ground.oll_v1, possible.pairs
    tasks = list(dict.fromkeys(score.task for score in scores))
    runs = []
    for i, table in enumerate(possible.tables):
        none = np.zeros(len(table.rho), dtype=bool)
        has = np.array([row.has.get(i, none) for row in rows]).T
        starts = np.flatnonzero(np.r_[True, (has[1:] != has[:-1]).any(axis=1)])
        runs.append((starts, np.r_[starts[1:] - 1, len(has) - 1], has[starts]))
    n_runs = sum(len(starts) for starts, *_ in runs)
    total = n_runs + 32 * len(tasks)
    limits: list[tuple[FloatArray, float, float]] = []

    def of_cells(task: str, which: FloatArray) -> FloatArray:
        row = np.zeros(total)
        place = n_runs + 32 * tasks.index(task)
        row[place : place + 32] = which
        return row

    for k, score in enumerate(scores):
        solves = PATTERNS[:, k % 5]
        limits.append((of_cells(score.task, solves), score.correct, score.correct))
        limits.append((of_cells(score.task, np.ones(32)), score.n_items, score.n_items))
    models = [score.model for score in scores[:5]]
    counts = np.zeros((len(rows), total))
    begin = 0
    for (starts, ends, has), (a, b) in zip(runs, pairs, strict=True):
        columns = slice(begin, begin + len(starts))
        begin += len(starts)
        counts[:, columns] = has.T
        one = np.zeros(total)
        one[columns] = 1
        limits.append((one, 1, 1))
        both = PATTERNS[:, models.index(a.model)] * PATTERNS[:, models.index(b.model)]
        overlap = of_cells(a.task, both)
        least = max(0, a.correct + b.correct - a.n_items)
        for places, low, high in ((starts, 0, np.inf), (ends, -np.inf, 0)):
            bounded = overlap.copy()
            bounded[columns] = -(least + places)
            limits.append((bounded, low, high))
    limits += [(row, limit.least, limit.most) for row, limit in zip(counts, rows, strict=True)]
    matrix, below, above = zip(*limits, strict=True)
    solution = milp(
        np.zeros(total),
        constraints=LinearConstraint(np.array(matrix), below, above),
        integrality=np.ones(total, dtype=np.int64),
        bounds=Bounds(0, np.r_[np.ones(n_runs), np.full(total - n_runs, np.inf)]),
    )
    assert solution.x is not None
    cells = np.rint(solution.x[n_runs:]).astype(int).reshape(len(tasks), 32)
    found = []
    for a, b in pairs:
        first, second = (PATTERNS[:, models.index(x.model)] == 1 for x in (a, b))
        of_task = cells[tasks.index(a.task)]
        which = (first & second, first & ~second, ~first & second, ~first & ~second)
        found.append(summarize_counts(*(int(of_task[x].sum()) for x in which)))
    return found


def test_a_misprint_is_a_conflict_that_names_its_members(numbers: PublishedNumbers) -> None:
    table = numbers.tables[3].copy()
    table["r_median"] = [*table["r_median"][:2], parse_printed("1.75"), *table["r_median"][3:]]
    wrong = replace(numbers, tables={**numbers.tables, 3: table})
    findings = found(wrong)
    said = str(findings["range_of_unresolved", ""].value)
    assert "these contradict each other, whichever is wrong, and are left out: r_median of" in said
    assert "; " in said.partition("left out: ")[2]
    everything = findings["unresolved_of_printed_numbers", "all"]
    assert everything.lower <= 10
    assert everything.upper >= 12


def test_the_pairs_are_those_of_the_board(possible: PossibleTables) -> None:
    assert len(possible.pairs) == len(list(combinations(range(5), 2))) * 4
    assert {row.member for row in rows_without_counts(possible)} >= {
        "b and c of Table 6, row 7",
        "rho of Table 10, row 3",
        "N* of Figure 4",
        "gain median of Section 2",
        "r_worst of Table 3, all",
    }
