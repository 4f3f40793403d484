"""Quantities that displayed scores decide, as numbers of solved items and without the items.

Eq. (6) of a pair with displayed margins is taken over every table of four cells that fits them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, pairwise
from typing import Final, Self

import numpy as np
import pandas as pd

from kotawala2026.labels import CLOSE_GAP, FIVE_NUMBERS, pair_names
from kotawala2026.quantities.grounds import QUANTITIES, DisplayedScores, summary_of
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray
from llm_power._statistics.correlation_bounds import CorrelationBounds, resolution_over_correlations
from llm_power._statistics.paired_binary import (
    PairSummary,
    admissible_rho,
    shortcut_required_n,
    summarize_counts,
)
from llm_power_audit.agreement import agrees, interval
from replication.constraints import BoardScore
from replication.findings import Finding

# At the bound itself the less likely outcome of a pair has no items, and N* may be zero.
_INSIDE: Final = 1e-6
_TABLE_7: Final = "Table 7"
# Of the two decimals of Section 2's gains.
_HALF_UNIT: Final = 0.005

DisplayedPair = tuple[BoardScore, BoardScore]
_METHOD = "over all tables with the displayed margins"


def displayed_pairs(scores: Sequence[BoardScore]) -> list[DisplayedPair]:
    """Return the pairs of models within each task, the better one first."""
    by_task = groupby(scores, key=lambda score: score.task)
    return [
        pair
        for _, group in by_task
        for pair in combinations(sorted(group, key=lambda score: -score.correct), 2)
    ]


def gaps_of(pairs: Sequence[DisplayedPair]) -> FloatArray:
    """Return the displayed gap of each pair."""
    return np.array([a.accuracy - b.accuracy for a, b in pairs])


@dataclass(frozen=True, eq=False)
class PairBounds:
    """Pairs with displayed scores, the better model first, over every admissible correlation."""

    pairs: Sequence[DisplayedPair]
    bounds: CorrelationBounds

    @classmethod
    def of(cls, pairs: Sequence[DisplayedPair], seen: ArrayLike = (0, 0, 0, 0)) -> Self:
        """Resolve the pairs; `seen` has the four cells of known items, a column a pair."""
        a, b, n = zip(*((x.correct, y.correct, x.n_items) for x, y in pairs), strict=True)
        return cls(pairs, resolution_over_correlations(a, b, n, seen=list(np.asarray(seen))))

    @property
    def names(self) -> list[str]:
        """Name of each pair: task and models."""
        return [f"{a.task}, {a.model}, {b.model}" for a, b in self.pairs]

    @property
    def gaps(self) -> FloatArray:
        """Gap of each pair."""
        return gaps_of(self.pairs)

    def table(self) -> pd.DataFrame:
        """Return each pair's verdict at every correlation, or the lowest that resolves it."""
        bounds = self.bounds
        verdict = np.select(
            [bounds.never_resolved, bounds.always_resolved], ["unresolved", "resolved"], "depends"
        )
        critical = {
            name: np.where(bounds.depends, getattr(bounds, name), np.nan)
            for name in ("critical_rho", "critical_b", "critical_c")
        }
        return pd.DataFrame(
            {
                "task": [a.task for a, _ in self.pairs],
                "model_a": [a.model for a, _ in self.pairs],
                "model_b": [b.model for _, b in self.pairs],
                "n_items": bounds.highest.n_items,
                "correct_a": [a.correct for a, _ in self.pairs],
                "correct_b": [b.correct for _, b in self.pairs],
                "gap_pp": 100 * self.gaps,
                "verdict": verdict,
                **critical,
                "rho_lowest": bounds.lowest.rho,
                "rho_highest": bounds.highest.rho,
                "n_star_at_lowest_rho": bounds.lowest.n_star,
                "n_star_at_highest_rho": bounds.highest.n_star,
            }
        )  # fmt: skip

    def unresolved(self, subject: str, among: BoolArray | None = None) -> Finding:
        """Return how many of the pairs are unresolved, at the least and at the most."""
        inside = np.ones(len(self.pairs), dtype=np.bool_) if among is None else among
        return between(
            "unresolved_over_correlations",
            subject,
            int(np.count_nonzero(self.bounds.never_resolved & inside)),
            int(np.count_nonzero(~self.bounds.always_resolved & inside)),
            f"pairs that eq. (6) leaves unresolved {_METHOD}",
        )

    def ratios(self, subject: str, among: BoolArray) -> Iterator[Finding]:
        """Yield median and largest r = N*/N of some of the pairs."""
        n = self.bounds.highest.n_items[among]
        low, high = (end.n_star[among] / n for end in (self.bounds.highest, self.bounds.lowest))
        method = f"r = N*/N by eq. (6) {_METHOD}"
        for name, summary in (("r_median", np.median), ("r_worst", np.max)):
            ends = float(summary(low)), float(summary(high))
            yield between(f"{name}_over_correlations", subject, *ends, method)

    def gains(self) -> Iterator[Finding]:
        """Yield the five numbers of the gain of pairing over independent items, Section 2."""
        gains = [gain_of(end) for end in (self.bounds.lowest, self.bounds.highest)]
        method = f"independent-sample N over eq. (6) {_METHOD}"
        for part, share in FIVE_NUMBERS.items():
            low, high = (float(np.quantile(gain, share)) for gain in gains)
            yield between(f"miller_gain_{part}_over_correlations", "", low, high, method)

    def cells(self) -> Iterator[Finding]:
        """Yield b, c, correlation and N* of each pair."""
        bounds = self.bounds
        c_shift = [b.correct - a.correct for a, b in self.pairs]
        ends = {
            "b": (bounds.b_highest, bounds.b_lowest),
            "c": (bounds.b_highest + c_shift, bounds.b_lowest + c_shift),
            "rho": (bounds.lowest.rho, bounds.highest.rho),
            "n_star": (bounds.highest.n_star, bounds.lowest.n_star),
        }
        for quantity, (low, high) in ends.items():
            for name, x, y in zip(self.names, low.tolist(), high.tolist(), strict=True):
                yield between(f"{quantity}_over_correlations", name, x, y, _METHOD)


