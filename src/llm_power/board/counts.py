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
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from llm_power.errors import InvalidArgument
from llm_power.statistics._typing import BoolArray, FloatArray, IntArray
from llm_power.statistics.cluster_moments import ClusterMoments, moments_from_differences
from llm_power.statistics.skewness import asymmetry

# Rows of the difference matrix that graded scores hold at a time: 32 MB at 12,000 items.
_PAIR_BLOCK = 350

# Models whose pairs are counted in one product: some megabytes with thousands of others.
_ROWS = 512

_EVERY = slice(None)

# Single precision counts no further.
_LARGEST_EXACT = 2**24


@dataclass(frozen=True, slots=True)
class PairCells:
    """The 2 x 2 table of each pair, arrays of one shape.

    Attributes
    ----------
    n11, b, c, n00 : ndarray of int
        Items solved by both models, only by the first, only by the second, by neither.
        Shape (n_pairs,), or (n_clusters, n_pairs) when counted by cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.counts import count_cells
    >>> scores = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]])
    >>> cells = count_cells(scores, np.array([0]), np.array([1]))
    >>> cells.b, cells.c
    (array([2]), array([0]))
    """

    n11: IntArray
    b: IntArray
    c: IntArray
    n00: IntArray

    @property
    def n_items(self) -> IntArray:
        """Items that both models were scored on.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.board.counts import PairCells
        >>> cells = PairCells(*(np.array([count]) for count in (7987, 295, 249, 1511)))
        >>> cells.n_items
        array([10042])
        """
        return self.n11 + self.b + self.c + self.n00


@dataclass(frozen=True, slots=True)
class DifferenceMoments:
    """Moments of the paired difference of each pair, enough for graded scores.

    Attributes
    ----------
    n_items : ndarray of int
        Items that both models were scored on.
    sum_a, sum_b, sum_d : ndarray
        Sums of both models' scores and of the paired difference over those items.
    ss_a, ss_b, ss_d : ndarray
        Sums of their squared deviations from their means.
    n_differing : ndarray of int
        Items on which the two scores differ.
    skew_d : ndarray
        `llm_power.statistics.skewness.asymmetry` of the paired difference.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.counts import difference_moments
    >>> scores = np.array([[0.9, 0.5], [0.7, 0.6], [0.4, np.nan]])
    >>> moments = difference_moments(scores, np.array([0]), np.array([1]))
    >>> moments.n_items, moments.sum_d.round(2)
    (array([2]), array([0.5]))
    """

    n_items: IntArray
    sum_a: FloatArray
    sum_b: FloatArray
    sum_d: FloatArray
    ss_a: FloatArray
    ss_b: FloatArray
    ss_d: FloatArray
    n_differing: IntArray
    skew_d: FloatArray


_Moments = TypeVar("_Moments", DifferenceMoments, ClusterMoments)


class ScoreCounts:
    """0/1 scores, laid out so that the 2 x 2 tables of any pairs are counted fast.

    Parameters
    ----------
    scores : ndarray, shape (n_items, n_models)
        0, 1 or NaN (missing).
    codes : ndarray of int, shape (n_items,), optional
        Cluster of each item, 0 to n_clusters - 1; by default all items are one.

    Raises
    ------
    InvalidArgument
        If a score is neither 0, 1 nor NaN, there is not one code an item, or a cluster has more
        items than single precision counts.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.counts import ScoreCounts
    >>> scores = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, np.nan]])
    >>> cells = ScoreCounts(scores).of_pairs(np.array([0]), np.array([1]))
    >>> cells.n11.tolist(), cells.b.tolist(), cells.c.tolist(), cells.n00.tolist()
    ([[1]], [[1]], [[0]], [[1]])
    """

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
        self._clusters = [_ClusterScores(scores[codes == code].T) for code in range(len(sizes))]

    def of_pairs(self, first: IntArray, second: IntArray) -> PairCells:
        """Count the pairs within each cluster: arrays of shape (n_clusters, n_pairs).

        Parameters
        ----------
        first, second : ndarray of int, shape (n_pairs,)
            Columns of both models of each pair. Runs of pairs with one first model and
            consecutive second ones, as `llm_power.board.families` orders them, are the fastest.

        Returns
        -------
        PairCells
            Whole numbers.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.board.counts import ScoreCounts
        >>> scores = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
        >>> counts = ScoreCounts(scores, np.array([0, 0, 1]))
        >>> counts.of_pairs(np.array([0]), np.array([1])).b.tolist()
        [[1], [0]]
        """
        return PairCells(*self.tables(first, second).counts.astype(np.int64))

    def tables(self, first: IntArray, second: IntArray) -> CountTables:
        """Count the pairs within each cluster, in single precision.

        Parameters
        ----------
        first, second
            As in `of_pairs`.

        Returns
        -------
        CountTables
            Of all these pairs, from which those of some are taken.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.board.counts import ScoreCounts
        >>> scores = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
        >>> counts = ScoreCounts(scores, np.array([0, 0, 1]))
        >>> tables = counts.tables(np.array([0]), np.array([1]))
        >>> tables.cells().b.tolist(), tables.moments().sum_d.tolist()
        ([1], [[1.0], [0.0]])
        """
        tables = np.empty((4, len(self._clusters), len(first)), dtype=np.float32)
        for rows in _blocks_of_rows(first, second):
            for cluster, table in zip(self._clusters, tables.swapaxes(0, 1), strict=True):
                cluster.count(rows, table)
        return CountTables(tables)


