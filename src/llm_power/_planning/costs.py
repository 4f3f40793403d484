"""Subjects, items and repeats that a plan takes at least cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from llm_power._errors import InvalidArgument
from llm_power._planning.pair import pair_from_gap
from llm_power._planning.question import STANDARD, Question
from llm_power._statistics.argument_checks import non_negative, positive, proportions
from llm_power._statistics.design_costs import (
    CostedDesign,
    Costs,
    Variances,
    best_design,
    cheapest_design,
)
from llm_power._statistics.designs import required_units
from llm_power._statistics.exact_required_n import McNemarDesign, mcnemar_detectable_gap


@dataclass(frozen=True, slots=True)
class CostPlan:
    """What to run, and what it costs."""

    question: Question
    variances: Variances  # of the paired difference
    costs: Costs
    gap: float | None  # to be found at least cost
    budget: float | None  # for the smallest gap
    design: CostedDesign
    test: str  # that the design is for


def plan_costs(
    variances: Variances,
    costs: Costs,
    *,
    gap: float | None = None,
    budget: float | None = None,
    discordance: float | None = None,
    question: Question = STANDARD,
) -> CostPlan:
    """Plan at least cost for a gap, or for the smallest gap within a budget."""
    if question.margin is not None or question.clusters is not None:
        raise InvalidArgument("margin and clusters are not for costs: leave them out")
    settings = {"alpha": question.level, "power": question.power}
    if (gap is None) == (budget is None):
        raise InvalidArgument("give gap or budget, one of the two")

    def of_t_test(variances: Variances, costs: Costs) -> CostedDesign:
        if gap is not None:
            return cheapest_design(gap, variances, costs, **settings)
        return best_design(budget or 0.0, variances, costs, **settings)

    design, test = of_t_test(variances, costs), "student"
    if discordance is not None and variances.subjects == costs.subject == 0:
        single = _single_answers(discordance, costs, gap, budget, question)
        if design.repeats == 1 and variances.repeats > 0:
            # The next best of the t test, an item of two repeats as one.
            twice = Variances(0.0, variances.items + variances.repeats / 2)
            costs_twice = replace(costs, item=costs.item + 2 * costs.answer)
            design = replace(of_t_test(twice, costs_twice), repeats=2)
        least = attrgetter("detectable_gap" if gap is None else "cost")
        if design.repeats == 1 or least(single) <= least(design):
            design, test = single, question.test
    return CostPlan(question, variances, costs, gap, budget, design, test)


def _single_answers(
    discordance: float, costs: Costs, gap: float | None, budget: float | None, question: Question
) -> CostedDesign:
    """Return the items of one answer of each model that McNemar's test takes, or that are paid."""
    law: dict[str, Any] = {"test": question.test, "alpha": question.level}
    each = costs.item + 2 * costs.answer
    if gap is not None:
        pair = pair_from_gap(abs(gap), discordance)
        items = int(required_units(McNemarDesign(pair.p10, pair.p01, **law), question.power))
    else:
        items = int((budget or 0.0) / each * (1 + 1e-12))
    found = mcnemar_detectable_gap(items, discordance, power=question.power, **law)
    return CostedDesign(items, 1, 1, items * each, found)


def variances_of_levels(total: float, *, icc: float = 0.0, within: float = 0.0) -> Variances:
    """Split the variance of the paired difference of single answers among the levels."""
    whole, share = float(positive("total", total)), float(proportions("icc", icc))
    inside = float(non_negative("within", within))
    items = whole - share * whole - inside
    if items < -1e-12 * whole:
        raise InvalidArgument(
            f"within must be at most {(1 - share) * whole:.6g}, which the variance of single "
            f"answers and the icc leave, got {within!r}"
        )
    return Variances(share * whole, max(items, 0.0), inside)
