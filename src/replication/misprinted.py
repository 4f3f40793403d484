"""Printed numbers that read otherwise for a while, wherever they are read from."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from llm_power_audit import register
from llm_power_audit._csv import csv_rows
from llm_power_audit.claims import Cell, Claim
from llm_power_audit.register import PrintedCells


@contextmanager
def misprinted(
    data: Path, printed: Mapping[str, Claim], claims: Mapping[str, Claim]
) -> Iterator[set[Path]]:
    """Let tables of a folder, and every register that is loaded, state something else of claims.

    Yields the tables.
    """
    as_printed = register._claims

    def changed(document: Mapping[str, Any], cells: PrintedCells) -> list[Claim]:
        return [claims.get(claim.id, claim) for claim in as_printed(document, cells)]

    tables = {data / claim.cell.file for claim in claims.values() if claim.cell}
    with restored(tables):
        register._claims = changed
        try:
            for name, claim in claims.items():
                if cell := claim.cell:
                    _write(data / cell.file, cell, printed[name].printed, claim.printed)
            yield tables
        finally:
            register._claims = as_printed


@contextmanager
def restored(paths: Iterable[Path]) -> Iterator[None]:
    """Put the files that are there back as they were."""
    kept = {path: path.read_bytes() for path in paths if path.is_file()}
    try:
        yield
    finally:
        for path, content in kept.items():
            path.write_bytes(content)


def _write(path: Path, cell: Cell, before: str, now: str) -> None:
    header, *rows = csv_rows(path)
    row, column = rows[cell.row - 1], header.index(cell.column)
    row[column] = _in_cell(row[column], cell.part, before, now)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def _in_cell(cell: str, part: str, before: str, now: str) -> str:
    """Return a printed cell with another number in the place of one of what it holds."""
    ends = {"lower": cell.find("["), "upper": cell.rfind(", ")}
    start = {**ends, **dict.fromkeys(("share", "parentheses"), cell.find("("))}.get(part, 0)
    return cell[:start] + cell[start:].replace(before.rstrip("%M"), now.rstrip("%M"), 1)
