"""CSV files below a folder, whose names come from a register that is not trusted."""

from __future__ import annotations

import csv
import difflib
import io
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from audit._errors import AuditError
from llm_power.errors import one_line
from llm_power.files import open_file

Rows = list[dict[str, str]]


def below(root: Path, name: str, field: str) -> Path:
    """Return the path of a file below a folder, resolved already.

    Raises
    ------
    AuditError
        If the name leads out of the folder; the message names `field`.
    """
    pure = PurePosixPath(name)
    plain = name.isprintable() and "\\" not in name and not pure.is_absolute()
    path = root / pure
    if not plain or ".." in pure.parts or not path.resolve().is_relative_to(root):
        raise AuditError(
            f"{one_line(name, 200)!r} leads out of the folder {root.name}/",
            remedy="name a file below it, with forward slashes",
            field=field,
        )
    return path


def read_csv(name: str, path: Path, field: str) -> tuple[list[str], Rows]:
    """Return the header of a CSV file, and its rows by column.

    Raises
    ------
    AuditError
        If it is no CSV file, or no table; the message names `field`.
    """
    if path.suffix != ".csv":
        raise AuditError(f"{name} is no CSV file", remedy="name a .csv file", field=field)
    try:
        with open_file(path) as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            header, *rows = list(csv.reader(text, strict=True)) or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise AuditError(
            f"{name} cannot be read: {error}", remedy="write it again", field=field
        ) from error
    if len(set(header)) != len(header) or any(len(row) != len(header) for row in rows):
        raise AuditError(
            f"{name} is no table: each row needs one cell for each column, columns differ",
            remedy="write it again",
            field=field,
        )
    return header, [dict(zip(header, row, strict=True)) for row in rows]


def suggest(name: str, known: Sequence[str], otherwise: str) -> str:
    """Return the known names that are nearest to a misspelled one, or another remedy."""
    close = difflib.get_close_matches(name, known, n=4, cutoff=0.5)
    return (
        f"did you mean {' or '.join(repr(one_line(c, 80)) for c in close)}"
        if close
        else (one_line(otherwise, 500))
    )
