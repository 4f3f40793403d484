"""Alternative clusterings of the items of one test: random, by difficulty, by parity.

Section 6.4 of the paper asks how far a clustered verdict depends on what is called a
cluster. Every function returns one integer label an item; an empty cluster is allowed
and means nothing, for the design effect counts non-empty clusters only.
"""

from __future__ import annotations

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import finite
from llm_power._statistics.arrays import ArrayLike, FloatArray, IntArray, RandomSource


def random_clusters(n_items: int, n_clusters: int, rng: RandomSource = None) -> IntArray:
    """Random clusters whose sizes differ by one at most.

    The null check of Section 6.4: such clusters carry no information, so both mean squares of
    the paired difference have one expectation and the verdict is that of independent items.
    """
    rng = np.random.default_rng(rng)
    if not 1 <= n_clusters <= n_items:
        raise InvalidArgument(
            f"n_clusters must lie between 1 and n_items={n_items!r}, got {n_clusters!r}"
        )
    return rng.permutation(np.arange(n_items, dtype=np.int64) % n_clusters)


def difficulty_bins(item_mean: ArrayLike, n_bins: int = 4) -> IntArray:
    """Bin items by how many models solve them; quartiles by default.

    The difficulty quartiles of Section 6.4. With ten models an item mean has eleven values
    at most, so a quartile falls inside a block of equal items. Equal items are never split:
    a block lies in the bin that holds its middle, which moves the cut to the nearer end of
    the block (to the lower end if the block is cut in the very middle). Bins are then
    unequal, and one is empty where a block spans more than a bin; labels are not renumbered.

    The bins are made from the very scores that are compared: where all models agree, every
    paired difference is zero. Part of this clustering's ICC is therefore built in.
    """
    means = finite("item_mean", item_mean)
    if means.ndim != 1 or means.size == 0:
        raise InvalidArgument(f"item_mean must be one-dimensional, got shape {means.shape!r}")
    if n_bins < 1:
        raise InvalidArgument(f"n_bins must be at least 1, got {n_bins!r}")
    return _middle_of_block(means, n_bins)


def _middle_of_block(means: FloatArray, n_bins: int) -> IntArray:
    # Twice the mid-rank, counted from zero: whole numbers, so no cut hangs on rounding.
    ordered = np.sort(means)
    below = np.searchsorted(ordered, means, side="left")
    up_to = np.searchsorted(ordered, means, side="right")
    return n_bins * (below + up_to) // (2 * means.size)


def split_by_parity(labels: ArrayLike) -> IntArray:
    """Halve every cluster by the parity of its items' positions in it.

    Labels ``2 k`` for the even and ``2 k + 1`` for the odd positions, counted from 0, of the k-th
    cluster. The subject sub-clusters of Section 6.4, which says "item parity" and not of which
    position. Where every cluster is one run of consecutive items, as in MMLU-Pro sorted by subject,
    positions in the whole test give the same halves.
    """
    array = np.asarray(labels)
    if array.ndim != 1:
        raise InvalidArgument(f"labels must be one-dimensional, got shape {array.shape!r}")
    codes = np.unique(array, return_inverse=True)[1].astype(np.int64)
    order, sizes = np.argsort(codes, kind="stable"), np.bincount(codes)
    place = np.empty_like(codes)
    place[order] = np.arange(codes.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return 2 * codes + place % 2
