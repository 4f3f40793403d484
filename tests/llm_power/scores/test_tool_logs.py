"""Logs that the tools themselves wrote: `tools/log_fixtures.py` made what is in ``logs``."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from zips import STORED, Member, zip_of

from llm_power._errors import ScoreError
from llm_power._scores._logs import pooled
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_scores, read_tasks, recognize
from llm_power._scores.store import Repeats, TaskScores

NAN = np.nan

LOGS = Path(__file__).parent / "logs"
INSPECT = LOGS / "inspect_ai-0.3.285"
LM_EVAL = LOGS / "lm_eval-0.4.13"
HELM = LOGS / "crfm_helm-0.5.16"
BIRDS = ("heron", "wren")


def displayed(path: Path, reducer: str | None = None, name: str | None = None) -> list[float]:
    """What Inspect itself says each model's score is, by model."""
    found = {}
    for log in path.glob("*.json"):
        found[log] = json.loads(log.read_text())
    for log in path.glob("*.eval"):
        header = read_member(log, "header.json")
        found[log] = json.loads(header)
    scores = {}
    for header in found.values():
        for one in header["results"]["scores"] if header["status"] == "success" else ():
            metrics = one["metrics"]
            value = metrics.get("accuracy", metrics.get("mean"))["value"]
            if one.get("reducer") == reducer and name in {None, one["name"]}:
                scores[header["eval"]["model"]] = value
    return [scores[model] for model in sorted(scores)]


def read_member(log: Path, name: str) -> bytes:
    from llm_power._scores._source import open_archive  # noqa: PLC0415

    with open_archive(log, str(log)) as archive:
        return archive.read(name)


@pytest.mark.parametrize("form", ["plain", "plain_json"])
def test_inspect_of_one_epoch(form: str) -> None:
    task = read_scores(INSPECT / form, ReadOptions(clusters=["subject"]))
    assert (task.task, task.kind, task.n_items) == ("plain", "binary", 9)
    assert task.models == ("mockllm/heron", "mockllm/wren")
    np.testing.assert_allclose(task.mean_scores, displayed(INSPECT / form))


def test_the_reducer_that_a_run_declared_is_honoured() -> None:
    task = read_scores(INSPECT / "best_of")
    assert task.kind == "binary"
    np.testing.assert_allclose(task.mean_scores, displayed(INSPECT / "best_of", "max"))
    mean = read_scores(INSPECT / "best_of", ReadOptions(reducer="mean"))
    assert (mean.mean_scores < task.mean_scores).all()


@pytest.mark.parametrize("reducer", ["mean", "mode", "median", "at_least_2", "pass_at_2"])
def test_one_of_several_reducers_is_chosen(reducer: str) -> None:
    task = read_scores(INSPECT / "several", ReadOptions(reducer=reducer))
    np.testing.assert_allclose(task.mean_scores, displayed(INSPECT / "several", reducer))


def test_several_reducers_are_not_chosen_among() -> None:
    with pytest.raises(ScoreError, match="several reducers.*'mean' .9 items., 'mode' "):
        read_scores(INSPECT / "several")
    with pytest.raises(ScoreError, match="'tower' is not one that can be made again"):
        read_scores(INSPECT / "several", ReadOptions(reducer="tower"))


@pytest.mark.parametrize("metric", ["exact", "rubric/exact", "style"])
def test_a_scorer_that_gives_a_dictionary(metric: str) -> None:
    task = read_scores(INSPECT / "dictionary", ReadOptions(metric=metric, kind="graded"))
    key = metric.removeprefix("rubric/")
    np.testing.assert_allclose(task.mean_scores, displayed(INSPECT / "dictionary", None, key))


def test_a_run_that_was_retried() -> None:
    with pytest.raises(ScoreError, match="several runs of 2 models.*take the newest"):
        read_scores(INSPECT / "retried")
    task = read_scores(INSPECT / "retried", ReadOptions(latest=True))
    np.testing.assert_allclose(task.mean_scores, displayed(INSPECT / "retried"))
    assert sum("left out for a later run: " in fault for fault in task.provenance.tolerated) == 2


