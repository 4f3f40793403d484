"""Floating-point numbers as the decimal ones they were written as."""

from __future__ import annotations

from decimal import Decimal


def as_decimal(value: float) -> Decimal:
    """Return the shortest decimal number that denotes `value`, for 0.45 - 0.445 is not 0.005."""
    return Decimal(repr(float(value)))
