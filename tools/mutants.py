"""Report the share of sampled code mutants that the tests kill, package by package.

    python tools/mutants.py [--count 500] [--seed 0] [--only DIRECTORY] [--output build/mutants]

Coverage says which tests run a line. Each mutant is tested by those alone, in a copy of the clone,
first by those that run the fewest lines, until one fails or its time is up, in seconds of the
processor. A whole run makes again what the mutant changes, and tests of it judge what no other
test detects. A mutant of a line that no test runs survives. Each is written to mutants.csv as soon
as its fate is known, and an interrupted run continues.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import astuple, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

import cosmic_ray.plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from coverage import CoverageData

ROOT: Final = Path(__file__).resolve().parents[1]
# Tests look for programs beside their own interpreter; what they lack there is on the path.
_PYTHON: Final = ROOT / ".venv" / "bin" / "python"
_PACKAGES: Final = sysconfig.get_path("purelib")
# Of the processor, so that no survivor hangs on a busy machine; of the clock, for one that sleeps.
SECONDS: Final = 60
_CLOCK: Final = 1200
_LIMITED: Final = ("sh", "-c", 'ulimit -S -t "$0"; exec "$@"', str(SECONDS), _PYTHON, "-m")
_NO_TESTS: Final = 5
_TEST: Final = (*_LIMITED, "pytest", "-x", "-q", "-p", "no:cacheprovider")
# Annotations are not evaluated, and a decorator's loss is often none (cache, overload).
_ANNOTATIONS: Final = ("annassign", "tfpdef", "->")
# The parents of a star or slash that says how arguments are passed, and computes nothing.
_SIGNATURES: Final = ("parameters", "param", "lambdef")
_LEFT_OUT: Final = ("RemoveDecorator", "VariableReplacer", "VariableInserter")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one operator of one file."""

    file: str
    line: int
    operator: str
    occurrence: int

    @property
    def package(self) -> str:
        """The folder below src that the share is reported for."""
        return "/".join(self.file.split("/")[1:-1])


