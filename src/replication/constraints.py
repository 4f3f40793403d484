"""Printed numbers of a panel: the values that round to them, and their roles for its witness.

The field ``measures`` of a claim names panel, quantity, subject and role of its number: fitted by
the witness, or held out. The loader makes one `Constraint` of each number. Scores that a board
displayed are constraints as well, but have no claim, as the paper does not print them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import pandas as pd

from llm_power._documents import first_violation
from llm_power._errors import one_line
from llm_power._scores.store import Provenance, TaskScores
from llm_power._statistics.arrays import FloatArray
from llm_power_audit import agreement
from llm_power_audit._errors import AuditError
from llm_power_audit.claims import Claim, Role, section_name
from llm_power_audit.printed import DisplayRule, Printed, as_decimal, parse_printed, stated
from llm_power_audit.printed_tables import PublishedError, load_table, read_rows
from llm_power_audit.register import load_register

# Name of the data in the register; "general" needs no data.
Panel = str

# Schema of a claim's `measures`.
_TEXTS: Final = {"type": ["string", "array"], "items": {"type": "string"}}
_MEASURES: Final = {
    "type": "object",
    "additionalProperties": False,
    "required": ["role", "panel", "quantity"],
    "properties": {
        "role": {},
        "panel": {"type": "string"},
        "quantity": _TEXTS,
        "subject": _TEXTS,
        "rounding": {
            "type": ["string", "array"],
            "pattern": "^(nearest|up|down)$",
            "items": {"enum": ["nearest", "up", "down"]},
        },
        "standard_error": {"type": "number", "exclusiveMinimum": 0},
        "scale": {"type": "number", "exclusiveMinimum": 0},
        "states": {"type": "object"},
        "note": {"type": "string"},
    },
}
_BOARD_COLUMNS: Final = [
    *("panel", "task", "model", "hub_id", "n_items", "correct", "source", "revision", "note")
]


@dataclass(frozen=True, slots=True)
class Interval:
    """The values that a number can have, given the rounding of what it follows from."""

    lower: float
    upper: float

    @classmethod
    def around(cls, *values: float) -> Interval:
        """Return the smallest interval that holds these values."""
        return cls(min(values), max(values))

    def times(self, other: Interval) -> Interval:
        """Return the products of two numbers that are not negative."""
        return Interval(self.lower * other.lower, self.upper * other.upper)

    def over(self, other: Interval) -> Interval:
        """Return the ratios of a number that is not negative and a positive one."""
        return Interval(self.lower / other.upper, self.upper / other.lower)

    def within(self, *others: Interval) -> Interval:
        """Return what all have in common; where that is nothing, the others say nothing of it."""
        lower = max(self.lower, *(other.lower for other in others))
        upper = min(self.upper, *(other.upper for other in others))
        return Interval(lower, upper) if lower <= upper else self

    def nearest_to(self, value: float) -> float:
        """Return `value` if the interval holds it, else the end of the interval next to it."""
        return min(max(value, self.lower), self.upper)


def interval_of(printed: Printed) -> Interval:
    """Return the values that round to the printed one, ends included."""
    # The ends of `audit.agreement.interval` are these in decimal, an ulp away: the evidence of
    # claims prints every digit.
    return Interval(printed.value - printed.half_unit, printed.value + printed.half_unit)


@dataclass(frozen=True, slots=True)
class Constraint:
    """One printed number, and its role for a witness."""

    # Of its claim, table_06/4/b; or of the cell of a score that a board displayed.
    id: str
    panel: Panel
    # In the vocabulary of the panel's witness.
    quantity: str
    # Task and models, rank pair, bucket; empty for the whole panel.
    subject: tuple[str, ...]
    # Fitted; fitted as closely as possible, with the residual reported; never fitted.
    role: Role
    where: str
    # In the units of the quantity.
    printed: Printed
    rule: DisplayRule = "nearest"
    # Of a printed number that was itself simulated.
    standard_error: float = 0.0
    # What a reader of a report should know.
    note: str = ""

    @property
    def is_fitted(self) -> bool:
        """Whether a witness is fitted to it."""
        return self.role != "held_out"

    @property
    def interval(self) -> tuple[float, float]:
        """Values that round to the printed one, ends included; infinite where a bound is open."""
        return agreement.interval(self.printed, self.rule)

    @property
    def about(self) -> str:
        """The subject in one text, as findings have theirs."""
        return ", ".join(self.subject)

    @property
    def label(self) -> str:
        """Place, quantity, subject and printed text in one line."""
        of = f" ({self.about})" if self.subject else ""
        return one_line(f"{self.where}: {self.quantity}{of} = {self.printed.text}")

    def agrees(self, value: float, standard_error: float = 0.0) -> bool:
        """Whether a value agrees with the printed one, given the Monte Carlo errors of both."""
        error = math.hypot(standard_error, self.standard_error)
        return agreement.agrees(self.printed, value, rounding=self.rule, standard_error=error)


@dataclass(frozen=True, slots=True)
class BoardScore:
    """A score that a board displayed, as the whole number of items behind it."""

    # As the paper names them.
    task: str
    model: str
    # Full identifier of the model.
    hub_id: str
    n_items: int
    correct: int

    @property
    def accuracy(self) -> float:
        """Share of the items that the model solved."""
        return self.correct / self.n_items

    @property
    def score(self) -> Printed:
        """The score as the board showed it: percent, two decimals."""
        return parse_printed(f"{100 * self.accuracy:.2f}")


def load_constraints(path: Path) -> dict[Panel, tuple[Constraint, ...]]:
    """Load the printed numbers of a register that name a panel, by panel in their order."""
    by_panel: dict[Panel, list[Constraint]] = {}
    tables: dict[str, pd.DataFrame] = {}
    for claim in load_register(path).claims:
        if "panel" not in claim.measures:
            continue
        try:
            for one in _constraints(claim, path.parent, tables):
                by_panel.setdefault(one.panel, []).append(one)
        except (ValueError, AuditError) as error:
            raise PublishedError(one_line(f"{path}, claim {claim.id!r}: {error}")) from error
    return {panel: tuple(constraints) for panel, constraints in by_panel.items()}


def score_constraints(scores: Sequence[BoardScore], panel: Panel) -> tuple[Constraint, ...]:
    """Return the scores that a board displayed as inputs of the panel's witness."""
    return tuple(
        Constraint(
            id=f"board_scores/{row}/score",
            panel=panel,
            quantity="board_score",
            subject=(one.task, one.model),
            role="input",
            where="scores the board displayed",
            printed=one.score,
        )
        for row, one in enumerate(scores, start=1)
    )


