"""Cells of a table: their lines, beside printed ones, and the widths that they have room for."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from textwrap import wrap

from llm_power._report.text_tables import DIGIT_SPACE, POINT_SPACE

# A text up to so long is not wrapped.
_UNWRAPPED = 12
_TERMINAL, _BAR = 120, 3
# What stands behind the whole number that a text begins with.
_BEHIND = re.compile(r"[0-9][0-9,]*(.*)")


def shared_out(
    texts: Sequence[bool], widths: Sequence[int], room: float, gap: float
) -> dict[int, int]:
    """Return how many characters a line of each column that wraps has.

    A longer text has more of the room, though less than it asks.
    """
    roots = {
        i: math.sqrt(width)
        for i, (text, width) in enumerate(zip(texts, widths, strict=True))
        if text and width > _UNWRAPPED
    }
    left = room - gap * len(widths) - sum(w for i, w in enumerate(widths) if i not in roots)
    return {i: max(_UNWRAPPED, int(left * root / sum(roots.values()))) for i, root in roots.items()}


@dataclass(frozen=True, slots=True)
class Cell:
    """Lines of the recomputed value, and of the printed one below; which of them are bold."""

    ours: tuple[str, ...]
    printed: tuple[str, ...] = ()
    bold: bool | tuple[bool, ...] = False


Row = list[Cell]


def height(row: Row) -> int:
    return max(len(cell.ours) + len(cell.printed) for cell in row)


def physical(row: Row, escape: Callable[[str], str], label: str) -> list[list[tuple[str, bool]]]:
    """Return the lines of a row, each a text and whether it is bold in every cell.

    `label` stands before the first printed line, where all begin on one below all others.
    """
    columns = [
        [*zip(map(escape, cell.ours), _bold_lines(cell), strict=True)]
        + [(escape(line), False) for line in cell.printed]
        for cell in row
    ]
    lines = [list(line) for line in zip_longest(*columns, fillvalue=("", False))]
    begins = {len(cell.ours) for cell in row if cell.printed}
    if len(begins) == 1 and not row[0].printed and begins == {max(len(cell.ours) for cell in row)}:
        lines[begins.pop()][0] = (label, False)
    return lines


def _bold_lines(cell: Cell) -> Sequence[bool]:
    return cell.bold if isinstance(cell.bold, tuple) else [cell.bold] * len(cell.ours)


def aligned(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a column padded on the right, so that decimal points align."""
    tails = [_behind(line) for cell in cells for line in cell.ours + cell.printed]
    longest = max(tails, key=len, default="")
    blank = "".join(POINT_SPACE if c in ".()" else DIGIT_SPACE for c in longest)
    return [
        replace(
            cell,
            ours=tuple(line + blank[len(_behind(line)) :] for line in cell.ours),
            printed=tuple(line + blank[len(_behind(line)) :] for line in cell.printed),
        )
        for cell in cells
    ]


def _behind(text: str) -> str:
    match = _BEHIND.search(text)
    return match[1] if match else ""


def narrowed(headers: Sequence[str], texts: Sequence[bool], rows: Sequence[Row]) -> list[Row]:
    """Return rows whose texts wrap where the table is wider than a terminal."""
    widths = [
        max([len(header), *(len(line) for row in rows for line in row[i].ours)])
        for i, header in enumerate(headers)
    ]
    if sum(widths) + _BAR * len(widths) <= _TERMINAL:
        return [*rows]
    limits = shared_out(texts, widths, _TERMINAL, _BAR)
    return [
        [
            replace(cell, ours=_split(cell.ours, limits[i])) if i in limits else cell
            for i, cell in enumerate(row)
        ]
        for row in rows
    ]


def _split(lines: tuple[str, ...], width: int) -> tuple[str, ...]:
    parts = [wrap(line, width, break_long_words=False, break_on_hyphens=False) for line in lines]
    return tuple(part for line in parts for part in line or [""])
