"""Witness of the frontier panel (Appendix D): four models."""

# Everything printed is put in: it shows that the numbers can hold together, and is no evidence.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.paired_binary import PairSummary, shortcut_required_n, summarize_counts
from llm_power._statistics.random_streams import named_rng
from llm_power_audit.printed_tables import PublishedError
from replication.constraints import Constraint, select, witness_task
from replication.contradictions import Contradiction, LinearRow
from replication.witness.chain import chain_scores

TASK: Final = "frontier"
# Appendix D gives the models in no order of rank, but names the pair of ranks 3 and 4.
LEADERS: Final = ("GPT-5.5", "GPT-5.4")
FREE: Final = (
    "all four accuracies",
    "the gaps and correlations of ranks 1 vs 2 and 2 vs 3",
    "which items each model solves",
)

# Profiles tried: the last model's accuracy, in these steps, and the two larger gaps.
_LAST: Final = (0.30, 0.84, 0.01)
_LARGER_GAPS: Final = (0.015, 0.25, 0.005)


@dataclass(frozen=True, slots=True, eq=False)
class FrontierWitness:
    """Scores, shape (n_items, 4), models in rank order, and the printed numbers not met."""

    models: tuple[str, ...]
    values: FloatArray
    contradictions: tuple[Contradiction, ...]


def build_frontier(constraints: Sequence[Constraint], *, seed: int) -> FrontierWitness:
    """Find scores of four models that meet everything printed, or that miss least."""
    # Pairs that are not printed get the printed correlation, a free choice like their gaps. Of a
    # gap of 2.8 pp, b - c = 38 is the one whole number that prints so.
    printed = _Printed.of(constraints)
    profiles = _profiles(printed)
    misses = _misses(constraints, printed, profiles)
    total = misses.sum(axis=0)
    met = np.flatnonzero(total == 0)
    chosen = int(met[len(met) // 2]) if len(met) else int(np.argmin(total))
    solved = profiles[:, chosen]
    b, c = _discordant(solved[:-1], solved[1:], printed)
    n, rng = np.array([printed.n_items], dtype=np.int64), named_rng(seed, "witness/frontier/items")
    values = chain_scores(n, b[:, None], c[:, None], solved[:1], kappa=0.0, rng=rng)
    contradictions = () if len(met) else (_contradiction(constraints, misses),)
    return FrontierWitness((*LEADERS, *printed.pair), values, contradictions)


def witness_scores(witness: FrontierWitness, files: Mapping[str, str]) -> TaskScores:
    """Return the scores in the form that the pair engine reads."""
    source = "witness of Appendix D of Kotawala (2026), arXiv:2605.30315"
    return witness_task(TASK, witness.models, witness.values, files, source=source, free=FREE)


@dataclass(frozen=True, slots=True)
class _Printed:
    n_items: int
    pair: tuple[str, ...]
    gap: Constraint
    rho: float

    @classmethod
    def of(cls, constraints: Sequence[Constraint]) -> _Printed:
        n, gap, rho = (select(constraints, name) for name in ("n_items", "gap", "rho"))
        if len(n) != 1 or len(gap) != 1 or len(rho) != 1 or len(gap[0].subject) != 2:
            raise PublishedError("frontier: n_items, and gap and rho of one pair, must be given")
        return cls(round(n[0].printed.value), gap[0].subject, gap[0], rho[0].printed.value)


def _profiles(printed: _Printed) -> IntArray:
    """Return profiles, one a column: items that each model solves, sorted by the last model's."""
    n = printed.n_items
    lower, upper = (n * end for end in printed.gap.interval)
    gaps = np.arange(int(np.ceil(lower)), int(np.floor(upper)) + 1)
    if not len(gaps):
        gaps = np.array([round(n * printed.gap.printed.value)])
    last = np.unique(np.rint(n * np.arange(*_LAST)).astype(np.int64))
    larger = np.unique(np.rint(n * np.arange(*_LARGER_GAPS)).astype(np.int64))
    grid = np.meshgrid(last, gaps, larger, larger, indexing="ij")
    fourth, gap, second_gap, first_gap = (axis.ravel() for axis in grid)
    third = fourth + gap
    profiles = np.stack([third + second_gap + first_gap, third + second_gap, third, fourth])
    return np.asarray(profiles[:, profiles[0] < n], dtype=np.int64)


def _discordant(a: IntArray, b: IntArray, printed: _Printed) -> tuple[IntArray, IntArray]:
    """Return the discordant counts with the correlation nearest to the printed one."""
    n = printed.n_items
    p_a, p_b = a / n, b / n
    joint = p_a * p_b + printed.rho * np.sqrt(p_a * (1 - p_a) * p_b * (1 - p_b))
    both = np.clip(np.rint(n * joint).astype(np.int64), np.maximum(a + b - n, 0), np.minimum(a, b))
    return a - both, b - both


def _quantities(summary: PairSummary) -> dict[str, FloatArray]:
    """Values of the printed quantities; the pairs run along the first axis, the last is printed."""
    ratio = shortcut_required_n(summary.p_a, summary.p_b, summary.rho) / summary.n_star
    return {
        "n_items": np.asarray(summary.n_items[-1], dtype=np.float64),
        "gap": summary.delta[-1],
        "rho": summary.rho[-1],
        "unresolved_fixed": np.asarray((~summary.resolved).sum(axis=0), dtype=np.float64),
        "pair_unresolved": np.asarray(~summary.resolved[-1], dtype=np.float64),
        "shortcut_ratio_min": np.asarray(ratio.min(axis=0)),
        "shortcut_ratio_median": np.asarray(np.median(ratio, axis=0)),
        "shortcut_ratio_max": np.asarray(ratio.max(axis=0)),
    }


def _misses(constraints: Sequence[Constraint], printed: _Printed, profiles: IntArray) -> FloatArray:
    """Return the misses in half units, shape (n_constraints, n_profiles)."""
    b, c = _discordant(profiles[:-1], profiles[1:], printed)
    n = printed.n_items
    a = profiles[:-1]
    values = _quantities(summarize_counts(a - b, b, c, n - a - c))
    rows = []
    for one in constraints:
        lower, upper = one.interval
        if one.quantity not in values:
            raise InvalidArgument(f"no quantity of the panel frontier is named {one.quantity!r}")
        value = values[one.quantity]
        miss = np.maximum(np.maximum(lower - value, value - upper), 0.0) / one.printed.half_unit
        rows.append(np.broadcast_to(miss, profiles.shape[1:]))
    return np.stack(rows)


def _contradiction(constraints: Sequence[Constraint], misses: FloatArray) -> Contradiction:
    """Return as few numbers as possible that no profile meets together, and as few to drop."""
    met = misses == 0
    sets = (
        chosen
        for size in range(1, len(constraints) + 1)
        for chosen in combinations(range(len(constraints)), size)
        if not met[list(chosen)].all(axis=0).any()
    )
    dropped = np.flatnonzero(~met[:, int(np.argmax(met.sum(axis=0)))])
    # The profiles tried were laid out by these: every row rests on them.
    used = select(constraints, "n_items", "gap", "rho")
    smallest, correction = (
        tuple(
            LinearRow(np.ones(1), *constraints[int(i)].interval, constraints[int(i)], used)
            for i in chosen
        )
        for chosen in (next(sets), dropped)
    )
    return Contradiction("frontier panel, among the profiles tried", smallest, correction)
