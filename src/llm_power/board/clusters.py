"""Intra-cluster correlation, design effect and cluster-adjusted verdict of every pair."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from llm_power.board.cluster_sums import cluster_moments
from llm_power.board.operating_point import OperatingPoint
from llm_power.board.tabulation import PAIR_KEY, without_strangers
from llm_power.statistics.cluster_requirement import cluster_requirement, icc_interval
from llm_power.statistics.cluster_robust import cluster_robust_test
from llm_power.statistics.design_effect import cluster_resolution

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
    """Intra-cluster correlation, design effect and cluster-adjusted verdict of each pair.

    Parameters
    ----------
    pairs : DataFrame
        What `tabulate_pairs` returned.
    clusters : DataFrame
        What `tabulate_clusters` returned; may be empty.
    point : OperatingPoint
        Level and power.

    Returns
    -------
    DataFrame
        The key and the columns of this stage; null for a task without clusters, and for a pair
        that shares no item. ``icc``,
        ``design_effect``, ``n_star_cluster``, ``q_cluster`` and ``resolved_cluster`` are the
        paper's, at the mean cluster size. Beside them are the 90 % F interval of the ICC, Kish's
        design effect, the items that these clusters would need (``n_star_these_clusters``, in all
        and ``items_per_cluster``; ``inf`` where no number is enough), and the
        ``n_clusters_needed`` of the size at hand.

    Examples
    --------
    >>> from llm_power import OperatingPoint
    >>> from llm_power.board.cluster_sums import tabulate_clusters
    >>> from llm_power.board.clusters import add_clusters
    >>> from llm_power.board.tabulation import tabulate_pairs
    >>> from llm_power.example import example_task
    >>> pairs = tabulate_pairs(example_task(), "adjacent")
    >>> sums = tabulate_clusters(example_task(), "subject", "adjacent")
    >>> add_clusters(pairs, sums, OperatingPoint())["resolved_cluster"].tolist()
    [False, True, True]
    """
    table = pairs[PAIR_KEY].copy()
    table[CLUSTER_COLUMNS] = np.nan
    table["resolved_cluster"] = pd.array([pd.NA] * len(table), dtype="boolean")
    for task, sums in clusters.groupby("task", sort=False):
        rows = pairs["task"] == task
        moments = cluster_moments(sums)
        paper = cluster_resolution(moments, alpha=point.alpha, power=point.power)
        need = cluster_requirement(moments, alpha=point.alpha, power=point.power)
        low, high = icc_interval(moments, confidence=ICC_CONFIDENCE)
        columns = [paper.icc, paper.design_effect, paper.n_star, paper.q]
        columns += [low, high, need.design_effect, need.n_star, need.items_per_cluster]
        columns += [need.n_clusters, cluster_robust_test(moments).p]
        table.loc[rows, CLUSTER_COLUMNS] = np.stack(columns, axis=1)
        table.loc[rows, "resolved_cluster"] = paper.resolved
    return without_strangers(table, pairs, CLUSTER_COLUMNS)
