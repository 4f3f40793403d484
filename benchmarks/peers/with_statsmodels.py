"""statsmodels: McNemar's test, a table at a time."""

from __future__ import annotations

import numpy as np
from drawn import Size, discordant, draw_scores
from ours import Answers, Call
from statsmodels.stats.contingency_tables import mcnemar


def p_values(size: Size) -> Call:
    """Return asymptotic and exact p-values of all pairs."""
    solved = draw_scores(size).astype(bool)

    def call() -> Answers:
        p = []
        for i, j in size.columns:
            x, y = solved[:, i], solved[:, j]
            both, (b, c) = int((x & y).sum()), discordant(x, y)
            table = [[both, b], [c, size.items - both - b - c]]
            asymptotic = mcnemar(table, exact=False, correction=False).pvalue
            p.append((asymptotic, mcnemar(table, exact=True).pvalue))
        return dict(zip(("p_chi2", "p_exact"), np.array(p).T, strict=True))

    return call
