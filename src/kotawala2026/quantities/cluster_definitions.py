"""Clusters of MMLU-Pro in Section 6.4: summaries, stability, and other definitions of a cluster."""

# Computed from the workflow's stages and from the items with other draws; the two are kept apart.

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd

from kotawala2026.adjacent_clusters import CLUSTER, adjacent_moments, quartile_moments
from kotawala2026.quantities.grounds import (
    QUANTITIES,
    Board,
    ClusteredItems,
    ClusterStages,
    PublishedNumbers,
)
from llm_power._board.cluster_robustness import random_clusters, split_by_parity
from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.cluster_moments import ClusterMoments
from llm_power._statistics.design_effect import (
    CategoryBootstrap,
    ClusterResolution,
    category_bootstrap,
    cluster_resolution,
    leave_one_cluster_out,
)
from llm_power._statistics.random_streams import named_rng
from replication.findings import Finding

_FLIPPED_BEYOND: Final = 3.0
# Names that the register gives to the definitions of Section 6.4.
_DEFINITIONS: Final = {"random": "random_clusters", "difficulty quartiles": "quartile"}
_PARITY: Final = "parity"

_RESAMPLES: Final = 20_000
# The printed bounds of Table 9 come from so many resamples each.
_PRINTED_RESAMPLES: Final = 1000
_BATCHES: Final = 20
_RANDOM_CLUSTERINGS: Final = 21
_ROUNDING: Final = 1e-9


@QUANTITIES.on(PublishedNumbers)
def summaries_of_table_4(published: PublishedNumbers) -> Iterator[Finding]:
    """Median and range of the ICC, and the median design effect, of adjacent pairs."""
    icc, effect = (
        np.array([cell.value for cell in published.tables[4][name]])
        for name in ("icc", "design_effect")
    )
    yield from _summaries(icc, effect, "Table 4", "cells of Table 4")


def _summaries(
    icc: FloatArray, effect: FloatArray, subject: str = "", method: str = ""
) -> Iterator[Finding]:
    yield Finding("icc_median", subject, float(np.median(icc)), method)
    yield Finding("icc_min", subject, float(icc.min()), method)
    yield Finding("icc_max", subject, float(icc.max()), method)
    yield Finding("design_effect_median", subject, float(np.median(effect)), method)


@QUANTITIES.on(Board)
def of_board(board: Board) -> Iterator[Finding]:
    """Yield summaries of the clusters, and the pairs that clustering makes unresolved."""
    # Section 1 has two pairs flip "to N* > 3N"; one does, the other is 4 vs 5 with 1.13 N in Table
    # 4.
    if board.verdicts["resolved_cluster"].isna().any():
        return
    yield from _summaries(board.column("icc"), board.column("design_effect"))
    flipped = ~board.unresolved("resolved") & board.unresolved("resolved_cluster")
    beyond = board.column("n_star_cluster") > _FLIPPED_BEYOND * board.column("n_items")
    yield Finding("n_flipped_beyond_three_n", "", float((flipped & beyond).sum()))


@QUANTITIES.on(ClusterStages)
def of_stages(stages: ClusterStages) -> Iterator[Finding]:
    """Mean size of a cluster, law of the unresolved count, and other definitions."""
    verdicts, definitions = stages.verdicts, stages.definitions
    resolved = verdicts["resolved"].astype(bool)
    clustered = verdicts["resolved_cluster"].astype(bool)
    size = float(verdicts["n_items"].median()) / int(definitions["n_clusters"].iloc[0])
    yield Finding("mean_cluster_size", "", size)
    for quantity, subject, which in (
        ("unresolved_fixed", "Fixed-n", ~resolved),
        ("unresolved_clustered", "Real-ICC clustered", ~clustered),
    ):
        yield Finding(quantity, subject, float(which.sum()))
    for label, share in _law(stages.distribution).items():
        error = math.sqrt(share * (1 - share) / stages.n_resamples)
        yield Finding("bootstrap_share", label, share, standard_error=error)
    # The first definition is the board's own, which the rows above are about.
    for row in definitions.iloc[1:].to_dict(orient="records"):
        name, method = _DEFINITIONS.get(row["definition"], _PARITY), f"K = {row['n_clusters']}"
        yield Finding(f"{name}_unresolved", "", float(row["n_unresolved"]), method)
        yield Finding(f"{name}_icc_median", "", row["icc_median"], method)
        yield Finding(f"{name}_icc_max", "", row["icc_max"], method)


def _law(distribution: pd.DataFrame) -> dict[str, float]:
    """Shares of resamples with so many unresolved pairs, named as the paper prints them."""
    share = distribution.set_index("n_unresolved")["share"]
    return {
        **{f"{count} unresolved": float(share.loc[count]) for count in (4, 5, 6)},
        "7 or more unresolved": float(share.loc[7:].sum()),
        "5 or more unresolved": float(share.loc[5:].sum()),
    }


