"""How far the clustered verdicts hang on which clusters there are, and on what a cluster is.

Tables of Appendix F (leave one cluster out), Appendix G (category bootstrap) and the last
paragraph of Section 6.4 (other definitions of a cluster), for any board.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from llm_power.board.cluster_sums import cluster_moments, cluster_sums
from llm_power.board.families import pair_indices
from llm_power.board.operating_point import OperatingPoint
from llm_power.choices import Family
from llm_power.scores.store import TaskScores
from llm_power.statistics._seeds import named_rng
from llm_power.statistics.category_bootstrap import category_bootstrap
from llm_power.statistics.clusterings import difficulty_bins, random_clusters, split_by_parity
from llm_power.statistics.design_effect import cluster_resolution, leave_one_cluster_out

_RANKS: Final = ["task", "rank_a", "rank_b"]
_DEFINITION: Final = [
    *["task", "definition", "n_clusters"],
    *["icc_median", "icc_max", "n_pairs", "n_unresolved"],
]
_INTERVALS: Final = [
    *["icc_p05", "icc_p95", "design_effect_p05", "design_effect_p95"],
    *["n_star_cluster_p05", "n_star_cluster_p95", "probability_unresolved", "n_undefined"],
]


def leave_one_out_table(clusters: pd.DataFrame, point: OperatingPoint) -> pd.DataFrame:
    """Clustered verdict of every pair after dropping each cluster in turn, Appendix F.

    Parameters
    ----------
    clusters : DataFrame
        What `llm_power.board.cluster_sums.tabulate_clusters` returned.
    point : OperatingPoint
        Level and power.

    Returns
    -------
    DataFrame
        One row a pair and dropped cluster: ``n_items`` that remain, ``n_star``, ``icc``,
        ``design_effect``, ``n_star_cluster`` and ``resolved_cluster`` on them.

    Examples
    --------
    >>> from llm_power import OperatingPoint
    >>> from llm_power.board.cluster_robustness import leave_one_out_table
    >>> from llm_power.board.cluster_sums import tabulate_clusters
    >>> from llm_power.example import example_task
    >>> sums = tabulate_clusters(example_task(), "subject", "adjacent")
    >>> leave_one_out_table(sums, OperatingPoint())["dropped"].unique().tolist()
    ['algebra', 'botany', 'chess', 'drama']
    """
    parts = []
    for _, sums in clusters.groupby("task", sort=False):
        result = leave_one_cluster_out(cluster_moments(sums), alpha=point.alpha, power=point.power)
        columns = {
            "n_items": result.n_items,
            "n_star": result.n_star_iid,
            "icc": result.icc,
            "design_effect": result.design_effect,
            "n_star_cluster": result.n_star,
            "resolved_cluster": result.resolved,
        }
        keys = sums[[*_RANKS, "cluster"]].reset_index(drop=True)
        keys = keys.rename(columns={"cluster": "dropped"})
        # The rows run cluster by cluster within a pair; the results pair by pair within a cluster.
        parts.append(keys.assign(**{name: value.T.ravel() for name, value in columns.items()}))
    names = [*_RANKS, "dropped", "n_items", "n_star", "icc"]
    names += ["design_effect", "n_star_cluster", "resolved_cluster"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=names)


def category_bootstrap_tables(
    clusters: pd.DataFrame, point: OperatingPoint, *, n_resamples: int, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Percentile intervals of every pair, and how many pairs are unresolved, Appendix G.

    Parameters
    ----------
    clusters : DataFrame
        What `llm_power.board.cluster_sums.tabulate_clusters` returned.
    point : OperatingPoint
        Level and power.
    n_resamples : int
        Number of resamples of the clusters.
    seed : int
        Seed; each task draws from the stream of its own name.

    Returns
    -------
    intervals : DataFrame
        One row a pair: 5th and 95th percentiles, and the share of resamples in which it is
        unresolved.
    distribution : DataFrame
        One row a task and number of unresolved pairs, with its share of the resamples.

    Examples
    --------
    >>> from llm_power import OperatingPoint
    >>> from llm_power.board.cluster_robustness import category_bootstrap_tables
    >>> from llm_power.board.cluster_sums import tabulate_clusters
    >>> from llm_power.example import example_task
    >>> sums = tabulate_clusters(example_task(), "subject", "adjacent")
    >>> point = OperatingPoint()
    >>> intervals, counts = category_bootstrap_tables(sums, point, n_resamples=50, seed=1)
    >>> intervals[["rank_a", "rank_b", "probability_unresolved"]]
       rank_a  rank_b  probability_unresolved
    0       1       2                     1.0
    1       2       3                     0.0
    2       3       4                     0.0
    """
    intervals, distributions = [], []
    for task, sums in clusters.groupby("task", sort=False):
        result = category_bootstrap(
            cluster_moments(sums),
            rng=named_rng(seed, f"category_bootstrap/{task}"),
            n_resamples=n_resamples,
            alpha=point.alpha,
            power=point.power,
        )
        bounds = np.concatenate(
            [result.icc_interval, result.design_effect_interval, result.n_star_interval]
        )
        rows = sums[_RANKS].drop_duplicates().reset_index(drop=True)
        intervals.append(
            rows.assign(
                **dict(zip(_INTERVALS[:6], bounds, strict=True)),
                probability_unresolved=result.probability_unresolved,
                n_undefined=result.n_undefined,
            )
        )
        distributions.append(
            pd.DataFrame(
                {
                    "task": task,
                    "n_unresolved": np.arange(len(result.count_distribution)),
                    "share": result.count_distribution,
                }
            )
        )
    if not intervals:
        return (
            pd.DataFrame(columns=[*_RANKS, *_INTERVALS]),
            pd.DataFrame(columns=["task", "n_unresolved", "share"]),
        )
    return (
        pd.concat(intervals, ignore_index=True),
        pd.concat(distributions, ignore_index=True),
    )


