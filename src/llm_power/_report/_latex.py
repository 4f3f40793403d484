"""One table as a LaTeX environment for a plain article."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from llm_power._report._cells import Row, height, physical
from llm_power._report._escape import escape_latex, typeset_latex
from llm_power._report._layout import (
    NARROWEST,
    column_types,
    header_lines,
    latex_environment,
    latex_limits,
    latex_width,
    rows_of_a_page,
    wrapped_height,
)

_PACKAGES = r"\usepackage{booktabs,tabularx}"


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
    total: bool = False,
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
