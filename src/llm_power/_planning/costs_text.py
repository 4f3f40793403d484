"""The answer that a plan at least cost is, the design first."""

from __future__ import annotations

from dataclasses import asdict

from llm_power._choices import TEST_NAMES
from llm_power._errors import counted
from llm_power._planning.costs import CostPlan
from llm_power._report.answer import Answer, Notes, Table
from llm_power._report.number_format import points


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
    note = (
        f"Smallest gap with power {plan.question.power:g}: "
        f"{points(design.detectable_gap, up=True)}, by the {test}, over "
        f"{'items' if _of_items(plan) else 'subjects'}, at the two-sided level "
        f"{plan.question.level:.3g}."
    )
    return Answer(_headline(plan), asdict(plan), parts=(Table(rows), Notes((note,))))


def _headline(plan: CostPlan) -> str:
    design, power = plan.design, plan.question.power
    if plan.gap is not None:
        why = (
            f"the cheapest design that detects a gap of {points(plan.gap)} with power {power:g} "
            f"costs {_money(design.cost)}"
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
