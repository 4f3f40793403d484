"""Cells of text, and rows of them as a table, for a terminal or for a page."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence

from llm_power._choices import Control
from llm_power._report._escape import escape_markdown


def confidence(alpha: float) -> str:
    """Return the confidence of an interval at a level, in per cent."""
    return f"{100 * (1 - alpha):g}%"


def gap_interval_name(alpha: float, family_size: int, control: Control) -> str:
    """Return the name of the intervals that go with the verdicts of a family of pairs."""
    if family_size == 1:
        return f"{confidence(alpha)} interval"
    over = "simultaneous" if control == "max-t" else "FCR-adjusted"
    return f"{over} {confidence(alpha)} interval"


def p_name(family_size: int, control: Control) -> str:
    """Return the name of the p-values that go with the verdicts of a family of pairs."""
    if family_size == 1:
        return "p"
    return "adjusted p" if control == "max-t" else "FDR-adjusted p"


def number_columns(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the columns that hold numbers alone below the header."""
    columns = enumerate(zip(*rows, strict=True))
    return [i for i, cells in columns if all(map(_is_number, cells[1:]))]


def plain_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows, the header first, in columns: numbers to the right and texts to the left."""
    columns, numbers = [], number_columns(rows)
    for i, cells in enumerate(zip(*rows, strict=True)):
        width = max(map(cells_of_terminal, cells))
        shown = [padded(cell, width, right=i in numbers) for cell in cells]
        columns.append([shown[0], "-" * width, *shown[1:]])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))


def cells_of_terminal(text: str) -> int:
    """Return how many cells of a terminal a text takes: two for a wide letter, none for a mark."""
    return sum(
        2 if unicodedata.east_asian_width(c) in "WF" else not unicodedata.combining(c) for c in text
    )


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Return a text with space beside it, so many cells wide on a terminal."""
    space = " " * (width - cells_of_terminal(text))
    return space + text if right else text + space


def markdown_table(rows: Sequence[Sequence[str]], *, right: Collection[int] | None = None) -> str:
    """Return rows, the header first, as a table of GitHub's Markdown with literal text.

    Columns of numbers stand to the right, or those of `right`.
    """
    if right is None:
        right = number_columns(rows)
    sides = ["--:" if i in right else "---" for i in range(len(rows[0]))]
    header, *body = [f"| {' | '.join(map(escape_markdown, row))} |" for row in rows]
    return "\n".join([header, f"|{'|'.join(sides)}|", *body])


def _is_number(cell: str) -> bool:
    text = cell.removeprefix("< ").removeprefix("-").rstrip("%").replace(",", "")
    return text.replace(".", "", 1).replace("e-", "", 1).isdigit()
