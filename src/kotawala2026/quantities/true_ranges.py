"""Unresolved pairs of Open LLM Leaderboard v1 that all other printed numbers leave possible."""

# Given the displayed scores the table of a pair follows from its overlap, so that each printed
# number is a property of tables. Left out are numbers of which there are several readings (n_h/N*),
# and Table 3's counts, which are what is asked for.

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from kotawala2026.labels import (
    BUCKETS,
    BUCKETS_AND_ALL,
    FIVE_NUMBERS,
    bucket_mask,
    validated_labels,
)
from kotawala2026.operating_point import ALPHA, POWER, K
from kotawala2026.quantities.displayed_scores import (
    DisplayedPair,
    between,
    displayed_pairs,
    gain_of,
    gaps_of,
    tables_with_margins,
)
from kotawala2026.quantities.grounds import QUANTITIES, DisplayedScores
from kotawala2026.quantities.pairs import RHO_SHIFT, required_n_at_shifted_rho
from llm_power._statistics.arrays import BoolArray, FloatArray
from llm_power._statistics.inversion import z_sum
from llm_power._statistics.multiplicity import bonferroni_level
from llm_power._statistics.paired_binary import PairSummary
from llm_power_audit.agreement import agrees
from llm_power_audit.printed import Printed
from replication.constraints import Interval, interval_of
from replication.contradictions import CountRow, count_ranges, quantile_rows
from replication.findings import Finding

# What Figure 4 and Appendix C name beside Table 6, and the digits of Section 2's gains.
_FIGURE_4: Final = ("ARC-C", "Mistral-7B-I-v0.2", "Llama-3-8B-Instruct")
_HALF_UNIT: Final = 0.005
_SUMMARIES: Final = {"r_median": 0.5, "r_worst": 1.0}


@dataclass(frozen=True, eq=False)
class PossibleTables:
    """All tables of each pair that have the displayed scores."""

    ground: DisplayedScores

    @cached_property
    def pairs(self) -> list[DisplayedPair]:
        """The pairs, the better model first."""
        return displayed_pairs(self.ground.oll_v1)

    @cached_property
    def tables(self) -> list[PairSummary]:
        """The tables of each pair."""
        return [tables_with_margins(a, b) for a, b in self.pairs]

    @cached_property
    def gaps(self) -> FloatArray:
        """The displayed gap of each pair."""
        return gaps_of(self.pairs)

    def inside(self, label: str) -> list[int]:
        """Return the pairs of a bucket of Table 3."""
        return np.flatnonzero(bucket_mask(label, self.gaps)).tolist()

    def r(self, label: str) -> dict[int, FloatArray]:
        """Return N*/N of the pairs of a bucket."""
        return {i: self.tables[i].n_star / self.tables[i].n_items for i in self.inside(label)}

    def unresolved(self, label: str, level: float = ALPHA) -> dict[int, BoolArray]:
        """Return where the pairs of a bucket are unresolved at a level, eq. (6)."""
        inflation = float(z_sum(level, POWER)) ** 2 / K
        return {i: r * inflation > 1 for i, r in self.r(label).items()}

    def unresolved_at_shift(self, shift: float) -> dict[int, BoolArray]:
        """Return where they are unresolved with every correlation moved."""
        return {
            i: required_n_at_shifted_rho(t.p_a, t.p_b, t.rho, shift) > t.n_items
            for i, t in enumerate(self.tables)
        }


@QUANTITIES.on(DisplayedScores)
def unresolved_pairs(ground: DisplayedScores) -> Iterator[Finding]:
    """Ranges of the counts of unresolved pairs, each by all numbers that do not state it."""
    possible = PossibleTables(ground)
    level = bonferroni_level(len(possible.pairs))
    rows = list(printed_rows(possible))
    stated = [{row.member for row in of(possible)} for of in (_of_bonferroni, _of_moved_rho)]
    higher, lower = (possible.unresolved_at_shift(sign * RHO_SHIFT) for sign in (1, -1))
    asked = {
        ("unresolved", "2%–5%"): (possible.unresolved("2%–5%"), ()),
        ("unresolved", "all"): (possible.unresolved("all"), ()),
        ("unresolved_bonferroni", "2%–5%"): (possible.unresolved("2%–5%", level), stated[0]),
        ("unresolved_bonferroni", "5%–15%"): (possible.unresolved("5%–15%", level), stated[0]),
        ("unresolved_bonferroni", "all"): (possible.unresolved("all", level), stated[0]),
        ("unresolved_at_moved_rho", "fewest"): (higher, stated[1]),
        ("unresolved_at_moved_rho", "most"): (lower, stated[1]),
    }
    ranges, conflicts = count_ranges(rows, list(asked.values()))
    method = "by the displayed scores and every printed number that does not state it"
    for (quantity, subject), (least, most) in zip(asked, ranges, strict=True):
        count = between(f"{quantity}_of_printed_numbers", subject, least, most, method)
        yield replace(count, basis="counts")
    least, most = ranges[list(asked).index(("unresolved", "all"))]
    printed = ground.published.settings["figure_2_unresolved"]
    sentence = (
        f"Of the {len(possible.pairs)} pairs of Open LLM Leaderboard v1 the paper has {printed} "
        f"unresolved; displayed scores and all its other numbers leave {least} to {most}."
    )
    for conflict in conflicts:
        by = "" if conflict.is_proved else " by a solver alone"
        sentence += (
            f" With the displayed scores these contradict each other{by}, whichever is wrong, and "
            f"are left out: {'; '.join(conflict.members)}."
        )
    yield Finding("range_of_unresolved", "", sentence, method, basis="counts")


