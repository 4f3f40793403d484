"""Printed numbers that read otherwise for a while, wherever they are read from."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from llm_power_audit import register
from llm_power_audit._cells import PrintedCells
from llm_power_audit.claims import Claim


def write_cells(data: Path, printed: Mapping[str, Claim], claims: Iterable[Claim]) -> None:
    """Write what claims state into the tables of a folder, in place of what is printed there."""
    for claim in claims:
        if claim.cell is None:
            continue
        path = data / claim.cell.file
        header, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
        row, column = rows[claim.cell.row - 1], header.index(claim.cell.column)
        row[column] = _in_cell(row[column], claim, printed[claim.id].printed)
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *rows])


def _in_cell(cell: str, claim: Claim, before: str) -> str:
    """Return a printed cell with what a claim states, in its place among what the cell holds."""
    part = claim.cell.part if claim.cell else ""
    start = {"lower": cell.find("["), "upper": cell.rfind(", "), "share": cell.find("(")}.get(
        part, 0
    )
    start = cell.find("(") if part == "parentheses" else start
    return cell[:start] + cell[start:].replace(before.rstrip("%M"), claim.printed.rstrip("%M"), 1)


@contextmanager
def stating(claims: Mapping[str, Claim]) -> Iterator[None]:
    """Let the register state something else of some claims, whoever loads it."""
    as_printed = register._claims

    def changed(document: Mapping[str, Any], cells: PrintedCells) -> list[Claim]:
        return [claims.get(claim.id, claim) for claim in as_printed(document, cells)]

    register._claims = changed
    try:
        yield
    finally:
        register._claims = as_printed
