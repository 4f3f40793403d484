"""errorbars: a leaderboard of lists of scores."""

from __future__ import annotations

import numpy as np
from drawn import Size, cluster_codes, draw_scores
from errorbars.io import EvalData
from errorbars.leaderboard import build_leaderboard
from ours import Answers, Call


def p_values(size: Size) -> Call:
    """Return exact p-values of all pairs; by the way t tests, robust to clusters, and Holm's."""
    scores = draw_scores(size)
    items = [f"q{i}" for i in range(size.items)]
    data = EvalData(
        question_id=items * size.models,
        model=[f"m{model}" for model in range(size.models) for _ in items],
        score=scores.T.ravel().tolist(),
        cluster_id=[str(code) for code in cluster_codes(size)] * size.models,
    )

    def call() -> Answers:
        p = {}
        for pair in build_leaderboard(data).pairwise:
            test = pair.comparison.mcnemar
            assert test is not None
            p[frozenset((pair.model_a, pair.model_b))] = test.p_value
        return {"p_exact": np.array([p[frozenset((f"m{i}", f"m{j}"))] for i, j in size.columns])}

    return call
