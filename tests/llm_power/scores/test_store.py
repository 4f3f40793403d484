"""The checks that every task passes, and the canonical Parquet: what is written is read back."""

from __future__ import annotations

import json
import stat
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_power._choices import Kind
from llm_power._errors import ScoreError
from llm_power._scores.store import (
    METADATA_KEY,
    Provenance,
    Repeats,
    TaskScores,
    read_task,
    write_task,
)

NAN = np.nan
# Printable characters of every script, without spaces.
NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=12
)


def small(**changes: Any) -> TaskScores:
    """Three models on three items, one score missing."""
    fields: dict[str, Any] = {
        "task": "demo",
        "kind": "binary",
        "item_ids": ("007", "7", "x"),
        "models": ("a", "category", "c"),
        "values": np.array([[1, 0, NAN], [0, 1, 0], [1, 1, 1]]),
        "clusters": {"subject": ("math", "law", "math")},
        "provenance": Provenance(
            source="example.org/scores",
            revision="f00d",
            retrieved="2025-01-31T12:00:00+00:00",
            files={"demo.csv": "0" * 64},
            tolerated={"malformed_records": {"c": 2}},
        ),
    }
    return TaskScores(**(fields | changes))


def assert_same(left: TaskScores, right: TaskScores) -> None:
    np.testing.assert_array_equal(left.values, right.values)
    for field in ("task", "kind", "item_ids", "models", "clusters", "provenance"):
        assert getattr(left, field) == getattr(right, field), field


@st.composite
def tasks(draw: st.DrawFn) -> TaskScores:
    kind: Kind = draw(st.sampled_from(["binary", "graded"]))
    names = draw(
        st.lists(NAMES.filter(lambda name: name != "item_id"), min_size=2, max_size=6, unique=True)
    )
    n_clusters = draw(st.integers(0, len(names) - 2))
    clusters, models = names[:n_clusters], names[n_clusters:]
    items = draw(st.lists(NAMES, min_size=2, max_size=8, unique=True))
    score = st.sampled_from([0.0, 1.0, NAN]) if kind == "binary" else st.floats(0, 1) | st.just(NAN)
    rows = [draw(st.lists(score, min_size=len(models), max_size=len(models))) for _ in items]
    values = np.array(rows)
    values[0] = 0.0  # no model is empty
    labels = st.lists(NAMES, min_size=len(items), max_size=len(items))
    return TaskScores(
        task=draw(NAMES),
        kind=kind,
        item_ids=tuple(items),
        models=tuple(models),
        values=values,
        clusters={column: tuple(draw(labels)) for column in clusters},
    )


@given(task=tasks())
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, task: TaskScores
) -> None:
    path = tmp_path_factory.mktemp("store") / "task.parquet"
    write_task(task, path)
    assert_same(read_task(path), task)


def test_provenance_survives(tmp_path: Path) -> None:
    write_task(small(), tmp_path / "t.parquet")
    assert_same(read_task(tmp_path / "t.parquet"), small())


def test_same_scores_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "first.parquet", tmp_path / "sub"
    second.mkdir()
    write_task(small(), first)
    write_task(read_task(first), second / "other_name.parquet")
    assert first.read_bytes() == (second / "other_name.parquet").read_bytes()


def test_canonical_columns_and_types(tmp_path: Path) -> None:
    """One column for ids, then clusters, then models: int8 or float64, null where missing."""
    write_task(small(), tmp_path / "t.parquet")
    schema = pq.read_schema(tmp_path / "t.parquet")
    assert schema.names == ["item_id", "subject", "a", "category", "c"]
    assert [str(kind) for kind in schema.types] == ["string", "string", "int8", "int8", "int8"]
    frame = pd.read_parquet(tmp_path / "t.parquet")
    assert frame["c"].isna().tolist() == [True, False, False]
    graded = small(kind="graded", values=np.array([[0.1, 0, NAN], [0.3, 1, 0], [1, 1, 1]]))
    write_task(graded, tmp_path / "g.parquet")
    assert {str(kind) for kind in pq.read_schema(tmp_path / "g.parquet").types} == {
        "string",
        "double",
    }


