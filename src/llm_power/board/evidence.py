"""What the verdicts on pairs of one task rest on, and the declared tests of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from llm_power.board.counts import DifferenceMoments, PairCells
from llm_power.board.operating_point import Declared, OperatingPoint
from llm_power.choices import ClusterTest
from llm_power.statistics._typing import BoolArray, FloatArray, IntArray
from llm_power.statistics.cluster_moments import ClusterMoments
from llm_power.statistics.cluster_requirement import cluster_requirement
from llm_power.statistics.cluster_robust import (
    ClusterResampling,
    ClusterRobustTest,
    cluster_robust_test,
    cluster_sign_flip_test,
    wild_cluster_bootstrap,
)
from llm_power.statistics.exact_required_n import P_VALUES
from llm_power.statistics.inversion import required_n
from llm_power.statistics.max_t import FamilyTest
from llm_power.statistics.missing_weights import WeightedGap, weighted_gap, weighted_moments
from llm_power.statistics.paired_binary import observed_difference_variance
from llm_power.statistics.verdict import (
    ClusterTestName,
    Verdicts,
    agreed_verdicts,
    binary_verdicts,
    chosen_verdicts,
    mean_p,
    mean_verdicts,
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Sufficient statistics of some pairs of one task; every pair has an item.

    Attributes
    ----------
    of_items : PairCells or DifferenceMoments
        Of 0/1 scores the 2 x 2 table, of graded ones the moments; arrays of shape (n_pairs,).
    of_clusters : ClusterMoments or None
        The same within clusters of items, shape (n_clusters, n_pairs).
    cluster_sizes : ndarray of int, shape (n_clusters,), or None
        All items of each cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.counts import PairCells
    >>> from llm_power.board.evidence import Evidence
    >>> evidence = Evidence(PairCells(*(np.array([count]) for count in (7987, 295, 249, 1511))))
    >>> evidence.n_items
    array([10042])
    """

    of_items: PairCells | DifferenceMoments
    of_clusters: ClusterMoments | None = None
    cluster_sizes: IntArray | None = None

    @property
    def n_items(self) -> IntArray:
        """Items that both models of each pair were scored on.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.board.counts import PairCells
        >>> from llm_power.board.evidence import Evidence
        >>> Evidence(PairCells(*(np.array([count]) for count in (3, 1, 0, 1)))).n_items
        array([5])
        """
        return self.of_items.n_items

    def with_an_item(self) -> Evidence:
        """Put pairs that share no item on one that both failed, from which nothing follows.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.board.counts import PairCells
        >>> from llm_power.board.evidence import Evidence
        >>> Evidence(PairCells(*(np.array([0]) for _ in range(4)))).with_an_item().n_items
        array([1])
        """
        none = self.n_items == 0
        if not none.any():
            return self
        if isinstance(self.of_items, PairCells):
            n00 = np.where(none, 1, self.of_items.n00)
            items: PairCells | DifferenceMoments = replace(self.of_items, n00=n00)
        else:
            items = replace(self.of_items, n_items=np.where(none, 1, self.n_items))
        moments = self.of_clusters
        if moments is not None:
            moments = replace(moments, n_items=np.where(none, 1.0, moments.n_items))
        return Evidence(items, moments, self.cluster_sizes)


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdicts on pairs of one task, and what else they rest on.

    Attributes
    ----------
    found : Verdicts
        The verdicts.
    error : ndarray of shape (n_pairs,)
        Standard error of each gap, in score units.
    test : ndarray of str, shape (n_pairs,)
        Name of the test of each pair.
    level : float
        Level that a pair faces.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.counts import PairCells
    >>> from llm_power.board.evidence import Evidence, PairTests
    >>> from llm_power import Declared, OperatingPoint
    >>> evidence = Evidence(PairCells(*(np.array([count]) for count in (200, 30, 8, 262))))
    >>> judged = PairTests(evidence, Declared()).judged(OperatingPoint())
    >>> judged.found.verdict.tolist(), judged.test.tolist(), judged.error.round(4).tolist()
    (['different'], ['exact'], [0.0122])
    """

    found: Verdicts
    error: FloatArray
    test: np.ndarray
    level: float


class PairTests:
    """The declared tests of some pairs of one task.

    Parameters
    ----------
    evidence : Evidence
        What they rest on.
    declared : Declared
        Test, margin, and whether clusters are a sample.
    known_p, known_p_of_items : ndarray, optional
        What `p` and `p_of_items` are, where they have been worked out already.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.counts import PairCells
    >>> from llm_power.board.evidence import Evidence, PairTests
    >>> from llm_power import Declared
    >>> evidence = Evidence(PairCells(*(np.array([count]) for count in (200, 30, 8, 262))))
    >>> PairTests(evidence, Declared()).p.round(4)
    array([0.0005])
    """

    def __init__(
        self,
        evidence: Evidence,
        declared: Declared,
        *,
        known_p: FloatArray | None = None,
        known_p_of_items: FloatArray | None = None,
    ) -> None:
        self._evidence, self._declared = evidence, declared
        self._known_p, self._known_p_of_items = known_p, known_p_of_items
        self.robust = _cluster_test(evidence, declared)
        self._weighted = _weighted_gaps(evidence) if declared.weighted else None

    @property
    def p(self) -> FloatArray:
        """P-value of each pair as one named beforehand.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.board.counts import PairCells
        >>> from llm_power.board.evidence import Evidence, PairTests
        >>> from llm_power import Declared
        >>> evidence = Evidence(PairCells(*(np.array([count]) for count in (3, 1, 0, 1))))
        >>> PairTests(evidence, Declared()).p
        array([1.])
        """
        p = self.p_of_items
        if self._weighted is not None:
            by_weights = np.where(np.isnan(self._weighted.gap.p), 1.0, self._weighted.gap.p)
            p = np.where(self._weighted.partial, by_weights, p)
        if self.robust is not None:
            p = np.maximum(self.robust.p, p)
        return p

    @cached_property
    def p_of_items(self) -> FloatArray:
        """The same of the items alone, none of them weighted.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.board.counts import PairCells
        >>> from llm_power.board.evidence import Evidence, PairTests
        >>> from llm_power import Declared
        >>> evidence = Evidence(PairCells(*(np.array([count]) for count in (3, 6, 0, 1))))
        >>> PairTests(evidence, Declared()).p_of_items
        array([0.03125])
        """
        items = self._evidence.of_items
        if self._known_p_of_items is not None:
            return self._known_p_of_items
        if isinstance(items, PairCells):
            return P_VALUES[self._declared.test](items.b, items.c)
        return _graded_verdicts(items, need=np.inf).p

    def judged(
        self, point: OperatingPoint, family: FamilyTest | None = None, *, sizes: bool = True
    ) -> Judgement:
        """Return the verdicts, within a family or each pair by itself.

        Parameters
        ----------
        point : OperatingPoint
            Level and power.
        family : FamilyTest, optional
            Adjusted p-values of these pairs.
        sizes : bool, default True
            Whether to work out how many items clusters that are a sample would need, which takes
            70 microseconds a pair; without, these are infinite.

        Returns
        -------
        Judgement
            Of all pairs.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.board.counts import PairCells
        >>> from llm_power.board.evidence import Evidence, PairTests
        >>> from llm_power import Declared, OperatingPoint
        >>> from llm_power.statistics.max_t import holm_family
        >>> evidence = Evidence(PairCells(*(np.array([count] * 2) for count in (200, 30, 12, 258))))
        >>> tests = PairTests(evidence, Declared())
        >>> tests.judged(OperatingPoint(), holm_family(tests.p)).found.p_family.round(3)
        array([0.016, 0.016])
        """
        evidence, n = self._evidence, self._evidence.n_items
        level = point.alpha if family is None else family.level
        settings: dict[str, Any] = {
            "margin": self._declared.margin,
            "alpha": point.alpha,
            "power": point.power,
            "family": family,
        }
        found, error = self._by_items(level, settings)
        test = np.full(len(n), found.test, dtype=object)
        if self._weighted is not None:
            by_weights = self._weighted.verdicts(n, level, **settings)
            found = chosen_verdicts(self._weighted.partial, by_weights, found)
            error = np.where(self._weighted.partial, self._weighted.gap.standard_error, error)
            test[self._weighted.partial] = by_weights.test
        if self.robust is not None and evidence.of_clusters is not None:
            need = np.full(len(n), np.inf)
            if sizes:
                moments = evidence.of_clusters
                need = cluster_requirement(moments, alpha=level, power=point.power).n_star
            need = np.where(np.isnan(need), np.inf, need)
            # Of the two p-values the larger one counts, and may be known.
            by_clusters = self.robust.verdicts(n, need=need, known_p=self._known_p, **settings)
            found = agreed_verdicts(by_clusters, found)
            error = np.maximum(self.robust.test.standard_error, error)
            test[:] = found.test
        return Judgement(found, error, test, level)

    def _by_items(self, level: float, settings: dict[str, Any]) -> tuple[Verdicts, FloatArray]:
        items = self._evidence.of_items
        if isinstance(items, PairCells):
            b, c, n = items.b, items.c, items.n_items
            test = self._declared.test
            found = binary_verdicts(b, c, n, test=test, known_p=self.p_of_items, **settings)
            return found, np.sqrt(observed_difference_variance(b, c, n) / n)
        delta, error = mean_and_error(items)
        sigma = np.where(np.isfinite(error), error, 0.0) * np.sqrt(items.n_items)
        need = required_n(delta, sigma, alpha=level, power=settings["power"])
        return _graded_verdicts(items, need=need, **settings), error


def mean_and_error(moments: DifferenceMoments) -> tuple[FloatArray, FloatArray]:
    """Gap of graded pairs and its standard error, infinite where the differences are all equal.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.counts import difference_moments
    >>> from llm_power.board.evidence import mean_and_error
    >>> scores = np.array([[0.9, 0.5], [0.7, 0.6], [0.4, 0.3]])
    >>> delta, error = mean_and_error(difference_moments(scores, np.array([0]), np.array([1])))
    >>> delta.round(3), error.round(3)
    (array([0.2]), array([0.1]))
    """
    n, squares = moments.n_items.astype(np.float64), moments.ss_d
    varies = (n > 1) & (squares > 0)
    error = np.sqrt(squares / np.maximum(n - 1, 1) / n)
    return moments.sum_d / n, np.where(varies, error, np.inf)


def _graded_verdicts(moments: DifferenceMoments, **settings: Any) -> Verdicts:
    delta, error = mean_and_error(moments)
    n = moments.n_items.astype(np.float64)
    law = delta, error, moments.n_differing - 1.0, n
    return mean_verdicts(*law, skew=moments.skew_d, hall_df=n - 1, **settings)


@dataclass(frozen=True, slots=True)
class ClusterTests:
    """CR2's t test of one task's pairs, and the resampling test that was declared instead.

    Attributes
    ----------
    test : ClusterRobustTest
        By CR2.
    resampled : ClusterResampling or None
        P-values that take the place of CR2's.
    name : str
        Which of them decides.

    Examples
    --------
    >>> from llm_power.board.evidence import ClusterTests
    >>> from llm_power.statistics.cluster_moments import moments_from_counts
    >>> from llm_power.statistics.cluster_robust import cluster_robust_test
    >>> moments = moments_from_counts([[50]] * 3, [[9], [7], [8]], [[2], [3], [1]])
    >>> tests = ClusterTests(cluster_robust_test(moments), None, "cluster")
    >>> tests.verdicts([150], need=100).p.round(3)
    array([0.142])
    """

    test: ClusterRobustTest
    resampled: ClusterResampling | None
    name: ClusterTestName

    @property
    def p(self) -> FloatArray:
        """P-values of the verdicts; 1 where nothing shows how clusters vary.

        Examples
        --------
        >>> from llm_power.board.evidence import ClusterTests
        >>> from llm_power.statistics.cluster_moments import moments_from_counts
        >>> from llm_power.statistics.cluster_robust import cluster_robust_test
        >>> moments = moments_from_counts([[50]] * 3, [[9], [7], [8]], [[2], [3], [1]])
        >>> ClusterTests(cluster_robust_test(moments), None, "cluster").p.round(3)
        array([0.142])
        """
        if self.resampled is None:
            return mean_p(self.test.delta, self.test.standard_error, self.test.df, self.test.skew)
        return self.verdicts(np.ones(self.test.delta.shape, dtype=np.int64), need=np.inf).p

    def verdicts(self, n_items: IntArray, **settings: Any) -> Verdicts:
        """Return the verdicts of the clusters alone.

        Examples
        --------
        >>> from llm_power.board.evidence import ClusterTests
        >>> from llm_power.statistics.cluster_moments import moments_from_counts
        >>> from llm_power.statistics.cluster_robust import cluster_robust_test
        >>> moments = moments_from_counts([[50]] * 3, [[9], [7], [8]], [[2], [3], [1]])
        >>> tests = ClusterTests(cluster_robust_test(moments), None, "cluster")
        >>> tests.verdicts([150], need=100).verdict.tolist()
        ['undetermined']
        """
        return mean_verdicts(
            self.test.delta,
            self.test.standard_error,
            self.test.df,
            n_items,
            skew=self.test.skew,
            resampled=self.resampled,
            test=self.name,
            **settings,
        )


_RESAMPLINGS: Final[
    dict[ClusterTest, tuple[ClusterTestName, Callable[[ClusterMoments], ClusterResampling]]]
] = {
    "wild": ("cluster_wild", wild_cluster_bootstrap),
    "sign-flip": ("cluster_sign_flip", cluster_sign_flip_test),
}


def _cluster_test(evidence: Evidence, declared: Declared) -> ClusterTests | None:
    moments = evidence.of_clusters
    # One cluster says nothing of others: the items are tested.
    if moments is None or len(moments.n_items) < 2 or declared.clusters == "fixed":
        return None
    if declared.weighted and evidence.cluster_sizes is not None:
        moments = weighted_moments(moments, evidence.cluster_sizes)
    robust = cluster_robust_test(moments)
    if declared.cluster_test == "cr2":
        return ClusterTests(robust, None, "cluster")
    name, resample = _RESAMPLINGS[declared.cluster_test]
    return ClusterTests(robust, resample(moments), name)


@dataclass(frozen=True, slots=True)
class _Weighted:
    """Gaps that are weighted by cluster, of the pairs that lack scores."""

    gap: WeightedGap
    df: FloatArray
    partial: BoolArray

    def verdicts(self, n: IntArray, level: float, power: float, **settings: Any) -> Verdicts:
        error = self.gap.standard_error
        sigma = np.where(np.isfinite(error), error, 0.0) * np.sqrt(n)
        need = required_n(self.gap.delta, sigma, alpha=level, power=power)
        law = self.gap.delta, error, self.df, n
        return mean_verdicts(*law, need=need, test="weighted", power=power, **settings)


def _weighted_gaps(evidence: Evidence) -> _Weighted | None:
    moments, sizes = evidence.of_clusters, evidence.cluster_sizes
    if moments is None or sizes is None:
        return None
    answered = np.asarray(moments.n_items)
    return _Weighted(
        weighted_gap(moments, sizes),
        np.maximum(answered - 1, 0).sum(axis=0),
        answered.sum(axis=0) < sizes.sum(),
    )
