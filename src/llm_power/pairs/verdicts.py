"""The verdict table: one row a pair, one stage a group of columns.

Each stage takes the rows of the one before it and adds what its own idea says about them:
counts, resolution, multiplicity, clusters, sequential. The workflow caches every stage;
`resolve_pairs` runs them in a row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from scipy.special import stdtr

from llm_power.errors import InvalidArgument
from llm_power.pairs.counts import (
    count_cells,
    count_cells_by_cluster,
    difference_moments,
    difference_moments_by_cluster,
)
from llm_power.pairs.families import pair_indices
from llm_power.scores.store import TaskScores
from llm_power.statistics._typing import FloatArray
from llm_power.statistics.cluster_moments import ClusterMoments, moments_from_sums
from llm_power.statistics.design_effect import cluster_resolution
from llm_power.statistics.e_process import anytime_required_n
from llm_power.statistics.inversion import (
    minimum_detectable_effect,
    required_n,
    resolution_ratio,
)
from llm_power.statistics.mcnemar import (
    mcnemar_asymptotic,
    mcnemar_continuity_corrected,
    mcnemar_exact,
    mcnemar_mid_p,
)
from llm_power.statistics.multiplicity import (
    Family,
    Procedure,
    adjust_benjamini_hochberg,
    adjust_bonferroni,
    adjust_holm,
    adjust_sidak,
    adjusted_required_n,
)
from llm_power.statistics.paired_binary import summarize_counts
from llm_power.statistics.shortcut import miller_unpaired_required_n, shortcut_required_n

PAIR_KEY: Final = ["task", "rank_a", "rank_b", "model_a", "model_b"]

VERDICT_COLUMNS: Final = [
    *PAIR_KEY,
    *["n_items", "n11", "b", "c", "n00", "p_a", "p_b", "delta", "rho", "var_d"],
    *["n_star", "q", "mde", "resolved", "attainable", "n_h", "n_miller"],
    *["p_chi2", "p_exact", "p_midp", "p_cc", "p_holm", "p_bh"],
    *["n_star_bonferroni", "n_star_holm"],
    *["icc", "design_effect", "n_star_cluster", "q_cluster", "resolved_cluster"],
    *["log_e", "crossed", "n_star_anytime", "resolved_anytime"],
]

CELL_COLUMNS: Final = ["n11", "b", "c", "n00"]
MOMENT_COLUMNS: Final = ["sum_a", "sum_b", "sum_a2", "sum_b2", "sum_d", "sum_d2"]

_PROCEDURES: Final[dict[Procedure, tuple[str, Callable[[FloatArray], FloatArray]]]] = {
    "bonferroni": ("bonferroni", adjust_bonferroni),
    "sidak": ("sidak", adjust_sidak),
    "holm": ("holm", adjust_holm),
    "benjamini_hochberg": ("bh", adjust_benjamini_hochberg),
}


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """Level and power of every verdict.

    Attributes
    ----------
    alpha, power : float
        Two-sided level of a single pair, or of the family, and target power.
    """

    alpha: float = 0.05
    power: float = 0.80


def tabulate_pairs(ranked: TaskScores, family: Family) -> pd.DataFrame:
    """Count every pair of the family: the sufficient statistics of all later stages.

    Parameters
    ----------
    ranked : TaskScores
        Scores with the columns in rank order.
    family : {"adjacent", "all"}
        Which pairs are compared.

    Returns
    -------
    DataFrame
        One row a pair: the key, ``n_task`` (items of the task), ``n_items`` (items that both
        models were scored on), the four cells for binary scores, the moments for graded ones.

    Raises
    ------
    InvalidArgument
        If two models share no item.
    """
    first, second = pair_indices(len(ranked.models), family)
    models = np.array(ranked.models, dtype=object)
    table = pd.DataFrame(
        {
            "task": ranked.task,
            "rank_a": first + 1,
            "rank_b": second + 1,
            "model_a": models[first],
            "model_b": models[second],
            "n_task": len(ranked.item_ids),
        }
    )
    if ranked.kind == "binary":
        cells = count_cells(ranked.values, first, second)
        table["n_items"] = cells.n_items
        for name in CELL_COLUMNS:
            table[name] = pd.array(getattr(cells, name), dtype="Int64")
        for name in MOMENT_COLUMNS:
            table[name] = np.nan
    else:
        moments = difference_moments(ranked.values, first, second)
        table["n_items"] = moments.n_items
        for name in CELL_COLUMNS:
            table[name] = pd.array([pd.NA] * len(table), dtype="Int64")
        for name in MOMENT_COLUMNS:
            table[name] = getattr(moments, name)
    _refuse_strangers(table)
    return table


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
        One row a pair and cluster: task, ranks, cluster, ``n_items``, ``sum_d``, ``sum_d2``.
        For binary scores ``sum_d`` is b - c and ``sum_d2`` is b + c.

    Raises
    ------
    InvalidArgument
        If the scores have no such cluster column.
    """
    if column is None:
        return pd.DataFrame(columns=["task", "rank_a", "rank_b", *_CLUSTER_COLUMNS])
    if column not in ranked.clusters:
        known = ", ".join(sorted(ranked.clusters)) or "none"
        raise InvalidArgument(
            f"task {ranked.task!r} has no cluster column {column!r}; it has: {known}"
        )
    labels, codes = np.unique(np.asarray(ranked.clusters[column], dtype=str), return_inverse=True)
    return cluster_sums(ranked, labels.tolist(), codes, family)


