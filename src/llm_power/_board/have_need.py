"""Have and need: the items at hand, and those of a new run that decides each two neighbors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, isinf, log10
from typing import Final

import pandas as pd

from llm_power._errors import counted
from llm_power._statistics.predictive_power import FARTHEST
from llm_power._statistics.verdict import DIFFERENT, EQUIVALENT, UNDETERMINED

_WORDS: Final = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))


#: Why a new run may take more items than the run that it repeats.
SMALLER: Final = (
    "a different pair can need more new items than it has: its true gap may be smaller than the "
    "gap seen"
)
# How many times the items at hand an axis has at most.
_AXIS_END: Final = 1e5
_ITEMS: Final = ("items_even", "items_assured")


@dataclass(frozen=True, slots=True)
class Rung:
    """A rank against the next: its verdict, and the items of a new run that decides it.

    On `few` items the chance is one half, on `many` the target power; infinite ones are over a
    thousand times the `items` at hand, and NaN belongs to a pair without an item in common.
    """

    rank: int
    model_a: str
    model_b: str
    verdict: str
    gap: float
    items: int
    few: float
    many: float

    @property
    def needed(self) -> str:
        """The items in words, to three digits, and of a range its upper end."""
        if isfinite(self.many):
            return about_items(max(self.few, self.many))
        if self.items and self.gap:
            return f"over {about_items(FARTHEST * self.items, floor)}"
        if self.items and self.verdict == EQUIVALENT:
            return EQUIVALENT
        return items_needed(self.items, self.gap, self.few, self.many)


@dataclass(frozen=True, slots=True)
class HaveNeed:
    """The neighbors of a task, in the order of rank, and how many items it has."""

    task: str
    items: int
    rungs: Sequence[Rung]

    @property
    def finding(self) -> str:
        """How many neighbors are undetermined, and what the costliest of them need."""
        every, equal = len(self.rungs), sum(rung.verdict == EQUIVALENT for rung in self.rungs)
        open_ = [rung for rung in self.rungs if rung.verdict == UNDETERMINED]
        known = [rung for rung in open_ or self.rungs if isfinite(rung.many)]
        beyond = [rung for rung in open_ if not isfinite(rung.many) and rung.items and rung.gap]
        verb = "is" if len(open_) == 1 else "are"
        headline = f"{len(open_):,} of {every:,} neighbors {verb} {UNDETERMINED}"
        if every == 1:
            headline = f"The two models are {self.rungs[0].verdict}"
        elif not open_:
            headline = "Both pairs of" if every == 2 else f"All {every:,}"
            headline += f" neighbors are {DIFFERENT}"
            headline += f" or {EQUIVALENT} ({equal:,})" if equal else ""
        parts = []
        if known:
            most = max(known, key=lambda rung: max(rung.few, rung.many))
            parts.append(f"ranks {most.rank:,} and {most.rank + 1:,} need {most.needed} new items")
        if beyond:
            over = min(beyond, key=lambda rung: rung.items).needed + " new items" * (not known)
            verb = "needs" if len(beyond) == 1 else "need"
            parts.append(f"{counted(len(beyond), 'pair')} {verb} {over}")
        if every == 1 and parts:
            parts = [f"the pair needs {self.rungs[0].needed} new items"]
        return "; ".join(filter(None, [headline, ", ".join(parts)]))


def items_needed(items: int, gap: float, few: float, many: float) -> str:
    """Return the items of a new run, between chance one half and the target power, in words."""
    if not items:
        return "no item in common"
    low, high = sorted((few, many))
    if isinf(high) and not gap:
        return "no gap so far"
    over = [f"over {FARTHEST * items:,}"] if isinf(high) else []
    return " to ".join([f"{n:,.0f}" for n in (low, high) if isfinite(n)] + over)


def have_need(pairs: pd.DataFrame, task: str, items: int) -> HaveNeed:
    """Return the neighbors among the pairs of one task."""
    near = pairs[pairs["rank_b"] == pairs["rank_a"] + 1].sort_values("rank_a")
    rows = near[["rank_a", "model_a", "model_b", "verdict", "gap", "n_items", *_ITEMS]]
    rungs = [Rung(*row) for row in rows.itertuples(index=False, name=None)]
    return HaveNeed(task, items, rungs)


def what_lines_mean(boards: Sequence[HaveNeed], power: float) -> list[str]:
    """Return what a picture of the boards says of its lines and marks, a clause each."""
    rungs = [(board.items, rung) for board in boards for rung in board.rungs]
    clauses = [
        "each line: a pair of models; new items that decide it with chance 0.5, at the mark "
        f"{power:g}"
    ]
    if any(rung.verdict == DIFFERENT and rung.many > items for items, rung in rungs):
        clauses.append(SMALLER)
    if beyond := [rung for _, rung in rungs if isinf(rung.many) and rung.gap]:
        mark = "an arrow" if any(isfinite(rung.few) for rung in beyond) else "over"
        clauses.append(f"{mark}: below {power:g} even on a thousand times these items")
    return clauses


def items_axis(items: int, rungs: Sequence[Rung]) -> tuple[float, float]:
    """Return the ends of an axis that has the items at hand and the items needed."""
    known = [n for rung in rungs for n in (rung.few, rung.many) if isfinite(n) and n > 0]
    return min([items, *known]) / 2, min(max([items, *known]) * 2, items * _AXIS_END)


def items_ticks(low: float, high: float, most: int) -> list[float]:
    """Return two to `most` ticks of an axis: decades, or steps between if those are too few."""
    decades = range(floor(log10(low)), floor(log10(high)) + 1)
    ticks: list[float] = []
    for steps in ((1,), (1, 2, 5), range(1, 10)):
        if len(ticks) < 2:
            every = [step * 10.0**decade for decade in decades for step in steps]
            ticks = [items for items in every if low <= items <= high]
    return ticks[:: ceil(len(ticks) / most)]


def about_items(items: float, rounding: Callable[[float], int] = ceil) -> str:
    """Return a number of items, rounded up to three digits: 3,991 is 4,000, and 2.7 million."""
    unit = 10.0 ** max(0, floor(log10(max(items, 1))) - 2)
    rounded = rounding(round(items / unit, 9)) * unit
    for size, word in _WORDS:
        if rounded >= size:
            return f"{rounded / size:,.3g} {word}" if rounded < 1e15 else f"over 1,000 {word}"
    return f"{rounded:,.0f}"


def models_of(rungs: Sequence[Rung]) -> list[str]:
    """Return the models of some rungs, each once."""
    return list(dict.fromkeys(model for rung in rungs for model in (rung.model_a, rung.model_b)))


def short_names(shown: Sequence[str], names: Sequence[str], characters: int) -> Mapping[str, str]:
    """Return how the models that are named are written: short, and never two alike."""
    ends = Counter(map(_without_organization, names))
    plain = {name: end if ends[end := _without_organization(name)] == 1 else name for name in shown}
    most = dict.fromkeys(shown, characters)
    while True:
        short = {name: elided(text, most[name]) for name, text in plain.items()}
        written = Counter(short.values())
        alike = [name for name in shown if written[short[name]] > 1]
        if not alike:
            return short
        most |= {name: most[name] + 2 for name in alike}


def _without_organization(name: str) -> str:
    return name.partition("/")[2] if name.count("/") == 1 else name


def elided(text: str, most: int) -> str:
    """Shorten a name in the middle: of models of a family the end tells which one."""
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[-end:]}"
