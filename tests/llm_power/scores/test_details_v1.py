"""Details of the Open LLM Leaderboard v1, in both schemas that were published.

Columns and types are those of the files: `hashes` beside metrics of their own until about October
2023, then a struct `metrics`. What a prompt was made into is by far the most of a file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_power._errors import ScoreError
from llm_power._scores.details_v1 import FORMAT
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import recognize
from llm_power._scores.store import TaskScores

RUN = "2024-04-19T09-19-13.454877"
ARC = f"details_harness|arc:challenge|25_{RUN}.parquet"
ACC, NORM = [0.0, 0.0, 1.0], [0.0, 1.0, 1.0]


def prompts(n_rows: int) -> dict[str, Any]:
    """What both schemas have."""
    return {
        # The text of a question is not unique.
        "example": [f"Why {row // 2}?" for row in range(n_rows)],
        "choices": [[f"because {row}", "therefore"] for row in range(n_rows)],
        "gold": [0] * n_rows,
        "predictions": [[-1.5, -2.5]] * n_rows,
        "input_tokens": [[[1, 2], [1, 3]]] * n_rows,
        "cont_tokens": [[[4], [5]]] * n_rows,
        "num_asked_few_shots": [25] * n_rows,
        "num_effective_few_shots": [25] * n_rows,
        "truncated": [0] * n_rows,
    }


def old_schema(metrics: Mapping[str, Sequence[Any]], **changes: Any) -> dict[str, Any]:
    n_rows = len(next(iter(metrics.values())))
    hashes = [dict.fromkeys(("example", "full_prompt", "input_tokens", "cont_tokens"), "ab")]
    return prompts(n_rows) | dict(metrics) | {"hashes": hashes * n_rows} | changes


def new_schema(metrics: Mapping[str, Sequence[Any]], **changes: Any) -> dict[str, Any]:
    n_rows = len(next(iter(metrics.values())))
    rows = [dict(zip(metrics, row, strict=True)) for row in zip(*metrics.values(), strict=True)]
    texts = {"full_prompt": ["Question"] * n_rows, "gold_index": [0] * n_rows}
    return prompts(n_rows) | texts | {"metrics": rows} | changes


def write(folder: Path, model: str, columns: dict[str, Any] | pa.Table, name: str = ARC) -> Path:
    """Write a file where a repository of the leaderboard has it."""
    path = folder / f"details_{model}" / RUN / name
    path.parent.mkdir(parents=True, exist_ok=True)
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    pq.write_table(table, path)
    return path


def write_good(folder: Path, model: str = "org__good") -> Path:
    return write(folder, model, new_schema({"acc": ACC, "acc_norm": NORM}))


def read(folder: Path, metric: str | None = "acc_norm", **options: Any) -> TaskScores:
    return FORMAT([folder], ReadOptions(metric=metric, **options))


def test_both_schemas(tmp_path: Path) -> None:
    write(tmp_path, "org__old", old_schema({"acc": NORM, "acc_norm": ACC}))
    path = write_good(tmp_path, "org__new")
    task = read(tmp_path)
    assert (task.task, task.kind) == ("harness|arc:challenge|25", "binary")
    assert (task.item_ids, task.models) == (("0", "1", "2"), ("org__new", "org__old"))
    np.testing.assert_array_equal(task.values, np.column_stack([NORM, ACC]))
    np.testing.assert_array_equal(read(tmp_path, "acc").values, np.column_stack([ACC, NORM]))
    # Both files have the same name, so what tells them apart is part of their names here.
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert task.provenance.files[f"details_org__new/{RUN}/{ARC}"] == digest
    assert recognize([path], ReadOptions()) == recognize([tmp_path], ReadOptions()) == "details_v1"


def test_run_folders_with_colons(tmp_path: Path) -> None:
    """As they were called until August 2023."""
    for model in ("a", "b"):
        run = "2023-07-19T15:58:12.174583"
        path = tmp_path / f"details_{model}" / run / f"details_harness|gsm8k|5_{run}.parquet"
        path.parent.mkdir(parents=True)
        pq.write_table(pa.table(old_schema({"acc": ACC})), path)
    task = read(tmp_path, "acc")
    assert (task.task, task.models) == ("harness|gsm8k|5", ("a", "b"))


def test_scores_of_other_types(tmp_path: Path) -> None:
    write(tmp_path, "a", old_schema({"acc": [True, False, None]}))
    write(tmp_path, "b", new_schema({"acc": [1, 0, 1]}))
    np.testing.assert_array_equal(read(tmp_path, "acc").values, [[1, 1], [0, 0], [np.nan, 1]])
    halves = {"acc": [0.5, 0.25, 1.0]}
    write(tmp_path, "a", old_schema(halves))
    assert read(tmp_path, "acc", kind="graded").values[0, 0] == 0.5


def test_scores_of_0_to_100(tmp_path: Path) -> None:
    for model, scores in {"org__a": [40.0, 60.0], "org__b": [100.0, 0.0]}.items():
        write(tmp_path, model, old_schema({"acc_norm": scores}))
    task = read(tmp_path, kind="graded", percent=True)
    np.testing.assert_allclose(task.mean_scores, [0.5, 0.5])


def test_tasks_without_choices(tmp_path: Path) -> None:
    """GSM8K has none; the column may be there, empty, or not at all."""
    write(tmp_path, "a", old_schema({"acc": ACC}, choices=[None] * 3))
    columns = new_schema({"acc": NORM})
    del columns["choices"]
    write(tmp_path, "b", columns)
    write(tmp_path, "c", new_schema({"acc": NORM}))
    assert read(tmp_path, "acc").models == ("a", "b", "c")


def test_choices_are_compared_wherever_two_files_have_them(tmp_path: Path) -> None:
    """The first file has none, so that those after it are held to each other."""
    write(tmp_path, "a", old_schema({"acc": ACC}, choices=[None] * 3))
    write(tmp_path, "b", new_schema({"acc": NORM}))
    assert read(tmp_path, "acc").models == ("a", "b")
    write(tmp_path, "c", new_schema({"acc": NORM}, choices=[["because 0", "not"]] * 3))
    message = r"model 'c', item '0': another item than .*details_b.* is 'choices'. Remedy: use"
    with pytest.raises(ScoreError, match=message):
        read(tmp_path, "acc")


def test_rows_that_hold_nothing(tmp_path: Path) -> None:
    """A row without metrics has no score."""
    columns = new_schema({"acc": ACC}) | {"metrics": [{"acc": 1.0}, None, {"acc": 0.0}]}
    write(tmp_path, "a", columns)
    write(tmp_path, "b", columns)
    np.testing.assert_array_equal(read(tmp_path, "acc").values[:, 0], [1, np.nan, 0])


SEVERAL = {"acc": ACC, "acc_norm": NORM}
FAULTS: dict[str, tuple[dict[str, Any], str | None, str]] = {
    "no metric named": (
        new_schema(SEVERAL),
        None,
        "no metric is named. Remedy: choose metric acc or acc_norm, .*columns are 'example'",
    ),
    "no example": ({"item": ["a"], "acc": [1.0]}, "acc", "no column 'example'.*'item', 'acc'"),
    "a metric that is not there": (
        new_schema(SEVERAL),
        "em",
        "no metric 'em': metrics has the fields 'acc', 'acc_norm', and the columns are 'example'",
    ),
    "neither schema": (
        prompts(3),
        "acc",
        "no metric 'acc': metrics has the fields none, and the columns are 'example', 'choices'",
    ),
    "metrics that are text": (
        prompts(3) | {"metrics": ["acc"] * 3},
        "acc",
        "metrics has the fields none",
    ),
    "the struct itself": (new_schema(SEVERAL), "metrics", "no metric 'metrics': metrics has"),
    "scores of text": (old_schema({"acc": ["1", "0", "1"]}), "acc", "'acc' holds string, not sco"),
    "NaN": (
        new_schema({"acc": [1.0, float("nan"), 0.0]}),
        "acc",
        "item '1': column 'acc' holds NaN. Remedy: store a missing score as null",
    ),
    "no rows": (pa.table(new_schema({"acc": ACC})).slice(0, 0), "acc", "there is no item in it"),
    "a run of two rows": (
        new_schema({"acc": [1.0, 0.0]}),
        "acc",
        "its number of rows is 2, that of 'good' is 3",
    ),
    "another question": (
        new_schema({"acc": ACC}, example=["Why 0?", "Why 0?", "Who?"]),
        "acc",
        "item '2': another item than in .*good.*; what differs is 'example'. Remedy: use runs",
    ),
    "other choices": (
        new_schema({"acc": ACC}, choices=[["because 0"], ["because 1"], ["because 2"]]),
        "acc",
        "item '0': another item than .* differs is 'choices'",
    ),
    "examples that are no text": (
        new_schema({"acc": ACC}, example=pa.array([1, 2, 3], pa.timestamp("ms"))),
        "acc",
        r"column 'example' holds timestamp\[ms\], which is no text",
    ),
    "beyond 1": (new_schema({"acc": [0.0, 1.0, 2.0]}), "acc", "score 2.0 is not 0 or 1"),
}


@pytest.mark.parametrize(("columns", "metric", "message"), FAULTS.values(), ids=FAULTS)
def test_faults(
    tmp_path: Path, columns: dict[str, Any] | pa.Table, metric: str | None, message: str
) -> None:
    write(tmp_path, "odd", columns)
    write(tmp_path, "good", new_schema({"acc": ACC, "acc_norm": NORM, "em": ACC}))
    with pytest.raises(ScoreError, match=message):
        read(tmp_path, metric)


def test_rows_in_another_order(tmp_path: Path) -> None:
    write_good(tmp_path)
    table = pa.table(new_schema({"acc": ACC, "acc_norm": NORM}))
    write(tmp_path, "odd", table.take([2, 1, 0]))
    with pytest.raises(ScoreError, match="item '0': another item than .* differs is 'example'"):
        read(tmp_path)


def test_a_field_twice(tmp_path: Path) -> None:
    write_good(tmp_path)
    twice = pa.StructArray.from_arrays([pa.array(ACC), pa.array(NORM)], names=["acc_norm"] * 2)
    write(tmp_path, "odd", pa.table(prompts(3) | {"metrics": twice}))
    with pytest.raises(ScoreError, match="no metric 'acc_norm': .*the fields 'acc_norm', 'acc_n"):
        read(tmp_path)


def test_no_clusters(tmp_path: Path) -> None:
    write_good(tmp_path)
    with pytest.raises(ScoreError, match="no column to take 'category' of. Remedy: name no clus"):
        read(tmp_path, clusters=["category"])


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + bytes(50) + b"PAR1", b"hello"])
def test_files_that_are_not_parquet(tmp_path: Path, content: bytes) -> None:
    write_good(tmp_path).write_bytes(content)
    with pytest.raises(ScoreError, match="not a readable Parquet file"):
        read(tmp_path)


columns_of_scores = st.lists(st.sampled_from([0.0, 1.0, None]), min_size=5, max_size=5).filter(
    lambda column: {0.0, 1.0} <= {*column}
)


@given(columns=st.lists(columns_of_scores, min_size=2, max_size=4), new=st.booleans())
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory, columns: list[list[float | None]], new: bool
) -> None:
    folder = tmp_path_factory.mktemp("details")
    for k, column in enumerate(columns):
        metrics: Mapping[str, Sequence[Any]] = {"acc": [0.5] * 5, "acc_norm": column}
        write(folder, f"m{k}", (new_schema if new and k else old_schema)(metrics))
    expected = np.array(columns, dtype=float).T
    np.testing.assert_array_equal(read(folder).values, expected)
