"""Run the workflow in this folder, or verify what it has made.

    python tools/launch.py [--paper NAME] [--verbose] [TARGET ...] [-- SNAKEMAKE-OPTION ...]
    python tools/launch.py --verify [--paper NAME] [TARGET ...] [-- SNAKEMAKE-OPTION ...]

Without a target everything is made, or verified; with --paper a target is that of the paper, by
default all of it. Before a run, the lock of a run that was killed is taken over, and files that are
not what their jobs recorded are made again. A run shows what lands, and at its end what there is;
--verbose is Snakemake's own screen.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from llm_power._documents import read_yaml
from llm_power._errors import LLMPowerError, message_at
from replication.paper import folders_of
from replication.records import Ledger
from replication.run_owner import FolderInUse, alone, owned
from replication.screen import last_screen
from replication.stages import undefined_among

ROOT = Path()
SNAKEMAKE = str(Path(sys.executable).with_name("snakemake"))
SHOWN = 20


class RunFailed(Exception):
    """The arguments are Snakemake's exit code, and what it says if the screen has not got it."""


@dataclass(frozen=True)
class Run:
    """What Snakemake is called with."""

    targets: Sequence[str]
    options: Sequence[str]
    # Whether Snakemake has its own screen.
    verbose: bool = False

    def snakemake(self, targets: Sequence[str]) -> None:
        """Make the targets; the lock is this process's."""
        screen = [] if self.verbose else ["--logger", "exhibits"]
        # Targets come first: the option --config takes whatever follows it.
        # A job that fails stops only what is made from its files.
        command = [SNAKEMAKE, *targets, *self.options, "--keep-going", *screen]
        with owned(ROOT) as environment:
            code = _outlived(subprocess.Popen(command, env=environment))
        if code < 0:
            print(f"error: Snakemake was ended by signal {-code}: run it again.", file=sys.stderr)
        if code:
            raise RunFailed(code if code > 0 else 128 - code)

    def asked(self, *arguments: str) -> list[str]:
        """Return what Snakemake says of the workflow, line by line."""
        command = [SNAKEMAKE, *arguments, *self.options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RunFailed(done.returncode, done.stderr)
        return done.stdout.splitlines()

    @cached_property
    def known_files(self) -> set[str]:
        """Every file that the rules behind the targets make."""
        return {line.split("\t")[0] for line in self.asked(*self.targets, "--summary")[1:]}

    def near_names(self) -> Iterator[str]:
        """Say of each target that is none which ones have names like it."""
        names = [line.split(" ")[0] for line in self.asked("--list-target-rules")]
        for target in self.targets:
            if target.isidentifier() and target not in names:
                near = ", ".join(get_close_matches(target, names, n=5)) or "none is named like it"
                yield f"error: there is no target {target}. Near: {near}."


def _outlived(running: subprocess.Popen[bytes]) -> int:
    """Wait for a process: Ctrl-C reaches it from the terminal, a request to end from here."""
    handlers = {signal.SIGINT: lambda *_: None, signal.SIGTERM: lambda *_: running.terminate()}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        return running.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def heal(run: Run) -> None:
    """Make again exactly what is not as it was recorded."""
    healed: set[str] = set()
    while True:
        ledger = Ledger.read(ROOT)
        for path in ledger.unreadable:
            (ROOT / path).unlink()
        # What the targets do not need is left as it is, and so are strangers among the results.
        damage = {
            one: {path for path in ledger.damaged_by(one) if path in run.known_files}
            for one in ledger.differences()
        }
        files = ledger.first_of({path for paths in damage.values() for path in paths})
        if not files:
            return
        if again := ", ".join(sorted(healed & set(files))):
            raise LLMPowerError(message_at({}, f"{again}: no job has recorded it", "make clean"))
        healed |= set(files)
        print_first(
            f"{one.problem}: made again."
            for one, paths in damage.items()
            if not paths.isdisjoint(files)
        )
        for file in files:
            (ROOT / file).unlink(missing_ok=True)
        run.snakemake(files)


def ask_again(run: Run) -> None:
    """Ask the hub again for the files of models that it did not have."""
    hub = read_yaml(ROOT / "config.yaml").get("hub", {})
    there = map(str, Path(hub.get("folder", "downloads")).rglob("*.*"))
    absent = (path for path in there if undefined_among([path]))
    if files := sorted(path for path in absent if path in run.known_files):
        run.snakemake(["--force", *files])


def verify(run: Run) -> int:
    """Name every result behind the targets that is not what the run made; return the exit code."""
    ledger = Ledger.read(ROOT)
    if run.targets:
        ledger = replace(ledger, records=tuple(ledger.behind(run.known_files)))
    differences = [
        one
        for one in ledger.differences()
        if one.kind != "unrecorded" or one.path in run.known_files
    ]
    for difference in differences:
        print(difference.problem)
    n_files, n_jobs = len(ledger.makers), len(ledger.records)
    if not differences and n_jobs:
        print(f"All {n_files} files are what their {n_jobs} jobs made.")
        return 0
    counts = f"{len(differences)} differences in {n_files} files of {n_jobs} jobs"
    print(f"error: {counts}. Remedy: make reproduce.", file=sys.stderr)
    return 1


def print_first(messages: Iterable[str]) -> None:
    """Print lines, but no more than a reader wants."""
    lines = list(messages)
    more = [f"... and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    for line in (*lines[:SHOWN], *more):
        print(line, file=sys.stderr)


def last_log() -> Path | None:
    """Return the file of all that Snakemake said last."""
    return max((ROOT / ".snakemake" / "log").glob("*.log"), default=None)


def make(run: Run, whole: Sequence[str]) -> None:
    """Heal the folder, make the targets, and say at the end what there is of whole papers."""
    began = time.monotonic()
    with alone(ROOT) as left:
        print_first(left)
        heal(run)
        ask_again(run)
        run.snakemake(run.targets)
        if not run.verbose:
            lines = last_screen(whole, seconds=time.monotonic() - began, log=last_log())
            print("\n".join(["", *lines]), flush=True)


def named(targets: Sequence[str], paper: str | None) -> tuple[list[str], list[str]]:
    """Return the targets as Snakemake has them, and the folders of papers that are made whole."""
    folders = folders_of(ROOT, str(read_yaml(ROOT / "config.yaml")["paper"]))
    if paper is not None and paper not in folders:
        remedy = f"name one of {', '.join(folders)}, or write data/{paper}/paper.yaml"
        raise LLMPowerError(message_at({}, f"there is no paper {paper}", remedy))
    if paper is None:
        return list(targets), [] if targets else list(folders.values())
    prefix = f"{paper}_" if folders[paper] else ""
    whole = [] if targets else [folders[paper]]
    return [prefix + target for target in targets or ["paper"]], whole


def main(arguments: Sequence[str]) -> int:
    """Return the exit code: Snakemake's, 1 for a file that differs, 75 for a folder in use."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--paper")
    parser.add_argument("targets", nargs="*")
    chosen = parser.parse_args(arguments[:at])
    run = None
    try:
        targets, whole = named(chosen.targets, chosen.paper)
        run = Run(targets, arguments[at + 1 :], chosen.verbose)
        if chosen.verify:
            return verify(run)
        make(run, whole)
        return 0
    except RunFailed as failed:
        print_first(map(str, failed.args[1:]))
        # Where the rules do not load, Snakemake knows no target.
        with suppress(RunFailed):
            print_first(run.near_names() if run and run.targets else [])
        print(f"Snakemake's log is {last_log()}", file=sys.stderr)
        return int(failed.args[0])
    except LLMPowerError as error:
        print(f"error: {error}", file=sys.stderr)
        return os.EX_TEMPFAIL if isinstance(error, FolderInUse) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
