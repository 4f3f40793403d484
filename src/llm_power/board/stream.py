"""A board with more pairs than are held: all of them counted, some of them shown in full."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from llm_power.board.all_pairs import (
    BoardPairs,
    Columns,
    FamilyValues,
    family_of,
    in_threads,
    joined_p_values,
)
from llm_power.board.cluster_sums import cluster_sums
from llm_power.board.clusters import add_clusters
from llm_power.board.decision import decide_pairs
from llm_power.board.families import HELD_UP_TO, number_of_pairs
from llm_power.board.landscape import Landscape
from llm_power.board.multiplicity import add_given_multiplicity
from llm_power.board.pair_store import PairWriter
from llm_power.board.ranks import rank_table
from llm_power.board.resolution import add_resolution
from llm_power.board.sequential import add_sequential
from llm_power.board.tabulation import tabulate
from llm_power.board.verdicts import verdict_table
from llm_power.choices import Family
from llm_power.errors import InvalidArgument
from llm_power.scores.store import TaskScores
from llm_power.statistics.arrays import BoolArray, FloatArray, IntArray
from llm_power.statistics.verdict import DIFFERENT, EQUIVALENT, UNDETERMINED

#: Pairs that a board with more of them shows with every column.
SHOWN_UP_TO: Final = 20_000


@dataclass(frozen=True, slots=True)
class Keep:
    """Which pairs of a board are kept; all of them are counted, and are the family."""

    which: str = "all"
    # Of the best models ("top"), or of ranks apart ("band").
    number: int = 0

    @classmethod
    def parsed(cls, text: str) -> Keep:
        """Parse the option of the command line."""
        which, colon, number = text.partition(":")
        least = {"top": 2, "band": 1}.get(which)
        if least is None and which in {"all", "adjacent", "undecided"} and not colon:
            return cls(which)
        if least is not None and number.isascii() and number.isdigit() and int(number) >= least:
            return cls(which, int(number))
        raise InvalidArgument(
            f"pairs to keep must be all, adjacent, top:K, band:W or undecided, got {text!r}. "
            "Remedy: top:K keeps the pairs of the best K >= 2 models, band:W those at most W >= 1 "
            "ranks apart."
        )

    @property
    def words(self) -> str:
        """Return the noun for the pairs."""
        return {
            "all": "pairs",
            "adjacent": "adjacent pairs",
            "top": f"pairs of the best {self.number:,} models",
            "band": f"pairs within {self.number:,} ranks",
            "undecided": "undetermined pairs",
        }[self.which]

    def of(self, columns: Columns) -> BoolArray:
        """Return which of these pairs are kept, (n_pairs,)."""
        distance = columns["rank_b"] - columns["rank_a"]
        if self.which == "undecided":
            return np.asarray(columns["verdict"] == UNDETERMINED)
        if self.which == "top":
            return np.asarray(columns["rank_b"] <= self.number)
        widest = {"adjacent": 1, "band": self.number}.get(self.which, np.inf)
        return np.asarray(distance <= widest)


def is_streamed(tasks: Sequence[TaskScores], family: Family, keep: Keep | None) -> bool:
    """Return whether pairs are streamed: on request, or if there are too many to hold."""
    if family != "all":
        if keep is None:
            return False
        raise InvalidArgument(
            "pairs to keep are chosen from all pairs. Remedy: compare these too (--pairs all), or "
            "leave --keep out."
        )
    return keep is not None or number_of_pairs(tasks) > HELD_UP_TO


@dataclass(slots=True)
class Tally:
    """Counts of all pairs, chunk by chunk."""

    verdicts: dict[str, int]
    # By task: pairs by number of shared items, and models declared better or worse than each.
    shared: dict[str, IntArray]
    landscapes: dict[str, Landscape]
    better: dict[str, IntArray]
    worse: dict[str, IntArray]
    n_resolved: int = 0
    n_unattainable: int = 0
    n_crossed: int = 0

    @classmethod
    def empty(cls, tasks: Sequence[TaskScores]) -> Tally:
        """Return the tally of no pairs."""
        names = (DIFFERENT, EQUIVALENT, UNDETERMINED)
        return cls(
            dict.fromkeys(names, 0),
            {task.task: np.zeros(task.n_items + 1, dtype=np.int64) for task in tasks},
            {task.task: Landscape(task.task, len(task.models)) for task in tasks},
            {task.task: np.zeros(len(task.models), dtype=np.int64) for task in tasks},
            {task.task: np.zeros(len(task.models), dtype=np.int64) for task in tasks},
        )

    def add(self, task: TaskScores, columns: Columns, single_level: float) -> None:
        """Count pairs of one task; `single_level` is that of a lead for the ranks.

        The level is of Bonferroni's procedure, whose single step also holds for the direction of a
        lead.
        """
        for name in self.verdicts:
            self.verdicts[name] += int(np.count_nonzero(columns["verdict"] == name))
        self.n_resolved += int(np.count_nonzero(columns["resolved"]))
        self.n_unattainable += int(np.count_nonzero(~columns["attainable"]))
        self.n_crossed += int(np.count_nonzero(columns.get("crossed", False)))
        self.shared[task.task] += np.bincount(columns["n_items"], minlength=task.n_items + 1)
        self.landscapes[task.task].add(columns)
        declared, n = columns["p"] <= single_level, len(task.models)
        leads, trails = (declared & (sign * columns["gap"] > 0) for sign in (1, -1))
        a, b = columns["rank_a"] - 1, columns["rank_b"] - 1
        for table, over, under in ((self.better, a, b), (self.worse, b, a)):
            table[task.task] += np.bincount(under[leads], minlength=n)
            table[task.task] += np.bincount(over[trails], minlength=n)

    def merge(self, other: Tally) -> None:
        """Add the counts of other pairs of the same tasks."""
        for name, number in other.verdicts.items():
            self.verdicts[name] += number
        self.n_resolved += other.n_resolved
        self.n_unattainable += other.n_unattainable
        self.n_crossed += other.n_crossed
        for task, landscape in other.landscapes.items():
            self.landscapes[task].merge(landscape)
        for own, others in zip(self._arrays(), other._arrays(), strict=True):
            for task, numbers in others.items():
                own[task] += numbers

    def _arrays(self) -> tuple[dict[str, IntArray], ...]:
        return self.shared, self.better, self.worse

    def to_json(self) -> str:
        """Return the counts as JSON."""
        shared, better, worse = (
            {task: numbers.tolist() for task, numbers in table.items()} for table in self._arrays()
        )
        return json.dumps(
            {
                "verdicts": self.verdicts,
                "shared": shared,
                "landscapes": {task: x.to_json() for task, x in self.landscapes.items()},
                "better": better,
                "worse": worse,
                "n_resolved": self.n_resolved,
                "n_unattainable": self.n_unattainable,
                "n_crossed": self.n_crossed,
            },
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str) -> Tally:
        """Return the tally that `to_json` wrote."""
        told = json.loads(text)
        for name in ("shared", "better", "worse"):
            told[name] = {task: np.array(x, dtype=np.int64) for task, x in told[name].items()}
        told["landscapes"] = {t: Landscape.from_json(x) for t, x in told["landscapes"].items()}
        return cls(**told)

    def coverage(self, task: TaskScores) -> tuple[float, float]:
        """Return the smallest and the median share of a task's items that a pair has."""
        counts = self.shared[task.task]
        upto, total = np.cumsum(counts), int(counts.sum())
        middle = np.searchsorted(upto, [(total + 1) // 2, total // 2 + 1]).mean()
        return float(np.flatnonzero(counts)[0] / task.n_items), float(middle / task.n_items)


@dataclass(frozen=True, slots=True)
class Streamed:
    """All pairs of a board of which some are held."""

    keep: Keep
    # Those kept, or the adjacent ones where these are too many, or a task has none.
    shown: Keep
    n_pairs: int
    tally: Tally
    tasks: list[dict[str, object]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class StreamedPairs:
    """All pairs of a board as counted, and places and p-values of those to be shown."""

    streamed: Streamed
    family: FamilyValues
    places: IntArray


def stream_pairs(
    pairs: BoardPairs,
    keep: Keep,
    *,
    folder: Path | None = None,
    threads: int | None = None,
    on_pairs: Callable[[int], None] = lambda _count: None,
) -> StreamedPairs:
    """Count all pairs in chunks, and write those kept; the threads change nothing."""
    whole, alpha = (0, pairs.n_pairs), pairs.point.alpha
    family = family_of(
        *p_values_between(pairs, *whole, threads=threads, on_pairs=on_pairs), alpha=alpha
    )
    tally, kept = Tally.empty(pairs.tasks), [np.zeros(0, dtype=np.int64)]
    with PairWriter(folder, pairs.tasks) as writer:
        for start, columns in columns_between(pairs, *whole, family, threads=threads):
            tally.add(pairs.tasks[int(columns["task"][0])], columns, alpha / pairs.n_pairs)
            rows = np.flatnonzero(keep.of(columns))
            if sum(map(len, kept)) <= SHOWN_UP_TO:
                kept.append(start + rows)
            every = len(rows) == len(columns["task"])
            writer.write(start, columns if every else {n: x[rows] for n, x in columns.items()})
            on_pairs(len(columns["task"]))
    places = np.concatenate(kept)
    some_of_each = len(pairs.at(places)) == len(pairs.tasks)
    if len(places) > SHOWN_UP_TO or keep.which == "all" or not some_of_each:
        return adjacent_shown(pairs, family, tally, keep)
    return StreamedPairs(_streamed(pairs, tally, keep, keep), family.of(places), places)


def p_values_between(
    pairs: BoardPairs,
    start: int,
    stop: int,
    *,
    threads: int | None = None,
    on_pairs: Callable[[int], None] = lambda _count: None,
) -> tuple[FloatArray, FloatArray]:
    """Return `BoardPairs.p_values` of the places, in chunks on several cores."""
    parts = []
    for part in in_threads(pairs.p_values, pairs.chunks(start, stop), threads=threads):
        parts.append(part)
        on_pairs(len(part[0]))
    return joined_p_values(parts)


def columns_between(
    pairs: BoardPairs,
    start: int,
    stop: int,
    family: FamilyValues,
    *,
    threads: int | None = None,
) -> Iterator[tuple[int, Columns]]:
    """Yield each chunk's first place and `BoardPairs.columns`, on several cores."""

    def work(low: int, high: int) -> tuple[int, Columns]:
        return low, pairs.columns(low, high, family.of(slice(low - start, high - start)))

    yield from in_threads(work, pairs.chunks(start, stop), threads=threads)


def adjacent_shown(
    pairs: BoardPairs, family: FamilyValues, tally: Tally, keep: Keep
) -> StreamedPairs:
    """Return the streamed pairs with the adjacent ones to be shown."""
    places = _adjacent(pairs)
    streamed = _streamed(pairs, tally, keep, Keep("adjacent"))
    return StreamedPairs(streamed, family.of(places), places)


def _streamed(pairs: BoardPairs, tally: Tally, keep: Keep, shown: Keep) -> Streamed:
    overview = [_overview(task, tally) for task in pairs.tasks]
    return Streamed(keep, shown, pairs.n_pairs, tally, overview)


def _adjacent(pairs: BoardPairs) -> IntArray:
    parts = []
    for number, task in enumerate(pairs.tasks):
        first = np.arange(len(task.models) - 1)
        parts.append(pairs.places(number, first, first + 1))
    return np.concatenate(parts)


def _overview(task: TaskScores, tally: Tally) -> dict[str, object]:
    lowest, median = tally.coverage(task)
    return {
        "task": task.task,
        "n_models": len(task.models),
        "n_pairs": int(tally.shared[task.task].sum()),
        "n_items": task.n_items,
        "coverage_min": lowest,
        "coverage_median": median,
    }


def shown_verdicts(found: StreamedPairs, pairs: BoardPairs) -> pd.DataFrame:
    """Return the verdict table of the pairs that are shown, adjusted for all pairs."""
    cluster, point, declared = pairs.cluster, pairs.point, pairs.declared
    located = pairs.at(found.places)
    counts = pd.concat([tabulate(task, a, b) for task, _, a, b in located], ignore_index=True)
    sums = pd.concat(
        [
            pd.DataFrame(columns=["task"])
            if cluster is None
            else cluster_sums(task, *task.cluster_codes(cluster), a, b)
            for task, _, a, b in located
        ],
        ignore_index=True,
    )
    family = found.family
    tasks = [task for task, *_ in located]
    resolution = add_resolution(counts, point)
    adjusted = {"p_holm": family.holm, "p_bh": family.bh}
    return verdict_table(
        counts,
        resolution,
        add_given_multiplicity(
            counts, resolution, point, adjusted=adjusted, size=found.streamed.n_pairs
        ),
        add_clusters(counts, sums, point),
        add_sequential(counts, point),
        decide_pairs(counts, sums, tasks, point, declared, family=family.decided),
    )


def streamed_ranks(found: StreamedPairs, pairs: BoardPairs) -> pd.DataFrame:
    """Return the ranks of all models, by the declared test at the level over all pairs.

    They hold with any number of items, and are a little wider than those by max-T. Null where a
    score of the task is missing.
    """
    tally = found.streamed.tally
    ends = {task.task: (tally.better[task.task], tally.worse[task.task]) for task in pairs.tasks}
    cluster = pairs.cluster if pairs.declared.clusters == "random" else None
    return rank_table(pairs.tasks, pairs.point, cluster, ends=ends)
