"""Values in a folder of results: the cells that a check selects, and their evidence.

A register is not trusted: a check can name any path, and none leads out of the folder.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any, Final

from llm_power._errors import one_line
from llm_power._provenance import KINDS, SOURCE_KINDS
from llm_power_audit._csv import below, read_csv, suggest
from llm_power_audit._errors import UNDEFINED, AuditError, Undefined
from llm_power_audit.claims import EVIDENCE, Check, Condition, Evidence, Role
from llm_power_audit.printed import as_decimal

_EVIDENCE_OF_ROLE: Mapping[str, Evidence] = {
    "input": "witness_fitted",
    "target": "witness_fitted",
    "held_out": "witness_held_out",
}
# Columns of a pair seen from its other model.
_SWAPPED: Final = {
    **{"rank_a": "rank_b", "model_a": "model_b", "p_a": "p_b", "b": "c"},
    **{"gap_low": "gap_high", "gap_low_single": "gap_high_single", "gap_lowest": "gap_highest"},
}
_OTHER: Final = _SWAPPED | {second: first for first, second in _SWAPPED.items()}
_NEGATED: Final = frozenset({"delta", "gap", "direction"}) | {
    f"gap_{end}" for end in ("low", "high", "low_single", "high_single", "lowest", "highest")
}
_Row = Mapping[str, str]

_AGGREGATES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "min": min,
    "max": max,
    "median": statistics.median,
    "mean": lambda values: math.fsum(values) / len(values),
    "sum": math.fsum,
}
_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "at_most": lambda cell, bound: cell <= bound,
    "at_least": lambda cell, bound: cell >= bound,
    "above": lambda cell, bound: cell > bound,
    "below": lambda cell, bound: cell < bound,
}


@dataclass(frozen=True)
class SelectedValue:
    """The value that a check selected."""

    # In the units of the printed number; the cell itself where text was asked for.
    value: float | str
    evidence: Evidence  # What the value rests on
    # Monte Carlo standard error in the same units; 0 for a number without one.
    standard_error: float = 0.0
    # Ends of the set of possible values in the same units; NaN where it is the value alone.
    lower: float = math.nan
    upper: float = math.nan


class ResultFolder:
    """CSV files below one folder, each read once."""

    def __init__(self, path: Path, rule_of: Mapping[str, str] | None = None) -> None:
        if not path.is_dir():
            problem = "there is no such folder of results"
            remedy = "finish the run that writes it, or name another"
            raise AuditError(problem, remedy=remedy, file=str(path))
        self._root = path.resolve()
        self.rule_of = rule_of or {}
        self._tables: dict[str, list[dict[str, str]]] = {}
        self._columns: dict[str, list[str]] = {}
        self._described: dict[str, frozenset[str] | None] = {}
        self._fitting: dict[tuple[str, str], tuple[Sequence[_Row], Sequence[int]]] = {}
        self._masks: dict[tuple[str, str, str], list[bool]] = {}

    def find(
        self, check: Check, role: Role | None = None, *, as_text: bool = False
    ) -> SelectedValue:
        """Return the value that a check selects, with its standard error and evidence.

        Beside a ``column`` the ends of its set are read from ``column_lower`` and
        ``column_upper``, beside ``value`` from ``lower`` and ``upper``.
        """
        rows = self._read(check.result)
        with _undefined_by(rows):
            selected = self._select(check, rows)
            evidence = self._evidence(check, role, selected or rows)
            if as_text:
                return SelectedValue(self._word(check, selected), evidence)
            scale = as_decimal(check.scale)
            if check.aggregate == "count":
                value = float(len(selected))
            else:
                name, column = check.result, check.column
                self._need_column(name, column, "column")
                cells = [_cell_number(name, column, row, "column") for row in selected]
                value = _aggregated(check, cells)
            error = as_decimal(self._standard_error(check, selected, evidence)) * abs(scale)
            ends = self._ends(check, selected, value)
            low, high = sorted(float(as_decimal(end) * scale) for end in ends or (value, value))
            # Where a sample fixes a value, it is no estimate.
            is_set = low < high or (ends is not None and evidence == "raw_sample")
            return SelectedValue(
                float(as_decimal(value) * scale),
                evidence,
                float(error),
                *((low, high) if is_set else ()),
            )

    # Files

    def _read(self, name: str) -> list[dict[str, str]]:
        if name not in self._tables:
            path = below(self._root, name, "result")
            # Of another kind of file it is said that it is none.
            if path.suffix == ".csv" and not path.is_file():
                rule = f" by {self.rule_of[name]}" if name in self.rule_of else ""
                problem = f"{name} is not in {self._root.name}/"
                remedy = f"finish the run that writes it{rule} first, or correct the name"
                raise AuditError(problem, remedy=remedy, field="result")
            self._columns[name], self._tables[name] = read_csv(name, path, "result")
        return self._tables[name]

    def _kinds(self, name: str) -> frozenset[str] | None:
        """Return the kinds of source that the metadata beside a file names; None without any."""
        if name not in self._described:
            path = below(self._root, f"{name}-metadata.json", "result")
            self._described[name] = _kinds_in(path) if path.is_file() else None
        return self._described[name]

    def _need_column(self, file: str, column: str, field: str) -> None:
        columns = self._columns[file]
        if column not in columns:
            problem = f"{file} has no column {one_line(column, 200)!r}"
            remedy = suggest(column, columns, f"name one of {', '.join(columns)}")
            raise AuditError(problem, remedy=remedy, field=field)

    # Rows

    def _fit(self, check: Check, rows: Sequence[_Row]) -> tuple[Sequence[_Row], Sequence[int]]:
        """Return the rows that meet all conditions of a check, and how many meet each of them."""
        # Judged again, with something else printed, a claim looks at the same rows.
        key = check.result, repr(check.rows)
        if key not in self._fitting:
            masks = [self._mask(check.result, *one, rows) for one in check.rows.items()]
            fitting = list(compress(rows, map(all, zip(*masks, strict=True)))) if masks else rows
            self._fitting[key] = fitting, [sum(mask) for mask in masks]
        return self._fitting[key]

    def _mask(
        self, file: str, column: str, condition: Condition, rows: Sequence[_Row]
    ) -> list[bool]:
        """Return which rows of a file meet a condition, which many checks share."""
        key = file, column, repr(condition)
        if key not in self._masks:
            self._need_column(file, column, f"rows/{column}")
            cells = [row[column] for row in rows]
            _need_values(file, column, cells, condition)
            self._masks[key] = _matches(cells, condition, column)
        return self._masks[key]

    def _select(self, check: Check, rows: Sequence[_Row]) -> Sequence[_Row]:
        selected, met = self._fit(check, rows)
        if check.pair:
            for column in ("model_a", "model_b"):
                self._need_column(check.result, column, "pair")
            about = [row for row in selected if set(check.pair) == {row["model_a"], row["model_b"]}]
            selected = [seen_from(row, check.pair[0]) for row in about]
        if check.aggregate == "count" and rows:
            return selected
        if not selected:
            alone = ", ".join(
                f"{column} alone: {n}" for column, n in zip(check.rows, met, strict=True)
            )
            if check.pair:
                raise _no_such_pair(check, rows)
            problem = f"no row of {check.result} matches {_show(check.rows)}"
            remedy = f"correct the selector (rows in all: {len(rows)}; {alone})"
            # What is asked with yes or no is computed, and can be answered the same of all rows.
            answers = zip(check.rows.values(), met, strict=True)
            is_answered = any(isinstance(asked, bool) and not n for asked, n in answers)
            raise (Undefined if is_answered else AuditError)(problem, remedy=remedy, field="rows")
        if len(selected) > 1 and check.aggregate is None:
            problem = f"{len(selected)} rows of {check.result} match {_show(check.rows)}"
            remedy = "select exactly one row, or say in `aggregate` what to do with them"
            raise AuditError(problem, remedy=remedy, field="rows")
        return selected

    def _word(self, check: Check, selected: Sequence[_Row]) -> str:
        if check.aggregate is not None:
            problem = f"the {check.aggregate} of rows cannot be held against a word"
            raise AuditError(problem, remedy="state a number in `states`", field="aggregate")
        self._need_column(check.result, check.column, "column")
        return selected[0][check.column]

    def _ends(
        self, check: Check, selected: Sequence[_Row], value: float
    ) -> tuple[float, float] | None:
        """Return the ends of the possible values; an aggregate grows with each of its cells."""
        prefix = "" if check.column == "value" else f"{check.column}_"
        names = [f"{prefix}{end}" for end in ("lower", "upper")]
        if check.aggregate == "count" or not set(names) <= set(self._columns[check.result]):
            return None
        if all(row[name].strip().lower() in _EMPTY for row in selected for name in names):
            return None
        low, high = (
            _aggregated(check, [_end(check, name, row) for row in selected]) for name in names
        )
        if not low <= value <= high:
            problem = f"{value} in {check.result} is not from {low} to {high}"
            raise AuditError(problem, remedy=f"correct {names[0]} and {names[1]}", field="column")
        return low, high

    def _standard_error(self, check: Check, selected: Sequence[_Row], evidence: Evidence) -> float:
        named = check.standard_error
        if named is None or not isinstance(named, str):
            return float(named or 0.0)
        field = "standard_error"
        self._need_column(check.result, named, field)
        if check.aggregate is not None:
            problem = f"the {check.aggregate} of rows has no standard error of its own"
            raise AuditError(problem, remedy="give the standard error as a number", field=field)
        # A deterministic row of a file that has simulated ones too.
        if selected[0][named].strip().lower() in _EMPTY and evidence != "simulated":
            return 0.0
        error = _cell_number(check.result, named, selected[0], field)
        if not 0 <= error < math.inf:
            problem = f"a standard error must be finite and not negative, got {error}"
            raise AuditError(problem, remedy="name the column of the standard error", field=field)
        return error

    # Evidence

    def _evidence(self, check: Check, role: Role | None, rows: Sequence[_Row]) -> Evidence:
        named, from_published = self._named_evidence(check, role, rows)
        asserted = check.evidence
        if named is None:
            if asserted is None:
                problem = f"nothing says what {check.result} rests on"
                remedy = "assert it in `evidence`, or write its metadata beside it"
                raise AuditError(problem, remedy=remedy, field="evidence")
            return asserted
        if asserted is None or (asserted == "derived" and from_published):
            return asserted or named
        if EVIDENCE.index(asserted) < EVIDENCE.index(named):
            problem = f"{asserted} is asserted, but {check.result} is {named}"
            remedy = "leave `evidence` out, or assert what is weaker"
            raise AuditError(problem, remedy=remedy, field="evidence")
        return asserted

    def _named_evidence(
        self, check: Check, role: Role | None, rows: Sequence[_Row]
    ) -> tuple[Evidence | None, bool]:
        """Return the evidence that the results name, and whether formulas alone made them."""
        columns = self._columns[check.result]
        if "evidence" in columns and rows:
            return _weakest(_evidence_cell(check.result, row) for row in rows), False
        if "role" in columns and rows and all(row["role"] in _EVIDENCE_OF_ROLE for row in rows):
            return _weakest(_EVIDENCE_OF_ROLE[row["role"]] for row in rows), False
        kinds = self._kinds(check.result)
        if kinds is None:
            return None, False
        if "witness" in kinds:
            return _witness_evidence(check, role), False
        # Of several sources the one that the number depends on most.
        sources: tuple[Evidence, ...] = ("stand_in", "raw", "simulated")
        for kind in sources:
            if kind in kinds:
                return kind, False
        return "counts", True


@contextmanager
def _undefined_by(rows: Sequence[_Row]) -> Iterator[None]:
    """Make an error undefined where the rows say why they have no value, or cannot be named."""
    try:
        yield
    except AuditError as error:
        why = [row["method"] for row in rows if row.get("quantity") == UNDEFINED]
        of_evidence = rows and {"quantity", "method"} <= rows[0].keys()
        if of_evidence and error.field.startswith("rows"):
            # What is computed can be named by a printed number, or need one that is possible.
            why.append(f"it was not computed: {error.problem}")
        if not why:
            raise
        raise Undefined("; ".join(why), remedy="correct what it rests on") from error


def _no_such_pair(check: Check, rows: Sequence[_Row]) -> AuditError:
    names = {row[column] for row in rows for column in ("model_a", "model_b")}
    named = " and ".join(check.pair)
    for name in check.pair:
        if name not in names:
            problem = f"{check.result} has no pair of {named}: no model is named {name!r}"
            remedy = suggest(name, sorted(names), "correct the name")
            return AuditError(problem, remedy=remedy, field="pair")
    problem = f"{check.result} has no pair of {named}"
    remedy = "resolve the board with --pairs all, or name the task"
    return AuditError(problem, remedy=remedy, field="pair")


def _aggregated(check: Check, cells: Sequence[float]) -> float:
    value = cells[0] if check.aggregate is None else _AGGREGATES[check.aggregate](cells)
    if math.isnan(value):
        problem = f"the {check.aggregate} of {check.column} in {check.result} is undefined"
        raise AuditError(problem, remedy="select finite cells", field="aggregate")
    return value


def _end(check: Check, name: str, row: _Row) -> float:
    """Return an end of the set of a cell; without one the cell is the only value."""
    column = check.column if row[name].strip().lower() in _EMPTY else name
    return _cell_number(check.result, column, row, "column")


def _witness_evidence(check: Check, role: Role | None) -> Evidence:
    if role is None:
        problem = f"{check.result} rests on a witness, and nothing says what it did with the number"
        remedy = "give the claim a `role`, or name in `role_of` the claim whose role counts"
        raise AuditError(problem, remedy=remedy, field="role_of")
    return _EVIDENCE_OF_ROLE[role]


_EMPTY: Final = frozenset({"", "nan", "na", "<na>", "none", "null"})


def _kinds_in(path: Path) -> frozenset[str] | None:
    try:
        described = json.loads(path.read_text(encoding="utf-8"))
        kinds = described.get(SOURCE_KINDS)
        if kinds is None and "dc:provenance" not in described:
            return None
        if kinds and set(kinds) <= set(KINDS):
            return frozenset(kinds)
        problem = f"{SOURCE_KINDS} must list known kinds of source, got {kinds!r}"
    except (OSError, ValueError, AttributeError, TypeError, RecursionError) as error:
        problem = type(error).__name__
    problem = f"{path.name} is no usable metadata: {one_line(problem, 200)}"
    remedy = f"write {path.name.removesuffix('-metadata.json')} again"
    raise AuditError(problem, remedy=remedy, field="result")


def _evidence_cell(file: str, row: _Row) -> Evidence:
    for evidence in EVIDENCE:
        if row["evidence"] == evidence:
            return evidence
    problem = f"{file} names the unknown class of evidence {one_line(row['evidence'], 80)!r}"
    raise AuditError(problem, remedy=f"known are {', '.join(EVIDENCE)}", field="evidence")


def _weakest(classes: Any) -> Evidence:
    return EVIDENCE[max(EVIDENCE.index(evidence) for evidence in classes)]


def _cell_number(file: str, column: str, row: _Row, field: str) -> float:
    cell = row[column].strip()
    if cell.lower() in _EMPTY:
        why = f": {row['method']}" if row.get("method") else ""
        raise Undefined(
            f"the cell of {column} in {file} is empty{why}",
            remedy="select a row that has a value",
            field=field,
        )
    number = _number(cell)
    if number is None:
        problem = f"the cell of {column} in {file} holds no number: {one_line(cell, 80)!r}"
        remedy = "name a column of numbers, or state a text in `states`"
        raise AuditError(problem, remedy=remedy, field=field)
    return number


def _number(cell: str) -> float | None:
    boolean = _boolean(cell)
    if boolean is not None:
        return float(boolean)
    try:
        # Python alone reads 1_000 as a number.
        number = float(cell) if "_" not in cell else math.nan
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _boolean(cell: str) -> bool | None:
    return {"true": True, "false": False}.get(cell.strip().lower())


def _matches(cells: Sequence[str], condition: Condition, column: str) -> list[bool]:
    if isinstance(condition, Mapping):
        masks = [
            _matches_any(cells, wanted)
            if name == "one_of"
            else [_compare(cell, name, wanted, column) for cell in cells]
            for name, wanted in condition.items()
        ]
        return [all(parts) for parts in zip(*masks, strict=True)]
    return _matches_any(cells, [condition])


def _need_values(file: str, column: str, cells: Sequence[str], condition: Condition) -> None:
    """Refuse a value that the column never holds.

    A count of rows would be zero through a misspelled value, and confirm a claim of none.
    """
    wanted = condition.get("one_of", ()) if isinstance(condition, Mapping) else (condition,)
    for value in wanted:
        if cells and not any(_equal_cells(cells, value)) and not _is_other_boolean(cells, value):
            known = list(dict.fromkeys(cells))
            problem = f"no cell of {column} in {file} is {one_line(repr(value), 200)}"
            remedy = suggest(str(value), known, f"it has {', '.join(known)}")
            raise AuditError(problem, remedy=remedy, field=f"rows/{column}")


def _is_other_boolean(cells: Sequence[str], value: object) -> bool:
    """Whether the value is false and the column holds only true, or the other way round."""
    asked = value if isinstance(value, bool) else _boolean(str(value))
    return asked is not None and any(_boolean(cell) is not None for cell in cells)


def _matches_any(cells: Sequence[str], wanted: Sequence[Any]) -> list[bool]:
    masks = [_equal_cells(cells, value) for value in wanted]
    return [any(parts) for parts in zip(*masks, strict=True)]


def _equal_cells(cells: Sequence[str], wanted: str | float | bool) -> list[bool]:
    if isinstance(wanted, bool):
        return [_boolean(cell) is wanted for cell in cells]
    if isinstance(wanted, str):
        literal = [cell == wanted for cell in cells]
        # A placeholder makes a text of a number: "7" is also 7.0, unless some cell says "7".
        number = None if any(literal) else _number(wanted)
        if number is None:
            return literal
        return [_number(cell) == number for cell in cells]
    return [_boolean(cell) is None and _number(cell) == wanted for cell in cells]


def _compare(cell: str, name: str, bound: float, column: str) -> bool:
    if cell.strip().lower() in _EMPTY:
        return False
    number = _number(cell)
    if number is None:
        problem = f"{one_line(cell, 80)!r} in column {column} cannot be compared with {bound}"
        raise AuditError(problem, remedy="compare columns of numbers only", field=f"rows/{column}")
    return _COMPARISONS[name](number, bound)


def _show(rows: Mapping[str, Condition]) -> str:
    shown = ", ".join(f"{column}: {condition!r}" for column, condition in rows.items())
    return one_line(f"{{{shown}}}", 500)


def seen_from(row: Mapping[str, str], first: str) -> dict[str, str]:
    """Return a row of a board's pairs with `first` as its model A.

    Its verdict is then better or worse where the two are different.
    """
    turned = dict(row)
    if row["model_a"] != first:
        turned = {
            name: row[_OTHER.get(name, name)] for name in row if _OTHER.get(name, name) in row
        }
        turned |= {name: _negative(turned[name]) for name in _NEGATED & turned.keys()}
    if turned.get("verdict") == "different" and "direction" in turned:
        turned["verdict"] = "worse" if turned["direction"].startswith("-") else "better"
    return turned


def _negative(cell: str) -> str:
    text = cell.strip()
    if not text or text in {"0", "0.0"}:
        return cell
    return text.removeprefix("-") if text.startswith("-") else f"-{text}"
