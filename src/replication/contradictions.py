r"""Printed numbers that contradict each other: smallest infeasible subset, and what others leave.

Of unknown counts :math:`x`, whole and not negative, a printed number is a row
:math:`l \le a^\top x \le u`. Coefficients are whole, so the bounds are rounded to whole numbers and
no verdict rests on a solver's tolerance.

Of pairs, each of which has one of finitely many tables, it says of how many pairs the table has a
property, :math:`l \le \sum_i p_i(x_i) \le u`: that a median is at most a value says it of half of
the pairs. Tables with the same properties are one choice, so that the least and the greatest count
are integer programs in whole coefficients.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import numpy as np
import pandas as pd
from scipy.optimize import Bounds, LinearConstraint, linprog

from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray
from replication.constraints import Constraint
from replication.whole_numbers import whole_solution

# A bound this close to a whole number is that number: it is a decimal times a count of items.
_WHOLE = 1e-9
# Of equally small sets, one of held-out numbers is preferred to one of targets, and that to one of
# inputs; then numbers that stand later. All these costs together stay below that of one row.
_ROLE_COST = {"held_out": 0.0, "target": 0.2, "input": 0.4}

# By the number of a pair: whether each of its possible tables has the property.
Property = Mapping[int, BoolArray]
# Combinations of counts of a proof by their sums, at most.
_MOST_SUMS: Final = 10_000_000
# Values this close to an end, relatively, are not told from it.
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class LinearRow:
    """A printed number as a linear constraint on whole, non-negative counts."""

    # Whole numbers, shape (n_counts,).
    coefficients: FloatArray
    # Whole too; lower > upper if no whole number rounds to what is printed.
    lower: float
    upper: float
    constraint: Constraint
    # Printed numbers that were used to make the row linear.
    rests_on: tuple[Constraint, ...] = ()


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Printed numbers that no counts satisfy together."""

    system: str
    # As few rows as possible that contradict each other.
    smallest: tuple[LinearRow, ...]
    # As few rows as possible whose removal leaves the rest consistent.
    correction: tuple[LinearRow, ...]


def linear_row(
    coefficients: FloatArray,
    lower: float,
    upper: float,
    constraint: Constraint,
    rests_on: Sequence[Constraint] = (),
) -> LinearRow:
    """Return the row with its bounds tightened to whole numbers."""
    if np.any(coefficients != np.rint(coefficients)):
        raise InvalidArgument(f"coefficients must be whole, got {coefficients.tolist()!r}")
    whole_lower = math.ceil(lower - _WHOLE) if math.isfinite(lower) else lower
    whole_upper = math.floor(upper + _WHOLE) if math.isfinite(upper) else upper
    return LinearRow(coefficients, whole_lower, whole_upper, constraint, tuple(rests_on))


def is_feasible(rows: Sequence[LinearRow], total: float) -> bool:
    """Whether whole, non-negative counts satisfy all `rows`."""
    if any(row.lower > row.upper for row in rows):
        return False
    if not rows:
        return True
    matrix, lower, upper = _stack(rows)
    n_counts = matrix.shape[1]
    limits = [
        LinearConstraint(matrix, lower, upper),
        LinearConstraint(np.ones((1, n_counts)), total, total),
    ]
    return whole_solution(np.zeros(n_counts), limits) is not None


def smallest_infeasible_subset(rows: Sequence[LinearRow], total: float) -> tuple[LinearRow, ...]:
    """Return as few rows as possible that contradict each other."""
    # Implicit hitting sets: the subset has a row in the complement of every consistent set. Take
    # the smallest set of rows that hits all complements found so far. If it is infeasible, no
    # smaller set is. Otherwise grow it to a maximal consistent set, whose complement is new.
    # Ignatiev, Previti, Liffiton and Marques-Silva (2015), doi:10.1007/978-3-319-23219-5_13. A
    # deletion filter (Chinneck and Dravnieks 1991, doi:10.1287/ijoc.3.2.157) is cheaper, but its
    # answer depends on the order of the rows and is irreducible only.
    if is_feasible(rows, total):
        return ()
    complements: list[list[int]] = []
    picked: list[int] = []
    while is_feasible([rows[k] for k in picked], total):
        complements.append(_complement_of_maximal(rows, picked, total))
        picked = _smallest_hitting_set(complements, len(rows))
    return tuple(rows[k] for k in picked)


