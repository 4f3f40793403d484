"""What was computed from a stand-in or a mirror is marked so wherever it is shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from llm_power._provenance import ScoresKind, provenance_kinds, provenance_line
from llm_power._report.figures import new_figure, save_figure
from llm_power._report.tables import (
    STAND_IN_NOTE,
    Column,
    Table,
    basis_of,
    score_provenance,
    to_markdown,
)
from llm_power._scores.store import Provenance, TaskScores
from llm_power_audit.claims import EVIDENCE
from replication.findings import Finding, prose_view
from replication.table_files import to_latex

HUB = "https://huggingface.co/datasets/o/details_m and 4 more of datasets.csv"
MIRROR = "http://127.0.0.1:9, o/details_m and 4 more of datasets.csv"
FILES = {"a": "0" * 64, "b": "1" * 64}


def scores(kind: ScoresKind, source: str = HUB) -> TaskScores:
    made = Provenance(
        source=MIRROR if kind == "stand_in" else source,
        revision="0bb67ddda727",
        files=FILES,
        kind=kind,
        fitted_to="the printed numbers" * (kind == "witness"),
    )
    values = np.array([[0.0, 1.0], [1.0, 0.0]])
    return TaskScores("t", "binary", ("1", "2"), ("m", "n"), values, provenance=made)


@pytest.mark.parametrize(
    ("kinds", "basis"),
    [
        (["raw"], "raw"),
        (["stand_in"], "stand_in"),
        (["raw", "stand_in"], "stand_in"),
        (["witness", "stand_in"], "stand_in"),
        (["witness", "raw"], "witness"),
    ],
)
def test_basis_is_the_weakest_source(kinds: list[ScoresKind], basis: str) -> None:
    assert basis_of([scores(kind) for kind in kinds]) == basis


@pytest.mark.parametrize("source", ["witness.csv", "stand-in or mirror at home", "raw (x); y"])
def test_a_name_says_nothing_of_the_kind(source: str) -> None:
    (found,) = score_provenance([scores("raw", source)])
    assert (found.kind, found.detail.partition(", revision")[0]) == ("raw", source)


def test_line_of_provenance_says_which() -> None:
    real = provenance_line(score_provenance([scores("raw")]))
    assert real.startswith(f"raw ({HUB}, revision 0bb67ddda727, sha256 ")
    sources = score_provenance([scores("stand_in")])
    other = provenance_line(sources)
    assert other.startswith("stand-in or mirror (http://127.0.0.1:9, o/details_m and 4 more")
    assert "raw" not in other
    assert provenance_kinds(sources) == ["stand_in"]


def test_stand_in_is_weaker_evidence_than_any_but_none() -> None:
    assert EVIDENCE[-2:] == ("stand_in", "none")


def test_evidence_of_a_recomputed_number() -> None:
    frame = prose_view([Finding("anything", "", 0.5, basis="stand_in")], {})
    assert list(frame["evidence"]) == ["stand_in"]


def test_table_says_so_in_words() -> None:
    frame = pd.DataFrame({"x": [1.0]})
    column = Column(name="x", header="x")
    sources = tuple(score_provenance([scores("stand_in")]))
    table = Table(frame, (column,), "T", sources)
    assert STAND_IN_NOTE in to_markdown(table).replace("\n", " ")
    assert "no number here is a finding" in to_latex(table)
    real = replace(table, provenance=tuple(score_provenance([scores("raw")])))
    assert "stand-in" not in to_markdown(real)


def test_figure_has_a_mark(tmp_path: Path) -> None:
    sources = score_provenance([scores("stand_in")])
    save_figure(new_figure(height=1.0), tmp_path / "f", sources, title="F")
    assert "STAND-IN OR MIRROR" in (tmp_path / "f.svg").read_text()
