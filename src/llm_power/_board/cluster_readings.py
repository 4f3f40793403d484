"""How many pairs differ if clusters are a sample, and if they are the only ones of interest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from llm_power._board.all_pairs import BoardPairs, FamilyValues, p_values_between
from llm_power._board.operating_point import Declared
from llm_power._choices import ClusterSampling
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray
from llm_power._statistics.multiplicity import family_size


def cluster_readings(
    pairs: BoardPairs, family: FamilyValues, places: IntArray | None = None
) -> list[dict[str, Any]]:
    """Return how many pairs differ in each task by either reading of its clusters.

    `family` are the values of all pairs by the reading that is declared; those at the ordered
    `places` are counted, or all.
    """
    numbers = [n_clusters(task, pairs.cluster) for task in pairs.tasks]
    if max(numbers) < 2:
        return []
    again = pairs.otherwise(pairs.family, read_otherwise(pairs.declared))
    other = again.adjusted(*_p_otherwise(pairs, again, family))
    own, different = (
        (x if places is None else x.of(places)).decided.different(pairs.point.alpha)
        for x in (family, other)
    )
    ends = np.cumsum([0, *(family_size(len(task.models), pairs.family) for task in pairs.tasks)])
    bounds = ends if places is None else np.searchsorted(places, ends)
    return [
        reading(task.task, number, pairs.declared, own[start:stop], different[start:stop])
        for task, number, (start, stop) in zip(
            pairs.tasks, numbers, pairwise(bounds.tolist()), strict=True
        )
        if number > 1
    ]


def _p_otherwise(
    pairs: BoardPairs, again: BoardPairs, family: FamilyValues
) -> tuple[FloatArray, FloatArray]:
    """Return the p-values of the other reading, which may be known: those of the exact test."""
    declared = pairs.declared
    by_items = declared.clusters == "random" and declared.test == "exact" and not declared.weighted
    if by_items and all(task.kind == "binary" for task in pairs.tasks):
        return family.unadjusted, family.unadjusted
    return p_values_between(again, 0, again.n_pairs)


def n_clusters(task: TaskScores, cluster: str | None) -> int:
    """Return the number of clusters of a task, 1 where its items are the sample."""
    return 1 if cluster is None else len(set(task.clusters[cluster]))


def read_otherwise(declared: Declared) -> Declared:
    """Return what is declared, with the other reading of the clusters."""
    other: ClusterSampling = "fixed" if declared.clusters == "random" else "random"
    return replace(declared, clusters=other, monitored=False)


def reading(
    task: str, number: int, declared: Declared, own: BoolArray, other: BoolArray
) -> dict[str, Any]:
    """Return how many of some pairs differ as declared, and by the other reading."""
    return {
        "task": task,
        "clusters": number,
        "pairs": own.size,
        str(declared.clusters): int(own.sum()),
        str(read_otherwise(declared).clusters): int(other.sum()),
    }


def readings_sentence(
    readings: Sequence[Mapping[str, Any]], task: str, column: str | None, taken: ClusterSampling
) -> str:
    """Return both readings of the clusters of a task in one sentence, empty where it has none."""
    for each in readings:
        if each["task"] == task:
            here = {name: ", as here" if name == taken else "" for name in ("random", "fixed")}
            are = "is" if each["random"] == 1 else "are"
            return (
                f"{each['random']:,} of {each['pairs']:,} pairs {are} different if the "
                f"{each['clusters']:,} clusters of {column} are a sample of clusters (--clusters "
                f"random{here['random']}), {each['fixed']:,} if they are the only ones of interest "
                f"(--clusters fixed{here['fixed']})."
            )
    return ""