def minimum_correction(rows: Sequence[LinearRow], total: float) -> tuple[LinearRow, ...]:
    """Return as few rows as possible whose removal leaves the rest consistent."""
    # One integer program: each row has a binary variable that lifts it. If one number contradicts
    # several others, it is this set; a smallest infeasible subset names it beside another.
    matrix, lower, upper = _stack(rows)
    n_rows, n_counts = matrix.shape
    bound = np.abs(matrix).max(axis=1) * total + np.maximum(np.abs(lower), np.abs(upper)) + 1
    lift = np.diag(bound)
    roles = np.array([_ROLE_COST[row.constraint.role] for row in rows])
    order = 0.1 * np.arange(n_rows)[::-1] / n_rows
    price = 1 + (roles + order) / n_rows
    limits = [
        LinearConstraint(np.hstack([matrix, lift]), lower, np.inf),
        LinearConstraint(np.hstack([matrix, -lift]), -np.inf, upper),
        LinearConstraint(np.r_[np.ones(n_counts), np.zeros(n_rows)][None], total, total),
    ]
    most = Bounds(0, np.r_[np.full(n_counts, np.inf), np.ones(n_rows)])
    solution = np.asarray(whole_solution(np.r_[np.zeros(n_counts), price], limits, most))
    return tuple(row for row, lifted in zip(rows, solution[n_counts:], strict=True) if lifted > 0.5)


def find_contradiction(
    system: str, rows: Sequence[LinearRow], total: float
) -> Contradiction | None:
    """Return the contradiction of `rows`, or None if counts satisfy them all."""
    if is_feasible(rows, total):
        return None
    return Contradiction(
        system, smallest_infeasible_subset(rows, total), minimum_correction(rows, total)
    )


def contradictions_frame(contradictions: Sequence[Contradiction]) -> pd.DataFrame:
    """List the contradictions, one row a printed number."""
    columns = [
        *("system", "set", "id", "quantity", "subject", "where", "printed", "role"),
        *("admits", "rests_on", "note"),
    ]
    listed = [
        (contradiction.system, name, row)
        for contradiction in contradictions
        for name, rows in (
            ("smallest infeasible subset", contradiction.smallest),
            ("minimum correction", contradiction.correction),
        )
        for row in rows
    ]
    return pd.DataFrame([_record(*entry) for entry in listed], columns=columns)


def _record(system: str, name: str, row: LinearRow) -> tuple[str, ...]:
    c = row.constraint
    admits = (
        "no whole number"
        if row.lower > row.upper
        else f"{row.lower:g}"
        if row.lower == row.upper
        else f"{row.lower:g} to {row.upper:g}"
    )
    rests_on = "; ".join(other.label for other in row.rests_on)
    place = (c.about, c.where, c.printed.text, c.role)
    return (system, name, c.id, c.quantity, *place, admits, rests_on, c.note)


def _stack(rows: Sequence[LinearRow]) -> tuple[FloatArray, FloatArray, FloatArray]:
    return (
        np.array([row.coefficients for row in rows], dtype=np.float64),
        np.array([row.lower for row in rows], dtype=np.float64),
        np.array([row.upper for row in rows], dtype=np.float64),
    )


def _complement_of_maximal(
    rows: Sequence[LinearRow], start: Sequence[int], total: float
) -> list[int]:
    kept = list(start)
    for k in range(len(rows)):
        if k not in kept and is_feasible([rows[i] for i in (*kept, k)], total):
            kept.append(k)
    return [k for k in range(len(rows)) if k not in kept]


