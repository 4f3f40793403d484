"""The answer that a plan from a pilot is, the number to take first."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite, isnan
from typing import Final

from llm_power._choices import TEST_NAMES
from llm_power._errors import counted
from llm_power._planning.pilot import CONFIDENCE, OwnGap, PilotPlan
from llm_power._report.answer import Answer, Notes, Table
from llm_power._report.number_format import points, whole
from llm_power._statistics.pilot_design import PilotDesign

# A chance that is written as 1.
_CERTAIN: Final = 0.9995


def pilot_answer(plan: PilotPlan) -> Answer:
    """Return a plan from a pilot, the number to take first."""
    parts: tuple[Table | Notes, ...] = (
        (_own_table(plan), Notes(tuple(_notes(plan))))
        if plan.design is None
        else (_declared_table(plan, plan.design),)
    )
    return Answer(_headline(plan), asdict(plan), (_about(plan),), parts=parts)


def _headline(plan: PilotPlan) -> str:
    power = plan.question.power
    if plan.design is not None:
        design, gap = plan.design, points(plan.declared or 0)
        return (
            f"Plan {_units(plan, design.high)}: they detect a gap of {gap} with power {power:g} or "
            f"more, with confidence {(1 + design.confidence) / 2:g} given the pilot; at its "
            f"estimates {whole(design.n_star)} suffice."
        )
    limit = _own(plan).limit
    if not isfinite(limit.units):
        return (
            "The pilot gives no number: its gap is too close to zero. Declare the gap to detect "
            "with --gap."
        )
    return (
        f"Plan {_units(plan, limit.units)}: they detect a gap of {points(limit.gap)} with power "
        f"{power:g}, and the true gap is as large or larger with confidence {CONFIDENCE:g}."
    )


def _about(plan: PilotPlan) -> str:
    question, clustered = plan.question, plan.unit == "clusters"
    lead = "ahead of" if plan.gap >= 0 else "behind"
    test = "the t test over clusters" if clustered else f"the {TEST_NAMES[plan.test]}"
    level = f"two-sided level {question.level:.3g}"
    return (
        f"Pilot: {counted(plan.n_items, 'item')}, {plan.model_a} {points(plan.gap)} {lead} "
        f"{plan.model_b}, p = {plan.p:.2g} by {test}; {level}."
    )


def _declared_table(plan: PilotPlan, design: PilotDesign) -> Table:
    rows = [["", plan.unit, f"{100 * design.confidence:g}% interval", "assurance"]]
    rows.append(["required", *_with_interval(design)])
    power = plan.question.power
    rows.append([f"assurance of {power:g}", whole(plan.assured or 0), "-", _chance(power)])
    if plan.same_clusters is not None:
        rows.append(["items, from these clusters alone", *_with_interval(plan.same_clusters)])
    return Table(rows)


def _with_interval(design: PilotDesign) -> list[str]:
    interval = f"{whole(design.low)} to {whole(design.high)}"
    return [whole(design.n_star), interval, _chance(design.assurance)]


def _own_table(plan: PilotPlan) -> Table:
    own, chance = _own(plan), f"{CONFIDENCE:g}"
    rows = [["gap", "points", plan.unit, "assurance"]]
    for name, at in (
        ("the pilot's own", own.observed),
        ("median-unbiased", own.median),
        (f"confidence of {chance}", own.limit),
    ):
        rows.append([name, f"{100 * at.gap:.3g}", whole(at.units), _chance(at.assurance)])
    power = plan.question.power
    assured = _chance(power) if isfinite(own.assured.n_star) else "-"
    rows.append([f"assurance of {power:g}", "-", whole(own.assured.n_star), assured])
    return Table(rows)


def _notes(plan: PilotPlan) -> list[str]:
    own, power = _own(plan), plan.question.power
    if own.significant:
        why = "Significant gaps are too large on average; the second and third row correct that"
    else:
        why = "The pilot is not significant; the second and third row correct its uncertainty alone"
    lines = [f"{why}. To avoid this correction, declare the gap that matters with --gap."]
    if not isnan(own.observed.assurance):
        lines.insert(
            0,
            f"At the pilot's own gap {_units(plan, own.observed.units)} promise power {power:g}; "
            f"their power averaged over the pilot's uncertainty is {own.observed.assurance:.2f}.",
        )
    if own.assured.largest < _CERTAIN:
        lines.append(
            f"No number has an assurance above {own.assured.largest:.3g}, the chance that the "
            "model that leads in the pilot is the better one."
        )
    return lines


def _own(plan: PilotPlan) -> OwnGap:
    assert plan.own is not None  # where no gap is declared
    return plan.own


def _units(plan: PilotPlan, number: float) -> str:
    if plan.unit == "items":
        return f"{whole(number)} items"
    return (
        f"{whole(number)} clusters of {plan.cluster_size:,.0f} items, "
        f"{whole(number * plan.cluster_size)} in all"
    )


def _chance(value: float) -> str:
    return "-" if isnan(value) else f"{value:.2f}"
