"""The sums of every pair within clusters of items: what cluster moments are made of."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from llm_power._board.evidence import TaskEvidence
from llm_power._board.operating_point import pair_indices
from llm_power._choices import Family
from llm_power._scores.store import TaskScores
from llm_power._statistics.cluster_moments import ClusterMoments

_CLUSTER_COLUMNS: Final = ["cluster", "n_cluster", "n_items", "sum_d", "sum_d2", "origin"]


def tabulate_clusters(ranked: TaskScores, column: str | None, family: Family) -> pd.DataFrame:
    """Return the sums of every pair's paired difference within clusters, one row each.

    ``origin`` is taken off every difference; it is 0 for binary scores, where ``sum_d`` is b - c
    and ``sum_d2`` is b + c. ``n_cluster`` counts all items, ``n_items`` those of both models.
    """
    if column is None:
        return pd.DataFrame(columns=["task", "rank_a", "rank_b", *_CLUSTER_COLUMNS])
    labels, codes = ranked.cluster_codes(column)
    first, second = pair_indices(len(ranked.models), family)
    (evidence,) = TaskEvidence(ranked, codes).of(first, second)
    moments = evidence.of_clusters
    assert moments is not None
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
    """Return the moments, (n_clusters, n_pairs), of one task's rows of `tabulate_clusters`."""
    n_clusters = sums["cluster"].nunique()
    n_items, sum_d, sum_d2, origin = (
        sums[name].to_numpy(np.float64).reshape(-1, n_clusters).T
        for name in ("n_items", "sum_d", "sum_d2", "origin")
    )
    # As in `with_an_item`: nothing follows from an item in each cluster that both models failed.
    n_items = np.where(n_items.any(axis=0), n_items, 1.0)
    return ClusterMoments(n_items, sum_d, sum_d2, origin[0])
