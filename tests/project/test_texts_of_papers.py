"""Every number of a paper's text is covered by a claim, or excused with a reason."""

from __future__ import annotations

import pytest

from llm_power_audit.coverage import Coverage, cover, load_spans
from llm_power_audit.register import load_register
from needed import ROOT, folder_of, page

REASONS = {
    "kotawala2026": {
        *("author data", "citation year", "code identifier", "cross-reference", "definition"),
        *("equation number", "heading number", "idiom", "index or exponent", "model name"),
        *("name", "reference", "row label", "symbol", "url"),
    },
    "miller2024": {
        *("author data", "citation key", "cross-reference", "definition", "equation number"),
        *("heading number", "idiom", "index or exponent", "list number", "name", "rendered again"),
    },
    "skpower2025": {
        *("citation year", "cross-reference", "definition", "example", "heading number", "idiom"),
        *("index or exponent", "name", "reference", "row label", "setting", "url"),
    },
}
TEXTS = {
    "kotawala2026": "resolution_diagnostics.md",
    "miller2024": "miller_error_bars.txt",
    "skpower2025": "sk_power.md",
}


def coverage_of(paper: str) -> Coverage:
    text = (folder_of("LLM_POWER_PAPERS") / TEXTS[paper]).read_text(encoding="utf-8")
    folder = ROOT / "data" / paper
    spans = load_spans(folder / "spans.csv", folder / "excused.csv")
    claims = {claim.id: claim for claim in load_register(folder / "claims.yaml").claims}
    return cover(text, spans, claims)


@pytest.mark.parametrize("paper", TEXTS)
def test_the_text_is_covered(paper: str) -> None:
    coverage = coverage_of(paper)
    assert coverage.uncovered == ()
    assert coverage.excused.keys() == REASONS[paper]


@pytest.mark.parametrize("paper", ["miller2024", "skpower2025"])
def test_the_page_of_exhibits_counts_the_numbers_of_the_text(paper: str) -> None:
    found = coverage_of(paper)
    assert (
        f"Of the {found.n_tokens:,} numbers in its text {found.n_numbers} are a claim's number, "
        f"{found.n_parts} stand within what a claim says and tests, and "
        f"{sum(found.excused.values())} need no claim"
    ) in page("docs/exhibits.md")
