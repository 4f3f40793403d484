"""The manifest reads provenance from the files themselves."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from llm_power._provenance import Provenance
from llm_power._report.figures import house_style, new_figure, save_figure
from llm_power._report.tables import Column, Table
from replication.index_page import render_index
from replication.manifest import build_manifest, describe
from replication.records import Record
from replication.stages import write_undefined
from replication.table_files import write_table

WITNESS = Provenance.witness("everything printed")


@pytest.fixture
def made(tmp_path: Path) -> list[dict[str, Any]]:
    frame = pd.DataFrame({"x": [1.5]})
    sources = [WITNESS, Provenance.published("Table 3")]
    table = Table(frame, [Column("x", "x")], "A table.", sources)
    files = write_table(table, tmp_path / "table_03")
    with house_style():
        figure = new_figure(height=2)
        figure.subplots().plot([0, 1])
        drawn = save_figure(figure, tmp_path / "figure_01", [WITNESS], title="A figure")
    (tmp_path / "prose.csv").write_text("quantity,value\n")
    (tmp_path / "table_03.tsv").write_text("s\th:m:s\n2.5\t0:00:02\n")
    inputs = {str(tmp_path / "in.csv"): "recorded"}
    prose = Record("prose", inputs, named([tmp_path / "prose.csv"]))
    return [
        # The rule of a paper beside the first has the name of the paper before it.
        describe(
            "table_03",
            Record("kite_table_03", inputs, named(files)),
            benchmark=tmp_path / "table_03.tsv",
        ),
        describe("figure_01", Record("figure_01", inputs, named(drawn)), None, tmp_path / "none"),
        describe("prose", prose, [Provenance("simulated", "seed 1")]),
    ]


def test_what_printed_numbers_leave_undefined_is_left_out_and_says_why(tmp_path: Path) -> None:
    files = [tmp_path / "figure_02.png", tmp_path / "figure_02.csv"]
    write_undefined(map(str, files), "score must lie in [0, 1], got 8.65")
    one = describe("figure_02", Record("figure_02", {}, named(files)))
    assert one["undefined"] == "score must lie in [0, 1], got 8.65"
    manifest = build_manifest(
        [one], [], left_out=["board: absent"], jobs=[], paper={}, config={"seed": 1, "source": "x"}
    )
    assert manifest["left_out"] == ["board: absent", f"figure_02: not computed: {one['undefined']}"]
    page = render_index({**manifest, "paper": {"title": "t", "citation": "c"}}, tmp_path)
    assert "figure_02: not computed: score must lie in [0, 1], got 8.65" in page


def named(files: Iterable[Path]) -> dict[str, str]:
    return {str(path): "recorded" for path in files}


def test_exhibits_are_described_by_their_own_files(
    made: list[dict[str, Any]], tmp_path: Path
) -> None:
    jobs = [
        Record("a", {}, {}, began="2026-05-28T09:00", ended="2026-05-28T09:10"),
        Record("b", {}, {}, began="2026-05-28T09:05", ended="2026-05-28T09:06"),
        # Made before times were kept.
        Record("c", {}, {}),
    ]
    config = {"seed": 1, "source": "printed"}
    manifest = build_manifest(made, [], left_out=["x"], jobs=jobs, paper={}, config=config)
    assert (manifest["run"]["start"], manifest["run"]["end"]) == (jobs[0].began, jobs[0].ended)
    assert manifest["run"]["agent"]
    table, figure, prose = manifest["exhibits"]
    assert table["classes"] == ["witness", "published"]
    assert table["wall_seconds"] == 2.5
    assert table["inputs"][str(tmp_path / "in.csv")] == "recorded"
    assert figure["classes"] == ["witness"]
    assert figure["provenance"] == WITNESS.line
    assert figure["wall_seconds"] is None
    assert (prose["classes"], prose["provenance"]) == (["simulated"], "simulated (seed 1)")
    assert manifest["software"]["numpy"]
    json.dumps(manifest, allow_nan=False)


def test_outputs_without_provenance_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="none of these outputs says"):
        describe("prose", Record("prose", {}, named([tmp_path / "prose.csv"])))
