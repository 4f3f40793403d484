"""What the contradicted claims should read, for the author to answer."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from audit._finding_texts import contradicted_findings, filled, should_read, ungrouped
from audit.claims import Finding
from audit.evaluate import Audit, Judged


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
