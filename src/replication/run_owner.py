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

# Snakemake's own, which it removes when it ends.
LOCKS: Final = Path(".snakemake", "locks")
# Held by a run; the machine and the process of the last one, unless it ended in order, are in it.
HELD: Final = Path(".snakemake", "run.lock")
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
    (folder / HELD).parent.mkdir(exist_ok=True)
    with (folder / HELD).open("a+", encoding="utf-8", errors="replace") as file:
        file.seek(0)
        host, _, owner = file.read().partition("\n")
        try:
            # The system gives the lock back when the process ends, however it ends.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise _at_work(owner or "it has just begun") from None
        left = list(_take_over(folder, host, owner))
        here, since = socket.gethostname(), f"{datetime.now():%Y-%m-%d %H:%M:%S}"
        os.environ[MARK] = f"process {os.getpid()} on {here}, since {since}"
        file.truncate(0)
        file.write(f"{here}\n{os.environ[MARK]}")
        file.flush()
        try:
            yield left
        finally:
            # A killed Snakemake leaves its lock behind a starter that lives.
            if not _is_locked(folder):
                file.truncate(0)


def _take_over(folder: Path, host: str, owner: str) -> Iterator[str]:
    """Free a folder of what a killed run has left: its jobs that still write, and its lock."""
    for pid in _snakemakes(folder):
        raise _at_work(f"process {pid}")
    if not _is_locked(folder):
        return
    if not owner:
        problem = "the folder is locked, and nothing says by which run"
        raise FolderInUse(problem, f"if no run is at work, {_UNLOCK}")
    if host != socket.gethostname():
        problem = f"the folder is in use by a run on another machine ({owner})"
        raise FolderInUse(problem, f"wait for it; if it is dead, {_UNLOCK}")
    for pid in _end_jobs(owner):
        yield f"Job of a killed run is ended (process {pid})."
    shutil.rmtree(folder / LOCKS)
    yield f"The lock of a killed run ({owner}) is taken over."


def _at_work(process: str) -> FolderInUse:
    return FolderInUse(f"a run is at work here ({process})", "wait for it, or end it")


def _is_locked(folder: Path) -> bool:
    return any((folder / LOCKS).glob("*.lock"))


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