def cluster_definition_table(
    ranked: TaskScores, column: str | None, family: Family, point: OperatingPoint, *, seed: int
) -> pd.DataFrame:
    """Unresolved pairs under other definitions of a cluster, end of Section 6.4.

    Parameters
    ----------
    ranked : TaskScores
        Scores with the columns in rank order.
    column : str or None
        Cluster column whose definition is questioned; None gives an empty table.
    family : {"adjacent", "all"}
        Which pairs are compared.
    point : OperatingPoint
        Level and power.
    seed : int
        Seed of the random clusters.

    Returns
    -------
    DataFrame
        One row a definition: number of clusters, median and largest ICC, unresolved pairs.

    Examples
    --------
    >>> from llm_power import OperatingPoint
    >>> from llm_power.board.cluster_robustness import cluster_definition_table
    >>> from llm_power.example import example_task
    >>> table = cluster_definition_table(
    ...     example_task(), "subject", "adjacent", OperatingPoint(), seed=1
    ... )
    >>> table["definition"].unique().tolist()
    ['subject', 'random', 'difficulty quartiles', 'subject by item parity']
    """
    if column is None:
        return pd.DataFrame(columns=_DEFINITION)
    labels = np.asarray(ranked.clusters[column], dtype=str)
    n_clusters = len(np.unique(labels))
    difficulty = np.nanmean(ranked.values, axis=1)
    definitions = {
        column: labels,
        "random": random_clusters(
            len(labels), n_clusters, rng=named_rng(seed, f"random_clusters/{ranked.task}")
        ),
        "difficulty quartiles": difficulty_bins(difficulty, n_bins=4),
        f"{column} by item parity": split_by_parity(labels),
    }
    rows = []
    for name, assignment in definitions.items():
        names, codes = np.unique(np.asarray(assignment, dtype=str), return_inverse=True)
        sums = cluster_sums(ranked, list(names), codes, *pair_indices(len(ranked.models), family))
        moments = cluster_moments(sums)
        result = cluster_resolution(moments, alpha=point.alpha, power=point.power)
        rows.append(
            {
                "task": ranked.task,
                "definition": name,
                "n_clusters": len(names),
                "icc_median": float(np.nanmedian(result.icc)),
                "icc_max": float(np.nanmax(result.icc)),
                "n_pairs": len(result.resolved),
                "n_unresolved": int(np.count_nonzero(~result.resolved)),
            }
        )
    return pd.DataFrame(rows)
