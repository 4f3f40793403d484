"""CSV files: the one way to read and write them, also those that a register names, not trusted."""

from __future__ import annotations

import csv
import difflib
import io
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from llm_power._errors import one_line
from llm_power._files import open_file
from llm_power_audit._errors import AuditError

Rows = list[dict[str, str]]


def below(root: Path, name: str, field: str) -> Path:
    """Return the path of a file below a folder, resolved already."""
    pure = PurePosixPath(name)
    plain = name.isprintable() and "\\" not in name and not pure.is_absolute()
    path = root / pure
    if not plain or ".." in pure.parts or not path.resolve().is_relative_to(root):
        problem = f"{one_line(name, 200)!r} leads out of the folder {root.name}/"
        raise AuditError(problem, remedy="name a file below it, with forward slashes", field=field)
    return path


class CSVError(ValueError):
    """A file is no CSV table; `row` is the line that is of another length, None where none is."""

    def __init__(self, problem: str, row: int | None = None) -> None:
        super().__init__(problem)
        self.row = row


def csv_rows(path: Path) -> list[list[str]]:
    """Return the header of a CSV file and its rows, each with a cell for each column."""
    try:
        with open_file(path) as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            rows = list(csv.reader(text, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CSVError(f"cannot be read: {error}") from error
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise CSVError(f"{len(rows[0])} cells expected, got {len(row)}", number)
    return rows


def write_rows(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Write a CSV file from its header and its rows."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def csv_table(path: Path) -> Rows:
    """Return the rows of a CSV file by column."""
    header, *rows = csv_rows(path) or [[]]
    return [dict(zip(header, row, strict=True)) for row in rows]


def read_csv(name: str, path: Path, field: str) -> tuple[list[str], Rows]:
    """Return the header of a CSV file that `field` of a register names, and its rows by column."""
    if path.suffix != ".csv":
        raise AuditError(f"{name} is no CSV file", remedy="name a .csv file", field=field)
    try:
        header, *rows = csv_rows(path) or [[]]
    except CSVError as error:
        problem = str(error) if error.row is None else f"is no table: row {error.row}: {error}"
        raise AuditError(f"{name} {problem}", remedy="write it again", field=field) from error
    if len(set(header)) != len(header):
        problem = "is no table: two columns have the same name"
        raise AuditError(f"{name} {problem}", remedy="write it again", field=field)
    return header, [dict(zip(header, row, strict=True)) for row in rows]


def suggest(name: str, known: Sequence[str], otherwise: str) -> str:
    """Return the known names that are nearest to a misspelled one, or another remedy."""
    close = difflib.get_close_matches(name, known, n=4, cutoff=0.5)
    return (
        f"did you mean {' or '.join(repr(one_line(c, 80)) for c in close)}"
        if close
        else (one_line(otherwise, 500))
    )
