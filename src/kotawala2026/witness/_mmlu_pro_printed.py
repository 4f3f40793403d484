"""What the printed numbers of the MMLU-Pro panel imply before anything is fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from kotawala2026.adjacent_clusters import icc_of_effect
from kotawala2026.exhibits.item_count import common_items, items_displaying
from kotawala2026.labels import dropped_subjects
from kotawala2026.operating_point import K
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray
from llm_power._statistics.paired_binary import required_n_discordance
from llm_power_audit.printed import DISPLAY_RULES
from llm_power_audit.printed_tables import PublishedError
from replication.constraints import Constraint, select
from replication.intervals import Interval
from replication.witness.gap_misfit import PairTargets
from replication.witness.infeasible import Contradiction, LinearRow, find_contradiction, linear_row

# A residual of 1 on a bound of Table 9 is its half unit or, if that is more, this share of a design
# effect: the paper simulated them, to a few percent.
_SHARE_OF_EFFECT: Final = 0.01
# An implied N may lack at most so many of the benchmark's items.
_MOST_SHORT: Final = 1
_ICC_UNITS: Final = 1_000_000_000
# Relative half width of the interval that replaces contradictory ones.
_NEAR: Final = 1e-4
# Bound on the sum of all unknowns of the chain, in items of the benchmark.
_ROOM: Final = 20


@dataclass(frozen=True, slots=True)
class Table7:
    """The panel's constraints, and those on the counts of Table 7 in the order of the pairs."""

    pairs: tuple[str, ...]
    models: tuple[str, ...]
    b: tuple[Constraint, ...]
    c: tuple[Constraint, ...]
    constraints: tuple[Constraint, ...]

    @classmethod
    def of(cls, constraints: Sequence[Constraint]) -> Table7:
        """Select the constraints on b and c; the pairs must form a chain."""
        b, c = (select(constraints, name) for name in ("b", "c"))
        subjects = [one.subject for one in b]
        if not b or subjects != [one.subject for one in c]:
            raise PublishedError("mmlu_pro: b and c must be given for the same pairs")
        if any(len(subject) != 3 for subject in subjects) or any(
            before[2] != after[1] for before, after in pairwise(subjects)
        ):
            raise PublishedError("mmlu_pro: each pair must begin with the model the last ends with")
        models = (subjects[0][1], *(subject[2] for subject in subjects))
        return cls(tuple(subject[0] for subject in subjects), models, b, c, tuple(constraints))

    def of_pair(self, pair: int, *names: str) -> tuple[Constraint, ...]:
        """Return the fitted constraints whose subject begins with the pair's label."""
        fitted = select(self.constraints, *names, fitted=True)
        return tuple(c for c in fitted if c.subject[:1] == (self.pairs[pair],))

    def counts(self, pair: int) -> tuple[int, int]:
        """Return b and c."""
        return round(self.b[pair].printed.value), round(self.c[pair].printed.value)


@dataclass(frozen=True, slots=True)
class IccInterval:
    """Interval of the ICC that one printed number implies."""

    constraint: Constraint
    lower: float
    upper: float


def implied_items(table: Table7, whole: int) -> int:
    """Return the one N that the fitted N* of Table 7 imply; `whole` if there is no such N."""
    fitted = [
        (i, n_star[0]) for i in range(len(table.pairs)) if (n_star := table.of_pair(i, "n_star"))
    ]
    if not fitted:
        return whole
    implied: set[int] = set()
    for rule in DISPLAY_RULES:
        admitted = [
            items_displaying(round(c.printed.value), *table.counts(i), rule) for i, c in fitted
        ]
        implied.update(common_items(admitted))
    n_items = implied.pop() if len(implied) == 1 else whole
    return n_items if 0 <= whole - n_items <= _MOST_SHORT else whole


def first_solved(table: Table7, n_items: int) -> int:
    """Return how many items the first model solves, by its printed accuracy."""
    accuracy = table.of_pair(0, "p_a")
    if not accuracy:
        raise PublishedError("mmlu_pro: the accuracy of the first model must be fitted")
    return round(accuracy[0].printed.value * n_items)


def chain_contradictions(table: Table7, n_items: int) -> list[Contradiction]:
    """Return the contradictions of b and c with the accuracies, and with N*, at `n_items` items."""
    n = len(table.pairs)
    # The unknowns: items the first model solves, every b, every c, a slack.
    unit = np.eye(2 * n + 2)
    b, c = unit[1 : n + 1], unit[n + 1 : -1]
    counts = [
        linear_row(unknown[i], *printed[i].interval, printed[i])
        for i in range(n)
        for unknown, printed in ((b, table.b), (c, table.c))
    ]
    place = {pair: i for i, pair in enumerate(table.pairs)}
    accuracies, required = [], []
    for row in select(table.constraints, "p_a", "p_b"):
        model = place[row.subject[0]] + (row.quantity == "p_b")
        solved = unit[0] + (c[:model] - b[:model]).sum(axis=0)
        lower, upper = row.interval
        accuracies.append(linear_row(solved, n_items * lower, n_items * upper, row))
    for row in select(table.constraints, "n_star"):
        i = place[row.subject[0]]
        squared_gap = float(np.subtract(*table.counts(i))) ** 2
        # N* = K (N (b + c)/(b - c)^2 - 1), and any rounding moves it by less than one.
        ends = (row.printed.value - 1, row.printed.value + 1)
        low, high = ((end / K + 1) * squared_gap / n_items for end in ends)
        required.append(linear_row(b[i] + c[i], low, high, row, (table.b[i], table.c[i])))
    name = f"MMLU-Pro at N = {n_items:,}"
    contradictions = [
        find_contradiction(f"{name}: {what}", [*counts, *rows], _ROOM * n_items)
        for what, rows in (("accuracies", accuracies), ("required N", required))
    ]
    return [one for one in contradictions if one is not None]