def cluster_sums(
    ranked: TaskScores, labels: Sequence[str], codes: np.ndarray, family: Family
) -> pd.DataFrame:
    """As `tabulate_clusters`, for any assignment of items to clusters.

    Parameters
    ----------
    ranked : TaskScores
        Scores with the columns in rank order.
    labels : sequence of str, length n_clusters
        Name of each cluster.
    codes : ndarray of int, shape (n_items,)
        Cluster of each item.
    family : {"adjacent", "all"}
        Which pairs are compared.

    Returns
    -------
    DataFrame
        As `tabulate_clusters`.
    """
    first, second = pair_indices(len(ranked.models), family)
    if ranked.kind == "binary":
        cells = count_cells_by_cluster(ranked.values, codes, first, second)
        n_items = cells.n_items
        sum_d, sum_d2 = (cells.b - cells.c).astype(float), (cells.b + cells.c).astype(float)
    else:
        moments = difference_moments_by_cluster(ranked.values, codes, first, second)
        n_items, sum_d, sum_d2 = moments.n_items, moments.sum_d, moments.sum_d2
    n_clusters, n_pairs = n_items.shape
    return pd.DataFrame(
        {
            "task": ranked.task,
            "rank_a": np.repeat(first + 1, n_clusters),
            "rank_b": np.repeat(second + 1, n_clusters),
            "cluster": np.tile(np.asarray(labels, dtype=object), n_pairs),
            "n_items": n_items.T.ravel(),
            "sum_d": sum_d.T.ravel(),
            "sum_d2": sum_d2.T.ravel(),
        }
    )


def add_resolution(pairs: pd.DataFrame, point: OperatingPoint) -> pd.DataFrame:
    """Required items, resolution ratio, minimum detectable effect and the four McNemar tests.

    Parameters
    ----------
    pairs : DataFrame
        What `tabulate_pairs` returned.
    point : OperatingPoint
        Level and power.

    Returns
    -------
    DataFrame
        The key and the columns of this stage, row by row. For graded scores the columns that
        only 0/1 scores define (attainable, n_h and the McNemar p-values) are null.
    """
    parts = [
        (_binary_resolution if is_binary else _graded_resolution)(rows, point)
        for is_binary, rows in pairs.groupby(pairs["b"].notna(), sort=False)
    ]
    return pd.concat([pairs[PAIR_KEY], pd.concat(parts).sort_index()], axis=1)


