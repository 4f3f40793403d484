"""paired-eval: McNemar's exact test, from two counts."""

from __future__ import annotations

import numpy as np
from drawn import Size, discordant, draw_scores
from ours import Answers, Call
from paired_eval import mcnemar_exact


def p_values(size: Size) -> Call:
    """Return exact p-values of all pairs, whose discordant items are counted here."""
    solved = draw_scores(size).astype(bool)

    def call() -> Answers:
        p = [mcnemar_exact(*discordant(solved[:, i], solved[:, j])) for i, j in size.columns]
        return {"p_exact": np.array(p)}

    return call
