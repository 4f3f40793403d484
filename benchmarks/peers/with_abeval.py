"""abeval: McNemar's exact test, from two lists of scores."""

from __future__ import annotations

import numpy as np
from abeval import mcnemar_exact
from drawn import Size, draw_scores
from ours import Answers, Call


def p_values(size: Size) -> Call:
    """Return exact p-values of all pairs; beyond 1,023 discordant items it overflows."""
    scores = draw_scores(size).T.tolist()

    def call() -> Answers:
        p = [mcnemar_exact(scores[i], scores[j])["p"] for i, j in size.columns]
        return {"p_exact": np.array(p)}

    return call
