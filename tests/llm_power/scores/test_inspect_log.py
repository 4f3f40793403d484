"""Logs of Inspect AI, with the members and keys that version 0.3.285 writes.

A log of either form was written by that version, of a task like the one here, and its parts are
those that are made by hand below. Inspect itself is not needed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from zips import DEFLATED, STORED, ZSTANDARD, Member, zip_of

from llm_power._errors import ScoreError
from llm_power._scores import _source
from llm_power._scores.inspect_log import FORMAT, is_log
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import recognize
from llm_power._scores.store import TaskScores

STARTED = "2026-05-28T15-46-28-00-00"
BOOM = {"message": "ValueError('boom')", "traceback": "...", "traceback_ansi": "..."}
NAN = float("nan")
Json = dict[str, Any]


def head(model: str, /, **changes: Any) -> Json:
    """What a log says of its run; changes are of ``eval`` but for status and version."""
    whole = {name: changes.pop(name) for name in ("version", "status") if name in changes}
    ids = changes.pop("ids", [1, 2])
    epochs = changes.pop("epochs", 1)
    run = {
        "eval_id": "Ug4z7Qi5k3pKeonEyMARA7",
        "run_id": "SSXkBVFy9q8YqZbH2TL5Gy",
        "created": "2026-05-28T15:46:28+00:00",
        "task": "demo",
        "task_id": "oQKtgCqiU2H2H8S3Kv3RMs",
        "task_version": 1,
        "task_file": "demo.py",
        "task_args": {},
        "dataset": {"name": "board", "samples": 2, "sample_ids": ids, "shuffled": False},
        "model": model,
        "model_args": {},
        "config": {"epochs": epochs, "fail_on_error": False, "log_samples": True},
        "packages": {"inspect_ai": "0.3.285"},
    }
    return {"version": 2, "status": "success", "eval": run | changes, "plan": {}} | whole


def sample(item: int | str, value: Any = "C", epoch: int = 1, **changes: Any) -> Json:
    made = {
        "id": item,
        "epoch": epoch,
        "input": [{"id": f"random {epoch}", "content": f"Why {item}?", "role": "user"}],
        "target": "because",
        "messages": [{"id": "4PHs", "content": f"Why {item}?", "role": "user"}],
        "output": {"model": "mockllm/a", "choices": [], "completion": ""},
        "scores": {"match": {"value": value, "history": []}},
        "metadata": {"category": ["law", "physics"][len(str(item)) % 2]},
        "store": {},
        "events": [],
        "uuid": "ciou9zu62dwYtWUPpdSiUC",
        "error_retries": [],
        "attachments": {},
    }
    return made | changes


def failed(item: int, epoch: int = 1) -> Json:
    return sample(item, epoch=epoch, scores={}, error=BOOM)


def as_json(start: Json, samples: Iterable[Any]) -> bytes:
    whole = start | {"results": {}, "stats": {}, "invalidated": False, "samples": [*samples]}
    return json.dumps(whole | {"reductions": []}, indent=2).encode()


def as_eval(start: Json, samples: Iterable[Any], method: int = ZSTANDARD, **more: bytes) -> bytes:
    parts: list[tuple[str, Any]] = [
        ("_journal/start.json", {name: start[name] for name in ("version", "eval", "plan")}),
        *((f"samples/{one['id']}_epoch_{one['epoch']}.json", one) for one in samples),
        ("_journal/summaries/1.json", []),
        ("summaries.json", []),
        ("reductions.json", []),
        ("header.json", start | {"results": {}, "stats": {}, "invalidated": False}),
    ]
    members = [Member(name, json.dumps(part).encode(), method) for name, part in parts]
    return zip_of(*members, *(Member(name, data, method) for name, data in more.items()))


FORMS = {"eval": as_eval, "json": as_json}
EVERY_FORM = pytest.mark.parametrize("form", FORMS)


def write(
    folder: Path, model: str, samples: Iterable[Any], form: str = "eval", /, **run: Any
) -> Path:
    """Write a log where Inspect writes it."""
    path = folder / f"{STARTED}_demo_{model.replace('/', '-')}.{form}"
    path.write_bytes(FORMS[form](head(model, **run), samples))
    return path


def write_good(folder: Path, form: str = "eval", **run: Any) -> Path:
    return write(folder, "good", [sample(1), sample(2, "I")], form, **run)


def read(folder: Path, **options: Any) -> TaskScores:
    return FORMAT([folder], ReadOptions(**options))


@pytest.mark.parametrize(
    ("names", "is_it"),
    [
        ({"header.json"}, True),
        ({"_journal/start.json"}, True),
        ({"status", "eval", "plan"}, True),
        ({"status", "plan"}, False),
    ],
)
def test_a_log_is_known_by_its_members(names: set[str], is_it: bool) -> None:
    assert is_log(names) == is_it


@EVERY_FORM
def test_a_folder_of_logs(tmp_path: Path, form: str) -> None:
    ids = [10, 2, "x"]
    path = write(tmp_path, "org/b", [sample(2), sample("x", "I"), sample(10)], form, ids=ids)
    write(tmp_path, "org/a", [sample("x"), sample(10, "I"), sample(2, "I")], form, ids=ids)
    (tmp_path / "logs.json").write_text("{}", encoding="utf-8")  # Inspect's own list of logs
    assert recognize([tmp_path], ReadOptions()) == recognize([path], ReadOptions()) == "inspect"
    task = read(tmp_path, clusters=["category"])
    assert (task.task, task.kind, task.models) == ("demo", "binary", ("org/a", "org/b"))
    assert task.item_ids == ("2", "10", "x")
    np.testing.assert_array_equal(task.values, [[0, 1], [0, 1], [1, 0]])
    assert task.clusters == {"category": ("physics", "law", "physics")}
    assert task.provenance.files[path.name] == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("method", [STORED, DEFLATED, ZSTANDARD])
def test_both_forms_and_all_compressions_agree(tmp_path: Path, method: int) -> None:
    """Inspect wrote deflated members until 2025, and writes Zstandard since."""
    samples = [sample(1), sample(2, "I")]
    for model, data in {
        "a": as_eval(head("a"), samples, method),
        "b": as_json(head("b"), samples),
    }.items():
        (tmp_path / f"{model}.log").write_bytes(data)
    paths = sorted(tmp_path.iterdir())
    np.testing.assert_array_equal(FORMAT(paths, ReadOptions()).values, [[1, 1], [0, 0]])


def test_the_name_that_a_log_was_given(tmp_path: Path) -> None:
    """To compare two runs of one model."""
    first = write_good(tmp_path)
    again = first.with_name("again.eval")
    again.write_bytes(first.read_bytes())
    assert read(tmp_path).models == ("again", "good")
    again.rename(first.with_name(f"2026-05-29T00-00-00-00-00_demo_x{first.suffix}"))
    with pytest.raises(ScoreError, match="several runs of this model.*keep one file per model"):
        read(tmp_path)


@EVERY_FORM
def test_epochs_are_repeats_of_one_item(tmp_path: Path, form: str) -> None:
    """And the score is their mean, as of more than one epoch it is graded."""
    values = {1: "CCIC", 2: "IIIP", 3: "CCCC"}
    samples = [
        sample(item, value, epoch)
        for item, row in values.items()
        for epoch, value in enumerate(row, start=1)
    ]
    for model in ("a", "b"):
        write(tmp_path, model, samples, form, ids=[1, 2, 3], epochs=4)
    task = read(tmp_path)
    assert (task.item_ids, task.kind) == (("1", "2", "3"), "graded")
    np.testing.assert_array_equal(task.values[:, 0], [0.75, 0.125, 1])
    with pytest.raises(ScoreError, match=r"item '1': score 0\.75 is not 0 or 1"):
        read(tmp_path, kind="binary")


def test_epochs_without_a_reducer_have_their_mean(tmp_path: Path) -> None:
    samples = [sample(1, value, epoch) for epoch, value in enumerate("CI", start=1)]
    write(tmp_path, "a", samples, ids=[1], config={"epochs": 2, "epochs_reducer": []})
    np.testing.assert_array_equal(read(tmp_path).values, [[0.5]])


@EVERY_FORM
def test_an_item_is_missing_unless_all_its_epochs_have_a_score(tmp_path: Path, form: str) -> None:
    """A mean over fewer epochs is no score of the same kind."""
    whole = [sample(item, value, e) for item, value in ((1, "C"), (2, "I")) for e in (1, 2)]
    write(tmp_path, "good", [*whole, sample(3, 1, 1), sample(3, 0, 2)], form, epochs=2)
    write(tmp_path, "odd", [*whole, sample(3, 1, 1), failed(3, 2)], form, epochs=2)
    task = read(tmp_path)
    np.testing.assert_array_equal(task.values, [[1, 1], [0, 0], [0.5, NAN]])
    assert task.repeats is not None
    np.testing.assert_array_equal(task.repeats.number, [[2, 2], [2, 2], [2, 0]])
    np.testing.assert_array_equal(task.repeats.variance, [[0, 0], [0, 0], [0.5, NAN]])
    write(tmp_path, "odd", [*whole, sample(3, 1, 2)], form, epochs=2)
    np.testing.assert_array_equal(read(tmp_path).values, [[1, 1], [0, 0], [0.5, NAN]])


def test_scores_of_0_to_100_have_repeats_in_their_own_unit(tmp_path: Path) -> None:
    for model, scores in {"good": (90, 70), "odd": (100, 40)}.items():
        made = [sample(1, score, epoch) for epoch, score in enumerate(scores, start=1)]
        write(tmp_path, model, made, ids=[1], epochs=2)
    task = read(tmp_path, percent=True)
    np.testing.assert_allclose(task.values, [[0.8, 0.7]])
    assert task.repeats is not None
    np.testing.assert_allclose(task.repeats.variance, [[0.02, 0.18]])
    with pytest.raises(ScoreError, match=r"none is above 1.*\(percent=True\)"):
        read(tmp_path, percent=True, reducer="at_least_1")


NO_SCORE = {
    "an error": failed(3),
    "an error that was scored": sample(3, error=BOOM),
    "an invalid sample": sample(3, invalidation={"reason": "leaked", "author": "me"}),
    "no scores": sample(3, scores=None),
    "NaN, as Inspect leaves it unscored": sample(3, NAN),
    "another scorer's alone": sample(3, scores={"other": {"value": "C"}}),
}


@EVERY_FORM
@pytest.mark.parametrize("name", NO_SCORE)
def test_samples_without_a_score_are_missing(tmp_path: Path, form: str, name: str) -> None:
    good = [sample(1), sample(2, "I")]
    write(tmp_path, "a", [*good, sample(3)], form, ids=[1, 2, 3])
    write(tmp_path, "b", [*good, NO_SCORE[name]], form, ids=[1, 2, 3])
    task = read(tmp_path, metric="match")
    np.testing.assert_array_equal(task.values, [[1, 1], [0, 0], [1, NAN]])


def test_items_that_were_never_run_are_missing(tmp_path: Path) -> None:
    """The data set's ids are in the log, so that no item can go."""
    for model in ("a", "b"):
        write(tmp_path, model, [sample(1), sample(2, "I")], ids=[1, 2, 3])
    np.testing.assert_array_equal(read(tmp_path).values, [[1, 1], [0, 0], [NAN, NAN]])