def load_board_scores(path: Path) -> dict[Panel, tuple[BoardScore, ...]]:
    """Load the scores that boards displayed, by panel in their order."""
    header, *rows = read_rows(path)
    if header != _BOARD_COLUMNS:
        raise PublishedError(one_line(f"{path}: the header must be {','.join(_BOARD_COLUMNS)}"))
    by_panel: dict[Panel, list[BoardScore]] = {}
    for number, cells in enumerate(rows, start=1):
        row = dict(zip(header, cells, strict=True))
        try:
            n_items, correct = int(row["n_items"]), int(row["correct"])
        except ValueError as error:
            raise PublishedError(one_line(f"{path}, row {number}: {error}")) from error
        if not 0 <= correct <= n_items or n_items < 1:
            raise PublishedError(f"{path}, row {number}: correct must be at most n_items")
        score = BoardScore(row["task"], row["model"], row["hub_id"], n_items, correct)
        by_panel.setdefault(row["panel"], []).append(score)
    for panel, scores in by_panel.items():
        by_task = [list(group) for _, group in groupby(scores, key=lambda score: score.task)]
        models = {tuple(score.model for score in group) for group in by_task}
        if len(models) != 1 or any(len({s.n_items for s in group}) != 1 for group in by_task):
            raise PublishedError(
                f"{path}: every task of {panel} must list the same models with one n_items"
            )
    return {panel: tuple(scores) for panel, scores in by_panel.items()}


def select(
    constraints: Iterable[Constraint], *quantities: str, fitted: bool | None = None
) -> tuple[Constraint, ...]:
    """Return the constraints on `quantities`: of all roles, or only fitted or held-out ones."""
    return tuple(
        c for c in constraints if c.quantity in quantities and fitted in (None, c.is_fitted)
    )


