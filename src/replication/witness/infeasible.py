r"""Printed numbers that contradict each other: smallest infeasible subset, minimum correction.

A printed number is a row :math:`l \le a^\top x \le u` over unknown counts :math:`x`, whole and
not negative. Coefficients are whole, so the bounds are rounded to whole numbers and no verdict
rests on a solver's tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import Bounds, LinearConstraint, milp

from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import FloatArray
from replication.constraints import Constraint

# A bound this close to a whole number is that number: it is a decimal times a count of items.
_WHOLE = 1e-9
# Of equally small sets, one of held-out numbers is preferred to one of targets, and that to one of
# inputs; then numbers that stand later. All these costs together stay below that of one row.
_ROLE_COST = {"held_out": 0.0, "target": 0.2, "input": 0.4}


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
    solution = milp(
        np.zeros(n_counts),
        constraints=[
            LinearConstraint(matrix, lower, upper),
            LinearConstraint(np.ones((1, n_counts)), total, total),
        ],
        integrality=np.ones(n_counts, dtype=np.int64),
    )
    return bool(solution.status == 0)


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
    reach = np.abs(matrix).max(axis=1) * total + np.maximum(np.abs(lower), np.abs(upper)) + 1
    lift = np.diag(reach)
    roles = np.array([_ROLE_COST[row.constraint.role] for row in rows])
    order = 0.1 * np.arange(n_rows)[::-1] / n_rows
    price = 1 + (roles + order) / n_rows
    solution = milp(
        np.concatenate([np.zeros(n_counts), price]),
        constraints=[
            LinearConstraint(np.hstack([matrix, lift]), lower, np.inf),
            LinearConstraint(np.hstack([matrix, -lift]), -np.inf, upper),
            LinearConstraint(np.r_[np.ones(n_counts), np.zeros(n_rows)][None], total, total),
        ],
        integrality=np.ones(n_counts + n_rows, dtype=np.int64),
        bounds=Bounds(0, np.r_[np.full(n_counts, np.inf), np.ones(n_rows)]),
        options={"mip_rel_gap": 0},
    )
    return tuple(
        row
        for row, lifted in zip(rows, np.asarray(solution.x)[n_counts:], strict=True)
        if lifted > 0.5
    )


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
    place = (", ".join(c.subject), c.where, c.printed.text, c.role)
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
    solution = milp(
        price,
        constraints=LinearConstraint(hits, 1, np.inf),
        integrality=np.ones(n_rows, dtype=np.int64),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0},
    )
    return [int(k) for k in np.flatnonzero(np.asarray(solution.x) > 0.5)]
