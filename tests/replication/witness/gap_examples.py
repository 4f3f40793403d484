"""Gaps of six clusters, and targets about them."""

from __future__ import annotations

import numpy as np

from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.cluster_moments import ClusterMoments, moments_from_sums
from llm_power._statistics.design_effect import cluster_resolution
from replication.witness.cluster_gaps import PairTargets

SIZES = np.array([50, 80, 33, 61, 120, 44], dtype=np.int64)


def targets_at(gaps: IntArray, discordant: int, width: float = 0.0) -> PairTargets:
    """Targets whose interval of the ICC is around that of `gaps`."""
    total = int(gaps.sum())
    icc = float(cluster_resolution(proportional(gaps, discordant)).icc)
    return PairTargets(
        n_items=SIZES,
        b=(discordant + total) // 2,
        c=(discordant - total) // 2,
        icc=(icc - width, icc + width),
    )


def proportional(gaps: IntArray | FloatArray, discordant: int) -> ClusterMoments:
    """Moments of these gaps with discordant items in proportion to the sizes."""
    return moments_from_sums(SIZES, gaps, discordant * SIZES / SIZES.sum())
