"""Wide and long tables as JSON Lines, or as one list: an object a row."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_power._errors import ScoreError
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_scores, recognize
from llm_power._scores.store import TaskScores
from llm_power._scores.wide import read_wide

read_long = partial(read_scores, reader="long")

NAN = float("nan")
Row = dict[str, Any]
WIDE: list[Row] = [
    {"item_id": "007", "topic": "math", "m1": 1, "m2": 0},
    {"item_id": "7", "topic": "law", "m1": None, "m2": 1},
    {"item_id": "é x", "topic": "math", "m1": 0, "m2": 0},
]
LONG: list[Row] = [
    {"item_id": row["item_id"], "model": model, "score": row[model], "topic": row["topic"]}
    for row in WIDE
    for model in ("m1", "m2")
]
TABLES = {"wide": WIDE, "long": LONG}
EVERY_TABLE = pytest.mark.parametrize("name", TABLES)
TOPIC = ReadOptions(clusters=["topic"])


def as_lines(rows: Sequence[Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


LAYOUTS: dict[str, Callable[[Sequence[Any]], str]] = {
    "lines": as_lines,
    "lines of escapes": lambda rows: "\n".join(map(json.dumps, rows)),
    "lines with a mark": lambda rows: "\ufeff" + as_lines(rows),
    "lines of Windows": lambda rows: as_lines(rows).replace("\n", "\r\n"),
    "lines with blank ones": lambda rows: "\n\n" + as_lines(rows).replace("\n", "\n \n"),
    "a list": json.dumps,
    "an indented list": lambda rows: json.dumps(rows, indent=2, ensure_ascii=False),
    "a list with a mark": lambda rows: "\ufeff\n" + json.dumps(rows),
}


def write(folder: Path, content: str | Sequence[Any], name: str = "demo.jsonl") -> Path:
    path = folder / name
    text = content if isinstance(content, str) else as_lines(content)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def read(folder: Path, content: str | Sequence[Any], options: ReadOptions = TOPIC) -> TaskScores:
    return read_wide([write(folder, content)], options)


@EVERY_TABLE
@pytest.mark.parametrize("layout", LAYOUTS)
def test_ways_to_write_the_same_table(tmp_path: Path, name: str, layout: str) -> None:
    """Whatever the file's ending: its first character tells what it is."""
    path = write(tmp_path, LAYOUTS[layout](TABLES[name]), "demo.data")
    assert recognize([path], TOPIC) == name
    task = read_scores(path, TOPIC)
    assert (task.task, task.kind) == ("demo", "binary")
    assert (task.item_ids, task.models) == (("007", "7", "é x"), ("m1", "m2"))
    assert task.clusters == {"topic": ("math", "law", "math")}
    np.testing.assert_array_equal(task.values, [[1, 0], [NAN, 1], [0, 0]])


def test_order_of_names_does_not_matter(tmp_path: Path) -> None:
    """An object has none; models stand as in the first row."""
    turned = [WIDE[0], *(dict(reversed(row.items())) for row in WIDE[1:])]
    np.testing.assert_array_equal(read(tmp_path, turned).values, read(tmp_path, WIDE).values)
    assert read(tmp_path, turned).models == ("m1", "m2")


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([1, 0, 1], [1, 0, 1]),
        ([True, False, None], [1, 0, NAN]),
        ([1.0, 0, True], [1, 0, 1]),
        ([0.25, 1, 0], [0.25, 1, 0]),
        ([1e-300, 1, 0], [1e-300, 1, 0]),
    ],
)
def test_scores_are_numbers_or_truth_values(
    tmp_path: Path, scores: list[Any], expected: list[float]
) -> None:
    rows = [{"item_id": k, "a": score, "b": k % 2} for k, score in enumerate(scores)]
    task = read(tmp_path, rows, ReadOptions(kind="graded"))
    assert task.item_ids == ("0", "1", "2")
    np.testing.assert_array_equal(task.values[:, 0], expected)


def test_a_declared_field_of_an_object_makes_a_long_table(tmp_path: Path) -> None:
    rows = [{"doc": {"id": i}, "model": model, "score": 1} for i in (0, 1) for model in "ab"]
    path = tmp_path / "exam.jsonl"
    path.write_text(as_lines(rows), encoding="utf-8")
    assert recognize([path], ReadOptions(item="doc.id")) == "long"
    assert read_scores(path, ReadOptions(item="doc.id")).item_ids == ("0", "1")


