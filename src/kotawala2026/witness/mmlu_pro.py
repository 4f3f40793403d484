"""Witness of the MMLU-Pro top ten: a chain of ten models, in the categories of the benchmark."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from kotawala2026.adjacent_clusters import CLUSTER, icc_of_effect, quartile_moments
from kotawala2026.exhibits.item_count import common_items, items_displaying
from kotawala2026.labels import dropped_subjects
from kotawala2026.operating_point import K
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray
from llm_power._statistics.design_effect import cluster_resolution, resample_clusters
from llm_power._statistics.paired_binary import required_n_discordance
from llm_power._statistics.random_streams import named_rng
from llm_power_audit.printed import DISPLAY_RULES
from llm_power_audit.printed_tables import PublishedError
from replication.constraints import Constraint, Interval, select, witness_task
from replication.contradictions import Contradiction, LinearRow, find_contradiction, linear_row
from replication.witness.chain import chain_scores, start_counts
from replication.witness.cluster_gaps import ClusterGaps, PairTargets, fit_pair

# A residual of 1 on a bound of Table 9 is its half unit or, if that is more, this share of a design
# effect: the paper simulated them, to a few percent.
_SHARE_OF_EFFECT: Final = 0.01
# An implied N may lack at most so many of the benchmark's items.
_MOST_SHORT: Final = 1
_ICC_UNITS: Final = 1_000_000_000
# Relative half width of the interval that replaces contradictory ones.
_NEAR: Final = 1e-4
# Bound on the sum of all unknowns of the chain, in items of the benchmark.
_ROOM: Final = 20

TASK: Final = "mmlu_pro"
_FIT_RESAMPLES: Final = 2000
# Beyond 4 the items are ordered almost by easiness alone, and little changes.
_KAPPA: Final = (0.0, 4.0)
_KAPPA_POINTS: Final = 9
_KAPPA_ROUNDS: Final = 4


@dataclass(frozen=True, slots=True)
class Table7:
    """The panel's constraints, and those on the counts of Table 7 in the order of the pairs."""

    pairs: tuple[str, ...]
    models: tuple[str, ...]
    b: tuple[Constraint, ...]
    c: tuple[Constraint, ...]
    constraints: tuple[Constraint, ...]

    @classmethod
    def of(cls, constraints: Sequence[Constraint]) -> Table7:
        """Select the constraints on b and c; the pairs must form a chain."""
        b, c = (select(constraints, name) for name in ("b", "c"))
        subjects = [one.subject for one in b]
        if not b or subjects != [one.subject for one in c]:
            raise PublishedError("mmlu_pro: b and c must be given for the same pairs")
        if any(len(subject) != 3 for subject in subjects) or any(
            before[2] != after[1] for before, after in pairwise(subjects)
        ):
            raise PublishedError("mmlu_pro: each pair must begin with the model the last ends with")
        models = (subjects[0][1], *(subject[2] for subject in subjects))
        return cls(tuple(subject[0] for subject in subjects), models, b, c, tuple(constraints))

    def of_pair(self, pair: int, *names: str) -> tuple[Constraint, ...]:
        """Return the fitted constraints whose subject begins with the pair's label."""
        fitted = select(self.constraints, *names, fitted=True)
        return tuple(c for c in fitted if c.subject[:1] == (self.pairs[pair],))

    def counts(self, pair: int) -> tuple[int, int]:
        """Return b and c."""
        return round(self.b[pair].printed.value), round(self.c[pair].printed.value)


def implied_items(table: Table7, whole: int) -> int:
    """Return the one N that the fitted N* of Table 7 imply; `whole` if there is no such N."""
    fitted = [
        (i, n_star[0]) for i in range(len(table.pairs)) if (n_star := table.of_pair(i, "n_star"))
    ]
    if not fitted:
        return whole
    implied: set[int] = set()
    for rule in DISPLAY_RULES:
        admitted = [
            items_displaying(round(c.printed.value), *table.counts(i), rule) for i, c in fitted
        ]
        implied.update(common_items(admitted))
    n_items = implied.pop() if len(implied) == 1 else whole
    return n_items if 0 <= whole - n_items <= _MOST_SHORT else whole


def first_solved(table: Table7, n_items: int) -> int:
    """Return how many items the first model solves, by its printed accuracy."""
    accuracy = table.of_pair(0, "p_a")
    if not accuracy:
        raise PublishedError("mmlu_pro: the accuracy of the first model must be fitted")
    return round(accuracy[0].printed.value * n_items)


def chain_contradictions(table: Table7, n_items: int) -> list[Contradiction]:
    """Return the contradictions of b and c with the accuracies, and with N*, at `n_items` items."""
    n = len(table.pairs)
    # The unknowns: items the first model solves, every b, every c, a slack.
    unit = np.eye(2 * n + 2)
    b, c = unit[1 : n + 1], unit[n + 1 : -1]
    counts = [
        linear_row(unknown[i], *printed[i].interval, printed[i])
        for i in range(n)
        for unknown, printed in ((b, table.b), (c, table.c))
    ]
    place = {pair: i for i, pair in enumerate(table.pairs)}
    accuracies, required = [], []
    for row in select(table.constraints, "p_a", "p_b"):
        model = place[row.subject[0]] + (row.quantity == "p_b")
        solved = unit[0] + (c[:model] - b[:model]).sum(axis=0)
        lower, upper = row.interval
        accuracies.append(linear_row(solved, n_items * lower, n_items * upper, row))
    for row in select(table.constraints, "n_star"):
        i = place[row.subject[0]]
        squared_gap = float(np.subtract(*table.counts(i))) ** 2
        # N* = K (N (b + c)/(b - c)^2 - 1), and any rounding moves it by less than one.
        ends = (row.printed.value - 1, row.printed.value + 1)
        low, high = ((end / K + 1) * squared_gap / n_items for end in ends)
        required.append(linear_row(b[i] + c[i], low, high, row, (table.b[i], table.c[i])))
    name = f"MMLU-Pro at N = {n_items:,}"
    contradictions = [
        find_contradiction(f"{name}: {what}", [*counts, *rows], _ROOM * n_items)
        for what, rows in (("accuracies", accuracies), ("required N", required))
    ]
    return [one for one in contradictions if one is not None]


