"""What agrees with a printed number, by tolerances fixed before any result is seen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from statistics import NormalDist
from typing import Final, Literal

from audit.printed import DisplayRule, Printed, Relation, as_decimal

# A printed number stands for whatever lies within half a unit of its last digit.
HALF_UNITS: Final = 1
# Rounded up or down instead of to the nearest, it stands for whatever lies within the unit.
HALF_UNITS_ROUNDED: Final = 2
# The level, two-sided, of every tolerance of chance: an audit with a hundred simulated numbers,
# all of them right, contradicts one of them wrongly in one run of ten.
MONTE_CARLO_LEVEL: Final = 0.001
# The same in standard errors of the difference of the two, 3.29.
MONTE_CARLO_STANDARD_ERRORS: Final = NormalDist().inv_cdf(1 - MONTE_CARLO_LEVEL / 2)

# Of the values that a number can have: all display as printed, some do, or none does.
Place = Literal["inside", "across", "outside"]

# Half units below and above the printed number that it stands for.
_REACH: Final[Mapping[DisplayRule, tuple[int, int]]] = {
    "nearest": (HALF_UNITS, HALF_UNITS),
    "up": (HALF_UNITS_ROUNDED, 0),
    "down": (0, HALF_UNITS_ROUNDED),
}


def agrees(
    printed: Printed,
    value: float | str,
    *,
    rounding: DisplayRule = "nearest",
    standard_error: float = 0.0,
) -> bool:
    """Whether `value`, unrounded and in the printed units, can be what was printed.

    A number is within half a unit of its last digit, ends included (a tie may have been rounded
    either way), or within the unit on one side where rounded up or down; a bound or a range
    holds; `standard_error`, of the difference of the two, widens either by
    `MONTE_CARLO_STANDARD_ERRORS` of it. NaN never agrees.
    """
    if isinstance(value, str) or printed.relation == "text":
        return printed.relation == "text" and value == printed.text
    if math.isnan(value):
        return False
    if value == printed.value and printed.relation not in ("<", ">"):
        return True  # infinite ones too
    # In decimal: 0.45 - 0.445 is not 0.005 in binary, and the printed number is decimal.
    slack = _slack(standard_error)
    low, high = (
        end + side * slack for end, side in zip(_ends(printed, rounding), (-1, 1), strict=True)
    )
    v = as_decimal(value)
    if printed.relation in ("<", ">"):
        return v < high if printed.relation == "<" else low < v
    if rounding == "nearest" or slack or not printed.is_number:
        return low <= v <= high
    # The far end would have been printed as the next number.
    return low < v <= high if rounding == "up" else low <= v < high


def placed(
    printed: Printed,
    lower: float,
    upper: float,
    *,
    rounding: DisplayRule = "nearest",
    standard_error: float = 0.0,
) -> Place:
    """Say which of the values from `lower` to `upper` can be what was printed."""
    nearest = min(max(printed.value, lower), upper)
    likeliest = {"<": lower, "<=": lower, ">": upper, ">=": upper}.get(printed.relation, nearest)
    first, last, any_of_them = (
        agrees(printed, value, rounding=rounding, standard_error=standard_error)
        for value in (lower, upper, likeliest)
    )
    if first and last:
        return "inside"
    return "across" if first or last or any_of_them else "outside"


def interval(printed: Printed, rounding: DisplayRule = "nearest") -> tuple[float, float]:
    """Return the ends of the values that a number, bound or range stands for.

    Both ends count as included; they are infinite where a bound is open.
    """
    low, high = _ends(printed, rounding)
    return float(low), float(high)


def overlap(distance: Decimal, half_units: Decimal, standard_error: float = 0.0) -> bool:
    """Whether one true value, rounded to the nearest, can have been printed as two numbers.

    `half_units` are those of both, added up; `distance` is not negative.
    """
    slack = _slack(standard_error)
    if distance == 0 or distance < HALF_UNITS * half_units:
        return True
    return bool(slack) and distance <= HALF_UNITS * half_units + slack


def _slack(standard_error: float) -> Decimal:
    return as_decimal(MONTE_CARLO_STANDARD_ERRORS) * as_decimal(standard_error)


def _ends(printed: Printed, rounding: DisplayRule) -> tuple[Decimal, Decimal]:
    value, half_unit = as_decimal(printed.value), as_decimal(printed.half_unit)
    below, above = _REACH[rounding if printed.is_number else "nearest"]
    low, high = value - below * half_unit, value + above * half_unit
    if printed.relation == "between":
        return low, as_decimal(printed.upper) + above * half_unit
    open_below, open_above = Decimal("-Infinity"), Decimal("Infinity")
    ends: Mapping[Relation, tuple[Decimal, Decimal]] = {
        "<": (open_below, high),
        "<=": (open_below, high),
        ">": (low, open_above),
        ">=": (low, open_above),
    }
    return ends.get(printed.relation, (low, high))
