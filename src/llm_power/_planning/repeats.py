"""Plans for scores that are means of several answers to an item (Miller 2024, eqs. 9 and 10)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, Final

from llm_power._errors import InvalidArgument
from llm_power._planning.question import STANDARD, Question
from llm_power._statistics.cluster_requirement import MeanDesign
from llm_power._statistics.designs import detectable_gap, required_units
from llm_power._statistics.inversion import required_n
from llm_power._statistics.repeats import repeats_variance

# Numbers of repeats that are shown beside those asked for.
_REPEATS: Final = (1.0, 2.0, 5.0, 10.0, inf)


@dataclass(frozen=True, slots=True)
class RepeatsPlan:
    """How many items means of repeats take, by the paired t test."""

    question: Question
    gap: float  # to be found; where items were given, the smallest that they find
    between: float  # variance between items
    within_a: float  # variance of the answers of A to an item
    within_b: float
    repeats_a: int
    repeats_b: int
    items: float  # from which the test has the target power, for normal differences
    n_star: float  # eq. (9), not rounded
    ways: tuple[tuple[float, float], ...]  # repeats of both models, and the items they take
    gaps: tuple[tuple[float, float], ...]  # and the gap that given items find; empty without


def plan_repeats(
    between: float,
    within_a: float,
    within_b: float | None = None,
    *,
    gap: float | None = None,
    n_items: int | None = None,
    repeats_a: int = 1,
    repeats_b: int | None = None,
    question: Question = STANDARD,
) -> RepeatsPlan:
    """Plan for means of repeats, from variances."""
    if (gap is None) == (n_items is None):
        raise InvalidArgument("give gap or n_items, one of the two")
    if question.margin is not None or question.clusters is not None:
        raise InvalidArgument("margin and clusters are not for repeats: leave them out")
    if min(between, within_a, within_a if within_b is None else within_b) < 0:
        raise InvalidArgument("between, within_a and within_b must not be negative")
    of_b = within_a if within_b is None else within_b
    k_b = repeats_a if repeats_b is None else repeats_b
    law: dict[str, Any] = {"alpha": question.level, "power": question.power}

    def sigma(k_a: float, k_b: float) -> float:
        variance = repeats_variance(between, within_a, of_b, repeats_a=k_a, repeats_b=k_b)
        return sqrt(float(variance))

    own = sigma(repeats_a, k_b)
    if own == 0:
        raise InvalidArgument("between, within_a and within_b must not all be 0")
    gaps: tuple[tuple[float, float], ...] = ()
    if n_items is not None:
        gap = _detectable(n_items, own, **law)
        gaps = tuple((k, _detectable(n_items, sigma(k, k), **law)) for k in _REPEATS)
    size = float(gap or 0.0)

    def items(sigma_d: float) -> float:
        # Items are clusters of one: the test is Student's with an item less than there are.
        if sigma_d == 0:
            return 2.0
        return required_units(MeanDesign(size, sigma_d, question.level), question.power)

    return RepeatsPlan(
        question=question,
        gap=size,
        between=between,
        within_a=within_a,
        within_b=of_b,
        repeats_a=repeats_a,
        repeats_b=k_b,
        items=items(own),
        n_star=float(required_n(size, own, **law)),
        ways=tuple((k, items(sigma(k, k))) for k in _REPEATS),
        gaps=gaps,
    )


def _detectable(n_items: int, sigma_d: float, *, alpha: float, power: float) -> float:
    """Smallest gap that the paired t test finds, in steps that no digit shows."""
    if n_items < 2:
        raise InvalidArgument(f"n_items must be at least 2, got {n_items!r}")
    if sigma_d == 0:
        return 0.0

    def at(gap: float) -> MeanDesign:
        return MeanDesign(gap, sigma_d, alpha)

    widest = sigma_d
    while at(widest).power(n_items) < power:
        widest *= 2
    return detectable_gap(at, n_items, power, widest=widest, halvings=50)
