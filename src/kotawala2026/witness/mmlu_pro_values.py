"""Every printed quantity of the MMLU-Pro panel, evaluated on item-level scores.

`MmluProValues` computes with the engine of the exhibits, so that a number of the report is the
number of the exhibit; `mmlu_pro_roles` is the report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
import pandas as pd

from kotawala2026.witness._mmlu_pro_printed import dropped_categories
from llm_power.board.counts import PairCells, count_cells, count_cells_by_cluster
from llm_power.board.families import pair_indices
from llm_power.errors import InvalidArgument
from llm_power.scores.store import TaskScores
from llm_power.statistics._seeds import named_rng
from llm_power.statistics._typing import ArrayLike, FloatArray, IntArray
from llm_power.statistics.category_bootstrap import CategoryBootstrap, category_bootstrap
from llm_power.statistics.cluster_moments import ClusterMoments, moments_from_counts
from llm_power.statistics.clusterings import difficulty_bins, random_clusters, split_by_parity
from llm_power.statistics.design_effect import (
    ClusterResolution,
    cluster_resolution,
    intraclass_correlation,
    leave_one_cluster_out,
)
from llm_power.statistics.inversion import required_n
from llm_power.statistics.mcnemar import mcnemar_asymptotic, mcnemar_exact
from llm_power.statistics.multiplicity import bonferroni_level
from llm_power.statistics.paired_binary import (
    PairSummary,
    required_n_discordance,
    required_n_paired_binary,
    summarize_counts,
)
from llm_power.statistics.rho_sensitivity import RhoSensitivity, rho_sensitivity
from llm_power.statistics.shortcut import shortcut_required_n
from replication.constraints import Constraint, select
from replication.roles import roles_report

CLUSTER: Final = "category"

_QUARTILES: Final = 4
_RESAMPLES: Final = 20_000
# The printed bounds of Table 9 come from so many resamples each.
_PRINTED_RESAMPLES: Final = 1000
_BATCHES: Final = 20
_RANDOM_CLUSTERINGS: Final = 21
_ROUNDING: Final = 1e-9


def quartile_icc(values: FloatArray) -> FloatArray:
    """ICC of each adjacent pair where the clusters are quartiles of the items' difficulty.

    Parameters
    ----------
    values : ndarray, shape (n_items, n_models)
        0 or 1, columns in rank order.

    Returns
    -------
    ndarray, shape (n_models - 1,)
        As `llm_power.statistics.design_effect.intraclass_correlation`.

    Notes
    -----
    Section 6.4. Items that equally many models solve stay together
    (`llm_power.statistics.clusterings.difficulty_bins`), so that fewer than four bins can hold
    items; the paper prints K = 4.
    """
    labels = difficulty_bins(values.mean(axis=1), n_bins=_QUARTILES)
    return intraclass_correlation(_moments(values, labels))


# Recomputed from the witness under results/prose, each with its own reading.
_BESIDE_PROSE: Final = {
    *("n_flipped_beyond_three_n", "random_clusters_icc_median"),
    *(f"shortcut_ratio_of_whole_items_{which}" for which in ("median", "min", "max")),
}


def mmlu_pro_roles(
    constraints: Sequence[Constraint], scores: TaskScores, *, seed: int
) -> pd.DataFrame:
    """Hold the witness against every printed number of the panel.

    Parameters
    ----------
    constraints : sequence of Constraint
        Panel ``mmlu_pro`` of the register.
    scores : TaskScores
        What `kotawala2026.witness.mmlu_pro.witness_scores` returned.
    seed : int
        Seed of the report's own resamples and random clusters, which the fit never saw.

    Returns
    -------
    DataFrame
        As `replication.roles.roles_report`. The bounds of Table 9, printed from 1,000
        resamples, get the standard errors that the witness gives such percentiles.
    """
    (inflation,) = select(tuple(constraints), "anytime_inflation")
    values = MmluProValues(scores, inflation.printed.value, seed)
    of_the_report = [c for c in constraints if c.quantity not in _BESIDE_PROSE]
    return roles_report([values.with_standard_error(c) for c in of_the_report], values)


@dataclass(frozen=True)
class MmluProValues:
    """Quantities of the panel, by constraint.

    Attributes
    ----------
    scores : TaskScores
        Columns in rank order, with the cluster column ``category``.
    anytime_inflation : float
        Factor on N* of anytime-valid testing (Section 6.5), which is an input.
    seed : int
        Of the category bootstrap and the random clusters.
    alpha, power : float
        Operating point.
    """

    scores: TaskScores
    anytime_inflation: float
    seed: int
    alpha: float = 0.05
    power: float = 0.80

    def __call__(self, c: Constraint) -> float:
        """Return the value of a constraint's quantity.

        Raises
        ------
        InvalidArgument
            If the quantity is unknown, or its subject is not on the board.
        """
        if c.quantity in _OF_PANEL:
            return float(_OF_PANEL[c.quantity](self))
        if c.quantity in _OF_PAIR:
            return float(np.asarray(_OF_PAIR[c.quantity](self))[self._pair(c)])
        if c.quantity == "leave_one_out_unresolved":
            return self._leave_one_out_unresolved(dropped_categories(c))
        if c.quantity == "bootstrap_share":
            return self._bootstrap_share(c.subject[0])
        raise InvalidArgument(f"no quantity of the panel mmlu_pro is named {c.quantity!r}")

    def with_standard_error(self, c: Constraint) -> Constraint:
        """Give a bound of Table 9 the standard error of a percentile of 1,000 resamples."""
        if c.quantity not in _SIMULATED or c.standard_error is not None:
            return c
        # A bound that no resample moves, a design effect of 1, varies by rounding alone.
        batches = [np.asarray(_SIMULATED[c.quantity](b))[self._pair(c)] for b in self.batches]
        error = float(np.std(batches, ddof=1))
        moved = error > _ROUNDING * abs(c.printed.value)
        return replace(c, standard_error=error) if moved else c

    @cached_property
    def summary(self) -> PairSummary:
        """The adjacent pairs, items taken as independent."""
        cells = self._cells
        return summarize_counts(
            cells.n11, cells.b, cells.c, cells.n00, alpha=self.alpha, power=self.power
        )

    @cached_property
    def clustered(self) -> ClusterResolution:
        """The adjacent pairs with categories as clusters (Table 4)."""
        return self._resolution(self.moments)

    @cached_property
    def moments(self) -> ClusterMoments:
        """Sums over the categories, in sorted order of their names."""
        return _moments(self.scores.values, self._codes)

    @cached_property
    def bootstrap(self) -> CategoryBootstrap:
        """Category bootstrap of more resamples than printed (Table 9)."""
        return self._bootstrap(_RESAMPLES, "report")

    @cached_property
    def batches(self) -> tuple[CategoryBootstrap, ...]:
        """Category bootstraps of as many resamples as printed."""
        return tuple(self._bootstrap(_PRINTED_RESAMPLES, f"batch {i}") for i in range(_BATCHES))

    @cached_property
    def quartiles(self) -> ClusterResolution:
        """The adjacent pairs with difficulty quartiles as clusters."""
        labels = difficulty_bins(self.scores.values.mean(axis=1), n_bins=_QUARTILES)
        return self._resolution(_moments(self.scores.values, labels))

    @cached_property
    def _cells(self) -> PairCells:
        return count_cells(self.scores.values, *pair_indices(self.scores.n_models, "adjacent"))

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(sorted(set(self.scores.clusters[CLUSTER])))

    @cached_property
    def _codes(self) -> IntArray:
        place = {name: k for k, name in enumerate(self._names)}
        return np.array([place[name] for name in self.scores.clusters[CLUSTER]], dtype=np.int64)

    def _pair(self, c: Constraint) -> int:
        labels = [f"{i} vs {i + 1}" for i in range(1, self.scores.n_models)]
        if c.subject[:1] and c.subject[0] in labels:
            return labels.index(c.subject[0])
        raise InvalidArgument(f"no pair of the board is {', '.join(c.subject)!r}")

    def _resolution(self, moments: ClusterMoments) -> ClusterResolution:
        return cluster_resolution(moments, alpha=self.alpha, power=self.power)

    def _bootstrap(self, n_resamples: int, name: str) -> CategoryBootstrap:
        return category_bootstrap(
            self.moments,
            rng=named_rng(self.seed, f"witness/mmlu_pro/bootstrap/{name}"),
            n_resamples=n_resamples,
            alpha=self.alpha,
            power=self.power,
        )

    def _leave_one_out_unresolved(self, dropped: Sequence[str]) -> float:
        """Unresolved pairs without each of the categories; NaN where these do not agree."""
        unknown = sorted(set(dropped) - set(self._names))
        if unknown:
            raise InvalidArgument(f"no category of the board is {unknown[0]!r}")
        result = leave_one_cluster_out(self.moments, alpha=self.alpha, power=self.power)
        rows = [self._names.index(name) for name in dropped]
        found = np.unique(np.count_nonzero(~result.resolved[rows], axis=1))
        return float(found[0]) if len(found) == 1 else np.nan

    def _bootstrap_share(self, subject: str) -> float:
        counts = self.bootstrap.unresolved_counts
        n, _, rest = subject.partition(" ")
        hits = counts >= int(n) if rest.startswith("or more") else counts == int(n)
        return float(np.mean(hits))

    def _unresolved(self, n_star: ArrayLike) -> int:
        return int(np.count_nonzero(np.asarray(n_star) > self.scores.n_items))

    def _unresolved_at(self, family: int) -> int:
        s = self.summary
        level = bonferroni_level(family, alpha=self.alpha)
        return self._unresolved(
            required_n(s.delta, np.sqrt(s.var_d), alpha=level, power=self.power)
        )

    def _two_forms(self) -> float:
        s, cells = self.summary, self._cells
        by_rho = required_n_paired_binary(s.p_a, s.p_b, s.rho, alpha=self.alpha, power=self.power)
        by_counts = required_n_discordance(
            cells.b, cells.c, s.n_items, alpha=self.alpha, power=self.power
        )
        return float(np.max(np.abs(by_rho / by_counts - 1)))

    def _shortcut_ratio(self) -> FloatArray:
        s = self.summary
        shortcut = shortcut_required_n(s.p_a, s.p_b, s.rho, alpha=self.alpha, power=self.power)
        return np.asarray(shortcut / s.n_star)

    @cached_property
    def _shifted_rho(self) -> RhoSensitivity:
        s = self.summary
        n = self.scores.n_items
        return rho_sensitivity(s.p_a, s.p_b, s.rho, n, alpha=self.alpha, power=self.power)

    def _random_unresolved(self) -> float:
        """Unresolved pairs under random clusters: the median of some random clusterings."""
        rng = named_rng(self.seed, "witness/mmlu_pro/random clusters")
        k = len(self._names)
        counts = [
            np.count_nonzero(
                ~self._resolution(
                    _moments(self.scores.values, random_clusters(self.scores.n_items, k, rng))
                ).resolved
            )
            for _ in range(_RANDOM_CLUSTERINGS)
        ]
        return float(np.median(counts))

    def _parity_unresolved(self) -> float:
        labels = split_by_parity(np.asarray(self.scores.clusters[CLUSTER]))
        return float(
            np.count_nonzero(~self._resolution(_moments(self.scores.values, labels)).resolved)
        )


def _moments(values: FloatArray, labels: IntArray) -> ClusterMoments:
    cells = count_cells_by_cluster(values, labels, *pair_indices(values.shape[1], "adjacent"))
    return moments_from_counts(cells.n_items, cells.b, cells.c)


_Pairwise = Callable[[MmluProValues], ArrayLike]

_OF_PAIR: Final[Mapping[str, _Pairwise]] = {
    "b": lambda v: v._cells.b,
    "c": lambda v: v._cells.c,
    "p_a": lambda v: v.summary.p_a,
    "p_b": lambda v: v.summary.p_b,
    "gap_pp": lambda v: 100 * np.abs(v.summary.delta),
    "rho": lambda v: v.summary.rho,
    "n_star": lambda v: v.summary.n_star,
    "p_chi2": lambda v: mcnemar_asymptotic(v._cells.b, v._cells.c),
    "p_exact": lambda v: mcnemar_exact(v._cells.b, v._cells.c),
    "icc": lambda v: v.clustered.icc,
    "design_effect": lambda v: v.clustered.design_effect,
    "n_star_cluster": lambda v: v.clustered.n_star,
    "icc_lower": lambda v: v.bootstrap.icc_interval[0],
    "icc_upper": lambda v: v.bootstrap.icc_interval[1],
    "design_effect_lower": lambda v: v.bootstrap.design_effect_interval[0],
    "design_effect_upper": lambda v: v.bootstrap.design_effect_interval[1],
    "n_star_cluster_lower": lambda v: v.bootstrap.n_star_interval[0],
    "n_star_cluster_upper": lambda v: v.bootstrap.n_star_interval[1],
    "probability_unresolved": lambda v: v.bootstrap.probability_unresolved,
}
_SIMULATED: Final[Mapping[str, Callable[[CategoryBootstrap], FloatArray]]] = {
    "icc_lower": lambda b: b.icc_interval[0],
    "icc_upper": lambda b: b.icc_interval[1],
    "design_effect_lower": lambda b: b.design_effect_interval[0],
    "design_effect_upper": lambda b: b.design_effect_interval[1],
    "n_star_cluster_lower": lambda b: b.n_star_interval[0],
    "n_star_cluster_upper": lambda b: b.n_star_interval[1],
}
_OF_PANEL: Final[Mapping[str, Callable[[MmluProValues], float]]] = {
    "n_items": lambda v: v.scores.n_items,
    "n_categories": lambda v: len(v._names),
    "mean_cluster_size": lambda v: v.scores.n_items / len(v._names),
    "largest_gap_pp": lambda v: float(100 * np.abs(v.summary.delta).max()),
    "anytime_inflation": lambda v: v.anytime_inflation,
    "unresolved_fixed": lambda v: v._unresolved(v.summary.n_star),
    "unresolved_bonferroni": lambda v: v._unresolved_at(v.scores.n_models - 1),
    "unresolved_bonferroni_all_pairs": lambda v: v._unresolved_at(
        v.scores.n_models * (v.scores.n_models - 1) // 2
    ),
    "unresolved_anytime": lambda v: v._unresolved(v.anytime_inflation * v.summary.n_star),
    "unresolved_clustered": lambda v: float(np.count_nonzero(~v.clustered.resolved)),
    "two_forms_largest_difference": MmluProValues._two_forms,
    "shortcut_ratio_median": lambda v: float(np.median(v._shortcut_ratio())),
    "shortcut_ratio_min": lambda v: float(v._shortcut_ratio().min()),
    "shortcut_ratio_max": lambda v: float(v._shortcut_ratio().max()),
    "rho_min": lambda v: float(v.summary.rho.min()),
    "rho_max": lambda v: float(v.summary.rho.max()),
    "rho_sensitivity_fewest": lambda v: float(v._shifted_rho.upper.sum()),
    "rho_sensitivity_most": lambda v: float(v._shifted_rho.lower.sum()),
    "rho_sensitivity_flips": lambda v: float(v._shifted_rho.flips.sum()),
    "rho_sensitivity_largest_gap_pp": lambda v: float(
        (100 * np.abs(v.summary.delta) * v._shifted_rho.flips).max()
    ),
    "icc_median": lambda v: float(np.median(v.clustered.icc)),
    "icc_min": lambda v: float(v.clustered.icc.min()),
    "icc_max": lambda v: float(v.clustered.icc.max()),
    "design_effect_median": lambda v: float(np.median(v.clustered.design_effect)),
    "random_clusters_unresolved": MmluProValues._random_unresolved,
    "quartile_icc_median": lambda v: float(np.median(v.quartiles.icc)),
    "quartile_icc_max": lambda v: float(v.quartiles.icc.max()),
    "quartile_unresolved": lambda v: float(np.count_nonzero(~v.quartiles.resolved)),
    "parity_unresolved": MmluProValues._parity_unresolved,
}
