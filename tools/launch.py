"""Run the workflow in this folder, or verify what it has made.

    python tools/launch.py [PAPER] [--verbose] [TARGET ...] [-- SNAKEMAKE-OPTION ...]
    python tools/launch.py [PAPER] --verify [-- SNAKEMAKE-OPTION ...]

PAPER is --paper NAME, or --every; otherwise it is the paper that config.yaml names. Before a run,
the lock of a run that was killed is taken over, and files that are not what their jobs recorded
are made again. A run shows what lands, and at its end what there is; --verbose is Snakemake's own
screen.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import FrameType

from llm_power.errors import LLMPowerError, message_at
from replication.last_screen import in_all, last_screen
from replication.papers import environment_of, folder_of, papers_of, settle
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
    """Snakemake has said why; the arguments are its exit code and its folder."""


@dataclass(frozen=True)
class Run:
    """What Snakemake is called with.

    Attributes
    ----------
    folder : Path
        Where it works.
    targets, options : sequence of str
        Its arguments.
    owner : Owner
        This process.
    verbose : bool
        Whether Snakemake has its own screen.
    """

    folder: Path
    targets: Sequence[str]
    options: Sequence[str]
    owner: Owner
    verbose: bool = False

    @property
    def command(self) -> list[str | Path]:
        """Snakemake, in the folder of the run; targets come before the options."""
        if self.folder == ROOT:
            return [SNAKEMAKE]
        snakefile = self.folder / "Snakefile"
        return [SNAKEMAKE, "--directory", self.folder, "--snakefile", snakefile]

    @property
    def place(self) -> str:
        """What its messages begin with where it is not in the clone itself."""
        return "" if self.folder == ROOT else f"{self.folder}: "

    @property
    def environment(self) -> dict[str, str]:
        """What its processes know the run by, and where data are."""
        variables = os.environ | {MARK: self.owner.mark}
        return environment_of(ROOT, self.folder, variables)

    def snakemake(self, targets: Sequence[str]) -> None:
        """Make the targets; the lock is this process's."""
        write_owner(self.folder, self.owner)
        screen = [] if self.verbose else ["--logger", "exhibits"]
        try:
            # Targets come first: the option --config takes whatever follows it.
            command = [*self.command, *targets, *self.options, *screen]
            running = subprocess.Popen(command, env=self.environment)
            with _passing_signals_on(running):
                code = running.wait()
        finally:
            forget_owner(self.folder)
        if code < 0:
            print(f"error: Snakemake was ended by signal {-code}: run it again.", file=sys.stderr)
        if code:
            raise RunFailed(code if code > 0 else 128 - code, self.folder)

    @cached_property
    def known_files(self) -> set[str]:
        """Every file that the rules behind the targets make."""
        done = subprocess.run(
            [*self.command, *self.targets, *self.options, "--summary"],
            capture_output=True,
            text=True,
            check=False,
            env=self.environment,
        )
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            raise RunFailed(done.returncode, self.folder)
        return {line.split("\t")[0] for line in done.stdout.splitlines()[1:]}


@contextmanager
def _passing_signals_on(*running: subprocess.Popen[bytes]) -> Iterator[None]:
    """Outlive them: Ctrl-C reaches them from the terminal, a request to end from here."""

    def pass_on(number: int, frame: FrameType | None) -> None:
        for one in running:
            one.terminate()
        if callable(before):
            before(number, frame)

    interrupt = signal.signal(signal.SIGINT, lambda *_: None)
    before = signal.signal(signal.SIGTERM, pass_on)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, interrupt)
        signal.signal(signal.SIGTERM, before)


def heal(run: Run) -> None:
    """Make again exactly what is not as it was recorded."""
    told: set[str] = set()
    while True:
        ledger = Ledger.read(run.folder)
        for path in ledger.unreadable:
            (run.folder / path).unlink()
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
            f"{run.place}{one.problem}: made again."
            for one in found
            if one.path in files or (one.kind == "input" and one.job in makers)
        )
        for file in files:
            (run.folder / file).unlink(missing_ok=True)
        run.snakemake(files)


