r"""Standard normal draws that belong to names, the same wherever an item stands in a table.

A draw is a function of the item's or cluster's name and of the task's content, which is summed up
in whole numbers and so in any order. Models, tasks and files may be renamed or put in another
order; no draw changes. Draws are multiples of :math:`2^{-18}`: their products with scores on such a
grid are summed without rounding.

Steele, Lea and Flood (2014), doi:10.1145/2660193.2660195, for the mixing (splitmix64).
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from llm_power._statistics.arrays import FloatArray

Keys = NDArray[np.uint64]

_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_FACTORS: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_GRID: Final = 2.0**18
# Columns whose scores are mixed at once.
_COLUMNS: Final = 64


def content_digest(names: Sequence[str], values: FloatArray) -> Keys:
    """One number, (1,), of which item has which scores, in whatever order; (n_items, n_models)."""
    own, total = _hashed(names)[:, np.newaxis], np.zeros(1, dtype=np.uint64)
    for start in range(0, values.shape[1], _COLUMNS):
        some = values[:, start : start + _COLUMNS]
        # One NaN and one zero.
        bits = np.where(np.isnan(some), np.nan, some + 0.0).view(np.uint64)
        total += _mixed(_mixed(bits + own).sum(axis=0)).sum(keepdims=True)
    return total


def keys_of(names: Sequence[str], digest: Keys) -> Keys:
    """Keys of items or clusters, (n_names,), of a task of this content."""
    return _mixed(_hashed(names) + _mixed(digest))


def keyed_normals(keys: Keys, start: int, stop: int) -> FloatArray:
    """Draws `start` to `stop` of each key, (n_keys, stop - start)."""
    places = np.arange(start + 1, stop + 1, dtype=np.uint64) * _STEP
    bits = _mixed(keys[:, np.newaxis] + places) >> np.uint64(11)
    return np.asarray(np.rint(ndtri((bits + 0.5) * 2.0**-53) * _GRID) / _GRID)


def pooled(rows: FloatArray, keys: Keys) -> tuple[FloatArray, Keys]:
    """Equal rows, (n_rows, n_columns), as one, with the key of all of them.

    The sum of draws of n equal rows is distributed as one draw times the root of n.
    """
    salts = np.arange(1, rows.shape[1] + 1, dtype=np.uint64) * _STEP
    groups = _mixed((rows + 0.0).view(np.uint64) + salts).sum(axis=1)
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=groups[order[:1]] + np.uint64(1)))
    counts = np.diff(starts, append=len(rows))
    merged = rows[order[starts]] * np.sqrt(counts)[:, np.newaxis]
    return merged, _mixed(np.add.reduceat(keys[order], starts))


def _hashed(names: Sequence[str]) -> Keys:
    digests = (blake2b(name.encode(), digest_size=8).digest() for name in names)
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _mixed(x: Keys) -> Keys:
    for shift, factor in zip((30, 27), _FACTORS, strict=True):
        x = (x ^ (x >> np.uint64(shift))) * factor
    return x ^ (x >> np.uint64(31))
