"""Intra-cluster correlation, design effect and cluster-adjusted verdict of every pair."""

from __future__ import annotations

import numpy as np
import pandas as pd

from llm_power.board.cluster_sums import cluster_moments
from llm_power.board.operating_point import OperatingPoint
from llm_power.board.tabulation import PAIR_KEY
from llm_power.statistics.design_effect import cluster_resolution


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
        The key and the columns of this stage; null for a task without clusters.

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
    for name in ("icc", "design_effect", "n_star_cluster", "q_cluster"):
        table[name] = np.nan
    table["resolved_cluster"] = pd.array([pd.NA] * len(table), dtype="boolean")
    for task, sums in clusters.groupby("task", sort=False):
        rows = pairs["task"] == task
        result = cluster_resolution(cluster_moments(sums), alpha=point.alpha, power=point.power)
        table.loc[rows, "icc"] = result.icc
        table.loc[rows, "design_effect"] = result.design_effect
        table.loc[rows, "n_star_cluster"] = result.n_star
        table.loc[rows, "q_cluster"] = result.q
        table.loc[rows, "resolved_cluster"] = result.resolved
    return table