def verify(run: Run) -> int:
    """Name every result that is not what the run made; return the exit code."""
    ledger = Ledger.read(run.folder)
    found = ledger.differences()
    if any(one.kind == "unrecorded" for one in found):
        found = [one for one in found if one.kind != "unrecorded" or one.path in run.known_files]
    for difference in found:
        print(f"{run.place}{difference.problem}")
    if found or not ledger.records:
        print(
            f"error: {run.place}{len(found)} differences in {len(ledger.makers)} files of "
            f"{len(ledger.records)} jobs. Remedy: make reproduce.",
            file=sys.stderr,
        )
        return 1
    made = f"All {len(ledger.makers)} files are what their {len(ledger.records)} jobs made."
    print(f"{run.place}{made}")
    return 0


def tell(messages: Iterable[str]) -> None:
    """Print lines, but no more than a reader wants."""
    lines = list(messages)
    for line in lines[:SHOWN]:
        print(line, file=sys.stderr)
    if len(lines) > SHOWN:
        print(f"... and {len(lines) - SHOWN} more", file=sys.stderr)


def last_log(folder: Path) -> Path | None:
    """Return the file of all that Snakemake said last in a folder."""
    return max((folder / ".snakemake" / "log").glob("*.log"), default=None)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other calls of this program out of the folder until this process is gone."""
    state = folder / ".snakemake"
    state.mkdir(exist_ok=True)
    with (state / "run.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise FolderInUse(
                message_at({}, "a run is at work here", "wait for it, or end it")
            ) from None
        tell(take_over(folder))
        yield


def make(run: Run) -> None:
    """Heal the folder of a run, make its targets, and say at the end what there is."""
    began = time.monotonic()
    with alone(run.folder):
        heal(run)
        run.snakemake(run.targets)
        if not run.verbose:
            seconds, log = time.monotonic() - began, last_log(run.folder)
            lines = last_screen(run.folder, whole=not run.targets, seconds=seconds, log=log)
            print("\n".join(["", *lines]), flush=True)


@contextmanager
def beside(papers: Sequence[str], arguments: Sequence[str]) -> Iterator[list[int]]:
    """Make other papers meanwhile, each by a call of this program; show then what each said.

    They take what the first leaves of the cores, for it often waits for a single job. The list has
    their exit codes at the end.
    """
    codes: list[int] = []
    with ExitStack() as stack:
        said = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in papers]
        call = ["nice", sys.executable, __file__, "--paper"]
        runs = [
            subprocess.Popen([*call, paper, *arguments], stdout=file, stderr=subprocess.STDOUT)
            for paper, file in zip(papers, said, strict=True)
        ]
        stack.enter_context(_passing_signals_on(*runs))
        try:
            yield codes
        finally:
            codes += [run.wait() for run in runs]
            for paper, file in zip(papers, said, strict=True):
                file.seek(0)
                print(f"\n{folder_of(ROOT, paper)}:\n{file.read()}", end="", flush=True)


def main(arguments: Sequence[str]) -> int:
    """Return the exit code: Snakemake's, 1 for a file that differs, 75 for a folder in use."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    papers = parser.add_mutually_exclusive_group()
    papers.add_argument("--paper")
    papers.add_argument("--every", action="store_true")
    parser.add_argument("targets", nargs="*")
    chosen = parser.parse_args(arguments[:at])
    owner = Owner.this_process()
    try:
        every = papers_of(ROOT)
        names = every if chosen.every else [chosen.paper or every[0]]
        if chosen.verify and chosen.every:
            names = [name for name in names if folder_of(ROOT, name).is_dir()]
        # All before the first: the page of each names the others.
        folders = [settle(ROOT, name) for name in names]
        runs = [
            Run(folder, chosen.targets, arguments[at + 1 :], owner, chosen.verbose)
            for folder in folders
        ]
        if chosen.verify:
            return max(map(verify, runs))
        began = time.monotonic()
        with beside(names[1:], [one for one in arguments if one != "--every"]) as codes:
            make(runs[0])
        if codes:
            print("\n".join(["", *in_all(time.monotonic() - began)]))
        return max(codes, default=0)
    except RunFailed as failed:
        code, folder = failed.args
        print(f"Snakemake's log is {last_log(folder)}", file=sys.stderr)
        return int(code)
    except LLMPowerError as error:
        print(f"error: {error}", file=sys.stderr)
        return os.EX_TEMPFAIL if isinstance(error, FolderInUse) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