VALUES = [
    *[("C", 1), ("I", 0), ("N", 0), ("P", 0.5), ("yes", 1), ("No", 0), ("True", 1)],
    *[("FALSE", 0), (True, 1), (False, 0), (0.25, 0.25), (1, 1), ("0.75", 0.75), ("1", 1)],
]


@pytest.mark.parametrize(("value", "score"), VALUES)
def test_values_count_as_inspect_counts_them(tmp_path: Path, value: Any, score: float) -> None:
    """By ``value_to_float``; other text, of which it makes 0, is an error here."""
    for model in ("a", "b"):
        write(tmp_path, model, [sample(1, value), sample(2, "I"), sample(3)], ids=[1, 2, 3])
    assert read(tmp_path, kind="graded").values[0, 0] == score


def test_one_scorer_of_several(tmp_path: Path) -> None:
    scores = [{"match": {"value": v}, "includes": {"value": w}} for v, w in ("CI", "IC")]
    for model in ("a", "b"):
        write(tmp_path, model, [sample(k, scores=s) for k, s in enumerate(scores, start=1)])
    np.testing.assert_array_equal(read(tmp_path, metric="includes").values[:, 0], [0, 1])
    np.testing.assert_array_equal(read(tmp_path, metric="match").values[:, 0], [1, 0])
    with pytest.raises(
        ScoreError, match="several scorers: 'match' .*, 'includes' .*metric='match'"
    ):
        read(tmp_path)
    with pytest.raises(ScoreError, match="'f1' is not among the scorers: 'match' .*, 'includes' "):
        read(tmp_path, metric="f1")


