"""The owner of a folder's lock: a living run, a killed one, or one on another machine."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import psutil

from llm_power._errors import LLMPowerError, message_at
from llm_power._files import write_whole

# Snakemake removes the folder of its locks when a run ends, and this record with it.
LOCKS: Final = Path(".snakemake", "locks")
# Every process of a run inherits it, so that jobs are known when nothing else of the run is left.
MARK: Final = "LLM_POWER_RUN"
_OWNER: Final = "owner.json"
_UNLOCK: Final = ".venv/bin/snakemake --unlock"


class FolderInUse(LLMPowerError):
    """Another run has the folder, or may have it."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that started a run, which it outlives only by being killed."""

    host: str
    pid: int
    since: str
    # What the environment of all processes of the run holds.
    mark: str

    @classmethod
    def this_process(cls) -> Owner:
        """Return this process, with a new mark."""
        since = f"{datetime.now():%Y-%m-%d %H:%M:%S}"
        return cls(socket.gethostname(), os.getpid(), since, secrets.token_hex(16))

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, since {self.since}"


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
            owner = _read_owner(folder)
            raise _at_work(str(owner) if owner else "it has just begun") from None
        yield take_over(folder)


def write_owner(folder: Path, owner: Owner) -> None:
    """Record the owner of the locks that a run is about to take."""
    place = folder / LOCKS / _OWNER
    place.parent.mkdir(parents=True, exist_ok=True)
    write_whole(place, json.dumps(asdict(owner)))


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
    for pid in _snakemakes(folder):
        raise _at_work(f"process {pid}")
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


def _at_work(process: str) -> FolderInUse:
    return _in_use(f"a run is at work here ({process})", "wait for it, or end it")


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
