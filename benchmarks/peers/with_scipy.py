"""SciPy: the binomial test of the discordant items, and the bootstrap."""

from __future__ import annotations

import numpy as np
from drawn import Size, discordant, draw_scores
from ours import RESAMPLES, Answers, Call
from scipy.stats import binomtest, bootstrap


def p_values(size: Size) -> Call:
    """Return exact p-values of all pairs."""
    solved = draw_scores(size).astype(bool)

    def call() -> Answers:
        p = []
        for i, j in size.columns:
            b, c = discordant(solved[:, i], solved[:, j])
            p.append(binomtest(b, b + c).pvalue)
        return {"p_exact": np.array(p)}

    return call


def paired_bootstrap(size: Size) -> Call:
    """Bootstrap the gap of two models, 500 resamples at a time for the memory's sake."""
    scores = draw_scores(size)

    def call() -> Answers:
        rng = np.random.default_rng(1)
        interval = bootstrap(
            (scores[:, 0] - scores[:, 1],),
            np.mean,
            n_resamples=RESAMPLES,
            batch=500,
            method="percentile",
            rng=rng,
        ).confidence_interval
        return {"ends": np.array([interval.low, interval.high]) * np.sqrt(size.items)}

    return call