def _smallest_hitting_set(sets: Sequence[Sequence[int]], n_rows: int) -> list[int]:
    hits = np.zeros((len(sets), n_rows))
    for i, members in enumerate(sets):
        hits[i, list(members)] = 1
    # The first row wins a tie: one answer on every machine.
    price = 1 + 0.1 * np.arange(n_rows) / n_rows**2
    solution = whole_solution(price, [LinearConstraint(hits, 1, np.inf)], Bounds(0, 1))
    return [int(k) for k in np.flatnonzero(np.asarray(solution) > 0.5)]


@dataclass(frozen=True, slots=True, eq=False)
class CountRow:
    """A printed number, or a part of what it says: of so many pairs the table has a property."""

    member: str
    has: Property
    least: float = 0
    most: float = math.inf


@dataclass(frozen=True, slots=True)
class Conflict:
    """Printed numbers that no tables satisfy together, each of which is needed for that."""

    members: tuple[str, ...]
    # Whether rationals or whole numbers show it, and not a solver's tolerance alone.
    is_proved: bool


def quantile_rows(
    member: str, values: Mapping[int, FloatArray], share: float, low: float, high: float
) -> Iterator[CountRow]:
    """Yield what a printed quantile, interpolated as numpy does, says of the pairs' values."""
    place = share * (len(values) - 1)
    below, above = math.floor(place), math.ceil(place)
    slack = _ROUNDING * max(abs(low), abs(high))
    at_most = {i: np.asarray(x <= high + slack) for i, x in values.items()}
    at_least = {i: np.asarray(x >= low - slack) for i, x in values.items()}
    # The lower of the two neighbors is at most `high`, the upper one at least `low`.
    yield CountRow(member, at_most, least=below + 1)
    yield CountRow(member, at_least, least=len(values) - above)


def count_ranges(
    rows: Sequence[CountRow], asked: Sequence[tuple[Property, Collection[str]]]
) -> tuple[list[tuple[int, int]], list[Conflict]]:
    """Return the least and the greatest of each count by the rows without some members.

    Members of a conflict constrain nothing, and none of them is blamed.
    """
    merged = _merged([*rows, *(CountRow("", has) for has, _ in asked)])
    known, counts = merged[: len(rows)], merged[len(rows) :]
    conflicts: list[Conflict] = []
    while _least(known) is None:
        conflicts.append(irreducible_conflict(known))
        known = [row for row in known if row.member not in conflicts[-1].members]
    ranges = []
    for count, (_, without) in zip(counts, asked, strict=True):
        used = [row for row in known if row.member not in without]
        least, negative = _least(used, count, 1), _least(used, count, -1)
        if least is None or negative is None:
            raise ArithmeticError("fewer rows than tables satisfy are satisfied by none")
        ranges.append((least, -negative))
    return ranges, conflicts


def irreducible_conflict(rows: Sequence[CountRow]) -> Conflict:
    """Return a smallest part of contradictory rows by deletion, proved again without a solver.

    Chinneck and Dravnieks (1991), doi:10.1287/ijoc.3.2.157.
    """
    kept = list(rows)
    for member in dict.fromkeys(row.member for row in rows):
        others = [row for row in kept if row.member != member]
        if _least(others) is None:
            kept = others
    kept = _merged(kept)
    members = tuple(dict.fromkeys(row.member for row in kept))
    return Conflict(members, _refuted_by_multipliers(kept) or _refuted_by_sums(kept))