def add_multiplicity(
    pairs: pd.DataFrame, resolution: pd.DataFrame, point: OperatingPoint
) -> pd.DataFrame:
    """Adjusted p-values, and required items at each procedure's own level.

    Parameters
    ----------
    pairs, resolution : DataFrame
        What `tabulate_pairs` and `add_resolution` returned. Their rows are the declared family:
        every pair of the board, over all of its tasks.
    point : OperatingPoint
        Family-wise level (false discovery rate for Benjamini-Hochberg) and power.

    Returns
    -------
    DataFrame
        The key, the p-value that was adjusted, and ``p_``, ``n_star_``, ``q_`` and
        ``resolved_`` of Bonferroni, Sidak, Holm and Benjamini-Hochberg (``bh``). The exact
        conditional p-value is adjusted, which holds its level with any number of discordant
        items; for graded scores, that of the paired t test.
    """
    p = _family_p(pairs, resolution)
    table = pairs[PAIR_KEY].assign(p_unadjusted=p)
    sigma_d = np.sqrt(resolution["var_d"].to_numpy())
    for procedure, (name, adjust) in _PROCEDURES.items():
        adjusted = adjusted_required_n(
            p,
            resolution["delta"].to_numpy(),
            sigma_d,
            pairs["n_items"].to_numpy(),
            procedure=procedure,
            alpha=point.alpha,
            power=point.power,
        )
        table[f"p_{name}"] = adjust(p)
        table[f"n_star_{name}"] = adjusted.n_star
        table[f"q_{name}"] = adjusted.q
        table[f"resolved_{name}"] = adjusted.resolved
    return table


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


def add_sequential(pairs: pd.DataFrame, point: OperatingPoint) -> pd.DataFrame:
    """Ask of each pair whether its e-process has crossed, and whether it is resolvable anytime.

    Parameters
    ----------
    pairs : DataFrame
        What `tabulate_pairs` returned.
    point : OperatingPoint
        Level and power.

    Returns
    -------
    DataFrame
        The key and the columns of this stage; null for graded scores.
    """
    table = pairs[PAIR_KEY].copy()
    for name in ("log_e", "n_star_anytime", "q_anytime", "anytime_inflation"):
        table[name] = np.nan
    for name in ("crossed", "resolved_anytime"):
        table[name] = pd.array([pd.NA] * len(table), dtype="boolean")
    binary = pairs["b"].notna()
    if not binary.any():
        return table
    rows = pairs[binary]
    result = anytime_required_n(
        rows["b"].to_numpy(np.int64),
        rows["c"].to_numpy(np.int64),
        rows["n_items"].to_numpy(),
        alpha=point.alpha,
        power=point.power,
    )
    table.loc[binary, "log_e"] = result.log_e
    table.loc[binary, "crossed"] = result.crossed
    table.loc[binary, "n_star_anytime"] = result.n_star_anytime
    table.loc[binary, "q_anytime"] = result.q_anytime
    table.loc[binary, "anytime_inflation"] = result.inflation
    table.loc[binary, "resolved_anytime"] = result.resolved_anytime
    return table


def verdict_table(pairs: pd.DataFrame, *stages: pd.DataFrame) -> pd.DataFrame:
    """Join the stages into the table of `VERDICT_COLUMNS`.

    Parameters
    ----------
    pairs : DataFrame
        What `tabulate_pairs` returned.
    *stages : DataFrame
        What the other stages returned for the same pairs.

    Returns
    -------
    DataFrame
        One row a pair.

    Raises
    ------
    InvalidArgument
        If a stage is not about the same pairs in the same order.
    """
    for stage in stages:
        if not stage[PAIR_KEY].equals(pairs[PAIR_KEY]):
            raise InvalidArgument("the stages of a verdict table must be about the same pairs")
    columns = pd.concat([pairs, *(stage.drop(columns=PAIR_KEY) for stage in stages)], axis=1)
    return columns[VERDICT_COLUMNS]


def cluster_moments(sums: pd.DataFrame) -> ClusterMoments:
    """Return the moments, (n_clusters, n_pairs), of one task's rows of `tabulate_clusters`."""
    n_clusters = sums["cluster"].nunique()
    n_items, sum_d, sum_d2 = (
        sums[name].to_numpy(np.float64).reshape(-1, n_clusters).T
        for name in ("n_items", "sum_d", "sum_d2")
    )
    return moments_from_sums(n_items, sum_d, sum_d2)


_CLUSTER_COLUMNS: Final = ["cluster", "n_items", "sum_d", "sum_d2"]


