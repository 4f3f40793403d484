"""Roots of many equations at once.

`scipy.optimize` takes .4 s of processor time to import, and most of what imports a module that can
solve never solves anything: it is loaded with the first equation.
"""

# ruff: noqa: PLC0415
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llm_power.statistics._typing import ArrayLike, FloatArray


def find_root(
    function: Callable[..., FloatArray],
    bracket: tuple[ArrayLike, ArrayLike],
    *,
    args: tuple[Any, ...] = (),
) -> Any:
    """Return what `scipy.optimize.elementwise.find_root` finds in each bracket."""
    from scipy.optimize import elementwise

    return elementwise.find_root(function, bracket, args=args)
