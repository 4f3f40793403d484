"""Displayed scores: each reader holds them against the items, and one option accepts them.

Submissions of SWE-bench have the form of github.com/SWE-bench/experiments, where issues 375, 467
and 480 are of metadata that display 52.8 and 69.6 percent beside 51 and 0 of 500 resolved
instances.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from command_line import run
from llm_power._errors import ScoreError
from llm_power._scores._items import Displayed
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_scores, read_tasks
from llm_power._scores.store import TaskScores, read_task, write_task

LOGS = Path(__file__).parent / "logs"
BY_HAND = LOGS / "by_hand"
HERON = "20260226_mini-v2.0.0_heron"
WREN = "20250720_mini-v0.0.0_wren"
IDS = [f"django__django-{number}" for number in range(1, 101)]
METADATA = """\
assets:
  logs: s3://swe-bench-submissions/bash-only/heron/logs
  trajs: s3://swe-bench-submissions/bash-only/heron/trajs
info:
  cost: 96.00197
  instance_calls: 51.282
  instance_cost: 0.9600197
  name: Heron (high)
  report: https://example.org
  resolved: {resolved}
  site: https://example.org
tags:
  checked: false
  model: [heron]
  org: Birds
  os_model: false
  os_system: true
  system: {{attempts: '1'}}
