"""Which pairs of a ranked list of models are compared: declared before any p-value is seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from llm_power.choices import Family
from llm_power.scores.store import TaskScores
from llm_power.statistics._typing import IntArray
from llm_power.statistics.multiplicity import family_size

#: Pairs of a board up to which all are held, with every column, and adjusted by max-T.
HELD_UP_TO: Final = 100_000


def pair_indices(n_models: int, family: Family) -> tuple[IntArray, IntArray]:
    """Return the positions of both models of each pair, the better ranked one first.

    Parameters
    ----------
    n_models : int
        Number of models in rank order, at least 2.
    family : {"adjacent", "all"}
        Neighbors in rank (K - 1 pairs), or every pair (K(K - 1)/2 pairs); Section 6.3.

    Returns
    -------
    first, second : ndarray of int, shape (n_pairs,)
        ``first < second``, ordered by `first`, then by `second`.

    Raises
    ------
    InvalidArgument
        If there are fewer than two models, or the family is unknown.

    Examples
    --------
    >>> from llm_power.board.families import pair_indices
    >>> pair_indices(4, "adjacent")
    (array([0, 1, 2]), array([1, 2, 3]))
    >>> first, second = pair_indices(4, "all")
    >>> len(first)
    6
    """
    return pairs_at(n_models, family, np.arange(family_size(n_models, family), dtype=np.int64))


def pairs_at(n_models: int, family: Family, places: IntArray) -> tuple[IntArray, IntArray]:
    """Return the pairs at some positions in the order of `pair_indices`.

    Parameters
    ----------
    n_models, family
        As in `pair_indices`.
    places : ndarray of int, shape (n,)
        Positions.

    Returns
    -------
    first, second : ndarray of int, shape (n,)
        As of `pair_indices`.

    Raises
    ------
    InvalidArgument
        As `pair_indices`.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.families import pairs_at
    >>> pairs_at(4, "all", np.array([5, 0]))
    (array([2, 0]), array([3, 1]))
    """
    family_size(n_models, family)
    if family == "adjacent":
        return places, places + 1
    # Pairs of all models before each.
    ends = np.cumsum(np.arange(n_models - 1, 0, -1, dtype=np.int64))
    first = np.searchsorted(ends, places, side="right")
    return first, places - ends[first] + n_models


def place_of(n_models: int, first: IntArray, second: IntArray) -> IntArray:
    """Return the positions of pairs among all pairs, the inverse of `pairs_at`.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.families import place_of
    >>> place_of(4, np.array([0, 1, 2]), np.array([1, 2, 3]))
    array([0, 3, 5])
    """
    return first * (2 * n_models - first - 3) // 2 + second - 1


def number_of_pairs(tasks: Sequence[TaskScores]) -> int:
    """Return how many pairs all models of all tasks have.

    Examples
    --------
    >>> from llm_power.board.families import number_of_pairs
    >>> from llm_power.example import example_task
    >>> number_of_pairs([example_task("exam"), example_task("quiz")])
    12
    """
    return sum(family_size(len(task.models), "all") for task in tasks)
