"""Intervals of the values that round to a printed number."""

from __future__ import annotations

from dataclasses import dataclass

from llm_power.printed import Printed


@dataclass(frozen=True, slots=True)
class Reach:
    """The values that a number can have, given the rounding of what it follows from.

    Attributes
    ----------
    lower, upper : float
        Ends of the interval, both included.
    """

    lower: float
    upper: float

    def nearest_to(self, value: float) -> float:
        """Return `value` if it is within reach, else the end of the interval next to it."""
        return min(max(value, self.lower), self.upper)


def reach_of(printed: Printed) -> Reach:
    """Return the values that round to the printed one, ends included."""
    return Reach(printed.value - printed.half_unit, printed.value + printed.half_unit)
