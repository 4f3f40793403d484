"""The level and the power that every verdict is given at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """Level and power of every verdict.

    Attributes
    ----------
    alpha, power : float
        Two-sided level of a single pair, or of the family, and target power.
    """

    alpha: float = 0.05
    power: float = 0.80
