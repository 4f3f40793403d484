"""One check for each kind of argument; each names the argument and echoes the value."""

from __future__ import annotations

import numpy as np

from llm_power.errors import InvalidArgument
from llm_power.statistics._typing import ArrayLike, FloatArray, IntArray


def open_unit(name: str, value: float) -> float:
    """Return `value` as a float if 0 < value < 1."""
    number = float(value)
    if not 0.0 < number < 1.0:
        raise InvalidArgument(f"{name} must lie strictly between 0 and 1, got {value!r}")
    return number


def positive(name: str, value: ArrayLike) -> FloatArray:
    """Return `value` as a float array of finite, strictly positive numbers."""
    array = finite(name, value)
    if np.any(array <= 0):
        raise InvalidArgument(f"{name} must be positive, got {_first(array, array <= 0)!r}")
    return array


def non_negative(name: str, value: ArrayLike) -> FloatArray:
    """Return `value` as a float array of finite numbers that are at least 0."""
    array = finite(name, value)
    if np.any(array < 0):
        raise InvalidArgument(f"{name} must not be negative, got {_first(array, array < 0)!r}")
    return array


def proportions(name: str, value: ArrayLike) -> FloatArray:
    """Return `value` as a float array of numbers in [0, 1]."""
    array = finite(name, value)
    outside = (array < 0) | (array > 1)
    if np.any(outside):
        raise InvalidArgument(f"{name} must lie in [0, 1], got {_first(array, outside)!r}")
    return array


def finite(name: str, value: ArrayLike) -> FloatArray:
    """Return `value` as a float array without NaN or infinity."""
    array = np.asarray(value, dtype=np.float64)
    bad = ~np.isfinite(array)
    if np.any(bad):
        raise InvalidArgument(f"{name} must be finite, got {_first(array, bad)!r}")
    return array


def counts(name: str, value: ArrayLike) -> IntArray:
    """Return `value` as an int64 array of whole numbers that are at least 0."""
    array = non_negative(name, value)
    whole = np.rint(array)
    if np.any(whole != array):
        raise InvalidArgument(
            f"{name} must hold whole numbers, got {_first(array, whole != array)!r}"
        )
    return whole.astype(np.int64)


def _first(array: FloatArray, where: np.ndarray) -> float:
    return float(np.atleast_1d(array)[np.atleast_1d(where)][0])
