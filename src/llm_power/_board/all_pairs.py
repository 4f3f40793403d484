r"""Every pair of a board of thousands of models, a chunk at a time and never all of them.

A pair has a fixed place: tasks one after the other, and within a task the order of
`operating_point.pair_indices`. What is said of it does not depend on the chunk it is computed in.
Two passes are made, for a verdict depends on the p-values of the whole family:
`p_values_between` of all pairs, which `BoardPairs.adjusted` adjusts, and then
`BoardPairs.columns`. The functions are those of single pairs.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import chain, islice, pairwise
from typing import Any, Final, TypeVar

import numpy as np
import pandas as pd
from threadpoolctl import ThreadpoolController

from llm_power._board.clusters import CLUSTER_COLUMNS, clustered, core_cluster_columns
from llm_power._board.counts import joined
from llm_power._board.decision import ESTIMATES as DECISION_ESTIMATES
from llm_power._board.decision import verdict_columns
from llm_power._board.evidence import Evidence, PairTests, TaskEvidence
from llm_power._board.operating_point import Declared, OperatingPoint, pairs_at, place_of
from llm_power._board.pair_items import Columns, PairItems
from llm_power._board.resolution import ESTIMATES as RESOLUTION_ESTIMATES
from llm_power._board.resolution import tabulate
from llm_power._choices import Control, Family
from llm_power._errors import InvalidArgument
from llm_power._memory import workers
from llm_power._scores.selection import NO_SCORE, apply_missing_policy, require_top
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.max_t import (
    GapDraws,
    Largest,
    centred_scores,
    max_t_family,
)
from llm_power._statistics.multiplicity import (
    Adjustment,
    FamilyTest,
    false_discovery_family,
    family_size,
    stepwise,
)
from llm_power._statistics.random_streams import Keys, content_digest, keys_of

# Pairs counted in one product, and pairs whose columns are computed at once: the first makes
# products large enough to be fast, the second keeps arrays in a core's cache.
CHUNK: Final = 2**17
BLOCK: Final = 2**14
# Pairs times clusters computed at once, 2 MB an array, and kept for all pairs, 80 MB an array.
MOST_SUMS: Final = 2**18
_KEPT: Final = 10**7

# By task, how many models are declared better and worse than each, (n_models,).
RankEnds = Mapping[str, tuple[IntArray, IntArray]]
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class FamilyValues:
    """P-values of pairs of a family, adjusted where they are asked for, (n_pairs,)."""

    # Of the declared test; the others are of the test that the paper adjusts.
    decided: FamilyTest
    unadjusted: FloatArray
    stepwise: Mapping[str, Adjustment]

    @property
    def adjusted(self) -> dict[str, FloatArray]:
        """Return the columns of adjusted p-values of that test."""
        return {name: adjust(self.unadjusted) for name, adjust in self.stepwise.items()}

    def of(self, rows: slice | IntArray) -> FamilyValues:
        """Return the values of some pairs; the family stays as large as it is."""
        return replace(self, decided=self.decided.of(rows), unadjusted=self.unadjusted[rows])


def controlled_family(
    p: FloatArray, largest: Largest, *, alpha: float, control: Control
) -> FamilyTest:
    """Adjust p-values as declared."""
    if control == "max-t":
        return max_t_family(p, largest, alpha=alpha)
    return false_discovery_family(p, alpha=alpha, any_dependence=control == "fdr-by")


def family_of(
    p: FloatArray,
    unadjusted: FloatArray,
    largest: Largest,
    *,
    alpha: float,
    control: Control = "max-t",
) -> FamilyValues:
    """Adjust the p-values of `p_values_between`, in the order of the places."""
    # Sorting millions of numbers takes a second, and another core may do it.
    with workers(1) as pool:
        others = pool.submit(stepwise, unadjusted, unadjusted.size)
        decided = controlled_family(p, largest, alpha=alpha, control=control)
        return FamilyValues(decided, unadjusted, others.result())


class BoardPairs:
    """The pairs of ranked tasks, each pair at a fixed place."""

    def __init__(
        self,
        tasks: Sequence[TaskScores],
        family: Family,
        cluster: str | None,
        point: OperatingPoint,
        declared: Declared,
    ) -> None:
        self.tasks, self.family = tuple(tasks), family
        self.cluster, self.point, self.declared = cluster, point, declared
        self._of_tasks = [_TaskPairs(task, family, cluster) for task in tasks]
        self._ends: list[int] = np.cumsum([task.n_pairs for task in self._of_tasks]).tolist()
        self._starts = [0, *self._ends[:-1]]

    @property
    def n_pairs(self) -> int:
        """Number of pairs of all tasks."""
        return self._ends[-1]

    def adjusted(
        self, p: FloatArray, unadjusted: FloatArray, *, threads: int | None = None
    ) -> FamilyValues:
        """Adjust the p-values of all pairs, in the order of the places."""
        largest, control = self._largest(range(len(self.tasks)), threads), self.declared.control
        return family_of(p, unadjusted, largest, alpha=self.point.alpha, control=control)

    def rank_ends(self, family: FamilyValues, *, threads: int | None = None) -> RankEnds:
        """Return how many models are declared better, and worse, than each model of a task.

        All pairs of a task are the family, whatever else is compared. Where scores are missing, no
        filling of the gaps may turn the lead.
        """
        every, p, level = self.for_ranks(), family.decided.single, family.decided.level
        if every is not self:
            p = p_values_between(every, 0, every.n_pairs, threads=threads)[0]
        ends: dict[str, tuple[IntArray, IntArray]] = {}
        for number, task in enumerate(every._of_tasks):
            own = p[every._starts[number] : every._ends[number]]
            if every is not self or len(self.tasks) > 1:
                largest = every._largest([number], threads)
                level = max_t_family(own, largest, alpha=self.point.alpha).level
            ends[task.task.task] = lead_counts(own, level, task.task.merit_bounds)
        return ends

    def for_ranks(self) -> BoardPairs:
        """Return all pairs, by max-T and the test of clusters that takes microseconds."""
        declared = replace(self.declared, cluster_test="cr2", control="max-t")
        if (self.family, self.declared) == ("all", declared):
            return self
        return self.otherwise("all", declared)

    def otherwise(self, family: Family, declared: Declared) -> BoardPairs:
        """Return other pairs of these tasks, or other tests, by the same counts and draws."""
        pairs = BoardPairs(self.tasks, family, self.cluster, self.point, declared)
        pairs._of_tasks = [task.of(family) for task in self._of_tasks]
        return pairs

    def _largest(self, tasks: Iterable[int], threads: int | None) -> Largest:
        draws = [self._of_tasks[number].draws for number in tasks]
        each = partial(in_threads, threads=threads)

        def largest(start: int, stop: int) -> FloatArray:
            of_tasks = (task.largest(start, stop, family=self.family, each=each) for task in draws)
            return np.asarray(np.max(list(of_tasks), axis=0))

        return largest

    def chunks(self, start: int = 0, stop: int | None = None) -> list[tuple[int, int]]:
        """Return the bounds of chunks between two places, each of one task and of one file."""
        stop = self.n_pairs if stop is None else stop
        ends = [end for end in self._ends if start < end < stop]
        bounds = {start, stop, *ends, *range(start - start % CHUNK + CHUNK, stop, CHUNK)}
        return list(pairwise(sorted(bounds)))

    def parts(self, number: int) -> list[tuple[int, int]]:
        """Return the bounds of `number` parts of the pairs, as equal as they can be."""
        return list(pairwise(self.n_pairs * part // number for part in range(number + 1)))

    def places(self, number: int, first: IntArray, second: IntArray) -> IntArray:
        """Return the places of pairs of the task at a position, where all pairs are compared."""
        places = place_of(len(self.tasks[number].models), first, second)
        return np.asarray(self._starts[number] + places)

    def among_best(self, top: int | None) -> IntArray:
        """Return the places of the pairs of the best `top` models of each task, or of all."""
        every = np.arange(self.n_pairs)
        if top is None:
            return every
        return np.concatenate([own[second < top] for _, own, _, second in self.at(every)])

    def at(self, places: IntArray) -> list[tuple[int, IntArray, IntArray, IntArray]]:
        """Return of each task its number, its ordered places, and both models' positions."""
        of_tasks = []
        for number, (start, end) in enumerate(zip(self._starts, self._ends, strict=True)):
            own = places[(places >= start) & (places < end)]
            if own.size:
                n_models = len(self.tasks[number].models)
                of_tasks.append((number, own, *pairs_at(n_models, self.family, own - start)))
        return of_tasks

    @property
    def block(self) -> int:
        """Pairs whose sums by cluster fit a core's cache, of whichever task."""
        return min(task.block for task in self._of_tasks)

    def evidence(self, first: IntArray, second: IntArray) -> list[Evidence]:
        """Return what each task says of pairs of positions."""
        return [evidence for task in self._of_tasks for evidence in task.evidence.of(first, second)]

    def counted(self, places: IntArray) -> pd.DataFrame:
        """Return the rows of `llm_power._board.resolution` of the pairs at some places."""
        tables = []
        for number, _, first, second in self.at(places):
            task = self._of_tasks[number]
            tables.append(tabulate(task.task, first, second, task.items(first, second)))
        return pd.concat(tables, ignore_index=True)

    def columns(self, start: int, stop: int, family: FamilyValues) -> Columns:
        """Return the core columns of `llm_power._board.columns` from `start` to `stop`.

        ``task`` is the task's position; estimates of two models that share no item are NaN.
        """
        parts = [
            self._columns_of(block, family.of(block.rows))
            for block in self.blocks(np.arange(start, stop))
        ]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def blocks(self, places: IntArray) -> Iterator[Block]:
        """Yield the pairs at ordered places in blocks that fit, with the evidence on them."""
        start = 0
        for number, _, first, second in self.at(places):
            for some, evidence in self._of_tasks[number].evidence_on(first, second):
                rows = slice(start, start := start + len(evidence.n_items))
                shared, known = evidence.n_items, evidence.with_an_item()
                yield Block(number, rows, first[some], second[some], shared, known)

    def _columns_of(self, block: Block, family: FamilyValues) -> Columns:
        evidence, point = block.evidence, self.point
        largest_gap = self.tasks[block.task].largest_gap
        items, unadjusted = evidence.of_items, family.unadjusted
        tests = PairTests.of(
            evidence, self.declared, known_p=family.decided.single, unadjusted=unadjusted
        )
        # Items of new runs take microseconds a pair.
        judged = tests.judged(point, family.decided, plan="further")
        verdict = verdict_columns(judged.verdicts, evidence.n_items, family.decided, largest_gap)
        columns: dict[str, np.ndarray] = {
            "task": np.full(len(block.first), block.task, dtype=np.int32),
            "rank_a": (block.first + 1).astype(np.int32),
            "rank_b": (block.second + 1).astype(np.int32),
            "n_items": block.shared.astype(np.int32),
            **items.counts(),
            **{name: np.asarray(values) for name, values in verdict.items()},
            "test": judged.test,
            **items.core_columns(point, unadjusted),
            **family.adjusted,
            **_clusters(evidence, point),
            **items.monitoring(point.alpha),
        }
        strangers = block.shared == 0
        if strangers.any():
            if "n00" in columns:
                columns["n00"] = np.where(strangers, 0, columns["n00"]).astype(np.int32)
            for name in ALL_ESTIMATES:
                if name in columns:
                    columns[name] = np.where(strangers, np.nan, columns[name])
        return columns


