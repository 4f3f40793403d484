"""mlxtend: tables of all pairs, and McNemar's test of a table."""

from __future__ import annotations

import numpy as np
from drawn import Size, draw_scores
from mlxtend.evaluate import mcnemar, mcnemar_table, mcnemar_tables
from ours import Answers, Call


def counts(size: Size) -> Call:
    """Count b and c of all pairs."""
    scores = draw_scores(size).astype(int)
    right = np.ones(size.items, dtype=int)

    def call() -> Answers:
        tables = np.array([*mcnemar_tables(right, *scores.T).values()])
        return {"b": tables[:, 0, 1], "c": tables[:, 1, 0]}

    return call


def p_values(size: Size) -> Call:
    """Return asymptotic and exact p-values of all pairs."""
    scores = draw_scores(size).astype(int)
    right = np.ones(size.items, dtype=int)

    def call() -> Answers:
        tables = [mcnemar_table(right, scores[:, i], scores[:, j]) for i, j in size.columns]
        return {
            "p_chi2": np.array([mcnemar(table, corrected=False)[1] for table in tables]),
            "p_exact": np.array([mcnemar(table, exact=True)[1] for table in tables]),
        }

    return call