"""


def submission(
    folder: Path, name: str, solved: int, resolved: object, *, metadata: str = METADATA
) -> None:
    """Write the folder of a submission to the board of mini-SWE-agent."""
    (folder / name).mkdir(parents=True)
    details = {
        item: {"cost": 0.96, "api_calls": 51, "resolved": number < solved}
        for number, item in enumerate(IDS)
    }
    (folder / name / "per_instance_details.json").write_text(json.dumps(details))
    (folder / name / "metadata.yaml").write_text(metadata.format(resolved=resolved))


def read(folder: Path, **options: Any) -> TaskScores:
    (task,) = read_tasks(folder, ReadOptions(**options))
    return task


def solved(folder: Path, **options: Any) -> dict[str, float]:
    task = read(folder, **options)
    return dict(zip(task.models, np.nansum(task.values, axis=0).tolist(), strict=True))


@pytest.mark.parametrize(("n", "resolved"), [(0, 69.0), (10, 52.8), (69, 0), (0, "69.6%"), (3, 1)])
def test_a_submission_whose_instances_are_not_its_score_is_refused(
    tmp_path: Path, n: int, resolved: object
) -> None:
    submission(tmp_path, HERON, n, resolved)
    submission(tmp_path, WREN, 40, 40.0)
    with pytest.raises(ScoreError) as caught:
        read(tmp_path)
    for part in ("per_instance_details.json", f"model {HERON!r}", "resolved (metadata.yaml)"):
        assert part in str(caught.value)
    assert f", by its items {n}: " in str(caught.value)
    assert "accept_other_score=True" in str(caught.value)
    assert solved(tmp_path, exclude=[HERON]) == {WREN: 40}


@pytest.mark.parametrize("resolved", [40, 40.0, 40.6, 41, 39.0, "40.0%", 40.4, "null"])
def test_an_item_and_the_rounding_are_let_pass(tmp_path: Path, resolved: object) -> None:
    """A percentage of 499 of 500 instances is published too: 64.93 beside 324 of 500."""
    submission(tmp_path, HERON, 40, resolved)
    assert solved(tmp_path) == {HERON: 40}


def test_metadata_that_display_nothing_are_let_pass(tmp_path: Path) -> None:
    """Those of the other boards and the oldest ones, whose score is made of the instances."""
    old = "name: Heron\noss: true\nsite: https://example.org\nverified: false\n"
    submission(tmp_path, HERON, 0, "", metadata=old)
    submission(tmp_path, WREN, 0, "", metadata="info:\n  name: Wren\n  logo: null\n")
    assert solved(tmp_path) == {HERON: 0, WREN: 0}


@pytest.mark.parametrize("text", ["info: [", "info: {resolved: most}", "a: 1\na: 2"])
def test_metadata_that_cannot_be_read_are_refused(tmp_path: Path, text: str) -> None:
    submission(tmp_path, HERON, 0, "")
    (tmp_path / HERON / "metadata.yaml").write_text(text)
    with pytest.raises(ScoreError, match=r"metadata\.yaml: .*Remedy: repair that file, or move"):
        read(tmp_path)


def test_the_score_is_that_of_results_in_a_folder_of_their_own(tmp_path: Path) -> None:
    submission(tmp_path, HERON, 0, 69.0)
    (tmp_path / HERON / "per_instance_details.json").unlink()
    (tmp_path / HERON / "results").mkdir()
    results = {"no_generation": [], "no_logs": [], "resolved": IDS[:69]}
    file = tmp_path / HERON / "results" / "results.json"
    file.write_text(json.dumps(results))
    (tmp_path / "instance_ids.txt").write_text("\n".join(IDS))
    assert solved(tmp_path) == {HERON: 69}
    file.write_text(json.dumps(results | {"resolved": []}))
    with pytest.raises(
        ScoreError, match=r"displayed resolved \(metadata.yaml\) 69, by its items 0:"
    ):
        read(tmp_path)


def test_instances_without_a_report_count_where_the_list_says_so(tmp_path: Path) -> None:
    """Of 50 reports 40 are solved: of 100 instances it is 40 percent, and 80 at the most."""
    submission(tmp_path, HERON, 0, 40.0)
    (tmp_path / HERON / "per_instance_details.json").unlink()
    for number, item in enumerate(IDS[:50]):
        report = tmp_path / HERON / "logs" / item / "report.json"
        report.parent.mkdir(parents=True)
        report.write_text(json.dumps({item: {"resolved": number < 40}}))
    assert solved(tmp_path) == {"logs": 40}
    metadata = tmp_path / HERON / "metadata.yaml"
    metadata.write_text(METADATA.format(resolved=90))
    with pytest.raises(ScoreError, match=r"\(metadata.yaml\) 90, by its items 80: 5 of 50 items"):
        read(tmp_path)
    metadata.write_text(METADATA.format(resolved=69))
    (tmp_path / "instance_ids.txt").write_text("\n".join(IDS))
    with pytest.raises(ScoreError, match=r"\(metadata.yaml\) 69, by its items 40: 29 of 100 items"):
        read(tmp_path)


def test_the_count_of_a_report_is_that_of_its_list(tmp_path: Path) -> None:
    shutil.copytree(LOGS / "swebench-5.0.2" / "reports", tmp_path, dirs_exist_ok=True)
    file = tmp_path / "birds__heron.verified.json"
    report = json.loads(file.read_text())
    edit(file, f'"resolved_instances": {report["resolved_instances"]}', '"resolved_instances": 0')
    with pytest.raises(ScoreError, match=r"displayed resolved_instances 0, by its items"):
        read(tmp_path)


def test_what_is_accepted_is_recorded_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    submission(tmp_path / "board", HERON, 0, 69.0)
    submission(tmp_path / "board", WREN, 40, 40.0)
    out = tmp_path / "out"
    given = ["resolve", str(tmp_path / "board"), "--out", str(out)]
    assert run(*given) == 2
    assert "displayed resolved (metadata.yaml) 69, by its items 0:" in capsys.readouterr().err
    assert run(*given, "--accept-other-score") == 0
    both = "displayed resolved (metadata.yaml) 69, by its items 0"
    assert f"note: task board, model {HERON}: accepted, {both}\n" in capsys.readouterr().err
    (scores,) = json.loads((out / "summary.json").read_text())["scores"]
    assert scores["tolerated"] == {f"items off the score ({both})": {HERON: 69}}
    assert scores["reading"]["accept_other_score"] is True
    task = read(tmp_path / "board", accept_other_score=True)
    assert task.provenance.tolerated == scores["tolerated"]
    write_task(task, tmp_path / "board.parquet")
    assert read_task(tmp_path / "board.parquet").provenance.tolerated == scores["tolerated"]


def test_nothing_is_recorded_where_scores_agree(tmp_path: Path) -> None:
    submission(tmp_path, WREN, 40, 40.0)
    assert read(tmp_path, accept_other_score=True).provenance.tolerated == {}


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def edit_lm_eval(folder: Path) -> None:
    (file,) = folder.glob("birds__heron/results_*-30.*")
    edit(file, '"acc,none": 0.4', '"acc,none": 0.9')


def edit_helm(folder: Path) -> None:
    """Its mean is the one that unperturbed instances of the split have."""
    (file,) = folder.glob("*heron/stats.json")
    stats = json.loads(file.read_text())
    wanted = {"name": "exact_match", "split": "test"}
    (shown,) = (stat for stat in stats if stat["name"] == wanted)
    other = wanted | {"perturbation": {"name": "robustness", "computed_on": "worst"}}
    file.write_text(json.dumps([*stats, {"name": other, "count": 1, "mean": 0.0}]))
    assert read(folder, metric="exact_match").provenance.tolerated == {}
    shown["mean"] += 0.3
    file.write_text(json.dumps(stats))


def edit_bfcl(folder: Path) -> None:
    (file,) = folder.glob("score/heron/*/*.json")
    edit(file, '"accuracy": 0.8333333333333334', '"accuracy": 0.69')


def edit_lighteval(folder: Path) -> None:
    for bird, mean in {"heron": 0.0, "wren": 2 / 6}.items():
        (details,) = folder.glob(f"details/birds/{bird}/*/*.parquet")
        task, _, run = details.stem.removeprefix("details_").rpartition("_")
        results = folder / "results" / "birds" / bird / f"results_{run}.json"
        results.parent.mkdir(parents=True)
        metric = {"metric_name": "acc", "higher_is_better": True, "corpus_level_fn": "mean"}
        content = {
            "config_general": {},
            "results": {task: {"acc": mean, "acc_stderr": 0.1}, "all": {"acc": mean}},
            "config_tasks": {task: {"name": task, "metrics": [metric]}},
        }
        results.write_text(json.dumps(content))


def edit_livecodebench(folder: Path) -> None:
    for bird, mean in {"heron": 7 / 12, "wren": 0.9}.items():
        (graded,) = folder.glob(f"output/{bird}/*_eval_all.json")
        shown = [{"pass@1": mean, "detail": {"pass@1": {"0": 0.5}}}, {}, []]
        graded.with_name(graded.name.replace("_all", "")).write_text(json.dumps(shown))


def edit_alpaca_eval(folder: Path) -> None:
    for bird, mean in {"heron": 100 * 3.16 / 6, "wren": 90.0}.items():
        (annotations,) = folder.glob(f"results/{bird}/*/annotations.json")
        name = json.loads(annotations.read_text())[0]["generator_2"]
        board = pd.DataFrame({"win_rate": [97.7, mean], "n_total": 6}, index=["kite", name])
        board.to_csv(annotations.with_name("leaderboard.csv"))


def edit_every_eval_ever(folder: Path) -> None:
    for bird, mean in {"heron": 90.0, "wren": 100 / 3}.items():
        samples = folder / f"{bird}_samples.jsonl"
        records = [json.loads(line) for line in samples.read_text().splitlines()]
        first = [one for one in records if one["metadata"]["epoch"] == "1"]
        samples.write_text("\n".join(map(json.dumps, first)))
        percent = {"metric_kind": "accuracy", "metric_unit": "percent", "lower_is_better": False}
        result = {
            "evaluation_name": "sums",
            "evaluation_result_id": first[0]["evaluation_result_id"],
            "metric_config": percent
            | {"score_type": "continuous", "min_score": 0, "max_score": 100},
            "score_details": {"score": mean},
        }
        other = result | {"evaluation_result_id": "other", "score_details": {"score": 0.0}}
        content = {"schema_version": "0.3.0", "evaluation_results": [result, other]}
        (folder / f"{bird}.json").write_text(json.dumps(content))


def edit_terminal_bench(folder: Path) -> None:
    edit(folder / "runs" / "heron" / "results.json", '"accuracy": 0.58', '"accuracy": 0.99')


def edit_opencompass(folder: Path) -> None:
    (file,) = folder.glob("*/results/heron/sums.json")
    edit(file, '"accuracy": 66.', '"accuracy": 99.')


def edit_inspect(folder: Path) -> None:
    log = next(path for path in folder.iterdir() if '"mockllm/heron"' in path.read_text())
    content = json.loads(log.read_text())
    for one in content["results"]["scores"]:
        one["metrics"]["accuracy"]["value"] = 1.0
    log.write_text(json.dumps(content))


EDITS: dict[str, tuple[Path, Callable[[Path], None], dict[str, Any], str]] = {
    "lm_eval": (
        LOGS / "lm_eval-0.4.13",
        edit_lm_eval,
        {"metric": "acc", "task": "exam_algebra"},
        r"acc,none \(results\) 0.9, by its items 0.4: 5 of 10 items",
    ),
    "helm": (
        LOGS / "crfm_helm-0.5.16",
        edit_helm,
        {"metric": "exact_match"},
        r"exact_match \(stats.json\) 0.8, by its items 0.5: 2 of 8 items",
    ),
    "bfcl": (
        LOGS / "bfcl_eval-2026.3.23",
        edit_bfcl,
        {},
        "accuracy 0.69, by its items 0.83",
    ),
    "lighteval": (
        BY_HAND / "lighteval",
        edit_lighteval,
        {"metric": "acc"},
        r"acc \(results_2026-.*.json\) 0, by its items 0.666667: 4 of 6 items",
    ),
    "livecodebench": (
        BY_HAND / "livecodebench",
        edit_livecodebench,
        {},
        r"pass@1 \(Scenario.*_eval.json\) 0.9, by its items 0.333333: 7 of 12 items",
    ),
    "alpaca_eval": (
        BY_HAND / "alpaca_eval",
        edit_alpaca_eval,
        {},
        r"win_rate \(leaderboard.csv\) 90, by its items 30.8333: 4 of 6 items",
    ),
    "every_eval_ever": (
        BY_HAND / "every_eval_ever",
        edit_every_eval_ever,
        {},
        r"score \(heron.json\) 90, by its items .* items apart",
    ),
    "terminal_bench": (
        BY_HAND / "terminal_bench",
        edit_terminal_bench,
        {},
        "accuracy 0.99.*: 5 of 12",
    ),
    "opencompass": (
        BY_HAND / "opencompass",
        edit_opencompass,
        {"task": "sums"},
        "accuracy 99.6667, by its items 66.6667: 2 of 6 items",
    ),
    "inspect": (
        LOGS / "inspect_ai-0.3.285" / "plain_json",
        edit_inspect,
        {},
        r"accuracy \(verdict, mean\) 1, by its items 0.444444: 5 of 9 items",
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_every_reader_holds_what_is_displayed_against_the_items(tmp_path: Path, name: str) -> None:
    logs, change, options, message = EDITS[name]
    shutil.copytree(logs, tmp_path / "logs")
    before = read(tmp_path / "logs", **options)
    change(tmp_path / "logs")
    with pytest.raises(ScoreError, match=f"displayed {message}.*accept_other_score=True") as caught:
        read(tmp_path / "logs", **options)
    assert "file '" in str(caught.value)
    assert "model '" in str(caught.value)
    notes: list[str] = []
    accepting = ReadOptions(accept_other_score=True, **options)
    (after,) = read_tasks(tmp_path / "logs", accepting, on_note=notes.append)
    assert len(notes) == len(after.provenance.tolerated) == 1
    if name != "every_eval_ever":  # of which an epoch was taken away
        np.testing.assert_array_equal(before.values, after.values)


def test_another_filter_reducer_or_metric_is_not_held_against_the_items(tmp_path: Path) -> None:
    """Each of several reducers and metrics is displayed with a mean of its own."""
    several = LOGS / "inspect_ai-0.3.285" / "several"
    assert read(several, reducer="mode").provenance.tolerated == {}
    shutil.copytree(LOGS / "lm_eval-0.4.13" / "birds__heron", tmp_path / "heron")
    (file,) = (tmp_path / "heron").glob("results_*-30.*")
    edit(file, '"exact_match,flexible-extract": 0.0', '"exact_match,flexible-extract": 0.9')
    chosen = {"metric": "exact_match", "latest": False, "task": "spelling"}
    for later in (tmp_path / "heron").glob("*-45.*"):
        later.unlink()
    assert read(tmp_path, filter="strict-match", **chosen).provenance.tolerated == {}
    with pytest.raises(ScoreError, match="displayed exact_match,flexible-extract"):
        read(tmp_path, filter="flexible-extract", **chosen)


def test_a_metric_that_is_no_mean_is_not_held_against_the_items(tmp_path: Path) -> None:
    shutil.copytree(LOGS / "lm_eval-0.4.13" / "birds__heron", tmp_path / "heron")
    file = next((tmp_path / "heron").glob("results_*-30.*"))
    text = file.read_text().replace('"acc,none": 0.4', '"acc,none": 0.9')
    file.write_text(text.replace('"aggregation": "mean"', '"aggregation": "mcc"'))
    assert read(tmp_path, metric="acc", task="exam_algebra").provenance.tolerated == {}


def test_samples_that_do_not_name_their_filter_have_a_displayed_score(tmp_path: Path) -> None:
    for number, name in enumerate(("acc", "acc,none")):
        folder = tmp_path / str(number) / "heron"
        folder.mkdir(parents=True)
        records = [{"doc_id": i, "doc": {"q": i}, "acc": 1.0} for i in range(10)]
        run = "2024-01-16T16-57-41.377142"
        (folder / f"samples_exam_{run}.jsonl").write_text("\n".join(map(json.dumps, records)))
        results = {"results": {"exam": {name: 0.2}}, "configs": {"exam": {}}}
        (folder / f"results_{run}.json").write_text(json.dumps(results))
        with pytest.raises(ScoreError, match="displayed acc .* 0.2, by its items 1: 8 of 10 items"):
            read_scores(tmp_path / str(number))


@pytest.mark.parametrize("metrics", [7, [{"metric": "acc", "aggregation": ["mean"]}]], ids=str)
def test_a_configuration_of_another_type_is_passed_over(tmp_path: Path, metrics: object) -> None:
    run = "2024-01-16T16-57-41.377142"
    sample = {"doc_id": 0, "doc": {"q": 0}, "acc": 1.0}
    (tmp_path / f"samples_exam_{run}.jsonl").write_text(json.dumps(sample))
    results = {"results": {"exam": {"acc": 1.0}}, "configs": {"exam": {"metric_list": metrics}}}
    (tmp_path / f"results_{run}.json").write_text(json.dumps(results))
    assert read_scores(tmp_path).n_items == 1


@pytest.mark.parametrize(
    ("shown", "counted", "off"),
    [(0.5, 0.4, 0), (0.5, 0.39, 1), (0.5, 0.6, 0), (0.9, 0.4, 5), (0.4, 0.4, 0)],
)
def test_a_score_may_be_off_by_one_item(shown: float, counted: float, off: int) -> None:
    assert Displayed("acc", shown, counted=counted, n_items=10).items_off == off


def test_the_rounding_of_a_score_may_be_more_than_an_item() -> None:
    """Of 2,294 instances one is 0.044 percent."""
    shown = Displayed("resolved", 10.5, 100.0, half_unit=0.05, counted=10.545, n_items=2294)
    assert shown.items_off == 0
    assert Displayed("resolved", 10.5, 100.0, counted=10.545, n_items=2294).items_off == 1


def test_a_tool_that_makes_the_score_of_these_items_may_not_be_off_by_one() -> None:
    assert Displayed("acc", 0.5, is_exact=True, counted=0.4, n_items=10).items_off == 1
    assert Displayed("acc", 0.5, is_exact=True, counted=0.5 + 1e-12, n_items=10).items_off == 0
