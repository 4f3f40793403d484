"""How far clustered verdicts hang on which clusters there are, what one is, and what all stand for.

Tables of Appendix F (leave one cluster out), Appendix G (category bootstrap) and the last
paragraph of Section 6.4 (other definitions of a cluster), for any board; and how many pairs differ
if clusters are a sample, and if they are the only ones of interest.

Other clusterings are one integer label an item; an empty cluster is allowed and means nothing, for
the design effect counts non-empty clusters only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pandas as pd

from llm_power._board.all_pairs import BoardPairs, FamilyValues, p_values_between
from llm_power._board.clusters import cluster_moments, sampled_clusters
from llm_power._board.evidence import TaskEvidence
from llm_power._board.operating_point import Declared, OperatingPoint, pair_indices
from llm_power._choices import ClusterSampling, Family
from llm_power._errors import InvalidArgument
from llm_power._scores.store import TaskScores
from llm_power._statistics.argument_checks import finite
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray, RandomSource
from llm_power._statistics.design_effect import (
    category_bootstrap,
    cluster_resolution,
    leave_one_cluster_out,
)
from llm_power._statistics.multiplicity import family_size
from llm_power._statistics.random_streams import named_rng

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
    """Return the clustered verdict of every pair without each cluster in turn, Appendix F."""
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
    return _stacked(parts, names)


def category_bootstrap_tables(
    clusters: pd.DataFrame, point: OperatingPoint, *, n_resamples: int, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Resample the clusters: intervals of the pairs, and the number unresolved, Appendix G.

    Intervals are the 5th and 95th percentiles; each task draws from the stream of its own name.
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
    counts = _stacked(distributions, ["task", "n_unresolved", "share"])
    return _stacked(intervals, [*_RANKS, *_INTERVALS]), counts


def _stacked(parts: Sequence[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    """Return the tables of all tasks as one; without a task it has these columns and no row."""
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def cluster_definition_table(
    ranked: TaskScores, column: str | None, family: Family, point: OperatingPoint, *, seed: int
) -> pd.DataFrame:
    """Return ICCs and unresolved pairs under other definitions of a cluster, Section 6.4."""
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
        (evidence,) = TaskEvidence(ranked, codes).of(*pair_indices(len(ranked.models), family))
        moments = evidence.with_an_item().of_clusters
        assert moments is not None
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


def random_clusters(n_items: int, n_clusters: int, rng: RandomSource = None) -> IntArray:
    """Random clusters whose sizes differ by one at most.

    The null check of Section 6.4: such clusters carry no information, so both mean squares of
    the paired difference have one expectation and the verdict is that of independent items.
    """
    rng = np.random.default_rng(rng)
    if not 1 <= n_clusters <= n_items:
        raise InvalidArgument(
            f"n_clusters must lie between 1 and n_items={n_items!r}, got {n_clusters!r}"
        )
    return rng.permutation(np.arange(n_items, dtype=np.int64) % n_clusters)


def difficulty_bins(item_mean: ArrayLike, n_bins: int = 4) -> IntArray:
    """Bin items by how many models solve them; quartiles by default.

    The difficulty quartiles of Section 6.4. With ten models an item mean has eleven values
    at most, so a quartile falls inside a block of equal items. Equal items are never split:
    a block lies in the bin that holds its middle, which moves the cut to the nearer end of
    the block (to the lower end if the block is cut in the very middle). Bins are then
    unequal, and one is empty where a block spans more than a bin; labels are not renumbered.

    The bins are made from the very scores that are compared: where all models agree, every
    paired difference is zero. Part of this clustering's ICC is therefore built in.
    """
    means = finite("item_mean", item_mean)
    if means.ndim != 1 or means.size == 0:
        raise InvalidArgument(f"item_mean must be one-dimensional, got shape {means.shape!r}")
    if n_bins < 1:
        raise InvalidArgument(f"n_bins must be at least 1, got {n_bins!r}")
    return _middle_of_block(means, n_bins)


def _middle_of_block(means: FloatArray, n_bins: int) -> IntArray:
    # Twice the mid-rank, counted from zero: whole numbers, so no cut hangs on rounding.
    ordered = np.sort(means)
    below = np.searchsorted(ordered, means, side="left")
    up_to = np.searchsorted(ordered, means, side="right")
    return n_bins * (below + up_to) // (2 * means.size)


def split_by_parity(labels: ArrayLike) -> IntArray:
    """Halve every cluster by the parity of its items' positions in it.

    Labels ``2 k`` for the even and ``2 k + 1`` for the odd positions, counted from 0, of the k-th
    cluster. The subject sub-clusters of Section 6.4, which says "item parity" and not of which
    position. Where every cluster is one run of consecutive items, as in MMLU-Pro sorted by subject,
    positions in the whole test give the same halves.
    """
    array = np.asarray(labels)
    if array.ndim != 1:
        raise InvalidArgument(f"labels must be one-dimensional, got shape {array.shape!r}")
    codes = np.unique(array, return_inverse=True)[1].astype(np.int64)
    order, sizes = np.argsort(codes, kind="stable"), np.bincount(codes)
    place = np.empty_like(codes)
    place[order] = np.arange(codes.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return 2 * codes + place % 2


def cluster_readings(
    pairs: BoardPairs, family: FamilyValues, places: IntArray | None = None
) -> list[dict[str, Any]]:
    """Return how many pairs differ in each task by either reading of its clusters.

    `family` are the values of all pairs by the reading that is declared; those at the ordered
    `places` are counted, or all.
    """
    labels = [sampled_clusters(task, pairs.cluster) for task in pairs.tasks]
    if all(names is None for names in labels):
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
        reading(task.task, len({*names}), pairs.declared, own[start:stop], different[start:stop])
        for task, names, (start, stop) in zip(
            pairs.tasks, labels, pairwise(bounds.tolist()), strict=True
        )
        if names is not None
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
