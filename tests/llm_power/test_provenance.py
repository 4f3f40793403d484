from __future__ import annotations

import pytest

from llm_power._errors import InvalidArgument
from llm_power._provenance import Provenance, provenance_line


def test_each_kind_is_one_line() -> None:
    assert Provenance.published("Table 7").line == "from published numbers (Table 7)"
    assert Provenance.simulated(seed=7, trials=1500).line == "simulated (seed 7, 1,500 trials)"
    assert Provenance.witness("Table 4").line == "witness (fitted to Table 4)"
    raw = Provenance.raw(repo="owner/set", revision="abc", sha256="0f")
    assert raw.line == "raw (owner/set, revision abc, sha256 0f)"
    assert "\n" not in Provenance.published("Table\n7").line


def test_sources_are_joined_in_order_and_named_once() -> None:
    counts, draws = Provenance.published("Table 6"), Provenance.simulated(seed=1, trials=2)
    assert provenance_line([counts, draws, counts]) == f"{counts.line}; {draws.line}"


def test_no_source_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="at least one"):
        provenance_line([])
    with pytest.raises(InvalidArgument, match="detail"):
        Provenance.published(" ")
