"""Where functions are zero, and where something begins to hold that holds from there on.

Roots are Chandrupatla's, by bisection with inverse interpolation.
`scipy.optimize.elementwise.find_root` finds the same numbers to the last bit. Importing it takes .2
s of processor time, a sixth of what a small board takes.

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
    shape = np.broadcast_shapes(*(np.shape(each) for each in (*bracket, *args)))
    low, high, *given = (
        np.broadcast_to(each, shape).astype(np.float64).ravel() for each in (*bracket, *args)
    )
    # Newest point, other end of the bracket, and the point before: (3, n_open).
    x = np.stack([low, high, high])
    f = np.stack([function(low, *given), *[function(high, *given)] * 2])
    found, at = np.full(low.shape, np.nan), np.arange(low.size)
    while True:
        nearer = np.abs(f[0]) < np.abs(f[1])
        best, least = np.where(nearer, x[0], x[1]), np.abs(np.where(nearer, f[0], f[1]))
        width, tolerance = np.abs(x[1] - x[0]), np.abs(best) * _RELATIVE + 4 * _TINY
        zero, crosses = least <= _TINY, np.sign(f[0]) * np.sign(f[1]) < 0
        near = width < tolerance
        found[at] = np.where(zero | (crosses & near), best, np.nan)
        left = crosses & ~zero & ~near
        if not left.any():
            return found.reshape(shape)
        x, f, at, given = x[:, left], f[:, left], at[left], [each[left] for each in given]
        edge = 0.5 * tolerance[left] / width[left]
        newest = x[0] + np.clip(_share(x, f), edge, 1 - edge) * (x[1] - x[0])
        value = function(newest, *given)
        same = np.sign(value) == np.sign(f[0])
        x = np.stack([newest, np.where(same, x[1], x[0]), np.where(same, x[0], x[1])])
        f = np.stack([value, np.where(same, f[1], f[0]), np.where(same, f[0], f[1])])


def _share(x: FloatArray, f: FloatArray) -> FloatArray:
    """Return the next point as a share of the way from the newest to the other end."""
    (x1, x2, x3), (f1, f2, f3) = x, f
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        place, height = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2)
        smooth = (1 - np.sqrt(1 - place) < height) & (height < np.sqrt(place))
        far = (x3 - x1) / (x2 - x1)
        inverse = f1 / (f1 - f2) * f3 / (f3 - f2) - far * f1 / (f3 - f1) * f2 / (f2 - f3)
        return np.where(smooth, inverse, 0.5)


def threshold(holds: Callable[[float], bool], low: float, high: float, *, halvings: int) -> float:
    """Return the upper end of an interval that was halved so often: there it still holds."""
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def smallest_that(holds: Callable[[int], bool], least: int, most: int) -> int:
    """Return the smallest whole number in [least, most] that it holds for; it does at `most`."""
    while least < most:
        middle = (least + most) // 2
        least, most = (least, middle) if holds(middle) else (middle + 1, most)
    return least
