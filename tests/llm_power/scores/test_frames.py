"""Data frames of several packages, read as a file of the same scores would be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from llm_power import (
    InvalidArgument,
    ScoreError,
    compare,
    read_frame,
    read_samples_df,
    read_scores,
    resolve,
)
from llm_power._scores.options import ReadOptions

INSPECT = Path(__file__).parent / "logs" / "inspect_ai-0.3.285"
SCORES: dict[str, list[Any]] = {
    "item_id": ["q1", "q2", "q3"],
    "topic": ["law", "law", "art"],
    "m1": [1, None, 0],
    "m2": [0, 1, 1],
}


MAKERS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas, index": lambda columns: pd.DataFrame(columns).set_index("item_id"),
    "pandas, categories": lambda columns: pd.DataFrame(columns).astype({"topic": "category"}),
    "pyarrow": pa.table,
    "polars": pl.DataFrame,
}


@pytest.mark.parametrize("maker", MAKERS)
def test_wide_frames(tmp_path: Path, maker: str) -> None:
    options = ReadOptions(task="exam", clusters=["topic"])
    task = read_frame(MAKERS[maker](SCORES), options)
    pd.DataFrame(SCORES).to_csv(tmp_path / "exam.csv", index=False)
    from_file = read_scores(tmp_path / "exam.csv", options)
    assert (task.models, task.item_ids, task.clusters) == (
        from_file.models,
        from_file.item_ids,
        from_file.clusters,
    )
    np.testing.assert_array_equal(task.values, from_file.values)
    assert task.provenance.retrieved is None
    assert len(task.provenance.files["frame"]) == 64


def test_long_frames() -> None:
    rows = [(item, model, (item + len(model)) % 2) for item in (1, 2) for model in ("a", "bb")]
    frame = pd.DataFrame(rows, columns=["question", "model", "acc"])
    task = read_frame(frame, ReadOptions(item="question", score="acc"))
    np.testing.assert_array_equal(task.values, [[0, 1], [1, 0]])


def test_several_tasks_in_a_frame_are_those_of_a_file_of_it(tmp_path: Path) -> None:
    rows = [
        (exam, f"{exam}{i}", model, (i + k) % 3 % 2)
        for exam in ("algebra", "botany")
        for i in range(6)
        for k, model in enumerate(("heron", "wren"))
    ]
    frame = pd.DataFrame(rows, columns=["exam", "item_id", "model", "score"])
    frame.to_csv(tmp_path / "scores.csv", index=False)
    board = resolve(frame, task_column="exam")
    assert [(task.task, task.n_items) for task in board.tasks] == [("algebra", 6), ("botany", 6)]
    pd.testing.assert_frame_equal(
        board.pairs, resolve(tmp_path / "scores.csv", task_column="exam").pairs
    )
    assert [task.task for task in resolve(frame, task_column="exam", task="botany").tasks] == [
        "botany"
    ]
    sides = [frame[frame["model"] == model] for model in ("wren", "heron")]
    assert [one.task for one in compare(*sides, task_column="exam").tasks] == ["algebra", "botany"]
    with pytest.raises(ScoreError, match="several tasks: 'algebra', 'botany'"):
        read_frame(frame, ReadOptions(task_column="exam"))


def test_words_in_a_frame_are_scores_as_in_a_file() -> None:
    said = {name: ["yes" if score else "no" for score in SCORES[name]] for name in ("m1", "m2")}
    board = resolve(pd.DataFrame({"item_id": SCORES["item_id"], **said}), true=["yes"])
    assert board.tasks[0].task == "scores"
    assert dict(zip(board.tasks[0].models, board.tasks[0].mean_scores, strict=True)) == {
        "m1": pytest.approx(1 / 3),
        "m2": pytest.approx(2 / 3),
    }


def test_what_a_frame_holds_besides_scores_is_noted_as_of_a_file(tmp_path: Path) -> None:
    frame = pd.DataFrame({name: SCORES[name] for name in ("item_id", "topic", "m2")} | {"m3": 1})
    frame.to_csv(tmp_path / "scores.csv", index=False)
    noted = resolve(tmp_path / "scores.csv").notes
    assert "column topic holds text" in noted[0]
    assert resolve(frame).notes == compare(frame, baseline="m2", candidate="m3").notes == noted


def test_a_frame_of_counts_has_a_task_for_each_pair() -> None:
    counts = {"model_a": ["heron"], "model_b": ["wren"], "b": [30], "c": [20], "n": [100]}
    board = resolve(pd.DataFrame({**counts, "p_a": [0.6], "p_b": [0.5]}))
    assert [task.task for task in board.tasks] == ["heron vs wren"]
    assert board.pairs[["n_items", "b", "c"]].values.tolist() == [[100, 30, 20]]


def test_what_is_no_frame() -> None:
    with pytest.raises(InvalidArgument, match="frame must be a data frame, got dict"):
        read_frame({"a": [1]})
    with pytest.raises(ScoreError, match="file 'frame', model 'm1', item 'q1': score 7.0"):
        read_frame(pd.DataFrame(SCORES | {"m1": [7, 1, 1]}), ReadOptions(clusters=["topic"]))


def samples() -> pd.DataFrame:
    """What Inspect's samples_df made of the logs in best_of."""
    return pd.DataFrame(pq.read_table(INSPECT / "samples_df.parquet").to_pandas())