def main(arguments: Sequence[str]) -> None:
    """Sample mutants, test each, and write and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="src")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "mutants")
    chosen = parser.parse_args(arguments)
    chosen.output.mkdir(parents=True, exist_ok=True)
    covering = covering_tests(chosen.output)
    mutants = sampled(positions(chosen.only), chosen.count, chosen.seed)
    known = known_fates(chosen.output)
    fates = {mutant: known[mutant] for mutant in mutants if mutant in known}
    with (chosen.output / "mutants.csv").open("a", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        left = [mutant for mutant in mutants if mutant not in fates]
        for mutant, fate in judged(left, covering, chosen.output):
            fates[mutant] = fate
            table.writerow([*astuple(mutant), fate])
            file.flush()
    print("\n".join(report(fates)))


def known_fates(folder: Path) -> dict[Mutant, str]:
    """Return what an interrupted run of this tool has written."""
    path = folder / "mutants.csv"
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return {Mutant(row[0], int(row[1]), row[2], int(row[3])): row[4] for row in rows}


def positions(folder: str) -> dict[tuple[str, tuple[int, int]], list[Mutant]]:
    """Return the mutants of every place of the code, by file and position."""
    operators = {
        name: cosmic_ray.plugins.get_operator(name)()
        for name in sorted(cosmic_ray.plugins.operator_names())
        if not name.endswith(_LEFT_OUT)
    }
    mutants: dict[tuple[str, tuple[int, int]], list[Mutant]] = defaultdict(list)
    for path in sorted((ROOT / folder).rglob("*.py")):
        file = str(path.relative_to(ROOT))
        tree = get_ast(path.read_text(encoding="utf-8"))
        nodes = list(ast_nodes(tree))
        for name, operator in operators.items():
            places = ((n, start) for n in nodes for start, _ in operator.mutation_positions(n))
            for occurrence, (node, start) in enumerate(places):
                if not (_is_annotation(node) or _is_signature_mark(node) or _is_dotted(node)):
                    mutants[file, start].append(Mutant(file, start[0], name, occurrence))
    return mutants


def _is_annotation(node: object) -> bool:
    while (parent := getattr(node, "parent", None)) is not None:
        if parent.type in _ANNOTATIONS[:2]:
            return parent.children[0] is not node and "=" not in parent.children[2:]
        if parent.type == "funcdef":
            return getattr(node.get_previous_sibling(), "value", "") == _ANNOTATIONS[2]  # type: ignore[attr-defined]
        node = parent
    return False


def _is_signature_mark(node: Any) -> bool:
    return node.type == "operator" and node.parent.type in _SIGNATURES


def _is_dotted(node: Any) -> bool:
    # Cosmic Ray replaces the dot, or stops.
    return node.type == "except_clause" and "." in node.get_code()


def sampled(
    places: Mapping[tuple[str, tuple[int, int]], Sequence[Mutant]], count: int, seed: int
) -> list[Mutant]:
    """Return mutants of places drawn without replacement, one a place."""
    draw = random.Random(seed)
    chosen = draw.sample(sorted(places), min(count, len(places)))
    return [draw.choice(places[place]) for place in chosen]


def covering_tests(folder: Path) -> CoverageData:
    """Run the tests that are not slow, and return which of them run each line."""
    data = folder / "coverage"
    if not data.is_file():
        context = ["--cov=src", "--cov-context=test", "--cov-report="]
        run = ["-m", "not slow", "--numprocesses=2", "--dist=loadfile"]
        subprocess.run(
            [_PYTHON, "-m", "pytest", "-q", *context, *run],
            cwd=ROOT,
            env=os.environ | {"COVERAGE_FILE": str(data), "PYTHONPATH": _PACKAGES},
            check=True,
        )
    coverage = CoverageData(str(data))
    coverage.read()
    return coverage


def lines_of_tests(covering: CoverageData) -> Counter[str]:
    """Return how many lines of src each test runs."""
    lines: Counter[str] = Counter()
    for file in covering.measured_files():
        for names in covering.contexts_by_lineno(file).values():
            lines.update({name.split("|")[0] for name in names})
    return lines


def judged(
    mutants: Sequence[Mutant], covering: CoverageData, folder: Path
) -> Iterator[tuple[Mutant, str]]:
    """Yield mutants as their fates are known: killed, survived, hung (out of time) or uncovered."""
    lines, finished = lines_of_tests(covering), finished_run(folder / "finished")
    copies: SimpleQueue[Path] = SimpleQueue()
    workers = os.cpu_count() or 1
    for number in range(workers):
        copies.put(_copy(folder / f"copy-{number}"))

    def fate(mutant: Mutant) -> str:
        tests = _tests_of(mutant, covering)
        if not tests and not _in_runs(mutant):
            return "uncovered"
        copy = copies.get()
        try:
            return _test(copy, finished, mutant, sorted(tests, key=lambda t: (lines[t], t)))
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(workers) as pool:
        running = {pool.submit(fate, mutant): mutant for mutant in mutants}
        try:
            for done in as_completed(running):
                yield running[done], done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _tests_of(mutant: Mutant, covering: CoverageData) -> set[str]:
    by_line = covering.contexts_by_lineno(str(ROOT / mutant.file))
    tests = {name.split("|")[0] for name in by_line.get(mutant.line, ())}
    if not tests - {""}:
        # A line runs when its module is imported, or in a process that coverage does not see:
        # all that use the module judge it.
        tests = {name.split("|")[0] for names in by_line.values() for name in names}
    return tests - {""}


def _copy(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    return folder


def finished_run(folder: Path) -> Path:
    """Return a copy of the clone after its default run."""
    if not (folder / "results" / "manifest.json").is_file():
        environment = {k: v for k, v in os.environ.items() if k != "LLM_POWER_DATA"}
        command = [str(_PYTHON.with_name("snakemake")), "--cores", "2"]
        subprocess.run(command, cwd=_copy(folder), env=environment, check=True)
    return folder


def _test(copy: Path, finished: Path, mutant: Mutant, tests: Sequence[str]) -> str:
    file = copy / mutant.file
    before = file.read_text(encoding="utf-8")
    operator = cosmic_ray.plugins.get_operator(mutant.operator)()
    listed = copy / ".tests"
    listed.write_text("\n".join(tests), encoding="utf-8")
    selections = _selections(copy, mutant, tests, listed)
    try:
        file.write_text(mutate_code(before, operator, mutant.occurrence), encoding="utf-8")
        fates = (_fate(copy, finished, [*_TEST, "-m", *chosen]) for chosen in selections)
        return next((fate for fate in fates if fate != "survived"), "survived")
    finally:
        file.write_text(before, encoding="utf-8")


def _selections(
    copy: Path, mutant: Mutant, tests: Sequence[str], listed: Path
) -> Iterator[list[str]]:
    alone, runs = "not slow and not whole_run", "whole_run and not slow"
    files = list(dict.fromkeys(test.split("::")[0] for test in tests))
    if tests:
        yield [alone, f"@{listed}"]
        # Coverage sees the first test alone that uses what is made once and kept, for its file or
        # for all of a paper.
        yield [alone, *files]
    if not _in_runs(mutant):
        yield [runs, *files]
        return
    own = copy / "tests" / mutant.package.split("/")[0]
    yield from ([alone, str(folder)] for folder in sorted(own.glob("*/")))
    yield [runs, "tests"]


def _in_runs(mutant: Mutant) -> bool:
    # Coverage does not see what the jobs of a run do with it.
    return not mutant.file.startswith("src/llm_power/")


def _fate(copy: Path, finished: Path, command: Sequence[str | Path]) -> str:
    try:
        done = subprocess.run(
            command,
            cwd=copy,
            env=os.environ
            | {"PYTHONPATH": str(copy / "src"), "LLM_POWER_FINISHED_RUN": str(finished)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_CLOCK,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "hung"
    if done.returncode == -signal.SIGXCPU:
        return "hung"
    return "survived" if done.returncode in (0, _NO_TESTS) else "killed"


def report(fates: Mapping[Mutant, str]) -> Iterator[str]:
    """Yield the killed share of each package, and every mutant that was not killed."""
    kinds = ("killed", "hung", "survived", "uncovered")
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant, fate in fates.items():
        counts[mutant.package][fate] += 1
        counts["in all"][fate] += 1
    yield f"{'package':40}" + "".join(f"{kind:>11}" for kind in kinds) + "   share"
    for package, count in sorted(counts.items()):
        share = count["killed"] / count.total()
        yield f"{package:40}" + "".join(f"{count[kind]:>11}" for kind in kinds) + f"{share:8.3f}"
    for mutant, fate in fates.items():
        if fate != "killed":
            name = mutant.operator.split("/")[-1]
            yield f"{fate}: {mutant.file}:{mutant.line} {name} #{mutant.occurrence}"


if __name__ == "__main__":
    main(sys.argv[1:])