def _binary_resolution(rows: pd.DataFrame, point: OperatingPoint) -> pd.DataFrame:
    n11, b, c, n00 = (rows[name].to_numpy(np.int64) for name in CELL_COLUMNS)
    summary = summarize_counts(n11, b, c, n00, alpha=point.alpha, power=point.power)
    p_a, p_b = summary.p_a, summary.p_b
    return pd.DataFrame(
        {
            "p_a": p_a,
            "p_b": p_b,
            "delta": summary.delta,
            "rho": summary.rho,
            "var_d": summary.var_d,
            "n_star": summary.n_star,
            "q": summary.q,
            "mde": summary.mde,
            "resolved": summary.resolved,
            "attainable": pd.array(summary.attainable, dtype="boolean"),
            "n_h": shortcut_required_n(p_a, p_b, summary.rho, alpha=point.alpha, power=point.power),
            "n_miller": miller_unpaired_required_n(p_a, p_b, alpha=point.alpha, power=point.power),
            "p_chi2": mcnemar_asymptotic(b, c),
            "p_exact": mcnemar_exact(b, c),
            "p_midp": mcnemar_mid_p(b, c),
            "p_cc": mcnemar_continuity_corrected(b, c),
        },
        index=rows.index,
    )


def _graded_resolution(rows: pd.DataFrame, point: OperatingPoint) -> pd.DataFrame:
    n = rows["n_items"].to_numpy(np.float64)
    p_a, p_b = rows["sum_a"] / n, rows["sum_b"] / n
    var_a = np.maximum(rows["sum_a2"] / n - np.square(p_a), 0.0)
    var_b = np.maximum(rows["sum_b2"] / n - np.square(p_b), 0.0)
    delta = rows["sum_d"] / n
    var_d = np.maximum(rows["sum_d2"] / n - np.square(delta), 0.0)
    n_star = required_n(delta, np.sqrt(var_d), alpha=point.alpha, power=point.power)
    q = resolution_ratio(n, n_star)
    scale = np.sqrt(var_a * var_b)
    rho = ((var_a + var_b - var_d) / 2 / scale.where(scale > 0)).to_numpy()
    return pd.DataFrame(
        {
            "p_a": p_a,
            "p_b": p_b,
            "delta": delta,
            "rho": rho,
            "var_d": var_d,
            "n_star": n_star,
            "q": q,
            "mde": minimum_detectable_effect(
                n, np.sqrt(var_d), alpha=point.alpha, power=point.power
            ),
            "resolved": q >= 1,
            "attainable": pd.array([pd.NA] * len(rows), dtype="boolean"),
            "n_h": np.nan,
            # The covariance set to zero, as for binary scores.
            "n_miller": required_n(
                delta, np.sqrt(var_a + var_b), alpha=point.alpha, power=point.power
            ),
            "p_chi2": np.nan,
            "p_exact": np.nan,
            "p_midp": np.nan,
            "p_cc": np.nan,
        },
        index=rows.index,
    )


def _family_p(pairs: pd.DataFrame, resolution: pd.DataFrame) -> FloatArray:
    n = pairs["n_items"].to_numpy(np.float64)
    delta = np.abs(resolution["delta"].to_numpy())
    spread = np.sqrt(resolution["var_d"].to_numpy())
    # Paired t with the divisor n - 1: t = delta / sqrt(var_d / (n - 1)).
    t = np.where(delta > 0, np.inf, 0.0)
    np.divide(delta * np.sqrt(np.maximum(n - 1, 0.0)), spread, out=t, where=spread > 0)
    paired_t = 2.0 * stdtr(np.maximum(n - 1, 1.0), -t)
    exact = resolution["p_exact"].to_numpy()
    return np.where(np.isnan(exact), paired_t, exact)


def _refuse_strangers(table: pd.DataFrame) -> None:
    strangers = table[table["n_items"] == 0]
    if len(strangers):
        row = strangers.iloc[0]
        raise InvalidArgument(
            f"models {row['model_a']!r} and {row['model_b']!r} share no scored item of task "
            f"{row['task']!r}: leave one of them out"
        )