def test_choices_that_were_shuffled(tmp_path: Path) -> None:
    """Anew in each run, and the letter of the target with them: the same item all the same."""
    for model, choices, target in (("a", ["x", "y"], "A"), ("b", ["y", "x"], "B")):
        samples = [sample(1, choices=choices, target=target), sample(2, "I")]
        write(tmp_path, model, samples)
    assert read(tmp_path).n_items == 2
    write(tmp_path, "b", [sample(1, choices=["x", "z"], target="A"), sample(2, "I")])
    with pytest.raises(ScoreError, match="item '1': another item than in .*differs is 'choices'"):
        read(tmp_path)


GOOD = [sample(1), sample(2, "I")]
FAULTS: dict[str, tuple[list[Any], Json, str]] = {
    "a run that failed": (GOOD, {"status": "error"}, "its status is 'error'. Remedy: complete it"),
    "a run that goes on": (GOOD, {"status": "started"}, "status is 'started'.* inspect eval-retr"),
    "another version": (
        GOOD,
        {"version": 1},
        "version 1, where 2 can be read.*inspect log convert",
    ),
    "no task": (GOOD, {"task": None}, "not a log of Inspect: its eval has no text as task"),
    "no model": (GOOD, {"model": 7}, "its eval has no text as model. Remedy: give the .eval or"),
    "another task version": (GOOD, {"task_version": 2}, "its task version is 2, that of 'good' is"),
    "another data set": (GOOD, {"dataset": {"name": "x"}}, "its data set is 'x', that of 'good'"),
    "other epochs": (GOOD, {"epochs": 2}, "its number of epochs is 2, that of 'good' is 1"),
    "another scorer": (
        [sample(k, scores={"f1": {"value": k - 1}}) for k in (1, 2)],
        {},
        "its scorer is 'f1', that of 'good' is 'match'. Remedy: run all models alike",
    ),
    "no samples": ([], {}, "the log holds no sample. Remedy: have Inspect log the samples"),
    "no scores": (
        [sample(1, scores={}), sample(2, scores=None)],
        {},
        "no sample has a score. Remedy: score it with inspect score",
    ),
    "an epoch too many": ([*GOOD, sample(1, "C", 2)], {}, "item '1': a sample of epoch 2 in a run"),
    "an id that is no id": ([sample(True), sample(2)], {}, "sample 1 has neither a whole number"),
    "an id of numbers": ([sample(1.5), sample(2)], {}, "sample 1 has neither a whole number nor t"),  # type: ignore[arg-type]
    "epoch 0": ([sample(1), sample(2, "I", 0)], {}, "sample 2 has no whole number from 1 as epoch"),
    "a list of scores": (
        [sample(1, scores=["C"]), sample(2)],
        {},
        "sample 1 has scores that are not named by scorers. Remedy: have Inspect write",
    ),
    "an id once as number, once as text": (
        [sample(1), sample(2, "I"), sample("1")],
        {},
        "item '1': epoch 1 of this sample occurs more than once|another item",
    ),
    "a value that is no number": (
        [sample(1, "A"), sample(2)],
        {},
        "item '1': 'match' gave 'A', which is no number and none of 'C', 'P', 'I', 'N'",
    ),
    "several numbers": (
        [sample(1, {"f1": 1}), sample(2)],
        {},
        "there are several scorers: 'match/f1' .*, 'match' .*metric='match/f1'",
    ),
    "text that is infinite": ([sample(1, "inf"), sample(2)], {}, "'match' gave 'inf', which is no"),
    "beyond 1": ([sample(1, 7), sample(2, "I")], {}, "item '1': score 7.0 is not 0 or 1"),
    "beyond floats": ([sample(1, 10**400), sample(2, "I")], {}, "score inf is not 0 or 1"),
    "partial credit": ([sample(1, "P"), sample(2)], {}, "0.5 is not 0 or 1.*kind='graded"),
    "another question": (
        [sample(1, input="Who?"), sample(2, "I")],
        {},
        "item '1': another item than in .*what differs is 'input'. Remedy: use runs on one v",
    ),
    "another answer": ([sample(1, target="x"), sample(2)], {}, "what differs is 'target'"),
    "other labels": (
        [sample(1, metadata={"category": "x"}), sample(2, "I")],
        {},
        "item '1': its labels are 'x', in .*'physics'. Remedy: use runs on one version",
    ),
    "no labels": (
        [sample(1, metadata={}), sample(2, "I")],
        {},
        "item '1': it has nothing to take 'category' of. Remedy: name a field that labels",
    ),
    "a name that no terminal shows": (
        [*GOOD, sample("\ud800\x1b")],
        {},
        "item id number 3 .*invisible character",
    ),
}


