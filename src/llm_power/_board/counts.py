r"""From a score matrix to the sufficient statistics of every pair.

For 0/1 scores the four cells of all :math:`K^2` pairs follow from three matrix products.
With :math:`M` the indicator of a score and :math:`X` the scores with missing ones as 0,

.. math:: N = M^\top M, \quad S = X^\top M, \quad n_{11} = X^\top X, \quad b = S - n_{11},

and :math:`c = b^\top`; where no score is missing the first two are sums of columns. All entries are
whole numbers below :math:`2^{24}`, so that products in single precision are exact: the result does
not depend on the linear-algebra library, the number of cores, or the order of summation. Items
that one of the two models lacks are in no cell of that pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from llm_power._board.pair_items import DifferenceMoments, PairCells
from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray, ratio
from llm_power._statistics.cluster_moments import ClusterMoments, moments_from_differences
from llm_power._statistics.t_test import asymmetry

# Items of all pairs that are taken at a time, whose arrays are in a core's cache.
_PAIR_ITEMS = 2**17

# Mean items of a cluster below which a product for each cluster is slower than its items.
_FEWEST_ITEMS = 32

# Models whose pairs are counted in one product: some megabytes with thousands of others.
_ROWS = 512

_EVERY = slice(None)

# Single precision counts no further.
_LARGEST_EXACT = 2**24


_Known = TypeVar("_Known")


class ScoreCounts:
    """0/1 scores, (n_items, n_models), laid out to count any pairs' 2 x 2 tables fast."""

    def __init__(self, scores: FloatArray, codes: IntArray | None = None) -> None:
        codes = np.zeros(len(scores), dtype=np.int64) if codes is None else codes
        if len(codes) != len(scores):
            raise InvalidArgument(
                f"codes must have one entry an item, got {len(codes)} for {len(scores)}"
            )
        sizes = np.bincount(codes, minlength=1)
        if sizes.max() > _LARGEST_EXACT:
            raise InvalidArgument("a cluster must have at most 2**24 items to be counted")
        # One copy at a time: all of them are as large as the scores.
        order, ends = np.argsort(codes, kind="stable"), np.cumsum(sizes)
        self._starts = ends - sizes
        many = len(scores) < _FEWEST_ITEMS * len(sizes) and sizes.all()
        parts = [order] if many else np.split(order, ends[:-1])
        starts = self._starts if many else np.zeros(1, dtype=np.int64)
        self._clusters = [_ClusterScores(scores[part].T, starts) for part in parts]

    def tables(self, first: IntArray, second: IntArray) -> CountTables:
        """Return the tables of the pairs by cluster, in single precision.

        Runs of one first model and consecutive second ones are the fastest.
        """
        tables = np.empty((4, len(self._starts), len(first)), dtype=np.float32)
        if len(self._clusters) < len(self._starts):
            self._clusters[0].count_parts(first, second, tables)
            return CountTables(tables)
        for rows in _blocks_of_rows(first, second):
            for cluster, table in zip(self._clusters, tables.swapaxes(0, 1), strict=True):
                cluster.count(rows, table)
        return CountTables(tables)


@dataclass(frozen=True, slots=True)
class CountTables:
    """Cells n11, b, c, n00 of pairs within clusters: whole numbers, (4, n_clusters, n_pairs)."""

    counts: NDArray[np.float32]

    def cells(self, some: slice = _EVERY) -> PairCells:
        """Return the tables of some pairs over all clusters, (n_pairs,)."""
        whole = self.counts[:, :, some].sum(axis=1, dtype=np.float64)
        return PairCells(*whole.astype(np.int64))

    def moments(self, some: slice = _EVERY) -> ClusterMoments:
        """Return the moments for clustered verdicts of some pairs, (n_clusters, n_pairs)."""
        n11, b, c, n00 = self.counts[:, :, some].astype(np.float64)
        return ClusterMoments(n11 + b + c + n00, b - c, b + c)


