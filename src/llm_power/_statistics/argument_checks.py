"""One check for each kind of argument; each names the argument and echoes the value."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from llm_power._errors import InvalidArgument, one_line
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray

Number = TypeVar("Number", bound=np.generic)

#: Beyond it a float no longer tells whole numbers apart.
_LARGEST_COUNT = 2**53


def refuse(
    name: str,
    values: FloatArray,
    wrong: BoolArray,
    must: str,
    *,
    hint: Callable[[float], str] = lambda _: "",
) -> None:
    """Refuse values of which some are wrong: say what they must, and name the first that is."""
    if np.any(wrong):
        first = float(np.atleast_1d(values)[np.atleast_1d(wrong)][0])
        raise InvalidArgument(f"{name} must {must}, got {first!r}{hint(first)}")


def open_unit(name: str, value: float) -> float:
    """Return `value` as a float if 0 < value < 1."""
    number = _scalar(name, value)
    if not 0.0 < number < 1.0:
        raise InvalidArgument(
            f"{name} must lie strictly between 0 and 1, got {value!r}{percent_meant(number)}"
        )
    return number


def percent_meant(value: float) -> str:
    """Return a question where a share looks as if it was given in percent."""
    return f"; is {value / 100:g} meant?" if 2 <= abs(value) < 100 else ""


def strictly_between(name: str, value: ArrayLike, low: float, high: float) -> FloatArray:
    """Return `value` as a float array of numbers in the open interval (`low`, `high`)."""
    array = finite(name, value)
    refuse(name, array, (array <= low) | (array >= high), f"lie strictly in ({low:g}, {high:g})")
    return array


def positive(name: str, value: ArrayLike) -> FloatArray:
    """Return `value` as a float array of finite, strictly positive numbers."""
    array = finite(name, value)
    refuse(name, array, array <= 0, "be positive")
    return array


def non_negative(name: str, value: ArrayLike) -> FloatArray:
    """Return `value` as a float array of finite numbers that are at least 0."""
    array = finite(name, value)
    refuse(name, array, array < 0, "not be negative")
    return array


def proportions(name: str, value: ArrayLike) -> FloatArray:
    """Return `value` as a float array of numbers in [0, 1]."""
    array = finite(name, value)
    refuse(name, array, (array < 0) | (array > 1), "lie in [0, 1]", hint=percent_meant)
    return array


def p_values(p: ArrayLike) -> FloatArray:
    """Return the p-values of several tests, (n_tests,)."""
    values = proportions("p", p)
    if values.ndim != 1:
        raise InvalidArgument(f"p must be one-dimensional, got shape {values.shape!r}")
    return values


def numbers(name: str, value: ArrayLike) -> FloatArray:
    """Return `value` as a float array, where NaN and infinity have a meaning."""
    if np.ma.is_masked(value):
        raise InvalidArgument(f"{name} must not have masked entries; leave these items out")
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        must = "be below 1.8e308" if isinstance(error, OverflowError) else "hold numbers"
        raise InvalidArgument(f"{name} must {must}, got {one_line(repr(value), 80)}") from None


def finite(name: str, value: ArrayLike) -> FloatArray:
    """Return `value` as a float array without NaN, infinity or masked entries."""
    array = numbers(name, value)
    refuse(name, array, ~np.isfinite(array), "be finite")
    return array


def counts(name: str, value: ArrayLike) -> IntArray:
    """Return `value` as an int64 array of whole numbers that are at least 0."""
    array = non_negative(name, value)
    whole = np.rint(array)
    refuse(name, array, whole != array, "hold whole numbers")
    refuse(name, array, whole > _LARGEST_COUNT, "be at most 2**53")
    return whole.astype(np.int64)


def broadcast(**arrays: NDArray[Number]) -> tuple[NDArray[Number], ...]:
    """Return the named arrays in the one shape that they fit."""
    try:
        return tuple(np.broadcast_arrays(*arrays.values()))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays.values())
        raise InvalidArgument(
            f"{', '.join(arrays)} must have shapes that fit together, got {shapes}"
        ) from None


def one_of(name: str, value: str, known: Collection[str]) -> None:
    """Refuse a word that is none of those known."""
    if value not in known:
        raise InvalidArgument(f"{name} must be one of {sorted(known)}, got {value!r}")


def table_counts(
    n11: ArrayLike, b: ArrayLike, c: ArrayLike, n00: ArrayLike
) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray]:
    """Return the four cells of 2 x 2 tables in one shape, and their positive sum."""
    cells = broadcast(
        n11=counts("n11", n11), b=counts("b", b), c=counts("c", c), n00=counts("n00", n00)
    )
    both, only_a, only_b, neither = cells
    n = both + only_a + only_b + neither
    if np.any(n == 0):
        raise InvalidArgument("every pair needs at least one item, got n11 = b = c = n00 = 0")
    return both, only_a, only_b, neither, n


def pair_counts(
    b: ArrayLike, c: ArrayLike, n_items: ArrayLike
) -> tuple[IntArray, IntArray, IntArray]:
    """Return b, c and N in one shape, if b + c of N items can differ."""
    first, second, n = broadcast(
        b=counts("b", b), c=counts("c", c), n_items=counts("n_items", n_items)
    )
    if np.any((first + second > n) | (n == 0)):
        raise InvalidArgument("n_items must be positive and at least b + c")
    return first, second, n


def discordant_rates(p10: ArrayLike, p01: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the probabilities of the two discordant cells in one shape; both can be 0."""
    first, second = broadcast(p10=non_negative("p10", p10), p01=non_negative("p01", p01))
    # Rates b/n and c/n of n discordant items can exceed 1 in sum by an error of representation.
    if np.any(first + second > 1 + 1e-12):
        raise InvalidArgument("p10 and p01 must not be negative, with a sum of at most 1")
    return first, second


def positive_count(name: str, value: int) -> int:
    """Return `value` as an int if it is a whole number of at least 1."""
    number = int(_scalar(name, counts(name, value)))
    if number == 0:
        raise InvalidArgument(f"{name} must be at least 1, got {value!r}")
    return number


def at_least_two(name: str, value: int) -> int:
    """Return `value` as an int if it is a whole number of at least 2."""
    number = positive_count(name, value)
    if number == 1:
        raise InvalidArgument(f"{name} must be at least 2, got {value!r}")
    return number


def discordance(p10: float, p01: float) -> float:
    """Return p10 + p01 if these can be the probabilities of the two discordant cells."""
    total = float(p10) + float(p01)
    if not (p10 >= 0 and p01 >= 0 and 0 < total <= 1):
        raise InvalidArgument(
            f"p10 and p01 must not be negative, with a sum in (0, 1], got {p10!r} and {p01!r}"
        )
    return total


def _scalar(name: str, value: ArrayLike) -> float:
    array = finite(name, value)
    if array.ndim:
        raise InvalidArgument(f"{name} must be a single number, got shape {array.shape!r}")
    return float(array)
