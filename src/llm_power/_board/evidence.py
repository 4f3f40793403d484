"""What the verdicts on pairs of one task rest on, and the declared tests of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from llm_power._board.counts import (
    ClusterSums,
    CountTables,
    ScoreCounts,
    ScoreMoments,
    count_cells,
)
from llm_power._board.operating_point import Declared, OperatingPoint
from llm_power._board.pair_items import DifferenceMoments, PairItems
from llm_power._choices import ClusterTest
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray
from llm_power._statistics.cluster_moments import ClusterMoments
from llm_power._statistics.cluster_robust import (
    ClusterResampling,
    ClusterRobustTest,
    cluster_robust_test,
    cluster_sign_flip_test,
    wild_cluster_bootstrap,
)
from llm_power._statistics.missing_scores import WeightedGap, weighted_gap, weighted_moments
from llm_power._statistics.multiplicity import FamilyTest
from llm_power._statistics.predictive_power import USUAL_GAP, spread_of_gaps
from llm_power._statistics.verdict import (
    ClusterTestName,
    Plan,
    Verdicts,
    agreed_verdicts,
    chosen_verdicts,
    mean_p,
    mean_verdicts,
)


@dataclass(frozen=True)
class Evidence:
    """Sufficient statistics of some pairs of one task; every pair has an item."""

    of_items: PairItems
    # Squares are of all clusters together where no score is missing.
    of_clusters: ClusterMoments | None = None
    # Items of each cluster, where scores are missing.
    cluster_sizes: IntArray | None = None
    # Spread of the gaps of all models of the task.
    prior: float = USUAL_GAP

    @property
    def n_items(self) -> IntArray:
        """Return the number of items that both models of each pair were scored on."""
        return self.of_items.n_items

    @cached_property
    def cluster_test(self) -> ClusterRobustTest:
        """Return CR2's test of the clusters, if there are any, as a sample."""
        assert self.of_clusters is not None
        return cluster_robust_test(self.of_clusters)

    def tested_clusters(self, *, weighted: bool) -> tuple[ClusterMoments, ClusterRobustTest]:
        """Return the moments of the clusters, weighted by their sizes or not, with CR2's test."""
        assert self.of_clusters is not None
        if not weighted or self.cluster_sizes is None:
            return self.of_clusters, self.cluster_test
        moments = weighted_moments(self.of_clusters, self.cluster_sizes)
        return moments, cluster_robust_test(moments)

    def with_an_item(self) -> Evidence:
        """Give pairs that share no item one that both failed, so that they stay undetermined."""
        none = self.n_items == 0
        if not none.any():
            return self
        moments = self.of_clusters
        if moments is not None:
            moments = replace(moments, n_items=np.where(none, 1.0, moments.n_items))
        return replace(self, of_items=self.of_items.with_an_item(), of_clusters=moments)


