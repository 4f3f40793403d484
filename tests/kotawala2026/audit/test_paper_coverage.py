"""Every number of the paper's text is covered by a claim, or excused with a reason."""

from __future__ import annotations

from collections import Counter

import pytest

from llm_power_audit.claims import Register
from llm_power_audit.coverage import Coverage, Span, cover, load_spans
from needed import folder_of
from paper_fixtures import PUBLISHED

REASONS = {
    *("author data", "citation year", "code identifier", "cross-reference", "definition"),
    *("equation number", "heading number", "idiom", "index or exponent", "model name", "name"),
    *("name of a tool", "reference", "row label", "symbol", "url"),
}


@pytest.fixture(scope="module")
def spans() -> list[Span]:
    return load_spans(PUBLISHED / "spans.csv", PUBLISHED / "excused.csv")


@pytest.fixture(scope="module")
def coverage(spans: list[Span], paper_register: Register) -> Coverage:
    paper = folder_of("LLM_POWER_PAPERS") / "resolution_diagnostics.md"
    text = paper.read_text(encoding="utf-8")
    return cover(text, spans, {claim.id: claim for claim in paper_register.claims})


def test_reasons_are_of_the_vocabulary(spans: list[Span]) -> None:
    assert {span.reason for span in spans if span.role == "excused" and not span.is_open} <= REASONS


def test_no_number_is_both_covered_and_excused(spans: list[Span]) -> None:
    roles: dict[tuple[int, int, int], set[bool]] = {}
    for span in spans:
        roles.setdefault(span.place, set()).add(bool(span.claim))
    assert [place for place, found in roles.items() if len(found) > 1] == []


def test_each_cell_of_a_table_is_covered_once(spans: list[Span], paper_register: Register) -> None:
    numbers = {
        one.id
        for one in paper_register.claims
        if one.cell and one.cell.part != "text" and one.cell.column != "convention"
    }
    found = Counter(span.claim for span in spans if span.role == "number")
    assert {name for name in numbers if found[name] != 1} == set()


def test_the_text_is_covered(coverage: Coverage) -> None:
    assert coverage.n_tokens > 2000
    assert coverage.share >= 0.98
