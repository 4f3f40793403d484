"""How scores, gaps, p-values and intervals are shown: their units, digits and names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor, isfinite, log10
from typing import TYPE_CHECKING, Final

import numpy as np

from llm_power._choices import Control
from llm_power._errors import InvalidArgument, grouped

if TYPE_CHECKING:
    from llm_power._scores.store import TaskScores


@dataclass(frozen=True, slots=True)
class Measure:
    """Unit that scores are shown in, how many of them one score unit is, and decimals."""

    unit: str = "points"
    factor: float = 100.0
    decimals: int = 1
    lower_is_better: bool = False

    def shown(self, score: float, more: int = 0) -> str:
        """Return a score or a gap as text, with `more` decimals than usual."""
        return f"{self.factor * score:,.{self.decimals + more}f}"

    def with_unit(self, text: str) -> str:
        """Return a number as text with its unit."""
        return f"{text} {self.unit}".rstrip()

    def named(self, what: str, percent: str = "") -> str:
        """Return the header of a column of scores or gaps."""
        unit = percent if self.factor != 1 else self.unit
        return f"{what}, {unit}" if unit else what

    @property
    def sentence(self) -> str:
        """Return what the sign of a gap says where less is better, else the empty string."""
        if not self.lower_is_better:
            return ""
        two = self.with_unit("2")
        return f"Less is better: a gap of {two} means that the first model has {two} less."


POINTS: Final = Measure()
#: Upper ends of the bins of gaps, in score units; Table 3.
GAP_BINS: Final = (0.01, 0.02, 0.05, 0.15)


def measure_of(tasks: Sequence[TaskScores]) -> Measure:
    """Return what scores of some tasks are shown in; real ones must be of one unit."""
    if all(task.kind != "real" for task in tasks):
        return POINTS
    units = {(task.kind, task.unit, task.lower_is_better): task.task for task in tasks}
    if len(units) > 1:
        first, second = [*units.values()][:2]
        raise InvalidArgument(
            f"tasks {first} and {second} have scores of different units. Remedy: resolve them "
            "apart, or declare one kind and unit (--kind, --unit, --lower-is-better)."
        )
    # Two digits of a score's standard error.
    with_two = [task for task in tasks if task.n_items > 1]
    errors = [np.nanstd(task.values, axis=0) / np.sqrt(task.n_items) for task in with_two]
    spread = float(np.median(np.concatenate(errors))) if errors else 0.0
    size = spread or float(np.abs(tasks[0].mean_scores).max()) / 100 or 1.0
    decimals = min(max(0, 1 - int(np.floor(np.log10(size)))), 15)
    return Measure(tasks[0].unit, 1.0, decimals, tasks[0].lower_is_better)


def whole(number: float) -> str:
    """Return a number of items, rounded up."""
    return grouped(ceil(number - 1e-9)) if isfinite(number) else "never"


def points(gap: float, *, up: bool = False) -> str:
    """Return a gap in points to three digits; rounded up, if so much must be enough."""
    size = 100 * abs(gap)
    if not isfinite(size):
        return "no size"
    if up and size > 0:
        unit = 10.0 ** (floor(log10(size)) - 2)
        size = ceil(size / unit - 1e-9) * unit
    return f"{size:.3g} point{'' if f'{size:.3g}' == '1' else 's'}"


def margin_shown(margin: float | None, measure: Measure) -> str:
    """Return an equivalence margin with its unit."""
    if measure == POINTS:
        return points(margin or 0.0)
    return measure.with_unit(measure.shown(margin or 0.0))


def signed_gap(gap: float, measure: Measure) -> str:
    """Return a gap with its sign, to one decimal more than usual; none has no sign."""
    text = gap_end(measure.factor * gap, measure.decimals + 1)
    return f"+{text}" if gap > 0 and any(digit in text for digit in "123456789") else text


def percent(share: float | None, measure: Measure = POINTS) -> str:
    """Return a score or a gap, in percent to one decimal or as it is measured."""
    return "unknown" if share is None or not isfinite(share) else measure.shown(share)


def percent_interval(low: float | None, high: float | None, measure: Measure = POINTS) -> str:
    """Return the ends of an interval of scores, if both are known."""
    ends = percent(low, measure), percent(high, measure)
    return "unknown" if "unknown" in ends else " to ".join(ends)


def gap_end(points: float, digits: int) -> str:
    """Return one end of an interval: what is not 0 does not read 0."""
    text = f"{points + 0.0:,.{digits}f}"
    return text if points == 0 or text.strip("-0.") else f"{points:.1g}"


def gap_interval(low: float | None, high: float | None, measure: Measure) -> str:
    """Return the ends of the interval of a gap, if both are known."""
    ends = [end for end in (low, high) if end is not None and isfinite(end)]
    shown = (gap_end(measure.factor * end, measure.decimals) for end in ends)
    return "unknown" if len(ends) < 2 else " to ".join(shown)


def confidence(alpha: float) -> str:
    """Return the confidence of an interval at a level in per cent, also near 100."""
    return f"{(100 - 100 * Decimal(f'{alpha:g}')).normalize():f}%"


def p_value(p: float | None) -> str:
    """Return a p-value to two digits, small ones as such."""
    return "unknown" if p is None else "< 0.0001" if p < 1e-4 else f"{p:.2g}"


def p_of_sentence(p: float) -> str:
    """Return a p-value as a sentence has it: p = 0.012, or p < 0.0001."""
    text = p_value(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def gap_interval_name(alpha: float, family_size: int, control: Control) -> str:
    """Return the name of the intervals that go with the verdicts of a family of pairs."""
    if family_size == 1:
        return f"{confidence(alpha)} interval"
    over = "simultaneous" if control == "max-t" else "FCR-adjusted"
    return f"{over} {confidence(alpha)} interval"


def p_name(family_size: int, control: Control) -> str:
    """Return the name of the p-values that go with the verdicts of a family of pairs."""
    if family_size == 1:
        return "p"
    return "adjusted p" if control == "max-t" else "FDR-adjusted p"
