"""Text as literal Markdown, and rows of it as a table, for a terminal or for a page.

Model names come from strangers. A name may hold whatever a hub or a CSV lets through:
pipes, dollars, backslashes, newlines, other scripts. In Markdown it is text and nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

# What CommonMark, GitHub's tables or its mathematics could act upon, and no more: the source is
# read in terminals. A star between a word and a space or stop can open nothing (N* of), an
# underscore inside a word neither, and brackets are a link only before another bracket. < and &
# that could begin a tag or an entity are entities, because older converters do not know \<.
_MARKDOWN = re.compile(
    r"[\\`{}|~$#]"
    r"|\*(?![\s/).,;:\]]|$)|(?<![^\W_])\*"
    r"|(?<![^\W_])(?<![\u0302\u0304])_|_(?![^\W_])"
    r"|\](?=[(\[:])"
)
_TAGS = re.compile(r"<(?=[A-Za-z/!?])|&(?=[A-Za-z#])")
_ENTITIES = {"<": "&lt;", "&": "&amp;"}

#: As wide as a digit, and as a point: they line up the numbers of a column.
DIGIT_SPACE, POINT_SPACE = "\u2007", "\u2008"


def escape_markdown(text: str) -> str:
    """Return `text` as one line of literal Markdown (CommonMark, GFM)."""
    flat = _TAGS.sub(lambda match: _ENTITIES[match[0]], flattened(text))
    return _MARKDOWN.sub(r"\\\g<0>", flat)


def flattened(text: str) -> str:
    """Return `text` without line breaks, controls and doubled spaces."""
    # isprintable is false for line breaks, tabs, controls, bidirectional overrides, surrogates.
    kept = DIGIT_SPACE + POINT_SPACE
    flat = "".join(c if c.isprintable() or c in kept else " " for c in text)
    return " ".join(filter(None, flat.split(" ")))


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
