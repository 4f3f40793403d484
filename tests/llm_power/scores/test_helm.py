"""Per-instance statistics of HELM, with the keys that it writes.

`PerInstanceStats` and `Stat` of stanford-crfm/helm, without the keys whose value is None, as they
come out of its ``asdict_without_nones``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_power._errors import ScoreError
from llm_power._scores.helm import FORMAT
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import recognize
from llm_power._scores.store import TaskScores

TYPOS = {"name": "typos", "robustness": True, "fairness": False, "prob": 0.1}
NAN = float("nan")
Json = dict[str, Any]


def stat(value: float | None, metric: str = "exact_match", split: str = "test") -> Json:
    """A statistic of one instance, or if it is None one that nothing was added to."""
    made: Json = {"name": {"name": metric, "split": split}, "count": 0, "sum": 0.0}
    if value is None:
        return made | {"sum_squared": 0.0}
    shape = {"sum_squared": value**2, "min": value, "max": value, "variance": 0.0, "stddev": 0.0}
    return made | {"count": 1, "sum": value, "mean": value} | shape


def record(item: int, value: float | None = 1.0, trial: int = 0, **changes: Any) -> Json:
    """One instance; with a perturbation it has the same id, as HELM gives it."""
    stats = changes.pop("stats", [stat(value)])
    made = {"instance_id": f"id{item}", "train_trial_index": trial, "stats": stats}
    return made | changes


def write(folder: Path, model: str, records: Iterable[Any] | str, task: str = "mmlu") -> Path:
    """Write the file of a run where HELM writes it."""
    path = folder / f"{task}:subject=law,model={model}" / "per_instance_stats.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = records if isinstance(records, str) else json.dumps([*records], indent=2)
    path.write_text(text, encoding="utf-8")
    return path


def write_beside(path: Path, name: str, content: Any) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    path.with_name(name).write_text(text, encoding="utf-8")


def write_good(folder: Path, model: str = "good") -> Path:
    return write(folder, model, [record(1), record(2, 0.0)])


def read(folder: Path, **options: Any) -> TaskScores:
    return FORMAT([folder], ReadOptions(**options))


def test_a_suite_of_runs(tmp_path: Path) -> None:
    path = write(tmp_path, "org_b", [record(10), record(9, 0.0)])
    write(tmp_path, "org_a", [record(9), record(10, 0.0)])
    task = read(tmp_path)
    assert (task.task, task.kind, task.models) == ("mmlu:subject=law", "binary", ("org_a", "org_b"))
    assert task.item_ids == ("id10", "id9")
    np.testing.assert_array_equal(task.values, [[0, 1], [1, 0]])
    assert recognize([tmp_path], ReadOptions()) == recognize([path], ReadOptions()) == "helm"


def test_the_specification_names_model_and_task(tmp_path: Path) -> None:
    for model in ("a", "b"):
        path = write_good(tmp_path, f"org_{model}")
        name = f"mmlu:subject=law,method=joint,model=org/{model},model_deployment=x"
        write_beside(
            path, "run_spec.json", {"name": name, "adapter_spec": {"model": f"org/{model}"}}
        )
    task = read(tmp_path)
    assert (task.task, task.models) == ("mmlu:subject=law,method=joint", ("org/a", "org/b"))
    for content in ("{", "[]", '{"name": 7}', '{"name": "a", "name": "b"}'):
        write_beside(path, "run_spec.json", content)
        with pytest.raises(ScoreError, match=r"run_spec.json.*Remedy: repair it, or move it away"):
            read(tmp_path)


def test_perturbed_instances_are_no_items(tmp_path: Path) -> None:
    """They have the ids of those they were made of, and are passed over."""
    worse = [record(item, 0.0, perturbation=TYPOS) for item in (1, 2)]
    for model in ("a", "b"):
        write(tmp_path, model, [record(1), *worse, record(2, 0.0), record(3)])
    task = read(tmp_path)
    assert task.item_ids == ("id1", "id2", "id3")
    np.testing.assert_array_equal(task.values[:, 0], [1, 0, 1])


def test_an_instance_that_is_there_perturbed_alone_is_missing(tmp_path: Path) -> None:
    write(tmp_path, "a", [record(1), record(2, 0.0), record(3, perturbation=TYPOS)])
    write(tmp_path, "b", [record(1), record(2, 0.0), record(3)])
    np.testing.assert_array_equal(read(tmp_path).values, [[1, 1], [0, 0], [NAN, 1]])


def test_train_trials_are_repeats_of_one_item(tmp_path: Path) -> None:
    """And the score is their mean, as of more than one trial it is graded."""
    values = {1: (1, 1, 0, 1), 2: (0, 0, 0, 0), 3: (1, 1, 1, 1)}
    for model in ("a", "b"):
        write(tmp_path, model, [record(k, v[t], t) for t in range(4) for k, v in values.items()])
    task = read(tmp_path)
    assert (task.n_items, task.kind) == (3, "graded")
    np.testing.assert_array_equal(task.values[:, 0], [0.75, 0, 1])
    assert task.repeats is not None
    assert np.unique(task.repeats.number).tolist() == [4]
    np.testing.assert_array_equal(task.repeats.variance[:, 0], [0.25, 0, 0])
    with pytest.raises(ScoreError, match=r"item 'id1': score 0\.75 is not 0 or 1"):
        read(tmp_path, kind="binary")


@pytest.mark.parametrize(
    "missing",
    [[], [record(3, None, 1)], [record(3, 0.0, 1, stats=[])], [record(3, NAN, 1)]],
    ids=["no record", "no count", "no statistics", "NaN"],
)
def test_an_item_is_missing_unless_all_its_trials_have_a_score(
    tmp_path: Path, missing: list[Json]
) -> None:
    whole = [record(item, 2.0 - item, trial) for item in (1, 2) for trial in (0, 1)]
    write(tmp_path, "a", [*whole, record(3), record(3, 0.0, 1)])
    write(tmp_path, "b", [*whole, record(3), *missing])
    np.testing.assert_array_equal(read(tmp_path).values, [[1, 1], [0, 0], [0.5, NAN]])


def test_an_instance_without_any_statistics_is_missing(tmp_path: Path) -> None:
    """It does not say of which split it is, but where there is one it is of this."""
    whole = [record(1), record(2, 0.0), record(3, stats=[])]
    for model in ("a", "b"):
        write(tmp_path, model, whole)
    np.testing.assert_array_equal(read(tmp_path).values, [[1, 1], [0, 0], [NAN, NAN]])
    write(tmp_path, "b", [*whole, record(4, stats=[stat(1.0, split="valid")])])
    with pytest.raises(ScoreError, match="item 'id3': it has no statistics, which would say of wh"):
        read(tmp_path, filter="test")


def test_records_of_several_metric_classes(tmp_path: Path) -> None:
    """An instance has a record for each class of metrics that HELM computed."""
    records = [
        record(item, stats=[stat(value, metric)])
        for metric, values in (("exact_match", (1, 0)), ("num_output_tokens", (7, 9)))
        for item, value in enumerate(values)
    ]
    for model in ("a", "b"):
        write(tmp_path, model, records)
    np.testing.assert_array_equal(read(tmp_path, metric="exact_match").values[:, 0], [1, 0])
    with pytest.raises(
        ScoreError, match="several statistics: 'exact_match' .*, 'num_output_tokens'"
    ):
        read(tmp_path)
    with pytest.raises(
        ScoreError, match="'f1' is not among the statistics: 'exact_match' .*, 'num_output_"
    ):
        read(tmp_path, metric="f1")


def test_one_split_of_several(tmp_path: Path) -> None:
    records = [
        record(item, stats=[stat(float(item % 2), split=split)])
        for split, items in (("test", (1, 2)), ("valid", (3, 4)))
        for item in items
    ]
    for model in ("a", "b"):
        write(tmp_path, model, records)
    assert read(tmp_path, filter="valid").item_ids == ("id3", "id4")
    for options in ({}, {"filter": "train"}):
        with pytest.raises(
            ScoreError, match="splits: 'test' .2 items., 'valid' .*Remedy: choose .*filter='test'"
        ):
            read(tmp_path, **options)


def test_instances_say_whether_the_items_are_the_same(tmp_path: Path) -> None:
    """Where the file is there; newer versions of HELM write more about an input."""
    good, odd = write_good(tmp_path), write_good(tmp_path, "odd")
    asked = {"id": "id1", "split": "test", "references": []}
    write_beside(good, "instances.json", [asked | {"input": {"text": "Why?"}}])
    same = {"text": "Why?", "multimedia_content": {}}
    other = {"perturbation": TYPOS, "input": {"text": "Wyh?"}}
    write_beside(odd, "instances.json", [asked | {"input": same}, asked | other])
    assert read(tmp_path).n_items == 2
    write_beside(odd, "instances.json", [asked | {"input": {"text": "Who?"}}])
    with pytest.raises(ScoreError, match="model 'odd', item 'id1': another item than in .*'input'"):
        read(tmp_path)
    write_beside(odd, "instances.json", "{")
    with pytest.raises(ScoreError, match="instances.json.*not JSON .*it only describes the run"):
        read(tmp_path)


FAULTS: dict[str, tuple[list[Any] | str, str]] = {
    "an empty file": ("", "no unperturbed instance has a statistic. Remedy: give a run"),
    "an empty list": ([], "no unperturbed instance has a statistic"),
    "a cut list": (json.dumps([record(1), record(2)])[:-9], "damaged after 1 records: .*not JSON"),
    "a list that goes on": (json.dumps([record(1)]) + "{}", "has an end, but the file goes on"),
    "text as record": (["x"], "record 1 is a str instead of an object. Remedy: give the file as"),
    "a number as id": ([record(1) | {"instance_id": 1}], "record 1 has no text as instance_id"),
    "no trial": ([record(1, trial=None)], "record 1 has no whole number as train_trial_index"),  # type: ignore[arg-type]
    "a truth value as trial": ([record(1, trial=True)], "no whole number as train_trial_index"),
    "no list of statistics": ([record(1, stats={})], "record 1 has no list of stats"),
    "a statistic of text": ([record(1, stats=["x"])], "record 1 has a statistic without a name"),
    "a name of text": ([record(1, stats=[{"name": "x"}])], "has a statistic without a name"),
    "an empty name": ([record(1, stats=[stat(1.0, "")])], "has a statistic without a name"),
    "a split of numbers": (
        [record(1, stats=[stat(1.0, split=7)])],  # type: ignore[arg-type]
        "has a statistic with a split that is not text",
    ),
    "no count": (
        [record(1, stats=[stat(1.0) | {"count": None}])],
        "has a statistic without a count",
    ),
    "a mean of text": (
        [record(1, stats=[stat(1.0) | {"mean": "1"}])],
        "item 'id1': the mean of 'exact_match' is no number. Remedy: run HELM again",
    ),
    "two splits in one record": (
        [record(1, stats=[stat(1.0), stat(1.0, split="valid")])],
        "item 'id1': a record has statistics of several splits",
    ),
    "an instance twice": (
        [record(1), record(2, 0.0), record(1)],
        "item 'id1': 'exact_match' occurs more than once in train trial 0 of this instance. Rem",
    ),
    "a statistic twice": (
        [record(1, stats=[stat(1.0), stat(0.0)])],
        "item 'id1': 'exact_match' occurs more than once",
    ),
    "another statistic": (
        [record(k, stats=[stat(k - 1.0, "f1")]) for k in (1, 2)],
        "its statistic is 'f1', that of 'good' is 'exact_match'. Remedy: run all models alike",
    ),
    "another split": (
        [record(k, stats=[stat(k - 1.0, split="valid")]) for k in (1, 2)],
        "its split is 'valid', that of 'good' is 'test'",
    ),
    "more trials": (
        [record(k, k - 1.0, trial) for k in (1, 2) for trial in (0, 1)],
        "its number of train trials is 2, that of 'good' is 1",
    ),
    "beyond 1": ([record(1, 3.0), record(2, 0.0)], "item 'id1': score 3.0 is not 0 or 1"),
    "graded": ([record(1, 0.5), record(2, 0.0)], "0.5 is not 0 or 1. Remedy: .*kind='graded'"),
}


@pytest.mark.parametrize(("records", "message"), FAULTS.values(), ids=FAULTS)
def test_faults(tmp_path: Path, records: list[Any] | str, message: str) -> None:
    write_good(tmp_path)
    write(tmp_path, "odd", records)
    with pytest.raises(ScoreError, match=message) as caught:
        read(tmp_path)
    assert "Remedy: " in str(caught.value)


def test_perturbed_instances_alone(tmp_path: Path) -> None:
    for model in ("a", "b"):
        write(tmp_path, model, [record(k, perturbation=TYPOS) for k in (1, 2)])
    with pytest.raises(ScoreError, match="no unperturbed instance has a statistic. Remedy: give"):
        read(tmp_path)


def test_no_clusters(tmp_path: Path) -> None:
    write_good(tmp_path)
    with pytest.raises(ScoreError, match="no field to take 'subject' of. Remedy: name no cluster"):
        read(tmp_path, clusters=["subject"])


trials = st.lists(st.sampled_from([0.0, 0.5, 1.0, None]), min_size=2, max_size=2)


def _mean(values: list[float | None]) -> float:
    return float(np.mean(np.array(values, dtype=float)))


columns_of_trials = st.lists(trials, min_size=4, max_size=4).filter(
    lambda column: len({_mean(item) for item in column if None not in item}) > 1
)


@given(columns=st.lists(columns_of_trials, min_size=2, max_size=3), order=st.randoms())
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory, columns: list[list[list[float | None]]], order: Any
) -> None:
    """Four items in two trials, the second of which always exists, with perturbed ones between."""
    folder = tmp_path_factory.mktemp("suite")
    for k, column in enumerate(columns):
        records = [record(i, value, t) for i, v in enumerate(column) for t, value in enumerate(v)]
        records += [record(i, 0.25, perturbation=TYPOS) for i in range(4)]
        order.shuffle(records)
        write(folder, f"m{k}", records)
    expected = np.array([[_mean(item) for item in column] for column in columns]).T
    np.testing.assert_array_equal(read(folder).values, expected)
