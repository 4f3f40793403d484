"""Time the heavy paths against the peers, and write the results, the table and the plots.

``make bench`` measures, ``make bench-smoke`` runs everything once at a tiny size and prints. First
each side climbs from small boards to large ones, and stops before it would take too long. Then all
sides of a contest run in turn, each in its own process and at the largest size that it reached.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np
from contests import CONTESTS, OF_DATA, PAPERS, US, Contest, Side
from documents import replace_measured
from drawn import Size
from measure import LONGEST, Worker, answers, forget, hot_spots, own_process, peak_memory, wall_time
from ours import Answers
from paper import run_twice
from results import LATEST, ROOT, LeftOut, Measured, Profile, Results, this_machine
from tables import as_markdown, line_of

# A line that misses is profiled at the largest size that takes less.
_PROFILED_SECONDS: Final = 10


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a contest may take.

    Attributes
    ----------
    rounds : int
        Rounds of all sides in turn.
    contest_seconds : float
        No round is begun after so many.
    our_seconds, peer_seconds : float
        A size that would take a side longer is left out.
    warm_up_below : float
        A first run that takes less is not counted: it imports and warms up.
    """

    rounds: int
    contest_seconds: float
    our_seconds: float
    peer_seconds: float
    warm_up_below: float


FULL: Final = Pace(7, contest_seconds=20, our_seconds=400, peer_seconds=1, warm_up_below=1)
SMOKE: Final = Pace(1, contest_seconds=0, our_seconds=9, peer_seconds=9, warm_up_below=0)


class Runner:
    """Runs contests at a pace.

    Parameters
    ----------
    pace : Pace
        How long a contest may take.
    shared : ProcessPoolExecutor, optional
        One process for everything, where memory does not matter.
    """

    def __init__(self, pace: Pace, shared: ProcessPoolExecutor | None = None) -> None:
        self._pace, self._shared = pace, shared

    def _process(self) -> AbstractContextManager[ProcessPoolExecutor]:
        return nullcontext(self._shared) if self._shared else own_process()

    def hold(self, contest: Contest) -> Iterator[Measured | LeftOut]:
        """Check that all sides agree, let each climb, and run them in turn."""
        places = [(contest.ours, self._climb(contest, contest.ours, contest.sizes))]
        for side in contest.peers:
            if why := self._not_comparable(contest, side):
                yield LeftOut(contest.name, side.who, why)
            else:
                places.append((side, self._climb(contest, side, side.sizes or contest.sizes)))
        for _, runs in places:
            yield from runs
        for side, _ in places:
            # A side with sizes of its own is one that cannot do these.
            if not side.sizes:
                yield from self._climb(contest, side, contest.more_items)
        yield from self._in_turn(contest, [(side, runs[-1]) for side, runs in places])

    def hot_spots(self, contest: Contest, size: Size) -> list[tuple[str, float]]:
        """Return where our time goes at a size."""
        with self._process() as pool:
            return Worker(pool, contest.ours, size).do(hot_spots)

    def _not_comparable(self, contest: Contest, side: Side) -> str | None:
        """Return in what a peer differs from us at its smallest size, or that it is not there."""
        size = (side.sizes or contest.sizes)[0]
        with self._process() as pool:
            try:
                peer = Worker(pool, side, size)
            except ModuleNotFoundError as absent:
                return f"{absent.name} is not installed"
            if not size.pairs:
                return None  # A whole process answers nothing.
            ours = Worker(pool, contest.ours, size).do(answers)
            return _difference(ours, peer.do(answers), contest.tolerance)

    def _climb(self, contest: Contest, side: Side, sizes: Sequence[Size]) -> list[Measured]:
        """Run a side at each size, up to the largest that it can do in its time."""
        longest = self._pace.our_seconds if side.who == US else self._pace.peer_seconds
        runs: list[Measured] = []
        with self._process() as pool:
            for size in sizes:
                if runs and _expected(runs, size) > longest:
                    break
                worker = Worker(pool, side, size)
                seconds = worker.do(wall_time)
                if seconds < self._pace.warm_up_below:
                    seconds = worker.do(wall_time)
                row = Measured(contest.name, side.who, size, [seconds], worker.do(peak_memory))
                runs.append(row)
                worker.do(forget)
        return runs

    def _in_turn(
        self, contest: Contest, places: Sequence[tuple[Side, Measured]]
    ) -> Iterator[Measured]:
        """Run all sides one after the other at the largest size of each, round by round."""
        start, rounds = time.monotonic(), []
        with ExitStack() as stack:
            workers, rows = [], []
            for side, known in places:
                pool = stack.enter_context(self._process())
                rows.append(replace(known, in_turn=True))
                workers.append(Worker(pool, side, known.size))
                if side.who == US and contest.yardstick:
                    rows.append(replace(rows[-1], who=contest.yardstick.who, gigabytes=0.0))
                    workers.append(Worker(pool, contest.yardstick, known.size))
            for worker, row in zip(workers, rows, strict=True):
                if row.seconds[0] < self._pace.warm_up_below:
                    worker.do(wall_time)
            for _ in range(self._pace.rounds):
                rounds.append([worker.do(wall_time) for worker in workers])
                if time.monotonic() - start > self._pace.contest_seconds:
                    break
        for row, *seconds in zip(rows, *rounds, strict=True):
            yield replace(row, seconds=seconds)


