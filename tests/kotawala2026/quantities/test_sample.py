"""Real answers to some items: tables joined by item, and counted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kotawala2026.quantities.raw_sample import read_sample, seen_cells
from llm_power._errors import ScoreError

NAN = float("nan")


def written(folder: Path, name: str, rows: dict[int, list[float]], models: list[str]) -> Path:
    table = pd.DataFrame.from_dict(rows, orient="index", columns=models).astype("Int8")
    table.index.name = "item_row"
    table["form"] = "A"
    table.to_parquet(folder / name)
    return folder / name


def test_files_are_joined_by_item(tmp_path: Path) -> None:
    first = written(tmp_path, "a.parquet", {7: [1, NAN], 3: [0, 1]}, ["wren", "heron"])
    second = written(tmp_path, "b.parquet", {7: [1, 0], 9: [1, 1]}, ["wren", "heron"])
    found = read_sample([first, second], ["wren", "heron", "falcon"])
    assert found.index.tolist() == [3, 7, 9]
    assert found["wren"].tolist() == [0, 1, 1]
    assert found["heron"].tolist() == [1, 0, 1]
    assert found["falcon"].isna().all()


def test_files_that_disagree_are_refused(tmp_path: Path) -> None:
    first = written(tmp_path, "a.parquet", {7: [1, 0], 3: [0, 1]}, ["wren", "heron"])
    second = written(tmp_path, "b.parquet", {7: [1, 1]}, ["wren", "heron"])
    with pytest.raises(ScoreError, match=r"b\.parquet.*heron.*7.*another result.*Remedy"):
        read_sample([first, second], ["wren", "heron"])


def test_what_is_no_answer_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "a.parquet", {7: [2, 0]}, ["wren", "heron"])
    with pytest.raises(ScoreError, match=r"a\.parquet.*0, 1 or nothing"):
        read_sample([path], ["wren", "heron"])


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"<html>")
    with pytest.raises(ScoreError, match=r"a\.parquet.*cannot be read"):
        read_sample([path], ["wren"])


def test_cells_of_a_pair_leave_out_what_either_lacks() -> None:
    sample = pd.DataFrame(
        {"wren": [1, 1, 1, 0, 0, 0, np.nan, 1], "heron": [1, 1, 0, 1, 0, 0, 1, np.nan]}
    )
    assert seen_cells(sample, "wren", "heron").tolist() == [2, 1, 1, 2]
    assert seen_cells(sample, "heron", "wren").tolist() == [2, 1, 1, 2]
    assert seen_cells(sample.iloc[:0], "wren", "heron").tolist() == [0, 0, 0, 0]
