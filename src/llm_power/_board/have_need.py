"""Have and need: the items at hand, and those of a new run that decides each two neighbors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, isinf, log10
from typing import Final

import pandas as pd

from llm_power._statistics.verdict import DIFFERENT, EQUIVALENT, UNDETERMINED

_WORDS: Final = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))


# How many times the items at hand an axis has at most.
_FARTHEST: Final = 1e5


@dataclass(frozen=True, slots=True)
class Rung:
    """A rank against the next: its verdict, and the items of a new run that decides it.

    On `few` items the chance is one half, on `many` the target power; `many` is infinite where no
    number has it, both are where there is no gap, and both are NaN without an item in common.
    """

    rank: int
    model_a: str
    model_b: str
    verdict: str
    few: float
    many: float

    @property
    def needed(self) -> str:
        """The items in words."""
        if isfinite(self.many):
            return about_items(max(self.few, self.many))
        if isinf(self.many):
            return "sign uncertain" if isfinite(self.few) else "no gap so far"
        return "no item in common"


@dataclass(frozen=True, slots=True)
class HaveNeed:
    """The neighbors of a task, in the order of rank, and how many items it has."""

    task: str
    items: int
    rungs: Sequence[Rung]

    @property
    def finding(self) -> str:
        """How many neighbors cannot be told apart, and what the costliest of them would need."""
        every, equal = len(self.rungs), sum(rung.verdict == EQUIVALENT for rung in self.rungs)
        open_ = [rung for rung in self.rungs if rung.verdict == UNDETERMINED]
        known = [rung for rung in open_ or self.rungs if isfinite(rung.many)]
        vague = len(open_) - len(known) if open_ else 0
        headline = f"{len(open_):,} of {every:,} neighbors cannot be told apart"
        if every == 1:
            headline = f"The two models are {self.rungs[0].verdict}"
        elif not open_:
            headline = f"All {every:,} neighbors {'are decided' if equal else 'can be told apart'}"
        headline += f" ({equal:,} equivalent)" if equal and every > 1 else ""
        parts = []
        if known:
            most = max(known, key=lambda rung: max(rung.few, rung.many))
            verb = "would need" if open_ else "would take"
            pair = f"ranks {most.rank:,} and {most.rank + 1:,} {verb} {most.needed} new items"
            parts.append(f"a new run {verb} {most.needed} items" if every == 1 else pair)
        if vague:
            parts.append(
                f"for {vague:,} {'pair' if vague == 1 else 'pairs'} even the sign is open"
                if known
                else "even the sign is open"
            )
        return "; ".join(filter(None, [headline, ", ".join(parts)]))


def have_need(pairs: pd.DataFrame, task: str, items: int) -> HaveNeed:
    """Return the neighbors among the pairs of one task."""
    near = pairs[pairs["rank_b"] == pairs["rank_a"] + 1].sort_values("rank_a")
    rows = near[["rank_a", "model_a", "model_b", "verdict", "items_even", "items_assured"]]
    rungs = [Rung(*row) for row in rows.itertuples(index=False, name=None)]
    return HaveNeed(task, items, rungs)


def what_lines_mean(boards: Sequence[HaveNeed], power: float) -> list[str]:
    """Return what a picture of the boards says of its lines and marks, a clause each."""
    rungs = [(board.items, rung) for board in boards for rung in board.rungs]
    clauses = [
        "each row: items of a new run with a chance of 0.5 to decide the pair, at the mark "
        f"{power:g}"
    ]
    if any(rung.verdict == DIFFERENT and rung.many > items for items, rung in rungs):
        clauses.append(
            "different with its mark beyond the items at hand: a new run needs more to find it "
            "again"
        )
    if any(isfinite(rung.few) and isinf(rung.many) for _, rung in rungs):
        clauses.append(
            f"an arrow: the chance is below {power:g} even on a thousand times these items"
        )
    return clauses


def items_axis(items: int, rungs: Sequence[Rung]) -> tuple[float, float]:
    """Return the ends of an axis that has the items at hand and the items needed."""
    known = [n for rung in rungs for n in (rung.few, rung.many) if isfinite(n) and n > 0]
    return min([items, *known]) / 2, min(max([items, *known]) * 2, items * _FARTHEST)


def about_items(items: float) -> str:
    """Return a number of items, rounded up to three digits: 3,991 is 4,000, and 2.7 million."""
    unit = 10.0 ** max(0, floor(log10(max(items, 1))) - 2)
    rounded = ceil(items / unit - 1e-9) * unit
    for size, word in _WORDS:
        if rounded >= size:
            return f"{rounded / size:,.3g} {word}" if rounded < 1e15 else f"over 1,000 {word}"
    return f"{rounded:,.0f}"