@pytest.mark.parametrize("reducer", ["mean", "max", "pass_at_2"])
def test_the_samples_of_inspect(reducer: str) -> None:
    task = read_samples_df(
        samples(), ReadOptions(reducer=reducer, clusters=["metadata_subject"], task="best_of")
    )
    logs = read_scores(INSPECT / "best_of", ReadOptions(reducer=reducer))
    assert (task.models, task.kind) == (logs.models, logs.kind)
    assert {*task.item_ids} == {*logs.item_ids}
    order = [logs.item_ids.index(item) for item in task.item_ids]
    np.testing.assert_array_equal(task.values, logs.values[order])
    assert {*task.clusters["metadata_subject"]} == {"algebra", "botany"}
    if reducer != "mean":
        assert (task.repeats, logs.repeats) == (None, None)
        return
    assert task.repeats is not None
    assert logs.repeats is not None
    frame = samples().assign(solved=lambda table: (table["score_verdict"] == "C").astype(float))
    raw = frame.assign(id=frame["id"].astype(str)).pivot_table(
        index="id", columns="model", values="solved", aggfunc=["size", "var"]
    )
    for name, statistic in (("number", "size"), ("variance", "var")):
        expected = raw[statistic].loc[[*task.item_ids], [*task.models]]
        np.testing.assert_allclose(getattr(task.repeats, name), expected)
        np.testing.assert_array_equal(
            getattr(task.repeats, name), getattr(logs.repeats, name)[order]
        )


def test_samples_that_do_not_say_enough() -> None:
    frame = samples()
    of_100 = frame.assign(score_verdict=np.where(frame["score_verdict"] == "C", 100.0, 0.0))
    declared = ReadOptions(percent=True)
    plain, scaled = read_samples_df(frame), read_samples_df(of_100, declared)
    np.testing.assert_allclose(scaled.values, plain.values)
    np.testing.assert_allclose(scaled.answers.variance, plain.answers.variance)
    with pytest.raises(ScoreError, match="no column 'model'. Remedy: call samples_df with columns"):
        read_samples_df(frame.drop(columns="model"))
    with pytest.raises(ScoreError, match="columns of scores are 'score_verdict', 'score_other'"):
        read_samples_df(frame.assign(score_other=1.0))
    with pytest.raises(ScoreError, match="'Z' is no score"):
        read_samples_df(frame.assign(score_verdict="Z"))
    with pytest.raises(ScoreError, match="epoch 1 occurs twice"):
        read_samples_df(pd.concat([frame, frame]))
    failed = frame.assign(error=np.where(frame.index == 0, "boom", ""))
    assert np.isnan(read_samples_df(failed).values).sum() == 1