def _expected(runs: Sequence[Measured], size: Size) -> float:
    """Return the seconds that a larger size takes: what comes with the work, and what does not."""
    fixed, each = 0.0, runs[-1].seconds[0] / runs[-1].size.work
    if len(runs) > 1:
        before, last = runs[-2:]
        each = (last.seconds[0] - before.seconds[0]) / (last.size.work - before.size.work)
        fixed = last.seconds[0] - each * last.size.work
    return fixed + each * size.work


def _difference(ours: Answers, theirs: Answers, tolerance: float) -> str | None:
    common = [name for name in theirs if name in ours]
    if not common:
        return "none of its numbers is among ours"
    for name in common:
        known = np.isfinite(theirs[name])
        gap = np.abs(ours[name] - theirs[name])[known]
        if np.any(gap > tolerance + 1e-9 * np.abs(ours[name][known])):
            return f"another {name}, by up to {gap.max():.2g}"
    return None


def measure(contests: Sequence[Contest], runner: Runner) -> Results:
    """Hold the contests, and profile what misses its target."""
    results = Results(this_machine())
    for contest in contests:
        print(contest.work, "...", file=sys.stderr, flush=True)
        try:
            held = list(runner.hold(contest))
        except FileNotFoundError as absent:
            held = [LeftOut(contest.name, US, f"{absent} is not in LLM_POWER_DATA")]
        except BrokenProcessPool:
            held = [LeftOut(contest.name, US, f"a side was killed after {LONGEST} s")]
        results.left_out.extend(one for one in held if isinstance(one, LeftOut))
        results.measured.extend(one for one in held if isinstance(one, Measured))
        if results.of(contest.name, in_turn=True) and line_of(contest, results).missed:
            climbed = [x for x in results.of(contest.name, in_turn=False) if x.who == US]
            size = max(
                (x.size for x in climbed if x.seconds[0] < _PROFILED_SECONDS),
                key=lambda size: size.work,
                default=contest.sizes[0],
            )
            results.profiles.append(Profile(contest.name, size, runner.hot_spots(contest, size)))
    return results


def main() -> None:
    """Measure, then write the results and the table, or print what a smoke run found."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--smoke", action="store_true", help="tiny sizes, one round, print only")
    parser.add_argument("--paper", action="store_true", help="run the whole workflow too, twice")
    parser.add_argument("--only", nargs="+", help="names of the contests to hold; print only")
    parser.add_argument("--results", type=Path, help="file; a whole run has its own")
    options = parser.parse_args()
    whole = not (options.smoke or options.only)
    every = CONTESTS if options.smoke else (*CONTESTS, *OF_DATA)
    chosen = [one for one in every if not options.only or one.name in options.only]
    if options.smoke:
        chosen = [one.small() for one in chosen]
        with own_process() as pool:
            results = measure(chosen, Runner(SMOKE, pool))
    else:
        results = measure(chosen, Runner(FULL))
    if options.paper:
        measured, profiles = run_twice()
        results.measured.extend(measured)
        results.profiles.extend(profiles)
    file = options.results or (LATEST if whole else None)
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        results.write(file)
    text = as_markdown([*chosen, *chain(*PAPERS)], results)
    if whole:
        shown = f"![Time and memory against models and items](images/benchmarks.png)\n\n{text}"
        replace_measured(ROOT / "docs" / "benchmarks.md", shown, made_by="make bench")
    print(text)


if __name__ == "__main__":
    main()
