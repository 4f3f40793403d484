"""What scores and gaps of a board are shown in: points of 100, or a unit of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from llm_power._errors import InvalidArgument

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


def measure_of(tasks: Sequence[TaskScores]) -> Measure:
    """Return what scores of some tasks are shown in; real ones must be of one unit."""
    if all(task.kind != "real" for task in tasks):
        return POINTS
    found = {(task.kind, task.unit, task.lower_is_better): task.task for task in tasks}
    if len(found) > 1:
        first, second = [*found.values()][:2]
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