def _constraints(
    claim: Claim, folder: Path, tables: dict[str, pd.DataFrame]
) -> Iterator[Constraint]:
    measures = claim.measures
    violation = first_violation(measures, _MEASURES)
    if violation is not None:
        raise ValueError(f"measures: {violation.message}")
    if claim.role is None:
        raise ValueError("measures: role is missing")
    printed = _printed(claim)
    error = measures.get("standard_error", claim.printed_standard_error)
    for quantity in _listed(measures["quantity"]):
        yield Constraint(
            id=claim.id,
            panel=measures["panel"],
            quantity=quantity,
            subject=_subject(claim, folder, tables),
            role=claim.role,
            where=f"{section_name(claim.section)}, {claim.place}",
            printed=printed,
            rule=_rounding(claim),
            standard_error=0.0 if math.isnan(error) else error,
            note=measures.get("note", ""),
        )


def _printed(claim: Claim) -> Printed:
    """Return what the claim states, in the units of the quantity."""
    measures = claim.measures
    claimed = stated(measures["states"]) if "states" in measures else claim.statement
    scale = as_decimal(measures.get("scale", 1))
    value, half_unit = (float(as_decimal(x) * scale) for x in (claimed.value, claimed.half_unit))
    if claimed.relation == "=" and half_unit == 0 and value.is_integer():
        # A count is printed of whatever rounds to it.
        half_unit = 0.5
    upper = (
        float(as_decimal(claimed.upper) * scale) if claimed.relation == "between" else claimed.upper
    )
    # Of 4/9 or 3 (100%) the number that is counted.
    is_count = claim.cell is not None and claim.cell.part == "count"
    text = f"{claim.statement.value:.0f}" if is_count else claim.printed
    return Printed(claimed.relation, value, half_unit, upper, text)


def _rounding(claim: Claim) -> DisplayRule:
    rounding = claim.measures.get("rounding", "nearest")
    if isinstance(rounding, list):
        if claim.cell is None or claim.cell.row > len(rounding):
            raise ValueError("measures: rounding must have one entry for each row of the table")
        rounding = rounding[claim.cell.row - 1]
    rule: DisplayRule = rounding
    return rule


def _subject(claim: Claim, folder: Path, tables: dict[str, pd.DataFrame]) -> tuple[str, ...]:
    """Return the subject that is spelled out, or else the text of the table's row."""
    if "subject" in claim.measures:
        return tuple(_listed(claim.measures["subject"]))
    if (own := claim.cell) is None:
        return ()
    if own.file not in tables:
        tables[own.file] = load_table(folder / own.file)
    row = tables[own.file].iloc[own.row - 1]
    return tuple(
        cell for column, cell in row.items() if column != own.column and isinstance(cell, str)
    )


def _listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


# The name under which a witness's provenance holds the digest of what it was fitted to.
FITTED: Final = "fitted numbers"


def digest_of_fitted(constraints: Sequence[Constraint]) -> dict[str, str]:
    """Return the SHA-256 of the numbers that a panel's witness is fitted to, by the name `FITTED`.

    The words of a claim can be edited without another digest.
    """
    fitted = [(c.quantity, c.subject, c.role, c.interval) for c in constraints if c.is_fitted]
    return {FITTED: sha256(repr(fitted).encode()).hexdigest()}


def witness_task(
    task: str,
    models: Sequence[str],
    values: FloatArray,
    files: Mapping[str, str],
    *,
    source: str,
    free: Sequence[str] = (),
    besides: str = "",
    clusters: Mapping[str, Sequence[str]] | None = None,
    digits: int = 5,
) -> TaskScores:
    """Return a witness's scores, shape (n_items, n_models), in the form the pair engine reads."""
    # `files` has the SHA-256 of what it was made from, by name; `free`, what was chosen freely;
    # `besides`, what it was fitted to besides.
    printed = "this board's inputs and targets in results/witness/roles.csv"
    if FITTED in files:
        printed += f", digest {files[FITTED][:12]}"
    fitted = " and ".join(filter(None, [besides, printed]))
    if free:
        fitted += f"; free: {'; '.join(free)}"
    return TaskScores(
        task=task,
        kind="binary",
        item_ids=tuple(f"witness-{i:0{digits}d}" for i in range(1, len(values) + 1)),
        models=tuple(models),
        values=values,
        clusters={name: tuple(labels) for name, labels in (clusters or {}).items()},
        provenance=Provenance(source=source, files=dict(files), kind="witness", fitted_to=fitted),
    )
