"""Intra-cluster correlation, design effect and cluster-adjusted verdict of every pair."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from llm_power._board.cluster_sums import cluster_moments
from llm_power._board.operating_point import OperatingPoint
from llm_power._board.resolution import PAIR_KEY, without_strangers
from llm_power._statistics.cluster_moments import ClusterMoments
from llm_power._statistics.cluster_requirement import cluster_requirement, icc_interval
from llm_power._statistics.cluster_robust import ClusterRobustTest, cluster_robust_test
from llm_power._statistics.design_effect import cluster_resolution

# Of the 90 % interval of the ICC: exact where differences are normal, it covers two points less
# where clusters are strongly skewed. With a point more it covers .89 to .91 (docs/verdicts.md).
ICC_CONFIDENCE: Final = 0.91

CLUSTER_COLUMNS: Final = [
    *["icc", "design_effect", "n_star_cluster", "q_cluster"],
    *["icc_low", "icc_high", "design_effect_kish"],
    *["n_star_these_clusters", "items_per_cluster", "n_clusters_needed", "p_cluster"],
]


def add_clusters(
    pairs: pd.DataFrame, clusters: pd.DataFrame, point: OperatingPoint
) -> pd.DataFrame:
    """Return intra-cluster correlation, design effect and cluster-adjusted verdict of each pair.

    The paper's columns are at the mean cluster size; ``_these_clusters`` at the sizes at hand,
    `inf` where no number of items is enough. Null without clusters or a shared item.
    """
    of_task = {task: cluster_moments(sums) for task, sums in clusters.groupby("task", sort=False)}
    parts = [
        cluster_columns(rows, of_task.get(task), point)
        for task, rows in pairs.groupby("task", sort=False)
    ]
    return pd.concat(parts)


def cluster_columns(
    pairs: pd.DataFrame,
    moments: ClusterMoments | None,
    point: OperatingPoint,
    known: ClusterRobustTest | None = None,
) -> pd.DataFrame:
    """Return the rows of `add_clusters` of one task's pairs; their test may be known."""
    table = pairs[PAIR_KEY].copy()
    table[CLUSTER_COLUMNS] = np.nan
    table["resolved_cluster"] = pd.array([pd.NA] * len(table), dtype="boolean")
    if moments is None:
        return table
    need = cluster_requirement(moments, alpha=point.alpha, power=point.power)
    low, high = icc_interval(moments, confidence=ICC_CONFIDENCE)
    columns = core_cluster_columns(moments, known or cluster_robust_test(moments), point) | {
        "icc_low": low,
        "icc_high": high,
        "design_effect_kish": need.design_effect,
        "n_star_these_clusters": need.n_star,
        "items_per_cluster": need.items_per_cluster,
        "n_clusters_needed": need.n_clusters,
    }
    table[CLUSTER_COLUMNS] = np.stack([columns[name] for name in CLUSTER_COLUMNS], axis=1)
    table["resolved_cluster"] = pd.array(columns["resolved_cluster"], dtype="boolean")
    return without_strangers(table, pairs, CLUSTER_COLUMNS)


def core_cluster_columns(
    moments: ClusterMoments, test: ClusterRobustTest, point: OperatingPoint
) -> dict[str, np.ndarray]:
    """Return the `cluster_columns` that boards of millions of pairs have."""
    paper = cluster_resolution(moments, alpha=point.alpha, power=point.power)
    return {
        "icc": paper.icc,
        "design_effect": paper.design_effect,
        "n_star_cluster": paper.n_star,
        "q_cluster": paper.q,
        "resolved_cluster": paper.resolved,
        "p_cluster": test.p,
    }
