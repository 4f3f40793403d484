"""Where a function is zero, and where something begins to hold that holds from there on."""

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
