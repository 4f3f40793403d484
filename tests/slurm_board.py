"""A board of a million pairs on a Slurm cluster: the same bytes as on one machine.

Run as a program (``make test-slurm``) it starts a cluster of two nodes on this machine, makes the
board there by ``profiles/slurm`` and again without it. On the way a run is interrupted and a job is
killed.
"""

from __future__ import annotations

import filecmp
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
import pandas as pd
import yaml

import slurm_node
from replication.records import FOLDER, Ledger, Record
from repository import copy_finished, copy_repository
from slurm_node import Job, NotHere

ROOT: Final = Path(__file__).resolve().parents[1]
PROFILE: Final = "profiles/slurm"

# The board: 1,050,525 pairs in four parts, and every job that is submitted for it.
N_MODELS, N_ITEMS, N_PARTS = 1_450, 1_000, 4
TARGET: Final = "board_million"
SUBMITTED: Final = {
    "item_scores": 1,
    "pair_p_values": N_PARTS,
    "pair_family": 1,
    "pair_columns": N_PARTS,
    "streamed_board": 1,
}
# The run is interrupted at the first job; one of the others is killed while it works.
FIRST, VICTIM = "item_scores", "pair_columns"
# What their logs are called, which are there as soon as their scripts have begun.
_LOGS: Final = {FIRST: "scores/*/*.log", VICTIM: "boards/million/columns-*.log"}
# What is made, and compared.
_MADE: Final = ("results", "figures")

# A small cluster answers at once; it has no accounting to ask. Two jobs run side by side.
_FAST: Final = [
    *("--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks=1"),
    *("--set-threads", "pair_p_values=1", "pair_columns=1"),
]
_SECONDS: Final = 300.0


def write_board(where: Path) -> None:
    """Write the scores of the board, and a configuration that has no other."""
    rng = np.random.default_rng(20260528)
    ability, difficulty = rng.normal(size=N_MODELS), rng.normal(size=(N_ITEMS, 1))
    solved = rng.normal(size=(N_ITEMS, N_MODELS)) + ability > difficulty
    table = pd.DataFrame(
        solved.astype(np.int8), columns=[f"m{number:04}" for number in range(N_MODELS)]
    )
    table.insert(0, "item_id", [f"q{number:04}" for number in range(N_ITEMS)])
    (where / "boards").mkdir()
    table.to_parquet(where / "boards" / "million.parquet", index=False)
    config = yaml.safe_load((where / "config.yaml").read_text())
    config["data_root"] = "boards"
    config["boards"] = {
        "million": {
            "title": "A million pairs",
            "families": ["all"],
            "parts": N_PARTS,
            "tasks": {"exam": {"reader": "wide", "path": "million.parquet"}},
        }
    }
    (where / "config.yaml").write_text(yaml.safe_dump(config))


class Run:
    """Snakemake at work in a copy of the repository.

    Its environment names no program of .venv: jobs find them as Snakemake itself was found.
    """

    def __init__(self, where: Path, *options: str, plugin: Path | None = None) -> None:
        environment = {"PATH": "/usr/bin:/bin", "HOME": os.environ["HOME"]}
        if plugin:
            environment["PYTHONPATH"] = str(plugin)
        self.where = where
        self.log = where / "run.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [Path(sys.executable).with_name("snakemake"), TARGET, *options],
                cwd=where,
                env=environment,
                stdout=log,
                stderr=log,
            )

    def end(self) -> str:
        """Wait for a good end and return what was said."""
        code = self.process.wait()
        expect(code == 0, f"Snakemake ends with {code}:\n{self.said[-5000:]}")
        return self.said

    @property
    def said(self) -> str:
        """What Snakemake said so far."""
        return self.log.read_text()


def expect(condition: bool, message: str) -> None:
    """End the program with a message where a condition does not hold."""
    if not condition:
        sys.exit(f"slurm: FAILED: {message}")


def tell(message: str) -> None:
    """Say how far it is."""
    print(f"slurm: {time.monotonic() - _STARTED:5.1f} s: {message}", flush=True)


_STARTED: Final = time.monotonic()


def main() -> int:
    """Make the board twice and compare; return the exit code."""
    # An end by request is an orderly one, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with TemporaryDirectory(prefix="llm-power-slurm-") as folder:
            plugin = install_plugin(Path(folder, "plugin"))
            with slurm_node.cluster():
                tell("the cluster is up")
                check(Path(folder), plugin)
    except NotHere as reason:
        print(f"slurm: skipped: {reason}.")
    return 0


