"""paired-eval: McNemar's exact test, from two counts."""

from __future__ import annotations

import numpy as np
from drawn import Size, draw_scores
from ours import Answers, Call
from paired_eval import mcnemar_exact


def p_values(size: Size) -> Call:
    """Return exact p-values of all pairs, whose discordant items are counted here."""
    solved = draw_scores(size).astype(bool)

    def call() -> Answers:
        p = []
        for i, j in size.columns:
            x, y = solved[:, i], solved[:, j]
            p.append(mcnemar_exact(int((y & ~x).sum()), int((x & ~y).sum())))
        return {"p_exact": np.array(p)}

    return call