# What is not known of two models that share no item.
ALL_ESTIMATES: Final = (*DECISION_ESTIMATES, *RESOLUTION_ESTIMATES, *CLUSTER_COLUMNS)


@dataclass(frozen=True, slots=True)
class Block:
    """Pairs of one task with what their columns rest on."""

    task: int
    # Among the places that were asked for.
    rows: slice
    first: IntArray
    second: IntArray
    # Items that both models of a pair have.
    shared: IntArray
    # Each pair has an item.
    evidence: Evidence


class _TaskPairs:
    """The pairs of one task, counted when they are asked for."""

    def __init__(self, task: TaskScores, family: Family, cluster: str | None) -> None:
        self.task, self._family = task, family
        self.n_pairs = family_size(len(task.models), family)
        codes = None if cluster is None else task.cluster_codes(cluster)[1]
        self.evidence = TaskEvidence(task, codes)
        # Of all pairs of a family, if they are few: several columns and tests ask for it.
        self._kept: dict[Family, list[tuple[slice, Evidence]]] = {}

    def of(self, family: Family) -> _TaskPairs:
        """Return the pairs of a family of the same scores, with what is laid out already."""
        pairs = copy(self)
        pairs._family, pairs.n_pairs = family, family_size(len(self.task.models), family)
        return pairs

    @cached_property
    def draws(self) -> GapDraws:
        """Return the joint distribution of the gaps."""
        return gap_draws(centred_scores(self.task.values), item_keys(self.task))

    @property
    def block(self) -> int:
        """Pairs whose sums by cluster fit a core's cache."""
        return min(BLOCK, max(1, MOST_SUMS // self.evidence.n_clusters))

    def evidence_on(self, first: IntArray, second: IntArray) -> Iterator[tuple[slice, Evidence]]:
        """Yield the evidence on pairs of positions in blocks that fit, with their places."""
        keeps = self._keeps(first)
        if keeps and self._family in self._kept:
            yield from self._kept[self._family]
            return
        kept = []
        chunk = min(CHUNK, 8 * self.block) if self.evidence.tabulates else CHUNK
        for low in range(0, len(first), chunk):
            some = slice(low, low + chunk)
            for evidence in self.evidence.of(first[some], second[some], block=self.block):
                placed = slice(low, low := low + len(evidence.n_items)), evidence
                if keeps:
                    kept.append(placed)
                yield placed
        if keeps:
            self._kept[self._family] = kept

    def items(self, first: IntArray, second: IntArray) -> PairItems:
        """Return what the items alone say of pairs of positions, (n_pairs,)."""
        if not self._keeps(first):
            return self.evidence.items(first, second)
        return joined([evidence.of_items for _, evidence in self.evidence_on(first, second)])

    def _keeps(self, first: IntArray) -> bool:
        return len(first) == self.n_pairs and self.n_pairs * self.evidence.n_clusters <= _KEPT


def _clusters(evidence: Evidence, point: OperatingPoint) -> Columns:
    if evidence.of_clusters is None:
        return {}
    return core_cluster_columns(evidence.of_clusters.anova, evidence.cluster_test.p, point)


def lead_counts(
    p: FloatArray, level: float, bounds: tuple[FloatArray, FloatArray]
) -> tuple[IntArray, IntArray]:
    """Return how many models are declared better, and worse, than each, (n_models,).

    The p-values are those of all pairs, and the bounds those of each model's score over all items,
    whatever the missing scores are: only a lead that none of them turns is declared.
    """
    least, most = bounds
    n = len(least)
    better, worse = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for start in range(0, len(p), CHUNK):
        declared = start + np.flatnonzero(p[start : start + CHUNK] <= level)
        ahead, behind = pairs_at(n, "all", declared)
        leads, trails = least[ahead] > most[behind], least[behind] > most[ahead]
        better += np.bincount(np.concatenate([behind[leads], ahead[trails]]), minlength=n)
        worse += np.bincount(np.concatenate([ahead[leads], behind[trails]]), minlength=n)
    return better, worse


def item_keys(task: TaskScores) -> Keys:
    """Return the keys of the draws of a task's items, (n_items,)."""
    return keys_of(task.item_ids, content_digest(task.item_ids, task.merits))


def gap_draws(rows: FloatArray, keys: Keys) -> GapDraws:
    """Return the joint distribution of gaps by centred scores, (n_items, n_models)."""
    # The last bits of a factor may depend on the number of threads.
    with _libraries().limit(limits=1, user_api="blas"):
        return GapDraws(rows, keys)


@cache
def _libraries() -> ThreadpoolController:
    """Return the libraries of linear algebra, which take a millisecond to find."""
    return ThreadpoolController()


def in_threads(
    work: Callable[..., _Result], chunks: Iterable[tuple[Any, ...]], *, threads: int | None = None
) -> Iterator[_Result]:
    """Yield the results of `work` in the order of the chunks; holds at most `threads` + 1."""
    count = len(os.sched_getaffinity(0)) if threads is None else threads
    waiting: deque[Future[_Result]] = deque()
    # One core a chunk: products that take all of them wait for each other.
    with _libraries().limit(limits=1, user_api="blas"):
        ahead = list(islice(chunks := iter(chunks), 2))
        if len(ahead) < 2:
            yield from (work(*bounds) for bounds in ahead)
            return
        with workers(count) as pool:
            try:
                for bounds in chain(ahead, chunks):
                    waiting.append(pool.submit(work, *bounds))
                    if len(waiting) > count:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()


def require_different_tasks(tasks: Sequence[TaskScores]) -> None:
    """Refuse tasks of one name: their pairs would count twice in the family."""
    seen: dict[str, int] = {}
    for number, task in enumerate(tasks, start=1):
        first = seen.setdefault(task.task, number)
        if first != number:
            raise InvalidArgument(
                f"tasks {first} and {number} of the board are both named {task.task!r} (from "
                f"{tasks[first - 1].provenance.file} and {task.provenance.file}). Remedy: give "
                "each task once, and different tasks different names (that of the file, or `task`)."
            )


def pairs_of_board(
    tasks: Sequence[TaskScores],
    family: Family,
    cluster: str | None,
    point: OperatingPoint,
    declared: Declared,
    *,
    top: int | None = None,
) -> BoardPairs:
    """Return the pairs of tasks that make a board, each with the cluster column that one has."""
    if not tasks:
        raise InvalidArgument("a board must have a task, got none")
    require_different_tasks(tasks)
    for task in tasks:
        require_top(task, top)
        lacking = {task.models[j] for j in np.flatnonzero(~np.all(task.scored, axis=0))}
        if not lacking <= task.provenance.tolerated.get(NO_SCORE, {}).keys():
            apply_missing_policy(task, "error")
    if declared.weighted and cluster is None:
        raise InvalidArgument(
            "missing scores are weighted by cluster, and no cluster column is named. Remedy: name "
            "one (--cluster), or choose another policy for missing scores."
        )
    return BoardPairs(clustered(tasks, cluster), family, cluster, point, declared)


def p_values_between(
    pairs: BoardPairs,
    start: int,
    stop: int,
    *,
    threads: int | None = None,
    on_pairs: Callable[[int], None] = lambda _count: None,
) -> tuple[FloatArray, FloatArray]:
    """Return the declared test's and the exact McNemar test's p-values, each pair by itself.

    Graded scores have the paired t test; one object where both are the same. The places between
    the two are taken in chunks on several cores, or those of a single chunk in blocks.
    """
    chunks, of_block = pairs.chunks(start, stop), partial(_p_values_of, pairs)
    if len(chunks) == 1:
        blocks = ((block,) for block in pairs.blocks(np.arange(start, stop)))
        p_values = in_threads(of_block, blocks, threads=threads)
    else:
        of_chunks = in_threads(partial(_p_values_of_chunk, pairs), chunks, threads=threads)
        p_values = chain.from_iterable(of_chunks)
    p = np.empty(stop - start)
    unadjusted, place = p, 0
    for decided, plain in p_values:
        some = slice(place, place + len(decided))
        p[some] = decided
        if plain is not decided and unadjusted is p:
            unadjusted = p.copy()
        if unadjusted is not p:
            unadjusted[some] = plain
        place = some.stop
        on_pairs(len(decided))
    return p, unadjusted


def _p_values_of_chunk(
    pairs: BoardPairs, start: int, stop: int
) -> list[tuple[FloatArray, FloatArray]]:
    return [_p_values_of(pairs, block) for block in pairs.blocks(np.arange(start, stop))]


def _p_values_of(pairs: BoardPairs, block: Block) -> tuple[FloatArray, FloatArray]:
    unadjusted = block.evidence.of_items.unadjusted_p()
    tests = PairTests.of(block.evidence, pairs.declared, unadjusted=unadjusted)
    return tests.p, unadjusted
