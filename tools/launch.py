"""Run the workflow in this folder, or verify what it has made.

    python tools/launch.py [--verbose] [TARGET ...] [-- SNAKEMAKE-OPTION ...]
    python tools/launch.py --verify [-- SNAKEMAKE-OPTION ...]

Before a run, the lock of a run that was killed is taken over, and files that are not what their
jobs recorded are made again. A run shows what lands, and at its end what there is; --verbose is
Snakemake's own screen.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from llm_power.errors import LLMPowerError, message_at
from replication.last_screen import last_screen
from replication.records import Ledger
from replication.run_owner import (
    MARK,
    FolderInUse,
    Owner,
    forget_owner,
    take_over,
    write_owner,
)

ROOT = Path()
SNAKEMAKE = Path(sys.executable).with_name("snakemake")
SHOWN = 20


class RunFailed(Exception):
    """Snakemake has said why; the one argument is its exit code."""


@dataclass(frozen=True)
class Run:
    """What Snakemake is called with.

    Attributes
    ----------
    targets, options : sequence of str
        Its arguments.
    owner : Owner
        This process.
    verbose : bool
        Whether Snakemake has its own screen.
    """

    targets: Sequence[str]
    options: Sequence[str]
    owner: Owner
    verbose: bool = False

    def snakemake(self, targets: Sequence[str]) -> None:
        """Make the targets; the lock is this process's."""
        write_owner(ROOT, self.owner)
        environment = os.environ | {MARK: self.owner.mark}
        screen = [] if self.verbose else ["--logger", "exhibits"]
        try:
            with _passing_signals_on(
                # Targets come first: the option --config takes whatever follows it.
                subprocess.Popen([SNAKEMAKE, *targets, *self.options, *screen], env=environment)
            ) as running:
                code = running.wait()
        finally:
            forget_owner(ROOT)
        if code < 0:
            print(f"error: Snakemake was ended by signal {-code}: run it again.", file=sys.stderr)
        if code:
            raise RunFailed(code if code > 0 else 128 - code)

    @cached_property
    def known_files(self) -> set[str]:
        """Every file that the rules behind the targets make."""
        command: list[Path | str] = [SNAKEMAKE, *self.targets, *self.options, "--summary"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            raise RunFailed(done.returncode)
        return {line.split("\t")[0] for line in done.stdout.splitlines()[1:]}


@contextmanager
def _passing_signals_on(running: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """Outlive Snakemake: Ctrl-C reaches it from the terminal, a request to end from here."""
    before = [
        (signal.SIGINT, signal.signal(signal.SIGINT, lambda *_: None)),
        (signal.SIGTERM, signal.signal(signal.SIGTERM, lambda *_: running.terminate())),
    ]
    try:
        yield running
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def heal(run: Run) -> None:
    """Make again exactly what is not as it was recorded."""
    told: set[str] = set()
    while True:
        ledger = Ledger.read(ROOT)
        for path in ledger.unreadable:
            (ROOT / path).unlink()
        found = ledger.differences()
        damaged = ledger.damaged(found)
        # What the targets do not need is left as it is, and so are strangers among the results.
        files = ledger.first_of(damaged & run.known_files) if damaged else []
        if not files:
            return
        if told & set(files):
            again = ", ".join(sorted(told & set(files)))
            raise LLMPowerError(message_at({}, f"{again}: no job has recorded it", "make clean"))
        told |= set(files)
        makers = {ledger.makers[file].job for file in files if file in ledger.makers}
        tell(
            f"{one.problem}: made again."
            for one in found
            if one.path in files or (one.kind == "input" and one.job in makers)
        )
        for file in files:
            (ROOT / file).unlink(missing_ok=True)
        run.snakemake(files)


def verify(run: Run) -> int:
    """Name every result that is not what the run made; return the exit code."""
    ledger = Ledger.read(ROOT)
    found = ledger.differences()
    if any(one.kind == "unrecorded" for one in found):
        found = [one for one in found if one.kind != "unrecorded" or one.path in run.known_files]
    for difference in found:
        print(difference.problem)
    if found or not ledger.records:
        print(
            f"error: {len(found)} differences in {len(ledger.makers)} files of "
            f"{len(ledger.records)} jobs. Remedy: make reproduce.",
            file=sys.stderr,
        )
        return 1
    print(f"All {len(ledger.makers)} files are what their {len(ledger.records)} jobs made.")
    return 0


def tell(messages: Iterable[str]) -> None:
    """Print lines, but no more than a reader wants."""
    lines = list(messages)
    for line in lines[:SHOWN]:
        print(line, file=sys.stderr)
    if len(lines) > SHOWN:
        print(f"... and {len(lines) - SHOWN} more", file=sys.stderr)


def last_log() -> Path | None:
    """Return the file of all that Snakemake said last."""
    return max((ROOT / ".snakemake" / "log").glob("*.log"), default=None)


@contextmanager
def alone() -> Iterator[None]:
    """Keep other calls of this program out of the folder until this process is gone."""
    state = ROOT / ".snakemake"
    state.mkdir(exist_ok=True)
    with (state / "run.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise FolderInUse(
                message_at({}, "a run is at work here", "wait for it, or end it")
            ) from None
        tell(take_over(ROOT))
        yield


def main(arguments: Sequence[str]) -> int:
    """Return the exit code: Snakemake's, 1 for a file that differs, 75 for a folder in use."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("targets", nargs="*")
    chosen = parser.parse_args(arguments[:at])
    run = Run(chosen.targets, arguments[at + 1 :], Owner.this_process(), chosen.verbose)
    began = time.monotonic()
    try:
        if chosen.verify:
            return verify(run)
        with alone():
            heal(run)
            run.snakemake(run.targets)
            if not run.verbose:
                seconds = time.monotonic() - began
                lines = last_screen(ROOT, whole=not run.targets, seconds=seconds, log=last_log())
                print("\n".join(["", *lines]))
    except RunFailed as failed:
        print(f"Snakemake's log is {last_log()}", file=sys.stderr)
        return int(failed.args[0])
    except LLMPowerError as error:
        print(f"error: {error}", file=sys.stderr)
        return os.EX_TEMPFAIL if isinstance(error, FolderInUse) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
