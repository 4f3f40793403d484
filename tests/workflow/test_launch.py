"""Damaged results are named and made again, and a killed run is gone on with: by real runs."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from needed import ROOT
from repository import copy_repository, launch, launcher, run_workflow

pytestmark = pytest.mark.slow

FRONTIER = "results/witness/ranked/frontier/mmlu_pro.parquet"
TARGETS = ("table_06", "results/witness/frontier/roles.csv", FRONTIER)
TABLE = "results/tables/table_06.csv"
WITNESS = "results/witness/frontier/mmlu_pro.parquet"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = copy_repository(tmp_path_factory.mktemp("launch") / "repository")
    done = launch(where, *TARGETS)
    assert done.returncode == 0, done.stdout + done.stderr
    return where


def contents(where: Path) -> dict[str, bytes]:
    # Records say when a job ran.
    paths = (path for path in (where / "results").rglob("*") if ".sums" not in path.parts)
    files = (path for path in paths if path.is_file())
    return {str(path.relative_to(where)): path.read_bytes() for path in files}


def test_damage_is_named_and_exactly_that_is_made_again(ran: Path) -> None:
    clean = contents(ran)
    text = (ran / TABLE).read_text()
    (ran / TABLE).write_text(text.replace("295", "296", 1))
    os.truncate(ran / WITNESS, (ran / WITNESS).stat().st_size // 2)

    named = launch(ran, "--verify")
    assert named.returncode == 1
    assert named.stdout.splitlines() == [
        f"{TABLE} is not what job table_06 made",
        f"{WITNESS} is not what job witness_frontier made",
    ]
    behind = launch(ran, "--verify", "table_06").stdout
    assert TABLE in behind
    assert WITNESS not in behind

    healed = launch(ran, "--verbose", *TARGETS)
    assert healed.returncode == 0, healed.stderr
    assert f"{TABLE} is not what job table_06 made: made again." in healed.stderr
    rules = {line.split()[-1] for line in healed.stderr.splitlines() if "rule " in line}
    # The scores were made from the witness, whose bytes are the same again.
    assert rules == {"table_06:", "witness_frontier:"}
    assert contents(ran) == clean
    assert launch(ran, "--verify").returncode == 0


def test_a_quiet_run_says_what_landed_and_ends_with_a_screen(ran: Path) -> None:
    (ran / TABLE).unlink()
    logs = ran / ".snakemake/log"
    before = {*logs.glob("*.log")}
    done = launch(ran, *TARGETS)
    assert done.returncode == 0, done.stderr
    assert [line.split()[:6][4:] for line in done.stderr.splitlines() if " of 1 " in line] == [
        ["Table", "6"]
    ]
    assert len(done.stderr.splitlines()) < 8
    said = dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if line)
    assert list(said) == ["Log", "Took"]
    # What is gone is made again before the run, which is a call of its own.
    new = {*logs.glob("*.log")} - before
    assert any("rule table_06:" in log.read_text() for log in new)
    assert ran / said["Log"] == max(new)


def test_a_job_reads_no_damaged_file(ran: Path) -> None:
    flipped = bytearray((ran / WITNESS).read_bytes())
    flipped[100] ^= 4
    (ran / WITNESS).write_bytes(flipped)
    made = ran / FRONTIER
    made.unlink()
    done = run_workflow(ran, str(made.relative_to(ran)))
    assert done.returncode != 0
    assert f"error: {WITNESS} is not what job witness_frontier made" in done.stderr
    assert not made.exists()
    assert launch(ran, *TARGETS).returncode == 0
    assert launch(ran, "--verify").returncode == 0


@pytest.mark.parametrize(
    ("file", "old", "new", "some"),
    [
        # Of a printed table a job takes the cells that it needs.
        ("data/kotawala2026/printed/table_06.csv", "295", "296", {"table_06"}),
        ("src/llm_power/_statistics/mcnemar.py", "\n\n\n", "\n\n\n\n", None),
    ],
)
def test_an_edit_runs_again_jobs_that_the_records_name(
    file: str, old: str, new: str, some: set[str] | None, ran: Path
) -> None:
    asked: list[str | Path] = [sys.executable, ROOT / "tools/edits.py", file]
    told = subprocess.run(asked, cwd=ran, capture_output=True, text=True, check=True).stdout
    named = {job.split()[0] for job in told.removeprefix(f"{file}: ").split(";")[0].split(", ")}
    text = (ran / file).read_text()
    (ran / file).write_text(text.replace(old, new, 1))
    try:
        done = run_workflow(ran, "--dry-run", *TARGETS)
    finally:
        (ran / file).write_text(text)
    planned = set(re.findall(r"^(?:local)?rule (\w+):$", done.stdout + done.stderr, re.MULTILINE))
    assert (some or named) <= named & planned


def test_a_lost_record_is_healed(ran: Path) -> None:
    clean = contents(ran)
    (ran / "results/.sums/table_06.json").unlink()
    assert f"{TABLE} has no record" in launch(ran, "--verify", *TARGETS).stdout
    assert launch(ran, *TARGETS).returncode == 0
    assert contents(ran) == clean


def test_strangers_among_the_results_are_left_alone(ran: Path) -> None:
    stranger = ran / "results/mine.csv"
    stranger.write_text("1\n")
    try:
        assert launch(ran, *TARGETS).returncode == 0
        assert launch(ran, "--verify").returncode == 0
        assert stranger.read_text() == "1\n"
    finally:
        stranger.unlink()


def test_what_is_flipped_cut_or_killed_is_noticed_and_ends_in_the_bytes_of_before(
    ran: Path,
) -> None:
    """Files of a small run, in batches, and two runs: what the tool does to a whole one."""
    program: list[str | Path] = [sys.executable, ROOT / "tools/attack.py", ran, *TARGETS]
    often = ["--flips", "8", "--cuts", "8", "--batch", "4", "--kills", "2"]
    done = subprocess.run([*program, *often], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("at", ["locks", "results"])
def test_a_killed_run_is_gone_on_with(at: str, tmp_path: Path) -> None:
    where = copy_repository(tmp_path / "repository")
    with subprocess.Popen(
        launcher(*TARGETS), cwd=where, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        wanted = {"locks": ".snakemake/locks/*.lock", "results": "results/**/*.json"}[at]
        until = time.monotonic() + 120
        while not list(where.glob(wanted)):
            assert time.monotonic() < until
            time.sleep(0.05)
        (snakemake,) = psutil.Process(running.pid).children()
        second = launch(where, *TARGETS)
        assert second.returncode == os.EX_TEMPFAIL
        assert "error: a run is at work here" in second.stderr
        snakemake.send_signal(signal.SIGKILL)
        assert running.wait(timeout=30) == 128 + signal.SIGKILL
    done = launch(where, *TARGETS)
    assert done.returncode == 0, done.stderr
    assert "The lock of a killed run (process" in done.stderr
    assert launch(where, "--verify").returncode == 0


def test_a_run_that_is_asked_to_end_leaves_no_lock(tmp_path: Path) -> None:
    where = copy_repository(tmp_path / "repository")
    with subprocess.Popen(
        launcher(*TARGETS), cwd=where, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        until = time.monotonic() + 120
        while not list(where.glob("results/**/*.json")):
            assert time.monotonic() < until
            time.sleep(0.05)
        running.terminate()
        assert running.wait(timeout=60) == 1
    assert list((where / ".snakemake").glob("locks/*.lock")) == []
    done = launch(where, *TARGETS)
    assert done.returncode == 0, done.stderr
    assert "killed run" not in done.stderr


def test_every_paper_is_of_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where, toy = copy_repository(tmp_path / "repository"), ROOT / "tests/toy_paper"
    for paper in (where / "data").glob("*/paper.yaml"):
        shutil.rmtree(paper.parent)
    for name in ("toy", "twin"):
        shutil.copytree(toy / "data/toy", where / "data" / name)
        shutil.copytree(toy / "src/toy", where / "src" / name)
    config = where / "config.yaml"
    config.write_text(config.read_text().replace("paper: kotawala2026", "paper: toy"))
    monkeypatch.setenv("PYTHONPATH", str(where / "src"))
    done = launch(where)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "twin: Table 1" in done.stderr
    assert done.stdout.count("Nobody 2026") == 2
    assert done.stdout.count("Took") == 1
    twin = where / "papers/twin"
    for path in ("results/tables/table_02.csv", "figures/figure_01.svg"):
        assert (where / path).read_bytes() == (twin / path).read_bytes()
    assert "papers/twin/" not in (twin / "ro-crate-metadata.json").read_text()
    assert launch(where, "--verify").returncode == 0

    assert "Nothing to be done" in launch(where, "--verbose", "--paper", "twin").stderr
    (twin / "results/tables/table_01.csv").write_text("damaged")
    healed = launch(where, "--paper", "twin")
    assert "job twin_table_01 made: made again" in healed.stderr
    assert launch(where, "--verify").returncode == 0
    (where / "src/toy/exhibits/table_01.py").write_text("make = None\n")
    (twin / "results/tables/table_02.csv").unlink()
    assert launch(where).returncode == 1
    assert (twin / "results/tables/table_02.csv").is_file()
    refused = launch(where, "--paper", "owl")
    assert refused.stderr.startswith("error: there is no paper owl")
    assert "name one of toy, twin" in refused.stderr


def test_names_near_an_unknown_target_are_told(ran: Path) -> None:
    unknown = launch(ran, "table_6", "leave_one_out_nothing")
    assert unknown.returncode == 1
    assert "error: there is no target table_6. Near: table_06" in unknown.stderr
    assert "no target leave_one_out_nothing" in unknown.stderr
