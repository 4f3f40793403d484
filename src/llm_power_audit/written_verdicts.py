"""The verdicts of a finished audit, from its table of claims, and how a page marks them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from llm_power._provenance import VERDICTS, Verdict
from llm_power_audit._csv import Rows, csv_table

CLAIMS: Final = Path("audit/claims.csv")
# What stands before a verdict on a page.
GLYPHS: Final[Mapping[Verdict, str]] = {
    "holds": "✓",
    "holds_rounded": "≈",
    "contradicted": "✗",
    "ambiguous": "?",
    "feasible": "◇",
    "not_checkable": "○",
}


def verdicts_by_claim(results: Path) -> dict[str, str]:
    """Return the verdict of each claim; none where no audit was made."""
    return {row["id"]: row["verdict"] for row in _rows(results)}


def claims_by_exhibit(results: Path) -> dict[str, Rows]:
    """Return the judged claims by the exhibit they belong to; none where no audit was made."""
    found: dict[str, Rows] = {}
    for row in _rows(results):
        found.setdefault(row["exhibit"], []).append(row)
    return found


def claim_anchor(claim_id: str, part: str = "claim") -> str:
    """Name an element of the report after a claim; different ids have different names."""
    # Outside the alphabet, the tilde included, a character is its code point between tildes.
    name = re.sub(r"[^A-Za-z0-9._/-]", lambda match: f"~{ord(match[0]):x}~", claim_id)
    return f"{part}/{name}"


def counted(verdicts: Iterable[str]) -> list[tuple[str, str]]:
    """Return each verdict that occurs, and in words of how many claims."""
    counts = Counter(verdicts)
    return [
        (one, f"{counts[one]:,} {_words(one, counts[one])}") for one in VERDICTS if counts.get(one)
    ]


def _words(verdict: str, n_claims: int) -> str:
    words = verdict.replace("_", " ")
    return words if n_claims == 1 else words.replace("holds", "hold")


def _rows(results: Path) -> Rows:
    return csv_table(results / CLAIMS) if (results / CLAIMS).is_file() else []
