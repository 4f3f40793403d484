"""Cells of a table, its widths, and its LaTeX environment for a plain article.

LaTeX: a plain article of 8 points, in one column or in two. Markdown: a wide terminal.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, zip_longest
from textwrap import wrap
from typing import NamedTuple

from llm_power._report._escape import DIGIT_SPACE, POINT_SPACE, escape_latex, typeset_latex

# In digits of 8 points: a column of two, and the line of one.
_COLUMN, _LINE = 46, 80
# Half of what separates two columns, in points, and the whole in digits.
_SEPARATIONS = {6: 2.8, 4: 1.9, 3: 1.4}
#: Of a table whose texts wrap.
NARROWEST = min(_SEPARATIONS)
_NARROW = frozenset(" \u2008.,:;'|/()[]ijlt⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# A text up to so long is not wrapped, nor a header over narrower cells.
_UNWRAPPED, _HEADER = 12, 8
# The lines of 8 points that a page holds below caption and header.
_PAGE = 46
_TERMINAL, _BAR = 120, 3
# What stands behind the whole number that a text begins with.
_BEHIND = re.compile(r"[0-9][0-9,]*(.*)")
_PACKAGES = r"\usepackage{booktabs,tabularx}"


def latex_width(text: str) -> int:
    """Return about how wide a text is in LaTeX, in digits."""
    return math.ceil(sum(0.6 if c in _NARROW else 1 for c in text if not unicodedata.combining(c)))


def header_lines(header: str, width: int) -> list[str]:
    """Return the lines of a header over cells of this width, two in most cases."""
    half = len(header) // 2 + 2
    return wrap(header, max(width, _HEADER, half), break_long_words=False) or [""]


def latex_environment(widths: Sequence[int]) -> tuple[str, int]:
    """Return the environment, and the widest separation that fits; 0 where text must wrap."""
    for environment, room in (("table", _COLUMN), ("table*", _LINE)):
        for separation, gap in _SEPARATIONS.items():
            tight = (environment, separation) == ("table", NARROWEST)
            if not tight and sum(widths) + gap * (len(widths) - 1) <= room:
                return environment, separation
    return "table*", 0


def latex_limits(texts: Sequence[bool], widths: Sequence[int]) -> dict[int, int]:
    """Return how many characters a line of each column that wraps has."""
    return _limits(texts, widths, _LINE, _SEPARATIONS[NARROWEST])


def terminal_limits(texts: Sequence[bool], widths: Sequence[int]) -> dict[int, int]:
    """Return the same where the table is wider than a terminal."""
    fits = sum(widths) + _BAR * len(widths) <= _TERMINAL
    return {} if fits else _limits(texts, widths, _TERMINAL, _BAR)


def wrapped_height(lines: Sequence[str], limit: int) -> int:
    """Return about how many lines LaTeX makes of these, which it breaks at spaces and hyphens."""
    widths = map(latex_width, lines)
    return sum(1 if width <= limit else math.ceil(1.2 * width / limit) for width in widths)


def rows_of_a_page(heights: Sequence[int], notes: str, environment: str, *, spaced: bool) -> int:
    """Return the number of rows of these heights on a page above the notes, at least one."""
    line = _COLUMN if environment == "table" else _LINE
    room = _PAGE - math.ceil(latex_width(notes) / line)
    ends = accumulate(height + (0.21 if spaced else 0) for height in heights)
    return max(1, sum(end <= room for end in ends))


def column_types(limits: Mapping[int, int]) -> dict[int, str]:
    """Return the types of tabularx for the columns that wrap."""
    mean = sum(limits.values()) / max(len(limits), 1)
    return {
        i: rf">{{\hsize={limit / mean:.2f}\hsize\raggedright\arraybackslash}}X"
        for i, limit in limits.items()
    }


def _limits(
    texts: Sequence[bool], widths: Sequence[int], room: float, gap: float
) -> dict[int, int]:
    """Share out the room: more for a longer text, though less than it asks."""
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
    found = _BEHIND.search(text)
    return found[1] if found else ""


def narrowed(headers: Sequence[str], texts: Sequence[bool], rows: Sequence[Row]) -> list[Row]:
    """Return rows whose texts wrap where the table is wider than a terminal."""
    widths = [
        max([len(header), *(len(line) for row in rows for line in row[i].ours)])
        for i, header in enumerate(headers)
    ]
    limits = terminal_limits(texts, widths)
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


class Heading(NamedTuple):
    """The header of a column, plain and in LaTeX, and whether its cells hold symbols."""

    plain: str
    tex: str | None
    align: str
    symbols: bool


def latex_table(
    columns: Sequence[Heading],
    every: Sequence[Row],
    *,
    caption: str,
    number: str | None,
    notes: Sequence[str],
    provenance: str,
    total: bool,
) -> str:
    """Return the environment of `to_latex`, below the packages that it needs."""
    headers, widths = _headers(columns, every)
    environment, separation = latex_environment(widths)
    limits = (
        {} if separation else latex_limits([column.align == "left" for column in columns], widths)
    )
    heights = [_latex_height(row, limits) for row in every]
    spaced = bool(limits) or max(map(height, every), default=1) > 1
    note = " ".join(notes)
    shown = rows_of_a_page(heights, f"{note} {provenance}", environment, spaced=spaced)
    rows = every[:shown]
    if shown < len(every):
        note = f"{note} The first {shown} of {len(every)} rows; all are in the CSV.".lstrip()
    types = column_types(limits)
    letters = "".join(types.get(i, column.align[0]) for i, column in enumerate(columns))
    body: list[str] = []
    for row in rows:
        if total and row is every[-1]:
            body.append(r"\midrule")
        elif body and spaced:
            body.append(r"\addlinespace[2pt]")
        body += [
            _latex_row(
                _latex_cell(text, symbols=columns[i].symbols, bold=bold, breaks=i in limits)
                for i, (text, bold) in enumerate(line)
            )
            for line in physical(row, str, "printed")
        ]
    source = escape_latex(provenance)
    tabular, width = ("tabularx", r"{\linewidth}") if limits else ("tabular", "")
    lines = [
        f"% {_PACKAGES}",
        f"% Provenance: {source}",
        rf"\begin{{{environment}}}[htbp]",
        r"\centering\footnotesize\setlength{\belowcaptionskip}{4pt}",
        rf"\setlength{{\tabcolsep}}{{{separation or NARROWEST}pt}}",
        *([rf"\renewcommand{{\thetable}}{{{escape_latex(number)}}}"] if number else []),
        rf"\caption{{{typeset_latex(caption)}}}",
        rf"\begin{{{tabular}}}{width}{{@{{}}{letters}@{{}}}}",
        r"\toprule",
        *map(_latex_row, headers),
        r"\midrule",
        *body,
        r"\bottomrule",
        rf"\end{{{tabular}}}",
        "",
        r"\smallskip",
        r"\begin{minipage}{\linewidth}\sloppy",
        *([rf"\emph{{Note.}} {_breakable(typeset_latex(note))}\par"] if note else []),
        # A checksum leaves a line short: words are not to be drawn apart for it.
        rf"\raggedright\emph{{Provenance:}} {_breakable(source)}",
        r"\end{minipage}",
        rf"\end{{{environment}}}",
    ]
    return "\n".join(lines) + "\n"


def _latex_height(row: Row, limits: Mapping[int, int]) -> int:
    wrapped = (wrapped_height(row[i].ours, limit) for i, limit in limits.items())
    return max(height(row), *wrapped, 0)


def _headers(columns: Sequence[Heading], rows: Sequence[Row]) -> tuple[list[list[str]], list[int]]:
    """Return the lines of the header, and the widths of the columns in characters."""
    cells = [
        max((latex_width(x) for row in rows for x in row[i].ours + row[i].printed), default=0)
        for i in range(len(columns))
    ]
    headers = [
        [column.plain] if column.tex else header_lines(column.plain, width)
        for column, width in zip(columns, cells, strict=True)
    ]
    widths = [max(n, *map(latex_width, lines)) for n, lines in zip(cells, headers, strict=True)]
    typeset = [
        [column.tex] if column.tex else [typeset_latex(line) for line in lines]
        for column, lines in zip(columns, headers, strict=True)
    ]
    height = max(map(len, typeset))
    columns_of_lines = [[""] * (height - len(lines)) + lines for lines in typeset]
    return [list(line) for line in zip(*columns_of_lines, strict=True)], widths


def _latex_cell(cell: str, *, symbols: bool, bold: bool, breaks: bool) -> str:
    text = typeset_latex(cell) if symbols else escape_latex(cell)
    if breaks:
        text = _breakable(text)
    return rf"\textbf{{{text}}}" if bold and text else text


def _breakable(text: str) -> str:
    """Let paths, names and hashes of escaped LaTeX break where no space is."""
    return re.sub(
        r"((?:/|\\_)(?=\w)|\.(?=[^\W\d])|[0-9a-f]{16}(?=[0-9a-f]{4}))", r"\1\\allowbreak{}", text
    )


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