def test_declared_columns(tmp_path: Path) -> None:
    """What no reader would recognize is read as it was declared."""
    renamed = {"item_id": "question", "model": "system", "score": "acc"}
    rows = [{renamed.get(name, name): cell for name, cell in row.items()} for row in LONG]
    path = write(tmp_path, rows)
    with pytest.raises(ScoreError, match="JSON of a form that no reader recognizes.*Remedy: name"):
        recognize([path], ReadOptions())
    options = ReadOptions(item="question", model="system", score="acc")
    assert recognize([path], options) == "long"
    assert read_long([path], options).models == ("m1", "m2")
    wide = [{"question": row["item_id"], "m1": row["m1"], "m2": row["m2"]} for row in WIDE]
    assert recognize([write(tmp_path, wide)], ReadOptions(item="question")) == "wide"


def row(item: Any = "z", m1: Any = 1, **more: Any) -> Row:
    return {"item_id": item, "topic": "law", "m1": m1, "m2": 0} | more


FAULTS: dict[str, tuple[str | list[Any], str]] = {
    "no rows": ("[]", "the table is empty. Remedy: write an object in each line"),
    "an empty object": ("{}", "the table is empty"),
    "a row of text": ([*WIDE, "x"], "row 4 is a str instead of an object. Remedy: write an obje"),
    "a list of lists": ("[[1, 2], [3, 4]]", "row 1 is a list instead of an object"),
    "a row without a model": (
        [*WIDE, {"item_id": "z", "topic": "law", "m1": 1}],
        "row 4 has no 'm2', and the first row has one. Remedy: .* null for a missing score",
    ),
    "a row with another model": (
        [*WIDE, row(m3=1)],
        "row 4 has a value for 'm3', and the first row has none. Remedy: write the same names",
    ),
    "a model twice": ('{"item_id": 1, "m1": 1, "m1": 0}', "the next one has the key 'm1' twice"),
    "half a row": (as_lines(WIDE)[:-9], "damaged after 2 records: the next one is not JSON"),
    "half a list": (json.dumps(WIDE)[:-1], "neither a comma nor the end of the list"),
    "two rows on a line": (as_lines(WIDE).replace("}\n{", "} {"), "follows on the same line"),
    "NaN": ([*WIDE, row(m1=NAN)], "item 'z': column 'm1' holds NaN. Remedy: store a missing"),
    "infinity": ([*WIDE, row(m1=float("inf"))], "item 'z': score inf is not 0 or 1"),
    "beyond floats": ([*WIDE, row(m1=10**400)], "item 'z': score inf is not 0 or 1"),
    "beyond whole numbers": ([*WIDE, row(m1=2**63)], r"score 9\.22.*e\+18 is not 0 or 1"),
    "graded": ([*WIDE, row(m1=0.5)], "score 0.5 is not 0 or 1. Remedy: .*kind='graded'"),
    "a score of text": ([*WIDE, row(m1="1")], "'m1' holds both text and numbers, not scores"),
    "scores of text": ([r | {"m1": "1"} for r in WIDE], "column 'm1' holds string, not scores"),
    "a score that is a list": ([*WIDE, row(m1=[1])], "'m1' holds lists or objects, not scores"),
    "a score that is an object": ([*WIDE, row(m1={})], "'m1' holds lists or objects, not scores"),
    "ids of text and numbers": ([*WIDE, row(8)], "'item_id' holds both text and numbers, which"),
    "ids that are fractions": ([r | {"item_id": 0.5} for r in WIDE], "'item_id' holds double"),
    "ids beyond whole numbers": ([row(2**70), row(3)], "'item_id' holds double"),
    "ids that are true": ([row(True), row(False)], "'item_id' holds bool, which names nothing"),
    "an id that is null": ([*WIDE, row(None)], "item id number 4 '' is empty"),
    "an id twice": ([*WIDE, row("7")], "item '7': this item id occurs 2 times"),
    "a label that is null": ([*WIDE, row(topic=None)], "item 'z': no label in cluster column"),
    "labels of different types": ([*WIDE, row(topic=1)], "'topic' holds both text and numbers"),
    "an empty name": ([{"item_id": 1, "topic": "x", "": 1}], "column 3 has no name"),
    "half a character": ([*WIDE, row("\ud800")], "a text that is no Unicode .*Remedy: write the"),
    "an invisible name": ([r | {"\x1b": 1} for r in WIDE], r"name '\\x1b' contains a control or"),
    "no item column": ([{"id": 1, "m1": 1, "m2": 0}], "no column of item ids was declared; the co"),
    "no score at all": ([r | {"m1": None} for r in WIDE], "model 'm1': this model has no score at"),
}


