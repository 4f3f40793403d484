"""What the contradicted claims of an audit come to, and what they should read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from llm_power_audit._references import NUMBER
from llm_power_audit.agreement import display_corrected
from llm_power_audit.claims import WEIGHTS, Finding
from llm_power_audit.evaluate import Audit, Judged


@dataclass(frozen=True, slots=True)
class ContradictedFinding:
    """A finding of this audit, with its claims that are contradicted, or else ambiguous."""

    finding: Finding
    contradicted: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a sentence; that of a number has the id of its claim."""

    text: str
    claim: str = ""


def contradicted_findings(audit: Audit) -> list[ContradictedFinding]:
    """Return the findings of which a claim is contradicted, by weight and then in order.

    Of one that an ambiguity is enough for, the ambiguous claims where none is contradicted.
    """
    contradicted = audit.with_verdict("contradicted")
    ambiguous = audit.with_verdict("ambiguous")

    def basis(finding: Finding) -> tuple[Judged, ...]:
        wrong = tuple(item for item in contradicted if item.claim.id in finding.claims)
        open_to_readings = ambiguous if finding.ambiguous else ()
        return wrong or tuple(item for item in open_to_readings if item.claim.id in finding.claims)

    findings = [
        ContradictedFinding(finding, basis(finding))
        for finding in sorted(
            audit.register.findings, key=lambda finding: WEIGHTS.index(finding.weight)
        )
    ]
    return [one for one in findings if one.contradicted]


def ungrouped(audit: Audit) -> list[Judged]:
    """Return the contradicted claims that belong to no finding."""
    grouped = {claim for finding in audit.register.findings for claim in finding.claims}
    return [item for item in audit.with_verdict("contradicted") if item.claim.id not in grouped]


# A sentence says it in its own words.
_RELATION: Final = re.compile(r"[≤≥] ")


def sentence(text: str, judged: Mapping[str, Judged]) -> Iterator[Part]:
    """Split a text of a finding into its words and its numbers, these filled in."""
    end = 0
    for match in NUMBER.finditer(text):
        if before := text[end : match.start()]:
            yield Part(before)
        item = judged[match["claim"]]
        number = item.claim.printed if match["what"] == "printed" else computed(item)
        yield Part(_RELATION.sub("", number), item.claim.id)
        end = match.end()
    if rest := text[end:]:
        yield Part(rest)


def filled(text: str, judged: Mapping[str, Judged]) -> str:
    """Return a text of a finding with its numbers."""
    return "".join(part.text for part in sentence(text, judged))


def should_read(item: Judged, finding: Finding | None, judged: Mapping[str, Judged]) -> str:
    """Return what the printed text of a claim should read."""
    wording = finding.should_read.get(item.claim.id) if finding else None
    return filled(wording, judged) if wording else computed(item)


def computed(item: Judged) -> str:
    """Return what was computed for a claim, by every reading, in the digits of the printed text."""
    readings = [outcome for outcome in item.outcomes if outcome.check.reading]
    outcomes = readings or ([item.deciding] if item.deciding else [])
    ends = [end for o in outcomes for end in ((o.lower, o.upper) if o.is_set else (o.value,))]
    texts = list(dict.fromkeys(display_corrected(item.claim, end) for end in ends))
    numbers = [end for end in ends if not isinstance(end, str)]
    if len(texts) > 2 and len(numbers) == len(ends):
        texts = [display_corrected(item.claim, end) for end in (min(numbers), max(numbers))]
        return " to ".join(texts)
    between = " to " if len(outcomes) == 1 else " or "
    return between.join(texts) or "not computed"


def corrections_json(audit: Audit) -> str:
    """Return a correction for each contradicted claim, those of the weightiest finding first."""
    judged = {item.claim.id: item for item in audit.judged}
    grouped = [
        _correction(item, entry.finding, judged)
        for entry in contradicted_findings(audit)
        for item in entry.contradicted
    ]
    document = {
        "title": audit.register.title,
        "source": audit.register.source,
        "corrections": grouped + [_correction(item, None, judged) for item in ungrouped(audit)],
    }
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _correction(
    item: Judged, finding: Finding | None, judged: Mapping[str, Judged]
) -> dict[str, Any]:
    claim = item.claim
    value = item.deciding.value if item.deciding else None
    if isinstance(value, float) and not math.isfinite(value):
        # JSON has no word for it.
        value = str(value)
    return {
        "finding": finding.id if finding else None,
        "claim": claim.id,
        "section": claim.section,
        "place": claim.place,
        "says": claim.claim,
        "printed": claim.printed,
        "should_read": should_read(item, finding, judged),
        "computed": value,
        "evidence": item.evidence,
        "why": filled(finding.finding, judged) if finding else claim.consequence,
        "derivation": item.derivation,
        "author_response": "",
    }