@dataclass(frozen=True, slots=True)
class CountTables:
    """The 2 x 2 tables of pairs within clusters.

    Attributes
    ----------
    counts : ndarray of float32, shape (4, n_clusters, n_pairs)
        Whole numbers: items solved by both, only by the first, only by the second, by neither.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.counts import CountTables
    >>> CountTables(np.ones((4, 2, 1), dtype=np.float32)).cells().n_items
    array([8])
    """

    counts: NDArray[np.float32]

    def cells(self, some: slice = _EVERY) -> PairCells:
        """Return the tables of some pairs over all clusters, arrays of shape (n_pairs,).

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.board.counts import CountTables
        >>> CountTables(np.ones((4, 2, 3), dtype=np.float32)).cells(slice(2)).n11
        array([2, 2])
        """
        whole = self.counts[:, :, some].sum(axis=1, dtype=np.float64)
        return PairCells(*whole.astype(np.int64))

    def moments(self, some: slice = _EVERY) -> ClusterMoments:
        """Return what clustered verdicts need of some pairs, shape (n_clusters, n_pairs).

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.board.counts import CountTables
        >>> CountTables(np.ones((4, 2, 3), dtype=np.float32)).moments(slice(1)).sum_d2.tolist()
        [[2.0], [2.0]]
        """
        n11, b, c, n00 = self.counts[:, :, some].astype(np.float64)
        differing = b + c
        return ClusterMoments(n11 + differing + n00, b - c, differing)


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
    """Scores of one cluster's items, one row a model, in single precision."""

    def __init__(self, rows: FloatArray) -> None:
        present = ~np.isnan(rows)
        self._solved = np.where(present, rows, 0.0).astype(np.float32)
        if np.any((self._solved != 0.0) & (self._solved != 1.0)):
            raise InvalidArgument(
                "scores must be 0, 1 or missing to be counted; use moments instead"
            )
        self._scored = None if present.all() else present.astype(np.float32)
        self._n_solved = self._solved.sum(axis=1, dtype=np.float64)

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
                of_a, of_b = self._n_solved[run.first], self._n_solved[run.seconds]
                n: np.ndarray | int = self._solved.shape[1]
            else:
                of_a, of_b, n = solved_a[row], solved_b[row], shared[row]
            places = run.places
            n11[places] = solved
            only_a[places] = of_a - solved
            only_b[places] = of_b - solved
            neither[places] = n - of_a - only_b[places]


def count_cells(scores: FloatArray, first: IntArray, second: IntArray) -> PairCells:
    """Count the 2 x 2 table of the pairs (`first`, `second`) of 0/1 scores.

    Parameters
    ----------
    scores : ndarray, shape (n_items, n_models)
        0, 1 or NaN (missing).
    first, second : ndarray of int, shape (n_pairs,)
        Columns of both models of each pair.

    Returns
    -------
    PairCells
        Arrays of shape (n_pairs,).

    Raises
    ------
    InvalidArgument
        As `ScoreCounts`.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.counts import count_cells
    >>> scores = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, np.nan]])
    >>> cells = count_cells(scores, np.array([0]), np.array([1]))
    >>> cells.n11, cells.b, cells.c, cells.n00
    (array([1]), array([1]), array([0]), array([1]))
    """
    return ScoreCounts(scores).tables(first, second).cells()


