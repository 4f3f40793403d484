r"""Random streams by name, so that no result depends on order, cores or block size.

`keyed_normals` are standard normal draws that belong to items by name. A draw is a function of the
item's or cluster's name and of the task's content, which is summed up in whole numbers and so in
any order. Models, tasks and files may be renamed or put in another order; no draw changes. Draws
are multiples of :math:`2^{-10}`, and so are summed over 0/1 scores without rounding, of 2,000 items
in single precision. A draw is the sum of two normal quantiles at 16 random bits each, over the root
of two: normal to six standard deviations.

Steele, Lea and Flood (2014), doi:10.1145/2660193.2660195, for the mixing (splitmix64).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from llm_power._statistics.arrays import FloatArray


def named_rng(seed: int, name: str) -> np.random.Generator:
    """Return the generator of the stream `name` under `seed`.

    The stream is a function of the two arguments alone: running a subset of the
    work, or the same work in another order, draws the same numbers.
    """
    return np.random.default_rng(np.random.SeedSequence([seed, crc32(name.encode())]))


Keys = NDArray[np.uint64]

_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_FACTORS: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_GRID: Final = 2.0**10
# Hashes that are in a core's cache.
_HASHES: Final = 2**15
# Share of the largest square that is added to all: one column may follow from others.
_RIDGE: Final = 1e-10
# Columns whose scores are mixed at once.
_COLUMNS: Final = 64


def content_digest(names: Sequence[str], values: FloatArray) -> Keys:
    """One number, (1,), of which item has which scores, in whatever order; (n_items, n_models)."""
    return np.asarray(column_digests(names, values).sum(keepdims=True))


def column_digests(names: Sequence[str], values: FloatArray) -> Keys:
    """The same of each model's scores, (n_models,)."""
    return digests_of(_hashed(names), values)


def digests_of(own: Keys, values: FloatArray) -> Keys:
    """The same by the keys of the items."""
    own, parts = own[:, np.newaxis], [np.zeros(0, dtype=np.uint64)]
    for start in range(0, values.shape[1], _COLUMNS):
        some = values[:, start : start + _COLUMNS]
        # One NaN and one zero.
        bits = np.where(np.isnan(some), np.nan, some + 0.0).view(np.uint64)
        parts.append(_mixed(_mixed(bits + own).sum(axis=0)))
    return np.concatenate(parts)


def keys_of(names: Sequence[str], digest: Keys) -> Keys:
    """Keys of items or clusters, (n_names,), of a task of this content."""
    return _mixed(_hashed(names) + _mixed(digest))


def keyed_normals(keys: Keys, start: int, stop: int) -> NDArray[np.float32]:
    """Draws `start` to `stop` of each key, (n_keys, stop - start)."""
    # A hash is two draws.
    first, last = start // 2, -(-stop // 2)
    places = np.arange(first + 1, last + 1, dtype=np.uint64) * _STEP
    drawn, quantiles = np.empty((len(keys), 2 * (last - first)), dtype=np.float32), _quantiles()
    rows = max(1, _HASHES // max(len(places), 1))
    for k in range(0, len(keys), rows):
        bits = _mixed(keys[k : k + rows, np.newaxis] + places).astype("<u8", copy=False)
        parts = quantiles[bits.view("<u2")]
        np.add(parts[:, 0::2], parts[:, 1::2], out=drawn[k : k + rows])
    return drawn[:, start - 2 * first : stop - 2 * first]


@cache
def _quantiles() -> NDArray[np.float32]:
    """Normal quantiles at all numbers of 16 bits, with variance 1/2, on the grid."""
    quantiles = ndtri((np.arange(2**16) + 0.5) / 2**16)
    scaled = quantiles / np.sqrt(2 * np.square(quantiles).mean())
    return np.asarray(np.rint(scaled * _GRID) / _GRID, dtype=np.float32)


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


def factored(rows: FloatArray, keys: Keys) -> tuple[FloatArray, Keys]:
    """Return a row for each distinct column of whole numbers, with a key of the column's content.

    The products of columns stay as they are, but for 1e-10 of the largest, and with them the joint
    distribution of sums of draws.
    """
    own, first, place = np.unique(digests_of(keys, rows), return_index=True, return_inverse=True)
    distinct = rows[:, first]
    products = distinct.T @ distinct
    products[np.diag_indices_from(products)] += _RIDGE * max(1.0, products.max())
    return np.asarray(np.linalg.cholesky(products).T[:, place], dtype=float), _mixed(own)


def _hashed(names: Sequence[str]) -> Keys:
    digests = (blake2b(name.encode(), digest_size=8).digest() for name in names)
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _mixed(x: Keys) -> Keys:
    x = x ^ (x >> np.uint64(30))
    x *= _FACTORS[0]
    x ^= x >> np.uint64(27)
    x *= _FACTORS[1]
    x ^= x >> np.uint64(31)
    return x