class TaskEvidence:
    """The scores of one task, laid out for the evidence on any of its pairs."""

    def __init__(self, task: TaskScores, codes: IntArray | None) -> None:
        """Take the cluster of each item, (n_items,), or None where items are in no clusters."""
        self._task, self._codes = task, codes
        # Items of each cluster, where scores are missing.
        self._sizes: IntArray | None = None
        if codes is not None and np.isnan(task.values).any():
            self._sizes = np.bincount(codes)

    @property
    def n_clusters(self) -> int:
        """Number of clusters, 1 where items are in none."""
        return 1 if self._codes is None else int(self._codes.max()) + 1

    @property
    def tabulates(self) -> bool:
        """Whether each pair has a table by cluster, as it has where scores are missing."""
        return self._sizes is not None

    @cached_property
    def _counts(self) -> ScoreCounts:
        return ScoreCounts(self._task.values, None if self._sizes is None else self._codes)

    @cached_property
    def _cluster_sums(self) -> ClusterSums:
        assert self._codes is not None
        return ClusterSums(self._task.values, self._codes)

    @cached_property
    def _moments(self) -> ScoreMoments:
        task = self._task
        return ScoreMoments(task.values, self._codes, lower_is_better=task.lower_is_better)

    @cached_property
    def _prior(self) -> float:
        return spread_of_gaps([self._task.values], [1.0])

    def items(self, first: IntArray, second: IntArray) -> PairItems:
        """Return what the items alone say of pairs of positions, (n_pairs,)."""
        if self._task.kind == "binary":
            return count_cells(self._task.values, first, second)
        return self._moments.moments(first, second)

    def of(
        self, first: IntArray, second: IntArray, *, block: int | None = None
    ) -> Iterator[Evidence]:
        """Yield the evidence on pairs of positions, a block of them at a time."""
        size = block or max(len(first), 1)
        blocks = [slice(k, k + size) for k in range(0, max(len(first), 1), size)]
        if self._task.kind == "binary":
            tables = self._counts.tables(first, second)
            yield from (self._of_tables(tables, first, second, some) for some in blocks)
            return
        # Products of many pairs share tiles of models.
        moments = self._moments.moments(first, second)
        yield from (self._of_graded(moments.of(some), first[some], second[some]) for some in blocks)

    def by_cluster(self, first: IntArray, second: IntArray) -> ClusterMoments:
        """Return sums and squares of each cluster, (n_clusters, n_pairs)."""
        assert self._codes is not None
        if self._task.kind == "binary":
            return ScoreCounts(self._task.values, self._codes).tables(first, second).moments()
        return self._moments.by_cluster(first, second)

    def _of_tables(
        self, tables: CountTables, first: IntArray, second: IntArray, some: slice
    ) -> Evidence:
        cells, clusters = tables.cells(some), None
        if self._sizes is not None:
            clusters = tables.moments(some)
        elif self._codes is not None:
            squares = cells.n_differing.astype(np.float64)
            clusters = self._cluster_sums.moments(first[some], second[some], squares)
        return Evidence(cells, clusters, self._sizes, self._prior)

    def _of_graded(self, moments: DifferenceMoments, first: IntArray, second: IntArray) -> Evidence:
        clusters = None
        if self._codes is not None:
            clusters = self._moments.within_clusters(first, second, moments)
        return Evidence(moments, clusters, self._sizes, self._prior)


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdicts on pairs of one task, with standard errors and tests, (n_pairs,)."""

    verdicts: Verdicts
    error: FloatArray
    test: np.ndarray
    level: float


@dataclass(frozen=True, slots=True)
class PairTests:
    """The declared tests of some pairs of one task, by p-values as if each was named beforehand."""

    items: PairItems
    declared: Declared
    prior: float
    robust: ClusterTests | None
    weighted: _Weighted | None
    # Of the unweighted items, and of all that is declared.
    p_of_items: FloatArray
    p: FloatArray

    @classmethod
    def of(
        cls,
        evidence: Evidence,
        declared: Declared,
        *,
        known_p: FloatArray | None = None,
        unadjusted: FloatArray | None = None,
    ) -> PairTests:
        """Return the tests of the evidence on pairs; known p-values are not computed again."""
        items = evidence.of_items
        p_of_items = items.p_values(declared.test, unadjusted)
        robust = _cluster_test(evidence, declared)
        weighted = weighted_gaps(evidence) if declared.weighted else None
        p = known_p
        if p is None:
            p = p_of_items
            if weighted is not None:
                by_weights = np.where(np.isnan(weighted.gap.p), 1.0, weighted.gap.p)
                p = np.where(weighted.partial, by_weights, p)
            if robust is not None:
                p = np.maximum(robust.p, p)
        return cls(items, declared, evidence.prior, robust, weighted, p_of_items, p)

    def judged(
        self, point: OperatingPoint, family: FamilyTest | None = None, *, plan: Plan = "all"
    ) -> Judgement:
        """Return the verdicts, within a family or each pair by itself."""
        n, error = self.items.n_items, self.items.standard_error
        level = point.alpha if family is None else family.level
        settings: dict[str, Any] = {
            "margin": self.declared.margin,
            "alpha": point.alpha,
            "power": point.power,
            "family": family,
            "plan": plan,
            "prior": self.prior,
        }
        known = self.p_of_items
        verdicts = self.items.verdicts(self.declared.test, known_p=known, **settings)
        test = np.full(len(n), verdicts.test, dtype=object)
        if self.weighted is not None:
            by_weights = self.weighted.verdicts(n, **settings)
            verdicts = chosen_verdicts(self.weighted.partial, by_weights, verdicts)
            error = np.where(self.weighted.partial, self.weighted.gap.standard_error, error)
            test[self.weighted.partial] = by_weights.test
        if self.robust is not None:
            # Of the two p-values the larger one counts.
            by_clusters = self.robust.verdicts(n, known_p=self.p, **settings)
            verdicts = agreed_verdicts(by_clusters, verdicts)
            error = np.maximum(self.robust.test.standard_error, error)
            test[:] = verdicts.test
        return Judgement(verdicts, error, test, level)


@dataclass(frozen=True, slots=True)
class ClusterTests:
    """CR2's t test of one task's pairs, and the resampling test that was declared instead."""

    test: ClusterRobustTest
    resampled: ClusterResampling | None
    name: ClusterTestName

    @property
    def p(self) -> FloatArray:
        """Return the p-values of the verdicts, 1 where the variance between clusters is unknown."""
        if self.resampled is None:
            return mean_p(self.test.delta, self.test.standard_error, self.test.df, self.test.skew)
        return self.verdicts(np.ones(self.test.delta.shape, dtype=np.int64)).p

    def verdicts(self, n_items: IntArray, **settings: Any) -> Verdicts:
        """Return the verdicts by the clusters alone."""
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
    known = evidence.of_clusters
    # One cluster says nothing of others: the items are tested.
    if known is None or len(known.n_items) < 2 or declared.clusters == "fixed":
        return None
    moments, robust = evidence.tested_clusters(weighted=declared.weighted)
    if declared.cluster_test == "cr2":
        return ClusterTests(robust, None, "cluster")
    name, resample = _RESAMPLINGS[declared.cluster_test]
    return ClusterTests(robust, resample(moments), name)


@dataclass(frozen=True, slots=True)
class _Weighted:
    """Gaps weighted by cluster, of the pairs that lack scores."""

    gap: WeightedGap
    partial: BoolArray

    def verdicts(self, n: IntArray, **settings: Any) -> Verdicts:
        law = self.gap.delta, self.gap.standard_error, self.gap.df, n
        return mean_verdicts(*law, test="weighted", **settings)


def weighted_gaps(evidence: Evidence) -> _Weighted | None:
    """Return the gaps weighted by cluster, None without clusters."""
    moments, sizes = evidence.of_clusters, evidence.cluster_sizes
    if moments is None or sizes is None:
        return None
    answered = np.broadcast_to(moments.n_items, moments.sum_d.shape)
    return _Weighted(weighted_gap(moments, sizes), answered.sum(axis=0) < sizes.sum())