def count_cells_by_cluster(
    scores: FloatArray, codes: IntArray, first: IntArray, second: IntArray
) -> PairCells:
    """Count the 2 x 2 table of each pair within each cluster of items.

    Parameters
    ----------
    scores, first, second
        As in `count_cells`.
    codes : ndarray of int, shape (n_items,)
        Cluster of each item, 0 to n_clusters - 1.

    Returns
    -------
    PairCells
        Arrays of shape (n_clusters, n_pairs).

    Raises
    ------
    InvalidArgument
        As `ScoreCounts`.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.counts import count_cells_by_cluster
    >>> scores = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]])
    >>> count_cells_by_cluster(scores, np.array([0, 0, 1, 1]), np.array([0]), np.array([1])).b
    array([[1],
           [1]])
    """
    return ScoreCounts(scores, codes).of_pairs(first, second)


def difference_moments(scores: FloatArray, first: IntArray, second: IntArray) -> DifferenceMoments:
    """Moments of the paired difference over the items that both models share, in two passes.

    Parameters
    ----------
    scores : ndarray, shape (n_items, n_models)
        Scores, NaN where missing.
    first, second : ndarray of int, shape (n_pairs,)
        Columns of both models of each pair.

    Returns
    -------
    DifferenceMoments
        Arrays of shape (n_pairs,). Differences are taken before they are summed, item by
        item, and their mean is taken off before they are squared: near-identical models lose no
        digits, nor does a large and steady gap, and no sum depends on the number of cores.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.counts import difference_moments
    >>> scores = np.array([[0.9, 0.5], [0.7, 0.6], [0.4, np.nan]])
    >>> moments = difference_moments(scores, np.array([0]), np.array([1]))
    >>> moments.n_items, moments.sum_d.round(2)
    (array([2]), array([0.5]))
    """
    by_model = np.ascontiguousarray(scores.T)
    parts = [
        _block_moments(by_model[first[i : i + _PAIR_BLOCK]], by_model[second[i : i + _PAIR_BLOCK]])
        for i in range(0, len(first), _PAIR_BLOCK)
    ]
    return _join(DifferenceMoments, parts)


def difference_moments_by_cluster(
    scores: FloatArray, codes: IntArray, first: IntArray, second: IntArray
) -> ClusterMoments:
    """Moments of the paired difference within each cluster of items, in two passes.

    Parameters
    ----------
    scores, first, second
        As in `difference_moments`.
    codes : ndarray of int, shape (n_items,)
        Cluster of each item, 0 to n_clusters - 1.

    Returns
    -------
    ClusterMoments
        Arrays of shape (n_clusters, n_pairs), and the mean of each pair as `origin`.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.counts import difference_moments_by_cluster
    >>> scores = np.array([[0.9, 0.5], [0.7, 0.6], [0.5, 0.1]])
    >>> codes = np.array([0, 0, 1])
    >>> moments = difference_moments_by_cluster(scores, codes, np.array([0]), np.array([1]))
    >>> moments.origin.round(2), moments.sum_d.round(2).tolist()
    (array([0.3]), [[-0.1], [0.1]])
    """
    parts = [
        moments_from_differences(
            scores[:, first[i : i + _PAIR_BLOCK]] - scores[:, second[i : i + _PAIR_BLOCK]], codes
        )
        for i in range(0, len(first), _PAIR_BLOCK)
    ]
    return _join(ClusterMoments, parts)


def _block_moments(a: FloatArray, b: FloatArray) -> DifferenceMoments:
    shared = ~(np.isnan(a) | np.isnan(b))
    first, second = np.where(shared, a, 0.0), np.where(shared, b, 0.0)
    columns = (first, second, first - second)
    n_items = shared.sum(axis=1)
    sums = [column.sum(axis=1) for column in columns]
    deviations = [
        _deviations(column, shared, n_items, total)
        for column, total in zip(columns, sums, strict=True)
    ]
    squares = [np.asarray(np.square(deviation).sum(axis=1)) for deviation in deviations]
    last = np.count_nonzero(columns[2], axis=1), asymmetry(deviations[2].T)
    return DifferenceMoments(*(n_items, *sums, *squares, *last))


def _deviations(
    rows: FloatArray, shared: BoolArray, n_items: IntArray, total: FloatArray
) -> FloatArray:
    """Deviations of each row from its mean, 0 where an item is not shared."""
    mean = total / np.maximum(n_items, 1)
    deviation = np.where(shared, rows - mean[:, np.newaxis], 0.0)
    # Equal values are equal, whatever the rounding of their mean.
    rounding = n_items * np.spacing(np.abs(mean))
    deviation[np.abs(deviation) <= rounding[:, np.newaxis]] = 0.0
    return deviation


def _join(kind: type[_Moments], parts: Sequence[_Moments]) -> _Moments:
    return kind(
        *(
            np.concatenate([np.asarray(getattr(part, f.name)) for part in parts], axis=-1)
            for f in fields(kind)
        )
    )
