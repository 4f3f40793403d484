"""Power, assurance and detectable gap of a plan against its size: what its figure draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import Final

import numpy as np

from llm_power._board.measure import points
from llm_power._choices import TEST_NAMES
from llm_power._errors import InvalidArgument
from llm_power._planning.answer import DetectableGap, Plan, PlanRange, RepeatsPlan
from llm_power._planning.text import ends_of
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.cluster_requirement import MeanDesign
from llm_power._statistics.designs import LARGEST_PLAN, MOST_UNITS
from llm_power._statistics.inversion import minimum_detectable_effect
from llm_power._statistics.mcnemar import (
    McNemarDesign,
    mcnemar_detectable_gaps,
)
from llm_power._statistics.pilot_design import McNemarAssurance
from llm_power._statistics.repeats import repeats_variance

#: Sizes and values of each curve, by its name.
Curves = dict[str, tuple[IntArray, FloatArray]]

# Numbers of items of a curve: all of a small plan, so that its saw-tooth is seen.
_FINE: Final = 600
_COARSE: Final = 80
# Sizes of the curve of the gap, from a part of the planned items to a multiple.
_SIZES: Final = 14
_PARTS: Final = (0.1, 4.0)
# How far the curves of power go beyond the planned number.
_BEYOND: Final = 1.6


@dataclass(frozen=True, slots=True)
class PlanCurves:
    """Curves of a plan against its size."""

    power: Curves
    gap: Curves  # detectable with the target power, in score units
    planned: dict[str, float]  # sizes that the answer names, by what they are
    target: float
    unit: str = "items"  # what a size counts, or "clusters"
    assurance: Curves = field(default_factory=dict)
    interval: tuple[float, float] | None = None  # of the required size


def plan_curves(answer: Plan | PlanRange | DetectableGap | RepeatsPlan) -> PlanCurves:
    """Return the curves of a plan for independent items, of the declared test."""
    if isinstance(answer, RepeatsPlan):
        return _of_repeats(answer)
    if isinstance(answer, PlanRange):
        names = [name for name, _ in ends_of(answer)]
        ends = dict(zip(names, (answer.fewest, answer.most), strict=True))
        curves = [_of_pair(plan, f", {name}") for name, plan in ends.items()]
        return PlanCurves(
            power=curves[0].power | curves[1].power,
            gap=curves[0].gap | curves[1].gap,
            planned={name: plan.items for name, plan in ends.items()},
            target=curves[0].target,
        )
    return _of_pair(answer.plan if isinstance(answer, DetectableGap) else answer)


def sizes_around(planned: float, *, least: int = 1, number: int = _FINE) -> IntArray:
    """Return the sizes that a curve of power is drawn at."""
    if planned > MOST_UNITS:
        raise InvalidArgument(
            f"a plot must be of at most {MOST_UNITS:.0e} items or clusters: leave --plot out"
        )
    most = max(int(_BEYOND * planned), least + 1)
    return np.unique(np.linspace(least, most, min(number, most - least + 1)).astype(np.int64))


def sizes_of_gaps(planned: float) -> IntArray:
    """Return the sizes that a curve of the detectable gap is drawn at."""
    first, last = (max(part * planned, 2) for part in _PARTS)
    return np.unique(np.geomspace(first, last, _SIZES).round().astype(np.int64))


def _of_pair(plan: Plan, name: str = "") -> PlanCurves:
    asked, pair = plan.question, plan.pair
    if plan.decided_as != "different" or asked.clusters is not None:
        raise InvalidArgument(
            "a plot must be of a plan of independent items that finds a gap: leave out --margin "
            "and --clusters"
        )
    law = asked.test, asked.level
    n = sizes_around(plan.items)
    power = McNemarDesign(pair.p10, pair.p01, *law).quick().power(n)
    sizes = sizes_of_gaps(plan.items)
    gaps = mcnemar_detectable_gaps(sizes, pair.discordance, *law, asked.power)
    assurance = {}
    run = None if plan.at_hand is None else plan.at_hand.n_items
    if run is not None and plan.items * _BEYOND <= LARGEST_PLAN:
        b, c = (round(p * run) for p in (pair.p10, pair.p01))
        rough = sizes_around(plan.items, number=_COARSE)
        chances = McNemarAssurance(b, c, run, *law).power(rough)
        assurance[f"assurance from these {run:,} items"] = (rough, chances)
    finite = np.isfinite(gaps)
    return PlanCurves(
        power={f"{TEST_NAMES[asked.test]}, gap of {points(pair.gap)}{name}": (n, power)},
        assurance=assurance,
        gap={f"detectable gap{name}": (sizes[finite], gaps[finite])},
        planned={"planned": plan.items},
        target=asked.power,
    )


def _of_repeats(plan: RepeatsPlan) -> PlanCurves:
    if not isfinite(plan.items):
        raise InvalidArgument("a plot must be of a plan that finds a gap, got a gap of zero")
    asked = plan.question
    variance = repeats_variance(
        plan.between,
        plan.within_a,
        plan.within_b,
        repeats_a=plan.repeats_a,
        repeats_b=plan.repeats_b,
    )
    sigma, n = float(np.sqrt(variance)), sizes_around(plan.items, least=2)
    sizes = sizes_of_gaps(plan.items)
    name = f"paired t test, gap of {points(plan.gap)}"
    settings = {"alpha": asked.level, "power": asked.power}
    return PlanCurves(
        power={name: (n, MeanDesign(plan.gap, sigma, asked.level, hall=False).power(n))},
        gap={"detectable gap": (sizes, minimum_detectable_effect(sizes, sigma, **settings))},
        planned={"planned": plan.items},
        target=asked.power,
    )
