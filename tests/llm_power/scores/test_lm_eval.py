"""Samples of lm-evaluation-harness, in the schemas it has written since 2023.

The records follow `evaluator.evaluate` and `EvaluationTracker.save_results_samples` of the harness;
those of 2023 and of the leaderboard v2 have neither ``filter`` nor ``metrics``, which came in 2024.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from llm_power._cli import main
from llm_power._errors import ScoreError
from llm_power._scores import _json
from llm_power._scores._source import StreamedFile
from llm_power._scores.lm_eval import FORMAT
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_tasks, recognize
from llm_power._scores.store import TaskScores

RUN = "2024-06-16T16-57-41.377142"
LATER = "2025-01-27T10-10-36.877664"
BOTH: Final = ["acc", "acc_norm"]
Record = dict[str, Any]


def sample(doc_id: int, acc: Any = 1.0, /, **changes: Any) -> Record:
    """A record of 2024 or later; a change to None takes a field out."""
    doc = {
        "question_id": 70 + doc_id,
        "question": f"Why {doc_id}?",
        "options": ["because", "therefore"],
        "answer": "A",
        "answer_index": 0,
        "cot_content": "",
        "category": ["law", "physics"][doc_id % 2],
        "src": "ori_mmlu",
    }
    record = {
        "doc_id": doc_id,
        "doc": doc,
        "target": "A",
        "arguments": {"gen_args_0": {"arg_0": f"Question: Why {doc_id}?", "arg_1": " A"}},
        "resps": [[["-0.5", "False"]], [["-1.5", "False"]]],
        "filtered_resps": [["-0.5", "False"], ["-1.5", "False"]],
        "filter": "none",
        "metrics": ["acc"],
        "doc_hash": "d" * 64,
        "prompt_hash": "p" * 64,
        "target_hash": "t" * 64,
        "acc": acc,
    }
    return {name: value for name, value in (record | changes).items() if value is not None}


def old(doc_id: int, acc: Any = 1.0, /, **changes: Any) -> Record:
    """A record as of 2023, and of the leaderboard's details."""
    return sample(doc_id, acc, **({"filter": None, "metrics": None} | changes))


def of_two_filters(items: Iterable[int]) -> list[Record]:
    """A line for each item and filter, as of GSM8K; each filter finds one right answer."""
    return [
        sample(k, None, filter=name, metrics=["exact_match"], exact_match=float(k == right))
        for k in items
        for name, right in (("strict-match", 0), ("flexible-extract", 1))
    ]


