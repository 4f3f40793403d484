"""Clusters of items to hold clustered statistics against: ICC and design effect item by item."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.design_effect import CategoryBootstrap, ClusterResolution

RTOL = 1e-10
R_N, R_B, R_C = [7, 12, 5, 20], [4, 1, 2, 3], [0, 5, 1, 2]


def items_of(n: IntArray, b: IntArray, c: IntArray) -> list[FloatArray]:
    """Rebuild the paired differences of each non-empty cluster of one pair."""
    return [
        np.repeat([1.0, -1.0, 0.0], [only_a, only_b, size - only_a - only_b])
        for size, only_a, only_b in zip(n, b, c, strict=True)
        if size > 0
    ]


def icc_of_items(groups: list[FloatArray]) -> float:
    """ICC by its definition, from items; NaN where undefined."""
    everything = np.concatenate(groups)
    n, k = everything.size, len(groups)
    if k < 2 or n == k or np.ptp(everything) == 0:
        return np.nan
    between = sum(g.size * (g.mean() - everything.mean()) ** 2 for g in groups) / (k - 1)
    within = sum(float(np.sum((g - g.mean()) ** 2)) for g in groups) / (n - k)
    n0 = (n - sum(g.size**2 for g in groups) / n) / (k - 1)
    return float((between - within) / (between + (n0 - 1) * within))


def effect_of_items(groups: list[FloatArray]) -> float:
    """Design effect by its definition, from items."""
    icc = icc_of_items(groups)
    mean_size = sum(g.size for g in groups) / len(groups)
    return 1 + (mean_size - 1) * (0.0 if icc < 0 else icc)


def random_counts(
    seed: int, n_clusters: int, n_pairs: int, *, missing: bool = False
) -> tuple[IntArray, IntArray, IntArray]:
    """Items, b and c of clusters (rows) and pairs (columns)."""
    rng = np.random.default_rng(seed)
    n = rng.integers(5, 40, (n_clusters, n_pairs))
    if missing:
        n[rng.random(n.shape) < 0.2] = 0
    rate = rng.uniform(0.05, 0.3, n.shape)
    b = rng.binomial(n, rate)
    return n, b, rng.binomial(n - b, rng.uniform(0.05, 0.3, n.shape))


def assert_same(
    first: ClusterResolution | CategoryBootstrap, second: ClusterResolution | CategoryBootstrap
) -> None:
    """Compare two results field by field, to the bit."""
    for field in fields(first):
        np.testing.assert_array_equal(
            getattr(first, field.name), getattr(second, field.name), err_msg=field.name
        )
