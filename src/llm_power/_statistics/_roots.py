"""Roots of many functions at once.

Importing `scipy.optimize` takes .2 s of processor time, and plans in closed form need no root.
"""

from __future__ import annotations

from collections.abc import Callable

from llm_power._statistics.arrays import FloatArray


def find_roots(
    function: Callable[..., FloatArray],
    bracket: tuple[FloatArray, FloatArray],
    args: tuple[FloatArray, ...] = (),
) -> FloatArray:
    """Return a root of each function between the ends of its bracket; NaN where there is none."""
    from scipy.optimize import elementwise  # noqa: PLC0415

    roots: FloatArray = elementwise.find_root(function, bracket, args=args).x
    return roots
