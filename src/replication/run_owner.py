"""The lock of a folder: that of a living run, a killed one, or one on another machine."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Final

import psutil

from llm_power._errors import LLMPowerError, message_at
from llm_power._files import write_whole

# Snakemake removes the folder of its locks when a run ends, and the record of its owner with it.
LOCKS: Final = Path(".snakemake", "locks")
# The machine of the process that started Snakemake, and what it is called.
OWNER: Final = LOCKS / "owner"
# Every process of a run inherits it, so that jobs are known when nothing else of the run is left.
MARK: Final = "LLM_POWER_RUN"
_UNLOCK: Final = ".venv/bin/snakemake --unlock"


class FolderInUse(LLMPowerError):
    """Another run has the folder, or may have it."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(message_at({}, problem, remedy))


@contextmanager
def alone(folder: Path) -> Iterator[list[str]]:
    """Keep other runs out of a folder until this process is gone; say what a killed one left."""
    state = folder / ".snakemake"
    state.mkdir(exist_ok=True)
    # The system gives the lock back when the process ends, however it ends.
    with (state / "run.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            _, owner = _owner_of(folder)
            raise _at_work(owner or "it has just begun") from None
        yield list(_take_over(folder))


@contextmanager
def owned(folder: Path) -> Iterator[dict[str, str]]:
    """Record this process as owner of the locks of a Snakemake, which is given its environment."""
    here, since = socket.gethostname(), f"{datetime.now():%Y-%m-%d %H:%M:%S}"
    owner = f"process {os.getpid()} on {here}, since {since}"
    (folder / LOCKS).mkdir(parents=True, exist_ok=True)
    write_whole(folder / OWNER, f"{here}\n{owner}")
    try:
        yield os.environ | {MARK: owner}
    finally:
        # A killed Snakemake leaves its lock behind a starter that lives.
        if not _is_locked(folder):
            (folder / OWNER).unlink(missing_ok=True)


def _take_over(folder: Path) -> Iterator[str]:
    """Free a folder of what a killed run has left: its jobs that still write, and its lock."""
    (host, owner), locked = _owner_of(folder), _is_locked(folder)
    if owner and host != socket.gethostname():
        problem = f"the folder is in use by a run on another machine ({owner})"
        raise FolderInUse(problem, f"wait for it; if it is dead, {_UNLOCK}")
    for pid in _snakemakes(folder):
        raise _at_work(f"process {pid}")
    if not owner:
        if locked:
            problem = "the folder is locked, and nothing says by which run"
            raise FolderInUse(problem, f"if no run is at work, {_UNLOCK}")
        return
    for pid in _end_jobs(owner):
        yield f"Job of a killed run is ended (process {pid})."
    if locked:
        yield f"The lock of a killed run ({owner}) is taken over."
    shutil.rmtree(folder / LOCKS)


def _at_work(process: str) -> FolderInUse:
    return FolderInUse(f"a run is at work here ({process})", "wait for it, or end it")


def _is_locked(folder: Path) -> bool:
    return any((folder / LOCKS).glob("*.lock"))


def _owner_of(folder: Path) -> tuple[str, str]:
    """Return the machine of the owner, and what it is called; empty where no record can be read."""
    try:
        host, _, owner = (folder / OWNER).read_text("utf-8").partition("\n")
    except (OSError, UnicodeError):
        return "", ""
    return host, owner


def _snakemakes(folder: Path) -> Iterator[int]:
    """Find runs of Snakemake in a folder whose starter left no record, or is gone."""
    for process in psutil.process_iter(["cmdline", "cwd"]):
        named = any(Path(part).name == "snakemake" for part in (process.info["cmdline"] or ())[:3])
        if named and process.info["cwd"] == str(folder.resolve()):
            yield process.pid


def _end_jobs(owner: str) -> list[int]:
    jobs = [
        process
        for process in psutil.process_iter(["environ"])
        if (process.info["environ"] or {}).get(MARK) == owner
    ]
    for job in jobs:
        with suppress(psutil.NoSuchProcess):
            job.kill()
    psutil.wait_procs(jobs, timeout=10)
    return [job.pid for job in jobs]
