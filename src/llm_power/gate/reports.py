"""What a comparison says: for a terminal, a pull request, a test report, a program."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final
from xml.etree import ElementTree

from llm_power.choices import TEST_NAMES
from llm_power.errors import counted, one_line
from llm_power.gate.comparison import Comparison
from llm_power.report._escape import escape_markdown

_MOST_ITEMS: Final = 20


def comparison_text(found: Comparison) -> str:
    """Return the outcome, what it rests on, and what would decide it.

    Parameters
    ----------
    found : Comparison
        What `compare_models` returned.

    Returns
    -------
    str
        Lines for a terminal; of long lists of items the first 20.

    Examples
    --------
    >>> from llm_power.example import example_task
    >>> from llm_power.gate.comparison import compare_models
    >>> from llm_power.gate.reports import comparison_text
    >>> found = compare_models(example_task(), "osprey", "heron")
    >>> print(comparison_text(found).partition("broke")[0].rstrip())
    undetermined: heron against osprey on exam
    gap +2.50 points (72.75 against 70.25 of 100), 95% interval -1.97 to +7.01
    p = 0.32 (exact McNemar test)
    It has 400 items; 2,252 more would show it better with power 0.8, if rates stay as they are.
    """
    lines = [
        f"{spoken(found.outcome)}: {found.candidate} against {found.baseline} on {found.task}",
        *_sentences(found),
        *(
            f"{verb} ({len(items):,}): {_listed(items)}"
            for verb, items in (("broke", found.broke), ("mended", found.mended))
        ),
    ]
    return "\n".join(map(one_line, lines))


def comparison_markdown(found: Comparison) -> str:
    """Return the same for the summary of a job or the comment on a pull request.

    Parameters
    ----------
    found : Comparison
        What `compare_models` returned.

    Returns
    -------
    str
        GitHub Markdown; names and items are literal text, whatever they hold.

    Examples
    --------
    >>> from llm_power.example import example_task
    >>> from llm_power.gate.comparison import compare_models
    >>> from llm_power.gate.reports import comparison_markdown
    >>> comparison_markdown(compare_models(example_task(), "osprey", "kite")).splitlines()[0]
    '### worse: kite against osprey on exam'
    """
    names = (escape_markdown(name) for name in (found.candidate, found.baseline, found.task))
    head = "### {}: {} against {} on {}".format(spoken(found.outcome), *names)
    flips = (
        f"<details><summary>{counted(len(items), 'item')} {verb}</summary>\n\n"
        f"{escape_markdown(_listed(items))}\n\n</details>"
        for verb, items in (("broke", found.broke), ("mended", found.mended))
    )
    return "\n\n".join([head, *_sentences(found), *flips]) + "\n"


def comparison_json(found: Comparison) -> str:
    """Return every field of a comparison as JSON; numbers that are not finite are null.

    Parameters
    ----------
    found : Comparison
        What `compare_models` returned.

    Returns
    -------
    str
        One object.

    Examples
    --------
    >>> import json
    >>> from llm_power.example import example_task
    >>> from llm_power.gate.comparison import compare_models
    >>> from llm_power.gate.reports import comparison_json
    >>> json.loads(comparison_json(compare_models(example_task(), "osprey", "kite")))["outcome"]
    'worse'
    """
    fields = {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in asdict(found).items()
    }
    return json.dumps(fields, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def comparison_junit(found: Comparison, *, failed: bool) -> str:
    """Return a test report of one case, as continuous integration servers read it.

    Parameters
    ----------
    found : Comparison
        What `compare_models` returned.
    failed : bool
        Whether the outcome is one that the gate refuses.

    Returns
    -------
    str
        JUnit XML.

    Examples
    --------
    >>> from llm_power.example import example_task
    >>> from llm_power.gate.comparison import compare_models
    >>> from llm_power.gate.reports import comparison_junit
    >>> found = compare_models(example_task(), "osprey", "kite")
    >>> '<failure type="worse"' in comparison_junit(found, failed=True)
    True
    """
    head = {"name": "llm-power compare", "tests": "1", "failures": str(int(failed)), "errors": "0"}
    suite = ElementTree.Element("testsuite", head)
    name = one_line(f"{found.candidate} against {found.baseline}")
    case = ElementTree.SubElement(suite, "testcase", classname=one_line(found.task), name=name)
    text = comparison_text(found)
    if failed:
        said = {"type": found.outcome, "message": text.splitlines()[0]}
        ElementTree.SubElement(case, "failure", said).text = text
    else:
        ElementTree.SubElement(case, "system-out").text = text
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def spoken(outcome: str) -> str:
    """Return an outcome as words.

    Examples
    --------
    >>> from llm_power.gate.reports import spoken
    >>> spoken("non_inferior")
    'not inferior'
    """
    return {"non_inferior": "not inferior"}.get(outcome, outcome)


def _sentences(found: Comparison) -> list[str]:
    confidence = f"{100 * (1 - found.alpha):g}%"
    gap = (
        f"gap {100 * found.gap:+.2f} points ({100 * found.candidate_score:.2f} against "
        f"{100 * found.baseline_score:.2f} of 100), {confidence} interval "
        f"{100 * found.gap_low:+.2f} to {100 * found.gap_high:+.2f}"
    )
    p = f"p = {found.p:.2g} ({TEST_NAMES[found.test]})"
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
