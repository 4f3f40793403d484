"""Rows of cells as a table, for a terminal or for a page."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from llm_power.report._escape import escape_markdown


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
    >>> from llm_power.report.text_tables import plain_table
    >>> print(plain_table([["model", "score"], ["heron", "0.7"], ["wren", "12.5%"]]))
    model  score
    -----  -----
    heron    0.7
    wren   12.5%
    """
    columns = []
    for cells in zip(*rows, strict=True):
        width = max(map(len, cells))
        numbers = all(map(_is_number, cells[1:]))
        shown = [cell.rjust(width) if numbers else cell.ljust(width) for cell in cells]
        columns.append([shown[0], "-" * width, *shown[1:]])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))


def markdown_table(rows: Sequence[Sequence[str]], *, right: Collection[int] | None = None) -> str:
    r"""Return the same as a table of GitHub's Markdown; cells are literal text.

    Columns of numbers stand to the right, or those of `right`.

    Parameters
    ----------
    rows : sequence of sequence of str
        The header, then at least one row.

    Returns
    -------
    str
        One line a row, and one below the header.

    Examples
    --------
    >>> from llm_power.report.text_tables import markdown_table
    >>> print(markdown_table([["model", "score"], ["a|b", "0.7"]]))
    | model | score |
    |---|--:|
    | a\|b | 0.7 |
    """
    if right is None:
        columns = enumerate(zip(*rows, strict=True))
        right = [i for i, cells in columns if all(map(_is_number, cells[1:]))]
    sides = ["--:" if i in right else "---" for i in range(len(rows[0]))]
    header, *body = [f"| {' | '.join(map(escape_markdown, row))} |" for row in rows]
    return "\n".join([header, f"|{'|'.join(sides)}|", *body])


def _is_number(cell: str) -> bool:
    text = cell.removeprefix("< ").removeprefix("-").rstrip("%").replace(",", "")
    return text.replace(".", "", 1).replace("e-", "", 1).isdigit()