def repeated(**changes: Any) -> TaskScores:
    values = np.array([[0.5, 0], [1, NAN], [0.5, 1]])
    found = Repeats(np.array([[2, 2], [2, 0], [2, 1]]), np.array([[0.5, 0], [0, NAN], [0.5, NAN]]))
    task = TaskScores("exam", "graded", ("x", "y", "z"), ("a", "b"), values, repeats=found)
    return replace(task, **changes)


def same_repeats(one: TaskScores, other: TaskScores) -> None:
    assert one.repeats is not None
    assert other.repeats is not None
    np.testing.assert_array_equal(one.repeats.number, other.repeats.number)
    np.testing.assert_array_equal(one.repeats.variance, other.repeats.variance)


def test_repeats_survive_and_leave_files_without_them_alone(tmp_path: Path) -> None:
    write_task(repeated(), tmp_path / "t.parquet")
    schema = pq.read_schema(tmp_path / "t.parquet")
    assert schema.names == ["item_id", "a", "b", "repeats", "variance_of_repeats"]
    assert_same(read_task(tmp_path / "t.parquet"), repeated())
    same_repeats(read_task(tmp_path / "t.parquet"), repeated())
    singles = Repeats(np.array([[1, 1], [1, 0], [1, 1]]), np.full((3, 2), NAN))
    assert repeated(repeats=singles).repeats is None
    for name, found in (("none", None), ("singles", singles)):
        write_task(repeated(repeats=found), tmp_path / name)
        assert b"repeats" not in (tmp_path / name).read_bytes()


def test_a_part_has_its_repeats() -> None:
    part = repeated().part(items=[2, 0], models=[1, 0])
    assert (part.item_ids, part.models) == (("z", "x"), ("b", "a"))
    assert part.repeats is not None
    assert part.repeats.number.tolist() == [[1, 2], [2, 2]]
    np.testing.assert_array_equal(part.repeats.variance, [[NAN, 0.5], [0, 0.5]])


TWO = np.full((3, 2), 2)
BAD_REPEATS = {
    "of other items": (TWO[:2], np.zeros((2, 2)), r"shapes \(2, 2\) and \(2, 2\) for \(3, 2\)"),
    "without a score": (TWO, np.zeros((3, 2)), "repeats without a score"),
    "of one": ([[2, 2], [2, 0], [2, 1]], [[0, 0], [0, NAN], [0, 0]], "variance of repeats is not"),
    "negative": ([[2, 2], [2, 0], [2, 1]], [[-1, 0], [0, NAN], [0, NAN]], "variance of repeats"),
}


@pytest.mark.parametrize("name", BAD_REPEATS)
def test_repeats_that_do_not_fit_are_refused(name: str) -> None:
    number, variance, message = BAD_REPEATS[name]
    with pytest.raises(ScoreError, match=message):
        repeated(repeats=Repeats(np.array(number), np.array(variance)))


def test_a_model_of_the_columns_name_is_refused_with_repeats_alone() -> None:
    assert repeated(repeats=None, models=("a", "repeats")).models == ("a", "repeats")
    with pytest.raises(ScoreError, match="model 'repeats': two columns of the score table"):
        repeated(models=("a", "repeats"))


@pytest.mark.parametrize("change", ["narrow", "null", "absent"])
def test_repeats_of_another_form_are_not_canonical(tmp_path: Path, change: str) -> None:
    path = tmp_path / "t.parquet"
    write_task(repeated(), path)
    table = pq.read_table(path)
    place = table.column_names.index("repeats")
    if change == "absent":
        table = table.drop_columns("repeats")
    else:
        rows = [[2], [2], [2]] if change == "narrow" else [[2, 2], None, [2, 1]]
        kind = pa.list_(pa.int64(), 1 if change == "narrow" else 2)
        table = table.set_column(place, "repeats", pa.array(rows, type=kind))
    try:
        pq.write_table(table, path)
    except pa.ArrowNotImplementedError as error:
        pytest.skip(f"this pyarrow writes no such column: {error}")
    with pytest.raises(ScoreError, match="'repeats'"):
        read_task(path)


