"""Roots of many functions at once, by Chandrupatla's bisection with inverse interpolation.

`scipy.optimize.elementwise.find_root` finds the same numbers to the last bit. Importing it takes
.2 s of processor time, a sixth of what a small board takes.

Chandrupatla (1997), doi:10.1016/S0965-9978(96)00051-8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from llm_power._statistics.arrays import FloatArray

_RELATIVE: Final = 4 * np.finfo(float).eps
_TINY: Final = np.finfo(float).tiny


def find_roots(
    function: Callable[..., FloatArray],
    bracket: tuple[FloatArray, FloatArray],
    args: tuple[FloatArray, ...] = (),
) -> FloatArray:
    """Return a root of each function between the ends of its bracket; NaN where there is none."""
    whole = np.broadcast_arrays(*bracket, *args)
    x1, x2, *given = (np.array(x, dtype=np.float64).ravel() for x in whole)
    f1, f2 = (np.asarray(function(x, *given), dtype=np.float64) for x in (x1, x2))
    found, at = np.full(x1.shape, np.nan), np.arange(x1.size)
    # Where no point was left behind, the middle is next.
    x3, f3 = x2, f2
    while True:
        nearer = np.abs(f1) < np.abs(f2)
        best, least = np.where(nearer, x1, x2), np.abs(np.where(nearer, f1, f2))
        width, tolerance = np.abs(x2 - x1), np.abs(best) * _RELATIVE + 4 * _TINY
        zero, crosses = least <= _TINY, np.sign(f1) * np.sign(f2) < 0
        near = width < tolerance
        found[at] = np.where(zero | (crosses & near), best, np.nan)
        left = crosses & ~zero & ~near
        if not left.any():
            return found.reshape(whole[0].shape)
        x1, x2, x3, f1, f2, f3, at, edge, *given = (
            x[left] for x in (x1, x2, x3, f1, f2, f3, at, 0.5 * tolerance / width, *given)
        )
        x = x1 + np.clip(_share(x1, x2, x3, f1, f2, f3), edge, 1 - edge) * (x2 - x1)
        f = np.asarray(function(x, *given), dtype=np.float64)
        same = np.sign(f) == np.sign(f1)
        x3, f3 = np.where(same, x1, x2), np.where(same, f1, f2)
        x2, f2 = np.where(same, x2, x1), np.where(same, f2, f1)
        x1, f1 = x, f


def _share(
    x1: FloatArray, x2: FloatArray, x3: FloatArray, f1: FloatArray, f2: FloatArray, f3: FloatArray
) -> FloatArray:
    """Return the next point as a share of the way from `x1` to `x2`."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        place, height = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2)
        smooth = (1 - np.sqrt(1 - place) < height) & (height < np.sqrt(place))
        far = (x3 - x1) / (x2 - x1)
        inverse = f1 / (f1 - f2) * f3 / (f3 - f2) - far * f1 / (f3 - f1) * f2 / (f2 - f3)
        return np.where(smooth, inverse, 0.5)