def check(folder: Path, plugin: Path) -> None:
    """Make the board on the cluster and without it, and compare all that was made."""
    there = copy_repository(folder / "cluster")
    write_board(there)
    # With its times, for that of the scores is part of their provenance.
    here = copy_finished(there, folder / "machine")

    on_cluster = ["--workflow-profile", PROFILE, *_FAST]
    first = Run(there, *on_cluster, plugin=plugin)
    interrupted = job_at_work(first, FIRST)
    first.process.send_signal(signal.SIGINT)
    first.process.wait()
    expect_idle()
    tell(f"the run is interrupted, and its job {interrupted.number} ({FIRST}) gone")

    second = Run(there, *on_cluster, plugin=plugin)
    killed = job_at_work(second, VICTIM)
    slurm_node.cancel(killed)
    tell(f"job {killed.number} ({VICTIM}) is killed")
    second.end()
    done = slurm_node.jobs()
    tell(f"the cluster has made the board in {len(done)} jobs")
    check_jobs(done)

    Run(here, "--cores=2").end()
    tell("this machine has made it")
    compare(there, here)
    said = Run(there, *on_cluster, plugin=plugin).end()
    expect("Nothing to be done" in said, f"a further call makes something:\n{said}")
    tell("every file has the same bytes, and a further call makes nothing")


def install_plugin(folder: Path) -> Path:
    """Install what `make slurm` adds to .venv into a folder, and leave .venv as it is."""
    options = ["-qq", "--no-deps", "--require-hashes", "--disable-pip-version-check"]
    lock = ["--target", str(folder), "-r", str(ROOT / "requirements-slurm.lock")]
    command = [sys.executable, "-m", "pip", "install", *options, *lock]
    if subprocess.run(command, check=False).returncode:
        raise NotHere("pip cannot install requirements-slurm.lock")
    return folder


def job_at_work(run: Run, rule: str) -> Job:
    """Return the job of a rule as soon as its script has begun."""
    logs = run.where / "logs"
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end and run.process.poll() is None:
        if any(logs.glob(_LOGS[rule])):
            for job in running():
                if job.state == "RUNNING" and job.rule == rule:
                    return job
        time.sleep(0.1)
    sys.exit(f"slurm: FAILED: no job of rule {rule} runs:\n{run.said[-5000:]}")


def running() -> list[Job]:
    """Return the jobs that have not ended."""
    return [job for job in slurm_node.jobs() if job.state in ("PENDING", "RUNNING", "COMPLETING")]


def expect_idle() -> None:
    """Wait until the cluster has no job left."""
    end = time.monotonic() + _SECONDS
    while jobs := running():
        expect(time.monotonic() < end, f"jobs go on: {jobs}")
        time.sleep(0.1)


def check_jobs(done: list[Job]) -> None:
    """Show every job; expect each once, the cancelled twice, no other, and some on each node."""
    print(
        "".join(
            f"    {job.number:>3} {job.rule:16} {job.state:10} {job.memory:>6} {job.limit}"
            f" {job.node}\n"
            for job in done
        )
    )
    ends = Counter((job.rule, job.state) for job in done)
    expected = Counter({(rule, "COMPLETED"): number for rule, number in SUBMITTED.items()})
    expected.update([(FIRST, "CANCELLED"), (VICTIM, "CANCELLED")])
    expect(ends == expected, f"other jobs than {dict(expected)}: {dict(ends)}")
    expect({job.node for job in done} == {*slurm_node.NODES}, "a node has no job")


def compare(one: Path, other: Path) -> None:
    """Expect the same files with the same bytes, and the same records but for their times."""
    names, others = files_in(one), files_in(other)
    expect(names == others, f"other files: {set(names) ^ set(others)}")
    _, differing, unread = filecmp.cmpfiles(one, other, names, shallow=False)
    expect(not differing + unread, f"other bytes: {differing + unread}")
    expect(recorded(one) == recorded(other), "other records")
    tell(f"{len(names)} files and their records are compared")


def recorded(where: Path) -> list[Record]:
    """Return the records of all jobs, without their times."""
    ledger = Ledger.read(where)
    expect(not (found := ledger.differences()), f"files are not as recorded: {found}")
    return [replace(record, began="", ended="") for record in ledger.records]


def files_in(where: Path) -> list[str]:
    """Return the paths of all files that were made; records, which tell times, are left out."""
    made = [path for folder in _MADE for path in (where / folder).rglob("*") if path.is_file()]
    names = (path.relative_to(where) for path in made)
    return sorted(str(name) for name in names if FOLDER not in name.parents)


if __name__ == "__main__":
    sys.exit(main())
