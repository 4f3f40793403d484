"""Results as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def plain_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells in columns, numbers to the right and texts to the left.

    Parameters
    ----------
    rows : sequence of sequence of str
        The header, then at least one row.

    Returns
    -------
    str
        One line a row, and a line below the header.

    Examples
    --------
    >>> from llm_power.report.plain_text import plain_table
    >>> print(plain_table([["model", "score"], ["heron", "0.7"], ["wren", "12.5%"]]))
    model  score
    -----  -----
    heron    0.7
    wren   12.5%
    """
    columns = []
    for cells in zip(*rows, strict=True):
        width = max(map(len, cells))
        numbers = all(cell.rstrip("%").replace(".", "", 1).isdigit() for cell in cells[1:])
        shown = [cell.rjust(width) if numbers else cell.ljust(width) for cell in cells]
        columns.append([shown[0], "-" * width, *shown[1:]])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))


def summary_text(summary: Mapping[str, Any]) -> str:
    """Return coverage, unresolved pairs by procedure, and how many pairs are resolved.

    Parameters
    ----------
    summary : mapping
        What `summarize_board` or `describe_board` returned.

    Returns
    -------
    str
        Two tables and a line.

    Examples
    --------
    >>> from llm_power import resolve_board
    >>> from llm_power.board.summary import summarize_board
    >>> from llm_power.example import example_task
    >>> from llm_power.report.plain_text import summary_text
    >>> board = resolve_board([example_task()])
    >>> summary = summarize_board(board.verdicts)
    >>> summary_text(summary).splitlines()[-1]
    '2 of 3 pairs are resolved'
    """
    percent = dict.fromkeys(("coverage_min", "coverage_median"), "{:.1%}".format)
    applicable = [row for row in summary["procedures"] if row["n_pairs"]]
    tables = []
    for rows in (summary["tasks"], applicable):
        cells = [[percent.get(name, str)(row[name]) for name in row] for row in rows]
        tables.append(plain_table([[*rows[0]], *cells]))
    resolved = f"{summary['n_resolved']} of {summary['n_pairs']} pairs are resolved"
    return "\n\n".join([*tables, resolved])
