"""Clustered items: sums of every pair within them, design effect and cluster-adjusted verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pandas as pd

from llm_power._board.evidence import TaskEvidence
from llm_power._board.operating_point import Declared, OperatingPoint, pair_indices
from llm_power._board.resolution import PAIR_KEY, without_strangers
from llm_power._choices import Family
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.cluster_moments import Anova, ClusterMoments
from llm_power._statistics.cluster_requirement import cluster_requirement, icc_interval
from llm_power._statistics.cluster_robust import ClusterRobustTest, cluster_robust_test
from llm_power._statistics.design_effect import resolution_of

_CLUSTER_COLUMNS: Final = ["cluster", "n_cluster", "n_items", "sum_d", "sum_d2", "origin"]
# Of the 90 % interval of the ICC: exact where differences are normal, it covers two points less
# where clusters are strongly skewed. With a point more it covers .89 to .91 (docs/verdicts.md).
ICC_CONFIDENCE: Final = 0.91

CLUSTER_COLUMNS: Final = [
    *["icc", "design_effect", "n_star_cluster", "q_cluster"],
    *["icc_low", "icc_high", "design_effect_kish"],
    *["n_star_these_clusters", "items_per_cluster", "n_clusters_needed", "p_cluster"],
]


def clustered(tasks: Sequence[TaskScores], cluster: str | None) -> Sequence[TaskScores]:
    """Make one cluster of a task without the column, if another task has it."""
    if cluster is None or not any(cluster in task.clusters for task in tasks):
        return tasks
    return [
        task
        if cluster in task.clusters
        else replace(task, clusters={**task.clusters, cluster: (task.task,) * task.n_items})
        for task in tasks
    ]


def sample_column(cluster: str | None, declared: Declared) -> str | None:
    """Return the column of the clusters, None where they are not declared a sample."""
    return cluster if declared.clusters == "random" else None


def sampled_clusters(task: TaskScores, cluster: str | None) -> np.ndarray | None:
    """Return the cluster of each item, None where items are the sample."""
    labels = () if cluster is None else task.clusters.get(cluster, ())
    # One cluster says nothing of others: the items are the sample.
    return np.asarray(labels, dtype=str) if len(set(labels)) > 1 else None


def tabulate_clusters(ranked: TaskScores, column: str | None, family: Family) -> pd.DataFrame:
    """Return the sums of every pair's paired difference within clusters, one row each.

    ``origin`` is taken off every difference; it is 0 for binary scores, where ``sum_d`` is b - c
    and ``sum_d2`` is b + c. ``n_cluster`` counts all items, ``n_items`` those of both models.
    """
    if column is None:
        return pd.DataFrame(columns=["task", "rank_a", "rank_b", *_CLUSTER_COLUMNS])
    labels, codes = ranked.cluster_codes(column)
    first, second = pair_indices(len(ranked.models), family)
    moments = TaskEvidence(ranked, codes).by_cluster(first, second)
    n_clusters, n_pairs = moments.sum_d.shape
    n_items = np.broadcast_to(moments.n_items, moments.sum_d.shape)
    return pd.DataFrame(
        {
            "task": ranked.task,
            "rank_a": np.repeat(first + 1, n_clusters),
            "rank_b": np.repeat(second + 1, n_clusters),
            "cluster": np.tile(np.asarray(labels, dtype=object), n_pairs),
            "n_cluster": np.tile(np.bincount(codes, minlength=n_clusters), n_pairs),
            "n_items": n_items.T.ravel().astype(np.int64),
            "sum_d": moments.sum_d.T.ravel(),
            "sum_d2": moments.sum_d2.T.ravel(),
            "origin": np.repeat(np.broadcast_to(moments.origin, (n_pairs,)), n_clusters),
        }
    )


def cluster_moments(sums: pd.DataFrame) -> ClusterMoments:
    """Return the moments, (n_clusters, n_pairs), of one task's rows of `tabulate_clusters`."""
    n_clusters = sums["cluster"].nunique()
    n_items, sum_d, sum_d2, origin = (
        sums[name].to_numpy(np.float64).reshape(-1, n_clusters).T
        for name in ("n_items", "sum_d", "sum_d2", "origin")
    )
    # As in `with_an_item`: nothing follows from an item in each cluster that both models failed.
    n_items = np.where(n_items.any(axis=0), n_items, 1.0)
    return ClusterMoments(n_items, sum_d, sum_d2, origin[0])


def add_clusters(
    pairs: pd.DataFrame, clusters: pd.DataFrame, point: OperatingPoint
) -> pd.DataFrame:
    """Return intra-cluster correlation, design effect and cluster-adjusted verdict of each pair.

    The paper's columns are at the mean cluster size; ``_these_clusters`` at the sizes at hand,
    `inf` where no number of items is enough. Null without clusters or a shared item.
    """
    of_task = {
        task: PooledClusters.of(cluster_moments(sums))
        for task, sums in clusters.groupby("task", sort=False)
    }
    parts = [
        cluster_columns(rows, of_task.get(task), point)
        for task, rows in pairs.groupby("task", sort=False)
    ]
    return pd.concat(parts)


@dataclass(frozen=True, slots=True)
class PooledClusters:
    """What all clusters together say of each pair, (n_pairs,)."""

    fit: Anova
    test: ClusterRobustTest
    icc_low: FloatArray
    icc_high: FloatArray

    @classmethod
    def of(cls, moments: ClusterMoments, known: ClusterRobustTest | None = None) -> PooledClusters:
        """Return what clusters of these moments say; their test may be known."""
        test = known or cluster_robust_test(moments)
        return cls(moments.anova, test, *icc_interval(moments, confidence=ICC_CONFIDENCE))


def cluster_columns(
    pairs: pd.DataFrame, clusters: PooledClusters | None, point: OperatingPoint
) -> pd.DataFrame:
    """Return the rows of `add_clusters` of some pairs."""
    columns: dict[str, Any] = dict.fromkeys(CLUSTER_COLUMNS, np.nan)
    resolved: Any = [pd.NA] * len(pairs)
    if clusters is not None:
        need = cluster_requirement(clusters.fit, alpha=point.alpha, power=point.power)
        columns |= core_cluster_columns(clusters.fit, clusters.test.p, point) | {
            "icc_low": clusters.icc_low,
            "icc_high": clusters.icc_high,
            "design_effect_kish": need.design_effect,
            "n_star_these_clusters": need.n_star,
            "items_per_cluster": need.items_per_cluster,
            "n_clusters_needed": need.n_clusters,
        }
        resolved = columns.pop("resolved_cluster")
    table = pairs[PAIR_KEY].assign(**columns, resolved_cluster=pd.array(resolved, dtype="boolean"))
    return without_strangers(table, pairs, CLUSTER_COLUMNS)


def core_cluster_columns(fit: Anova, p: FloatArray, point: OperatingPoint) -> dict[str, np.ndarray]:
    """Return the `cluster_columns` that boards of millions of pairs have, by CR2's p-values."""
    paper = resolution_of(fit, point.alpha, point.power)
    return {
        "icc": paper.icc,
        "design_effect": paper.design_effect,
        "n_star_cluster": paper.n_star,
        "q_cluster": paper.q,
        "resolved_cluster": paper.resolved,
        "p_cluster": p,
    }
