"""Wide tables: CSV and Parquet as people really write them, right or refused."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_power._choices import Kind
from llm_power._errors import InvalidArgument, ScoreError
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_tasks
from llm_power._scores.store import TaskScores
from llm_power._scores.wide import read_wide

NAN = np.nan
GOOD = "item_id,topic,m1,m2\n007,math,1,0\n7,law,,1\nx,math,0,0\n"
TOPIC = ReadOptions(clusters=("topic",))


def read_csv_text(
    folder: Path, text: str | bytes, options: ReadOptions = TOPIC, name: str = "demo.csv"
) -> TaskScores:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_wide([path], options)


def read_columns(
    folder: Path, columns: dict[str, Any], options: ReadOptions | None = None
) -> TaskScores:
    path = folder / "demo.parquet"
    pq.write_table(pa.table(columns), path)
    return read_wide([path], options or ReadOptions())


def read_frame(folder: Path, frame: pd.DataFrame, options: ReadOptions | None = None) -> TaskScores:
    path = folder / "demo.parquet"
    frame.to_parquet(path)
    return read_wide([path], options or ReadOptions())


def test_a_good_table(tmp_path: Path) -> None:
    task = read_csv_text(tmp_path, GOOD)
    assert (task.task, task.kind) == ("demo", "binary")
    assert task.item_ids == ("007", "7", "x")
    assert task.models == ("m1", "m2")
    assert task.clusters == {"topic": ("math", "law", "math")}
    np.testing.assert_array_equal(task.values, [[1, 0], [NAN, 1], [0, 0]])


def test_declarations_and_hash_reach_the_provenance(tmp_path: Path) -> None:
    options = ReadOptions(task="arc", clusters=["topic"], source="example.org", revision="v1")
    task = read_csv_text(tmp_path, GOOD, options)
    modified = datetime.fromtimestamp((tmp_path / "demo.csv").stat().st_mtime, tz=UTC)
    assert task.task == "arc"
    assert (task.provenance.source, task.provenance.revision) == ("example.org", "v1")
    assert task.provenance.retrieved == modified.isoformat(timespec="seconds")
    # sha256sum of the text of GOOD, by coreutils 9.1
    assert task.provenance.files == {
        "demo.csv": "496e260073f43737e3e5821434f3df8a282b00cb7715955c93653547534a0de5"
    }
    declared = ReadOptions(clusters=["topic"], retrieved="2024-05-01T00:00:00+00:00")
    assert read_csv_text(tmp_path, GOOD, declared).provenance.retrieved == declared.retrieved


@pytest.mark.parametrize(
    "text",
    [
        GOOD.encode("utf-8-sig"),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        GOOD.rstrip("\n"),
        GOOD + "\n\n",
        GOOD.replace("math", '"math"').replace(",1", ',"1"'),
        GOOD.replace("1\n", "1.0\n").replace("0\n", "0e0\n").replace("007,math,1", "007,math,+1."),
        GOOD.replace(",1,", ",True,").replace(",1\n", ",true\n").replace("0\n", "FALSE\n"),
    ],
    ids=["bom", "crlf", "cr", "no last newline", "blank lines", "quotes", "floats", "booleans"],
)
def test_ways_to_write_the_same_table(tmp_path: Path, text: str | bytes) -> None:
    expected = read_csv_text(tmp_path, GOOD)
    task = read_csv_text(tmp_path, text)
    np.testing.assert_array_equal(task.values, expected.values)
    assert (task.item_ids, task.models, task.clusters) == (
        expected.item_ids,
        expected.models,
        expected.clusters,
    )


def test_only_the_empty_cell_is_missing(tmp_path: Path) -> None:
    """NA, null and None are names like any other."""
    text = "item_id,NA,null\nNone,1,0\nnan,0,1\nNA,,1\n"
    task = read_csv_text(tmp_path, text, ReadOptions())
    assert task.item_ids == ("None", "nan", "NA")
    assert task.models == ("NA", "null")
    np.testing.assert_array_equal(task.values, [[1, 0], [0, 1], [NAN, 1]])


BAD_CSV: dict[str, tuple[str | bytes, str]] = {
    "empty file": ("", "the file is empty"),
    "header alone": ("item_id,topic,m1,m2\n", "there are no items"),
    "no such cluster": (GOOD.replace("topic", "subject"), "there is no column 'topic'"),
    "no item id": (GOOD.replace("item_id", "id"), "no column of item ids was declared"),
    "header twice": (GOOD.replace("m2", "m1"), "2 columns are called 'm1'"),
    "header empty": (GOOD.replace("topic", ""), "column 2 has no name"),
    "short row": (GOOD.replace("7,law,,1", "7,law,1"), "data row 2 has 3 cells, .* has 4"),
    "long row": (GOOD.replace("7,law,,1", "7,law,,1,"), "data row 2 has 5 cells"),
    "latin-1": (GOOD.replace("math", "é").encode("latin-1"), "not UTF-8 text, at byte 24"),
    "half of utf-16": (GOOD.encode("utf-16")[:-1], "not UTF-16 text"),
    "open quote": (GOOD.replace("x,math", 'x,"math'), "not a CSV table, at line 4"),
    "after a quote": (GOOD.replace("law", '"law" '), "not a CSV table, at line 3"),
    "huge cell": (GOOD.replace("law", "l" * 200_000), "is longer than 500 characters"),
    "newline in an id": (GOOD.replace("007", '"00\n7"'), "contains a control"),
    "NUL in an id": (GOOD.replace("007", "00\0"), "contains a control"),
    "NA": (GOOD.replace(",,", ",NA,"), "model 'm1', item '7': 'NA' in column 'm1' is not a score"),
    "nan": (GOOD.replace(",,", ",nan,"), "'nan' in column 'm1' is not a score"),
    "inf": (GOOD.replace(",,", ",inf,"), "'inf' in column 'm1' is not a score"),
    "overflow": (GOOD.replace(",,", ",1e999,"), "score inf is not 0 or 1"),
    "space": (GOOD.replace(",,", ", 1,"), "' 1' in column 'm1' is not a score"),
    "underscore": (GOOD.replace(",,", ",1_0,"), "'1_0' in column 'm1' is not a score"),
    "other digits": (GOOD.replace(",,", ",١,"), "in column 'm1' is not a score"),
    "two commas": (GOOD.replace(",,", ',"0,5,0",'), "'0,5,0' in column 'm1' is not a score"),
    "percent sign alone": (GOOD.replace(",,", ",%,"), "'%' in column 'm1' is not a score"),
    "two": (GOOD.replace(",,", ",2,"), r"model 'm1', item '7': score 2\.0 is not 0 or 1"),
    "no label": (GOOD.replace("law", ""), "item '7': no label in cluster column 'topic'"),
    "no id": (GOOD.replace("007", ""), "item id number 1 '' is empty"),
    "id twice": (GOOD.replace("x,", "7,"), "item '7': this item id occurs 2 times"),
    "no score": (GOOD.replace(",1,", ",,").replace("math,0", "math,"), "no score at all"),
}


@pytest.mark.parametrize(("text", "message"), BAD_CSV.values(), ids=BAD_CSV.keys())
def test_a_bad_csv_stops_with_one_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(ScoreError, match=message) as raised:
        read_csv_text(tmp_path, text)
    assert "demo.csv" in str(raised.value)
    assert str(raised.value).isprintable()


def test_a_text_column_is_a_property_of_the_items_and_no_model(tmp_path: Path) -> None:
    text = GOOD.replace("topic,", "question,topic,note,").replace(
        "007,math", "007,How\tmany?,math,"
    )
    text = text.replace("7,law", "7,Who?,law,hard").replace("x,math", "x,Why?,math,")
    paths = [tmp_path / "demo.csv", tmp_path / "demo.jsonl", tmp_path / "demo.parquet"]
    paths[0].write_text(text)
    frame = pd.read_csv(paths[0], dtype={"item_id": "str", "m1": "Int8"})
    frame.to_json(paths[1], orient="records", lines=True)
    frame.to_parquet(paths[2], index=False)
    for path in paths:
        notes: list[str] = []
        (task,) = read_tasks(path, on_note=notes.append)
        assert task.models == ("m1", "m2")
        # A tab is in no label, and a note is not there for every item.
        assert task.clusters == {"topic": ("math", "law", "math")}
        assert task.provenance.reading["properties"] == ["question", "topic", "note"]
        told = [note.partition(" text, ")[2] for note in notes]
        assert told == [
            "which no model does: left out",
            "which no model does: read as a property of the items",
            "which no model does: left out",
        ]
        (declared,) = read_tasks(path, ReadOptions(clusters=["topic"], exclude=["note"]))
        assert declared.provenance.reading["properties"] == ["question"]


def test_text_that_may_be_meant_for_scores_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScoreError, match="'NA' in column 'm1' is not a score.*or exclude the"):
        read_csv_text(tmp_path, GOOD.replace(",,", ",NA,"), ReadOptions())


def test_exclude_leaves_a_model_out_before_it_is_checked(tmp_path: Path) -> None:
    text = "item_id,m1,m2,broken\n1,1,0,n/a\n2,0,1,n/a\n"
    task = read_csv_text(tmp_path, text, ReadOptions(exclude=["broken"]))
    assert task.models == ("m1", "m2")
    with pytest.raises(ScoreError, match="model 'm3': the model to exclude is not there"):
        read_csv_text(tmp_path, text, ReadOptions(exclude=["m3"]))


def test_graded_scores(tmp_path: Path) -> None:
    text = "item_id,m1,m2\n1,0.25,1e-3\n2,.5,1\n"
    task = read_csv_text(tmp_path, text, ReadOptions(kind="graded"))
    np.testing.assert_array_equal(task.values, [[0.25, 0.001], [0.5, 1]])


@pytest.mark.parametrize("path", ["missing.csv", ".", "nul\0"])
def test_a_file_that_cannot_be_read(tmp_path: Path, path: str) -> None:
    with pytest.raises(ScoreError, match="cannot be read"):
        read_wide([tmp_path / path], ReadOptions())


def test_one_file_a_task(tmp_path: Path) -> None:
    with pytest.raises(ScoreError, match="2 paths for a reader of one table"):
        read_wide([tmp_path / "a", tmp_path / "b"], ReadOptions())


def test_a_single_name_is_not_a_list_of_letters() -> None:
    with pytest.raises(InvalidArgument, match="clusters must be a list of names, got 'topic'"):
        ReadOptions(clusters="topic")


IDS = ["i1", "i2", "i3"]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 0, None], type=pa.int8()),
        pa.array([1, 0, None], type=pa.uint64()),
        pa.array([1.0, 0.0, None], type=pa.float32()),
        pa.array([True, False, None]),
        pa.array([Decimal("1.00"), Decimal("0.00"), None]),
        pa.chunked_array([[1], [0, None]]),
    ],
    ids=["int8", "uint64", "float32", "bool", "decimal", "chunks"],
)
def test_parquet_types_of_scores(tmp_path: Path, column: Any) -> None:
    task = read_columns(tmp_path, {"item_id": IDS, "a": column, "b": [0, 1, 1]})
    np.testing.assert_array_equal(task.values, [[1, 0], [0, 1], [NAN, 1]])


@pytest.mark.parametrize(
    "column",
    [
        pa.array(IDS, type=pa.large_string()),
        pa.array(IDS, type=pa.string_view()),
        pa.array(IDS).dictionary_encode(),
    ],
    ids=["large", "view", "category"],
)
def test_parquet_types_of_text(tmp_path: Path, column: Any) -> None:
    columns = {"item_id": column, "topic": column, "a": [0, 1, 1], "b": [1, 0, 0]}
    try:
        pq.write_table(pa.table({"item_id": column}), tmp_path / "any.parquet")
    except pa.ArrowNotImplementedError as error:
        pytest.skip(f"this pyarrow writes no such column: {error}")
    task = read_columns(tmp_path, columns, TOPIC)
    assert task.item_ids == tuple(IDS)
    assert task.clusters == {"topic": tuple(IDS)}


BAD_COLUMNS: dict[str, tuple[dict[str, Any], str]] = {
    "text": ({"a": ["1", "0", "1"]}, "column 'a' holds string, not scores.*cluster column"),
    "list": ({"a": [[1], [0], [1]]}, "column 'a' holds list.*, not scores"),
    "struct": ({"a": [{"acc": 1}] * 3}, "column 'a' holds struct.*, not scores"),
    "time": ({"a": [datetime(2024, 1, 1)] * 3}, "column 'a' holds timestamp.*, not scores"),
    "NaN": ({"a": [1.0, NAN, 0.0]}, "model 'a', item 'i2': column 'a' holds NaN.*as null"),
    "huge": ({"a": [1, 2**62 + 1, 0]}, "model 'a', item 'i2': score 4.6.*e.18 is not 0 or 1"),
    "huge unsigned": ({"a": pa.array([1, 2**64 - 1, 0], type=pa.uint64())}, "is not 0 or 1"),
    "nulls": ({"a": pa.nulls(3)}, "model 'a': this model has no score at all"),
    "float ids": ({"item_id": [1.0, 2.0, 3.0]}, "column 'item_id' holds double, which names"),
    "null id": ({"item_id": ["i1", None, "i3"]}, "item id number 2 '' is empty"),
    "nested ids": ({"item_id": [["i1"], ["i2"], ["i3"]]}, "column 'item_id' holds list"),
}


@pytest.mark.parametrize(("columns", "message"), BAD_COLUMNS.values(), ids=BAD_COLUMNS.keys())
def test_bad_columns_of_a_parquet(tmp_path: Path, columns: dict[str, Any], message: str) -> None:
    good = {"item_id": IDS, "a": [0, 1, 0], "b": [1, 0, 0]}
    with pytest.raises(ScoreError, match=message):
        read_columns(tmp_path, good | columns)


def test_two_parquet_columns_of_one_name(tmp_path: Path) -> None:
    path = tmp_path / "demo.parquet"
    arrays = [pa.array(IDS), pa.array([0, 1, 0]), pa.array([1, 0, 0])]
    pq.write_table(pa.Table.from_arrays(arrays, names=["item_id", "a", "a"]), path)
    with pytest.raises(ScoreError, match="2 columns are called 'a'"):
        read_wide([path], ReadOptions())


def test_text_that_is_not_utf8_in_a_parquet(tmp_path: Path) -> None:
    raw = pa.array([b"i1", b"\xff", b"i3"]).cast(pa.binary())
    ids = pa.Array.from_buffers(pa.string(), 3, raw.buffers())
    with pytest.raises(ScoreError, match="not a readable Parquet file"):
        read_columns(tmp_path, {"item_id": ids, "a": [0, 1, 0], "b": [1, 0, 0]})


def test_a_named_pandas_index_holds_the_ids(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [0, 1], "b": [1, 0]}, index=pd.Index([30, 7], name="row"))
    assert read_frame(tmp_path, frame).item_ids == ("30", "7")


def test_an_unnamed_or_double_pandas_index_does_not(tmp_path: Path) -> None:
    scores = {"a": [0, 1], "b": [1, 0]}
    for index in (None, pd.Index([30, 7]), pd.MultiIndex.from_tuples([(1, 2), (3, 4)])):
        with pytest.raises(ScoreError, match="no column of item ids was declared"):
            read_frame(tmp_path, pd.DataFrame(scores, index=index))


def test_declared_item_column_wins(tmp_path: Path) -> None:
    columns = {"question": ["q1", "q2"], "a": [0, 1], "b": [1, 0]}
    assert read_columns(tmp_path, columns, ReadOptions(item="question")).item_ids == ("q1", "q2")
    with pytest.raises(ScoreError, match=r"no column 'query'; the columns are 'question', 'a'"):
        read_columns(tmp_path, columns, ReadOptions(item="query"))


def test_nullable_pandas_columns(tmp_path: Path) -> None:
    frame = pd.DataFrame({"item_id": IDS, "a": [1, None, 0], "b": [0.0, NAN, 1.0]})
    task = read_frame(tmp_path, frame.astype({"a": "Int8"}))
    np.testing.assert_array_equal(task.values, [[1, 0], [NAN, NAN], [0, 1]])


def parsed_by_pandas(text: bytes) -> tuple[list[str], list[str], list[list[str]]]:
    """Header models, item ids and score cells of the same CSV, by pandas' parser."""
    frame = pd.read_csv(
        io.BytesIO(text), dtype=str, keep_default_na=False, na_filter=False, encoding="utf-8-sig"
    )
    models = [name for name in frame.columns if name not in {"item_id", "topic"}]
    return models, frame["item_id"].tolist(), frame[models].to_numpy().tolist()


