"""Designs: what has a power at each number of units, and the searches over that number.

A unit is what the design takes more of: an item, a cluster, an item of each cluster. Power may be
that of a test at one true gap, or its mean over what a pilot leaves open.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final

import numpy as np

from llm_power._statistics._numerics import nearest_that, threshold
from llm_power._statistics.argument_checks import open_unit
from llm_power._statistics.arrays import ArrayLike, FloatArray

#: Units beyond which assurance is not looked for.
LARGEST_PLAN: Final = 2**20

#: Beyond it, a few doublings further, a float no longer tells whole numbers apart.
MOST_UNITS: Final = 10**14

#: Units that are as good as infinitely many.
ENDLESS: Final = 10**30


class Design(ABC):
    """A test, and what is assumed of the scores, at any number of units."""

    #: Fewest units that the test can be made with, and most that are looked at.
    least: int = 1
    most: int = ENDLESS
    #: Power that no number of units exceeds.
    largest: float = 1.0

    @abstractmethod
    def power(self, n: ArrayLike) -> FloatArray:
        """Power at each number of units."""

    def quick(self) -> Design:
        """Return the design whose power is near the same, and fast at many numbers of units."""
        return self

    def closed_form(self, target: float) -> float | None:
        """Units that have the target power, where no search is needed."""
        del target
        return None

    def start(self, target: float) -> int:
        """Number of units that the search begins at."""
        del target
        return self.least

    def last_below(self, target: float, n: int) -> int:
        """Largest number without the target power, from `n` on, which has it and n - 1 has not.

        That is n - 1 where power rises; a saw-tooth may fall below its target again.
        """
        del target
        return n - 1


def required_units(design: Design, power: float) -> float:
    """Smallest n such that n units and every larger number have the power; ``inf`` where none."""
    target = open_unit("power", power)
    if target >= design.largest:
        return np.inf
    known = design.closed_form(target)
    if known is not None:
        return known
    ends = design.least, design.most
    n = nearest_that(lambda n: bool(design.power(n) >= target), design.start(target), *ends)
    return np.inf if n is None else float(design.last_below(target, n) + 1)


def detectable_gap(
    at: Callable[[float], Design | None],
    n: float,
    power: float,
    *,
    least: float = 0.0,
    widest: float,
    halvings: int = 40,
) -> float:
    """Smallest gap in [least, widest] with the power at n units; ``inf`` where there is none.

    `at` returns the design of a gap, or None of one that is always found.
    """

    def enough(gap: float) -> bool:
        design = at(gap)
        return gap > 0 and (design is None or bool(design.power(n) >= power))

    return threshold(enough, least, widest, halvings=halvings) if enough(widest) else np.inf
