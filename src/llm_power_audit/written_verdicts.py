"""The verdicts of a finished audit, from its table of claims, and how a page marks them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from llm_power_audit._csv import Rows, csv_table
from llm_power_audit.claims import VERDICTS, Verdict

CLAIMS: Final = Path("audit/claims.csv")


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the vocabulary: how it is shown, its meaning, and what stands before it."""

    word: str
    meaning: str
    glyph: str = ""


#: The verdicts explained, in the order of the totals' columns.
VERDICT_TERMS: Final[Mapping[Verdict, Term]] = {
    "holds": Term(
        "holds",
        "Every value that the rest allows is equal within half a unit of the last printed digit; "
        "where a simulation is involved, within what chance explains.",
        "✓",
    ),
    "holds_rounded": Term(
        "holds rounded",
        "Holds by the rounding of its whole column, which is named: up or down, where to nearest "
        "it would not.",
        "≈",
    ),
    "contradicted": Term(
        "contradicted",
        "No value that the rest allows is the printed one; how far off it is, and a derivation to "
        "check by hand, stand beside it.",
        "✗",
    ),
    "ambiguous": Term(
        "ambiguous",
        "The text does not define the quantity, and the readings of it that were tried do not "
        "decide; each is listed with what it gives.",
        "?",
    ),
    "feasible": Term(
        "feasible",
        "The values that the rest allows hold the printed one and exclude others; or a data set "
        "that fits the other printed numbers has it, and others may not.",
        "◇",
    ),
    "not_checkable": Term(
        "not checkable",
        "Nothing at hand tests it, or printed numbers that contradict each other leave nothing to "
        "test it by; what would be needed is named.",
        "○",
    ),
}


def in_words(name: str) -> str:
    """Return a verdict, a class of evidence or another name of a table as a text has it."""
    return name.replace("_", " ")


def verdicts_by_claim(results: Path) -> dict[str, str]:
    """Return the verdict of each claim; none where no audit was made."""
    return {row["id"]: row["verdict"] for row in _rows(results)}


def claims_by_exhibit(results: Path) -> dict[str, Rows]:
    """Return the judged claims by the exhibit they belong to; none where no audit was made."""
    claims: dict[str, Rows] = {}
    for row in _rows(results):
        claims.setdefault(row["exhibit"], []).append(row)
    return claims


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
    words = in_words(verdict)
    return words if n_claims == 1 else words.replace("holds", "hold")


def _rows(results: Path) -> Rows:
    return csv_table(results / CLAIMS) if (results / CLAIMS).is_file() else []