@pytest.mark.parametrize(("content", "message"), FAULTS.values(), ids=FAULTS)
def test_faults(tmp_path: Path, content: str | list[Any], message: str) -> None:
    text = content if isinstance(content, str) else "\n".join(map(json.dumps, content))
    with pytest.raises(ScoreError, match=message) as caught:
        read(tmp_path, text)
    assert "demo.jsonl" in str(caught.value)
    assert "Remedy: " in str(caught.value)


LONG_FAULTS: dict[str, tuple[list[Any], str]] = {
    "a score twice": (
        [*LONG, LONG[0]],
        "item '007': data row 7 scores this model on this item once",
    ),
    "a model of another type": (
        [*LONG, LONG[0] | {"model": 7}],
        "'model' holds both text and numbers",
    ),
    "a model that is null": ([*LONG, LONG[0] | {"model": None}], "model name '' is empty"),
    "another label": (
        [*LONG, LONG[0] | {"model": "m3", "topic": "law"}],
        "item '007': cluster column 'topic' says 'math' and 'law'",
    ),
    "a row without a score": (
        [*LONG, {"item_id": "z", "model": "m1", "topic": "law"}],
        "row 7 has no 'score', and the first row has one",
    ),
}


@pytest.mark.parametrize(("rows", "message"), LONG_FAULTS.values(), ids=LONG_FAULTS)
def test_faults_of_long_tables(tmp_path: Path, rows: list[Any], message: str) -> None:
    with pytest.raises(ScoreError, match=message) as caught:
        read_long([write(tmp_path, rows)], TOPIC)
    assert "Remedy: " in str(caught.value)


def test_bytes_that_are_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "demo.jsonl"
    path.write_bytes(as_lines(WIDE).encode("latin-1"))
    with pytest.raises(ScoreError, match="damaged after 0 records: what follows is not UTF-8"):
        read_wide([path], TOPIC)


names = st.text("abcXYZ .é-", min_size=1, max_size=6).filter(
    lambda name: name == name.strip() and name not in {"item_id", "model", "score"}
)
columns_of_scores = st.lists(
    st.sampled_from([0, 1, None, True, False, 1.0]), min_size=4, max_size=4
).filter(lambda column: {0, 1} <= {*column})


def as_csv(rows: list[Row]) -> str:
    sink = io.StringIO()
    writer = csv.DictWriter(sink, rows[0])
    writer.writeheader()
    writer.writerows(
        {k: float(v) if isinstance(v, bool) else v for k, v in line.items()} for line in rows
    )
    return sink.getvalue()


@EVERY_TABLE
@given(
    columns=st.dictionaries(names, columns_of_scores, min_size=2, max_size=3),
    layout=st.sampled_from([*LAYOUTS]),
)
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    columns: dict[str, list[Any]],
    layout: str,
) -> None:
    """The scores come back, and are those of the same table as CSV."""
    folder = tmp_path_factory.mktemp("tables")
    items = [f"q{k}" for k in range(4)]
    rows: list[Row] = [
        {"item_id": item} | {model: column[k] for model, column in columns.items()}
        for k, item in enumerate(items)
    ]
    if name == "long":
        rows = [
            {"item_id": row["item_id"], "model": model, "score": row[model]}
            for row in rows
            for model in columns
        ]
    reader = partial(read_scores, reader=name)
    task = reader([write(folder, LAYOUTS[layout](rows))], ReadOptions())
    assert (task.models, task.item_ids) == (tuple(columns), tuple(items))
    expected = np.array(list(columns.values()), dtype=float).T
    np.testing.assert_array_equal(task.values, expected)
    again = reader([write(folder, as_csv(rows), "demo.csv")], ReadOptions())
    np.testing.assert_array_equal(again.values, expected)
