"""Copies of the repository in which tests run the workflow."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from needed import ROOT

_SNAKEMAKE = Path(sys.executable).with_name("snakemake")
_PARTS = [
    *("Snakefile", "config.yaml", "config", "workflow", "src", "data", "profiles"),
    "requirements.lock",
]


def copy_repository(to: Path) -> Path:
    """Copy what a run needs, and nothing that a run has made."""
    to.mkdir(exist_ok=True)
    for name in _PARTS:
        source = ROOT / name
        if source.is_dir():
            left_out = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, to / name, ignore=left_out, dirs_exist_ok=True)
        else:
            # config.yaml stays a link into config.
            shutil.copy2(source, to / name, follow_symlinks=False)
    return to


def write_board(where: Path, *, fault: str | None = None) -> None:
    """Write and configure a board of four models, 200 items and eight topics."""
    rng = np.random.default_rng(8)
    solved = rng.normal(size=(200, 1)) + rng.normal(size=(200, 4)) + [0.8, 0.5, 0.45, 0.0] > 0
    table = pd.DataFrame(solved.astype(int).astype(str), columns=["a/1", "b|2", "c$3", "d_4"])
    table.insert(0, "topic", [f"t{i % 8}" for i in range(200)])
    table.insert(0, "item_id", [f"q{i}" for i in range(200)])
    if fault is not None:
        table.loc[17, "c$3"] = fault
    table.to_csv(where / "small.csv", index=False)
    task = {"path": str(where / "small.csv"), "clusters": ["topic"]}
    board = {"title": "Small & <b>odd</b> $1", "cluster": "topic", "families": ["all", "adjacent"]}
    config = yaml.safe_load((where / "config.yaml").read_text())
    config["boards"] = {"small": board | {"tasks": {"exam": task}}}
    config["category_bootstrap"]["resamples"] = 50
    (where / "config.yaml").write_text(yaml.safe_dump(config))


def run_workflow(where: Path, *targets: str, cores: int = 2) -> subprocess.CompletedProcess[str]:
    """Run Snakemake there without the real boards; without targets, all that it makes."""
    environment = {k: v for k, v in os.environ.items() if k != "LLM_POWER_DATA"}
    return subprocess.run(
        [_SNAKEMAKE, "--cores", str(cores), *targets],
        cwd=where,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


def launch(where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Snakemake there as `make` does; arguments are those of tools/launch.py."""
    return subprocess.run(
        launcher(*arguments), cwd=where, capture_output=True, text=True, check=False
    )


def launcher(*arguments: str) -> list[str]:
    """Return the command that `make` runs Snakemake by."""
    return [sys.executable, str(ROOT / "tools" / "launch.py"), *arguments]


def copy_finished(finished: Path, to: Path) -> Path:
    """Copy a finished run with its times and records: in the copy, too, nothing is out of date."""
    return Path(shutil.copytree(finished, to, symlinks=True))


def copy_changed(finished: Path, to: Path) -> Path:
    """Copy the finished run of other code, from which a run makes what this code changes."""
    copy_finished(finished, to)
    shutil.rmtree(to / "src")
    (to / "config.yaml").unlink()
    return copy_repository(to)
