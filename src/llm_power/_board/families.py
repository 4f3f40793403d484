"""Which pairs of a ranked list of models are compared: declared before any p-value is seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from llm_power._choices import Family
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import IntArray
from llm_power._statistics.multiplicity import family_size

#: Pairs of a board up to which all are held, with every column, and adjusted by max-T.
HELD_UP_TO: Final = 100_000


def pair_indices(n_models: int, family: Family) -> tuple[IntArray, IntArray]:
    """Return both positions of each pair in rank order, `first` < `second`; Section 6.3."""
    return pairs_at(n_models, family, np.arange(family_size(n_models, family), dtype=np.int64))


def pairs_at(n_models: int, family: Family, places: IntArray) -> tuple[IntArray, IntArray]:
    """Return the pairs at some positions in the order of `pair_indices`."""
    family_size(n_models, family)
    if family == "adjacent":
        return places, places + 1
    # Pairs of all models before each.
    ends = np.cumsum(np.arange(n_models - 1, 0, -1, dtype=np.int64))
    first = np.searchsorted(ends, places, side="right")
    return first, places - ends[first] + n_models


def place_of(n_models: int, first: IntArray, second: IntArray) -> IntArray:
    """Return the positions of pairs among all pairs, the inverse of `pairs_at`."""
    return first * (2 * n_models - first - 3) // 2 + second - 1


def number_of_pairs(tasks: Sequence[TaskScores]) -> int:
    """Return the number of pairs of all models of all tasks."""
    return sum(family_size(len(task.models), "all") for task in tasks)
