"""What is declared before the data are seen: level and power, test, margin, and the sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from llm_power._choices import ClusterSampling, ClusterTest, Control, McNemarTest, Weighting


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """Level and power of every verdict.

    Attributes
    ----------
    alpha, power : float
        Two-sided level of a single pair, or of the family, and target power.

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


#: Level .05, power .80.
USUAL: Final = OperatingPoint()
#: Exact test, no margin, clusters that are a sample, and tasks that count alike.
UNDECLARED: Final = Declared()
