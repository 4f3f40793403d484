"""Which pairs of a ranked list of models are compared: declared before any p-value is seen."""

from __future__ import annotations

import numpy as np

from llm_power.choices import Family
from llm_power.statistics._typing import IntArray
from llm_power.statistics.multiplicity import family_size


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
    size = family_size(n_models, family)
    if family == "adjacent":
        first = np.arange(size, dtype=np.int64)
        return first, first + 1
    first, second = np.triu_indices(n_models, k=1)
    return first.astype(np.int64), second.astype(np.int64)
