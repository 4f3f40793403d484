"""Every number of the paper's text is covered by a claim, or excused with a reason."""

from __future__ import annotations

from pathlib import Path

from audit.coverage import cover, load_spans
from audit.register import load_register
from needed import folder_of

FOLDER = Path(__file__).resolve().parents[2] / "data" / "skpower2025"
REASONS = {
    *("citation year", "cross-reference", "definition", "example", "heading number", "idiom"),
    *("index or exponent", "name", "reference", "row label", "setting", "url"),
}


def test_the_text_is_covered() -> None:
    text = (folder_of("LLM_POWER_PAPERS") / "sk_power.md").read_text(encoding="utf-8")
    spans = load_spans(FOLDER / "spans.csv", FOLDER / "excused.csv")
    claims = {claim.id: claim for claim in load_register(FOLDER / "claims.yaml").claims}
    coverage = cover(text, spans, claims)
    assert coverage.uncovered == ()
    assert coverage.excused.keys() == REASONS