def icc_intervals(table: Table7, pair: int, sizes: IntArray) -> dict[Constraint, Interval]:
    """Return the interval of a pair's ICC that each of its fitted numbers of Table 4 implies."""
    n_items = int(sizes.sum())
    n_star = float(required_n_discordance(*table.counts(pair), n_items))
    intervals = {}
    for c in table.of_pair(pair, "icc", "design_effect", "n_star_cluster"):
        possible = Interval(*c.interval)
        if c.quantity == "n_star_cluster":
            # Rounded up or to the nearest is not known: the interval holds under both.
            least = max(possible.lower, c.printed.value - c.printed.half_unit)
            possible = Interval(least / n_star, possible.upper / n_star)
        is_icc = c.quantity == "icc"
        intervals[c] = possible if is_icc else icc_of_effect(possible, n_items / len(sizes))
    if not any(np.isfinite(one.lower) for one in intervals.values()):
        raise PublishedError(f"mmlu_pro: nothing fitted bounds the ICC of {table.pairs[pair]}")
    return intervals


def icc_contradiction(
    pair: str, intervals: Mapping[Constraint, Interval], rests_on: tuple[Constraint, ...]
) -> Contradiction | None:
    """Return two numbers whose intervals of the ICC do not meet, if there are any."""
    highest = max(intervals, key=lambda c: intervals[c].lower)
    lowest = min(intervals, key=lambda c: intervals[c].upper)
    if intervals[highest].lower <= intervals[lowest].upper:
        return None

    def holding(at: float) -> list[Constraint]:
        return [c for c, one in intervals.items() if one.lower <= at <= one.upper]

    ends = [one.lower for one in intervals.values() if np.isfinite(one.lower)]
    right = holding(max(ends, key=lambda at: len(holding(at))))
    wrong = [c for c in intervals if c not in right]
    smallest, correction = (
        tuple(_in_billionths(c, intervals[c], rests_on) for c in chosen)
        for chosen in ((highest, lowest), wrong)
    )
    return Contradiction(f"MMLU-Pro {pair}: ICC in billionths", smallest, correction)


def pair_targets(
    table: Table7,
    pair: int,
    *,
    sizes: IntArray,
    intervals: Collection[Interval],
    unresolved_without: BoolArray | None,
) -> PairTargets:
    """Collect the targets of a pair."""
    lower, upper = max(one.lower for one in intervals), min(one.upper for one in intervals)
    if lower > upper:
        # A contradiction, which is reported: aim half way between the two numbers.
        middle = (lower + upper) / 2
        lower, upper = middle - _NEAR * abs(middle), middle + _NEAR * abs(middle)
    b, c = table.counts(pair)
    return PairTargets(
        n_items=sizes,
        b=b,
        c=c,
        icc=(lower, upper),
        bootstrap_icc=_bounds(table, pair, "icc", 0.0),
        bootstrap_design_effect=_bounds(table, pair, "design_effect", _SHARE_OF_EFFECT),
        unresolved_without=unresolved_without,
    )


def leave_one_out_verdicts(
    table: Table7, names: Sequence[str], n_items: int
) -> dict[int, BoolArray]:
    """Return the pair that Table 8 resolves, and without which categories it stays unresolved."""
    # Where the printed number falls, it is the unresolved pair with the smallest clustered N*: any
    # other would have to lose two thirds of its own.
    printed = select(table.constraints, "leave_one_out_unresolved", fitted=True)
    n_star = {
        i: required[0].printed.value
        for i in range(len(table.pairs))
        if (required := table.of_pair(i, "n_star_cluster"))
    }
    unresolved = [i for i, value in n_star.items() if value > n_items]
    if not printed or not unresolved:
        return {}
    counts = dict.fromkeys(names, len(unresolved))
    for c in printed:
        counts |= dict.fromkeys(dropped_subjects(c.subject[0]), round(c.printed.value))
    strangers = sorted(set(counts) - set(names))
    if strangers:
        raise PublishedError(f"mmlu_pro: Table 8 drops {strangers[0]!r}, which is no category")
    stays = np.array([counts[name] >= len(unresolved) for name in names])
    return {min(unresolved, key=lambda i: n_star[i]): stays}


def _in_billionths(
    constraint: Constraint, icc: Interval, rests_on: tuple[Constraint, ...]
) -> LinearRow:
    ends = _ICC_UNITS * icc.lower, _ICC_UNITS * icc.upper
    uses_counts = constraint.quantity == "n_star_cluster"
    return LinearRow(np.ones(1), *ends, constraint, rests_on if uses_counts else ())


def _bounds(table: Table7, pair: int, quantity: str, share: float) -> FloatArray | None:
    ends = [table.of_pair(pair, f"{quantity}_{end}") for end in ("lower", "upper")]
    if not all(ends):
        return None
    printed = [one[0].printed for one in ends]
    units = [max(one.half_unit, share * abs(one.value)) for one in printed]
    return np.array([[one.value for one in printed], units])


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
            pair_targets(
                table, i, sizes=sizes, intervals=of.values(), unresolved_without=verdicts.get(i)
            )
            for i, of in enumerate(intervals)
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
