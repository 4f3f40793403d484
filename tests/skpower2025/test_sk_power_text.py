"""Every number of the paper's text is covered by a claim, or excused with a reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from llm_power.claims.register import load_register
from replication.coverage import cover, load_spans

FOLDER = Path(__file__).resolve().parents[2] / "data" / "skpower2025"
REASONS = {
    *("citation year", "cross-reference", "definition", "example", "heading number", "idiom"),
    *("index or exponent", "name", "reference", "row label", "setting", "url"),
}


def test_the_text_is_covered() -> None:
    papers = os.environ.get("LLM_POWER_PAPERS", "")
    if not papers:
        pytest.skip("LLM_POWER_PAPERS is not set: the paper's text is not at hand")
    text = Path(papers, "sk_power.md").read_text(encoding="utf-8")
    spans = load_spans(FOLDER / "spans.csv", FOLDER / "excused.csv")
    claims = {claim.id: claim for claim in load_register(FOLDER / "claims.yaml").claims}
    coverage = cover(text, spans, claims)
    assert coverage.uncovered == ()
    assert coverage.excused.keys() == REASONS
