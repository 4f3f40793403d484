"""A table's files have every digit, say what they rest on, and are the same bytes each time."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table
from replication.table_files import write_table
from table_examples import hostile_table


def test_csv_keeps_every_digit_and_every_character(tmp_path: Path) -> None:
    table = hostile_table()
    path, *_ = write_table(table, tmp_path / "table_07")
    # Not by pandas, whose version 2 ends a text at a NUL.
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    back = pd.DataFrame(rows, columns=header).astype(table.frame.dtypes.to_dict())
    pd.testing.assert_frame_equal(back, table.frame, check_exact=True)


def test_csv_spells_infinity_and_leaves_a_missing_value_empty(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [np.inf, -np.inf, np.nan, 1 / 3], "flag": [True, False, True, True]})
    table = Table(frame, [Column("x", "x")], "c", [Provenance.published("Table 1")])
    path, metadata, *_ = write_table(table, tmp_path / "table_07")
    assert path.read_text() == "x,flag\nINF,True\n-INF,False\n,True\n0.3333333333333333,True\n"
    columns = json.loads(metadata.read_text(encoding="utf-8"))["tableSchema"]["columns"]
    assert columns[0] == {"titles": "x", "datatype": "double"}
    assert float("INF") == np.inf


def test_csv_metadata_names_the_file_the_types_and_the_source(tmp_path: Path) -> None:
    _, metadata, *_ = write_table(hostile_table(), tmp_path / "table_07")
    description = json.loads(metadata.read_text(encoding="utf-8"))
    assert description["url"] == "table_07.csv"
    assert description["dc:provenance"] == "from published numbers (Table 7)"
    assert description["dc:source"] == ["published"]
    assert description["tableSchema"]["columns"] == [
        {"titles": "model", "datatype": "string"},
        {"titles": "n_star", "datatype": "double"},
    ]


def test_written_files_are_the_same_bytes_every_time(tmp_path: Path) -> None:
    first = write_table(hostile_table(), tmp_path / "v1.0")
    assert [path.name for path in first] == [
        "v1.0.csv", "v1.0.csv-metadata.json", "v1.0.md", "v1.0.tex",
    ]  # fmt: skip
    before = [path.read_bytes() for path in first]
    assert [path.read_bytes() for path in write_table(hostile_table(), tmp_path / "v1.0")] == before
    assert not any(b"\r" in content for content in before)


def test_a_finding_begins_the_description(tmp_path: Path) -> None:
    table = replace(hostile_table(), finding="5% of them rise.")
    _, metadata, *_ = write_table(table, tmp_path / "table_07")
    described = json.loads(metadata.read_text(encoding="utf-8"))["dc:description"]
    assert described.startswith("5% of them rise. Cost:")
