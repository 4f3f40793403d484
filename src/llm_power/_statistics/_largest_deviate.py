r"""The largest deviate of all pairs of models, without most of the pairs.

A pair's deviate is :math:`(S_i - S_j) p_{ij}` with a sum of draws S a model and the pair's
precision p. Where p is at most the cap :math:`c_i` of all pairs of i, no pair of i reaches a
maximum M with :math:`(S_i - \min S)\,c_i \le M`, and likewise of j: what is left are a few high
models and a few low ones. Rounding keeps order, so that the maximum is the same to the last bit.
The pairs of the highest precision would spoil the caps, and are computed from every draw.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from llm_power._statistics.arrays import BoolArray

Singles = NDArray[np.float32]

#: Draws by which a tile chooses its caps.
TRIED: Final = 4
# Share of the pairs that are computed from every draw, and its growth; a pair that is looked up
# takes several times as long as one of these.
_SHARE: Final = 0.02
_GROWTH: Final = 2
_LOOK_UP: Final = 10
# Tiles up to which all pairs are computed from every draw.
_SMALL: Final = 2**15
# Models at either end whose pairs are looked up first.
_EXTREMES: Final = 8
# Pairs of the highest precision whose deviates are in a core's cache.
_PAIRS: Final = 256


class Tile:
    """Pairs of the first models of a list, A, with all of it, B."""

    def __init__(self, precision: Singles, sums: Singles) -> None:
        """Choose the caps for a precision, (n_a, n_b), by some sums, (n_b, n_draws)."""
        self._precision = precision
        known = np.sort(precision.ravel()[:: max(1, precision.size // 2**16)])
        largest = np.array([np.abs(_deviates(precision, each)).max(initial=0) for each in sums.T])
        share = _SHARE if precision.size > _SMALL else 1.0
        while True:
            cap = known[int((1 - share) * (known.size - 1))]
            capped = np.where(precision <= cap, precision, 0)
            self._caps = capped.max(axis=1), capped.max(axis=0)
            sides = self._open(sums, largest)
            pairs = sum(float(a.sum(axis=0) @ b.sum(axis=0)) for a, b in sides)
            if _LOOK_UP * pairs / sums.shape[1] <= share * precision.size or share * _GROWTH > 1:
                break
            share *= _GROWTH
        first, second = np.nonzero(np.triu(precision > cap, 1))
        self._sharp = first.astype(np.int32), second.astype(np.int32), precision[first, second]

    def largest(self, sums: Singles, found: Singles, start: int, stop: int) -> Singles:
        """Return the largest absolute deviate of draws `start` to `stop`, at least `found`."""
        some = np.ascontiguousarray(sums[:, start:stop])
        found = found[start:stop].copy()
        first, second, precision = self._sharp
        for k in range(0, len(first), _PAIRS):
            pairs = slice(k, k + _PAIRS)
            deviates = some[first[pairs]]
            deviates -= some[second[pairs]]
            deviates *= precision[pairs, np.newaxis]
            np.maximum(found, np.abs(deviates, out=deviates).max(axis=0), out=found)
        if not self._caps[0].any():
            return found
        np.maximum(found, self._of_extremes(some), out=found)
        for high, low in self._open(some, found):
            for draw in np.flatnonzero(high.any(axis=0) & low.any(axis=0)):
                a, b = np.flatnonzero(high[:, draw]), np.flatnonzero(low[:, draw])
                own = some[:, draw]
                deviates = np.subtract.outer(own[a], own[b]) * self._precision[np.ix_(a, b)]
                found[draw] = max(found[draw], np.abs(deviates).max())
        return found

    def _of_extremes(self, sums: Singles) -> Singles:
        """Return the largest deviate of a few of the highest and lowest models."""
        of_a, few = sums[: len(self._precision)], min(_EXTREMES, len(self._precision)) - 1
        draws = np.arange(sums.shape[1])
        highest, lowest = (
            (np.argpartition(sign * of_a, few, axis=0), np.argpartition(-sign * sums, few, axis=0))
            for sign in (-1, 1)
        )
        found = np.zeros(len(draws), dtype=np.float32)
        for a, b in (highest, lowest):
            first, second = a[: few + 1, np.newaxis], b[np.newaxis, : few + 1]
            deviates = (sums[first, draws] - sums[second, draws]) * self._precision[first, second]
            np.maximum(found, np.abs(deviates).max(axis=(0, 1)), out=found)
        return found

    def _open(self, sums: Singles, found: Singles) -> list[tuple[BoolArray, BoolArray]]:
        """Return which A and B may be of a pair beyond `found`: A above B, and A below B."""
        n_a = len(self._precision)
        of_a, of_b = (caps[:, np.newaxis] for caps in self._caps)
        first = sums[:n_a]
        lowest, highest = sums.min(axis=0), sums.max(axis=0)
        above = (first - lowest) * of_a > found, (first.max(axis=0) - sums) * of_b > found
        if n_a == len(sums):
            return [above]
        below = (highest - first) * of_a > found, (sums - first.min(axis=0)) * of_b > found
        return [above, below]


def _deviates(precision: Singles, sums: Singles) -> Singles:
    return np.asarray(np.subtract.outer(sums[: len(precision)], sums) * precision)
