"""Clusters of items and adjacent ranks of MMLU-Pro: categories, quartiles of difficulty."""

from __future__ import annotations

from math import inf
from typing import Final

from llm_power._board.cluster_robustness import difficulty_bins
from llm_power._board.counts import count_cells_by_cluster
from llm_power._board.operating_point import pair_indices
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.cluster_moments import ClusterMoments, moments_from_counts
from replication.intervals import Interval

CLUSTER: Final = "category"
_QUARTILES: Final = 4


def adjacent_moments(values: FloatArray, labels: IntArray) -> ClusterMoments:
    """Return each adjacent pair's sums over clusters, of (n_items, n_models) ranked columns."""
    cells = count_cells_by_cluster(values, labels, *pair_indices(values.shape[1], "adjacent"))
    return moments_from_counts(cells.n_items, cells.b, cells.c)


def quartile_moments(values: FloatArray) -> ClusterMoments:
    """Return the sums over quartiles of the items' difficulty, Section 6.4."""
    # Items that equally many models solve share a bin, so fewer than the printed K = 4 can hold
    # items.
    return adjacent_moments(values, difficulty_bins(values.mean(axis=1), n_bins=_QUARTILES))


def icc_of_effect(effect: Interval, mean_size: float) -> Interval:
    """Return the ICC by the design effect; at one it is anything up to zero."""
    lower = (effect.lower - 1) / (mean_size - 1) if effect.lower > 1 else -inf
    return Interval(lower, (effect.upper - 1) / (mean_size - 1))
