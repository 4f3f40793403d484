"""Every file of the clone that a job reads, and every module of it, is named in its record."""

from __future__ import annotations

import shutil
from copy import deepcopy
from pathlib import Path

import pandas as pd
import pytest
import yaml

from needed import ROOT
from repository import copy_repository, write_board
from traced import undeclared

pytestmark = pytest.mark.slow

TOY = ROOT / "tests" / "toy_paper"


def write_boards(where: Path) -> None:
    """Configure a board, the same in parts, and one of two tasks and their average."""
    write_board(where)
    config = yaml.safe_load((where / "config.yaml").read_text())
    small = config["boards"]["small"]
    exam = small["tasks"]["exam"]
    shutil.copy2(exam["path"], where / "quiz.csv")
    tasks = {"exam": deepcopy(exam), "quiz": exam | {"path": str(where / "quiz.csv")}}
    config["boards"] |= {
        "parts": deepcopy(small) | {"families": ["all"], "parts": 2},
        "two": deepcopy(small) | {"families": ["adjacent"], "average": {"exam": 2, "quiz": 1}},
    }
    config["boards"]["two"]["tasks"] = deepcopy(tasks)
    (where / "config.yaml").write_text(yaml.safe_dump(config))


def test_no_job_opens_what_its_record_does_not_name(tmp_path: Path) -> None:
    where = copy_repository(tmp_path / "repository")
    write_boards(where)
    assert undeclared(where, tmp_path / "traces") == {}


def test_what_is_planted_in_a_job_is_named(tmp_path: Path) -> None:
    """A table that pandas opens, one that Arrow opens, and a module imported by its name."""
    where = copy_repository(tmp_path / "repository")
    for folder in ("data", "src"):
        shutil.copytree(TOY / folder, where / folder, dirs_exist_ok=True)
    planted = pd.DataFrame({"n": [1]})
    planted.to_csv(where / "data/toy/planted.csv", index=False)
    planted.to_parquet(where / "data/toy/planted.parquet")
    (where / "src/toy/planted.py").write_text("N = 1\n")
    jobs = {
        "table_01": 'import pandas\npandas.read_csv("data/toy/planted.csv")\n',
        "table_02": 'import pandas\npandas.read_parquet("data/toy/planted.parquet")\n',
        "figure_01": 'import importlib\nimportlib.import_module("toy.planted")\n',
    }
    for name, lines in jobs.items():
        with (where / f"src/toy/exhibits/{name}.py").open("a") as module:
            module.write(lines)
    targets = ("table_01", "table_02", "figure_01")
    assert undeclared(where, tmp_path / "traces", *targets, "--config", "paper=toy") == {
        "table_01": {"data/toy/planted.csv"},
        "table_02": {"data/toy/planted.parquet"},
        "figure_01": {"src/toy/planted.py"},
    }
