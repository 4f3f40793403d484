"""Eq. (6) of pairs with displayed margins, over every table of four cells that fits them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import Self

import numpy as np
import pandas as pd

from kotawala2026.witness.oll_v1 import FIVE_NUMBERS
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray
from llm_power._statistics.correlation_bounds import CorrelationBounds, resolution_over_correlations
from llm_power._statistics.paired_binary import PairSummary, shortcut_required_n, summarize_counts
from replication.constraints import BoardScore
from replication.findings import Finding

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
            "critical_rho": bounds.critical_rho,
            "critical_b": bounds.critical_b,
            "critical_c": bounds.critical_c,
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
                **{name: np.where(bounds.depends, x, np.nan) for name, x in critical.items()},
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
    return n_h / n_star, np.ceil(n_h) / np.ceil(n_star)


def between(quantity: str, subject: str, low: float, high: float, method: str) -> Finding:
    """Return a finding that is a set of values; its value is the least."""
    return Finding(quantity, subject, float(low), method, lower=float(low), upper=float(high))