ALLOWED = {"1": 1.0, "0": 0.0, "": NAN}


@given(
    place=st.integers(0, len(GOOD)),
    cut=st.integers(0, 3),
    insert=st.binary(max_size=2) | st.sampled_from([b",", b"\n", b'"', b"\r", b"1", b"0", b" "]),
)
def test_a_damaged_csv_is_refused_or_read_as_it_says(
    tmp_path_factory: pytest.TempPathFactory, place: int, cut: int, insert: bytes
) -> None:
    good = GOOD.encode()
    text = good[:place] + insert + good[place + cut :]
    try:
        task = read_csv_text(tmp_path_factory.mktemp("damaged"), text)
    except ScoreError:
        return
    models, ids, cells = parsed_by_pandas(text)
    assert (list(task.models), list(task.item_ids)) == (models, ids)
    expected = [
        [ALLOWED[cell] if cell in ALLOWED else float(cell) for cell in row] for row in cells
    ]
    np.testing.assert_array_equal(task.values, expected)


@given(
    scores=st.lists(
        st.tuples(*[st.sampled_from([0.0, 0.1, 1 / 3, 1.0, NAN]) | st.floats(0, 1)] * 2),
        max_size=6,
    )
)
def test_csv_and_parquet_agree(
    tmp_path_factory: pytest.TempPathFactory, scores: Sequence[tuple[float, float]]
) -> None:
    """Every float64 survives being written as text and read back."""
    folder = tmp_path_factory.mktemp("agree")
    values = np.array([(0.0, 1.0), (1.0, 0.0), *scores])
    ids = [f"i{k}" for k in range(len(values))]
    frame = pd.DataFrame(values, index=pd.Index(ids, name="item_id"), columns=["a", "b"])
    frame.to_csv(folder / "t.csv")
    frame.to_parquet(folder / "t.parquet")
    kind: Kind = "graded"
    for path in folder.iterdir():
        np.testing.assert_array_equal(read_wide([path], ReadOptions(kind=kind)).values, values)


def test_a_real_family_of_320_models(data_root: Path) -> None:
    path = data_root / "olv1_subset" / "arc_mixtral_family.parquet"
    task = read_wide([path], ReadOptions())
    frame = pd.read_parquet(path)
    assert task.values.shape == (735, 320)
    assert task.item_ids == tuple(frame.index.astype(str))
    assert task.models == tuple(frame.columns)
    np.testing.assert_array_equal(task.values, frame.to_numpy())


def test_a_wide_header_with_a_name_twice_takes_no_longer(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"m{i}" for i in range(200_000)]
    path.write_text(",".join([*names, names[-1]]) + "\n")
    started = process_time()
    with pytest.raises(ScoreError, match="2 columns are called 'm199999'"):
        read_wide([path], ReadOptions())
    assert process_time() - started < 10
