"""Subjects, items and repeats that a plan takes at least cost."""

from __future__ import annotations

from dataclasses import dataclass

from llm_power._errors import InvalidArgument
from llm_power._planning.question import STANDARD, Question
from llm_power._statistics.argument_checks import non_negative, positive, proportions
from llm_power._statistics.design_costs import (
    CostedDesign,
    Costs,
    Variances,
    best_design,
    cheapest_design,
)


@dataclass(frozen=True, slots=True)
class CostPlan:
    """What to run, and what it costs."""

    question: Question
    variances: Variances  # of the paired difference
    costs: Costs
    gap: float | None  # to be found at least cost
    budget: float | None  # for the smallest gap
    design: CostedDesign


def plan_costs(
    variances: Variances,
    costs: Costs,
    *,
    gap: float | None = None,
    budget: float | None = None,
    question: Question = STANDARD,
) -> CostPlan:
    """Plan at least cost for a gap, or for the smallest gap within a budget.

    Parameters
    ----------
    variances : Variances
        Of the paired difference between subjects, items and repeats.
    costs : Costs
        Of a subject, an item and an answer.
    gap : float, optional
        Gap to be found, in score units.
    budget : float, optional
        What there is to be spent, in place of `gap`.
    question : Question
        Level, power and family.

    Returns
    -------
    CostPlan
        The answer.

    Raises
    ------
    InvalidArgument
        If not exactly one of gap and budget is given, or an argument is outside its domain.

    Examples
    --------
    >>> from llm_power._planning.answer import plan_costs
    >>> from llm_power._statistics.design_costs import Costs, Variances
    >>> found = plan_costs(Variances(0.002, 0.15, 0.1), Costs(50, 1, 0.02), budget=2000)
    >>> found.design.subjects, found.design.items, found.design.repeats
    (17, 58, 4)
    """
    if question.margin is not None or question.clusters is not None:
        raise InvalidArgument("margin and clusters are not for costs: leave them out")
    settings = {"alpha": question.level, "power": question.power}
    if gap is not None and budget is None:
        design = cheapest_design(gap, variances, costs, **settings)
    elif budget is not None and gap is None:
        design = best_design(budget, variances, costs, **settings)
    else:
        raise InvalidArgument("give gap or budget, one of the two")
    return CostPlan(question, variances, costs, gap, budget, design)


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
