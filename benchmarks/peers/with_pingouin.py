"""pingouin: McNemar's test of two columns of a frame, and the bootstrap."""

from __future__ import annotations

import numpy as np
import pandas as pd
from drawn import Size, draw_scores
from ours import RESAMPLES, Answers, Call
from pingouin import chi2_mcnemar, compute_bootci


def p_values(size: Size) -> Call:
    """Return asymptotic and exact p-values of all pairs."""
    frame = pd.DataFrame(draw_scores(size).astype(int))

    def call() -> Answers:
        tests = [chi2_mcnemar(frame, i, j, correction=False)[1].iloc[0] for i, j in size.columns]
        return {
            "p_chi2": np.array([row["p_approx"] for row in tests], dtype=float),
            "p_exact": np.array([row["p_exact"] for row in tests], dtype=float),
        }

    return call


def paired_bootstrap(size: Size) -> Call:
    """Bootstrap the gap of two models."""
    scores = draw_scores(size)

    def call() -> Answers:
        ends = compute_bootci(
            scores[:, 0] - scores[:, 1],
            func="mean",
            method="percentile",
            n_boot=RESAMPLES,
            decimals=9,
            seed=1,
        )
        return {"ends": ends * np.sqrt(size.items)}

    return call