# In a zip these would be names of members, of which the last of one name counts.
ONLY_JSON = {"an id once as number, once as text", "a name that no terminal shows"}


@pytest.mark.parametrize(
    ("name", "form"),
    [(name, form) for name in FAULTS for form in FORMS if form == "json" or name not in ONLY_JSON],
)
def test_faults(tmp_path: Path, name: str, form: str) -> None:
    samples, run, message = FAULTS[name]
    write_good(tmp_path, form)
    write(tmp_path, "odd", samples, form, **run)
    with pytest.raises(ScoreError, match=message) as caught:
        read(tmp_path, clusters=["category"])
    assert "Remedy: " in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "does not begin as an object|not a log"),
        ("[]", "it does not begin as an object"),
        ("{}", "not a log of Inspect: it does not say what was run, as eval. Remedy"),
        ('{"version": 2, "status": "success"', "neither a comma nor the end of the object"),
        ('{"version": 2, "version": 2}', "the object has the key 'version' twice"),
        ('{"version": 2, 7: 2}', "what follows is no named member"),
        ('{"eval": 7}', "does not say what was run"),
        ("\ufffe", "does not begin as an object"),
    ],
)
def test_json_that_is_no_log(tmp_path: Path, text: str, message: str) -> None:
    write_good(tmp_path)
    (tmp_path / "odd.json").write_text(text, encoding="utf-8")
    with pytest.raises(ScoreError, match=message):
        FORMAT(sorted(tmp_path.iterdir()), ReadOptions())


