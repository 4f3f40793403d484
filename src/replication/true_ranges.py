r"""What printed numbers leave of a count over pairs, and which of them contradict each other.

Of each pair one of finitely many tables is the true one. A printed number says of how many pairs
the table has a property, :math:`l \le \sum_i p_i(x_i) \le u`: that a median is at most a value says
it of half of the pairs. Tables with the same properties are one choice, so that the least and the
greatest count are integer programs in whole coefficients.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray

# By the number of a pair: whether each of its possible tables has the property.
Property = Mapping[int, BoolArray]
# Combinations of counts of a proof by their sums, at most.
_MOST_SUMS: Final = 10_000_000
# Values this close to an end, relatively, are not told from it.
_ROUNDING: Final = 1e-9


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
    reach = sum(
        max(
            sum((a * b for a, b in zip(y, table, strict=True)), Fraction())
            for table in one.tolist()
        )
        for one in signed
    )
    return reach < _product(y, [least for *_, least in limits])


def _product(y: Sequence[Fraction], counts: Sequence[float]) -> Fraction:
    return sum((a * Fraction(b) for a, b in zip(y, counts, strict=True)), Fraction())


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
    solution = milp(
        sign * properties[:, -1] if counted else np.zeros(len(properties)),
        constraints=limits,
        integrality=np.ones(len(properties), dtype=np.int64),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0},
    )
    return None if solution.x is None else round(solution.fun)