def rows_without_counts(possible: PossibleTables) -> Iterator[CountRow]:
    """Yield what single pairs, quantiles and extremes say of the tables."""
    yield from _of_table_6(possible)
    yield from _of_other_pairs(possible)
    yield from _of_table_3(possible)
    yield from _of_gains(possible)


def printed_rows(possible: PossibleTables) -> Iterator[CountRow]:
    """Yield what all numbers but Table 3's counts say of them."""
    yield from rows_without_counts(possible)
    yield from _of_bonferroni(possible)
    yield from _of_moved_rho(possible)


def _one_pair(member: str, i: int, has: BoolArray) -> CountRow:
    return CountRow(member, {i: has}, least=1)


def _of_table_6(possible: PossibleTables) -> Iterator[CountRow]:
    """Both counts of each row."""
    printed = possible.ground.published.close_pairs
    rows = zip(printed.label, printed.model_a, printed.model_b, printed.b, printed.c, strict=True)
    for number, (task, model_a, model_b, b, c) in enumerate(rows, start=1):
        for i, (one, other) in enumerate(possible.pairs):
            if one.task != task or {one.model, other.model} != {model_a, model_b}:
                continue
            first, second = (b, c) if one.model == model_a else (c, b)
            table = possible.tables[i]
            both = table.var_d + np.square(table.delta)
            has = np.rint(both * table.n_items) == first + second
            if first - second != one.correct - other.correct:
                has = np.zeros_like(has)
            yield _one_pair(f"b and c of Table 6, row {number}", i, has)


def _of_other_pairs(possible: PossibleTables) -> Iterator[CountRow]:
    """Correlation and N* of Table 10's pairs and of Figure 4's."""
    published = possible.ground.published
    n_star = Printed("=", float(published.settings["figure_4_n_star"]), 0.5)
    rho = Printed("=", float(published.settings["e_process_rho"]), _HALF_UNIT)
    named = [("Figure 4", _FIGURE_4, rho, n_star, None)]
    named += [
        (f"Table 10, row {k}", row["pair"], row["rho"], row["n_star"], row["gap"])
        for k, row in enumerate(published.tables[10].to_dict(orient="records"), start=1)
    ]
    for where, name, rho, n_star, gap in named:
        for i, (a, b) in enumerate(possible.pairs):
            names = ((a.task, a.model, b.model), *validated_labels(a.task, a.model, b.model))
            if name not in names or (gap is not None and not agrees(gap, a.accuracy - b.accuracy)):
                continue
            table = possible.tables[i]
            yield _one_pair(f"rho of {where}", i, _within(table.rho, interval_of(rho)))
            # To the nearest item or up.
            near = Interval(n_star.value - 2 * n_star.half_unit, n_star.value + n_star.half_unit)
            yield _one_pair(f"N* of {where}", i, _within(table.n_star, near))


def _within(values: FloatArray, span: Interval) -> BoolArray:
    slack = 1e-9 * max(abs(span.lower), abs(span.upper))
    return (values >= span.lower - slack) & (values <= span.upper + slack)


def _of_table_3(possible: PossibleTables) -> Iterator[CountRow]:
    """Median and worst N*/N of each bucket."""
    for row in possible.ground.published.tables[3].to_dict(orient="records"):
        label = row["gap_bucket"]
        values = possible.r(label) if label in BUCKETS_AND_ALL else {}
        for column, share in _SUMMARIES.items() if values else ():
            span = interval_of(row[column])
            name = f"{column} of Table 3, {label}"
            yield from quantile_rows(name, values, share, span.lower, span.upper)


def _of_gains(possible: PossibleTables) -> Iterator[CountRow]:
    """Section 2's five numbers of the gain of pairing, and its largest residual."""
    settings = possible.ground.published.settings
    least, most = settings["miller_gain_range"]
    printed = dict(zip(FIVE_NUMBERS, (least, *settings["figure_1_gain"], most), strict=True))
    gain = {i: gain_of(table) for i, table in enumerate(possible.tables)}
    for part, share in FIVE_NUMBERS.items():
        value = float(printed[part])
        name = f"gain {part} of Section 2"
        yield from quantile_rows(name, gain, share, value - _HALF_UNIT, value + _HALF_UNIT)
    with np.errstate(divide="ignore"):
        residual = {i: np.abs(gain[i] - 1 / (1 - t.rho)) for i, t in enumerate(possible.tables)}
    largest = float(settings["figure_1_residual"][1])
    ends = largest - _HALF_UNIT / 10, largest + _HALF_UNIT / 10
    yield from quantile_rows("largest residual of Section 2", residual, 1.0, *ends)


def _of_bonferroni(possible: PossibleTables) -> Iterator[CountRow]:
    """Section 6.3's unresolved pairs by bucket."""
    level = bonferroni_level(len(possible.pairs))
    printed = possible.ground.published.settings["bonferroni_unresolved_by_bucket"]
    for label, count in zip(BUCKETS, printed, strict=True):
        has = possible.unresolved(label, level)
        yield CountRow(f"Bonferroni's count of Section 6.3, {label}", has, int(count), int(count))


def _of_moved_rho(possible: PossibleTables) -> Iterator[CountRow]:
    """Section 6.2's counts with every correlation moved by 0.1; N* falls as rho rises."""
    fewest, most = possible.ground.published.settings["oll_v1_rho_shift_range"]
    for count, shift in ((int(fewest), RHO_SHIFT), (int(most), -RHO_SHIFT)):
        has = possible.unresolved_at_shift(shift)
        yield CountRow(f"count of Section 6.2 at rho {shift:+g}", has, count, count)