def changed(log: Path, target: Path) -> None:
    """Copy a log in which one sample is solved, and was not."""
    members = []
    n_changed = 0
    with ZipFile(log) as archive:
        names = archive.namelist()
    for name in names:
        data = read_member(log, name)
        if name.startswith("samples/") and not n_changed and b'"value":"I"' in data:
            data = data.replace(b'"value":"I"', b'"value":"C"')
            n_changed += 1
        members.append(Member(name, data, STORED))
    assert n_changed
    target.write_bytes(zip_of(*members))


def test_the_displayed_score_is_made_again(tmp_path: Path) -> None:
    shutil.copytree(INSPECT / "plain", tmp_path, dirs_exist_ok=True)
    log = next(tmp_path.iterdir())
    changed(log, log)
    with pytest.raises(
        ScoreError,
        match="displayed accuracy .*, by its items .*: 1 of 9 items",
    ):
        read_scores(tmp_path)


def test_a_sample_that_was_scored_though_it_failed(tmp_path: Path) -> None:
    """It has no score here, and one in the mean that the log displays."""
    shutil.copytree(INSPECT / "plain_json", tmp_path, dirs_exist_ok=True)
    path = next(path for path in tmp_path.iterdir() if '"mockllm/heron"' in path.read_text())
    log = json.loads(path.read_text())
    solved = next(one for one in log["samples"] if one["scores"]["verdict"]["value"] == "C")
    solved["error"] = {"message": "boom", "traceback": "", "traceback_ansi": ""}
    path.write_text(json.dumps(log))
    assert np.isnan(read_scores(tmp_path).values).sum() == 1


def test_two_runs_are_compared_by_the_names_they_are_given() -> None:
    old, new = sorted(path for path in (INSPECT / "plain").iterdir())
    (task,) = read_tasks([], ReadOptions(names={"old": str(old), "new": str(new)}))
    assert task.models == ("new", "old")
    (same,) = read_tasks([old, new])
    assert same.models == ("mockllm/heron", "mockllm/wren")


def tasks_of(**options: object) -> dict[str, TaskScores]:
    read = read_tasks(LM_EVAL, ReadOptions(**options))  # type: ignore[arg-type]
    return {task.task: task for task in read}


def results(model: str, run: int = 0) -> dict[str, dict[str, float]]:
    files = sorted((LM_EVAL / f"birds__{model}").glob("results_*.json"))
    found: dict[str, dict[str, float]] = json.loads(files[run].read_text())["results"]
    return found


METRICS = {"metric": "acc,exact_match", "filter": "none,strict-match", "latest": True}


def test_lm_eval_of_all_tasks_at_once() -> None:
    tasks = tasks_of(**METRICS)
    assert set(tasks) == {"exam_algebra", "exam_botany", "spelling"}
    for name in ("exam_algebra", "exam_botany"):
        means = [results(bird)[name]["acc,none"] for bird in BIRDS]
        np.testing.assert_allclose(tasks[name].mean_scores, means)
    assert tasks["spelling"].models == ("birds/heron", "birds/wren")
    (left,) = tasks["spelling"].provenance.tolerated
    assert left.startswith("left out for a later run: samples_spelling_")


def test_a_model_that_one_task_alone_has_is_left_out(tmp_path: Path) -> None:
    shutil.copytree(LM_EVAL, tmp_path, dirs_exist_ok=True)
    shutil.copytree(tmp_path / "birds__wren", tmp_path / "kite")
    for path in (tmp_path / "kite").iterdir():
        if "spelling" not in path.name:
            path.unlink()
    tasks = read_tasks(tmp_path, ReadOptions(exclude=["kite"], **METRICS))  # type: ignore[arg-type]
    assert {task.models for task in tasks} == {("birds/heron", "birds/wren")}


