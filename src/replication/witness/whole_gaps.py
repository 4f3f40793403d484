"""Whole gaps of one pair's clusters near real-valued ones, by exhaustive search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import FloatArray, IntArray
from replication.witness.gap_misfit import PairTargets, Score, explained_interval

# Whole solutions whose misfit is computed.
SHORTLIST: Final = 250


def integer_gaps(
    targets: PairTargets,
    gaps: FloatArray,
    misfit: Score,
    *,
    width: int = 3,
    shortlist: int = SHORTLIST,
) -> tuple[IntArray, int]:
    r"""Find whole gaps near `gaps` with the pair's D and with Q in the interval of Table 4."""
    # Meet in the middle: the clusters are halved, all combinations of neighbors are listed in each
    # half, and the halves are matched by their parts of D and Q. Every solution is found; no
    # solver with a time limit is needed.
    interval = explained_interval(targets)
    base = np.rint(gaps).astype(np.int64) - (width - 1) // 2
    even = _half(targets, gaps, base, 0, width)
    odd = _half(targets, gaps, base, 1, width)
    pool, n_solutions = _solutions(even, odd, targets.difference, interval, shortlist)
    if n_solutions == 0:
        return _closest(even, odd, targets.difference, interval), 0
    candidates = np.stack([_join(even, odd, a, b) for _, a, b in pool])
    return candidates[int(np.argmin(misfit(candidates.astype(np.float64))))], n_solutions


def split_discordant(targets: PairTargets, gaps: IntArray) -> tuple[IntArray, IntArray]:
    """Share the pair's discordant items among the clusters, in proportion to their sizes."""
    # Each cluster's number of discordant items has the parity of its gap. Table 4 does not depend
    # on this split, Tables 8 and 9 hardly do.
    if int(gaps.sum()) != targets.difference:
        raise InvalidArgument(f"gaps must sum to {targets.difference}, got {int(gaps.sum())!r}")
    least = np.abs(gaps)
    if int(least.sum()) > targets.discordant:
        raise InvalidArgument(
            f"gaps must use at most {targets.discordant} discordant items, got {int(least.sum())!r}"
        )
    expected = targets.expected_discordant
    share = least + 2 * np.maximum(np.rint((expected - least) / 2).astype(np.int64), 0)
    share = np.where(share > targets.n_items, share - 2, share)
    while (missing := targets.discordant - int(share.sum())) != 0:
        step = 2 if missing > 0 else -2
        there = share + step
        cost = (np.square(there - expected) - np.square(share - expected)) / expected
        cost[(there < least) | (there > targets.n_items)] = np.inf
        share[int(np.argmin(cost))] += step
    return (share + gaps) // 2, (share - gaps) // 2


@dataclass(frozen=True, slots=True)
class _Half:
    """All combinations of neighboring whole gaps in one half of the clusters."""

    clusters: IntArray
    values: IntArray
    total: IntArray
    explained: FloatArray
    distance: FloatArray


def _half(targets: PairTargets, gaps: FloatArray, base: IntArray, start: int, width: int) -> _Half:
    clusters = np.arange(start, len(gaps), 2)
    grid = np.indices((width,) * len(clusters)).reshape(len(clusters), -1)
    values = base[clusters][:, None] + grid
    n = targets.n_items[clusters][:, None]
    return _Half(
        clusters=clusters,
        values=values,
        total=values.sum(axis=0),
        explained=(values * values / n).sum(axis=0),
        distance=(np.square(values - gaps[clusters][:, None]) / n).sum(axis=0),
    )


def _matched(
    first: _Half, second: _Half, difference: int
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Yield rows of both halves whose sums add up, those of the second by their part of Q."""
    for total in np.unique(first.total):
        partners = np.flatnonzero(second.total == difference - total)
        if len(partners):
            partners = partners[np.argsort(second.explained[partners], kind="stable")]
            yield np.flatnonzero(first.total == total), partners, second.explained[partners]


def _solutions(
    first: _Half, second: _Half, difference: int, interval: tuple[float, float], shortlist: int
) -> tuple[list[tuple[float, int, int]], int]:
    """Return the nearest solutions as (distance, row, row), and how many there are in all."""
    lower, upper = interval
    pool: list[tuple[float, int, int]] = []
    count = 0
    for rows, partners, explained in _matched(first, second, difference):
        low = np.searchsorted(explained, lower - first.explained[rows], side="left")
        high = np.searchsorted(explained, upper - first.explained[rows], side="right")
        matches = high - low
        count += int(matches.sum())
        a = np.repeat(rows, matches)
        place = np.arange(len(a)) - np.repeat(np.cumsum(matches) - matches, matches)
        b = partners[np.repeat(low, matches) + place]
        distance = first.distance[a] + second.distance[b]
        near = np.argsort(distance, kind="stable")[:shortlist]
        pool += zip(distance[near].tolist(), a[near].tolist(), b[near].tolist(), strict=True)
    return sorted(pool)[:shortlist], count


def _closest(
    first: _Half, second: _Half, difference: int, interval: tuple[float, float]
) -> IntArray:
    """Return the gaps of the right sum whose Q is nearest to the interval."""
    lower, upper = interval
    best = (np.inf, 0, 0)
    for rows, partners, explained in _matched(first, second, difference):
        after = np.searchsorted(explained, (lower + upper) / 2 - first.explained[rows])
        for side in (after - 1, after):
            at = np.clip(side, 0, len(partners) - 1)
            q = first.explained[rows] + explained[at]
            miss = np.maximum(lower - q, q - upper)
            i = int(np.argmin(miss))
            best = min(best, (float(miss[i]), int(rows[i]), int(partners[at[i]])))
    return _join(first, second, best[1], best[2])


def _join(first: _Half, second: _Half, a: int, b: int) -> IntArray:
    gaps = np.empty(len(first.clusters) + len(second.clusters), dtype=np.int64)
    gaps[first.clusters] = first.values[:, a]
    gaps[second.clusters] = second.values[:, b]
    return gaps
