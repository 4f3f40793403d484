"""Long tables: the pivot refuses what it cannot place, and agrees with the wide reader."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_power._errors import ScoreError
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_scores, read_tasks
from llm_power._scores.wide import read_wide

read_long = partial(read_scores, reader="long")

NAN = np.nan
GOOD = (
    "item,model,score,topic,seconds\n"
    "007,m1,1,math,0.2\n"
    "7,m2,1,law,9.1\n"
    "007,m2,0,math,3.3\n"
    "7,m1,,law,1.0\n"
    "x,m1,0,math,0.1\n"
)
TOPIC = ReadOptions(clusters=["topic"])


def write(folder: Path, text: str) -> list[Path]:
    path = folder / "demo.csv"
    path.write_text(text, encoding="utf-8")
    return [path]


def test_pivot_by_first_appearance(tmp_path: Path) -> None:
    """(x, m2) has no row and (7, m1) no score: both are missing."""
    task = read_long(write(tmp_path, GOOD), TOPIC)
    assert task.item_ids == ("007", "7", "x")
    assert task.models == ("m1", "m2")
    np.testing.assert_array_equal(task.values, [[1, 0], [NAN, 1], [0, NAN]])
    assert task.clusters == {"topic": ("math", "law", "math")}
    assert task.provenance.source == "demo.csv"


def test_declared_columns(tmp_path: Path) -> None:
    text = GOOD.replace("item,model,score", "question,system,acc")
    options = ReadOptions(item="question", model="system", score="acc")
    assert read_long(write(tmp_path, text), options).models == ("m1", "m2")
    with pytest.raises(ScoreError, match="there is no column 'item'"):
        read_long(write(tmp_path, text), ReadOptions())


def test_exclude(tmp_path: Path) -> None:
    text = GOOD + "x,m3,0,math,1\n"
    task = read_long(write(tmp_path, text), ReadOptions(exclude=["m3"]))
    assert task.models == ("m1", "m2")


def test_several_tasks_of_a_table_are_chosen_by_name(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD + "y,m1,1,art,0.3\ny,m2,1,art,0.3\n")
    options = ReadOptions(task_column="topic", task="art,math")
    assert [task.task for task in read_tasks(path, options)] == ["math", "art"]
    with pytest.raises(ScoreError, match=r"no task 'art,x'"):
        read_tasks(path, ReadOptions(task_column="topic", task="art,x"))


def test_a_column_of_tasks_that_is_not_read_is_noted(tmp_path: Path) -> None:
    path, notes = write(tmp_path, GOOD.replace("topic", "task").replace(",,", ",1,")), list[str]()
    for options in (ReadOptions(), ReadOptions(task_column="task"), ReadOptions(clusters=["task"])):
        read_tasks(path, options, on_note=notes.append)
    how = "--task-column task reads a task of each value"
    assert notes == [f"task demo: column task is not read; {how}"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD + "007,m1,1,math,1\n", "model 'm1', item '007': data row 6 scores this model"),
        (GOOD.replace("7,m1,,law", "007,m1,,math"), "model 'm1', item '007': data row 4"),
        (GOOD.replace("7,m1,,law", "7,m1,,math"), "item '7': .*'topic' says 'law' and 'math'"),
        (GOOD.replace("7,m1,,law", "7,m1,,"), "item '7': .*'topic' says 'law' and ''"),
        (GOOD.replace("law", ""), "item '7': no label in cluster column 'topic'"),
        (GOOD.replace(",,", ",NA,"), "item '7': 'NA' in column 'score' is not a score"),
        (GOOD.replace("m2,1", "m2,2"), r"model 'm2', item '7': score 2\.0 is not 0 or 1"),
        (GOOD.replace("m2", ""), "model name '' is empty"),
        (GOOD.replace("m1", "topic"), "model 'topic': two columns of the score table"),
        (GOOD.replace("m1", "item_id"), "model 'item_id': two columns of the score table"),
        (GOOD.splitlines()[0] + "\n", "there are no models"),
    ],
    ids=[
        "pair twice",
        "pair twice, once empty",
        "two labels",
        "label once missing",
        "no label",
        "text",
        "two",
        "no model",
        "model like a cluster",
        "model like the ids",
        "no rows",
    ],
)
def test_a_bad_long_table(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ScoreError, match=message):
        read_long(write(tmp_path, text), TOPIC)


def test_model_names_may_be_whole_numbers_in_parquet(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    columns = {"item_id": [1, 1, 2, 2], "model": [70, 8, 70, 8], "score": [1, 0, 0, 1]}
    pq.write_table(pa.table(columns), path)
    task = read_long([path], ReadOptions())
    assert (task.item_ids, task.models) == (("1", "2"), ("70", "8"))


@given(
    cells=st.lists(st.lists(st.sampled_from([0.0, 1.0, NAN]), min_size=3, max_size=3), max_size=6),
    as_csv=st.booleans(),
    drop_missing_rows=st.booleans(),
)
def test_long_equals_wide(
    tmp_path_factory: pytest.TempPathFactory,
    cells: list[list[float]],
    as_csv: bool,
    drop_missing_rows: bool,
) -> None:
    """The melt of pandas is the other way from one form to the other."""
    folder = tmp_path_factory.mktemp("forms")
    values = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], *cells])
    wide = pd.DataFrame(values, columns=["c", "a", "b"])
    wide.insert(0, "item_id", [f"i{k}" for k in range(len(wide))])
    wide.insert(1, "topic", ["t" + str(k % 2) for k in range(len(wide))])
    long = wide.melt(id_vars=["item_id", "topic"], var_name="model", value_name="score")
    if drop_missing_rows:
        long = long.dropna()
    for name, frame in (("wide", wide), ("long", long)):
        if as_csv:
            frame.to_csv(folder / f"{name}.csv", index=False)
        else:
            frame.to_parquet(folder / f"{name}.parquet", index=False)
    ending = "csv" if as_csv else "parquet"
    from_wide = read_wide([folder / f"wide.{ending}"], TOPIC)
    from_long = read_long([folder / f"long.{ending}"], TOPIC)
    scored = dict(zip(from_long.item_ids, from_long.values, strict=True))
    for item, row in zip(from_wide.item_ids, from_wide.values, strict=True):
        np.testing.assert_array_equal(scored.pop(item, [NAN] * 3), row)
    assert not scored
    assert from_long.models == from_wide.models


def test_many_models_take_no_longer(tmp_path: Path) -> None:
    rows = [f"{item},m{i},{(item + i) % 2}" for item in range(2) for i in range(50_000)]
    path = tmp_path / "long.csv"
    path.write_text("item_id,model,score\n" + "\n".join(rows), encoding="utf-8")
    excluded = [f"m{i}" for i in range(1, 50_000, 2)]
    started = process_time()
    assert read_long([path], ReadOptions(exclude=excluded)).n_models == 25_000
    assert process_time() - started < 10
