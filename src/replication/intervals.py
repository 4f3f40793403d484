"""Intervals of the values that round to a printed number, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass

from llm_power_audit.printed import Printed


@dataclass(frozen=True, slots=True)
class Interval:
    """The values that a number can have, given the rounding of what it follows from."""

    lower: float
    upper: float

    @classmethod
    def around(cls, *values: float) -> Interval:
        """Return the smallest interval that holds these values."""
        return cls(min(values), max(values))

    def times(self, other: Interval) -> Interval:
        """Return the products of two numbers that are not negative."""
        return Interval(self.lower * other.lower, self.upper * other.upper)

    def over(self, other: Interval) -> Interval:
        """Return the ratios of a number that is not negative and a positive one."""
        return Interval(self.lower / other.upper, self.upper / other.lower)

    def within(self, *others: Interval) -> Interval:
        """Return what all have in common; where that is nothing, the others say nothing of it."""
        lower = max(self.lower, *(other.lower for other in others))
        upper = min(self.upper, *(other.upper for other in others))
        return Interval(lower, upper) if lower <= upper else self

    def nearest_to(self, value: float) -> float:
        """Return `value` if the interval holds it, else the end of the interval next to it."""
        return min(max(value, self.lower), self.upper)


def interval_of(printed: Printed) -> Interval:
    """Return the values that round to the printed one, ends included."""
    # The ends of `audit.agreement.interval` are these in decimal, an ulp away: the evidence of
    # claims prints every digit.
    return Interval(printed.value - printed.half_unit, printed.value + printed.half_unit)
