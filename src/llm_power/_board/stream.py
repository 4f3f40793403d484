"""A board with more pairs than are held: all of them counted, some of them shown in full."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from llm_power._board.all_pairs import (
    BoardPairs,
    Columns,
    FamilyValues,
    RankEnds,
    in_threads,
    p_values_between,
)
from llm_power._board.cluster_readings import cluster_readings
from llm_power._board.clusters import cluster_columns
from llm_power._board.columns import verdict_table
from llm_power._board.decision import decide_pairs
from llm_power._board.families import HELD_UP_TO, number_of_pairs
from llm_power._board.landscape import Landscape
from llm_power._board.multiplicity import add_given_multiplicity, add_multiplicity
from llm_power._board.pair_store import PairWriter
from llm_power._board.resolution import add_resolution
from llm_power._board.sequential import add_sequential
from llm_power._choices import Family
from llm_power._errors import InvalidArgument
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import BoolArray, IntArray
from llm_power._statistics.verdict import DIFFERENT, EQUIVALENT, UNDETERMINED

#: Pairs that a board with more of them shows with every column.
SHOWN_UP_TO: Final = 20_000

# Pairs that are kept by what is found of them.
_BY_VERDICT: Final = {"undecided": UNDETERMINED, "different": DIFFERENT}


@dataclass(frozen=True, slots=True)
class Keep:
    """Which pairs of a board are kept; all of them are counted, and are the family."""

    which: str = "all"
    # Of the best models ("top"), or of ranks apart ("band").
    number: int = 0
    # Of these, those of so many best models alone.
    best: int | None = None

    @classmethod
    def parsed(cls, text: str) -> Keep:
        """Parse the option of the command line."""
        which, colon, number = text.partition(":")
        least = {"top": 2, "band": 1}.get(which)
        if least is None and which in {"all", "adjacent", *_BY_VERDICT} and not colon:
            return cls(which)
        if least is not None and number.isascii() and number.isdigit() and int(number) >= least:
            return cls(which, int(number))
        raise InvalidArgument(
            "pairs to keep must be all, adjacent, top:K, band:W, undecided or different, got "
            f"{text!r}. Remedy: top:K keeps the pairs of the best K >= 2 models, band:W those at "
            "most W >= 1 ranks apart."
        )

    @property
    def words(self) -> str:
        """Return the noun for the pairs."""
        words = {
            "all": "pairs",
            "adjacent": "adjacent pairs",
            "top": f"pairs of the best {self.number:,} models",
            "band": f"pairs within {self.number:,} ranks",
            "undecided": "undetermined pairs",
            "different": "different pairs",
        }[self.which]
        return words if self.best is None else f"{words} of the best {self.best:,} models"

    def of(self, columns: Columns) -> BoolArray:
        """Return which of these pairs are kept, (n_pairs,)."""
        distance = columns["rank_b"] - columns["rank_a"]
        widest = {"adjacent": 1, "band": self.number}.get(self.which, np.inf)
        last = self.number if self.which == "top" else np.inf
        among = columns["rank_b"] <= min(last, self.best or np.inf)
        kept = np.asarray((distance <= widest) & among)
        verdict = _BY_VERDICT.get(self.which)
        return kept if verdict is None else kept & (columns["verdict"] == verdict)


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
    # By task, pairs by number of shared items.
    shared: dict[str, IntArray]
    landscapes: dict[str, Landscape]
    n_resolved: int = 0
    n_unattainable: int = 0
    n_crossed: int = 0
    n_close: int = 0

    @classmethod
    def empty(cls, tasks: Sequence[TaskScores]) -> Tally:
        """Return the tally of no pairs."""
        names = (DIFFERENT, EQUIVALENT, UNDETERMINED)
        return cls(
            dict.fromkeys(names, 0),
            {task.task: np.zeros(task.n_items + 1, dtype=np.int64) for task in tasks},
            {x.task: Landscape(x.task, len(x.models)) for x in tasks if x.kind != "real"},
        )

    def add(self, task: TaskScores, columns: Columns) -> None:
        """Count pairs of one task."""
        for name in self.verdicts:
            self.verdicts[name] += int(np.count_nonzero(columns["verdict"] == name))
        self.n_resolved += int(np.count_nonzero(columns["resolved"]))
        self.n_unattainable += int(np.count_nonzero(~columns["attainable"]))
        self.n_crossed += int(np.count_nonzero(columns.get("crossed", False)))
        self.n_close += int(np.count_nonzero(columns["close_call"]))
        self.shared[task.task] += np.bincount(columns["n_items"], minlength=task.n_items + 1)
        if task.task in self.landscapes:
            self.landscapes[task.task].add(columns)

    def merge(self, other: Tally) -> None:
        """Add the counts of other pairs of the same tasks."""
        for name, number in other.verdicts.items():
            self.verdicts[name] += number
        self.n_resolved += other.n_resolved
        self.n_unattainable += other.n_unattainable
        self.n_crossed += other.n_crossed
        self.n_close += other.n_close
        for task, landscape in other.landscapes.items():
            self.landscapes[task].merge(landscape)
        for task, numbers in other.shared.items():
            self.shared[task] += numbers

    def to_json(self) -> str:
        """Return the counts as JSON."""
        state = {each.name: getattr(self, each.name) for each in fields(self)}
        state["shared"] = {task: numbers.tolist() for task, numbers in self.shared.items()}
        state["landscapes"] = {task: x.to_json() for task, x in self.landscapes.items()}
        return json.dumps(state, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Tally:
        """Return the tally that `to_json` wrote."""
        state = json.loads(text)
        state["shared"] = {t: np.array(x, dtype=np.int64) for t, x in state["shared"].items()}
        state["landscapes"] = {t: Landscape.from_json(x) for t, x in state["landscapes"].items()}
        return cls(**state)

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
    # Pairs that differ by either reading of the clusters, of all of them.
    readings: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class StreamedPairs:
    """All pairs of a board as counted, and places and p-values of those to be shown."""

    streamed: Streamed
    family: FamilyValues
    places: IntArray
    # As `BoardPairs.rank_ends` returned them.
    ends: RankEnds


def stream_pairs(
    pairs: BoardPairs,
    keep: Keep,
    *,
    folder: Path | None = None,
    threads: int | None = None,
    on_pairs: Callable[[int], None] = lambda _count: None,
) -> StreamedPairs:
    """Count all pairs in chunks, and write those kept; the threads change nothing."""
    whole = 0, pairs.n_pairs
    p = p_values_between(pairs, *whole, threads=threads, on_pairs=on_pairs)
    family = pairs.adjusted(*p, threads=threads)
    ends = pairs.rank_ends(family, threads=threads)
    tally, kept = Tally.empty(pairs.tasks), [np.zeros(0, dtype=np.int64)]
    with PairWriter(folder, pairs.tasks) as writer:
        for start, columns in columns_between(pairs, *whole, family, threads=threads):
            tally.add(pairs.tasks[int(columns["task"][0])], columns)
            rows = np.flatnonzero(keep.of(columns))
            if sum(map(len, kept)) <= SHOWN_UP_TO:
                kept.append(start + rows)
            every = len(rows) == len(columns["task"])
            writer.write(start, columns if every else {n: x[rows] for n, x in columns.items()})
            on_pairs(len(columns["task"]))
    places = np.concatenate(kept)
    some_of_each = len(pairs.at(places)) == len(pairs.tasks)
    unbounded = keep.which == "all" and keep.best is None
    if len(places) > SHOWN_UP_TO or unbounded or not some_of_each:
        return adjacent_shown(pairs, family, ends, tally, keep)
    return StreamedPairs(
        _streamed(pairs, family, tally, keep, keep), family.of(places), places, ends
    )


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
    pairs: BoardPairs, family: FamilyValues, ends: RankEnds, tally: Tally, keep: Keep
) -> StreamedPairs:
    """Return the streamed pairs with the adjacent ones to be shown."""
    places = _adjacent(pairs, keep.best)
    streamed = _streamed(pairs, family, tally, keep, Keep("adjacent", best=keep.best))
    return StreamedPairs(streamed, family.of(places), places, ends)


def _streamed(
    pairs: BoardPairs, family: FamilyValues, tally: Tally, keep: Keep, shown: Keep
) -> Streamed:
    overview = [_overview(task, tally) for task in pairs.tasks]
    readings = cluster_readings(pairs, family)
    return Streamed(keep, shown, pairs.n_pairs, tally, overview, readings)


def _adjacent(pairs: BoardPairs, best: int | None) -> IntArray:
    parts = []
    for number, task in enumerate(pairs.tasks):
        first = np.arange((best or len(task.models)) - 1)
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


def shown_verdicts(
    pairs: BoardPairs,
    family: FamilyValues,
    places: IntArray,
    on_stage: Callable[[str], None] = lambda _stage: None,
) -> pd.DataFrame:
    """Return the verdict table of the pairs at some places, with their values in the family."""
    point = pairs.point
    # Where the family is held, required items by its procedures are those of all its pairs.
    held = pairs.n_pairs <= HELD_UP_TO
    counts = pairs.counted(np.arange(pairs.n_pairs) if held else places)
    on_stage("resolution")
    resolution = add_resolution(counts, point)
    on_stage("multiplicity")
    if held:
        every = counts, resolution, add_multiplicity(counts, resolution, point)
        counts, resolution, multiplicity = (x.iloc[places].reset_index(drop=True) for x in every)
    else:
        multiplicity = add_given_multiplicity(
            counts,
            resolution,
            point,
            adjusted={"p_holm": family.holm, "p_bh": family.bh},
            size=pairs.n_pairs,
        )
    on_stage("clusters")
    clusters, decisions = [], []
    for task, some, evidence in pairs.evidence_at(places):
        rows, adjusted = counts.iloc[some], family.decided.of(some)
        moments = evidence.with_an_item().of_clusters
        clusters.append(cluster_columns(rows, moments, point))
        decisions.append(decide_pairs(rows, evidence, task, point, pairs.declared, family=adjusted))
    on_stage("verdicts")
    return verdict_table(
        counts,
        resolution,
        multiplicity,
        pd.concat(clusters),
        add_sequential(counts, point),
        pd.concat(decisions),
    )