def test_a_failed_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.parquet"
    write_task(small(), path)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space"):
        write_task(small(task="other"), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_written_file_has_ordinary_permissions(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    write_task(small(), tmp_path / "t.parquet")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {stat.S_IMODE(plain.stat().st_mode)}


def test_scores_cannot_be_changed() -> None:
    given_values = np.array([[1, 0, NAN], [0, 1, 0], [1, 1, 1]])
    task = small(values=given_values)
    given_values[0, 0] = 0
    assert task.values[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        task.values[0, 0] = 0


def test_mean_scores_are_over_scored_items() -> None:
    np.testing.assert_array_equal(small().mean_scores, [2 / 3, 2 / 3, 1 / 2])


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no item": (
        {"item_ids": (), "values": np.empty((0, 3)), "clusters": {}},
        "there are no items",
    ),
    "no model": ({"models": (), "values": np.empty((3, 0))}, "there are no models"),
    "item twice": ({"item_ids": ("x", "y", "x")}, "item 'x': this item id occurs 2 times"),
    "item empty": ({"item_ids": ("x", "", "y")}, "item id number 2 '' is empty"),
    "item with a space": ({"item_ids": ("x", "y", "x ")}, "'x ' begins or ends with a space"),
    "item with NUL": ({"item_ids": ("x", "y", "x\0")}, r"'x\\x00' contains a control"),
    "item surrogate": ({"item_ids": ("x", "y", "\ud800")}, r"'\\ud800' contains a control"),
    "item right to left": ({"item_ids": ("x", "y", "a\u202eb")}, "invisible character"),
    "item long": ({"item_ids": ("x", "y", "z" * 501)}, "longer than 500 characters"),
    "model twice": ({"models": ("a", "b", "a")}, "model 'a': two columns"),
    "model is item_id": ({"models": ("a", "b", "item_id")}, "model 'item_id': two columns"),
    "model is cluster": ({"models": ("a", "b", "subject")}, "model 'subject': two columns"),
    "model with newline": ({"models": ("a", "b", "c\nd")}, r"'c\\nd' contains a control"),
    "cluster is item_id": (
        {"clusters": {"item_id": ("a", "b", "c")}},
        "cluster column 'item_id' would be there twice",
    ),
    "label missing": (
        {"clusters": {"subject": ("math", "", "law")}},
        "item '7': no label in cluster column 'subject'",
    ),
    "label with tab": ({"clusters": {"subject": ("a", "b\tc", "d")}}, "contains a control"),
    "labels too few": ({"clusters": {"subject": ("math",)}}, "1 label for 3 items"),
    "task empty": ({"task": ""}, "task name '' is empty"),
    "kind": ({"kind": "ordinal"}, "unknown kind of score 'ordinal'"),
    "shape": ({"values": np.ones((2, 3))}, r"shape \(2, 3\) for 3 items and 3 models"),
    "not binary": (
        {"values": [[1, 0, 1], [0, 0.5, 0], [1, 1, 0]]},
        "model 'category', item '7': score 0.5 is not 0 or 1. Remedy: .*graded",
    ),
    "infinite": (
        {"values": [[1, 0, 1], [0, np.inf, 0], [1, 1, 0]], "kind": "graded"},
        r"score inf is outside \[0, 1\]",
    ),
    "negative": (
        {"values": [[1, 0, 1], [0, -0.1, 0], [1, 1, 0]], "kind": "graded"},
        r"model 'category', item '7': score -0.1 is outside \[0, 1\]",
    ),
    "percent out of range": (
        {"values": [[1, 0, 1], [0, 8.654499999999999, 0], [1, 1, 0]], "kind": "graded"},
        r"score 8\.6545 is outside",
    ),
    "empty model": (
        {"values": [[1, 0, NAN], [0, 1, NAN], [1, 1, NAN]]},
        "model 'c': this model has no score at all",
    ),
}


@pytest.mark.parametrize(("changes", "message"), BAD.values(), ids=BAD.keys())
def test_scores_that_cannot_be_compared_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ScoreError, match=message) as raised:
        small(**changes)
    assert str(raised.value).isprintable()
    assert "file 'demo.csv'" in str(raised.value)
    assert "Remedy: " in str(raised.value)


