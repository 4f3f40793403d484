"""Confidence sets of the ranks of a board's models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.extensions import ExtensionArray

from llm_power.board.operating_point import OperatingPoint
from llm_power.scores.store import TaskScores
from llm_power.statistics._seeds import named_rng
from llm_power.statistics._typing import BoolArray, FloatArray, IntArray
from llm_power.statistics.mcnemar import mcnemar_exact
from llm_power.statistics.missing_bounds import missing_gap_bounds, missingness_by_difficulty
from llm_power.statistics.rank_sets import average_rank_sets
from llm_power.statistics.score_interval import mean_interval, wilson_interval


def rank_table(
    tasks: Sequence[TaskScores],
    point: OperatingPoint,
    cluster: str | None = None,
    *,
    ends: Mapping[str, tuple[IntArray, IntArray]] | None = None,
) -> pd.DataFrame:
    """Rank every model of every task, with the ranks that sampling of the items leaves possible.

    Parameters
    ----------
    tasks : sequence of TaskScores
        Ranked scores.
    point : OperatingPoint
        Its level is one minus the confidence that all sets of a task hold at once.
    cluster : str, optional
        Cluster column, where clusters are the sample. A lead then counts only if it stands for
        further items and for further clusters.
    ends : mapping of str to tuple of ndarray, optional
        Of each task, how many models are declared better and worse than each, where that is known
        from elsewhere; the sets are then null where a score is missing.

    Returns
    -------
    DataFrame
        One row a task and model: ``rank``, ``score`` over the model's own items with its interval
        for further items, ``score_low`` to ``score_high``, pointwise (Wilson's for 0/1 scores,
        Student's for graded ones); ``n_missing``,
        ``p_missing`` (small where missing scores go with difficulty), ``rank_low`` and
        ``rank_high``. The sets are those of the items that all models have, and count a lead
        only if no value of the missing scores would close it. Where fewer than two items are
        left, they are those of the models that lack none: no lead of another counts, and it may
        have any rank that they leave it. Null where there are not two of these either.

    Examples
    --------
    >>> from llm_power import OperatingPoint
    >>> from llm_power.board.ranks import rank_table
    >>> from llm_power.example import example_task
    >>> rank_table([example_task()], OperatingPoint())[["model", "rank_low", "rank_high"]]
        model  rank_low  rank_high
    0   heron         1          2
    1  osprey         1          2
    2    kite         3          3
    3    wren         4          4
    """
    tables = []
    for task in tasks:
        if ends is None:
            low, high = _rank_sets(task, point, cluster)
        else:
            low, high = _counted_sets(task, *ends[task.task])
        tables.append(_of_task(task, point, low, high))
    return pd.concat(tables, ignore_index=True)


def declared_leads(
    tasks: Sequence[TaskScores],
    weights: Sequence[float],
    *,
    point: OperatingPoint,
    cluster: str | None,
    rng_name: str,
) -> BoolArray | None:
    """Return which model is declared better than which, by the average over tasks.

    Parameters
    ----------
    tasks : sequence of TaskScores
        Scores of the same models in one order.
    weights : sequence of float
        Weight of each task.
    point : OperatingPoint
        Its level is one minus the confidence.
    cluster : str or None
        Cluster column, where clusters are the sample: both must declare a lead.
    rng_name : str
        Name of the stream of random numbers.

    Returns
    -------
    ndarray of bool, shape (n_models, n_models), or None
        By the items that all models have, and no lead that missing scores could close, nor, on a
        single task of 0/1 scores, one that the exact test of that pair alone would not find: the
        sets rest on the normal law, which four items that one model alone solved do not bear out.
        Where a task has fewer than two such items, by all items, of the models that lack none;
        None where there are not two of these.

    Examples
    --------
    >>> from llm_power import OperatingPoint
    >>> from llm_power.board.ranks import declared_leads
    >>> from llm_power.example import example_task
    >>> declared_leads(
    ...     [example_task()], [1.0], point=OperatingPoint(), cluster=None, rng_name="exam"
    ... ).sum(axis=1)
    array([2, 2, 1, 0])
    """
    complete, models = _compared(tasks)
    if min(map(len, complete)) < 2 or len(models) < 2:
        return None
    scores = [task.values[np.ix_(rows, models)] for task, rows in zip(tasks, complete, strict=True)]
    bounds = [missing_gap_bounds(task.values).low for task in tasks]
    better = np.sum([w * x for w, x in zip(weights, bounds, strict=True)], axis=0) > 0
    samples: list[list[NDArray[np.str_]] | None] = [None]
    if cluster is not None:
        labels = [np.asarray(task.clusters[cluster], dtype=str) for task in tasks]
        # One cluster says nothing of others: the items are the sample.
        labels = [np.arange(x.size).astype(str) if np.all(x == x[0]) else x for x in labels]
        samples.append([names[rows] for names, rows in zip(labels, complete, strict=True)])
    for sample in samples:
        if sample is not None and any(np.all(names == names[0]) for names in sample):
            return np.zeros(better.shape, dtype=np.bool_)  # All complete items are of one cluster.
        sets = average_rank_sets(
            scores,
            weights,
            clusters=sample,
            confidence=1 - point.alpha,
            rng=named_rng(0, rng_name),
        )
        declared = np.zeros(better.shape, dtype=np.bool_)
        declared[np.ix_(models, models)] = sets.better
        better &= declared
    if len(tasks) == 1 and tasks[0].kind == "binary":
        better[np.ix_(models, models)] &= _found_alone(scores[0], point.alpha)
    return np.asarray(better)


def _found_alone(scores: FloatArray, alpha: float) -> BoolArray:
    """Return which pairs of models the exact test finds different, each by itself."""
    solved = scores == 1
    only = solved.T.astype(np.float64) @ ~solved
    return np.asarray(mcnemar_exact(only, only.T) <= alpha)


def _compared(tasks: Sequence[TaskScores]) -> tuple[list[IntArray], IntArray]:
    """Return each task's items and the models to compare: all models, or those that lack none."""
    rows = [np.flatnonzero(task.scored.all(axis=1)) for task in tasks]
    if min(map(len, rows)) >= 2:
        return rows, np.arange(len(tasks[0].models))
    lack_none = np.logical_and.reduce([task.scored.all(axis=0) for task in tasks])
    return [np.arange(task.n_items) for task in tasks], np.flatnonzero(lack_none)


def rank_sets_of(leads: BoolArray | None, n_models: int) -> tuple[ExtensionArray, ExtensionArray]:
    """Return `rank_low` and `rank_high` from the declared leads, null where there are none known.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.ranks import rank_sets_of
    >>> [x.tolist() for x in rank_sets_of(np.array([[False, True], [False, False]]), 2)]
    [[1, 2], [1, 2]]
    """
    if leads is None:
        unknown = pd.array([pd.NA] * n_models, dtype="Int64")
        return unknown, unknown
    low, high = 1 + leads.sum(axis=0), n_models - leads.sum(axis=1)
    return pd.array(low, dtype="Int64"), pd.array(high, dtype="Int64")


def _rank_sets(
    task: TaskScores, point: OperatingPoint, cluster: str | None
) -> tuple[ExtensionArray, ExtensionArray]:
    leads = declared_leads(
        [task], [1.0], point=point, cluster=cluster, rng_name=f"rank_sets/{task.task}"
    )
    return rank_sets_of(leads, len(task.models))


def _counted_sets(
    task: TaskScores, better: IntArray, worse: IntArray
) -> tuple[ExtensionArray, ExtensionArray]:
    if not task.scored.all():
        return rank_sets_of(None, len(task.models))
    return pd.array(1 + better, dtype="Int64"), pd.array(len(task.models) - worse, dtype="Int64")


def _of_task(
    task: TaskScores, point: OperatingPoint, low: ExtensionArray, high: ExtensionArray
) -> pd.DataFrame:
    missing = missingness_by_difficulty(task.values)
    return pd.DataFrame(
        {
            "task": task.task,
            "model": task.models,
            "rank": np.arange(1, len(task.models) + 1),
            "score": task.mean_scores,
            **_interval(task, point),
            "n_missing": missing.n_missing,
            "p_missing": missing.p,
            "rank_low": low,
            "rank_high": high,
        }
    )


def _interval(task: TaskScores, point: OperatingPoint) -> dict[str, FloatArray]:
    confidence = 1 - point.alpha
    if task.kind == "binary":
        solved = np.nansum(task.values, axis=0)
        low, high = wilson_interval(solved, task.scored.sum(axis=0), confidence=confidence)
    else:
        low, high = mean_interval(task.values, confidence=confidence)
    return {"score_low": low, "score_high": high}
