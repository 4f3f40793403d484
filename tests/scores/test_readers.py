"""One function for every form: what a file is, by what is in it and not by its ending."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from llm_power.errors import InvalidArgument, ScoreError
from llm_power.scores.options import ReadOptions
from llm_power.scores.readers import read_scores, reader_names, recognize
from llm_power.scores.store import Provenance, TaskScores, read_task, write_task

WIDE: dict[str, list[Any]] = {"item_id": ["1", "2"], "a": [0, 1], "b": [1, 0]}
LONG: dict[str, list[Any]] = {
    "item_id": ["1", "1", "2", "2"],
    "model": ["a", "b", "a", "b"],
    "score": [0, 1, 1, 0],
}


def as_csv(columns: dict[str, list[Any]]) -> str:
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


@pytest.fixture
def forms(tmp_path: Path) -> dict[str, Path]:
    """The same scores in every form; the endings say nothing."""
    paths = {
        name: tmp_path / f"{name}.data"
        for name in ("wide_csv", "long_csv", "wide_parquet", "long_parquet", "canonical")
    }
    paths["wide_csv"].write_text(as_csv(WIDE), encoding="utf-8")
    paths["long_csv"].write_text(as_csv(LONG), encoding="utf-8")
    pq.write_table(pa.table(WIDE), paths["wide_parquet"])
    pq.write_table(pa.table(LONG), paths["long_parquet"])
    write_task(read_scores(paths["wide_csv"]), paths["canonical"])
    folder = tmp_path / "zips"
    folder.mkdir()
    for model, preds in (("a", "BA"), ("b", "AB")):
        records = [
            {"question_id": k, "category": "law", "answer": "A", "pred": pred}
            for k, pred in enumerate(preds, start=1)
        ]
        path = folder / f"model_outputs_{model}_5shots.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("outputs.json", json.dumps(records))
        paths[f"zip_{model}"] = path
    return paths | {"zips": folder}


RECOGNIZED = {
    "wide_csv": "wide",
    "wide_parquet": "wide",
    "long_csv": "long",
    "long_parquet": "long",
    "canonical": "canonical",
    "zips": "mmlu_pro_zip",
    "zip_a": "mmlu_pro_zip",
}


@pytest.mark.parametrize(("form", "reader"), RECOGNIZED.items())
def test_forms_are_recognized(forms: dict[str, Path], form: str, reader: str) -> None:
    assert recognize([forms[form]], ReadOptions()) == reader


def test_every_form_gives_the_same_scores(forms: dict[str, Path]) -> None:
    read = {form: read_scores(path) for form, path in forms.items() if not form.startswith("zip_")}
    read["two zips"] = read_scores([forms["zip_a"], str(forms["zip_b"])])
    for form, task in read.items():
        np.testing.assert_array_equal(task.values, [[0, 1], [1, 0]], err_msg=form)
        assert (task.item_ids, task.models) == (("1", "2"), ("a", "b")), form


def test_declaring_a_column_makes_a_table_long(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(as_csv(LONG).replace("score", "acc"), encoding="utf-8")
    assert recognize([path], ReadOptions()) == "wide"
    assert recognize([path], ReadOptions(score="acc")) == "long"
    assert read_scores(path, ReadOptions(score="acc")).models == ("a", "b")


def test_a_reader_can_be_named(forms: dict[str, Path]) -> None:
    """A canonical file is a wide table as well, but for its provenance."""
    task = read_scores(forms["canonical"], reader="wide")
    assert task.provenance.source == "canonical.data"
    with pytest.raises(ScoreError, match="it has no llm_power metadata"):
        read_scores(forms["wide_parquet"], reader="canonical")
    with pytest.raises(InvalidArgument, match=r"reader must be auto or one of .* got 'excel'"):
        read_scores(forms["wide_csv"], reader="excel")
    assert {"canonical", "wide", "long", "mmlu_pro_zip", "lm_eval", "details_v1"} <= {
        *reader_names()
    }


@pytest.fixture
def canonical(tmp_path: Path) -> Path:
    task = TaskScores(
        task="demo",
        kind="graded",
        item_ids=("1", "2"),
        models=("a", "b", "c"),
        values=np.array([[0.5, 0, 1], [1, 0.25, 0]]),
        clusters={"topic": ("x", "y")},
        provenance=Provenance(source="example.org", revision="v1"),
    )
    write_task(task, tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def test_canonical_knows_itself(canonical: Path) -> None:
    task = read_scores(canonical)
    assert (task.task, task.kind, task.provenance.source) == ("demo", "graded", "example.org")
    again = read_scores(canonical, ReadOptions(task="other", kind="graded", clusters=["topic"]))
    assert (again.task, again.provenance) == ("other", read_task(canonical).provenance)
    assert read_scores(canonical, ReadOptions(exclude=["b"])).models == ("a", "c")


def test_canonical_that_is_not_what_was_declared(canonical: Path) -> None:
    with pytest.raises(ScoreError, match="holds graded scores, declared were binary"):
        read_scores(canonical, ReadOptions(kind="binary"))
    with pytest.raises(ScoreError, match=r"no cluster column 'subject', only \['topic'\]"):
        read_scores(canonical, ReadOptions(clusters=["subject"]))
    with pytest.raises(ScoreError, match="at least two"):
        read_scores(canonical, ReadOptions(exclude=["a", "b"]))


@pytest.mark.parametrize(
    "content", [b"", b"\x00\x01", b"PAR1", b"PAR1" + b"\x00" * 50 + b"PAR1", b"PK\x03\x04", b"{}"]
)
def test_a_file_that_is_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model_outputs_m_5shots.zip"
    path.write_bytes(content)
    with pytest.raises(ScoreError):
        read_scores(path)


def test_paths_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(ScoreError, match="cannot be read"):
        read_scores(tmp_path / "missing.parquet")
    with pytest.raises(
        ScoreError, match="the folder holds none of the files that readers look for"
    ):
        read_scores(tmp_path)
    with pytest.raises(InvalidArgument, match="path must name at least one file"):
        read_scores([])


@pytest.mark.parametrize("declared", [{"kind": "ordinal"}, {"answer_key": "best"}])
def test_options_outside_their_choices(declared: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match="must be one of"):
        ReadOptions(**declared)