def test_samples_that_are_cut_off(tmp_path: Path) -> None:
    """In a JSON log, after everything that says what the run was."""
    write_good(tmp_path)
    path = write_good(tmp_path, "json", model="odd")
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b'"id": 2')])
    with pytest.raises(ScoreError, match="damaged after 1 records: the next one is not JSON"):
        read(tmp_path)
    path.write_bytes(data + b"{}")
    with pytest.raises(ScoreError, match="the object has an end, but the file goes on"):
        read(tmp_path)


# Zips


def write_zip(folder: Path, *members: Member) -> None:
    write_good(folder)
    (folder / "odd.eval").write_bytes(zip_of(*members))


HEADER = Member("header.json", json.dumps(head("odd")).encode())
FIRST = Member("samples/1_epoch_1.json", json.dumps(sample(1)).encode())
SECOND = Member("samples/2_epoch_1.json", json.dumps(sample(2, "I")).encode())


def test_a_sample_that_was_run_again(tmp_path: Path) -> None:
    """Inspect adds it under the name that it had, and reads the last one."""
    write_zip(tmp_path, FIRST, Member(SECOND.name, json.dumps(failed(2)).encode()), SECOND, HEADER)
    np.testing.assert_array_equal(read(tmp_path).values, [[1, 1], [0, 0]])


