"""A lock is taken over from the dead, and from nobody else."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from replication.run_owner import (
    LOCKS,
    MARK,
    FolderInUse,
    Owner,
    alone,
    forget_owner,
    take_over,
    write_owner,
)

SLEEP = "import time; time.sleep(60)"


@pytest.fixture
def locked(tmp_path: Path) -> Path:
    (tmp_path / LOCKS).mkdir(parents=True)
    (tmp_path / LOCKS / "0.output.lock").write_text("results/a.csv\n")
    return tmp_path


@pytest.fixture
def dead() -> Owner:
    return Owner.this_process()


@pytest.fixture
def orphan(dead: Owner) -> Iterator[subprocess.Popen[bytes]]:
    environment = os.environ | {MARK: dead.mark}
    with subprocess.Popen([sys.executable, "-c", SLEEP], env=environment) as process:
        yield process
        process.kill()


def test_a_dead_owner_gives_way_with_a_line(locked: Path, dead: Owner) -> None:
    write_owner(locked, dead)
    (line,) = take_over(locked)
    assert line.startswith(f"The lock of a killed run (process {dead.pid} on {dead.host}, since ")
    assert not (locked / LOCKS).exists()
    assert take_over(locked) == []


def test_jobs_of_a_dead_owner_are_ended(
    locked: Path, dead: Owner, orphan: subprocess.Popen[bytes]
) -> None:
    write_owner(locked, dead)
    assert f"Job of a killed run is ended (process {orphan.pid})." in take_over(locked)
    assert orphan.poll() is not None


def test_a_living_owner_is_respected(locked: Path, dead: Owner) -> None:
    write_owner(locked, dead)
    waits = f"from replication.run_owner import alone\nwith alone(Path({str(locked)!r})): input()"
    with subprocess.Popen(
        [sys.executable, "-c", f"from pathlib import Path\n{waits}"], stdin=subprocess.PIPE
    ) as process:
        while (locked / LOCKS).exists():
            time.sleep(0.05)
        write_owner(locked, dead)
        with pytest.raises(FolderInUse, match=rf"a run is at work here \(process {dead.pid} on"):
            alone(locked).__enter__()
        assert (locked / LOCKS / "owner.json").exists()
        process.kill()
    with alone(locked) as lines:
        assert lines == []


def test_an_unknown_owner_is_respected(locked: Path) -> None:
    for content in (None, "{", "[1]", "{}"):
        if content is not None:
            (locked / LOCKS / "owner.json").write_text(content)
        with pytest.raises(FolderInUse, match=r"nothing says by which run.*snakemake --unlock"):
            take_over(locked)


def test_an_owner_on_another_machine_is_respected(locked: Path, dead: Owner) -> None:
    write_owner(locked, replace(dead, host="elsewhere"))
    with pytest.raises(FolderInUse, match=r"on another machine \(process \d+ on elsewhere"):
        take_over(locked)


def test_a_snakemake_whose_launcher_was_killed_is_respected(locked: Path, dead: Owner) -> None:
    write_owner(locked, dead)
    program = locked / "snakemake"
    program.write_text(SLEEP)
    with subprocess.Popen([sys.executable, program], cwd=locked) as process:
        try:
            with pytest.raises(FolderInUse, match=rf"at work here \(process {process.pid}\)"):
                take_over(locked)
        finally:
            process.kill()


def test_the_record_stays_as_long_as_the_lock(locked: Path, dead: Owner) -> None:
    write_owner(locked, dead)
    forget_owner(locked)
    assert (locked / LOCKS / "owner.json").exists()
    (locked / LOCKS / "0.output.lock").unlink()
    forget_owner(locked)
    assert not (locked / LOCKS / "owner.json").exists()
