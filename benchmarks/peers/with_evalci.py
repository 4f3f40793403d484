"""evalci: one pair at a time."""

from __future__ import annotations

import numpy as np
from drawn import Size, cluster_codes, draw_scores
from evalci import cluster_ci
from evalci._significance import mcnemar_test, paired_bootstrap_ci
from ours import DRAWS, RESAMPLES, Answers, Call


def p_values(size: Size) -> Call:
    """Return asymptotic p-values of all pairs. `compare` would add a bootstrap to each."""
    scores = draw_scores(size)

    def call() -> Answers:
        p = [
            mcnemar_test(scores[:, i], scores[:, j], correction=False, exact=False)[0]
            for i, j in size.columns
        ]
        return {"p_chi2": np.array(p)}

    return call


def paired_bootstrap(size: Size) -> Call:
    """Bootstrap the gap of two models."""
    scores = draw_scores(size)

    def call() -> Answers:
        ends = paired_bootstrap_ci(scores[:, 0] - scores[:, 1], n_resamples=RESAMPLES)
        return {"ends": np.array(ends) * np.sqrt(size.items)}

    return call


def clusters(size: Size) -> Call:
    """Resample the clusters for the interval of the gap; no ICC, none left out."""
    scores, codes = draw_scores(size), cluster_codes(size)

    def call() -> Answers:
        intervals = [
            cluster_ci(scores[:, i] - scores[:, j], codes, n_resamples=DRAWS)
            for i, j in size.columns
        ]
        return {"gap": np.array([one.estimate for one in intervals])}

    return call
