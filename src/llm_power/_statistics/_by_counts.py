"""What depends on two counts alone, worked out once for pairs that share them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from llm_power._statistics.arrays import FloatArray, IntArray


def by_counts(
    function: Callable[[IntArray, IntArray], FloatArray], b: IntArray, c: IntArray
) -> FloatArray:
    """Return `function(b, c)`, whose results depend on no other pair, (n_pairs,)."""
    width = int(c.max(initial=0)) + 1
    cells = (int(b.max(initial=0)) + 1) * width
    if cells > b.size:
        return function(b, c)
    cell = b * width + c
    place = np.cumsum(np.bincount(cell, minlength=cells) > 0) - 1
    distinct = np.flatnonzero(np.diff(place, prepend=-1))
    return np.asarray(function(distinct // width, distinct % width)[place[cell]])
