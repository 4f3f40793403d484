"""Witness of the MMLU-Pro top ten: a chain of ten models, in the categories of the benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from kotawala2026.adjacent_clusters import CLUSTER, quartile_moments
from kotawala2026.witness._mmlu_pro_printed import (
    Table7,
    chain_contradictions,
    first_solved,
    icc_contradiction,
    icc_intervals,
    implied_items,
    leave_one_out_verdicts,
    pair_targets,
)
from llm_power._errors import one_line
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.design_effect import cluster_resolution, resample_clusters
from llm_power._statistics.random_streams import named_rng
from llm_power_audit._csv import csv_rows
from llm_power_audit.printed_tables import PublishedError
from replication.constraints import Constraint, select, witness_task
from replication.witness.chain import chain_scores, start_counts
from replication.witness.cluster_gaps import ClusterGaps, fit_pair
from replication.witness.gap_misfit import PairTargets
from replication.witness.infeasible import Contradiction

TASK: Final = "mmlu_pro"

_FIT_RESAMPLES: Final = 2000
# Beyond 4 the items are ordered almost by easiness alone, and little changes.
_KAPPA: Final = (0.0, 4.0)
_KAPPA_POINTS: Final = 9
_KAPPA_ROUNDS: Final = 4


@dataclass(frozen=True, slots=True)
class MmluProPanel:
    """What the printed numbers imply before anything is fitted."""

    pairs: tuple[str, ...]
    models: tuple[str, ...]
    categories: Mapping[str, int]
    short: tuple[str, ...]
    solved: int
    targets: tuple[PairTargets, ...]
    fitted_kappa: tuple[Constraint, ...]
    contradictions: tuple[Contradiction, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MmluProWitness:
    """Scores of the top ten, shape (n_items, n_models) by category, and the fit that gave them."""

    panel: MmluProPanel
    gaps: tuple[ClusterGaps, ...]
    kappa: float
    values: FloatArray


def load_categories(path: Path) -> dict[str, int]:
    """Load the sizes of the categories in test order from ``mmlu_pro_categories.csv``."""
    try:
        header, *rows = csv_rows(path)
        sizes = {name: int(size) for name, size in rows}
    except ValueError as error:
        raise PublishedError(one_line(f"{path}: cannot be read: {error}")) from error
    if header != ["category", "n_items"]:
        raise PublishedError(f"{path}: the header must be category,n_items")
    if len(sizes) < 2 or len(sizes) != len(rows) or min(sizes.values()) < 2:
        raise PublishedError(
            f"{path}: needs two or more categories, each once with 2 items or more"
        )
    return sizes


def prepare_panel(constraints: Sequence[Constraint], categories: Mapping[str, int]) -> MmluProPanel:
    """Derive from the printed numbers the targets of every pair, and the contradictions."""
    # b and c are kept: what contradicts them is a residual. N is what most fitted N* of Table 7
    # imply (12,031, where the caption prints 12,032), or the benchmark's where the categories
    # cannot have it.
    table = Table7.of(constraints)
    names, whole = tuple(categories), sum(categories.values())
    n_items = implied_items(table, whole)
    short = names[: whole - n_items]
    sizes = np.array([categories[name] - (name in short) for name in names], dtype=np.int64)
    intervals = [icc_intervals(table, i, sizes) for i in range(len(table.pairs))]
    verdicts = leave_one_out_verdicts(table, names, n_items)
    contradictions = [
        one for n in dict.fromkeys([whole, n_items]) for one in chain_contradictions(table, n)
    ]
    for i, pair in enumerate(table.pairs):
        of_pair = icc_contradiction(pair, intervals[i], (table.b[i], table.c[i]))
        contradictions += [of_pair] if of_pair is not None else []
    return MmluProPanel(
        pairs=table.pairs,
        models=table.models,
        categories=dict(zip(names, sizes.tolist(), strict=True)),
        short=short,
        solved=first_solved(table, n_items),
        targets=tuple(
            pair_targets(table, i, sizes=sizes, intervals=rows, unresolved_without=verdicts.get(i))
            for i, rows in enumerate(intervals)
        ),
        fitted_kappa=select(constraints, "quartile_icc_max", "quartile_icc_median", fitted=True),
        contradictions=tuple(contradictions),
    )


def fit_pair_gaps(panel: MmluProPanel, pair: int, *, seed: int) -> ClusterGaps:
    """Spread the b and c of one pair over the categories, independently of the other pairs."""
    resamples = resample_clusters(
        len(panel.categories), _FIT_RESAMPLES, named_rng(seed, "witness/mmlu_pro/resamples")
    )
    starts = named_rng(seed, f"witness/mmlu_pro/starts/{panel.pairs[pair]}")
    return fit_pair(panel.targets[pair], resamples, starts)


def assemble(panel: MmluProPanel, gaps: Sequence[ClusterGaps], *, seed: int) -> MmluProWitness:
    """Join the pairs into item-level scores, with kappa fitted to the difficulty quartiles."""
    kappa = _fit_kappa(panel, gaps, seed) if panel.fitted_kappa else 0.0
    return MmluProWitness(panel, tuple(gaps), kappa, _draw(panel, gaps, kappa, seed))


def build_mmlu_pro(
    constraints: Sequence[Constraint], categories: Mapping[str, int], *, seed: int
) -> MmluProWitness:
    """Build the witness, one pair after the other."""
    panel = prepare_panel(constraints, categories)
    gaps = [fit_pair_gaps(panel, pair, seed=seed) for pair in range(len(panel.pairs))]
    return assemble(panel, gaps, seed=seed)


def witness_scores(witness: MmluProWitness, files: Mapping[str, str]) -> TaskScores:
    """Return the scores in the form that the pair engine reads."""
    panel, source = witness.panel, "witness of the printed numbers of Kotawala (2026)"
    source += ", arXiv:2605.30315"
    if panel.short:
        source += f"; one item short (a free choice): {', '.join(panel.short)}"
    labels = np.repeat(list(panel.categories), list(panel.categories.values())).tolist()
    return witness_task(
        TASK, panel.models, witness.values, files, source=source, clusters={CLUSTER: labels}
    )


def _draw(panel: MmluProPanel, gaps: Sequence[ClusterGaps], kappa: float, seed: int) -> FloatArray:
    sizes = np.array(list(panel.categories.values()), dtype=np.int64)
    b, c = (np.stack([getattr(gap, side) for gap in gaps]) for side in ("b", "c"))
    start = start_counts(sizes, b, c, panel.solved)
    rng = named_rng(seed, "witness/mmlu_pro/items")
    return chain_scores(sizes, b, c, start, kappa=kappa, rng=rng)


def _fit_kappa(panel: MmluProPanel, gaps: Sequence[ClusterGaps], seed: int) -> float:
    """Search ever finer grids: draws are the same for every kappa, but the misfit has steps."""

    def misfit(kappa: float) -> float:
        icc = cluster_resolution(quartile_moments(_draw(panel, gaps, kappa, seed))).icc
        statistics = {"quartile_icc_median": np.median(icc), "quartile_icc_max": np.max(icc)}
        return sum(
            float((statistics[c.quantity] - c.printed.value) / c.printed.half_unit) ** 2
            for c in panel.fitted_kappa
        )

    low, high = _KAPPA
    best = low
    for _ in range(_KAPPA_ROUNDS):
        grid = np.linspace(low, high, _KAPPA_POINTS)
        best = float(min(grid, key=lambda kappa: misfit(float(kappa))))
        step = float(grid[1] - grid[0])
        low, high = max(best - step, _KAPPA[0]), min(best + step, _KAPPA[1])
    return best
