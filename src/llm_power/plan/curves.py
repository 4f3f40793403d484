"""Power, assurance and detectable gap of a plan against its size: what its figure draws."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

import numpy as np

from llm_power.choices import TEST_NAMES, McNemarTest
from llm_power.errors import InvalidArgument
from llm_power.plan._wording import points
from llm_power.plan.answer import DetectableGap, Plan, PlanRange
from llm_power.plan.repeats import RepeatsPlan
from llm_power.statistics._typing import FloatArray, IntArray
from llm_power.statistics.assurance import McNemarAssurance
from llm_power.statistics.cluster_requirement import MeanDesign
from llm_power.statistics.designs import LARGEST_PLAN
from llm_power.statistics.exact_required_n import (
    MOST_SUMMED,
    McNemarDesign,
    mcnemar_detectable_gap,
)
from llm_power.statistics.inversion import minimum_detectable_effect
from llm_power.statistics.repeats import repeats_variance

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
    """Curves of a plan against its size.

    Attributes
    ----------
    unit : str
        What a size counts, "items" or "clusters".
    power, assurance : dict of str to (ndarray, ndarray)
        Sizes and chances of each curve, by its name.
    gap : dict of str to (ndarray, ndarray)
        Sizes and the gaps that these find with the target power, in score units.
    planned : dict of str to float
        Sizes that the answer names, by what they are.
    interval : (float, float) or None
        Interval of the required size.
    target : float
        Target power.

    Examples
    --------
    >>> from llm_power import plan_gap
    >>> from llm_power.plan.curves import plan_curves
    >>> curves = plan_curves(plan_gap(0.04, 0.2))
    >>> curves.planned, [*curves.power]
    ({'planned': 1021.0}, ['exact McNemar test, gap of 4 points'])
    """

    unit: str
    power: Curves
    assurance: Curves
    gap: Curves
    planned: dict[str, float]
    interval: tuple[float, float] | None
    target: float


def plan_curves(answer: Plan | PlanRange | DetectableGap | RepeatsPlan) -> PlanCurves:
    """Work out the curves of a plan.

    Parameters
    ----------
    answer : Plan, PlanRange, DetectableGap or RepeatsPlan
        Of independent items.

    Returns
    -------
    PlanCurves
        Of the declared test. The assurance is that of a plan from counts, whose run is a pilot.

    Raises
    ------
    InvalidArgument
        If no number of items is enough, if these are for equivalence, or they come from clusters.

    Examples
    --------
    >>> from llm_power import plan_counts
    >>> from llm_power.plan.curves import plan_curves
    >>> curves = plan_curves(plan_counts(45, 18, 300))
    >>> [*curves.assurance], curves.interval
    (['assurance from these 300 items'], None)
    """
    if isinstance(answer, RepeatsPlan):
        return _of_repeats(answer)
    if isinstance(answer, PlanRange):
        ends = {"highest": answer.fewest, "lowest": answer.most}
        curves = [_of_pair(plan, f", {name} correlation") for name, plan in ends.items()]
        return PlanCurves(
            unit="items",
            power=curves[0].power | curves[1].power,
            assurance={},
            gap=curves[0].gap | curves[1].gap,
            planned={f"{name} correlation": plan.items for name, plan in ends.items()},
            interval=None,
            target=curves[0].target,
        )
    return _of_pair(answer.plan if isinstance(answer, DetectableGap) else answer)


def sizes_around(planned: float, *, least: int = 1, number: int = _FINE) -> IntArray:
    """Return the sizes that a curve of power is drawn at.

    Examples
    --------
    >>> from llm_power.plan.curves import sizes_around
    >>> sizes_around(10).tolist()
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
    """
    most = max(int(_BEYOND * planned), least + 1)
    return np.unique(np.linspace(least, most, min(number, most - least + 1)).astype(np.int64))


def sizes_of_gaps(planned: float, *, least: int = 2) -> IntArray:
    """Return the sizes that a curve of the detectable gap is drawn at.

    Examples
    --------
    >>> from llm_power.plan.curves import sizes_of_gaps
    >>> sizes_of_gaps(1000)[[0, -1]].tolist()
    [100, 4000]
    """
    first, last = (max(part * planned, least) for part in _PARTS)
    return np.unique(np.geomspace(first, last, _SIZES).round().astype(np.int64))


def detectable_gaps(
    sizes: IntArray, discordance: float, *, test: McNemarTest, alpha: float, power: float
) -> FloatArray:
    """Return the smallest gap that McNemar's test finds with each number of items.

    Parameters
    ----------
    sizes : ndarray of int
        Numbers of items.
    discordance : float
        Share of items that exactly one model solves.
    test, alpha, power
        As in `llm_power.statistics.exact_required_n.mcnemar_detectable_gap`.

    Returns
    -------
    ndarray
        Gaps in score units; where there are more than 30,000 items, by eq. (4).

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.plan.curves import detectable_gaps
    >>> settings = {"test": "exact", "alpha": 0.05, "power": 0.8}
    >>> detectable_gaps(np.array([1_000, 4_000]), 0.2, **settings).round(4).tolist()
    [0.0404, 0.02]
    """
    settings: dict[str, Any] = {"alpha": alpha, "power": power}
    if sizes.max() > MOST_SUMMED:
        return minimum_detectable_effect(sizes, discordance**0.5, **settings)
    settings["test"] = test
    return np.array([mcnemar_detectable_gap(n, discordance, **settings) for n in sizes.tolist()])


def _of_pair(plan: Plan, name: str = "") -> PlanCurves:
    asked, pair = plan.question, plan.pair
    if plan.decided_as != "different" or asked.clusters is not None:
        raise InvalidArgument(
            "a plot must be of a plan of independent items that finds a gap: leave out --margin "
            "and --clusters"
        )
    settings: dict[str, Any] = {"test": asked.test, "alpha": asked.level}
    n = sizes_around(plan.items)
    power = McNemarDesign(pair.p10, pair.p01, summed=MOST_SUMMED, **settings).power(n)
    sizes = sizes_of_gaps(plan.items)
    gaps = detectable_gaps(sizes, pair.discordance, power=asked.power, **settings)
    assurance = {}
    run = None if plan.at_hand is None else plan.at_hand.n_items
    if run is not None and plan.items * _BEYOND <= LARGEST_PLAN:
        b, c = (round(p * run) for p in (pair.p10, pair.p01))
        rough = sizes_around(plan.items, number=_COARSE)
        chances = McNemarAssurance(b, c, run, **settings).power(rough)
        assurance[f"assurance from these {run:,} items"] = (rough, chances)
    found = np.isfinite(gaps)
    return PlanCurves(
        unit="items",
        power={f"{TEST_NAMES[asked.test]}, gap of {points(pair.gap)}{name}": (n, power)},
        assurance=assurance,
        gap={f"detectable gap{name}": (sizes[found], gaps[found])},
        planned={"planned": plan.items},
        interval=None,
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
        unit="items",
        power={name: (n, MeanDesign(plan.gap, sigma, asked.level).power(n))},
        assurance={},
        gap={"detectable gap": (sizes, minimum_detectable_effect(sizes, sigma, **settings))},
        planned={"planned": plan.items},
        interval=None,
        target=asked.power,
    )
