"""Witness of the MMLU-Pro top ten: a chain of ten models, in the categories of the benchmark.

`prepare_panel` reads the printed numbers, `fit_pair_gaps` spreads one pair's discordant items
over the categories (the pairs are independent, so they may run side by side), `assemble` joins
the pairs into item-level scores and `witness_scores` hands them to the engine. What came out is
evaluated in `kotawala2026.quantities`.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from audit.printed_tables import PublishedError
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
from llm_power.errors import one_line
from llm_power.scores.store import TaskScores
from llm_power.statistics._seeds import named_rng
from llm_power.statistics._typing import FloatArray
from llm_power.statistics.category_bootstrap import resample_clusters
from llm_power.statistics.design_effect import cluster_resolution
from replication.constraints import Constraint, select, witness_provenance
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
    """What the printed numbers imply before anything is fitted.

    Attributes
    ----------
    pairs : tuple of str
        Labels of the adjacent pairs.
    models : tuple of str
        In rank order.
    categories : mapping of str to int
        Items of each category that the printed numbers imply, in the order of the test: some
        categories are one item short of the benchmark's.
    short : tuple of str
        Categories that lack an item; which ones is free, as nothing printed tells.
    solved : int
        Items that the first model solves.
    targets : tuple of PairTargets
        What each pair is fitted to.
    fitted_kappa : tuple of Constraint
        Fitted constraints on the difficulty quartiles; without any, kappa is 0.
    contradictions : tuple of Contradiction
        Printed numbers that cannot all be true.
    """

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
    """Item-level scores of the top ten, and the fit that gave them.

    Attributes
    ----------
    panel : MmluProPanel
        The printed numbers.
    gaps : tuple of ClusterGaps
        Discordant counts of each pair in each category.
    kappa : float
        How strongly easiness decides which items flip.
    values : ndarray, shape (n_items, n_models)
        0 or 1; rows by category.
    """

    panel: MmluProPanel
    gaps: tuple[ClusterGaps, ...]
    kappa: float
    values: FloatArray


def load_categories(path: Path) -> dict[str, int]:
    """Load the sizes of the categories.

    Parameters
    ----------
    path : Path
        ``mmlu_pro_categories.csv``: category, n_items.

    Returns
    -------
    dict of str to int
        Items of each category, in the order of the file, which is that of the test.

    Raises
    ------
    PublishedError
        If the file cannot be read or a row is malformed.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file, strict=True)
        sizes = {name: int(size) for name, size in rows}
    except (OSError, UnicodeDecodeError, csv.Error, ValueError) as error:
        raise PublishedError(one_line(f"{path}: cannot be read: {error}")) from error
    if header != ["category", "n_items"]:
        raise PublishedError(f"{path}: the header must be category,n_items")
    if len(sizes) < 2 or len(sizes) != len(rows) or min(sizes.values()) < 2:
        raise PublishedError(
            f"{path}: needs two or more categories, each once with 2 items or more"
        )
    return sizes


def prepare_panel(constraints: Sequence[Constraint], categories: Mapping[str, int]) -> MmluProPanel:
    """Derive from the printed numbers the targets of every pair, and the contradictions.

    Parameters
    ----------
    constraints : sequence of Constraint
        Panel ``mmlu_pro`` of the register.
    categories : mapping of str to int
        Sizes of the categories in the benchmark.

    Returns
    -------
    MmluProPanel
        Contradictions are reported, never absorbed: b and c are kept, and what contradicts
        them comes out as a residual.

    Raises
    ------
    PublishedError
        If the pairs are no chain, or a number that is needed is missing.

    Notes
    -----
    The number of items is the one the fitted N* of Table 7 imply (12,031, where the caption
    prints 12,032); if they imply none that the categories can have, the benchmark's.
    """
    table = Table7.of(constraints)
    names, whole = tuple(categories), sum(categories.values())
    n_items = implied_items(table, constraints, whole)
    short = names[: whole - n_items]
    sizes = np.array([categories[name] - (name in short) for name in names], dtype=np.int64)
    intervals = [icc_intervals(constraints, table, i, sizes) for i in range(len(table.pairs))]
    verdicts = leave_one_out_verdicts(constraints, table, names, n_items)
    contradictions = [
        found
        for n in dict.fromkeys([whole, n_items])
        for found in chain_contradictions(table, constraints, n)
    ]
    for i, pair in enumerate(table.pairs):
        of_pair = icc_contradiction(pair, intervals[i], (table.b[i], table.c[i]))
        contradictions += [of_pair] if of_pair is not None else []
    return MmluProPanel(
        pairs=table.pairs,
        models=table.models,
        categories=dict(zip(names, sizes.tolist(), strict=True)),
        short=short,
        solved=first_solved(constraints, table.pairs[0], n_items),
        targets=tuple(
            pair_targets(
                constraints,
                table,
                i,
                sizes=sizes,
                intervals=rows,
                unresolved_without=verdicts.get(i),
            )
            for i, rows in enumerate(intervals)
        ),
        fitted_kappa=select(
            tuple(constraints), "quartile_icc_max", "quartile_icc_median", fitted=True
        ),
        contradictions=tuple(contradictions),
    )


