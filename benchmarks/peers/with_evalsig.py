"""evalsig: one pair at a time."""

from __future__ import annotations

import numpy as np
from drawn import Size, cluster_codes, draw_scores
from evalsig.inference.cluster_bootstrap import cluster_bootstrap_ci
from evalsig.inference.mcnemar import mcnemar_test
from evalsig.inference.paired import paired_bootstrap_ci
from evalsig.inference.sequential import sequential_gate
from ours import DRAWS, RESAMPLES, Answers, Call


def p_values(size: Size) -> Call:
    """Return exact p-values up to 25 discordant items, with continuity correction above."""
    scores = draw_scores(size)

    def call() -> Answers:
        tests = [mcnemar_test(scores[:, i], scores[:, j]) for i, j in size.columns]
        p = np.array([one.p_value for one in tests])
        exact = np.array([one.method == "mcnemar_exact" for one in tests])
        return {"p_exact": np.where(exact, p, np.nan), "p_cc": np.where(exact, np.nan, p)}

    return call


def paired_bootstrap(size: Size) -> Call:
    """Bootstrap the gap of two models."""
    scores = draw_scores(size)

    def call() -> Answers:
        low, high = paired_bootstrap_ci(scores[:, 1], scores[:, 0], n_resamples=RESAMPLES).ci
        return {"ends": np.array([low, high]) * np.sqrt(size.items)}

    return call


def clusters(size: Size) -> Call:
    """Resample the clusters for the interval of the gap; no ICC, none left out."""
    scores, codes = draw_scores(size), cluster_codes(size)

    def call() -> Answers:
        intervals = [
            cluster_bootstrap_ci(scores[:, j], scores[:, i], codes, n_resamples=DRAWS)
            for i, j in size.columns
        ]
        return {"gap": np.array([one.delta for one in intervals])}

    return call


def trajectories(size: Size) -> Call:
    """Follow one confidence sequence of each pair, at a level so low that none stops early."""
    scores = draw_scores(size, spread=0.0)

    def call() -> Answers:
        gates = [
            sequential_gate(scores[:, i] - scores[:, j], alternative="two-sided", alpha=1e-12)
            for i, j in size.columns
        ]
        return {"gap": np.array([one.delta for one in gates])}

    return call
