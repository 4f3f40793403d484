"""Confidence sets of the ranks of a board's models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.extensions import ExtensionArray

from llm_power._board.further_items import sampled_clusters
from llm_power._board.operating_point import OperatingPoint
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray
from llm_power._statistics.intervals import mean_interval, wilson_interval
from llm_power._statistics.missing_scores import missingness_by_difficulty
from llm_power._statistics.random_streams import content_digest, keys_of
from llm_power._statistics.rank_sets import average_rank_sets


def rank_table(
    tasks: Sequence[TaskScores],
    point: OperatingPoint,
    ends: Mapping[str, tuple[IntArray, IntArray]],
) -> pd.DataFrame:
    """Return every model's rank and score, with their confidence sets and intervals.

    `ends` are those of `llm_power._board.all_pairs.BoardPairs.rank_ends`.
    """
    return pd.concat([_of_task(task, point, *ends[task.task]) for task in tasks], ignore_index=True)


def declared_leads(
    tasks: Sequence[TaskScores],
    weights: Sequence[float],
    *,
    point: OperatingPoint,
    cluster: str | None,
) -> BoolArray | None:
    """Return which model is better than which by the weighted average, (n_models, n_models)."""
    complete, models = _compared(tasks)
    if min(map(len, complete)) < 2 or len(models) < 2:
        return None
    scores = [task.merits[np.ix_(rows, models)] for task, rows in zip(tasks, complete, strict=True)]
    bounds = [np.stack(task.merit_bounds) for task in tasks]
    least, most = np.sum([w * x for w, x in zip(weights, bounds, strict=True)], axis=0)
    better = least[:, np.newaxis] > most
    digests = [content_digest(task.item_ids, task.merits) for task in tasks]
    items = [np.asarray(task.item_ids)[rows] for task, rows in zip(tasks, complete, strict=True)]
    samples: list[list[NDArray[np.str_]]] = [items]
    if cluster is not None:
        # One cluster says nothing of others: the items are the sample.
        found = [sampled_clusters(task, cluster) for task in tasks]
        samples.append(
            [
                ids if labels is None else labels[rows]
                for ids, labels, rows in zip(items, found, complete, strict=True)
            ]
        )
    for sample in samples:
        if any(np.all(names == names[0]) for names in sample):
            return np.zeros(better.shape, dtype=np.bool_)  # All complete items are of one cluster.
        sets = average_rank_sets(
            scores,
            weights,
            clusters=sample,
            confidence=1 - point.alpha,
            keys=[
                keys_of(np.unique(names).tolist(), digest)
                for names, digest in zip(sample, digests, strict=True)
            ],
        )
        declared = np.zeros(better.shape, dtype=np.bool_)
        declared[np.ix_(models, models)] = sets.better
        better &= declared
    return np.asarray(better)


def _compared(tasks: Sequence[TaskScores]) -> tuple[list[IntArray], IntArray]:
    """Return each task's items and the models to compare: all, or those that lack no score."""
    rows = [np.flatnonzero(task.scored.all(axis=1)) for task in tasks]
    if min(map(len, rows)) >= 2:
        return rows, np.arange(len(tasks[0].models))
    lack_none = np.logical_and.reduce([task.scored.all(axis=0) for task in tasks])
    return [np.arange(task.n_items) for task in tasks], np.flatnonzero(lack_none)


def rank_sets_of(leads: BoolArray | None, n_models: int) -> tuple[ExtensionArray, ExtensionArray]:
    """Return `rank_low` and `rank_high` by the declared leads, null where there are none."""
    if leads is None:
        unknown = pd.array([pd.NA] * n_models, dtype="Int64")
        return unknown, unknown
    low, high = 1 + leads.sum(axis=0), n_models - leads.sum(axis=1)
    return pd.array(low, dtype="Int64"), pd.array(high, dtype="Int64")


def _of_task(
    task: TaskScores, point: OperatingPoint, better: IntArray, worse: IntArray
) -> pd.DataFrame:
    n_missing = (~task.scored).sum(axis=0)
    unknown = np.full(len(n_missing), np.nan)
    return pd.DataFrame(
        {
            "task": task.task,
            "model": task.models,
            "rank": np.arange(1, len(task.models) + 1),
            "score": task.mean_scores,
            **_interval(task, point),
            "n_missing": n_missing,
            "p_missing": missingness_by_difficulty(task.values).p if n_missing.any() else unknown,
            "rank_low": pd.array(1 + better, dtype="Int64"),
            "rank_high": pd.array(len(task.models) - worse, dtype="Int64"),
        }
    )


def _interval(task: TaskScores, point: OperatingPoint) -> dict[str, FloatArray]:
    confidence = 1 - point.alpha
    if task.kind == "binary":
        solved = np.nansum(task.values, axis=0)
        low, high = wilson_interval(solved, task.scored.sum(axis=0), confidence=confidence)
    else:
        low, high = mean_interval(task.values, confidence=confidence)
    if task.kind == "graded":  # No score is beyond 0 and 1.
        low, high = np.clip([low, high], 0.0, 1.0)
    return {"score_low": low, "score_high": high}
