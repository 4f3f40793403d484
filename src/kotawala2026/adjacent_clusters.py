"""Clusters of items of MMLU-Pro, categories and quartiles of difficulty, and its adjacent ranks."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Final

from llm_power._board.cluster_robustness import difficulty_bins
from llm_power._board.counts import ScoreCounts
from llm_power._board.operating_point import pair_indices
from llm_power._errors import one_line
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.cluster_moments import ClusterMoments
from llm_power_audit._csv import csv_rows
from llm_power_audit.printed_tables import PublishedError
from replication.constraints import Interval

CLUSTER: Final = "category"
_QUARTILES: Final = 4


def load_categories(path: Path) -> dict[str, int]:
    """Load the sizes of the categories in test order from ``mmlu_pro_categories.csv``."""
    try:
        header, *rows = csv_rows(path)
        sizes = {name: int(size) for name, size in rows}
    except ValueError as error:
        raise PublishedError(one_line(f"{path}: cannot be read: {error}")) from error
    if header != ["category", "n_items"]:
        raise PublishedError(f"{path}: the header must be category,n_items")
    if len(sizes) < 2 or len(sizes) != len(rows) or min(sizes.values()) < 2:
        raise PublishedError(
            f"{path}: needs two or more categories, each once with 2 items or more"
        )
    return sizes


def adjacent_moments(values: FloatArray, labels: IntArray) -> ClusterMoments:
    """Return each adjacent pair's sums over clusters, of (n_items, n_models) ranked columns."""
    return ScoreCounts(values, labels).tables(*pair_indices(values.shape[1], "adjacent")).moments()


def quartile_moments(values: FloatArray) -> ClusterMoments:
    """Return the sums over quartiles of the items' difficulty, Section 6.4."""
    # Items that equally many models solve share a bin, so fewer than the printed K = 4 can hold
    # items.
    return adjacent_moments(values, difficulty_bins(values.mean(axis=1), n_bins=_QUARTILES))


def icc_of_effect(effect: Interval, mean_size: float) -> Interval:
    """Return the ICC by the design effect; at one it is anything up to zero."""
    lower = (effect.lower - 1) / (mean_size - 1) if effect.lower > 1 else -inf
    return Interval(lower, (effect.upper - 1) / (mean_size - 1))
