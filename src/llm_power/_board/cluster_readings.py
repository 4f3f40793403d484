"""How many pairs differ if clusters are a sample of clusters, and if they are all that is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from llm_power._board.all_pairs import BoardPairs, p_values_between
from llm_power._choices import ClusterSampling
from llm_power._statistics.arrays import IntArray
from llm_power._statistics.verdict import DIFFERENT


def cluster_readings(
    pairs: BoardPairs, verdicts: pd.DataFrame, places: IntArray
) -> list[dict[str, Any]]:
    """Return the pairs of each task that differ by either reading of its clusters.

    `verdicts` are those at `places` by the reading that is declared.
    """
    cluster, declared = pairs.cluster, pairs.declared
    tasks = [] if cluster is None else pairs.tasks
    numbers = {task.task: len(set(task.clusters[str(cluster)])) for task in tasks}
    if max(numbers.values(), default=1) < 2:
        return []
    reading: ClusterSampling = "fixed" if declared.clusters == "random" else "random"
    again = pairs.otherwise(pairs.family, replace(declared, clusters=reading, monitored=False))
    family = again.adjusted(*p_values_between(again, 0, again.n_pairs))
    other = family.decided.p[places] <= pairs.point.alpha
    own = (verdicts["verdict"] == DIFFERENT).to_numpy()
    found: list[dict[str, Any]] = []
    for task, n_clusters in numbers.items():
        if n_clusters > 1:
            rows = (verdicts["task"] == task).to_numpy()
            each: dict[str, Any] = {"task": task, "clusters": n_clusters, "pairs": int(rows.sum())}
            each |= {
                str(declared.clusters): int(own[rows].sum()),
                str(reading): int(other[rows].sum()),
            }
            found.append(each)
    return found


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
                f"random{here['random']}), {each['fixed']:,} if they are all that is meant "
                f"(--clusters fixed{here['fixed']})."
            )
    return ""
