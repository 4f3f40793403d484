"""evalstats: all pairs of a matrix, models by items."""

from __future__ import annotations

import numpy as np
from drawn import Size, draw_scores
from evalstats import all_pairwise, pairwise_differences
from ours import DRAWS, RESAMPLES, Answers, Call


def p_values(size: Size) -> Call:
    """Return mid-p values and Tango's intervals of all pairs."""
    scores, names = draw_scores(size).T, [str(i) for i in range(size.models)]

    def call() -> Answers:
        results = all_pairwise(
            scores, names, method="tango", correction="none", p_test="ci", simultaneous_ci=False
        ).results
        rows = [results[names[i], names[j]] for i, j in size.columns]
        return {
            "p_midp": np.array([row.p_value for row in rows]),
            "gap_low": np.array([row.ci_low for row in rows]),
            "gap_high": np.array([row.ci_high for row in rows]),
        }

    return call


def paired_bootstrap(size: Size) -> Call:
    """Bootstrap the gap of two models."""
    scores = draw_scores(size).T

    def call() -> Answers:
        rng = np.random.default_rng(1)
        interval = pairwise_differences(
            scores, 0, 1, method="bootstrap", n_bootstrap=RESAMPLES, rng=rng
        )
        return {"ends": np.array([interval.ci_low, interval.ci_high]) * np.sqrt(size.items)}

    return call


def max_t(size: Size) -> Call:
    """Adjust the bootstrap-t test of all pairs by max-T."""
    scores, names = draw_scores(size).T, [str(i) for i in range(size.models)]

    def call() -> Answers:
        results = all_pairwise(
            scores,
            names,
            method="newcombe",
            correction="romano_wolf",
            n_bootstrap=DRAWS,
            simultaneous_ci=False,
            rng=np.random.default_rng(1),
        ).results
        return {
            "p_family": np.array([results[names[i], names[j]].p_value for i, j in size.columns]),
        }

    return call
