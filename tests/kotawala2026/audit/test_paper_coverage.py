"""What covers the numbers of the paper's text: each once, and each cell of a table."""

from __future__ import annotations

from collections import Counter

import pytest

from llm_power_audit.claims import Register
from llm_power_audit.coverage import Span, load_spans
from paper_fixtures import PUBLISHED


@pytest.fixture(scope="module")
def spans() -> list[Span]:
    return load_spans(PUBLISHED / "spans.csv", PUBLISHED / "excused.csv")


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