def _refuted_by_multipliers(rows: Sequence[CountRow]) -> bool:
    r"""Whether rational multipliers show that no tables satisfy the rows.

    With :math:`y \ge 0` of each limit, :math:`\sum_i \max_x y^\top p_i(x) < y^\top l`.
    """
    # A solver proposes them: the dual of the least total by which the limits are missed.
    choices, limits = _choices(rows), []
    for k, row in enumerate(rows):
        limits += [(k, 1, row.least)] if row.least > 0 else []
        limits += [(k, -1, -row.most)] if math.isfinite(row.most) else []
    which, signs = np.array([(k, sign) for k, sign, _ in limits]).T
    signed = [one[:, which] * signs for one in choices]
    one_each = np.equal.outer(np.arange(len(signed)), _pair_of(signed)).astype(float)
    n, m = one_each.shape[1], len(limits)
    solution = linprog(
        np.r_[np.zeros(n), np.ones(m)],
        A_ub=-np.hstack([np.vstack(signed).T, np.eye(m)]),
        b_ub=[-least for *_, least in limits],
        A_eq=np.hstack([one_each, np.zeros((len(signed), m))]),
        b_eq=np.ones(len(signed)),
    )
    y = [Fraction(max(0.0, -x)).limit_denominator(1000) for x in solution.ineqlin.marginals]
    largest = sum(
        max(
            sum((a * b for a, b in zip(y, table, strict=True)), Fraction())
            for table in one.tolist()
        )
        for one in signed
    )
    return largest < sum(a * Fraction(least) for a, (*_, least) in zip(y, limits, strict=True))


def _refuted_by_sums(rows: Sequence[CountRow]) -> bool:
    """Whether none of the sums that tables have is within the limits of all rows."""
    choices = _choices(rows)
    base = len(choices) + 1
    if base ** len(rows) > _MOST_SUMS:
        return False
    places = base ** np.arange(len(rows), dtype=np.int64)
    sums = np.zeros(1, dtype=np.int64)
    for properties in choices:
        sums = np.unique(np.add.outer(sums, properties @ places))
    counts = sums[:, None] // places % base
    least, most = (np.array([getattr(row, end) for row in rows]) for end in ("least", "most"))
    return not np.any(((counts >= least) & (counts <= most)).all(axis=1))


def _merged(rows: Sequence[CountRow]) -> list[CountRow]:
    """Return the rows over tables of which no two have the same properties in all rows."""
    merged: list[dict[int, BoolArray]] = [{} for _ in rows]
    for i in sorted({i for row in rows for i in row.has}):
        named = [k for k, row in enumerate(rows) if i in row.has]
        has = np.array([rows[k].has[i] for k in named])
        # As bytes: whole tables are compared at once.
        packed = np.ascontiguousarray(np.packbits(has, axis=0).T)
        _, first = np.unique(packed.view(f"V{packed.shape[1]}").ravel(), return_index=True)
        for k, one in zip(named, has[:, np.sort(first)], strict=True):
            merged[k][i] = one
    return [replace(row, has=has) for row, has in zip(rows, merged, strict=True)]


def _choices(rows: Sequence[CountRow]) -> list[IntArray]:
    """Return for each pair the properties of each of its tables, shape (n_tables, n_rows)."""
    n_tables = {i: has.size for row in rows for i, has in row.has.items()}
    choices = []
    for i, n in n_tables.items():
        none = np.zeros(n, dtype=np.bool_)
        choices.append(np.array([row.has.get(i, none) for row in rows]).T.astype(np.int64))
    return choices


def _pair_of(choices: Sequence[IntArray]) -> IntArray:
    return np.repeat(np.arange(len(choices)), [len(one) for one in choices])


def _least(rows: Sequence[CountRow], count: CountRow | None = None, sign: int = 1) -> int | None:
    """Return the least of `sign` times a count; None if no tables satisfy the rows."""
    counted = [] if count is None else [count]
    choices = _choices([*rows, *counted])
    if not choices:
        return None if any(row.least > 0 for row in rows) else 0
    properties = np.vstack(choices)
    one_each = np.equal.outer(np.arange(len(choices)), _pair_of(choices)).astype(float)
    limits = [LinearConstraint(one_each, 1, 1)]
    least, most = ([getattr(row, end) for row in rows] for end in ("least", "most"))
    if rows:
        limits.append(LinearConstraint(properties[:, : len(rows)].T, least, most))
    price = sign * properties[:, -1] if counted else np.zeros(len(properties))
    solution = whole_solution(price, limits, Bounds(0, 1))
    return None if solution is None else round(float(price @ solution))
