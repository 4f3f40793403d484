"""The small real board: written by a command, resolved by the one it prints, and its notice."""

from __future__ import annotations

import shlex
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pandas as pd
import pytest

from llm_power._example import write_example_board
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_scores

PROGRAM = str(Path(sys.executable).with_name("llm-power"))


def test_the_command_that_it_prints_works_as_typed(tmp_path: Path) -> None:
    written = subprocess.run(
        [PROGRAM, "example", "try"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert written.stdout.startswith("llm-power resolve try/mmlu_pro.csv ")
    command = [PROGRAM, *shlex.split(written.stdout)[1:]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    table = pd.read_csv(tmp_path / "try" / "out" / "pairs.csv")
    assert len(table) == 15
    assert set(table["verdict"]) == {"different", "undetermined"}


def test_it_is_small_and_carries_its_licence() -> None:
    shipped = {
        path.name: path.read_bytes() for path in (files("llm_power") / "example_board").iterdir()
    }
    assert sum(map(len, shipped.values())) < 150_000
    assert b"Apache License" in shipped["mmlu_pro.LICENSE.txt"]
    notice = shipped["mmlu_pro.NOTICE.txt"].decode()
    assert "github.com/TIGER-AI-Lab/MMLU-Pro" in notice
    assert "multiple of 20" in notice


@pytest.mark.slow
def test_it_is_what_the_authors_published(data_root: Path, tmp_path: Path) -> None:
    table = pd.read_csv(write_example_board(tmp_path))
    models = list(table.columns[2:])
    zips = [data_root / f"mmlu_pro/raw/model_outputs_{model}_5shots.zip" for model in models]
    for path in zips:
        (tmp_path / path.name).symlink_to(path)
    options = ReadOptions(skip_malformed=True)
    whole = read_scores(tmp_path, options, reader="mmlu_pro_zip")
    published = pd.DataFrame(whole.values, columns=whole.models)
    published.insert(0, "item_id", [int(item) for item in whole.item_ids])
    published.insert(1, "category", whole.clusters["category"])
    kept = published[published["item_id"] % 20 == 0].sort_values("item_id", ignore_index=True)
    pd.testing.assert_frame_equal(kept[table.columns], table, check_dtype=False)
