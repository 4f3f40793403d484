"""How many pairs differ if clusters are a sample of clusters, and if they are all that is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from llm_power.choices import ClusterSampling
from llm_power.statistics.verdict import DIFFERENT


def cluster_readings(
    own: pd.DataFrame, other: pd.DataFrame, n_clusters: Mapping[str, int], taken: ClusterSampling
) -> list[dict[str, Any]]:
    """Return the pairs of each task that differ by the reading taken, and by the other one.

    `n_clusters` has the tasks with two clusters or more.
    """
    found = []
    for task, n in n_clusters.items():
        counts = [
            int((table.loc[table["task"] == task, "verdict"] == DIFFERENT).sum())
            for table in (own, other)
        ]
        random, fixed = counts if taken == "random" else counts[::-1]
        n_pairs = int((own["task"] == task).sum())
        found.append(
            {"task": task, "clusters": n, "pairs": n_pairs, "random": random, "fixed": fixed}
        )
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