def test_a_task_that_is_not_there_and_a_table_with_a_name(tmp_path: Path) -> None:
    with pytest.raises(ScoreError, match="several tasks: .*exam_algebra.*task="):
        tasks_of(task="law", **METRICS)
    (tmp_path / "exam.csv").write_text("item,a,b\n1,0,1\n")
    with pytest.raises(ScoreError, match="a table, whose columns name the models"):
        read_tasks([], ReadOptions(names={"old": str(tmp_path / "exam.csv")}))


def test_the_tasks_of_a_group_are_pooled() -> None:
    tasks = tasks_of(pool="groups", clusters=["subtask"], **METRICS)
    exam = tasks["exam"]
    assert set(tasks) == {"exam", "spelling"}
    assert (exam.n_items, set(exam.clusters["subtask"])) == (20, {"exam_algebra", "exam_botany"})
    means = [results(bird)["exam"]["acc,none"] for bird in BIRDS]
    np.testing.assert_allclose(exam.mean_scores, means)
    with pytest.raises(ScoreError, match="of no group of tasks"):
        read_tasks(INSPECT / "plain", ReadOptions(pool="groups"))
    both = tasks_of(pool="both", clusters=["subtask"], **METRICS)
    assert list(both) == ["exam", "spelling", "exam_algebra", "exam_botany"]


def test_of_several_tasks_some_may_lack_the_cluster_column(tmp_path: Path) -> None:
    for bird in BIRDS:
        shutil.copytree(LM_EVAL / f"birds__{bird}", tmp_path / bird)
    for log in tmp_path.glob("*/samples_exam_botany_*"):
        records = [json.loads(line) for line in log.read_text().splitlines()]
        for record in records:
            del record["doc"]["subject"]
        log.write_text("\n".join(map(json.dumps, records)))
    options = ReadOptions(clusters=["subject"], **METRICS)  # type: ignore[arg-type]
    (tmp_path / "quiz.csv").write_text("item,birds/heron,birds/wren\n1,0,1\n2,1,1\n")
    header = "model_a,model_b,n,b,c,p_a,p_b\n"
    (tmp_path / "counts.csv").write_text(f"{header}birds/heron,birds/wren,1000,60,40,0.7,0.68\n")
    tables = [tmp_path / "quiz.csv", tmp_path / "counts.csv"]
    tasks = read_tasks([tmp_path, *tables], options)
    having = {task.task for task in tasks if "subject" in task.clusters}
    assert having == {"exam_algebra", "spelling"}
    assert len(tasks) == 5
    with pytest.raises(ScoreError, match="no text and no whole number as 'topic'"):
        read_tasks([tmp_path, *tables], replace(options, clusters=["topic"]))
    # A column that ends within a task is a fault of the file.
    records[0]["doc"]["subject"] = "botany"
    log.write_text("\n".join(map(json.dumps, records)))
    with pytest.raises(ScoreError, match="no text and no whole number as 'subject'"):
        read_tasks(tmp_path, options)


def test_items_are_matched_by_what_they_ask(tmp_path: Path) -> None:
    """A run with `--samples` in another order writes wrong doc_ids."""
    for bird in BIRDS:
        shutil.copytree(LM_EVAL / f"birds__{bird}", tmp_path / bird)
    wrong = next((tmp_path / "wren").glob("samples_exam_botany_*"))
    records = [json.loads(line) for line in wrong.read_text().splitlines()]
    ids = [record["doc_id"] for record in records]
    for record, doc_id in zip(records, ids[1:] + ids[:1], strict=True):
        record["doc_id"] = doc_id
    wrong.write_text("\n".join(map(json.dumps, records)))
    options = {"metric": "acc", "task": "exam_botany"}
    with pytest.raises(ScoreError, match="another item than in"):
        read_tasks(tmp_path, ReadOptions(**options))  # type: ignore[arg-type]
    (task,) = read_tasks(tmp_path, ReadOptions(match="content", **options))  # type: ignore[arg-type]
    means = [results(bird)["exam_botany"]["acc,none"] for bird in BIRDS]
    np.testing.assert_allclose(task.mean_scores, means)
    assert not np.isnan(task.values).any()