def test_a_run_that_never_ended(tmp_path: Path) -> None:
    """It has no header yet, but what it wrote at its start."""
    start = {name: part for name, part in head("odd").items() if name != "status"}
    write_zip(tmp_path, Member("_journal/start.json", json.dumps(start).encode()), FIRST)
    with pytest.raises(ScoreError, match="model 'odd': the run did not end .*is 'started'. Reme"):
        read(tmp_path)


@pytest.mark.parametrize("name", ["/etc/passwd", "../../out.json", "samples/../../x_epoch_1.json"])
def test_a_path_that_leads_out(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    write_zip(folder, FIRST, SECOND, HEADER, Member(name, b"{}"))
    with pytest.raises(ScoreError, match="model 'odd': the zip holds .*, a path that leads out"):
        read(folder)
    assert sorted(path.suffix for path in tmp_path.rglob("*") if path.is_file()) == [".eval"] * 2


def test_a_sample_under_the_name_of_another(tmp_path: Path) -> None:
    write_zip(tmp_path, FIRST, Member(SECOND.name, json.dumps(sample(3)).encode()), HEADER)
    with pytest.raises(ScoreError, match="item '3': samples/2_epoch_1.json holds epoch 1 of this"):
        read(tmp_path)


def test_samples_that_expand_without_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_source, "LARGEST_LOG", 2**20)
    bombs = [Member(f"samples/{k}_epoch_1.json", b" " * 2**19) for k in (1, 2, 3)]
    write_zip(tmp_path, *bombs, HEADER)
    assert (tmp_path / "odd.eval").stat().st_size < 5000
    with pytest.raises(ScoreError, match="odd.eval': it expands to more than 1 MB. Remedy: write"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ([FIRST, SECOND], "not a log of Inspect: it has no header.json. Remedy: give the .eval"),
        ([FIRST, SECOND, Member("header.json", b"{")], "header.json is not JSON in UTF-8"),
        ([FIRST, SECOND, Member("header.json", b"[]")], "not a log of Inspect: it does not say"),
        ([FIRST, Member(SECOND.name, b"\xff"), HEADER], "2_epoch_1.json is not JSON in UTF-8"),
        ([FIRST, Member(SECOND.name, b"7"), HEADER], "sample 2 is a int instead of an object"),
        ([FIRST, Member(SECOND.name, b'{"id": 1, "id": 2}'), HEADER], "has the key 'id' twice"),
        ([FIRST, Member(SECOND.name, b"[" * 10**5), HEADER], "not JSON .*nested too deeply"),
        ([FIRST, Member(SECOND.name, SECOND.data, crc=7), HEADER], "not a readable zip .*Bad CRC"),
    ],
)
def test_zips_that_are_no_log(tmp_path: Path, members: list[Member], message: str) -> None:
    write_zip(tmp_path, *members)
    with pytest.raises(ScoreError, match=message) as caught:
        read(tmp_path)
    assert "odd.eval" in str(caught.value)


def _means(column: list[float | None]) -> Any:
    """The mean of each of three items over two epochs, NaN where an epoch has no score."""
    return np.array(column, dtype=float).reshape(3, 2).mean(axis=1)


columns_of_scores = st.lists(st.sampled_from([0.0, 0.5, 1.0, None]), min_size=6, max_size=6).filter(
    lambda column: len({*_means(column)[~np.isnan(_means(column))]}) > 1
)


@given(columns=st.lists(st.tuples(columns_of_scores, st.sampled_from([*FORMS])), min_size=2))
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory, columns: list[tuple[list[float | None], str]]
) -> None:
    folder = tmp_path_factory.mktemp("logs")
    for k, (column, form) in enumerate(columns):
        samples = [
            failed(item, epoch) if value is None else sample(item, value, epoch)
            for value, (item, epoch) in zip(column, product(range(3), (1, 2)), strict=True)
        ]
        write(folder, f"m{k:02}", samples, form, ids=[0, 1, 2], epochs=2)
    expected = np.column_stack([_means(column) for column, _ in columns])
    np.testing.assert_array_equal(read(folder).values, expected)