@pytest.mark.parametrize("time", ["yesterday", "2025-01-31", "2025-01-31T12:00:00+02:00"])
def test_time_of_retrieval_is_utc(time: str) -> None:
    with pytest.raises(ScoreError, match="not an ISO 8601 time in UTC"):
        Provenance(retrieved=time)


def rewritten(tmp_path: Path, change: dict[str, Any]) -> Path:
    """Write a canonical file whose metadata differ by `change`; None removes a key."""
    path = tmp_path / "t.parquet"
    write_task(small(), path)
    table = pq.read_table(path)
    metadata = json.loads(table.schema.metadata[METADATA_KEY]) | change
    kept = {key: value for key, value in metadata.items() if value is not None}
    encoded = json.dumps(kept).encode()
    pq.write_table(table.replace_schema_metadata({METADATA_KEY: encoded}), path)
    return path


RECORD = {
    name: value
    for name, value in asdict(Provenance()).items()
    if name not in {"chosen_of", "reading"}
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 1}, "not of format 2"),
        ({"task": None}, "incomplete"),
        ({"kind": "ordinal"}, "incomplete"),
        ({"kind": "graded"}, "column 'a' is not stored as double"),
        ({"clusters": [1]}, "not named by text"),
        ({"clusters": []}, "column 'subject' is not stored as int8"),
        ({"clusters": ["topic"]}, "there is no column 'topic'"),
        ({"provenance": {"source": "x"}}, "incomplete"),
        ({"provenance": RECORD | {"kind": "hearsay"}}, "scores of the kind .hearsay."),
        ({"provenance": RECORD | {"kind": "witness"}}, "fitted to ..\\."),
        ({"provenance": RECORD | {"kind": 1}}, "incomplete"),
        ({"provenance": RECORD | {"chosen_of": "all"}}, "incomplete"),
        ({"provenance": RECORD | {"reading": {}}}, "incomplete"),
        ({"provenance": RECORD | {"files": {"a": 1}}}, "incomplete"),
        ({"provenance": RECORD | {"tolerated": {"a": {"b": "c"}}}}, "incomplete"),
    ],
)
def test_metadata_that_do_not_fit_are_refused(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(ScoreError, match=message):
        read_task(rewritten(tmp_path, change))


def test_values_are_checked_on_the_way_in(tmp_path: Path) -> None:
    """A canonical file that was edited afterwards gets no credit for its metadata."""
    path = tmp_path / "t.parquet"
    write_task(small(), path)
    table = pq.read_table(path)
    edited = table.set_column(2, "a", pa.array([1, 2, 0], type=pa.int8()))
    pq.write_table(edited, path)
    with pytest.raises(ScoreError, match=r"model 'a', item '7': score 2\.0 is not 0 or 1"):
        read_task(path)


@given(data=st.data())
def test_a_damaged_file_is_refused_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Cut anywhere, a Parquet never raises anything but ScoreError."""
    path = tmp_path_factory.mktemp("damaged") / "t.parquet"
    write_task(small(), path)
    whole = path.read_bytes()
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(ScoreError):
        read_task(path)


@given(data=st.data())
def test_a_changed_byte_never_changes_a_score(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """The pages of a Parquet, which hold the cells, are written with checksums."""
    path = tmp_path_factory.mktemp("changed") / "t.parquet"
    write_task(small(), path)
    whole = bytearray(path.read_bytes())
    footer = int.from_bytes(whole[-8:-4], "little") + 8
    place = data.draw(st.integers(4, len(whole) - footer - 1))
    whole[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(whole)
    try:
        task = read_task(path)
    except ScoreError:
        return
    assert_same(task, small())


def test_replace_checks_again() -> None:
    with pytest.raises(ScoreError, match="two columns"):
        replace(small(), models=("a", "a", "c"))
