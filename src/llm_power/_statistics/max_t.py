r"""Family-wise p-values by max-T, from the joint distribution of the gaps on one set of items.

Gaps between models that share their items are correlated, and Bonferroni's bound ignores it. Each
pair's p-value, of whatever test, is put on the normal scale, :math:`z = \Phi^{-1}(1 - p/2)`, and
held against the largest of the jointly normal deviates of all pairs of the family. A single step
covers the direction of a gap as well, and gives every pair one level: that of the critical value.

Before any model has answered, `all_pairs_level` is the level left to each pair. Of M models whose
gaps vary alike and share their models' scores, the standardized gaps are :math:`(X_i - X_j)/\sqrt
2` of independent normal :math:`X`, and the largest of them is the range of the :math:`X` over
:math:`\sqrt 2`: Tukey's studentized range without an error of the scale,

.. math:: \Pr(R \le r) = M \int \varphi(x)\,[\Phi(x) - \Phi(x - r)]^{M-1}\,dx.

`Tile` leaves most pairs out. A pair's deviate is :math:`(S_i - S_j) p_{ij}` with a sum of draws S a
model and the pair's precision p. Where p is at most the cap :math:`c_i` of all pairs of i, no pair
of i reaches a maximum M with :math:`(S_i - \min S)\,c_i \le M`, and likewise of j: what is left are
a few high models and a few low ones. Rounding keeps order, so that the maximum is the same to the
last bit. The pairs of the highest precision would spoil the caps, and are computed from every draw.

References
----------
Westfall and Young (1993), Resampling-Based Multiple Testing, Wiley; Chernozhukov, Chetverikov and
Kato (2013), doi:10.1214/13-AOS1161, for Gaussian multipliers on centred scores; Mogstad, Romano,
Shaikh and Wilhelm (2024), doi:10.1093/restud/rdad006, for directions; Tukey (1953), The Problem of
Multiple Comparisons; Hochberg and Tamhane (1987), Multiple Comparison Procedures,
doi:10.1002/9780470316672, section 3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import pairwise, starmap
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.special import bdtrik, log_ndtr, ndtr, ndtri

from llm_power._choices import Family
from llm_power._statistics._numerics import threshold
from llm_power._statistics.argument_checks import at_least_two, open_unit, p_values
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray
from llm_power._statistics.multiplicity import Adjustment, FamilyTest
from llm_power._statistics.random_streams import Keys, digests_of, factored, keyed_normals, pooled

Singles = NDArray[np.float32]

#: Draws by which a tile chooses its caps.
TRIED: Final = 4
# Share of the pairs that are computed from every draw, and its growth; a pair that is looked up
# takes so many times as long as one of these.
_SHARE: Final = 0.02
_GROWTH: Final = 2
_LOOK_UP: Final = 20
# Tiles up to which all pairs are computed from every draw.
_SMALL: Final = 2**13
# Groups of models of which each has an end whose pairs are looked up first.
_EXTREMES: Final = 8
# Pairs that are looked up at once.
_LOOKED_UP: Final = 2**16
# Pairs of the highest precision whose deviates are in a core's cache.
_PAIRS: Final = 256
FEWEST_DRAWS: Final = 1_000
MOST_DRAWS: Final = 16_000
# Pairs times draws that are computed at most, beyond the fewest draws.
_MOST_DEVIATES: Final = 10**10
# Chance that a critical value lies outside its interval at any look.
_OUTSIDE: Final = 0.001
# The same number by another way differs by less.
_ROUNDING: Final = 1e-12

#: Largest absolute deviate over a family, of draws `start` to `stop`.
Largest = Callable[[int, int], FloatArray]
#: Function and its arguments, block by block, to the results in the same order.
Each = Callable[
    [Callable[[int, int], Singles], Sequence[tuple[int, int]]],
    Iterable[Singles],
]


class Tile:
    """Pairs of the first models of a list, A, with all of it, B."""

    def __init__(self, precision: Singles, sums: Singles) -> None:
        """Choose the caps for a precision, (n_a, n_b), by some sums, (n_b, n_draws)."""
        self._precision = precision
        #: Pairs without a deviate.
        self.n_zero = int(np.count_nonzero(np.triu(precision == 0, 1)))
        known = np.sort(precision.ravel()[:: max(1, precision.size // 2**16)])
        largest = np.array([np.abs(_deviates(precision, each)).max(initial=0) for each in sums.T])
        share = _SHARE if precision.size > _SMALL else 1.0
        while True:
            cap = known[int((1 - share) * (known.size - 1))]
            capped = np.where(precision <= cap, precision, 0)
            self._caps = capped.max(axis=1), capped.max(axis=0)
            sides = self._open(sums.T, largest)
            pairs = sum(float(a.sum(axis=1) @ b.sum(axis=1)) for a, b in sides)
            if _LOOK_UP * pairs / sums.shape[1] <= share * precision.size or share * _GROWTH > 1:
                break
            share *= _GROWTH
        first, second = np.nonzero(np.triu(precision > cap, 1))
        self._sharp = first.astype(np.int32), second.astype(np.int32), precision[first, second]

    def largest(self, sums: Singles, maxima: Singles, start: int, stop: int) -> Singles:
        """Return the largest absolute deviate of draws `start` to `stop`, at least `maxima`."""
        some = np.ascontiguousarray(sums[:, start:stop])
        maxima = maxima[start:stop].copy()
        first, second, precision = self._sharp
        for k in range(0, len(first), _PAIRS):
            pairs = slice(k, k + _PAIRS)
            deviates = some[first[pairs]]
            deviates -= some[second[pairs]]
            deviates *= precision[pairs, np.newaxis]
            np.maximum(maxima, np.abs(deviates, out=deviates).max(axis=0), out=maxima)
        if not self._caps[0].any():
            return maxima
        own = np.ascontiguousarray(some.T)
        np.maximum(maxima, self._of_extremes(own), out=maxima)
        for high, low in self._open(own, maxima):
            for draws, a, b in _crossed(high, low):
                deviates = (own[draws, a] - own[draws, b]) * self._precision[a, b]
                np.maximum.at(maxima, draws, np.abs(deviates))
        return maxima

    def _of_extremes(self, sums: Singles) -> Singles:
        """Return the largest deviate of a few high and low models, (n_draws,)."""
        n_a, n_b = self._precision.shape
        draws = np.arange(len(sums))[:, np.newaxis, np.newaxis]
        high_b, low_b = _extremes(sums)
        high_a, low_a = (high_b, low_b) if n_a == n_b else _extremes(sums[:, :n_a])
        maxima = np.zeros(len(sums), dtype=np.float32)
        for a, b in ((high_a, low_b), (low_a, high_b))[: 1 + (n_a < n_b)]:
            first, second = a[:, :, np.newaxis], b[:, np.newaxis]
            deviates = (sums[draws, first] - sums[draws, second]) * self._precision[first, second]
            np.maximum(maxima, np.abs(deviates).max(axis=(1, 2)), out=maxima)
        return maxima

    def _open(self, sums: Singles, maxima: Singles) -> list[tuple[BoolArray, BoolArray]]:
        """Return which A and B may be of a pair beyond `maxima`: A above B, and A below B.

        Sums and answers have a row a draw.
        """
        n_a, least = len(self._precision), maxima[:, np.newaxis]
        of_a, of_b = self._caps
        first = sums[:, :n_a]
        (lowest, low_a), (highest, high_a) = (
            [end(x, axis=1, keepdims=True) for x in (sums, first)] for end in (np.min, np.max)
        )
        above = (first - lowest) * of_a > least, (high_a - sums) * of_b > least
        if n_a == sums.shape[1]:
            return [above]
        return [above, ((highest - first) * of_a > least, (sums - low_a) * of_b > least)]


def _extremes(sums: Singles) -> list[IntArray]:
    """Return the highest and the lowest of each of a few groups of models, (n_draws, n_groups)."""
    n_models = sums.shape[1]
    bounds = np.linspace(0, n_models, min(_EXTREMES, n_models) + 1).astype(int).tolist()
    groups = [(start, sums[:, start:stop]) for start, stop in pairwise(bounds)]
    return [
        np.stack([start + end(group, axis=1) for start, group in groups], axis=1)
        for end in (np.argmax, np.argmin)
    ]


def _crossed(first: BoolArray, second: BoolArray) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Yield draw, A and B wherever A is marked in the first, and B in the second, a row a draw."""
    numbers = np.count_nonzero(second, axis=1)
    draws, a = np.nonzero(first)
    starts, every = np.cumsum(numbers) - numbers, np.nonzero(second)[1]
    ends = np.cumsum(numbers[draws])
    for some in np.split(np.arange(len(a)), np.flatnonzero(np.diff(ends // _LOOKED_UP)) + 1):
        each = numbers[draws[some]]
        before = np.repeat(starts[draws[some]] - (np.cumsum(each) - each), each)
        row = np.repeat(some, each)
        yield draws[row], a[row], every[before + np.arange(len(row))]


def _deviates(precision: Singles, sums: Singles) -> Singles:
    return np.asarray(np.subtract.outer(sums[: len(precision)], sums) * precision)


def max_t_family(p: ArrayLike, largest: Largest, *, alpha: float = 0.05) -> FamilyTest:
    r"""Adjust by the single-step max-T procedure.

    .. math:: p_{family} = \frac{1 + \#\{b : \max_k |Z_{bk}| \ge z\}}{B + 1}

    for B draws, at most Bonferroni's and at least the pair's own p. A pair is declared where its
    own p is at most `level`, :math:`2 \Phi(-c)` at the critical value c. Exact up to the
    correlations, which are estimated: every pair keeps the p-value of its own test, whatever the
    number of its discordant items. Draws double while a pair lies in the 99.9 % interval of the
    critical value, by order statistics and adjusted for the number of looks.
    """
    values, level = p_values(p), open_unit("alpha", alpha)
    size = values.size
    if size == 1:
        return FamilyTest(values, level, 1)
    # In terms of p: the smallest of each draw, of which the k-th is critical.
    smallest = np.sort(2 * ndtr(-largest(0, FEWEST_DRAWS)))
    while True:
        critical, close = _critical_levels(smallest, level, level / size)
        draws = smallest.size
        inside = (values >= close[0]) & (values <= close[1])
        if not inside.any() or 2 * draws > MOST_DRAWS or 2 * draws * size > _MOST_DEVIATES:
            break
        more = 2 * ndtr(-largest(draws, 2 * draws))
        smallest = np.sort(np.concatenate([smallest, more]))
    reached = np.arange(1, draws + 2) / (draws + 1)
    adjust = Adjustment(smallest / (1 + _ROUNDING), reached, size)
    return FamilyTest(values, critical, size, close, adjust)


def _critical_levels(
    smallest: FloatArray, level: float, bonferroni: float
) -> tuple[float, tuple[float, float]]:
    """Level of a single pair, never below Bonferroni's, and the ends of its interval."""
    draws = smallest.size
    looks = 1 + int(np.log2(MOST_DRAWS / FEWEST_DRAWS))
    tail = _OUTSIDE / looks / 2
    places = np.array(
        [
            np.floor(bdtrik(tail, draws, level)) - 1,
            np.floor(level * (draws + 1) + 1e-9) - 1,
            np.ceil(bdtrik(1 - tail, draws, level)),
        ]
    ).astype(int)
    # Below the first draw there is Bonferroni's level alone.
    drawn = smallest[np.clip(places, 0, draws - 1)] * (1 - 2 * _ROUNDING)
    low, critical, high = np.clip(np.where(places < 0, 0.0, drawn), bonferroni, level).tolist()
    # What Bonferroni declares needs no draw.
    return critical, (float(np.nextafter(max(low, bonferroni), 1)), high)


def _on_grid(rows: FloatArray) -> FloatArray:
    """Return the rows as whole numbers up to 2^16."""
    largest = max(float(rows.max(initial=0.0)), -float(rows.min(initial=0.0)))
    if largest == 0:
        return rows
    grid = rows * 2.0 ** (16 - np.ceil(np.log2(largest)))
    return np.asarray(np.rint(grid, out=grid))


class GapDraws:
    """Jointly normal deviates of the gaps between models, by Gaussian multipliers.

    The rows are centred scores of items, (n_items, n_models), each with a key of its own. They are
    put on a grid of 2^-16 of the largest number, so that all sums of products are exact. Where
    items are many, draws belong to models by their scores: the same law, by fewer numbers.

    Beside a far larger number a gap may vary by less than a step of the grid an item. The deviates
    of such pairs are drawn as independent ones, whose largest is larger in law: Šidák (1967),
    doi:10.1080/01621459.1967.10482935.

    Items stand for the joint law of clustered gaps too, for few clusters correlate by chance. With
    draws for 14 clusters, 40 equal models, an ICC of .1 and a nominal .05 some pair is declared in
    .100 of 300 simulations, with 6 clusters in .320 of 200; with draws for the items in .045 and
    .030 of 400 (standard errors .010 and .009).
    """

    def __init__(self, rows: FloatArray, keys: Keys) -> None:
        # Models of the same scores, but for a number or rounding, are one: their gap does not vary.
        distinct: dict[int, int] = {}
        digests = digests_of(keys, _without_rounding(rows)).tolist()
        place = [distinct.setdefault(digest, len(distinct)) for digest in digests]
        self._place, first = np.array(place), np.unique(place, return_index=True)[1]
        if rows.shape[1] <= _FEW_MODELS:
            # Few models have few patterns of scores, whatever the number of items.
            rows, keys = pooled(rows, keys)
        elif len(rows) >= _MANY_ITEMS * rows.shape[1]:
            rows, keys = factored(_on_grid(rows), keys)
        # Single precision holds them.
        self._rows, self._keys = _on_grid(rows).T.astype(np.float32, order="C")[first], keys
        # What was asked for is asked for again: for ranks, and by the other reading of clusters.
        self._tiles: dict[int, Tile] = {}
        self._drawn: dict[tuple[int, int], Singles] = {}
        self._maxima: dict[tuple[int, int, Family], FloatArray] = {}
        # Two numbers a model, as 0/1 scores are, count as 0 and 1: sums are then of whole numbers
        # that single precision holds too.
        self._least = self._rows.min(axis=1, keepdims=True)
        self._step = self._rows.max(axis=1, keepdims=True) - self._least
        self._of_two = all(
            np.all((row == low) | (row == low + step))
            for row, low, step in zip(self._rows, self._least, self._step, strict=True)
        )
        if self._of_two:
            for row, low in zip(self._rows, self._least, strict=True):
                row[:] = row != low
        every = range(0, self.n_models, _BLOCK)
        blocks = (self._block(slice(first, first + _BLOCK)) for first in every)
        sums = [(np.square(rows).sum(axis=1), rows.sum(axis=1, keepdims=True)) for rows in blocks]
        self._own, self._total = map(np.concatenate, zip(*sums, strict=True))

    @property
    def n_models(self) -> int:
        """Return the number of models that differ."""
        return len(self._rows)

    def _block(self, some: slice | IntArray) -> FloatArray:
        rows = self._rows[some].astype(np.float64)
        return rows * self._step[some] + self._least[some] if self._of_two else rows

    def _sums(self, start: int, stop: int) -> Singles:
        """Return the weighted sums of each model, (n_models, stop - start)."""
        total, draws = np.zeros((self.n_models, stop - start)), np.zeros(stop - start)
        for first in range(0, len(self._keys), _ITEMS):
            some = slice(first, first + _ITEMS)
            normals = keyed_normals(self._keys[some], start, stop)
            draws += normals.sum(axis=0, dtype=np.float64)
            for models in range(0, self.n_models, _BLOCK):
                these = slice(models, models + _BLOCK)
                rows = self._rows[these, some]
                total[these] += (rows if self._of_two else rows.astype(np.float64)) @ normals
        if self._of_two:
            total = total * self._step + self._least * draws
        return total.astype(np.float32)

    def largest(
        self, start: int, stop: int, *, family: Family = "all", each: Each = starmap
    ) -> FloatArray:
        """Return the largest absolute deviate over the pairs of each draw, (stop - start,).

        `each` works through blocks of draws, on several cores for example.
        """
        maxima = self._maxima.get((start, stop, family))
        if maxima is None:
            sums = self._drawn.get((start, stop))
            if sums is None:
                blocks = pairwise([*range(start, stop, _DRAWS), stop])
                sums = np.concatenate(list(each(self._sums, list(blocks))), axis=1)
                if sums.size <= _FEW_SUMS:
                    self._drawn[start, stop] = sums
            adjacent = family == "adjacent"
            largest, n_fine = self._of_adjacent(sums) if adjacent else self._of_all(sums, each)
            maxima = self._maxima[start, stop, family] = np.asarray(largest, dtype=np.float64)
            if n_fine:
                drawn = keyed_normals(self._keys.sum(keepdims=True) + np.uint64(1), start, stop)[0]
                # A share P of the largest of n is below where P^(1/n) of each is.
                tails = -np.expm1(log_ndtr(drawn.astype(np.float64)) / n_fine)
                np.maximum(maxima, -ndtri(tails / 2), out=maxima)
        return maxima

    def _of_adjacent(self, sums: Singles) -> tuple[Singles, int]:
        """Return the largest deviates, (n_draws,), and the pairs finer than the grid."""
        maxima, n_fine = np.zeros(sums.shape[1], dtype=np.float32), 0
        neighbors = sliding_window_view(self._place, 2)
        for k in range(0, len(neighbors), _BLOCK):
            a, b = neighbors[k : k + _BLOCK].T
            inverse = self._inverse_root(np.square(self._block(a) - self._block(b)).sum(axis=1))
            deviates = (sums[a] - sums[b]) * inverse[:, np.newaxis]
            maxima = np.maximum(maxima, np.abs(deviates).max(axis=0))
            n_fine += int(np.count_nonzero((inverse == 0) & (a != b)))
        return maxima, n_fine

    def _of_all(self, sums: Singles, each: Each) -> tuple[Singles, int]:
        """Return the same of all pairs."""
        maxima, n_fine = np.zeros(sums.shape[1], dtype=np.float32), 0
        blocks = list(pairwise([*range(0, sums.shape[1], _DRAWS), sums.shape[1]]))
        for first in range(0, self.n_models - 1, _MODELS):
            tile = self._tiles.get(first)
            if tile is None:
                tile = Tile(self._precision(first), sums[first:, :TRIED])
                if self.n_models <= _REMEMBERED:
                    self._tiles[first] = tile
            maxima = np.concatenate(list(each(partial(tile.largest, sums[first:], maxima), blocks)))
            n_fine += tile.n_zero
        return maxima, n_fine

    def _precision(self, first: int) -> Singles:
        """Return one over the root of the squares of differences of a tile's pairs."""
        last = min(first + _MODELS, self.n_models)
        precision = np.empty((last - first, self.n_models - first), dtype=np.float32)
        for k in range(first, self.n_models, _BLOCK):
            own = self._own[first:last, np.newaxis] + self._own[k : k + _BLOCK]
            own -= 2 * self._products(slice(first, last), slice(k, k + _BLOCK))
            precision[:, k - first : k - first + _BLOCK] = self._inverse_root(own)
        return precision

    def _inverse_root(self, squares: FloatArray) -> Singles:
        """Zero where a gap varies by less than the grid's step an item, or not at all."""
        root, varies = np.sqrt(squares), squares >= self._rows.shape[1]
        return np.divide(1, root, out=np.zeros_like(root), where=varies).astype(np.float32)

    def _products(self, these: slice, others: slice) -> FloatArray:
        """Return the sums of products of some models' rows with others', without rounding."""
        a, b = self._rows[these], self._rows[others]
        if not self._of_two:
            return a.astype(np.float64) @ b.astype(np.float64).T
        # Products of l + s x, of which single precision holds those of x.
        (least_a, step_a, total_a), (least_b, step_b, total_b) = (
            [x[some].astype(np.float64) for x in (self._least, self._step, self._total)]
            for some in (these, others)
        )
        left = np.hstack([least_a, total_a - least_a * a.shape[1]])
        products = (a @ b.T) * step_a * step_b.T
        return np.asarray(products + left @ np.hstack([total_b, least_b]).T)


# Models that are A of a tile's pairs, and draws that are computed at once.
_MODELS: Final = 2048
_DRAWS: Final = 256
_BLOCK: Final = 1024
# Items of which single precision holds any sum of draws.
_ITEMS: Final = 2_048
_FEW_MODELS: Final = 16
# Items a model from which draws for the models take less time.
_MANY_ITEMS: Final = 3
# Sums of draws that are kept at most, of each look: 32 MB.
_FEW_SUMS: Final = 2**23
# Models up to which tiles are kept: 150 MB.
_REMEMBERED: Final = 5_000


def _without_rounding(rows: FloatArray) -> FloatArray:
    """Return the numbers of each model to 2^-30 of its largest."""
    # Finer steps would more often part what rounding moves over the middle between two of them.
    largest = np.abs(rows).max(axis=0)
    unit = 2.0 ** (np.ceil(np.log2(np.where(largest > 0, largest, 1.0))) - 30)
    same = rows / unit
    np.rint(same, out=same)
    same *= unit
    return same


def centred_scores(values: FloatArray) -> FloatArray:
    """Scores less their model's mean, (n_items, n_models).

    A missing score counts as its model's mean: correlations are then approximate, each pair's own
    deviates standard normal all the same.
    """
    present = ~np.isnan(values)
    n, centred = np.count_nonzero(present, axis=0), np.where(present, values, 0.0)
    mean = centred.sum(axis=0) / np.maximum(n, 1)
    centred -= mean
    # Equal scores do not vary, whatever the rounding of their mean.
    present &= np.abs(centred) > n * np.spacing(np.abs(mean))
    centred *= present
    return centred


# Beyond it the normal law has nothing that a float shows.
_FAR = 9.0
_STEPS = 1_001


@lru_cache(maxsize=64)
def all_pairs_level(n_models: int, *, alpha: float = 0.05) -> float:
    """Level of each pair at which the largest statistic of all pairs has the level `alpha`.

    Any two models are taken to be equally correlated and equally accurate. `max_t_family` finds the
    correlations in the scores instead.
    """
    models, level = at_least_two("n_models", n_models), open_unit("alpha", alpha)
    x, step = np.linspace(-_FAR, _FAR, _STEPS, retstep=True)
    weight = models * np.exp(-np.square(x) / 2) * step / np.sqrt(2 * np.pi)

    def covers(width: float) -> bool:
        return bool(weight @ (ndtr(x) - ndtr(x - width)) ** (models - 1) >= 1 - level)

    width = threshold(covers, 0.0, 2 * _FAR, halvings=60)
    return float(2 * ndtr(-width / np.sqrt(2)))
