"""One function for every form: what a file is, by what is in it and not by its ending."""

from __future__ import annotations

import json
import os
import socket
import tomllib
import tracemalloc
import zipfile
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from llm_power._errors import InvalidArgument, ScoreError
from llm_power._plugins import READERS, PluginError, load_reader, reader_names
from llm_power._scores._head import Head
from llm_power._scores._source import read_file
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_scores, recognize
from llm_power._scores.store import Provenance, TaskScores, read_task, write_task
from needed import ROOT

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
    with pytest.raises(ScoreError, match="there are no models"):
        read_scores(canonical, ReadOptions(exclude=["a", "b", "c"]))


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


@pytest.mark.parametrize("reader", ["auto", *reader_names()])
def test_a_pipe_is_not_waited_for(tmp_path: Path, reader: str) -> None:
    path = tmp_path / "model_outputs_m_5shots.zip"
    os.mkfifo(path)
    with pytest.raises(ScoreError, match=r"cannot be read \(a pipe, a socket or a device"):
        read_scores(path, ReadOptions(metric="acc"), reader=reader)


def test_what_else_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket has to be short
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket.csv")
        for path in (Path("socket.csv"), Path("/dev/zero")):
            with pytest.raises(ScoreError, match="a pipe, a socket or a device"):
                read_scores(path)


def test_of_a_parquet_file_the_end_names_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "details.parquet"
    texts = [str(k) * 500 for k in range(1000)]
    pq.write_table(pa.table({"example": texts, "hashes": texts}), path, compression=None)
    tracemalloc.start()
    assert Head(path).columns == ["example", "hashes"]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < path.stat().st_size / 4


def test_an_object_of_many_members_is_looked_at_once(tmp_path: Path) -> None:
    path = tmp_path / "per_instance_details.json"
    path.write_text(json.dumps({f"a__b-{i}": {"resolved": i % 2 == 0} for i in range(20_000)}))
    started = process_time()
    assert recognize([path], ReadOptions()) == "swe_bench"
    assert process_time() - started < 5


@pytest.mark.parametrize("declared", [{"kind": "ordinal"}, {"answer_key": "best"}])
def test_options_outside_their_choices(declared: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match="must be one of"):
        ReadOptions(**declared)


def install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, package: str, source: str, entry_point: str
) -> None:
    """Put a package with one entry point where Python looks for packages."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / f"{package}.py").write_text(source, encoding="utf-8")
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[llm_power.readers]\n{entry_point}\n")
    monkeypatch.syspath_prepend(folder)


PLUGIN = """
from llm_power._scores.wide import read_wide

def read_demo(paths, options):
    return read_wide(paths, options)

def read_nothing(paths, options):
    return None

