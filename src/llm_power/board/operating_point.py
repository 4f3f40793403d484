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

    Examples
    --------
    >>> from llm_power import OperatingPoint
    >>> OperatingPoint()
    OperatingPoint(alpha=0.05, power=0.8)
    >>> OperatingPoint(alpha=0.01, power=0.90).alpha
    0.01
    """

    alpha: float = 0.05
    power: float = 0.80
