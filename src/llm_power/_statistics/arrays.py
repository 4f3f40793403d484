"""Array types, sums whose additions have one order, quotients, and work shared by equal counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ArrayLike", "BoolArray", "FloatArray", "IntArray", "RandomSource"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
# What a function that draws takes, and `numpy.random.default_rng` understands.
RandomSource = np.random.Generator | int | None


def ordered_product(left: FloatArray, right: FloatArray) -> FloatArray:
    """Product of `left` (n, n_terms) and `right` (n_terms, ...), added up term by term.

    BLAS may order its additions by the shape of a block and by the number of cores, and the last
    bits of a row must depend on neither.
    """
    total = np.zeros((left.shape[0], *right.shape[1:]))
    term = np.empty_like(total)
    for k in range(right.shape[0]):
        total += np.multiply.outer(left[:, k], right[k], out=term)
    return total


# Terms that are added one after the other: of more, sums of so many are added.
_TERMS = 128


def ordered_sum(values: FloatArray) -> FloatArray:
    """Sum over the first axis, the same for a column whatever other columns are beside it."""
    columns = values[0].size
    rows = np.ascontiguousarray(values).reshape(len(values), columns)
    if columns == 1:
        # NumPy adds the terms of a single column in another order than those of many.
        rows = np.repeat(rows, 2, axis=1)
    while len(rows) > _TERMS:
        number, width = len(rows) // _TERMS, rows.shape[1]
        blocks, rest = np.split(rows, [number * _TERMS])
        rows = np.concatenate([blocks.reshape(number, _TERMS, width).sum(axis=1), rest])
    return np.asarray(rows.sum(axis=0)[:columns].reshape(values.shape[1:]))


def centered(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean over the first axis, and deviations from it; those of NaN are 0, as is the mean of none.

    Equal values have deviations of 0, whatever the rounding of their mean.
    """
    present = ~np.isnan(values)
    n = present.sum(axis=0)
    mean = np.asarray(ordered_sum(np.where(present, values, 0.0)) / np.maximum(n, 1))
    deviations = np.where(present, values - mean, 0.0)
    deviations[np.abs(deviations) <= n * np.spacing(np.abs(mean))] = 0.0
    return mean, deviations


def by_counts(
    function: Callable[[IntArray, IntArray], FloatArray], b: IntArray, c: IntArray
) -> FloatArray:
    """Return `function(b, c)`, whose results depend on no other pair, (n_pairs,)."""
    width = int(c.max(initial=0)) + 1
    cells = (int(b.max(initial=0)) + 1) * width
    if cells > b.size:
        return function(b, c)
    cell = b * width + c
    place = np.cumsum(np.bincount(cell, minlength=cells) > 0) - 1
    distinct = np.flatnonzero(np.diff(place, prepend=-1))
    return np.asarray(function(distinct // width, distinct % width)[place[cell]])


def ratio(
    top: ArrayLike, bottom: ArrayLike, empty: float = np.nan, *, where: BoolArray | None = None
) -> FloatArray:
    """Quotient, and `empty` elsewhere than `where`, by default where the divisor is zero."""
    some = np.asarray(bottom) != 0 if where is None else where
    if some.all():
        return np.asarray(np.divide(top, bottom))
    numerator, divisor = np.broadcast_arrays(top, bottom)
    quotient = np.full_like(numerator, empty, dtype=np.float64)
    np.divide(numerator, divisor, out=quotient, where=some)
    return quotient