constant = 7
"""


def test_another_package_can_add_a_reader(
    forms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, "demo_plugin", PLUGIN, "demo = demo_plugin:read_demo")
    assert "demo" in reader_names()
    assert read_scores(forms["wide_csv"], reader="demo").models == ("a", "b")
    # Not among what is recognized: a reader of another package has to be named.
    assert recognize([forms["wide_csv"]], ReadOptions()) == "wide"


@pytest.mark.parametrize(
    ("entry_point", "message"),
    [
        ("demo = broken_plugin:read", r"'demo = .* of broken_plugin' cannot be loaded \(ZeroDiv"),
        ("demo = no_such_plugin:read", r"cannot be loaded \(ModuleNotFoundError: No module nam"),
        ("demo = json:read_demo", r"cannot be loaded \(AttributeError"),
        ("demo = math:pi", "'demo = math:pi of broken_plugin' is not a function"),
    ],
)
def test_a_package_with_a_broken_reader(
    forms: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    entry_point: str,
    message: str,
) -> None:
    """An error when the reader is asked for, and only then."""
    install(tmp_path / "site", monkeypatch, "broken_plugin", "1 / 0", entry_point)
    assert read_scores(forms["wide_csv"], reader="wide").models == ("a", "b")
    with pytest.raises(PluginError, match=f"{message}.*Remedy: repair or uninstall that package"):
        load_reader("demo")


def test_two_packages_with_a_reader_of_one_name(
    forms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, "other_plugin", PLUGIN, "wide = other_plugin:read_demo")
    assert len(set(reader_names())) == len(reader_names())
    with pytest.raises(
        PluginError,
        match="2 packages have a reader 'wide': 'wide = llm_power._scores.wide:read_wide of "
        "llm-power', 'wide = other_plugin:read_demo of other_plugin'. Remedy: uninstall all but",
    ):
        read_scores(forms["wide_csv"])


def test_a_reader_that_returns_no_scores(
    forms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, "none_plugin", PLUGIN, "n = none_plugin:read_nothing")
    with pytest.raises(ScoreError, match="the reader 'n' returned a NoneType instead of TaskSco"):
        read_scores(forms["wide_csv"], reader="n")


def test_the_built_in_readers_are_those_that_pyproject_lists() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = project["entry-points"][READERS]
    assert set(listed) <= set(reader_names())
    for name, target in listed.items():
        module, _, attribute = target.partition(":")
        assert load_reader(name) == getattr(import_module(module), attribute)


RUN = "2024-06-16T16-57-41.377142"
FOLDERS = {
    "lm_eval": [f"org__m/samples_demo_{RUN}.jsonl", f"org__m/results_{RUN}.json"],
    "lm_eval, old": [f"m/samples_a.b_{RUN}.json", f"m/a.b_{RUN}.json"],
    "details_v1": [f"details_m/{RUN}/details_harness|gsm8k|5_{RUN}.parquet"],
    "inspect": ["2026-05-28T15-46-28-00-00_demo_FNnVBb.eval", "logs.json"],
    "inspect, JSON": ["2026-05-28T15-46-28+00-00_demo_gpt-4.1_FNnVBb.json", "logs.json"],
    "helm": [
        f"mmlu:subject=law,model=a_b/{name}.json"
        for name in ("per_instance_stats", "stats", "run_spec", "scenario_state", "instances")
    ],
    "swe_bench": ["org__m.run-1.json", "instance_ids.txt"],
    "swe_bench, submissions": ["20240402_m/results/results.json", "20240402_m/metadata.yaml"],
}


@pytest.mark.parametrize("name", FOLDERS)
def test_folders_are_recognized_by_how_tools_name_their_files(tmp_path: Path, name: str) -> None:
    for file in FOLDERS[name]:
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".parquet":
            columns = {"example": ["a"], "hashes": ["b"], "acc": [1.0]}
            pq.write_table(pa.table(columns), path)
        else:
            path.write_text('{"resolved": []}')
    assert recognize([tmp_path], ReadOptions()) == name.split(",", maxsplit=1)[0]


def test_folders_that_do_not_say_what_they_hold(forms: dict[str, Path], tmp_path: Path) -> None:
    run = tmp_path / "zips" / "model" / "samples_task_2024-06-16T16-57-41.377142.jsonl"
    run.parent.mkdir()
    run.touch()
    with pytest.raises(ScoreError, match="several formats: 'lm_eval', 'mmlu_pro_zip'. Remedy: na"):
        read_scores(forms["zips"])


@pytest.mark.parametrize("content", ['{"a": 1}', "[]", "[1, 2]", "\ufeff\n [{}]"])
def test_json_that_is_no_log(tmp_path: Path, content: str) -> None:
    path = tmp_path / "scores.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ScoreError, match="no reader recognizes. Remedy: name the reader, one of"):
        read_scores(path)


def test_files_of_one_name_keep_their_hashes(tmp_path: Path) -> None:
    """Named by their folders where their own names do not tell them apart."""
    files = []
    for k, place in enumerate(("one/run/scores", "two/scores", "two/other")):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(k))
        files.append(read_file(path))
    digests = [file.sha256 for file in files]
    provenance = ReadOptions().provenance(files, "demo")
    names = ["one/run/scores", "two/scores", "two/other"]
    assert provenance.files == dict(zip(names, digests, strict=True))
    provenance = ReadOptions().provenance(files[1:], "demo")
    assert provenance.files == dict(zip(["scores", "other"], digests[1:], strict=True))
