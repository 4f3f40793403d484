"""The papers from clean copies of the project: `make reproduce`, and once more."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from contests import PAPERS, US
from results import ROOT, Measured, Profile

_SHOWN: Final = 12


def run_twice() -> tuple[list[Measured], list[Profile]]:
    """Return the wall time of each first run and of the second, in which nothing is to be done.

    Of a first run that takes too long the longest jobs are told.
    """
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    measured, profiles = [], []
    for contests in PAPERS:
        with TemporaryDirectory() as folder:
            _copy_tracked_files(Path(folder))
            for contest in contests:
                command = ["make", "reproduce", *contest.ours.arguments]
                start = time.perf_counter()
                subprocess.run(
                    command, cwd=folder, check=True, capture_output=True, env=environment
                )
                seconds, size = time.perf_counter() - start, contest.sizes[0]
                measured.append(Measured(contest.name, US, size, [seconds], in_turn=True))
                if contest.target.seconds is not None and seconds > contest.target.seconds:
                    profiles.append(Profile(contest.name, size, _longest_jobs(Path(folder))))
    return measured, profiles


def _longest_jobs(folder: Path) -> list[tuple[str, float]]:
    """Return the wall time of the longest jobs; two run at a time."""
    records = folder / "benchmarks" / "workflow"
    jobs = []
    for path in records.rglob("*.tsv"):
        with path.open(encoding="utf-8") as file:
            (row,) = csv.DictReader(file, delimiter="\t")
        jobs.append((str(path.relative_to(records).with_suffix("")), float(row["s"])))
    return sorted(jobs, key=lambda job: -job[1])[:_SHOWN]


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