def fit_pair_gaps(panel: MmluProPanel, pair: int, *, seed: int) -> ClusterGaps:
    """Spread the discordant items of one pair over the categories.

    Parameters
    ----------
    panel : MmluProPanel
        The printed numbers.
    pair : int
        Position of the pair; a pair does not depend on the others.
    seed : int
        Seed of the resamples, which all pairs share, and of the pair's starting points.

    Returns
    -------
    ClusterGaps
        With the exact b and c of the pair.
    """
    resamples = resample_clusters(
        len(panel.categories), _FIT_RESAMPLES, named_rng(seed, "witness/mmlu_pro/resamples")
    )
    starts = named_rng(seed, f"witness/mmlu_pro/starts/{panel.pairs[pair]}")
    return fit_pair(panel.targets[pair], resamples, starts)


def assemble(panel: MmluProPanel, gaps: Sequence[ClusterGaps], *, seed: int) -> MmluProWitness:
    """Join the pairs into item-level scores.

    Parameters
    ----------
    panel : MmluProPanel
        The printed numbers.
    gaps : sequence of ClusterGaps
        What `fit_pair_gaps` returned for each pair, in order.
    seed : int
        Seed of the items' easiness and order.

    Returns
    -------
    MmluProWitness
        With kappa fitted to the difficulty quartiles; 0 if no number of theirs is fitted.
    """
    kappa = _fit_kappa(panel, gaps, seed) if panel.fitted_kappa else 0.0
    return MmluProWitness(panel, tuple(gaps), kappa, _draw(panel, gaps, kappa, seed))


def build_mmlu_pro(
    constraints: Sequence[Constraint], categories: Mapping[str, int], *, seed: int
) -> MmluProWitness:
    """Build the witness, one pair after the other.

    Parameters
    ----------
    constraints, categories
        As in `prepare_panel`.
    seed : int
        Seed of all draws.

    Returns
    -------
    MmluProWitness
        A function of the arguments alone.
    """
    panel = prepare_panel(constraints, categories)
    gaps = [fit_pair_gaps(panel, pair, seed=seed) for pair in range(len(panel.pairs))]
    return assemble(panel, gaps, seed=seed)


def witness_scores(witness: MmluProWitness, files: Mapping[str, str]) -> TaskScores:
    """Return the scores in the form that the pair engine reads.

    Parameters
    ----------
    witness : MmluProWitness
        What `assemble` returned.
    files : mapping of str to str
        SHA-256 of each file of printed numbers, by name: the provenance.

    Returns
    -------
    TaskScores
        Items ``witness-00001`` on, models under the names of Table 7, cluster ``category``.
    """
    categories = witness.panel.categories
    short = ", ".join(witness.panel.short)
    return TaskScores(
        task=TASK,
        kind="binary",
        item_ids=tuple(f"witness-{i:05d}" for i in range(1, len(witness.values) + 1)),
        models=witness.panel.models,
        values=witness.values,
        clusters={CLUSTER: tuple(np.repeat(list(categories), list(categories.values())).tolist())},
        provenance=witness_provenance(
            "witness of the printed numbers of Kotawala (2026), arXiv:2605.30315"
            + (f"; one item short (a free choice): {short}" if short else ""),
            files,
        ),
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
        found = {"quartile_icc_median": np.median(icc), "quartile_icc_max": np.max(icc)}
        return sum(
            float((found[c.quantity] - c.printed.value) / c.printed.half_unit) ** 2
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
