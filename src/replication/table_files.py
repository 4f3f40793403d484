"""The files of one table: CSV with its description, Markdown, and LaTeX for a plain article.

The article is of 8 points, in one column or in two.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from textwrap import wrap

from llm_power._provenance import provenance_line
from llm_power._report._cells import Row, height, physical, shared_out
from llm_power._report.tables import (
    Column,
    Table,
    cells_of,
    heading_of,
    label_of,
    notes_of,
    side_of,
    to_markdown,
    write_described_csv,
)
from replication.latex_text import escape_latex, typeset_latex

# In digits of 8 points: a column of two, and the line of one.
_COLUMN, _LINE = 46, 80
# Half of what separates two columns, in points, and the whole in digits.
_SEPARATIONS = {6: 2.8, 4: 1.9, 3: 1.4}
# Of a table whose texts wrap.
_NARROWEST = min(_SEPARATIONS)
_NARROW = frozenset(" \u2008.,:;'|/()[]ijlt⁻⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉")
# A header over cells that are narrower than this is not wrapped.
_HEADER = 8
# The lines of 8 points that a page holds below caption and header.
_PAGE = 46
_PACKAGES = r"\usepackage{booktabs,tabularx}"


def write_table(table: Table, stem: Path) -> tuple[Path, Path, Path, Path]:
    """Write ``stem.csv``, ``stem.csv-metadata.json``, ``stem.md`` and ``stem.tex``."""
    ends, number = (".csv", ".csv-metadata.json", ".md", ".tex"), label_of(table)
    csv, described, markdown, latex = (stem.with_name(stem.name + end) for end in ends)
    write_described_csv(
        table.frame,
        csv,
        title=f"{number}. {table.caption}" if number else table.caption,
        description=" ".join(filter(None, [table.finding, *notes_of(table, cells_of(table))])),
        provenance=table.provenance,
        # The XML Schema spelling, which the description's datatype "double" stands for.
        infinity="INF",
    )
    markdown.write_bytes(to_markdown(table).encode())
    latex.write_bytes(to_latex(table).encode())
    return csv, described, markdown, latex


def to_latex(table: Table) -> str:
    """Return a ``table`` environment, or a ``table*`` if one column of two is too narrow for it.

    The first line names the packages that the document needs. Where the line is too short, text
    wraps. A table longer than a page ends there, and says so.
    """
    columns, every = table.columns, cells_of(table)
    provenance = provenance_line(table.provenance)
    headers, widths = _headers(columns, every)
    environment, separation = latex_environment(widths)
    texts = [side_of(column) == "left" for column in columns]
    gap = _SEPARATIONS[_NARROWEST]
    limits = {} if separation else shared_out(texts, widths, _LINE, gap)
    heights = [_latex_height(row, limits) for row in every]
    spaced = bool(limits) or max(map(height, every), default=1) > 1
    note = " ".join(notes_of(table, every))
    shown = rows_of_a_page(heights, f"{note} {provenance}", environment, spaced=spaced)
    rows = every[:shown]
    if shown < len(every):
        note = f"{note} The first {shown} of {len(every)} rows; all are in the CSV.".lstrip()
    types = column_types(limits)
    letters = "".join(types.get(i, side_of(column)[0]) for i, column in enumerate(columns))
    body: list[str] = []
    for row in rows:
        if table.total and row is every[-1]:
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
        rf"\setlength{{\tabcolsep}}{{{separation or _NARROWEST}pt}}",
        *([rf"\renewcommand{{\thetable}}{{{escape_latex(table.number)}}}"] if table.number else []),
        rf"\caption{{{typeset_latex(heading_of(table))}}}",
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
            tight = (environment, separation) == ("table", _NARROWEST)
            if not tight and sum(widths) + gap * (len(widths) - 1) <= room:
                return environment, separation
    return "table*", 0


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


def _latex_height(row: Row, limits: Mapping[int, int]) -> int:
    wrapped = (wrapped_height(row[i].ours, limit) for i, limit in limits.items())
    return max(height(row), *wrapped, 0)


def _headers(columns: Sequence[Column], rows: Sequence[Row]) -> tuple[list[list[str]], list[int]]:
    """Return the lines of the header, and the widths of the columns in characters."""
    cells = [
        max((latex_width(x) for row in rows for x in row[i].ours + row[i].printed), default=0)
        for i in range(len(columns))
    ]
    headers = [
        [column.header] if column.tex else header_lines(column.header, width)
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