def tables_with_margins(a: BoardScore, b: BoardScore) -> PairSummary:
    """Return every table of a pair that has the displayed scores, the overlap rising."""
    n11 = np.arange(max(0, a.correct + b.correct - a.n_items), min(a.correct, b.correct) + 1)
    neither = a.n_items - a.correct - b.correct + n11
    return summarize_counts(n11, a.correct - n11, b.correct - n11, neither)


def gain_of(pairs: PairSummary | pd.DataFrame) -> FloatArray:
    """Return N* of independent samples over that of pairs: of eq. (5) with and without rho."""
    # Both N are K times a variance over the squared gap, infinite without one; the variances' ratio
    # is not.
    p_a, p_b, var_d = map(np.asarray, (pairs.p_a, pairs.p_b, pairs.var_d))
    return np.asarray((p_a * (1 - p_a) + p_b * (1 - p_b)) / var_d)


def shortcut_of(pairs: PairSummary) -> FloatArray:
    """Return n_h of pairs, eq. (9)."""
    return shortcut_required_n(pairs.p_a, pairs.p_b, pairs.rho)


def both_ratios(n_h: FloatArray, n_star: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return n_h/N* of real numbers, and of both rounded up to whole items."""
    # Without a gap both are infinite, and they have no ratio.
    with np.errstate(invalid="ignore"):
        return n_h / n_star, np.ceil(n_h) / np.ceil(n_star)


def between(quantity: str, subject: str, low: float, high: float, method: str) -> Finding:
    """Return a finding that is a set of values; its value is the least."""
    return Finding(quantity, subject, float(low), method, lower=float(low), upper=float(high))


@QUANTITIES.on(DisplayedScores)
def boards(ground: DisplayedScores) -> Iterator[Finding]:
    """Count models, pairs and accuracies of the boards."""
    pairs = displayed_pairs(ground.oll_v1)
    models = {score.model for score in ground.oll_v1}
    yield Finding("models_displayed", "", len(models), "models with displayed scores")
    yield Finding("oll_v1_pairs", "", len(pairs), "pairs of models within a task")
    close = sum(20 * abs(a.correct - b.correct) <= a.n_items for a, b in pairs)
    yield Finding("oll_v1_pairs_within_5pp", "", close, "gaps of displayed scores")
    for board, scores in (("OLL v1", ground.oll_v1), ("MMLU-Pro", ground.mmlu_pro)):
        for distance in (0.05, 0.10, 0.15):
            share = float(np.mean([abs(score.accuracy - 0.5) <= distance for score in scores]))
            subject = f"{board}, within {100 * distance:.0f} pp"
            method = f"of {len(scores)} accuracies"
            yield Finding("share_of_accuracies_near_half", subject, share, method)
    for rank, score in enumerate(ground.mmlu_pro, start=1):
        yield Finding("model_of_rank", str(rank), score.model, "by displayed scores")


@QUANTITIES.on(DisplayedScores)
def tables_6_and_7(ground: DisplayedScores) -> Iterator[Finding]:
    """Items, accuracies and differences of the pairs of Tables 6 and 7."""
    for score in ground.oll_v1:
        name = f"{score.task}, {score.model}"
        counted = f"{score.correct} of {score.n_items} items"
        yield Finding("accuracy_displayed", name, score.accuracy, counted)
    by_name = {(s.task, s.model): s for s in ground.oll_v1}
    close, adjacent = ground.published.close_pairs, ground.published.adjacent_pairs
    close_pairs = [
        (by_name[task, a], by_name[task, b])
        for task, a, b in zip(close.label, close.model_a, close.model_b, strict=True)
    ]
    adjacent_pairs = list(pairwise(ground.mmlu_pro))
    names = (*pair_names(close), *adjacent.label)
    for name, (a, b) in zip(names, close_pairs + adjacent_pairs, strict=True):
        difference, counted = a.correct - b.correct, f"{a.correct} - {b.correct} solved items"
        gap = 100 * abs(difference) / a.n_items
        yield Finding("n_items_displayed", name, a.n_items, "items of the task")
        yield Finding("difference_displayed", name, difference, counted)
        yield Finding("gap_pp_displayed", name, gap, counted, unit="pp")
    for i, (a, b) in enumerate(adjacent_pairs):
        difference, name = a.correct - b.correct, adjacent.label[i]
        method = f"the other count of the row, and {a.correct} - {b.correct} displayed"
        yield Finding("b_displayed", name, int(adjacent.c[i]) + difference, method)
        yield Finding("c_displayed", name, int(adjacent.b[i]) - difference, method)


@QUANTITIES.on(DisplayedScores)
def missing_item(ground: DisplayedScores) -> Iterator[Finding]:
    """The items behind Table 7, of which one is missing that all ten models solved."""
    # Each printed b - c is that of the displayed counts: all ten models solved the missing item, or
    # none.
    pairs = ground.published.adjacent_pairs
    printed = [*pairs.p_a, pairs.p_b[-1]]
    correct, n = [score.correct for score in ground.mmlu_pro], ground.mmlu_pro[0].n_items

    def explained(missing: int, solved: int) -> int:
        shown = ((x - solved) / (n - missing) for x in correct)
        return sum(agrees(p, x) for p, x in zip(printed, shown, strict=True))

    for missing, solved, subject in (
        (0, 0, "all items"),
        (1, 0, "without an item that none solved"),
        (1, 1, "without an item that all solved"),
    ):
        n_explained = explained(missing, solved)
        method = "printed accuracies of Table 7 that displayed counts give, of ten"
        yield Finding("accuracies_explained", subject, n_explained, method)
    low, high = np.array([interval(p) for p in printed]).T

    def all_explained(missing: int) -> bool:
        """Whether some number of solved ones among the missing items gives all ten."""
        least = np.floor((correct - high * (n - missing)).max())
        most = np.ceil((correct - low * (n - missing)).min())
        solved = range(max(0, int(least)), min(missing, int(most)) + 1)
        return any(explained(missing, one) == len(printed) for one in solved)

    fewest = next(filter(all_explained, range(n)), None)
    yield Finding(
        "n_items_of_displayed_scores",
        _TABLE_7,
        np.nan if fewest is None else n - fewest,
        f"the most items at which the displayed counts give all ten accuracies of Table 7; at "
        f"{n:,} they give {explained(0, 0)}",
        basis="none" if fewest is None else None,
        unit="items",
    )
    for score in ground.mmlu_pro:
        accuracy = (score.correct - 1) / (n - 1)
        method = f"{score.correct} of {n:,} displayed, without one item that all ten solved"
        yield Finding("accuracy_without_the_item", score.model, accuracy, method)


@QUANTITIES.on(DisplayedScores)
def over_correlations(ground: DisplayedScores) -> Iterator[Finding]:
    """What displayed scores leave of the pairs, whatever the correlation of their models."""
    yield PairBounds.of(list(pairwise(ground.mmlu_pro))).unresolved("MMLU-Pro, adjacent")
    yield PairBounds.of(displayed_pairs(ground.mmlu_pro)).unresolved("MMLU-Pro, all")
    board = PairBounds.of(displayed_pairs(ground.oll_v1))
    yield from board.gains()


def correlations_table(ground: DisplayedScores) -> pd.DataFrame:
    """Return every pair of both boards over all correlations that its displayed scores admit."""
    ranks = {score.model: rank for rank, score in enumerate(ground.mmlu_pro, start=1)}
    tables = [PairBounds.of(displayed_pairs(x)).table() for x in (ground.oll_v1, ground.mmlu_pro)]
    table = pd.concat(tables, ignore_index=True)
    apart = table["model_b"].map(ranks) - table["model_a"].map(ranks)
    table.insert(1, "is_adjacent", apart == 1)
    return table


@QUANTITIES.on(DisplayedScores)
def shortcut_ratios(ground: DisplayedScores) -> Iterator[Finding]:
    """Summaries of n_h/N* of the board, by Table 6 and every table with the displayed margins."""
    close = summary_of(ground.published.close_pairs)
    tables = [
        tables_with_margins(*pair)
        for pair in displayed_pairs(ground.oll_v1)
        if pair[0].accuracy - pair[1].accuracy > CLOSE_GAP
    ]
    of_table_6, *beyond = (both_ratios(shortcut_of(one), one.n_star) for one in (close, *tables))
    others = "and of the others over all tables with the displayed margins"
    method = f"n_h/N* of Table 6's pairs, {others}"
    for i, name in enumerate(("shortcut_ratio", "shortcut_ratio_of_whole_items")):
        ends = [
            np.array([*of_table_6[i], *(float(end(ratios[i])) for ratios in beyond)])
            for end in (np.min, np.max)
        ]
        for part, share in FIVE_NUMBERS.items():
            low, high = (float(np.quantile(end, share)) for end in ends)
            yield between(f"{name}_{part}_over_correlations", "", low, high, method)


@QUANTITIES.on(DisplayedScores)
def gain_bounds(ground: DisplayedScores) -> Iterator[Finding]:
    """Largest gain and largest residual of Section 2, as far as the printed numbers fix them."""
    # With m = (u_A + u_B)/(2 sqrt(u_A u_B)), u = p(1 - p), the gain is m/(m - rho): the displayed
    # scores give m, and rho is admissible with the gain in Section 2's range.
    published = ground.published
    printed = summary_of(published.close_pairs)
    of_table_6 = gain_of(printed)
    accuracies = (sorted((a.accuracy, b.accuracy)) for a, b in displayed_pairs(ground.oll_v1))
    # The closer ones are those of Table 6.
    p_b, p_a = np.array([(low, high) for low, high in accuracies if high - low > CLOSE_GAP]).T
    u_a, u_b = p_a * (1 - p_a), p_b * (1 - p_b)
    m = (u_a + u_b) / (2 * np.sqrt(u_a * u_b))
    rho_max = admissible_rho(p_a, p_b)[1] - _INSIDE
    method = "at least that of Table 6, at most that of the other 33 pairs at their largest rho"
    most = float((m / (m - rho_max)).max())
    yield between("largest_gain", "OLL v1", float(of_table_6.max()), most, method)
    smallest_gain, largest_gain = published.settings["miller_gain_range"]
    low, high = (
        _residual(m, np.minimum(rho_max, m * (1 - 1 / gain))).max()
        for gain in (smallest_gain - _HALF_UNIT, largest_gain + _HALF_UNIT)
    )
    of_table_6_residual = np.abs(of_table_6 - 1 / (1 - printed.rho)).max()
    least = float(max(low, of_table_6_residual))
    at = "at the ends of rho that Section 2's range of the gain admits"
    method = f"1/(1 - rho) less the gain, {at}"
    yield between("largest_residual", "OLL v1", least, float(high), method)


def _residual(m: FloatArray, rho: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 - rho) - m / (m - rho))
