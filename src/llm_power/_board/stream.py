"""A board with more pairs than are held: all of them counted, some of them shown in full."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from llm_power._board.all_pairs import (
    BoardPairs,
    FamilyValues,
    RankEnds,
    in_threads,
    p_values_between,
)
from llm_power._board.cluster_robustness import cluster_readings
from llm_power._board.landscape import VERDICTS, Landscape
from llm_power._board.operating_point import HELD_UP_TO, number_of_pairs
from llm_power._board.pair_items import Columns
from llm_power._board.pair_store import PairWriter, files_in
from llm_power._choices import Family
from llm_power._errors import InvalidArgument
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import BoolArray, IntArray
from llm_power._statistics.verdict import DIFFERENT, UNDETERMINED

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

    # Pairs by verdict, and of those resolved, unattainable, crossed and close.
    counts: Counter[str]
    # By task, pairs by number of shared items.
    shared: dict[str, IntArray]
    landscapes: dict[str, Landscape]

    @classmethod
    def empty(cls, tasks: Sequence[TaskScores]) -> Tally:
        """Return the tally of no pairs."""
        return cls(
            Counter(),
            {task.task: np.zeros(task.n_items + 1, dtype=np.int64) for task in tasks},
            {x.task: Landscape(x.task, len(x.models)) for x in tasks if x.kind != "real"},
        )

    @property
    def verdicts(self) -> dict[str, int]:
        """Return how many pairs have each verdict."""
        return {name: self.counts[name] for name in VERDICTS}

    def add(self, task: TaskScores, columns: Columns) -> None:
        """Count pairs of one task."""
        which = {name: columns["verdict"] == name for name in VERDICTS} | {
            "resolved": columns["resolved"],
            "unattainable": ~columns["attainable"],
            "crossed": columns.get("crossed", False),
            "close": columns["close_call"],
        }
        self.counts.update({name: int(np.count_nonzero(pairs)) for name, pairs in which.items()})
        self.shared[task.task] += np.bincount(columns["n_items"], minlength=task.n_items + 1)
        if task.task in self.landscapes:
            self.landscapes[task.task].add(columns)

    def merge(self, other: Tally) -> None:
        """Add the counts of other pairs of the same tasks."""
        self.counts.update(other.counts)
        for task, landscape in other.landscapes.items():
            self.landscapes[task].merge(landscape)
        for task, numbers in other.shared.items():
            self.shared[task] += numbers

    def to_json(self) -> str:
        """Return the counts as JSON."""
        shared = {task: numbers.tolist() for task, numbers in self.shared.items()}
        landscapes = {task: landscape.to_json() for task, landscape in self.landscapes.items()}
        state = {"counts": self.counts, "shared": shared, "landscapes": landscapes}
        return json.dumps(state, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Tally:
        """Return the tally that `to_json` wrote."""
        state = json.loads(text)
        shared = {task: np.array(x, dtype=np.int64) for task, x in state["shared"].items()}
        landscapes = {task: Landscape.from_json(x) for task, x in state["landscapes"].items()}
        return cls(Counter(state["counts"]), shared, landscapes)

    def overview(self, task: TaskScores) -> dict[str, object]:
        """Return models, pairs and items of a task, and what share of the items its pairs have."""
        counts = self.shared[task.task]
        upto, n_pairs = np.cumsum(counts), int(counts.sum())
        middle = np.searchsorted(upto, [(n_pairs + 1) // 2, n_pairs // 2 + 1]).mean()
        return {
            "task": task.task,
            "n_models": len(task.models),
            "n_pairs": n_pairs,
            "n_items": task.n_items,
            "coverage_min": float(np.flatnonzero(counts)[0] / task.n_items),
            "coverage_median": float(middle / task.n_items),
        }


@dataclass(frozen=True, slots=True)
class Streamed:
    """All pairs of a board of which some are held."""

    keep: Keep
    # Those kept, or the adjacent ones where these are too many, or a task has none.
    shown: Keep
    tally: Tally
    tasks: list[dict[str, object]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ShownPairs:
    """Places and p-values of the pairs of a board that are shown."""

    places: IntArray
    family: FamilyValues
    # As `BoardPairs.rank_ends` returned them.
    ends: RankEnds
    # Pairs that differ by either reading of the clusters.
    readings: Sequence[Mapping[str, Any]]
    # Of how many best models, None for all.
    top: int | None
    # All pairs as counted, if not all are held.
    streamed: Streamed | None = None


def stream_pairs(
    pairs: BoardPairs,
    keep: Keep,
    *,
    folder: Path | None = None,
    threads: int | None = None,
    on_pairs: Callable[[int], None] = lambda _count: None,
) -> ShownPairs:
    """Count all pairs in chunks, and write those kept; the threads change nothing."""
    whole = 0, pairs.n_pairs
    p = p_values_between(pairs, *whole, threads=threads, on_pairs=on_pairs)
    family = pairs.adjusted(*p, threads=threads)
    ends = pairs.rank_ends(family, threads=threads)
    tally, kept = Tally.empty(pairs.tasks), [np.zeros(0, dtype=np.int64)]
    file_of = None if folder is None else files_in(folder)
    with PairWriter(file_of, pairs.tasks) as writer:
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
    bounded = keep.which != "all" or keep.best is not None
    fits = bounded and some_of_each and len(places) <= SHOWN_UP_TO
    return shown_pairs(pairs, family, ends, tally, keep, places=places if fits else None)


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


def shown_pairs(
    pairs: BoardPairs,
    family: FamilyValues,
    ends: RankEnds,
    tally: Tally,
    keep: Keep,
    *,
    places: IntArray | None = None,
) -> ShownPairs:
    """Return the streamed pairs at `places` as those to be shown, or the adjacent ones."""
    shown = keep
    if places is None:
        places, shown = _adjacent(pairs, keep.best), Keep("adjacent", best=keep.best)
    overview = [tally.overview(task) for task in pairs.tasks]
    return ShownPairs(
        places,
        family.of(places),
        ends,
        cluster_readings(pairs, family),
        keep.best,
        Streamed(keep, shown, tally, overview),
    )


def _adjacent(pairs: BoardPairs, best: int | None) -> IntArray:
    firsts = [np.arange((best or len(task.models)) - 1) for task in pairs.tasks]
    return np.concatenate([pairs.places(k, x, x + 1) for k, x in enumerate(firsts)])
