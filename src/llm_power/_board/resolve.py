"""All stages of a board in one call, for use without the workflow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from llm_power._board.all_pairs import (
    BLOCK,
    Block,
    BoardPairs,
    FamilyValues,
    in_threads,
    p_values_between,
    pairs_of_board,
)
from llm_power._board.average import TaskAverage, average_tasks
from llm_power._board.cluster_robustness import cluster_readings
from llm_power._board.clusters import PooledClusters, cluster_columns
from llm_power._board.columns import verdict_table
from llm_power._board.counts import joined
from llm_power._board.decision import decide_pairs
from llm_power._board.evidence import PairTests
from llm_power._board.landscape import Landscape, board_landscapes, count_verdicts
from llm_power._board.measure import POINTS, Measure, measure_of
from llm_power._board.operating_point import (
    HELD_UP_TO,
    UNDECLARED,
    USUAL,
    Declared,
    OperatingPoint,
    number_of_pairs,
)
from llm_power._board.ranks import rank_table
from llm_power._board.repeats import repeats_table
from llm_power._board.resolution import (
    add_given_multiplicity,
    add_multiplicity,
    add_resolution,
    add_sequential,
)
from llm_power._board.stream import (
    Keep,
    ShownPairs,
    Streamed,
    is_streamed,
    stream_pairs,
)
from llm_power._choices import Family
from llm_power._files import require_replaceable, scratch_folder
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import IntArray

N_STAGES: Final = 8
#: Folder of the Parquet files of a board with more pairs than are held.
DATASET: Final = "pairs"
_ALL: Final = Keep()


@dataclass(frozen=True, slots=True)
class BoardVerdicts:
    """A board's verdict table and what it was made from.

    Attributes
    ----------
    verdicts : DataFrame
        One row a pair: counts, and what every stage says of it.
    family : {"adjacent", "all"}
        Which pairs were compared.
    point : OperatingPoint
        Level and power.
    declared : Declared
        Test, margin, and whether clusters are a sample.
    ranks : DataFrame
        What `llm_power._board.ranks.rank_table` returned.
    average : TaskAverage or None
        Verdicts and ranks by the average over tasks; None for a single task.
    chosen_of : mapping of str to int
        How many models a task had before its best were kept; of the tasks that had more.
    repeats : DataFrame or None
        What `llm_power._board.repeats.repeats_table` returned; None if no score is a mean of
        repeats.
    landscapes : mapping of str to Landscape
        What all pairs of a task show together, as `llm_power._board.landscape.board_landscapes`
        returns it.
    streamed : Streamed or None
        Where there are more pairs than are held, what is known of all of them.
    cluster : str or None
        Cluster column of the scores.
    readings : sequence of mapping
        Pairs that differ by either reading of the clusters, as
        `llm_power._board.cluster_robustness.cluster_readings` returns them.
    top : int or None
        How many of the best models of each task `verdicts` are about; None for all.
    measure : Measure
        What scores and gaps are shown in.

    Examples
    --------
    >>> from llm_power import example_task, resolve_board
    >>> board = resolve_board([example_task()], family="all")
    >>> board.family, len(board.verdicts)
    ('all', 6)
    """

    verdicts: pd.DataFrame
    family: Family
    point: OperatingPoint
    declared: Declared
    ranks: pd.DataFrame
    average: TaskAverage | None = None
    chosen_of: Mapping[str, int] = field(default_factory=dict)
    repeats: pd.DataFrame | None = None
    landscapes: Mapping[str, Landscape] = field(default_factory=dict)
    streamed: Streamed | None = None
    cluster: str | None = None
    readings: Sequence[Mapping[str, Any]] = ()
    top: int | None = None
    measure: Measure = POINTS

    @property
    def n_pairs(self) -> int:
        """Return the pairs of the family, of which `verdicts` may hold some."""
        return int(self.verdicts["family_size"].max()) if len(self.verdicts) else 0

    @property
    def verdict_counts(self) -> Mapping[str, int]:
        """Return how many of all pairs have each verdict."""
        if self.streamed is not None:
            return self.streamed.tally.verdicts
        return count_verdicts(self.verdicts)

    @property
    def close_calls(self) -> int:
        """Return how many verdicts of all pairs could be another by other draws of max-T."""
        if self.streamed is not None:
            return self.streamed.tally.counts["close"]
        return int(self.verdicts["close_call"].sum())

    @property
    def shown_words(self) -> str:
        """Return the noun for the pairs of `verdicts`."""
        if self.streamed is not None:
            return self.streamed.shown.words
        return Keep(self.family, best=self.top).words


def resolve_board(
    tasks: Sequence[TaskScores],
    *,
    family: Family = "adjacent",
    cluster: str | None = None,
    point: OperatingPoint = USUAL,
    declared: Declared = UNDECLARED,
    top: int | None = None,
    on_stage: Callable[[str], None] = lambda _stage: None,
) -> BoardVerdicts:
    """Resolve every pair of a board.

    Parameters
    ----------
    tasks : sequence of TaskScores
        Ranked scores, as `llm_power._scores.selection` returns them; names differ.
    family : {"adjacent", "all"}
        Which pairs are compared; with several tasks the family is all of them together.
    cluster : str, optional
        Cluster column of the scores. A task without it, or with one cluster, is tested by its
        items.
    point : OperatingPoint, optional
        Level and power; by default .05 and .80.
    declared : Declared, optional
        Test, margin and clusters of the verdict, weights of the tasks; by default the exact test,
        no margin, clusters that are a sample, and equal weights.
    top : int, optional
        How many of the best models of each task the verdicts are about; ranks and the family stay
        those of all models. All of them by default.
    on_stage : callable, optional
        Called with the name of each of the `N_STAGES` stages before it starts.

    Returns
    -------
    BoardVerdicts
        The board, as the workflow makes it too.

    Raises
    ------
    InvalidArgument
        If two tasks have one name, no task has such a cluster column, or missing scores are
        weighted without one.
    ScoreError
        If scores are missing and `llm_power._scores.selection.prepare_task` was not told what to do
        about them.

    Examples
    --------
    >>> from llm_power import example_task, resolve_board
    >>> board = resolve_board([example_task()], family="adjacent", cluster="subject")
    >>> board.verdicts[["model_a", "model_b", "n_items", "n_star", "q", "resolved"]].round(2)
      model_a model_b  n_items   n_star      q  resolved
    0   heron  osprey      400  2566.58   0.16     False
    1  osprey    kite      400   204.50   1.96      True
    2    kite    wren      400    35.13  11.39      True
    """
    pairs = pairs_of_board(tasks, family, cluster, point, declared, top=top)
    return board_of(held_pairs(pairs, top, on_stage), pairs, on_stage)


def stream_board(
    tasks: Sequence[TaskScores],
    *,
    cluster: str | None = None,
    point: OperatingPoint = USUAL,
    declared: Declared = UNDECLARED,
    keep: Keep = _ALL,
    folder: Path | None = None,
    threads: int | None = None,
    on_pairs: Callable[[int], None] = lambda _count: None,
) -> BoardVerdicts:
    """Resolve all pairs of a board of any size, without holding them.

    Parameters
    ----------
    tasks, cluster, point, declared
        As of `resolve_board`; the family is all pairs.
    keep : Keep, optional
        Which pairs are written, and shown if they are not too many; by default all are written
        and the adjacent ones are shown.
    folder : Path, optional
        Folder of the Parquet dataset, see `llm_power._board.pair_store`.
    threads, on_pairs
        As of `llm_power._board.stream.stream_pairs`.

    Returns
    -------
    BoardVerdicts
        With the pairs that are shown, and `streamed`. The average over tasks, a family of its
        own, is that of adjacent pairs.

    Raises
    ------
    InvalidArgument, ScoreError
        As `resolve_board`.

    Examples
    --------
    >>> from llm_power import example_task, stream_board
    >>> board = stream_board([example_task()])
    >>> len(board.verdicts), board.n_pairs, board.shown_words
    (3, 6, 'adjacent pairs')
    """
    pairs = pairs_of_board(tasks, "all", cluster, point, declared, top=keep.best)
    shown = stream_pairs(pairs, keep, folder=folder, threads=threads, on_pairs=on_pairs)
    return board_of(shown, pairs)


def held_pairs(
    pairs: BoardPairs,
    top: int | None = None,
    on_stage: Callable[[str], None] = lambda _stage: None,
) -> ShownPairs:
    """Return all pairs, or those of the best `top` models, as those to be shown."""
    on_stage("pairs")
    p = p_values_between(pairs, 0, pairs.n_pairs)
    on_stage("family")
    values, places = pairs.adjusted(*p), pairs.among_best(top)
    readings = cluster_readings(pairs, values, places)
    return ShownPairs(places, values.of(places), pairs.rank_ends(values), readings, top)


def board_of(
    shown: ShownPairs,
    pairs: BoardPairs,
    on_stage: Callable[[str], None] = lambda _stage: None,
    *,
    averaged: bool = True,
) -> BoardVerdicts:
    """Return the board of pairs that are held, or streamed in one piece or in parts.

    Several tasks have no average unless `averaged`.
    """
    streamed, top = shown.streamed, shown.top
    verdicts = shown_verdicts(pairs, shown.family, shown.places, on_stage)
    on_stage("ranks")
    ranks = rank_table(pairs, shown.ends)
    on_stage("average")
    average = None
    if averaged:
        average = average_tasks(pairs, pairs.family if streamed is None else "adjacent", top)
    tasks, point, measure = pairs.tasks, pairs.point, measure_of(pairs.tasks)
    chosen_of = {task.task: n for task in tasks if (n := task.provenance.chosen_of) is not None}
    landscapes: Mapping[str, Landscape] = {}
    if streamed is not None:
        landscapes = streamed.tally.landscapes
    elif top is None and measure is POINTS:
        landscapes = board_landscapes(verdicts, pairs.family)
    return BoardVerdicts(
        verdicts,
        pairs.family,
        point,
        pairs.declared,
        ranks,
        average,
        chosen_of,
        repeats_table(verdicts, tasks, point),
        landscapes,
        streamed,
        cluster=pairs.cluster,
        readings=shown.readings,
        top=top,
        measure=measure,
    )


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
            adjusted=family.adjusted,
            size=pairs.n_pairs,
        )
    on_stage("clusters")

    def of_block(block: Block) -> _Tested:
        evidence, known_p = block.evidence, family.decided.single[block.rows]
        clusters, moments = None, evidence.of_clusters
        if moments is not None:
            clusters = PooledClusters.of(moments, evidence.cluster_test)
        tests = PairTests.of(evidence, pairs.declared, known_p=known_p)
        return _Tested(block.task, block.rows, tests, clusters)

    def decided(blocks: Sequence[_Tested]) -> tuple[pd.DataFrame, pd.DataFrame]:
        rows, task = slice(blocks[0].rows.start, blocks[-1].rows.stop), pairs.tasks[blocks[0].task]
        own, of_rows = counts.iloc[rows], family.decided.of(rows)
        tests = joined([block.tests for block in blocks])
        return (
            cluster_columns(own, joined([block.clusters for block in blocks]), point),
            decide_pairs(own, tests, task, point, family=of_rows),
        )

    # The sums of clusters fit a core's cache block by block; pairs are decided many at once.
    tested = in_threads(of_block, ((block,) for block in pairs.blocks(places)))
    many = groupby(list(tested), lambda block: (block.task, block.rows.start // BLOCK))
    tables = in_threads(decided, [(list(blocks),) for _, blocks in many])
    clusters, decisions = zip(*tables, strict=True)
    on_stage("verdicts")
    return verdict_table(
        counts,
        resolution,
        multiplicity,
        pd.concat(clusters),
        add_sequential(counts, point),
        pd.concat(decisions),
    )


@dataclass(frozen=True, slots=True)
class _Tested:
    """Pairs of one task, by their tests and what is known of their clusters, if they have any."""

    task: int
    rows: slice
    tests: PairTests
    clusters: PooledClusters | None


@contextmanager
def resolved_board(
    out: Path | None,
    tasks: Sequence[TaskScores],
    *,
    family: Family,
    keep: Keep | None,
    top: int | None,
    cluster: str | None,
    point: OperatingPoint,
    declared: Declared,
    on_stage: Callable[[str], None],
) -> Iterator[tuple[BoardVerdicts, Path | None]]:
    """Yield a board, held or streamed by its number of pairs, and the streamed pairs' folder.

    Streamed pairs are written where there is an `out`, for what writes it to move them there.
    """
    streams = is_streamed(tasks, family, keep)
    if streams and out is not None:  # before minutes of work, not after it
        require_replaceable(out / DATASET)
    pairs = pairs_of_board(tasks, family, cluster, point, declared, top=top)
    if not streams:
        yield board_of(held_pairs(pairs, top, on_stage), pairs, on_stage), None
        return
    keep = replace(keep or Keep(), best=top)
    with nullcontext() if out is None else scratch_folder(out) as scratch:
        folder = None if scratch is None else scratch / DATASET
        shown = stream_pairs(pairs, keep, folder=folder, on_pairs=_in_steps(tasks, on_stage))
        board = board_of(shown, pairs)
        yield board, folder if folder is not None and any(folder.iterdir()) else None


def _in_steps(
    tasks: Sequence[TaskScores], on_stage: Callable[[str], None]
) -> Callable[[int], None]:
    """Report the stages of a stream of pairs, of which each passes twice."""
    total = 2 * number_of_pairs(tasks)
    done = 0

    def count(pairs: int) -> None:
        nonlocal done
        before, done = done, done + pairs
        for _ in range(before * N_STAGES // total, done * N_STAGES // total):
            on_stage(f"pairs, {done / total:.0%}")

    return count
