"""A lock is taken over from the dead, and from nobody else."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from replication.run_owner import LOCKS, MARK, OWNER, FolderInUse, alone, owned

SLEEP = "import time; time.sleep(60)"
HOLD = """from pathlib import Path
from replication.run_owner import alone, owned
with alone(Path()), owned(Path()):
    Path(".snakemake/locks/0.output.lock").touch()
    input()
"""
DEAD = "process 12 on this machine, since 2026-05-28 10:00:00"


@pytest.fixture
def locked(tmp_path: Path) -> Path:
    (tmp_path / LOCKS).mkdir(parents=True)
    lock(tmp_path)
    return tmp_path


def lock(folder: Path) -> None:
    (folder / LOCKS / "0.output.lock").write_text("results/a.csv\n")


def left_by(owner: str, folder: Path, host: str | None = None) -> None:
    (folder / OWNER).write_text(f"{host or socket.gethostname()}\n{owner}")


def said(folder: Path) -> list[str]:
    with alone(folder) as lines:
        return lines


@pytest.fixture
def orphan() -> Iterator[subprocess.Popen[bytes]]:
    environment = os.environ | {MARK: DEAD}
    with subprocess.Popen([sys.executable, "-c", SLEEP], env=environment) as process:
        yield process
        process.kill()


def test_a_dead_owner_gives_way_with_a_line(locked: Path) -> None:
    left_by(DEAD, locked)
    assert said(locked) == [f"The lock of a killed run ({DEAD}) is taken over."]
    assert not (locked / LOCKS).exists()
    assert said(locked) == []


def test_jobs_of_a_dead_owner_are_ended(locked: Path, orphan: subprocess.Popen[bytes]) -> None:
    left_by(DEAD, locked)
    assert f"Job of a killed run is ended (process {orphan.pid})." in said(locked)
    assert orphan.poll() is not None


def test_jobs_are_ended_where_snakemake_had_no_lock_yet(
    locked: Path, orphan: subprocess.Popen[bytes]
) -> None:
    left_by(DEAD, locked)
    (locked / LOCKS / "0.output.lock").unlink()
    assert said(locked) == [f"Job of a killed run is ended (process {orphan.pid})."]


def test_a_living_owner_is_respected_until_it_is_killed(locked: Path) -> None:
    left_by(DEAD, locked)
    command = [sys.executable, "-c", HOLD]
    with subprocess.Popen(command, cwd=locked, stdin=subprocess.PIPE) as process:
        while not (locked / OWNER).exists() or DEAD in (locked / OWNER).read_text():
            time.sleep(0.05)
        with pytest.raises(FolderInUse, match=rf"a run is at work here \(process {process.pid} on"):
            said(locked)
        process.kill()
    (line,) = said(locked)
    assert re.search(rf"killed run \(process {process.pid} on .*, since \d{{4}}-.*\) is", line)


def test_an_unknown_owner_is_respected(locked: Path) -> None:
    for content in (b"", b"{", b"host\n", b"\xff\n"):
        (locked / OWNER).write_bytes(content)
        with pytest.raises(FolderInUse, match=r"nothing says by which run.*snakemake --unlock"):
            said(locked)


def test_an_owner_on_another_machine_is_respected(locked: Path) -> None:
    left_by("process 12 on elsewhere", locked, "elsewhere")
    # It may not have its lock yet.
    for lock in (locked / LOCKS / "0.output.lock", None):
        with pytest.raises(FolderInUse, match=r"on another machine \(process 12 on elsewhere"):
            said(locked)
        if lock is not None:
            lock.unlink()


def test_a_snakemake_whose_launcher_was_killed_is_respected(locked: Path) -> None:
    left_by(DEAD, locked)
    program = locked / "snakemake"
    program.write_text(SLEEP)
    with subprocess.Popen([sys.executable, program], cwd=locked) as process:
        try:
            with pytest.raises(FolderInUse, match=rf"at work here \(process {process.pid}\)"):
                said(locked)
        finally:
            process.kill()


def test_the_record_stays_as_long_as_the_lock(tmp_path: Path) -> None:
    with owned(tmp_path) as environment:
        lock(tmp_path)
    assert environment[MARK] in (tmp_path / OWNER).read_text()
    with owned(tmp_path):
        (tmp_path / LOCKS / "0.output.lock").unlink()
    assert not (tmp_path / OWNER).exists()
