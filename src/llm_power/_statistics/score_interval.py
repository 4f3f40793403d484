"""Interval of one model's score, whatever the others scored."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri, stdtrit

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import counts, open_unit
from llm_power._statistics.arrays import ArrayLike, FloatArray


def wilson_interval(
    solved: ArrayLike, n_items: ArrayLike, *, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Wilson's score interval of a proportion; NaN without items.

    Wilson (1927), doi:10.1080/01621459.1927.10502953.
    """
    k, n = np.broadcast_arrays(counts("solved", solved), counts("n_items", n_items))
    if np.any(k > n):
        raise InvalidArgument("solved must be at most n_items")
    z = -ndtri((1 - open_unit("confidence", confidence)) / 2)
    known = np.where(n > 0, n, 1).astype(np.float64)
    p = k / known
    down, up = wilson_reach(p, known, z)
    there = n > 0
    return np.where(there, p - down, np.nan), np.where(there, p + up, np.nan)


def wilson_reach(p: FloatArray, n: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    """Return the distance from a proportion down and up to its Wilson limits."""
    shrink = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / shrink
    return p - (centre - half), centre + half - p


def mean_interval(scores: ArrayLike, *, confidence: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Student's interval of each model's mean score over its own items; NaN with fewer than two.

    Scores that lie in [0, 1] have an interval that may reach beyond it.

    Student (1908), doi:10.1093/biomet/6.1.1.
    """
    level = open_unit("confidence", confidence)
    values = np.asarray(scores, dtype=np.float64)
    n = np.sum(~np.isnan(values), axis=0)
    known = np.maximum(n, 1)
    mean = np.nansum(values, axis=0) / known
    degrees = np.maximum(n - 1, 1)
    spread = np.sqrt(np.nansum(np.square(values - mean), axis=0) / degrees / known)
    half = np.where(n > 1, stdtrit(degrees, (1 + level) / 2) * spread, np.nan)
    return mean - half, mean + half
