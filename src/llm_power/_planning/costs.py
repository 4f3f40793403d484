"""Subjects, items and repeats that a plan takes at least cost, and its answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import inf, isfinite
from operator import attrgetter

from llm_power._board.measure import points
from llm_power._choices import TEST_NAMES
from llm_power._errors import InvalidArgument, counted
from llm_power._planning.question import STANDARD, Question, pair_from_gap
from llm_power._report.answer import Answer, Notes, Table
from llm_power._statistics.argument_checks import non_negative, positive, proportions
from llm_power._statistics.design_costs import (
    CostedDesign,
    Costs,
    Variances,
    best_design,
    cheapest_design,
)
from llm_power._statistics.designs import required_units
from llm_power._statistics.mcnemar import McNemarDesign, mcnemar_detectable_gap


@dataclass(frozen=True, slots=True)
class CostPlan:
    """What to run, and what it costs."""

    question: Question
    variances: Variances  # of the paired difference
    costs: Costs
    gap: float | None  # to be found at least cost
    budget: float | None  # for the smallest gap
    design: CostedDesign  # its gap is inf where scores have no gap as large
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
    largest = 1.0 if discordance is None else discordance
    if gap is None and design.detectable_gap > largest:
        design = replace(design, detectable_gap=inf)
    return CostPlan(question, variances, costs, gap, budget, design, test)


def _single_answers(
    discordance: float, costs: Costs, gap: float | None, budget: float | None, question: Question
) -> CostedDesign:
    """Return the items of one answer of each model that McNemar's test takes, or that are paid."""
    law = question.test, question.level
    each = costs.item + 2 * costs.answer
    if gap is not None:
        pair = pair_from_gap(abs(gap), discordance)
        items = int(required_units(McNemarDesign(pair.p10, pair.p01, *law), question.power))
    else:
        paid = (budget or 0.0) / each
        items = int(paid + min(1e-12 * paid, 1e-9))  # what rounding takes, and no item more
    detectable = mcnemar_detectable_gap(items, discordance, *law, question.power)
    return CostedDesign(items, 1, 1, items * each, detectable)


def variances_of_levels(total: float, *, icc: float = 0.0, within: float = 0.0) -> Variances:
    """Split the variance of the paired difference of single answers among the levels."""
    whole, share = float(positive("total", total)), float(proportions("icc", icc))
    inside = float(non_negative("within", within))
    items = whole - share * whole - inside
    if items < -1e-12 * whole:
        raise InvalidArgument(
            f"within_a must be smaller, with that of B at most {(1 - share) * whole:.6g}, which "
            f"the variance of single answers and the icc leave, got {within:g} in all"
        )
    return Variances(share * whole, max(items, 0.0), inside)


def costs_answer(plan: CostPlan) -> Answer:
    """Return a plan at least cost, the design first."""
    design, costs, variances = plan.design, plan.costs, plan.variances
    n_items = design.subjects * design.items
    answers = 2 * n_items * design.repeats
    rows = [["", "number", "variance", "cost of one", "cost"]]
    for name, number, variance, cost in (
        ("subjects", design.subjects, variances.subjects, costs.subject),
        ("items", n_items, variances.items, costs.item),
        ("answers", answers, variances.repeats, costs.answer),
    ):
        if name != "subjects" or not _of_items(plan):
            row = [f"{number:,}", f"{variance:.3g}", _money(cost), _money(number * cost)]
            rows.append([name, *row])
    test = TEST_NAMES[plan.test].replace("McNemar's score", "McNemar score")
    both = ", with Hall's beside it" if plan.test == "student" else ""
    note = (
        f"Smallest gap with power {plan.question.power:g}: "
        f"{points(design.detectable_gap, up=True)}, by the {test}{both}, over "
        f"{'items' if _of_items(plan) else 'subjects'}, at the two-sided level "
        f"{plan.question.level:.3g}."
    )
    notes = [Notes((note,))] if isfinite(design.detectable_gap) else []
    return Answer(_headline(plan), asdict(plan), parts=(Table(rows), *notes))


def _headline(plan: CostPlan) -> str:
    design, power = plan.design, plan.question.power
    if plan.gap is not None:
        why = (
            f"the cheapest design that detects a gap of {points(plan.gap)} with power {power:g} "
            f"costs {_money(design.cost)}"
        )
    elif not isfinite(design.detectable_gap):
        return (
            f"No gap that these models can have is detectable with power {power:g} at a cost of at "
            f"most {_money(plan.budget or 0)}: raise --budget."
        )
    else:
        why = (
            f"the smallest detectable gap with power {power:g} at a cost of at most "
            f"{_money(plan.budget or 0)} is {points(design.detectable_gap, up=True)}"
        )
    return f"Plan {_design(plan)}: {why}."


def _of_items(plan: CostPlan) -> bool:
    """Return whether items are the sample: subjects neither differ nor cost anything."""
    return plan.variances.subjects == 0 and plan.costs.subject == 0


def _design(plan: CostPlan) -> str:
    design = plan.design
    each = f"with {counted(design.repeats, 'repeat')}"
    if _of_items(plan):
        return f"{counted(design.subjects * design.items, 'item')} {each}"
    return f"{counted(design.subjects, 'subject')} of {counted(design.items, 'item')} {each}"


def _money(amount: float) -> str:
    return f"{amount:,.2f}".rstrip("0").rstrip(".")
