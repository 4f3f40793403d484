"""The pairs of Table 6, and scores that have given counts."""

from __future__ import annotations

import numpy as np

from llm_power._statistics.arrays import FloatArray

HELLASWAG = (295, 249, 10_042)

# Table 6, all rows: b, c, N; and Table 11, column "CI contains 0": yes in every row.
TABLE_6 = [
    (98, 94, 1172),
    (81, 63, 1172),
    (100, 78, 1172),
    HELLASWAG,
    (121, 120, 1267),
    (119, 103, 1267),
    (98, 81, 1267),
]


def scores(b: int, c: int, n_items: int) -> tuple[FloatArray, FloatArray]:
    """Return 0/1 score vectors with these discordant counts and no item that both solve."""
    a = np.zeros(n_items)
    a[:b] = 1
    other = np.zeros(n_items)
    other[b : b + c] = 1
    return a, other
