"""What is declared before the data are seen: level and power, test, margin, sample and family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from llm_power._choices import (
    CLUSTER_SAMPLINGS,
    CLUSTER_TESTS,
    CONTROLS,
    MCNEMAR_TESTS,
    ClusterSampling,
    ClusterTest,
    Control,
    Family,
    McNemarTest,
    Weighting,
)
from llm_power._statistics.argument_checks import one_of, open_unit
from llm_power._statistics.arrays import IntArray
from llm_power._statistics.multiplicity import family_size

if TYPE_CHECKING:
    # Its readers take longer to load than all that is declared.
    from llm_power._scores.store import TaskScores

#: Pairs of a board up to which all are held, with every column, and adjusted by max-T.
HELD_UP_TO: Final = 100_000


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """Level and power of every verdict.

    Attributes
    ----------
    alpha, power : float
        Two-sided level of a single pair, or of the family, and target power.

    Raises
    ------
    InvalidArgument
        If one of them is outside (0, 1).

    Examples
    --------
    >>> from llm_power import OperatingPoint
    >>> OperatingPoint()
    OperatingPoint(alpha=0.05, power=0.8)
    >>> OperatingPoint(alpha=0.01, power=0.90).alpha
    0.01
    """

    alpha: float = 0.05
    power: float = 0.80

    def __post_init__(self) -> None:
        """Refuse levels and powers that no test has."""
        for name in ("alpha", "power"):
            object.__setattr__(self, name, open_unit(name, getattr(self, name)))


@dataclass(frozen=True, slots=True)
class Declared:
    """What a verdict is about.

    Attributes
    ----------
    test : {"exact", "mid_p", "asymptotic"}
        McNemar's test that 0/1 scores are compared by; graded ones are by the paired t test.
    margin : float or None
        Equivalence margin, in score units; without one no pair is equivalent.
    clusters : {"random", "fixed"}
        Whether the clusters of the items are a sample, so that further ones would differ, or all
        that is meant. Fixed ones leave the verdict to the items.
    cluster_test : {"cr2", "wild", "sign-flip"}
        How random clusters are tested: CR2's t test, the wild cluster bootstrap, or sign flips of
        whole clusters. The interval of the gap stays CR2's.
    monitored : bool
        Whether to work out what continuous monitoring takes; seconds for a board of close pairs.
    weighted : bool
        Whether the items that both models of a pair have are weighted by the inverse of their
        share in each cluster, where scores are missing.
    weights : {"equal", "items"} or mapping of str to float
        How much each of several tasks counts in their average: alike, by its items, or as given,
        a positive number a task.
    control : {"max-t", "fdr", "fdr-by"}
        What is controlled over all pairs: the chance of any error, by max-T, or the false discovery
        rate, by Benjamini-Hochberg or, for any dependence, by Benjamini-Yekutieli. Sets of
        ranks are by max-T.

    Raises
    ------
    InvalidArgument
        If a word is none of these.

    Examples
    --------
    >>> from llm_power import Declared
    >>> Declared(margin=0.01)
    Declared(test='exact', margin=0.01, clusters='random', cluster_test='cr2', ...)
    """

    test: McNemarTest = "exact"
    margin: float | None = None
    clusters: ClusterSampling = "random"
    cluster_test: ClusterTest = "cr2"
    monitored: bool = False
    weighted: bool = False
    weights: Weighting | Mapping[str, float] = "equal"
    control: Control = "max-t"

    def __post_init__(self) -> None:
        """Refuse words of no meaning."""
        for name, known in _WORDS.items():
            one_of(name, getattr(self, name), known)


_WORDS: Final = {
    "test": MCNEMAR_TESTS,
    "clusters": CLUSTER_SAMPLINGS,
    "cluster_test": CLUSTER_TESTS,
    "control": CONTROLS,
}

#: Level .05, power .80.
USUAL: Final = OperatingPoint()
#: Exact test, no margin, clusters that are a sample, and tasks that count alike.
UNDECLARED: Final = Declared()


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
