"""Printed cells that claims refer to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from llm_power_audit._csv import Rows, below, read_csv, suggest
from llm_power_audit._errors import AuditError
from llm_power_audit.claims import Cell
from llm_power_audit.printed import parse_interval, split_parentheses


class PrintedCells:
    """The CSV files of printed cells that the exhibits of a register name, each read once."""

    def __init__(self, folder: Path, exhibits: Mapping[str, Mapping[str, Any]]) -> None:
        self._folder = folder.resolve()
        self._files = {name: entry.get("printed", "") for name, entry in exhibits.items()}
        self._tables: dict[str, Rows] = {}

    def exhibit(self, claim_id: str) -> str:
        """Return the exhibit that an id begins with; empty if it begins with none."""
        name = claim_id.partition("/")[0]
        return name if name in self._files else ""

    def find(self, claim_id: str, exhibit: str, spelled: Mapping[str, Any]) -> tuple[Cell, str]:
        """Return the cell that an id ``EXHIBIT/ROW/COLUMN/PART`` names, and its printed text."""
        name, *parts = claim_id.split("/")
        in_id = zip(("row", "column", "part"), parts, strict=False)
        address = {**(dict(in_id) if name == exhibit else {}), **spelled}
        file = self._files.get(exhibit, "")
        if not file or "column" not in address or not str(address.get("row", "")).isdecimal():
            raise AuditError(
                "there is no printed number, and no cell of an exhibit with printed cells",
                remedy="give one of `printed` and `printed_of`, or name a cell by the id, "
                "EXHIBIT/ROW/COLUMN, or in `cell`, and its file in `printed` of the exhibit",
                field="printed",
            )
        cell = Cell(file, int(address["row"]), address["column"], address.get("part", ""))
        if file not in self._tables:
            self._tables[file] = read_csv(file, below(self._folder, file, "cell"), "cell")[1]
        rows = self._tables[file]
        if not 1 <= cell.row <= len(rows):
            problem = f"{cell.file} has no row {cell.row}"
            raise AuditError(problem, remedy=f"name one of its {len(rows)} rows", field="cell/row")
        row = rows[cell.row - 1]
        if cell.column not in row:
            problem = f"{cell.file} has no column {cell.column!r}"
            remedy = suggest(cell.column, list(row), f"name one of {', '.join(row)}")
            raise AuditError(problem, remedy=remedy, field="cell/column")
        try:
            # By the first cell of the row readers know it.
            return replace(cell, label=next(iter(row.values()))), _part(row[cell.column], cell.part)
        except ValueError as error:
            problem = f"the cell has no part {cell.part!r}: {error}"
            remedy = "name a part that it has, or none"
            raise AuditError(problem, remedy=remedy, field="cell/part") from error


def _part(text: str, part: str) -> str:
    if part in ("", "count", "text"):
        return text
    if part in ("parentheses", "share"):
        return split_parentheses(text)[1]
    interval = parse_interval(text)
    ends = {"point": interval.point, "lower": interval.lower, "upper": interval.upper}
    if part not in ends:
        raise ValueError(f"known are {', '.join(ends)}, count, share, parentheses and text")
    return ends[part].text
