"""What a comparison says: for a terminal, a pull request, a test report, a program."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Final
from xml.etree import ElementTree

from llm_power.choices import OUTCOMES, TEST_NAMES
from llm_power.errors import counted, one_line
from llm_power.gate.comparison import Comparison, overall_outcome
from llm_power.report._escape import escape_markdown

_MOST_ITEMS: Final = 20


def comparison_text(*compared: Comparison) -> str:
    """Return the outcome, what it rests on, and what would decide it."""
    parts = [_task_text(one, len(compared)) for one in compared]
    if len(compared) > 1:
        parts.insert(0, one_line(_head(compared)))
    return "\n\n".join(parts)


def comparison_markdown(*compared: Comparison) -> str:
    """Return the same for the summary of a job or the comment on a pull request."""
    heads = [] if len(compared) == 1 else [f"### {escape_markdown(_head(compared))}"]
    level = "#" * (3 + len(heads))
    parts = [
        part
        for found in compared
        for part in (
            f"{level} {escape_markdown(_head([found]))}",
            *_sentences(found, len(compared)),
            *_flips(found),
        )
    ]
    return "\n\n".join([*heads, *parts]) + "\n"


def comparison_json(*compared: Comparison) -> str:
    """Return every field of a comparison as JSON; numbers that are not finite are null."""
    tasks = [
        {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in asdict(found).items()
        }
        for found in compared
    ]
    answer = {"outcome": overall_outcome(compared), "tasks": tasks} if len(tasks) > 1 else tasks[0]
    return json.dumps(answer, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def comparison_junit(*compared: Comparison, fail_if: Collection[str]) -> str:
    """Return a test report of one case a task, as continuous integration servers read it."""
    failed = [found.outcome in fail_if for found in compared]
    numbers = {"tests": str(len(compared)), "failures": str(sum(failed)), "errors": "0"}
    suite = ElementTree.Element("testsuite", {"name": "llm-power compare", **numbers})
    for found, refused in zip(compared, failed, strict=True):
        name = one_line(f"{found.candidate} against {found.baseline}")
        case = ElementTree.SubElement(suite, "testcase", classname=one_line(found.task), name=name)
        text = _task_text(found, len(compared))
        if refused:
            said = {"type": found.outcome, "message": text.splitlines()[0]}
            ElementTree.SubElement(case, "failure", said).text = text
        else:
            ElementTree.SubElement(case, "system-out").text = text
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
    outcome = spoken(overall_outcome(compared))
    return f"{outcome}: {first.candidate} against {first.baseline} on {where}"


def _task_text(found: Comparison, n_tasks: int) -> str:
    """Return what a terminal shows of one of so many tasks."""
    flips = (("broke", found.broke), ("mended", found.mended))
    lists = [f"{verb} ({len(items):,}): {_listed(items)}" for verb, items in flips]
    return "\n".join(map(one_line, [_head([found]), *_sentences(found, n_tasks), *lists]))


def _flips(found: Comparison) -> list[str]:
    """Return the items that broke and were mended, folded in Markdown."""
    # The word before the items keeps one like "- a" from opening a list.
    return [
        f"<details><summary>{counted(len(items), 'item')} {verb}</summary>\n\n"
        f"Items: {escape_markdown(_listed(items))}\n\n</details>"
        for verb, items in (("broke", found.broke), ("mended", found.mended))
    ]


def _sentences(found: Comparison, n_tasks: int) -> list[str]:
    confidence = f"{100 * (1 - found.alpha):g}%"
    gap = (
        f"gap {100 * found.gap:+.2f} points ({100 * found.candidate_score:.2f} against "
        f"{100 * found.baseline_score:.2f} of 100), {confidence} interval "
        f"{100 * found.gap_low:+.2f} to {100 * found.gap_high:+.2f}"
    )
    family = f"; {found.p_family:.2g} adjusted for {n_tasks} tasks" if n_tasks > 1 else ""
    p = f"p = {found.p:.2g} ({TEST_NAMES[found.test]}){family}"
    return [gap, p, *([_what_decides(found)] if found.more_items else [])]


def _what_decides(found: Comparison) -> str:
    have = f"It has {counted(found.n_items, 'item')};"
    if math.isinf(found.more_items):
        if found.test.startswith("cluster"):
            return f"{have} no number of items from these clusters would decide it."
        return f"{have} no number of them would decide it, if rates stay as they are."
    shown = "better" if found.gap > 0 else "worse"
    if found.decided_as == "equivalent":
        shown = "equivalent"
    return (
        f"{have} {found.more_items:,.0f} more would show it {shown} with power "
        f"{found.power:g}, if rates stay as they are."
    )


def _listed(items: Sequence[str]) -> str:
    hidden = len(items) - _MOST_ITEMS
    shown = ", ".join(items[:_MOST_ITEMS]) or "none"
    return f"{shown}, and {hidden:,} more" if hidden > 0 else shown
