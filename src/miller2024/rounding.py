"""Numbers that follow from printed ones, with all values that the rounding of these allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from audit.printed import Printed


@dataclass(frozen=True, slots=True)
class Recomputed:
    """A number from the printed digits, and the ends of what their rounding allows."""

    value: float
    lower: float
    upper: float


def over_roundings(function: Callable[..., Any], *printed: Printed) -> Recomputed:
    """Evaluate a function that is monotone in each argument within its rounding."""
    ends = [[one.value - one.half_unit, one.value, one.value + one.half_unit] for one in printed]
    # The ends are decimal: what binary numbers miss of them is nothing that was printed.
    values = [round(float(function(*corner)), 12) for corner in product(*ends)]
    middle = round(float(function(*(one.value for one in printed))), 12)
    return Recomputed(middle, min(values), max(values))


def columns_of(name: str, found: Sequence[Recomputed]) -> dict[str, list[float]]:
    """Return the columns of a table that an audit reads: the value and its ends."""
    return {
        name: [one.value for one in found],
        f"{name}_lower": [one.lower for one in found],
        f"{name}_upper": [one.upper for one in found],
    }