def test_helm() -> None:
    task = read_scores(HELM, ReadOptions(metric="exact_match"))
    assert (task.task, task.models, task.n_items) == (
        "simple_mcqa",
        ("birds/heron", "birds/wren"),
        8,
    )
    shown = []
    for bird in BIRDS:
        stats = json.loads((HELM / f"simple_mcqa:model=birds_{bird}" / "stats.json").read_text())
        wanted = {"name": "exact_match", "split": "test"}
        (mean,) = (one["mean"] for one in stats if one["name"] == wanted)
        shown.append(mean)
    np.testing.assert_allclose(task.mean_scores, shown)


def test_evalplus() -> None:
    folder = LOGS / "evalplus-0.3.1"
    with pytest.raises(ScoreError, match=r"'base' \(12 scores of 6 items\), 'plus' \(12 s"):
        read_scores(folder)
    for metric in ("base", "plus"):
        task = read_scores(folder, ReadOptions(metric=metric))
        assert (task.task, task.models, task.n_items) == ("humaneval", BIRDS, 6)
        for bird, mean in zip(task.models, task.mean_scores, strict=True):
            said = json.loads((folder / "humaneval" / f"{bird}_eval_results.json").read_text())
            solved = [
                one["base_status"] == one[f"{metric}_status"] == "pass"
                for solutions in said["eval"].values()
                for one in solutions
            ]
            assert mean == np.mean(solved)


def test_swe_bench() -> None:
    folder = LOGS / "swebench-5.0.2"
    reports = read_scores(folder / "reports")
    instances = read_scores(folder / "logs", ReadOptions(clusters=["repo"]))
    assert reports.item_ids == instances.item_ids
    assert instances.models == ("birds__heron", "birds__wren")
    assert set(instances.clusters["repo"]) == {"django__django", "psf__requests"}
    # Without a patch there is no report, and the summary counts it as not resolved.
    missing = np.isnan(instances.values)
    assert missing.sum() == 1
    np.testing.assert_array_equal(instances.values[~missing], reports.values[~missing])
    assert (reports.values[missing] == 0).all()


def test_bfcl(tmp_path: Path) -> None:
    folder = LOGS / "bfcl_eval-2026.3.23"
    for path in (folder, folder / "score"):
        task = read_scores(path)
        assert (task.task, task.models, task.n_items) == ("simple_java", BIRDS, 12)
        np.testing.assert_allclose(task.mean_scores, [10 / 12, 9 / 12])
    shutil.copytree(folder / "score", tmp_path / "score")
    with pytest.raises(ScoreError, match="which items there were.*which does not exist"):
        read_scores(tmp_path)
    shutil.copytree(folder / "result", tmp_path / "result")
    results = next((tmp_path / "result" / "wren").rglob("*.json"))
    results.write_text("\n".join(results.read_text().splitlines()[:-1]))
    with pytest.raises(ScoreError, match="counts 9 of 12 correct, by .* it is 8 of 11. Remedy"):
        read_scores(tmp_path)


BY_HAND = LOGS / "by_hand"
FORMS = {
    "opencompass": ({"task": "sums"}, [4 / 6, 2 / 6]),
    "livecodebench": ({"clusters": ["difficulty", "platform"]}, [7 / 12, 4 / 12]),
    "terminal_bench": ({}, [7 / 12, 4 / 12]),
    "alpaca_eval": ({"clusters": ["dataset"]}, [3.16 / 6, 1.85 / 6]),
    "every_eval_ever": ({"clusters": ["subject"]}, [7 / 12, 4 / 12]),
    "lighteval": ({"metric": "acc"}, [4 / 6, 2 / 6]),
}