@QUANTITIES.on(ClusteredItems)
def of_items(items: ClusteredItems) -> Iterator[Finding]:
    """Categories, their bootstrap, leave-one-out and other definitions, from the items."""
    values, labels = items.scores.values, np.asarray(items.scores.clusters[CLUSTER])
    names, codes = np.unique(labels, return_inverse=True)
    n, k = items.scores.n_items, len(names)
    moments = adjacent_moments(values, codes)
    yield Finding("n_categories", "", float(k))
    yield Finding("mean_cluster_size", "", n / k)
    bootstrap = _bootstrap(moments, _RESAMPLES, items.seed, "report")
    batches = [
        _bootstrap(moments, _PRINTED_RESAMPLES, items.seed, f"batch {i}") for i in range(_BATCHES)
    ]
    yield from _bounds(bootstrap, batches)
    yield from _shares(bootstrap.unresolved_counts)
    yield from _without_each(moments, names.tolist(), items.drops)
    quartiles = cluster_resolution(quartile_moments(values))
    yield Finding("quartile_icc_median", "", float(np.median(quartiles.icc)))
    yield Finding("quartile_icc_max", "", float(quartiles.icc.max()))
    yield Finding("quartile_unresolved", "", _unresolved(quartiles))
    halved = cluster_resolution(adjacent_moments(values, split_by_parity(labels)))
    yield Finding("parity_unresolved", "", _unresolved(halved))
    rng = named_rng(items.seed, "witness/mmlu_pro/random clusters")
    at_random = [
        cluster_resolution(adjacent_moments(values, random_clusters(n, k, rng)))
        for _ in range(_RANDOM_CLUSTERINGS)
    ]
    counts = [_unresolved(resolution) for resolution in at_random]
    medians = [float(np.median(resolution.icc)) for resolution in at_random]
    yield Finding("random_clusters_unresolved", "", float(np.median(counts)))
    yield Finding("random_clusters_icc_median", "", float(np.median(medians)))


def _bootstrap(moments: ClusterMoments, n: int, seed: int, name: str) -> CategoryBootstrap:
    rng = named_rng(seed, f"witness/mmlu_pro/bootstrap/{name}")
    return category_bootstrap(moments, rng=rng, n_resamples=n)


def _bounds(
    bootstrap: CategoryBootstrap, batches: Sequence[CategoryBootstrap]
) -> Iterator[Finding]:
    """Bounds of Table 9, with the error that a percentile of the printed resamples has."""
    of_batches = [_bounds_of(batch) for batch in batches]
    for name, values in _bounds_of(bootstrap).items():
        for i, value in enumerate(values, start=1):
            error = np.std([batch[name][i - 1] for batch in of_batches], ddof=1)
            # A bound that no resample moves, a design effect of 1, varies by rounding alone.
            moved = float(error) if error > _ROUNDING * abs(value) else math.nan
            yield Finding(name, f"{i} vs {i + 1}", float(value), standard_error=moved)
    for i, share in enumerate(bootstrap.probability_unresolved, start=1):
        yield Finding("probability_unresolved", f"{i} vs {i + 1}", float(share))


def _bounds_of(bootstrap: CategoryBootstrap) -> dict[str, FloatArray]:
    intervals = {
        "icc": bootstrap.icc_interval,
        "design_effect": bootstrap.design_effect_interval,
        "n_star_cluster": bootstrap.n_star_interval,
    }
    return {
        f"{name}_{end}": bounds
        for name, interval in intervals.items()
        for end, bounds in zip(("lower", "upper"), interval, strict=True)
    }


def _shares(unresolved: IntArray) -> Iterator[Finding]:
    for count in (4, 5, 6):
        share = float(np.mean(unresolved == count))
        yield Finding("bootstrap_share", f"{count} unresolved", share)
    for count in (5, 7):
        share = float(np.mean(unresolved >= count))
        yield Finding("bootstrap_share", f"{count} or more unresolved", share)


def _unresolved(resolution: ClusterResolution) -> float:
    return float(np.count_nonzero(~resolution.resolved))


def _without_each(
    moments: ClusterMoments, names: list[str], drops: Mapping[str, Sequence[str]]
) -> Iterator[Finding]:
    """Unresolved pairs without each of the categories of a row; NaN where these do not agree."""
    result = leave_one_cluster_out(moments)
    for label, dropped in drops.items():
        unknown = sorted(set(dropped) - set(names))
        if unknown:
            raise InvalidArgument(f"no category of the board is {unknown[0]!r}")
        rows = [names.index(name) for name in dropped]
        counts = np.unique(np.count_nonzero(~result.resolved[rows], axis=1))
        count = float(counts[0]) if len(counts) == 1 else math.nan
        yield Finding("leave_one_out_unresolved", label, count)
