"""What a comparison says: for a terminal, a pull request, a test report, a program."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict
from functools import partial
from typing import Final
from xml.etree import ElementTree

from llm_power._board.measure import (
    POINTS,
    confidence,
    margin_shown,
    p_of_sentence,
    p_value,
    signed_gap,
)
from llm_power._choices import OUTCOMES, TEST_NAMES
from llm_power._errors import counted, one_line
from llm_power._gate.comparison import Comparison, overall_outcome
from llm_power._report.answer import Answer, Items, as_text

_WITHIN_MARGIN: Final = ("equivalent", "non_inferior")


def comparison_answer(*compared: Comparison) -> Answer:
    """Return the outcome, what it rests on, and what would decide it."""
    tasks = [_task_answer(one, len(compared)) for one in compared]
    if len(tasks) == 1:
        return tasks[0]
    values = {"outcome": overall_outcome(compared), "tasks": [one.values for one in tasks]}
    return Answer(_head(compared), values, parts=tuple(tasks))


def comparison_junit(*compared: Comparison, fail_if: Collection[str]) -> str:
    """Return a test report of one case a task, as continuous integration servers read it."""
    failed = [result.outcome in fail_if for result in compared]
    numbers = {"tests": str(len(compared)), "failures": str(sum(failed)), "errors": "0"}
    suite = ElementTree.Element("testsuite", {"name": "llm-power compare", **numbers})
    for result, refused in zip(compared, failed, strict=True):
        name = one_line(f"{result.candidate} against {result.baseline}")
        case = ElementTree.SubElement(suite, "testcase", classname=one_line(result.task), name=name)
        answer = _task_answer(result, len(compared))
        if refused:
            attributes = {"type": result.outcome, "message": one_line(answer.headline)}
            ElementTree.SubElement(case, "failure", attributes).text = as_text(answer)
        else:
            ElementTree.SubElement(case, "system-out").text = as_text(answer)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def spoken(outcome: str) -> str:
    """Return an outcome as words."""
    return {"non_inferior": "not inferior"}.get(outcome, outcome)


def _head(compared: Sequence[Comparison]) -> str:
    """Return the outcome of one task, or of several and how many have which."""
    first, where = compared[0], compared[0].task
    if len(compared) > 1:
        number = Counter(one.outcome for one in compared)
        each = ", ".join(f"{number[one]} {spoken(one)}" for one in OUTCOMES if one in number)
        where = f"{len(compared)} tasks ({each})"
    outcome = overall_outcome(compared)
    within = f" within {_margin(first)}" if outcome in _WITHIN_MARGIN else ""
    within += ", though worse" if _is_tolerated_loss(first) and len(compared) == 1 else ""
    return f"{spoken(outcome)}{within}: {first.candidate} against {first.baseline} on {where}"


def _task_answer(result: Comparison, n_tasks: int) -> Answer:
    """Return the answer on one of so many tasks."""
    words = ("broke", "mended") if result.kind == "binary" else ("got worse", "got better")
    flips = tuple(map(Items, words, (result.broke, result.mended)))
    return Answer(_head([result]), asdict(result), _sentences(result, n_tasks), flips)


def _sentences(result: Comparison, n_tasks: int) -> tuple[str, ...]:
    gap_of = partial(signed_gap, measure=result.measure)
    of = " of 100" if result.measure == POINTS else ""
    means = "unweighted means " if result.is_weighted else ""
    gap = (
        f"gap {result.measure.with_unit(gap_of(result.gap))} "
        f"({means}{result.measure.shown(result.candidate_score, 1)} against "
        f"{result.measure.shown(result.baseline_score, 1)}{of}), {confidence(result.alpha)} "
        f"interval {gap_of(result.gap_low_single)} to {gap_of(result.gap_high_single)}"
    )
    if n_tasks > 1:
        gap += f"; {gap_of(result.gap_low)} to {gap_of(result.gap_high)} of all {n_tasks} tasks "
        gap += "at once"
    family = f"; {p_value(result.p_family)} adjusted for {n_tasks} tasks" if n_tasks > 1 else ""
    p = f"{p_of_sentence(result.p_single)} ({TEST_NAMES[result.test]}){family}"
    less = result.measure.sentence.replace("first model", "candidate")
    decides = _what_decides(result) if result.more_items else ""
    return (gap, p, _counted_items(result), *filter(None, (less, _by_margin(result), decides)))


def _counted_items(result: Comparison) -> str:
    alike = result.n_items - len(result.broke) - len(result.mended)
    out = counted(result.n_unscored, "item")
    lacking = f"; {out} left out for want of a score" if result.n_unscored else ""
    return f"{counted(result.n_items, 'item')}, {alike:,} of them with the same score{lacking}"


def _margin(result: Comparison) -> str:
    return margin_shown(result.margin, result.measure)


def _by_margin(result: Comparison) -> str:
    """Say what a margin leaves open, and what it passes over."""
    if result.outcome == "undetermined" and result.margin is not None:
        return f"A loss of {_margin(result)} or more is not ruled out."
    if _is_tolerated_loss(result):
        return f"The candidate is worse, by less than the margin of {_margin(result)}."
    return ""


def _is_tolerated_loss(result: Comparison) -> bool:
    return result.outcome == "equivalent" and result.gap_high_single < 0


def _what_decides(result: Comparison) -> str:
    if math.isinf(result.more_items):
        if result.gap == 0:
            return "From a gap of 0 no number of items follows that would decide it."
        within = "" if result.margin is None else ", or that it is within the margin,"
        return (
            f"Even a thousand times these items show the sign of the gap{within} with a chance "
            f"below {result.power:g}."
        )
    shown = "better" if result.gap > 0 else "worse"
    if result.decided_as == "equivalent":
        shown = "equivalent"
    more, total = result.more_items, result.n_items + result.more_items
    return (
        f"{more:,.0f} more items, {total:,.0f} in all, have a chance of {result.power:g} to show "
        f"it {shown}."
    )
