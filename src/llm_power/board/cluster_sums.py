"""The sums of every pair within clusters of items: what cluster moments are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from llm_power.board.counts import count_cells_by_cluster, difference_moments_by_cluster
from llm_power.board.families import pair_indices
from llm_power.choices import Family
from llm_power.scores.store import TaskScores
from llm_power.statistics._typing import IntArray
from llm_power.statistics.cluster_moments import ClusterMoments, moments_from_counts

_CLUSTER_COLUMNS: Final = ["cluster", "n_cluster", "n_items", "sum_d", "sum_d2", "origin"]


def tabulate_clusters(ranked: TaskScores, column: str | None, family: Family) -> pd.DataFrame:
    """Sum the paired difference of every pair within every cluster of items.

    Parameters
    ----------
    ranked : TaskScores
        Scores with the columns in rank order.
    column : str or None
        Cluster column of the scores; None gives an empty table.
    family : {"adjacent", "all"}
        Which pairs are compared.

    Returns
    -------
    DataFrame
        One row a pair and cluster: task, ranks, cluster, ``n_cluster`` (all its items),
        ``n_items`` (those of both models), ``sum_d``, ``sum_d2`` and ``origin``, which was taken
        off every difference. For binary scores it is 0, ``sum_d`` is
        b - c and ``sum_d2`` is b + c.

    Raises
    ------
    InvalidArgument
        If the scores have no such cluster column.

    Examples
    --------
    >>> from llm_power.board.cluster_sums import tabulate_clusters
    >>> from llm_power.example import example_task
    >>> tabulate_clusters(example_task(), "subject", "adjacent").head(4).drop(columns="n_cluster")
       task  rank_a  rank_b  cluster  n_items  sum_d  sum_d2  origin
    0  exam       1       2  algebra      100    3.0    23.0     0.0
    1  exam       1       2   botany      100    3.0    17.0     0.0
    2  exam       1       2    chess      100    3.0    21.0     0.0
    3  exam       1       2    drama      100    1.0    21.0     0.0
    """
    if column is None:
        return pd.DataFrame(columns=["task", "rank_a", "rank_b", *_CLUSTER_COLUMNS])
    pairs = pair_indices(len(ranked.models), family)
    return cluster_sums(ranked, *ranked.cluster_codes(column), *pairs)


def cluster_sums(
    ranked: TaskScores,
    labels: Sequence[str],
    codes: IntArray,
    first: IntArray,
    second: IntArray,
) -> pd.DataFrame:
    """As `tabulate_clusters`, for any assignment of items to clusters, and any pairs.

    Parameters
    ----------
    ranked : TaskScores
        Scores with the columns in rank order.
    labels : sequence of str, length n_clusters
        Name of each cluster.
    codes : ndarray of int, shape (n_items,)
        Cluster of each item.
    first, second : ndarray of int, shape (n_pairs,)
        Positions of both models of each pair, the better ranked one first.

    Returns
    -------
    DataFrame
        As `tabulate_clusters`.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.cluster_sums import cluster_sums
    >>> from llm_power.example import example_task
    >>> codes = np.arange(400) // 200
    >>> halves = ["first half", "second half"]
    >>> cluster_sums(example_task(), halves, codes, np.array([0]), np.array([1])).shape
    (2, 9)
    """
    if ranked.kind == "binary":
        cells = count_cells_by_cluster(ranked.values, codes, first, second)
        moments = moments_from_counts(cells.n_items, cells.b, cells.c)
    else:
        moments = difference_moments_by_cluster(ranked.values, codes, first, second)
    n_clusters, n_pairs = moments.n_items.shape
    return pd.DataFrame(
        {
            "task": ranked.task,
            "rank_a": np.repeat(first + 1, n_clusters),
            "rank_b": np.repeat(second + 1, n_clusters),
            "cluster": np.tile(np.asarray(labels, dtype=object), n_pairs),
            "n_cluster": np.tile(np.bincount(codes, minlength=n_clusters), n_pairs),
            "n_items": moments.n_items.T.ravel().astype(np.int64),
            "sum_d": moments.sum_d.T.ravel(),
            "sum_d2": moments.sum_d2.T.ravel(),
            "origin": np.repeat(np.broadcast_to(moments.origin, (n_pairs,)), n_clusters),
        }
    )


def cluster_moments(sums: pd.DataFrame) -> ClusterMoments:
    """Return the moments, (n_clusters, n_pairs), of one task's rows of `tabulate_clusters`.

    Examples
    --------
    >>> from llm_power.board.cluster_sums import cluster_moments, tabulate_clusters
    >>> from llm_power.example import example_task
    >>> moments = cluster_moments(tabulate_clusters(example_task(), "subject", "adjacent"))
    >>> moments.sum_d.shape
    (4, 3)
    """
    n_clusters = sums["cluster"].nunique()
    n_items, sum_d, sum_d2, origin = (
        sums[name].to_numpy(np.float64).reshape(-1, n_clusters).T
        for name in ("n_items", "sum_d", "sum_d2", "origin")
    )
    # As in `with_an_item`: nothing follows from an item in each cluster that both models failed.
    n_items = np.where(n_items.any(axis=0), n_items, 1.0)
    return ClusterMoments(n_items, sum_d, sum_d2, origin[0])


def cluster_sizes(sums: pd.DataFrame) -> IntArray:
    """Return all items of each cluster of one task's rows of `tabulate_clusters`.

    Examples
    --------
    >>> from llm_power.board.cluster_sums import cluster_sizes, tabulate_clusters
    >>> from llm_power.example import example_task
    >>> cluster_sizes(tabulate_clusters(example_task(), "subject", "adjacent")).tolist()
    [100, 100, 100, 100]
    """
    return sums["n_cluster"].to_numpy(np.int64)[: sums["cluster"].nunique()]