def icc_intervals(table: Table7, pair: int, sizes: IntArray) -> list[IccInterval]:
    """Return the interval of a pair's ICC that each of its fitted numbers of Table 4 implies."""
    n_items = int(sizes.sum())
    n_star = float(required_n_discordance(*table.counts(pair), n_items))
    intervals = []
    for c in table.of_pair(pair, "icc", "design_effect", "n_star_cluster"):
        reach = Interval(*c.interval)
        if c.quantity == "n_star_cluster":
            # Rounded up or to the nearest is not known: the interval holds under both.
            least = max(reach.lower, c.printed.value - c.printed.half_unit)
            reach = Interval(least / n_star, reach.upper / n_star)
        if c.quantity != "icc":
            reach = icc_of_effect(reach, n_items / len(sizes))
        intervals.append(IccInterval(c, reach.lower, reach.upper))
    if not any(np.isfinite(one.lower) for one in intervals):
        raise PublishedError(f"mmlu_pro: nothing fitted bounds the ICC of {table.pairs[pair]}")
    return intervals


def icc_contradiction(
    pair: str, intervals: Sequence[IccInterval], rests_on: tuple[Constraint, ...]
) -> Contradiction | None:
    """Return two numbers whose intervals of the ICC do not meet, if there are any."""
    highest = max(intervals, key=lambda one: one.lower)
    lowest = min(intervals, key=lambda one: one.upper)
    if highest.lower <= lowest.upper:
        return None
    ends = [one.lower for one in intervals if np.isfinite(one.lower)]
    most = max(ends, key=lambda at: sum(one.lower <= at <= one.upper for one in intervals))
    wrong = [one for one in intervals if not one.lower <= most <= one.upper]
    smallest, correction = (
        tuple(_in_billionths(one, rests_on) for one in chosen)
        for chosen in ((highest, lowest), wrong)
    )
    return Contradiction(f"MMLU-Pro {pair}: ICC in billionths", smallest, correction)


def pair_targets(
    table: Table7,
    pair: int,
    *,
    sizes: IntArray,
    intervals: Sequence[IccInterval],
    unresolved_without: BoolArray | None,
) -> PairTargets:
    """Collect the targets of a pair."""
    lower, upper = max(one.lower for one in intervals), min(one.upper for one in intervals)
    if lower > upper:
        # A contradiction, which is reported: aim half way between the two numbers.
        middle = (lower + upper) / 2
        lower, upper = middle - _NEAR * abs(middle), middle + _NEAR * abs(middle)
    b, c = table.counts(pair)
    return PairTargets(
        n_items=sizes,
        b=b,
        c=c,
        icc=(lower, upper),
        bootstrap_icc=_bounds(table, pair, "icc", 0.0),
        bootstrap_design_effect=_bounds(table, pair, "design_effect", _SHARE_OF_EFFECT),
        unresolved_without=unresolved_without,
    )


def leave_one_out_verdicts(
    table: Table7, names: Sequence[str], n_items: int
) -> dict[int, BoolArray]:
    """Return the pair that Table 8 resolves, and without which categories it stays unresolved."""
    # Where the printed number falls, it is the unresolved pair with the smallest clustered N*: any
    # other would have to lose two thirds of its own.
    printed = select(table.constraints, "leave_one_out_unresolved", fitted=True)
    n_star = {
        i: required[0].printed.value
        for i in range(len(table.pairs))
        if (required := table.of_pair(i, "n_star_cluster"))
    }
    unresolved = [i for i, value in n_star.items() if value > n_items]
    if not printed or not unresolved:
        return {}
    counts = dict.fromkeys(names, len(unresolved))
    for c in printed:
        counts |= dict.fromkeys(dropped_subjects(c.subject[0]), round(c.printed.value))
    strangers = sorted(set(counts) - set(names))
    if strangers:
        raise PublishedError(f"mmlu_pro: Table 8 drops {strangers[0]!r}, which is no category")
    stays = np.array([counts[name] >= len(unresolved) for name in names])
    return {min(unresolved, key=lambda i: n_star[i]): stays}


def _in_billionths(interval: IccInterval, rests_on: tuple[Constraint, ...]) -> LinearRow:
    uses_counts = interval.constraint.quantity == "n_star_cluster"
    return LinearRow(
        np.ones(1),
        _ICC_UNITS * interval.lower,
        _ICC_UNITS * interval.upper,
        interval.constraint,
        rests_on if uses_counts else (),
    )


def _bounds(table: Table7, pair: int, quantity: str, share: float) -> FloatArray | None:
    ends = [table.of_pair(pair, f"{quantity}_{end}") for end in ("lower", "upper")]
    if not all(ends):
        return None
    printed = [one[0].printed for one in ends]
    units = [max(one.half_unit, share * abs(one.value)) for one in printed]
    return np.array([[one.value for one in printed], units])
