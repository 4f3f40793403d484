"""Scores that files display for a model, held against the scores of its items."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Final

# Relative: tools add in another order, and JSON keeps every digit.
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Displayed:
    """A score that is displayed, from 0 to `scale`, and what the items come to."""

    name: str
    value: float
    scale: float = 1.0
    half_unit: float = 0.0  # of its last digit, where not every digit is displayed
    is_exact: bool = False  # made of these very items, so that not one may differ
    counted: float = math.nan
    n_items: int = 0

    def of(self, scores: Iterable[float]) -> Displayed:
        """Return it with the mean of those items that have a score."""
        scored = [score for score in scores if not math.isnan(score)]
        counted = self.scale * fmean(scored) if scored else math.nan
        return replace(self, counted=counted, n_items=len(scored))

    @property
    def items_off(self) -> int:
        """By how many items it is missed, 0 up to one of them or the rounding."""
        if not self.n_items:
            return 0
        off, of_item = abs(self.value - self.counted), self.scale / self.n_items
        allowed = max(0.0 if self.is_exact else of_item, self.half_unit)
        is_near = off <= allowed + _ROUNDING * max(1.0, abs(self.value))
        return 0 if is_near else max(1, round(off / of_item))


def displayed(
    name: str, value: object, scores: Iterable[float] = (), scale: float = 1.0, **precision: Any
) -> list[Displayed]:
    """Return what is displayed of some scores, or nothing where it is no number."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return []
    return [Displayed(name, float(value), scale, **precision).of(scores)]


def inside(document: object, *names: str) -> Any:
    """Return a member of nested objects, None where one of them is not there."""
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document


def list_inside(document: object, *names: str) -> list[Any]:
    """Return a list that is a member of nested objects, an empty one where there is none."""
    found = inside(document, *names)
    return found if isinstance(found, list) else []
