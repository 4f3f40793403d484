"""The files of one table: CSV with its description, Markdown and LaTeX."""

from __future__ import annotations

from pathlib import Path

from llm_power._report.tables import (
    Table,
    cells_of,
    label_of,
    notes_of,
    to_markdown,
    write_described_csv,
)
from replication.latex import to_latex


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