def as_lines(records: list[Any]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def as_list(records: list[Any]) -> str:
    return json.dumps(records, indent=2, ensure_ascii=False)


def write(
    folder: Path, model: str, content: str | list[Any], name: str = f"samples_demo_{RUN}.jsonl"
) -> Path:
    path = folder / model / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else as_lines(content)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def write_good(folder: Path, model: str = "good") -> Path:
    return write(folder, model, [sample(0), sample(1, 0.0)])


def read(folder: Path, **options: Any) -> TaskScores:
    return FORMAT([folder], ReadOptions(**options))


def test_the_harness_folder(tmp_path: Path) -> None:
    """Records come in the order in which they were finished."""
    path = write(tmp_path, "org__b", [sample(2), sample(0), sample(1, 0.0)])
    write(tmp_path, "org__a", [sample(0, 0.0), sample(1), sample(2, 0.0)])
    task = read(tmp_path, clusters=["category", "question_id"])
    assert (task.task, task.kind) == ("demo", "binary")
    assert (task.item_ids, task.models) == (("0", "1", "2"), ("org__a", "org__b"))
    np.testing.assert_array_equal(task.values, [[0, 1], [1, 0], [0, 1]])
    assert task.clusters == {
        "category": ("law", "physics", "law"),
        "question_id": ("70", "71", "72"),
    }
    # Both files have the same name, so what tells them apart is part of their names here.
    assert task.provenance.source == tmp_path.name
    assert set(task.provenance.files) == {f"{model}/{path.name}" for model in task.models}
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert task.provenance.files[f"org__b/{path.name}"] == digest


def test_a_list_under_either_ending(tmp_path: Path) -> None:
    """The leaderboard's details: the ending does not tell a list from lines."""
    records = [old(0), old(1, 0.0)]
    one = write(tmp_path, "one", as_list(records), f"samples_leaderboard_mmlu_pro_{RUN}.jsonl")
    two = write(tmp_path, "two", as_lines(records), f"samples_leaderboard_mmlu_pro_{LATER}.json")
    bom = write(tmp_path, "three", "\ufeff" + as_list(records), "three.json")
    task = FORMAT([one, two, bom], ReadOptions())
    assert (task.task, task.models) == ("leaderboard_mmlu_pro", ("one", "three", "two"))
    np.testing.assert_array_equal(task.values, [[1, 1, 1], [0, 0, 0]])
    assert {recognize([path], ReadOptions()) for path in (one, two, bom)} == {"lm_eval"}
    assert recognize([tmp_path], ReadOptions()) == "lm_eval"


def test_old_and_new_records_compare(tmp_path: Path) -> None:
    """Old ones do not name a filter, and prompts differ between models."""
    write(tmp_path, "old", [old(0), old(1, 0.0)])
    write(tmp_path, "new", [sample(0, 0.0, prompt_hash="other"), sample(1)])
    assert read(tmp_path).models == ("new", "old")


# Prompts of these were found to differ between models of the leaderboard v2, on MMLU-Pro.
OTHER_PROMPT = (249, 5313, 5887, 8223, 8395, 8397, 8431)


def write_board(folder: Path, **changes: Any) -> None:
    """Write two models' details, which differ in the prompts and in `changes` of one item's doc."""
    name = f"samples_leaderboard_mmlu_pro_{RUN}.json"
    items = [(k, float(k % 2)) for k in (*OTHER_PROMPT, 8432)]
    write(folder, "one", as_list([old(k, acc) for k, acc in items]), name)
    others = [old(k, acc, prompt_hash="q" * 64 if k in OTHER_PROMPT else None) for k, acc in items]
    others[3]["doc"] = others[3]["doc"] | changes
    write(folder, "two", as_list(others), name)


def test_prompts_of_the_leaderboard_that_differ_between_models(tmp_path: Path) -> None:
    """The same items all the same, for prompt_hash is not what says which item it is."""
    write_board(tmp_path)
    task = read(tmp_path, clusters=["category"])
    assert task.item_ids == tuple(map(str, (*OTHER_PROMPT, 8432)))
    np.testing.assert_array_equal(task.values[:, 0], task.values[:, 1])


@pytest.mark.parametrize(
    "changes", [{"question_id": 1}, {"question": "Who?"}, {"options": ["x"]}, {"answer": "B"}]
)
def test_docs_of_the_leaderboard_that_differ_between_models(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    """Other items, even of doc_ids whose prompts are known to differ."""
    write_board(tmp_path, **changes)
    differs = f"another item than in .*; what differs is '{next(iter(changes))}'. Remedy"
    with pytest.raises(ScoreError, match=f"model 'two', item '8223': {differs}"):
        read(tmp_path)


def test_what_python_writes_and_json_is_not(tmp_path: Path) -> None:
    """A log-probability may be -Infinity, and that is no reason to refuse an item."""
    for model, form in (("a", as_list), ("b", as_lines)):
        records = [sample(0, resps=[float("-inf"), float("nan")]), sample(1, 0)]
        write(tmp_path, model, form(records))
    np.testing.assert_array_equal(read(tmp_path).values, [[1, 1], [0, 0]])


@pytest.mark.parametrize(
    ("values", "expected"), [([True, False], [1, 0]), ([1, 0], [1, 0]), ([0.25, 1], [0.25, 1])]
)
def test_metrics_are_numbers_or_truth_values(
    tmp_path: Path, values: list[Any], expected: list[float]
) -> None:
    records = [sample(k, value) for k, value in enumerate(values)]
    write(tmp_path, "a", records)
    write(tmp_path, "b", records)
    task = read(tmp_path, kind="graded")
    np.testing.assert_array_equal(task.values[:, 0], expected)


def test_items_without_a_score_are_missing(tmp_path: Path) -> None:
    """Without a record, or with null: what to do about them is not for the reader to say."""
    write(tmp_path, "a", [sample(0), sample(1, 0.0), sample(2) | {"acc": None}])
    write(tmp_path, "b", [sample(0), sample(2, 0.0), sample(3)])
    expected = [[1, 1], [0, np.nan], [np.nan, 0], [np.nan, 1]]
    np.testing.assert_array_equal(read(tmp_path).values, expected)


def test_one_metric_of_several(tmp_path: Path) -> None:
    both = [sample(k, 1.0 - k, acc_norm=k, metrics=["acc", "acc_norm"]) for k in (0, 1)]
    write(tmp_path, "a", both)
    write(tmp_path, "b", both)
    np.testing.assert_array_equal(read(tmp_path, metric="acc_norm").values[:, 0], [0, 1])
    np.testing.assert_array_equal(read(tmp_path, metric="acc").values[:, 0], [1, 0])
    with pytest.raises(
        ScoreError,
        match=r"several metrics: 'acc' \(2 scores of 2 items\), 'acc_norm' .*metric='acc'",
    ):
        read(tmp_path)


def test_numbers_among_the_metrics_of_old_records(tmp_path: Path) -> None:
    """Before the field metrics, whatever is not a known field is one; a list is no score."""
    records = [old(k, 1.0 - k, perplexity=[-3.5, 2], n_words=7) for k in (0, 1)]
    write(tmp_path, "a", records)
    write(tmp_path, "b", records)
    with pytest.raises(ScoreError, match="several metrics: 'acc' .*, 'n_words'"):
        read(tmp_path)
    assert read(tmp_path, metric="acc").n_items == 2


def test_one_filter_of_several(tmp_path: Path) -> None:
    for model in ("a", "b"):
        write(tmp_path, model, of_two_filters(range(2)))
    task = read(tmp_path, filter="flexible-extract")
    np.testing.assert_array_equal(task.values[:, 0], [0, 1])
    with pytest.raises(
        ScoreError, match="several filters .*: 'strict-match' .*, 'flexible-extract'"
    ):
        read(tmp_path)
    with pytest.raises(ScoreError, match="'none' is not among the filters .* 'strict-match'"):
        read(tmp_path, filter="none")


def test_the_results_file_names_the_model(tmp_path: Path) -> None:
    write_good(tmp_path, "org__model")
    write(tmp_path, "org__model", '{"model_name": "org/model"}', f"results_{RUN}.json")
    write(tmp_path, "org__model", '{"model_name": "of another run"}', f"results_{LATER}.json")
    # Where --output_path names a file, results are called after it, and there is no folder.
    flat = write_good(tmp_path, "output")
    write(tmp_path, "output", '{"model_name": "flat"}', f"mine_{RUN}.json")
    unnamed = write_good(tmp_path, "unnamed")
    write(tmp_path, "unnamed", '{"model_name": ""}', f"results_{RUN}.json")
    assert read(tmp_path).models == ("flat", "org/model", "unnamed")
    for damaged in ("{", '{"model_name": "a", "model_name": "b"}'):
        write(tmp_path, "output", damaged, f"mine_{RUN}.json")
        with pytest.raises(ScoreError, match="not JSON.*Remedy: repair it, or move it away"):
            FORMAT([flat, unnamed], ReadOptions())


def test_files_that_are_called_after_their_models(tmp_path: Path) -> None:
    paths = [write(tmp_path, "run", [sample(0), sample(1, 0)], f"{m}.json") for m in "ba"]
    task = FORMAT(paths, ReadOptions())
    assert (task.models, task.task, task.provenance.source) == (("a", "b"), "run", "run")


def test_several_tasks_in_a_folder(tmp_path: Path) -> None:
    for model in ("a", "b"):
        write_good(tmp_path, model)
        write(tmp_path, model, [sample(5, 0.0), sample(6)], f"samples_other_{RUN}.jsonl")
    with pytest.raises(ScoreError, match="several tasks: 'demo', 'other'.*Remedy: give the files"):
        read(tmp_path)
    assert read(tmp_path, task="other").item_ids == ("5", "6")
    assert read(tmp_path, task="demo").task == "demo"
    with pytest.raises(ScoreError, match="several tasks"):
        read(tmp_path, task="third")
    files = sorted(tmp_path.glob("*/*.jsonl"))
    assert FORMAT(files, ReadOptions(task="demo")).task == "demo"


def test_several_tasks_and_filters_in_a_folder(tmp_path: Path) -> None:
    """As --log_samples leaves them: a filter has to be named for one task, and not for another."""
    for model in ("a", "b"):
        write_good(tmp_path, model)
        write(tmp_path, model, of_two_filters(range(2)), f"samples_gsm8k_{RUN}.jsonl")
    for name, first in (("strict-match", 1), ("flexible-extract", 0)):
        task = read(tmp_path, task="gsm8k", filter=name)
        np.testing.assert_array_equal(task.values[:, 0], [first, 1 - first])
    with pytest.raises(ScoreError, match="several tasks: 'demo', 'gsm8k'"):
        read(tmp_path, filter="strict-match")
    with pytest.raises(
        ScoreError, match=r"samples_gsm8k_.*several filters of the answers: 'strict-match' .*'flex"
    ):
        read(tmp_path, task="gsm8k")
    assert read(tmp_path, task="demo").n_items == 2


def write_open(folder: Path, first: int = 2, second: int = 3) -> None:
    """Write reruns of two tasks, one of them of two metrics, the other of two filters."""
    for model in ("a", "b"):
        for run, items in ((RUN, range(first)), (LATER, range(second))):
            both = [sample(k, 1.0 - k % 2, acc_norm=k % 2, metrics=BOTH) for k in items]
            write(folder, model, both, f"samples_demo_{run}.jsonl")
            write(folder, model, of_two_filters(items), f"samples_gsm8k_{run}.jsonl")


def test_all_that_is_open_is_told_at_once_with_a_command_that_works(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Reruns, two metrics and two filters in one folder take one refusal."""
    write_open(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(["resolve", str(tmp_path), "--format", "json"])
    told, command = capsys.readouterr().err.splitlines()
    assert stop.value.code == 2
    assert f"'a/samples_demo_{RUN}.jsonl' (2 scores of 2 items, 1 fewer than another)" in told
    assert f"'b/samples_gsm8k_{LATER}.jsonl' (3 scores of 3 items)" in told
    assert "several runs of 2 models" in told
    assert "'acc' (3 scores of 3 items), 'acc_norm' (3 scores of 3 items)" in told
    assert "'strict-match' (3 items), 'flexible-extract' (3 items)" in told
    assert "--exclude" not in command
    program, *words = shlex.split(command)
    assert program == "llm-power"
    with pytest.raises(SystemExit) as stop:
        main(words)
    out, err = capsys.readouterr()
    assert stop.value.code == 0, err
    assert [task["task"] for task in json.loads(out)["tasks"]] == ["demo", "gsm8k"]


@pytest.mark.parametrize(
    ("sizes", "read"), [((3, 2), RUN), ((3, 3), LATER), ((2, 3), LATER)], ids=str
)
def test_no_command_that_is_offered_answers_on_fewer_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], sizes: tuple[int, int], read: str
) -> None:
    """A rerun of some items, as by --limit, is left out by name; an older one by --latest."""
    write_open(tmp_path, *sizes)
    with pytest.raises(SystemExit):
        main(["resolve", str(tmp_path), "--format", "json"])
    told, command = capsys.readouterr().err.splitlines()
    assert told.count("fewer than another") == (0 if sizes == (3, 3) else 4)
    assert "or take the newest of the longest" in told
    assert ("--exclude" in command) == (read == RUN)
    assert "--missing" not in command
    _, *words = shlex.split(command)
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 0
    out = json.loads(capsys.readouterr().out)
    assert {task["n_items"] for task in out["tasks"]} == {3}
    with pytest.raises(ScoreError) as raised:
        read_tasks(tmp_path)
    settings: dict[str, Any] = dict(raised.value.settings)
    for task in read_tasks(tmp_path, ReadOptions(**settings)):
        assert all(read in file for file in task.provenance.files)


def test_one_shorter_rerun_does_not_cost_the_other_models_items(tmp_path: Path) -> None:
    """With --latest alone the first model would lack an item, which --missing would accept."""
    write(tmp_path, "a", [sample(k) for k in range(3)])
    short = write(tmp_path, "a", [sample(0), sample(1)], f"samples_demo_{LATER}.jsonl")
    write(tmp_path, "b", [sample(k) for k in range(3)])
    with pytest.raises(ScoreError) as raised:
        read_tasks(tmp_path)
    assert raised.value.settings == {"latest": True, "exclude": [str(short)]}
    (task,) = read_tasks(tmp_path, ReadOptions(latest=True, exclude=[str(short)]))
    assert task.n_items == 3
    assert short.name not in task.provenance.files
    assert task.provenance.reading["exclude"] == [str(short)]
    (task,) = read_tasks(tmp_path, ReadOptions(exclude=["b", str(short)]))
    assert task.models == ("a",)


def test_a_rerun_that_cannot_be_read_is_listed_as_such(tmp_path: Path) -> None:
    for model in ("a", "b"):
        write(tmp_path, model, [sample(k) for k in range(3)])
    broken = tmp_path / "a" / f"samples_demo_{LATER}.jsonl"
    broken.write_text('{"doc_id": 0', encoding="utf-8")
    with pytest.raises(ScoreError, match=rf"{LATER}.jsonl' \(not readable\)"):
        read_tasks(tmp_path)


def test_python_is_told_the_same_in_its_own_spelling(tmp_path: Path) -> None:
    write_open(tmp_path)
    with pytest.raises(ScoreError) as raised:
        read_tasks(tmp_path)
    _, _, added = str(raised.value).rpartition("for example: ")
    assert added == "latest=True, metric='acc,exact_match', filter='strict-match,none'."
    options = ReadOptions(latest=True, metric="acc,exact_match", filter="strict-match,none")
    for task in read_tasks(tmp_path, options):
        np.testing.assert_array_equal(task.values[:2, 0], [1, 0])


def test_tasks_have_metrics_and_filters_of_their_own(tmp_path: Path) -> None:
    write_open(tmp_path)
    options = ReadOptions(latest=True, metric="demo=acc_norm", filter="gsm8k=flexible-extract")
    for task in read_tasks(tmp_path, options):
        np.testing.assert_array_equal(task.values[:2, 0], [0, 1])
    with pytest.raises(ScoreError, match="'demi=acc' names no task; the tasks are 'demo', 'gsm8k'"):
        read_tasks(tmp_path, replace(options, metric="demi=acc"))
    only = replace(options, task="gsm8k", metric=None)
    assert [task.task for task in read_tasks(tmp_path, only)] == ["gsm8k"]
    assert [task.task for task in read_tasks(tmp_path, replace(options, task="demo,gsm8k"))] == [
        *("demo", "gsm8k")
    ]


def test_excluded_models_are_not_opened(tmp_path: Path) -> None:
    write_good(tmp_path, "a")
    write_good(tmp_path, "b")
    write(tmp_path, "broken", "not JSON")
    assert read(tmp_path, exclude=["broken"]).models == ("a", "b")
    with pytest.raises(ScoreError, match="the model to exclude is not there"):
        read(tmp_path, exclude=["c"])
    with pytest.raises(ScoreError, match="every model is excluded"):
        read(tmp_path, exclude=["a", "b", "broken"])


def test_two_runs_of_one_model(tmp_path: Path) -> None:
    write_good(tmp_path, "m")
    second = write(tmp_path, "m", [sample(0), sample(1, 0.0)], f"samples_demo_{LATER}.jsonl")
    with pytest.raises(ScoreError, match="several runs of this model.*keep one file per model"):
        read(tmp_path)
    second.rename(second.with_name("later.jsonl"))
    paths = sorted((tmp_path / "m").iterdir())
    assert FORMAT(paths, ReadOptions()).models == ("later", "m")


FAULTS: dict[str, tuple[list[Any] | str, str]] = {
    "an empty file": ("", "there is no record. Remedy: run the harness with --log_samples"),
    "an empty list": ("[]", "there is no record"),
    "text": ("hello", r"damaged after 0 records: the next one is not JSON \(Expecting value\)"),
    "a cut list": (as_list([sample(0), sample(1)])[:-30], "damaged after 1 records: .* not JSON"),
    "a list without end": ("[" + json.dumps(sample(0)), "neither a comma nor the end"),
    "a list that goes on": (as_list([sample(0)]) + "[]", "has an end, but the file goes on"),
    "a comma too many": ("[" + json.dumps(sample(0)) + ",]", "not JSON"),
    "two records on a line": (json.dumps(sample(0)) * 2, "follows on the same line"),
    "a key twice": ('{"doc_id": 0, "doc": {}, "acc": 1, "acc": 0}', "the key 'acc' twice"),
    "deep nesting": ('{"doc": ' + "[" * 100_000, "nested too deeply"),
    "text as record": (["hello"], "record 1 is a str instead of an object"),
    "no doc_id": ([sample(0), sample(1, doc_id=None)], "record 2 has no whole number as doc_id"),
    "a doc_id of text": ([sample(0, doc_id="0")], "record 1 has no whole number as doc_id"),
    "a truth value as doc_id": ([sample(0, doc_id=True)], "no whole number as doc_id"),
    "no doc": ([sample(0, doc=None, doc_hash=None)], "record 1 has neither doc nor doc_hash"),
    "a filter of numbers": ([sample(0, filter=7)], "record 1 has a filter that is not text"),
    "an item twice": ([sample(0), sample(0)], "item '0': this item occurs more than once"),
    "a metric that is text": (
        [sample(0, "yes")],
        "item '0': the metric is not a number in .* numbers are: none",
    ),
    "a metric that ends": (
        [sample(0), sample(1) | {"acc": "?"}],
        "item '1': 'acc' is not a number in this record",
    ),
    "a metric that goes": (
        [old(0), old(1, None, em=1)],
        "several metrics: 'acc' .1 scores of 2 items., 'em' ",
    ),
    "NaN": ([sample(0), sample(1, float("nan"))], "item '1': 'acc' is not a number"),
    "a filter now and then": ([sample(0), old(1)], "some records name their filter, others do"),
    "another doc": (
        [sample(0) | {"doc": {"q": 1}}],
        "another item than in .*; what differs is 'q', 'question_id'",
    ),
    "another question": (
        [sample(0) | {"doc": sample(0)["doc"] | {"question": "Who?"}}],
        r"another item than in .*good.*; what differs is 'question'. Remedy: use runs on",
    ),
    "a hash for a doc": ([sample(0, doc=None)], "what differs is 'doc_hash', 'question_id'"),
    "another metric": (
        [sample(0, None, metrics=["em"], em=1), sample(1, None, metrics=["em"], em=0)],
        "its metric is 'em', that of 'good' is 'acc'",
    ),
    "another filter": (
        [sample(0, filter="strict"), sample(1, 0, filter="strict")],
        "its filter is 'strict', that of 'good' is 'none'",
    ),
    "beyond 1": ([sample(0, 999), sample(1, 0)], "score 999.0 is not 0 or 1"),
    "beyond floats": ([sample(0, 10**400), sample(1, 0)], "score inf is not 0 or 1"),
}


@pytest.mark.parametrize(("content", "message"), FAULTS.values(), ids=FAULTS)
def test_faults(tmp_path: Path, content: str | list[Any], message: str) -> None:
    """Each names the file or the model."""
    write_good(tmp_path)
    write(tmp_path, "odd", content)
    with pytest.raises(ScoreError, match=message) as caught:
        read(tmp_path)
    assert "odd" in str(caught.value)


def test_bytes_that_are_not_utf_8(tmp_path: Path) -> None:
    write_good(tmp_path)
    write_good(tmp_path, "odd").write_bytes(as_lines([sample(0)]).encode("utf-16"))
    with pytest.raises(ScoreError, match="damaged after 0 records: what follows is not UTF-8"):
        read(tmp_path)


@pytest.mark.parametrize("clusters", [["subject"], ["options"]])
def test_labels_that_are_not_there(tmp_path: Path, clusters: list[str]) -> None:
    write_good(tmp_path)
    with pytest.raises(ScoreError, match=f"no text and no whole number as '{clusters[0]}', only"):
        read(tmp_path, clusters=clusters)


def test_docs_that_were_left_out(tmp_path: Path) -> None:
    """Their hashes say as well which item it is, but not what it is labelled."""
    records = [sample(0, doc=None), sample(1, 0, doc=None, doc_hash="e" * 64)]
    write(tmp_path, "a", records)
    write(tmp_path, "b", records)
    assert read(tmp_path).n_items == 2
    with pytest.raises(ScoreError, match="has nothing to take 'category' of"):
        read(tmp_path, clusters=["category"])
    write(tmp_path, "c", [sample(0, doc=None, doc_hash="f" * 64)])
    with pytest.raises(ScoreError, match="what differs is 'doc_hash'. Remedy"):
        read(tmp_path)


def test_a_record_without_end_is_not_read_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_json, "LARGEST_RECORD", 2000)
    monkeypatch.setattr(_json, "_PIECE", 100)
    write_good(tmp_path)
    assert FORMAT([write_good(tmp_path, "b"), tmp_path / "good"], ReadOptions()).n_models == 2
    write(tmp_path, "odd", [sample(0, resps=["x" * 9000])])
    with pytest.raises(ScoreError, match="the next one is longer than"):
        read(tmp_path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    values=st.lists(json_values, max_size=6),
    layout=st.fixed_dictionaries(
        {"indent": st.sampled_from([None, 0, 2]), "ensure_ascii": st.booleans()}
    ),
    is_list=st.booleans(),
    piece=st.integers(1, 40) | st.just(400),
)
@example(values=[0.0, 1e300], layout={"indent": None, "ensure_ascii": False}, is_list=True, piece=1)
def test_records_are_those_of_the_standard_parser(
    tmp_path_factory: pytest.TempPathFactory,
    values: list[Any],
    layout: dict[str, Any],
    is_list: bool,
    piece: int,
) -> None:
    """However small the pieces are in which the file is read."""
    if not is_list:  # lines cannot begin as a list does
        values = [{"value": value} for value in values]
    texts = [json.dumps(value, **layout) for value in values]
    text = f"[{', '.join(texts)}]" if is_list else "\n".join(texts)
    path = tmp_path_factory.mktemp("json") / "file"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.MonkeyPatch.context() as patched, StreamedFile(path) as source:
        patched.setattr(_json, "_PIECE", piece)
        read_back = list(_json.json_records(source))
        assert source.record().sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert repr(read_back) == repr(values)


@pytest.mark.parametrize(
    "line",
    ['{"a": NaN}', '{"a": "\\ud800"}', '{"a": "\\u003a"}', '{"a": 1} ', "", "[1, 2]", '{"a:": {}}'],
)
def test_lines_that_the_fast_parser_refuses_are_read(tmp_path: Path, line: str) -> None:
    lines = ['{"b": 1}', line, '{"c": [2]}']
    path = tmp_path / "file"
    path.write_text("\n".join([*lines, ""]))
    with StreamedFile(path) as source:
        read_back = list(_json.json_records(source))
    assert repr(read_back) == repr([json.loads(one) for one in lines if one])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"a": {"b": 1, "b": 2}}', "after 1 records: the next one has the key 'b' twice"),
        ('{"b": 1} {"c": 1}', "after 2 records: another record follows on the same line"),
        ('{"a": }', "after 1 records: the next one is not JSON"),
    ],
)
def test_lines_that_the_fast_parser_would_mend_are_refused(
    tmp_path: Path, line: str, message: str
) -> None:
    path = tmp_path / "file"
    path.write_text("\n".join(['{"a": 1}', line, '{"c": 2}', ""]))
    with StreamedFile(path) as source, pytest.raises(ScoreError, match=message):
        list(_json.json_records(source))


scores = st.lists(st.sampled_from([0.0, 1.0, None]), min_size=4, max_size=4).filter(
    lambda column: {0.0, 1.0} <= {*column}
)


@given(
    columns=st.dictionaries(
        st.text("abcXYZ-_.", min_size=1).filter(lambda name: name.strip(".")),
        scores,
        min_size=2,
        max_size=3,
    ),
    order=st.permutations(range(4)),
    is_list=st.booleans(),
)
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory,
    columns: dict[str, list[float | None]],
    order: list[int],
    is_list: bool,
) -> None:
    folder = tmp_path_factory.mktemp("samples")
    for model, column in columns.items():
        records = [sample(k) | {"acc": column[k]} for k in order]
        write(folder, model, as_list(records) if is_list else as_lines(records))
    task = read(folder, metric="acc")
    assert task.models == tuple(sorted(columns))
    expected = np.array([columns[model] for model in task.models], dtype=float).T
    np.testing.assert_array_equal(task.values, expected)
