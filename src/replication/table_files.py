"""The files of one table: CSV with its description, Markdown and LaTeX."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from llm_power._report.tables import (
    Table,
    cells_of,
    describe_csv,
    label_of,
    notes_of,
    to_markdown,
)
from replication.latex import to_latex


def write_table(table: Table, stem: Path) -> tuple[Path, Path, Path, Path]:
    """Write ``stem.csv``, ``stem.csv-metadata.json``, ``stem.md`` and ``stem.tex``."""
    csv_path, number = stem.with_name(f"{stem.name}.csv"), label_of(table)
    contents = {
        csv_path: to_csv(table),
        csv_path.with_name(f"{csv_path.name}-metadata.json"): describe_csv(
            table.frame,
            csv_path.name,
            title=f"{number}. {table.caption}" if number else table.caption,
            description=" ".join(filter(None, [table.finding, *notes_of(table, cells_of(table))])),
            provenance=table.provenance,
        ),
        stem.with_name(f"{stem.name}.md"): to_markdown(table),
        stem.with_name(f"{stem.name}.tex"): to_latex(table),
    }
    for path, content in contents.items():
        path.write_bytes(content.encode())
    first, second, third, fourth = contents
    return first, second, third, fourth


def to_csv(table: Table) -> str:
    """Return the whole frame as CSV: floats in their shortest exact form, ``INF`` for infinity."""
    frame = table.frame.copy()
    for name in frame.columns:
        column = frame[name]
        if pd.api.types.is_float_dtype(column):
            # The XML Schema spelling, which the metadata's datatype "double" stands for.
            spelled = column.astype(object).mask(column == np.inf, "INF")
            frame[name] = spelled.mask(column == -np.inf, "-INF")
    return str(frame.to_csv(index=False, lineterminator="\n"))
