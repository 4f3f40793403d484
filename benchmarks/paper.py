"""The paper from a clean copy of the project: `make reproduce`, and once more."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from contests import PAPER, US
from results import ROOT, Measured


def run_twice() -> list[Measured]:
    """Return the wall time of a first run and of a second, in which nothing is to be done."""
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    measured = []
    with TemporaryDirectory() as folder:
        _copy_tracked_files(Path(folder))
        for contest in PAPER:
            start = time.perf_counter()
            subprocess.run(
                ["make", "reproduce"], cwd=folder, check=True, capture_output=True, env=environment
            )
            seconds = time.perf_counter() - start
            measured.append(Measured(contest.name, US, contest.sizes[0], [seconds], in_turn=True))
    return measured


def _copy_tracked_files(folder: Path) -> None:
    """Copy them as they are, with their times, by which make sees that .venv is up to date."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in listed.stdout.split("\0"):
        source, target = ROOT / name, folder / name
        if name and source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    (folder / ".venv").symlink_to(ROOT / ".venv")
