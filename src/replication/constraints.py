"""The register of printed numbers: which of them a witness is fitted to, and which it never sees.

``constraints.yaml`` lists entries under the name of a panel. An entry names a quantity and a
role, and points at the number: at a column of a table beside the register, or at the printed
string itself where it stands in prose. The loader turns it into one `Constraint` a number.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, Literal, get_args

import yaml

from llm_power.errors import one_line
from llm_power.printed import (
    DisplayRule,
    LabeledGap,
    Printed,
    PrintedCount,
    PrintedInterval,
    parse_printed,
)
from llm_power.scores.store import Provenance
from replication.printed import (
    Cell,
    PublishedError,
    load_table,
)

Role = Literal["input", "target", "held_out"]
Panel = Literal["oll_v1", "mmlu_pro", "frontier", "general"]
PANELS: Final[tuple[Panel, ...]] = get_args(Panel)
ROLES: Final[tuple[Role, ...]] = get_args(Role)

_REQUIRED: Final = {"quantity", "role", "where"}
_OPTIONAL: Final = {
    *("printed", "value", "half_unit", "subject"),
    *("table", "column", "part", "rows", "subjects"),
    *("rule", "standard_error", "note"),
}


@dataclass(frozen=True, slots=True)
class Constraint:
    """One printed number and what a witness may do with it.

    Attributes
    ----------
    id : str
        Unique in its panel: ``table_06/4/b``, or ``quantity/subject`` for prose.
    panel : {"oll_v1", "mmlu_pro", "frontier", "general"}
        Data the number is about; "general" for numbers that need no data.
    quantity : str
        Name of the quantity, in the vocabulary of the panel's witness.
    subject : tuple of str
        What it is a quantity of: task and models, rank pair, bucket; empty for the panel.
    role : {"input", "target", "held_out"}
        Fitted to; fitted to as closely as possible, with the residual reported; never shown.
    where : str
        Place in the paper.
    printed : Printed
        The number as printed.
    rule : {"nearest", "up", "down"}
        How the printed number was rounded.
    standard_error : float or None
        Of a printed number that was itself simulated, in the units of ``printed.value``.
    note : str
        What a reader of a report should know.
    """

    id: str
    panel: Panel
    quantity: str
    subject: tuple[str, ...]
    role: Role
    where: str
    printed: Printed
    rule: DisplayRule = "nearest"
    standard_error: float | None = None
    note: str = ""

    @property
    def is_fitted(self) -> bool:
        """Whether a witness is fitted to it."""
        return self.role != "held_out"

    @property
    def interval(self) -> tuple[float, float]:
        """Values that are printed so, both ends included; infinite for a printed bound.

        A number rounded up stands for the unit below it, one rounded down for the unit above.
        """
        value, half = Decimal(repr(self.printed.value)), Decimal(repr(self.printed.half_unit))
        if self.printed.relation == "<":
            return -math.inf, float(value)
        if self.printed.relation == ">=":
            return float(value), math.inf
        below, above = {"nearest": (1, 1), "up": (2, 0), "down": (0, 2)}[self.rule]
        return float(value - below * half), float(value + above * half)

    def agrees(self, value: float, standard_error: float = 0.0) -> bool:
        """Whether a value, with its own standard error, could be printed so."""
        low, high = self.interval
        slack = 4 * math.hypot(standard_error, self.standard_error or 0.0)
        slack += 1e-9 * max(1.0, abs(self.printed.value))
        return math.isfinite(value) and low - slack <= value <= high + slack

    @property
    def label(self) -> str:
        """Where it is printed, of what, and how: one line for a reader."""
        of = f" ({', '.join(self.subject)})" if self.subject else ""
        return one_line(f"{self.where}: {self.quantity}{of} = {self.printed.text}")


@dataclass(frozen=True, slots=True)
class BoardScore:
    """A score that a board displayed.

    Attributes
    ----------
    task, model : str
        In the names of Table 6.
    hub_id : str
        Full identifier of the model.
    n_items : int
        Items of the task.
    score : Printed
        In percent.
    """

    task: str
    model: str
    hub_id: str
    n_items: int
    score: Printed


def load_constraints(
    path: Path, panels: Sequence[Panel] = PANELS
) -> dict[Panel, tuple[Constraint, ...]]:
    """Load the register and the printed numbers it points at.

    Parameters
    ----------
    path : Path
        ``constraints.yaml``. The tables it names stand in the same folder.
    panels : sequence of {"oll_v1", "mmlu_pro", "frontier", "general"}
        Which panels; all by default. No table is read that these do not name.

    Returns
    -------
    dict
        Constraints of each panel, in the order of the register and of the tables' rows.

    Raises
    ------
    PublishedError
        If the register or a table is malformed; one line that names file, panel and entry.
    """
    try:
        register = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise PublishedError(one_line(f"{path}: cannot be read: {error}")) from error
    if not isinstance(register, dict) or set(register) != set(PANELS):
        raise PublishedError(f"{path}: must have exactly the keys {', '.join(PANELS)}")
    tables: dict[str, list[dict[str, Cell]]] = {}
    return {panel: _load_panel(path, panel, register[panel] or [], tables) for panel in panels}


def load_board_scores(path: Path) -> tuple[BoardScore, ...]:
    """Load the scores that the board displayed.

    Parameters
    ----------
    path : Path
        ``board_scores.csv``: task, model, hub_id, n_items, score (percent), note.

    Returns
    -------
    tuple of BoardScore
        In the order of the file; every task lists the same models in the same order.

    Raises
    ------
    PublishedError
        If the file cannot be read or a row is malformed.
    """
    scores = []
    for number, row in enumerate(_read_board(path), start=1):
        try:
            n_items = int(parse_printed(row["n_items"]).value)
            score = parse_printed(row["score"])
        except ValueError as error:
            raise PublishedError(one_line(f"{path}, row {number}: {error}")) from error
        if n_items < 1 or not 0 <= score.value <= 100:
            raise PublishedError(f"{path}, row {number}: a score in percent of one item or more")
        scores.append(BoardScore(row["task"], row["model"], row["hub_id"], n_items, score))
    by_task: dict[str, list[tuple[str, int]]] = {}
    for score_ in scores:
        by_task.setdefault(score_.task, []).append((score_.model, score_.n_items))
    models = {tuple(model for model, _ in rows) for rows in by_task.values()}
    if len(models) != 1 or any(len({n for _, n in rows}) != 1 for rows in by_task.values()):
        raise PublishedError(f"{path}: every task must list the same models with one n_items")
    return tuple(scores)


def select(
    constraints: tuple[Constraint, ...], *quantities: str, fitted: bool | None = None
) -> tuple[Constraint, ...]:
    """Return the constraints on `quantities`; all roles, or only those fitted or held out."""
    return tuple(
        c for c in constraints if c.quantity in quantities and fitted in (None, c.is_fitted)
    )


_BOARD_COLUMNS: Final = ["task", "model", "hub_id", "n_items", "score", "note"]


def _read_board(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file, strict=True)
    except (OSError, UnicodeDecodeError, csv.Error, ValueError) as error:
        raise PublishedError(one_line(f"{path}: cannot be read: {error}")) from error
    if header != _BOARD_COLUMNS:
        raise PublishedError(one_line(f"{path}: the header must be {','.join(_BOARD_COLUMNS)}"))
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise PublishedError(f"{path}, row {number}: {len(header)} cells expected")
    return [dict(zip(header, row, strict=True)) for row in rows]


def _load_panel(
    path: Path, panel: Panel, entries: Any, tables: dict[str, list[dict[str, Cell]]]
) -> tuple[Constraint, ...]:
    if not isinstance(entries, list):
        raise PublishedError(f"{path}: {panel} must be a list of entries")
    found: list[Constraint] = []
    for number, entry in enumerate(entries, start=1):
        try:
            found += _expand(path, panel, entry, tables)
        except ValueError as error:
            raise PublishedError(
                one_line(f"{path}, {panel}, entry {number}{_name(entry)}: {error}")
            ) from error
    twice = [key for key, times in Counter(c.id for c in found).items() if times > 1]
    if twice:
        raise PublishedError(one_line(f"{path}, {panel}: {twice[0]!r} is listed twice"))
    return tuple(found)


def _name(entry: Any) -> str:
    return f" ({entry['quantity']})" if isinstance(entry, dict) and "quantity" in entry else ""


def _expand(
    path: Path, panel: Panel, entry: Any, tables: dict[str, list[dict[str, Cell]]]
) -> Iterator[Constraint]:
    _check_entry(entry)
    base = Constraint(
        id="",
        panel=panel,
        quantity=str(entry["quantity"]),
        subject=_texts("subject", entry.get("subject", [])),
        role=entry["role"],
        where=str(entry["where"]),
        printed=Printed("", 0.0, 0.0, "="),
        rule=entry.get("rule", "nearest"),
        standard_error=_number(entry, "standard_error"),
        note=str(entry.get("note", "")),
    )
    if "table" in entry:
        yield from _expand_column(path, entry, base, tables)
    else:
        identity = "/".join((base.quantity, *base.subject))
        yield replace(base, id=identity, printed=_printed_in_prose(entry))


def _check_entry(entry: Any) -> None:
    if not isinstance(entry, dict):
        raise ValueError("must map names to values")
    missing = sorted(_REQUIRED - set(entry))
    if missing:
        raise ValueError(f"lacks {', '.join(missing)}")
    unknown = sorted(str(key) for key in set(entry) - _REQUIRED - _OPTIONAL)
    if unknown:
        raise ValueError(f"unknown key {unknown[0]!r}")
    if entry["role"] not in ROLES:
        raise ValueError(f"role must be one of {', '.join(ROLES)}, got {entry['role']!r}")
    if entry.get("rule", "nearest") not in get_args(DisplayRule):
        raise ValueError(
            f"rule must be one of {', '.join(get_args(DisplayRule))}, got {entry['rule']!r}"
        )
    if ("table" in entry) == ("printed" in entry) or ("table" in entry) != ("column" in entry):
        raise ValueError("needs either printed, or table and column")


def _expand_column(
    path: Path, entry: Mapping[str, Any], base: Constraint, tables: dict[str, list[dict[str, Cell]]]
) -> Iterator[Constraint]:
    name, column, part = str(entry["table"]), str(entry["column"]), entry.get("part")
    if name not in tables:
        folder = path.parent if name == "board_scores" else path.parent / "printed"
        tables[name] = _rows_of(folder / f"{name}.csv")
    table = tables[name]
    if column not in table[0]:
        raise ValueError(f"{name} has no column {column!r}")
    rows = entry.get("rows", list(range(1, len(table) + 1)))
    if not isinstance(rows, list) or not all(r in range(1, len(table) + 1) for r in rows):
        raise ValueError(f"rows must list rows of {name}, 1 to {len(table)}, got {rows!r}")
    subjects = entry.get("subjects")
    if subjects is not None and (not isinstance(subjects, list) or len(subjects) != len(rows)):
        raise ValueError(f"subjects must have one entry a row ({len(rows)})")
    for place, row in enumerate(rows):
        cells = table[row - 1]
        yield replace(
            base,
            id="/".join((name, str(row), column, *([part] if part else []))),
            subject=_subject_of(cells, column)
            if subjects is None
            else _texts("subjects", subjects[place]),
            printed=_printed_in_cell(cells[column], part, f"{name}, row {row}, column {column}"),
        )


def _rows_of(path: Path) -> list[dict[str, Cell]]:
    if path.stem == "board_scores":
        return [
            {"task": s.task, "model": s.model, "score": s.score} for s in load_board_scores(path)
        ]
    return [
        {str(name): cell for name, cell in row.items()}
        for row in load_table(path).to_dict(orient="records")
    ]


def _subject_of(cells: Mapping[str, Cell], column: str) -> tuple[str, ...]:
    labels = (
        cell.label if isinstance(cell, LabeledGap) else cell
        for name, cell in cells.items()
        if name != column
    )
    return tuple(label for label in labels if isinstance(label, str))


def _printed_in_cell(cell: Cell, part: str | None, place: str) -> Printed:
    parts: dict[str | None, Printed | None] = {}
    if isinstance(cell, Printed):
        parts = {None: cell}
    elif isinstance(cell, LabeledGap):
        parts = {None: cell.gap_pp}
    elif isinstance(cell, PrintedInterval):
        parts = {"point": cell.point, "lower": cell.lower, "upper": cell.upper}
    elif isinstance(cell, PrintedCount):
        total = None if cell.total is None else parse_printed(str(cell.total))
        parts = {"count": parse_printed(str(cell.count)), "total": total, "share": cell.share}
    printed = parts.get(part)
    if printed is None:
        known = ", ".join(str(name) for name, value in parts.items() if name and value)
        hint = f"; it has the parts {known}" if known else ""
        asked = "number" if part is None else f"part {part!r}"
        raise ValueError(f"{place} prints no {asked}{hint}")
    return printed


def _printed_in_prose(entry: Mapping[str, Any]) -> Printed:
    text = str(entry["printed"])
    value, half_unit = _number(entry, "value"), _number(entry, "half_unit")
    if value is None:
        parsed = parse_printed(text)
        return parsed if half_unit is None else replace(parsed, half_unit=half_unit)
    if half_unit is None:
        raise ValueError("a value beside printed words needs its half_unit")
    return Printed(text, value, half_unit, "=")


def _number(entry: Mapping[str, Any], key: str) -> float | None:
    if key not in entry:
        return None
    number = entry[key]
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise ValueError(f"{key} must be a number, got {number!r}")
    return float(number)


def _texts(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise ValueError(f"{key} must list text, got {value!r}")
    return tuple(value)


def witness_provenance(
    source: str, files: Mapping[str, str], free: Sequence[str] = ()
) -> Provenance:
    """Return where the scores of a witness come from.

    Parameters
    ----------
    source : str
        Which witness it is.
    files : mapping of str to str
        SHA-256 of each file of printed numbers, by name; that of the register of roles is shown.
    free : sequence of str
        What was chosen freely.
    """
    fitted = "printed numbers of role input or target"
    if "constraints.yaml" in files:
        fitted += f", constraints.yaml {files['constraints.yaml'][:12]}"
    if free:
        fitted += f"; free: {'; '.join(free)}"
    return Provenance(source=source, files=dict(files), kind="witness", fitted_to=fitted)