@dataclass(frozen=True, slots=True)
class _Run:
    """Pairs of one first model with consecutive second ones, and their place in a table."""

    first: int
    seconds: slice
    places: slice


def _blocks_of_rows(first: IntArray, second: IntArray) -> list[list[_Run]]:
    """Return the runs of pairs, together where their first models are near one another."""
    if len(first) == 0:
        return []
    breaks = np.flatnonzero((np.diff(first) != 0) | (np.diff(second) != 1)) + 1
    starts = [0, *breaks.tolist()]
    stops = [*starts[1:], len(first)]
    a, low = first[starts].tolist(), second[starts].tolist()
    blocks: list[list[_Run]] = []
    for model, column, start, stop in zip(a, low, starts, stops, strict=True):
        run = _Run(model, slice(column, column + stop - start), slice(start, stop))
        if blocks and 0 <= model - blocks[-1][0].first < _ROWS:
            blocks[-1].append(run)
        else:
            blocks.append([run])
    return blocks


class _ClusterScores:
    """Scores of one cluster's items, or of several from `starts` on, one row a model."""

    def __init__(self, rows: FloatArray, starts: IntArray) -> None:
        present = ~np.isnan(rows)
        self._solved = np.where(present, rows, 0.0).astype(np.float32)
        if np.any((self._solved != 0.0) & (self._solved != 1.0)):
            raise InvalidArgument(
                "scores must be 0, 1 or missing to be counted; use moments instead"
            )
        self._scored = None if present.all() else present.astype(np.float32)
        self._starts = starts
        # Of models, within clusters: (n_models, n_clusters). A cluster may have no items.
        self._n_solved = np.zeros((len(rows), len(starts)), dtype=np.float32)
        if rows.shape[1]:
            np.add.reduceat(self._solved, starts, axis=1, out=self._n_solved)

    def count(self, runs: Sequence[_Run], table: NDArray[np.float32]) -> None:
        """Write the cells of the runs into a table (4, n_pairs)."""
        top, bottom = (f(run.first for run in runs) for f in (min, max))
        left = min(run.seconds.start for run in runs)
        right = max(run.seconds.stop for run in runs)
        a, b = slice(top, bottom + 1), slice(left, right)
        both = self._solved[a] @ self._solved[b].T
        if self._scored is not None:
            solved_a = self._solved[a] @ self._scored[b].T
            solved_b = self._scored[a] @ self._solved[b].T
            shared = self._scored[a] @ self._scored[b].T
        n11, only_a, only_b, neither = table
        for run in runs:
            row = run.first - top, slice(run.seconds.start - left, run.seconds.stop - left)
            solved = both[row]
            if self._scored is None:
                of_a, of_b = self._n_solved[run.first], self._n_solved[run.seconds, 0]
                n: np.ndarray | int = self._solved.shape[1]
            else:
                of_a, of_b, n = solved_a[row], solved_b[row], shared[row]
            places = run.places
            n11[places] = solved
            only_a[places] = of_a - solved
            only_b[places] = of_b - solved
            neither[places] = n - of_a - only_b[places]

    def count_parts(self, first: IntArray, second: IntArray, tables: NDArray[np.float32]) -> None:
        """Write the cells of pairs within the clusters into tables (4, n_clusters, n_pairs)."""
        sizes = np.diff(self._starts, append=self._solved.shape[1])
        for some in _pair_blocks(len(first), self._solved.shape[1]):
            a, b = first[some], second[some]
            both = self._within(self._solved[a] * self._solved[b])
            if self._scored is None:
                of_a, of_b, n = self._n_solved[a].T, self._n_solved[b].T, sizes[:, np.newaxis]
            else:
                of_a = self._within(self._solved[a] * self._scored[b])
                of_b = self._within(self._scored[a] * self._solved[b])
                n = self._within(self._scored[a] * self._scored[b])
            cells = both, of_a - both, of_b - both, n - of_a - (of_b - both)
            for table, cell in zip(tables, cells, strict=True):
                table[:, some] = cell

    def _within(self, products: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return sums within clusters, (n_clusters, n_pairs)."""
        return np.asarray(np.add.reduceat(products, self._starts, axis=1).T)


class ClusterSums:
    """Sums of each model's scores within clusters, of scores of which none is missing."""

    def __init__(self, scores: FloatArray, codes: IntArray) -> None:
        sizes = np.bincount(codes)
        starts, there = np.cumsum(sizes) - sizes, sizes > 0
        ordered = scores[np.argsort(codes, kind="stable")]
        # Of models: (n_clusters, n_models).
        self._sums = np.zeros((len(sizes), scores.shape[1]))
        self._sums[there] = np.add.reduceat(ordered, starts[there], axis=0)
        self._sizes = sizes[:, np.newaxis].astype(np.float64)

    def moments(self, first: IntArray, second: IntArray, squares: FloatArray) -> ClusterMoments:
        """Return the moments of pairs whose squares over all clusters are known."""
        sum_d = np.take(self._sums, first, axis=1) - np.take(self._sums, second, axis=1)
        return ClusterMoments(self._sizes, sum_d, squares[np.newaxis])


def count_cells(scores: FloatArray, first: IntArray, second: IntArray) -> PairCells:
    """Return the 2 x 2 tables, (n_pairs,), of pairs of columns of 0/1 scores."""
    return ScoreCounts(scores).tables(first, second).cells()


class ScoreMoments:
    """Graded scores, (n_items, n_models), laid out for the moments of any pairs' differences.

    Without missing scores they are products of centred scores, in tiles at fixed places. Where
    little of two models' variance is left in their difference, and where scores are missing,
    differences are taken before they are summed.
    """

    def __init__(
        self, scores: FloatArray, codes: IntArray | None = None, *, lower_is_better: bool = False
    ) -> None:
        self._sign = -1.0 if lower_is_better else 1.0
        scores = -scores if lower_is_better else scores
        self._scores, self._by_model, self._codes = scores, np.ascontiguousarray(scores.T), codes
        self._complete = not np.isnan(scores).any()
        self._sizes = np.nansum(np.abs(scores), axis=0)
        if not self._complete:
            return
        # Gaps of near-equal models keep their digits where sums have more than they need.
        self._sums = scores.sum(axis=0, dtype=np.longdouble)
        self._whole = np.asarray(_whole(scores).all(axis=0))
        constant = (scores == scores[0]).all(axis=0)
        centred = np.where(constant, 0.0, scores - (self._sums / len(scores)).astype(np.float64))
        # Means of large scores are rounded, and sums within clusters would show it.
        centred -= centred.mean(axis=0)
        self._rows = np.ascontiguousarray(centred.T)
        square = np.square(self._rows)
        self._squares, self._cubes = square.sum(axis=1), (square * self._rows).sum(axis=1)
        self._clusters = None if codes is None else ClusterSums(centred, codes)
        tied = (np.diff(np.sort(scores, axis=1), axis=1) == 0).any(axis=1)
        # Items on which models are equal, of which each model's row is an array.
        self._tied = list(np.ascontiguousarray(scores[tied].T))

    def moments(self, first: IntArray, second: IntArray) -> DifferenceMoments:
        """Return the moments of the paired difference over shared items, (n_pairs,).

        Where lower is better the difference is that by which the second score is the larger.
        """
        moments = self._moments(first, second)
        return replace(moments, sum_a=self._sign * moments.sum_a, sum_b=self._sign * moments.sum_b)

    def _moments(self, first: IntArray, second: IntArray) -> DifferenceMoments:
        if not self._complete or len(first) == 0:
            return self._exact(first, second)
        squares, cubes = self._squares, self._cubes
        product, square_a, square_b = _products(self._rows, first, second)
        ss_d = squares[first] + squares[second] - 2 * product
        cubed = cubes[first] - cubes[second] - 3 * (square_a - square_b)
        sum_a, sum_b = self._sums[first], self._sums[second]
        sum_d = (sum_a - sum_b).astype(np.float64)
        rounding = _is_rounding(sum_d, self._sizes[first] + self._sizes[second])
        whole = rounding & (sum_d != 0) & self._whole[first] & self._whole[second]
        near = self._near(first, second, ss_d) | whole
        moments = DifferenceMoments(
            np.full(len(first), len(self._scores)),
            sum_a.astype(np.float64),
            sum_b.astype(np.float64),
            np.where(rounding, 0.0, sum_d),
            squares[first],
            squares[second],
            ss_d,
            self._differing(first, second),
            cubed / np.where(near, 1.0, ss_d) ** 1.5,
        )
        if near.any():
            exact = self._exact(first[near], second[near])
            for each in fields(DifferenceMoments):
                getattr(moments, each.name)[near] = getattr(exact, each.name)
        return moments

    def _near(self, first: IntArray, second: IntArray, ss_d: FloatArray) -> BoolArray:
        """Return where rounding of products would be seen in what is left of the squares."""
        return np.asarray(ss_d <= _NEAR * (self._squares[first] + self._squares[second]))

    def within_clusters(
        self, first: IntArray, second: IntArray, items: DifferenceMoments
    ) -> ClusterMoments:
        """Return the sums within clusters of pairs of which the moments of all items are known."""
        if not self._complete:
            moments = self.by_cluster(first, second)
        else:
            assert self._clusters is not None
            moments = self._clusters.moments(first, second, items.ss_d)
            near = self._near(first, second, items.ss_d)
            if near.any():
                moments.sum_d[:, near] = self.by_cluster(first[near], second[near]).sum_d
        return replace(moments, origin=ratio(items.sum_d, items.n_items, empty=0.0))

    def by_cluster(self, first: IntArray, second: IntArray) -> ClusterMoments:
        """Return sums and squares of each cluster, (n_clusters, n_pairs), from the items."""
        assert self._codes is not None
        parts = [
            moments_from_differences(
                self._scores[:, first[some]] - self._scores[:, second[some]], self._codes
            )
            for some in _pair_blocks(len(first), len(self._scores))
        ]
        return joined(parts)

    def _differing(self, first: IntArray, second: IntArray) -> IntArray:
        if not self._tied[0].size:
            return np.full(len(first), len(self._scores))
        # Pair by pair the rows stay in a core's cache.
        pairs, values = zip(first.tolist(), second.tolist(), strict=True), self._tied
        equal = [np.count_nonzero(values[a] == values[b]) for a, b in pairs]
        return len(self._scores) - np.array(equal, dtype=np.int64)

    def _exact(self, first: IntArray, second: IntArray) -> DifferenceMoments:
        # In two passes: differences are taken before they are summed, and their mean is taken off
        # before they are squared. Near-identical models lose no digits, nor does a large gap.
        parts = [
            _block_moments(self._by_model[first[some]], self._by_model[second[some]])
            for some in _pair_blocks(len(first), len(self._scores))
        ]
        return joined(parts)


# Share of two models' squares below which rounding of their products would be seen in the 12th
# digit of what is left.
_NEAR = 0.01
# Beyond, every double is whole, whatever number was rounded to it.
_LARGEST_WHOLE = 2.0**53
# Models of a tile.
_TILE = 64


def _products(rows: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """Sums of x y, x^2 y and x y^2 of pairs of rows, (3, n_pairs), in tiles at fixed places."""
    sums = np.empty((3, len(first)))
    tile = first // _TILE * (len(rows) // _TILE + 1) + second // _TILE
    order = np.argsort(tile, kind="stable")
    for some in np.split(order, np.flatnonzero(np.diff(tile[order])) + 1):
        a, b = first[some[0]] // _TILE * _TILE, second[some[0]] // _TILE * _TILE
        x, y = rows[a : a + _TILE], rows[b : b + _TILE].T
        for products, total in zip((x @ y, np.square(x) @ y, x @ np.square(y)), sums, strict=True):
            total[some] = products[first[some] - a, second[some] - b]
    return sums


def _pair_blocks(n_pairs: int, n_items: int) -> list[slice]:
    size = max(1, _PAIR_ITEMS // max(n_items, 1))
    return [slice(k, k + size) for k in range(0, max(n_pairs, 1), size)]


def _block_moments(a: FloatArray, b: FloatArray) -> DifferenceMoments:
    shared = ~(np.isnan(a) | np.isnan(b))
    first, second = np.where(shared, a, 0.0), np.where(shared, b, 0.0)
    difference, n_items = first - second, shared.sum(axis=1)
    differing = difference != 0
    size = np.where(differing, np.abs(first) + np.abs(second), 0.0).sum(axis=1)
    sum_a, sum_b, sum_d = first.sum(axis=1), second.sum(axis=1), difference.sum(axis=1)
    rounding = _is_rounding(sum_d, size)
    small = rounding & (sum_d != 0)
    if small.any():
        rounding[small] = ~_is_exact(first[small], second[small])
    sum_d = np.where(rounding, 0.0, sum_d)
    by_column = zip((first, second, difference), (sum_a, sum_b, sum_d), strict=True)
    deviations = [_deviations(column, shared, n_items, total) for column, total in by_column]
    ss_a, ss_b, ss_d = (np.asarray(np.square(each).sum(axis=1)) for each in deviations)
    n_differing, skew = np.count_nonzero(differing, axis=1), asymmetry(deviations[2].T)
    return DifferenceMoments(n_items, sum_a, sum_b, sum_d, ss_a, ss_b, ss_d, n_differing, skew)


def _is_rounding(sum_d: FloatArray, size: FloatArray) -> BoolArray:
    """Return where sums of differences may be rounding of scores of this sum of sizes."""
    return np.asarray(np.abs(sum_d) <= size * 2.0**-52)


def _is_exact(a: FloatArray, b: FloatArray) -> BoolArray:
    """Return which rows have differences and sums of them without rounding: of whole numbers."""
    whole = (_whole(a) & _whole(b)).all(axis=1)
    return np.asarray(whole & (np.abs(a - b).sum(axis=1) <= _LARGEST_WHOLE))


def _whole(scores: FloatArray) -> BoolArray:
    """Return which scores are whole numbers that no rounding made so."""
    return np.asarray((scores == np.rint(scores)) & (np.abs(scores) <= _LARGEST_WHOLE))


def _deviations(
    rows: FloatArray, shared: BoolArray, n_items: IntArray, total: FloatArray
) -> FloatArray:
    """Return the deviations of each row from its mean, 0 where an item is not shared."""
    mean = total / np.maximum(n_items, 1)
    deviation = np.where(shared, rows - mean[:, np.newaxis], 0.0)
    # Equal values are equal, whatever the rounding of their mean.
    rounding = n_items * np.spacing(np.abs(mean))
    deviation[np.abs(deviation) <= rounding[:, np.newaxis]] = 0.0
    return deviation


def joined(parts: Sequence[_Known]) -> _Known:
    """Return what is known of the pairs of all parts; what is no array is the same in each."""
    every: Any = parts
    kind: Any = type(parts[0])
    whole = every[0]
    if isinstance(whole, np.ndarray):
        whole = np.concatenate(every, axis=-1)
    elif is_dataclass(parts[0]):
        names = [field.name for field in fields(kind)]
        whole = kind(*(joined([getattr(part, name) for part in every]) for name in names))
    return whole  # type: ignore[no-any-return]