@pytest.mark.parametrize("name", FORMS)
def test_logs_by_hand(name: str) -> None:
    options, means = FORMS[name]
    assert recognize([BY_HAND / name], ReadOptions()) == name
    (task,) = read_tasks(BY_HAND / name, ReadOptions(**options))  # type: ignore[arg-type]
    np.testing.assert_allclose(task.mean_scores, means)
    assert [model.rpartition("/")[2].rpartition(" ")[2] for model in task.models] == [*BIRDS]
    file = next(path for path in sorted((BY_HAND / name).rglob("*")) if path.is_file())
    assert recognize([file], ReadOptions()) == name


@pytest.mark.parametrize("name", ["livecodebench", "terminal_bench", "every_eval_ever"])
def test_two_attempts_at_an_item_are_repeats(name: str) -> None:
    """Of 0 and 1 they have variance 1/2 where the mean is 1/2, else none."""
    (task,) = read_tasks(BY_HAND / name)
    assert task.repeats is not None
    assert np.unique(task.repeats.number).tolist() == [2]
    np.testing.assert_array_equal(task.repeats.variance, np.where(task.values == 0.5, 0.5, 0))


def test_metadata_that_may_have_named_the_model_are_not_passed_over(tmp_path: Path) -> None:
    shutil.copytree(BY_HAND / "terminal_bench", tmp_path, dirs_exist_ok=True)
    next(tmp_path.rglob("run_metadata.json")).write_text("{")
    with pytest.raises(ScoreError, match="run_metadata.json.*not JSON.*move it away"):
        read_tasks(tmp_path)


def test_pooled_repeats_are_those_of_the_tasks() -> None:
    """A task without them has single answers, a model that a task lacks has none."""
    values = np.array([[0.5, 1.0], [0.0, 0.5]])
    repeats = Repeats(np.full((2, 2), 2), np.where(values == 0.5, 0.5, 0))
    tasks = {
        "sums": TaskScores(
            "sums", "graded", ("1", "2"), ("heron", "wren"), values, {}, repeats=repeats
        ),
        "birds": TaskScores("birds", "binary", ("1",), ("kite", "wren"), np.array([[1.0, 0.0]])),
    }
    (pooled_task,) = pooled(tasks, {"exam": ["sums", "birds"]}, Path("exam"))
    assert pooled_task.repeats is not None
    assert pooled_task.models == ("heron", "kite", "wren")
    assert pooled_task.repeats.number.tolist() == [[2, 0, 2], [2, 0, 2], [0, 1, 1]]
    np.testing.assert_array_equal(
        pooled_task.repeats.variance, [[0.5, NAN, 0], [0, NAN, 0.5], [NAN, NAN, NAN]]
    )


def test_every_task_of_opencompass_has_single_attempts_which_are_no_repeats() -> None:
    tasks = [
        (task.task, task.n_items, task.repeats) for task in read_tasks(BY_HAND / "opencompass")
    ]
    assert tasks == [("ppl", 6, None), ("sums", 6, None)]


def test_every_evaluation_of_a_file_is_a_task(tmp_path: Path) -> None:
    """A file of two evaluations is read as the two files of one each."""
    for bird in BIRDS:
        text = (BY_HAND / "every_eval_ever" / f"{bird}_samples.jsonl").read_text()
        more = text.replace('"sums', '"products').replace('"score": 0.0', '"score": 1.0')
        (tmp_path / f"{bird}_samples.jsonl").write_text(f"{text}\n{more}")
    both = read_tasks(tmp_path)
    assert [task.task for task in both] == ["sums", "products"]
    (alone,) = read_tasks(BY_HAND / "every_eval_ever")
    np.testing.assert_array_equal(both[0].values, alone.values)
    assert (both[1].values == 1).all()
    (one,) = read_tasks(tmp_path, ReadOptions(task="products"))
    np.testing.assert_array_equal(one.values, both[1].values)
    with pytest.raises(ScoreError, match="several tasks: 'sums', 'products'.*task='sums'"):
        read_scores(tmp_path)


