r"""From a score matrix to the sufficient statistics of every pair.

For 0/1 scores the four cells of all :math:`K^2` pairs follow from three matrix products.
With :math:`M` the indicator of a score and :math:`X` the scores with missing ones as 0,

.. math:: N = M^\top M, \quad S = X^\top M, \quad n_{11} = X^\top X, \quad b = S - n_{11},

and :math:`c = b^\top`. All entries are whole numbers below :math:`2^{53}`, so the products
are exact in double precision: the result does not depend on the linear-algebra library, the
number of cores, or the order of summation. Items that one of the two models lacks are in no cell
of that pair.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from llm_power.errors import InvalidArgument
from llm_power.statistics._typing import FloatArray, IntArray

# Rows of the difference matrix that graded scores hold at a time: 32 MB at 12,000 items.
_PAIR_BLOCK = 350


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
    sum_a, sum_b, sum_a2, sum_b2 : ndarray
        Sums of both models' scores over those items, and of their squares.
    sum_d, sum_d2 : ndarray
        Sum, and sum of squares, of the paired difference. For 0/1 scores b - c and b + c.

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
    sum_a2: FloatArray
    sum_b2: FloatArray
    sum_d: FloatArray
    sum_d2: FloatArray


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
        If a score is neither 0, 1 nor NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.counts import count_cells
    >>> scores = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, np.nan]])
    >>> cells = count_cells(scores, np.array([0]), np.array([1]))
    >>> cells.n11, cells.b, cells.c, cells.n00
    (array([1]), array([1]), array([0]), array([1]))
    """
    present = ~np.isnan(scores)
    solved = np.where(present, scores, 0.0)
    if np.any((solved != 0.0) & (solved != 1.0)):
        raise InvalidArgument("scores must be 0, 1 or missing to be counted; use moments instead")
    scored = present.astype(np.float64)
    shared = scored.T @ scored
    solved_shared = solved.T @ scored
    both = solved.T @ solved
    n, n11 = shared[first, second], both[first, second]
    b, c = solved_shared[first, second] - n11, solved_shared[second, first] - n11
    n00 = n - n11 - b - c
    return PairCells(*(cell.astype(np.int64) for cell in (n11, b, c, n00)))


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
        As `count_cells`.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.counts import count_cells_by_cluster
    >>> scores = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]])
    >>> count_cells_by_cluster(scores, np.array([0, 0, 1, 1]), np.array([0]), np.array([1])).b
    array([[1],
           [1]])
    """
    cells = [count_cells(rows, first, second) for rows in _split_by_cluster(scores, codes)]
    return PairCells(
        *(np.stack([getattr(cell, f.name) for cell in cells]) for f in fields(PairCells))
    )


def difference_moments(scores: FloatArray, first: IntArray, second: IntArray) -> DifferenceMoments:
    """Sum the paired difference and its square over the items that both models share.

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
        item: near-identical models lose no digits, and no sum depends on the number of cores.

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
    return _join(parts, np.concatenate)


def difference_moments_by_cluster(
    scores: FloatArray, codes: IntArray, first: IntArray, second: IntArray
) -> DifferenceMoments:
    """Sum the paired difference and its square within each cluster of items.

    Parameters
    ----------
    scores, first, second
        As in `difference_moments`.
    codes : ndarray of int, shape (n_items,)
        Cluster of each item, 0 to n_clusters - 1.

    Returns
    -------
    DifferenceMoments
        Arrays of shape (n_clusters, n_pairs).

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.counts import difference_moments_by_cluster
    >>> scores = np.array([[0.9, 0.5], [0.7, 0.6], [0.4, 0.1]])
    >>> codes = np.array([0, 0, 1])
    >>> difference_moments_by_cluster(scores, codes, np.array([0]), np.array([1])).sum_d.round(2)
    array([[0.5],
           [0.3]])
    """
    parts = [difference_moments(rows, first, second) for rows in _split_by_cluster(scores, codes)]
    return _join(parts, np.stack)


def _split_by_cluster(scores: FloatArray, codes: IntArray) -> list[FloatArray]:
    if len(codes) != len(scores):
        raise InvalidArgument(
            f"codes must have one entry an item, got {len(codes)} for {len(scores)}"
        )
    return [scores[codes == code] for code in range(int(codes.max()) + 1)]


def _block_moments(a: FloatArray, b: FloatArray) -> DifferenceMoments:
    shared = ~(np.isnan(a) | np.isnan(b))
    first, second = np.where(shared, a, 0.0), np.where(shared, b, 0.0)
    difference = first - second
    return DifferenceMoments(
        n_items=shared.sum(axis=1),
        sum_a=first.sum(axis=1),
        sum_b=second.sum(axis=1),
        sum_a2=np.square(first).sum(axis=1),
        sum_b2=np.square(second).sum(axis=1),
        sum_d=difference.sum(axis=1),
        sum_d2=np.square(difference).sum(axis=1),
    )


def _join(parts: list[DifferenceMoments], join: Callable[[list[Any]], Any]) -> DifferenceMoments:
    return DifferenceMoments(
        *(join([getattr(part, f.name) for part in parts]) for f in fields(DifferenceMoments))
    )
