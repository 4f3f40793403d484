"""The owner of a folder's lock: a living run, a killed one, or one on another machine."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import psutil

from llm_power.errors import LLMPowerError, message_at

# Snakemake removes the folder of its locks when a run ends, and this record with it.
LOCKS: Final = Path(".snakemake", "locks")
# Every process of a run inherits it, so that jobs are known when nothing else of the run is left.
MARK: Final = "LLM_POWER_RUN"
_OWNER: Final = "owner.json"
_UNLOCK: Final = ".venv/bin/snakemake --unlock"
# The start of a process is counted from the machine's, which a corrected clock moves.
_CLOCK_MOVES: Final = 2.0


class FolderInUse(LLMPowerError):
    """Another run has the folder, or may have it."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that started a run."""

    host: str
    pid: int
    # When it started, in seconds since 1970; a number alone is given out again.
    started: float
    # What the environment of all processes of the run holds.
    mark: str

    @classmethod
    def this_process(cls) -> Owner:
        """Return this process, with a new mark."""
        started = psutil.Process().create_time()
        return cls(socket.gethostname(), os.getpid(), started, secrets.token_hex(16))

    @property
    def is_alive(self) -> bool:
        """Whether the process still runs, on this machine."""
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started) < _CLOCK_MOVES
            return bool(same and process.status() != psutil.STATUS_ZOMBIE)
        except psutil.NoSuchProcess:
            return False

    def __str__(self) -> str:
        since = datetime.fromtimestamp(self.started).astimezone()
        return f"process {self.pid} on {self.host}, since {since:%Y-%m-%d %H:%M:%S}"


def write_owner(folder: Path, owner: Owner) -> None:
    """Record the owner of the locks that a run is about to take."""
    place = folder / LOCKS / _OWNER
    place.parent.mkdir(parents=True, exist_ok=True)
    unfinished = place.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(asdict(owner)), encoding="utf-8")
    os.replace(unfinished, place)


def forget_owner(folder: Path) -> None:
    """Remove the record of a run that has ended, unless a killed Snakemake left its lock."""
    if not _locks(folder):
        (folder / LOCKS / _OWNER).unlink(missing_ok=True)


def take_over(folder: Path) -> list[str]:
    """Free a folder of what a killed run has left: its jobs that still write, and its lock."""
    owner, locks = _read_owner(folder), _locks(folder)
    if owner is not None and owner.host != socket.gethostname():
        problem = f"the folder is in use by a run on another machine ({owner})"
        raise _in_use(problem, f"wait for it; if it is dead, {_UNLOCK}")
    alive = [str(owner)] if owner is not None and owner.is_alive else []
    for process in (*alive, *(f"process {pid}" for pid in _snakemakes(folder))):
        raise _in_use(f"a run is at work here ({process})", "wait for it, or end it")
    if owner is None:
        if locks:
            problem = "the folder is locked, and nothing says by which run"
            raise _in_use(problem, f"if no run is at work, {_UNLOCK}")
        return []
    lines = [f"Job of a killed run is ended (process {pid})." for pid in _end_jobs(owner.mark)]
    if locks:
        lines.append(f"The lock of a killed run ({owner}) is taken over.")
    shutil.rmtree(folder / LOCKS)
    return lines


def _in_use(problem: str, remedy: str) -> FolderInUse:
    return FolderInUse(message_at({}, problem, remedy))


def _locks(folder: Path) -> list[Path]:
    return list((folder / LOCKS).glob("*.lock"))


def _read_owner(folder: Path) -> Owner | None:
    try:
        return Owner(**json.loads((folder / LOCKS / _OWNER).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def _snakemakes(folder: Path) -> Iterator[int]:
    """Find runs of Snakemake in a folder whose starter left no record, or is gone."""
    for process in psutil.process_iter(["cmdline", "cwd"]):
        named = any(Path(part).name == "snakemake" for part in (process.info["cmdline"] or ())[:3])
        if named and process.info["cwd"] == str(folder.resolve()):
            yield process.pid


def _end_jobs(mark: str) -> list[int]:
    jobs = [
        process
        for process in psutil.process_iter(["environ"])
        if (process.info["environ"] or {}).get(MARK) == mark
    ]
    for job in jobs:
        with suppress(psutil.NoSuchProcess):
            job.kill()
    psutil.wait_procs(jobs, timeout=10)
    return [job.pid for job in jobs]