def test_a_rerun_is_sized_by_each_task_of_its_file(tmp_path: Path) -> None:
    for bird in BIRDS:
        text = (BY_HAND / "every_eval_ever" / f"{bird}_samples.jsonl").read_text()
        more = text.replace('"sums', '"products')
        for run, left_out in (("a", 0), ("b", 1)):
            lines = text.splitlines()[left_out:] + more.splitlines()
            (tmp_path / run).mkdir(exist_ok=True)
            (tmp_path / run / f"{bird}_samples.jsonl").write_text("\n".join(lines))
    with pytest.raises(ScoreError, match=r"b/.*sums: .*, 1 fewer than another; products: \d+ sc"):
        read_tasks(tmp_path)


def test_a_file_without_the_name_of_a_task_is_not_passed_over(tmp_path: Path) -> None:
    for bird in BIRDS:
        text = (BY_HAND / "every_eval_ever" / f"{bird}_samples.jsonl").read_text()
        named = text if bird == BIRDS[0] else text.replace("evaluation_name", "of")
        (tmp_path / f"{bird}_samples.jsonl").write_text(named)
    with pytest.raises(ScoreError, match=f"{BIRDS[1]}_samples.jsonl.*no record names its task"):
        read_tasks(tmp_path)


def edited(tmp_path: Path, name: str, old: str, new: str) -> Path:
    shutil.copytree(BY_HAND / name, tmp_path / name)
    changed = 0
    for path in sorted(file for file in (tmp_path / name).rglob("*") if file.is_file()):
        text = path.read_text()
        if old in text and not changed:
            path.write_text(text.replace(old, new, 1))
            changed += 1
    assert changed
    return tmp_path / name


FAULTS = {
    "opencompass, accuracy": ("opencompass", '"accuracy": 66.', '"accuracy": 67.', "displayed acc"),
    "opencompass, not dumped": ("opencompass", '"details"', '"detail"', "no details. Remedy: have"),
    "terminal_bench, accuracy": (
        "terminal_bench",
        '"accuracy": 0.58',
        '"accuracy": 0.59',
        "displayed",
    ),
    "livecodebench, text": ("livecodebench", "graded_list", "grades", "it has no graded_list"),
    "livecodebench, item": ("livecodebench", "Sum 0", "Sum one", "another item than in"),
    "alpaca_eval, baseline": ("alpaca_eval", "gpt4_1106", "gpt3", "those before are against"),
    "alpaca_eval, number": ("alpaca_eval", "1.9", '"?"', "'[?]', which is no number"),
    "every_eval_ever, two": ("every_eval_ever", "/accuracy", "/f1", "several metrics.*metric="),
    "every_eval_ever, name": (
        "every_eval_ever",
        "evaluation_name",
        "of",
        "no text as eval",
    ),
    "every_eval_ever, item": ("every_eval_ever", '"sample_id": "0"', '"id": 0', "no text as sampl"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(tmp_path: Path, fault: str) -> None:
    name, old, new, message = FAULTS[fault]
    folder = edited(tmp_path, name, old, new)
    with pytest.raises(ScoreError, match=message) as caught:
        read_tasks(folder, reader=name)
    assert "\n" not in str(caught.value)
    assert "Remedy: " in str(caught.value)


def test_what_no_reader_knows(tmp_path: Path) -> None:
    """Neither logs of another tool nor our own results are of SWE-bench."""
    (tmp_path / "run.1.json").write_text('{"scores": [1, 0]}')
    (tmp_path / "summary.json").write_text('{"llm_power": "0.1", "resolved": 3}')
    with pytest.raises(ScoreError, match="none of the files that readers look for"):
        read_tasks(tmp_path)
    with pytest.raises(ScoreError, match="no reader recognizes"):
        read_tasks(tmp_path / "run.1.json")


@pytest.mark.parametrize("content", [{"details": {"0": 5}}, {"results": [5]}], ids=str)
def test_a_part_of_another_type_is_refused(tmp_path: Path, content: dict[str, object]) -> None:
    (tmp_path / "log.json").write_text(json.dumps(content))
    with pytest.raises(ScoreError):
        read_tasks(tmp_path / "log.json")
