"""Where a log leaves something open, the command that is offered works when it is pasted."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from command_line import run
from llm_power import ScoreError, resolve


def second(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[str, dict[str, Any]]:
    """Run a command that is refused, then the one it offers; return refusal and answer."""
    assert run(*words, "--format", "json") == 2
    told, command = capsys.readouterr().err.splitlines()
    program, *offered = shlex.split(command)
    assert program == "llm-power"
    code = run(*offered)
    out, err = capsys.readouterr()
    assert code == 0, err
    answer: dict[str, Any] = json.loads(out)
    return told, answer


def write_log(folder: Path, model: str, scores: list[dict[str, Any]]) -> Path:
    """Write a log of Inspect with one sample a row of scores, by scorer."""
    samples = [
        {
            **{"id": number, "epoch": 1, "input": f"Why {number}?", "target": "so"},
            "scores": {scorer: {"value": value} for scorer, value in row.items()},
        }
        for number, row in enumerate(scores, start=1)
    ]
    run = {"task": "exam", "model": model, "created": "2026-01-01", "dataset": {"name": "exam"}}
    path = folder / f"2026-01-01T00-00-00_exam_{model}.json"
    log = {"version": 2, "status": "success", "eval": run, "samples": samples}
    path.write_text(json.dumps(log), encoding="utf-8")
    return path


def test_scores_of_0_to_100_by_two_scorers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for model, shift in (("heron", 0), ("wren", 5)):
        rows = [{"rubric": 20.0 + 7 * k + shift, "judge": 30.0 + k} for k in range(8)]
        write_log(tmp_path, model, rows)
    told, answer = second(["resolve", str(tmp_path)], capsys)
    assert "'rubric' (8 scores of 8 items), 'judge' (8 scores of 8 items)" in told
    assert "is not 0 or 1" in told
    assert answer["scores"][0]["kind"] == "graded"
    with pytest.raises(ScoreError, match="metric='rubric'.*kind='graded', percent=True"):
        resolve(tmp_path)


def test_what_was_given_stays_and_what_was_wrong_is_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = [
        str(write_log(tmp_path, model, [{"match": k % 2, "judge": 1 - k % 2} for k in range(8)]))
        for model in ("heron", "wren")
    ]
    command = ["compare", *logs, "--metric", "mach", "--margin=0.2"]
    told, answer = second(command, capsys)
    assert "'mach' is not among the scorers: 'match' (8 scores of 8 items), 'judge'" in told
    assert answer["outcome"] == "undetermined"


@pytest.mark.parametrize(
    ("column", "kind"), [([0.25, 0.5, 1.0], "graded"), ([25, 50, 100], "graded")]
)
def test_a_table_that_is_not_of_0_and_1(
    tmp_path: Path, column: list[float], kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scores.csv"
    rows = [f"q{k},{value},{value}" for k, value in enumerate(column)]
    path.write_text("\n".join(["item,heron,wren", *rows]), encoding="utf-8")
    _, answer = second(["resolve", str(path)], capsys)
    assert answer["scores"][0]["kind"] == kind


def test_a_slip_among_zeros_and_ones_is_no_percentage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("item,heron,wren\nq1,1,1\nq2,11,0\nq3,0,1\n", encoding="utf-8")
    assert run("resolve", path) == 2
    (told,) = capsys.readouterr().err.splitlines()
    assert "score 11.0 is not 0 or 1" in told
    assert "correct it" in told


@pytest.mark.parametrize(
    ("rows", "mean"),
    [
        (["item,heron,wren", 'q1,"1,234","2,500"', 'q2,"1,050,000",12'], 525_617.0),
        (["item;heron;wren", "q1;1.234,5;2.500", "q2;900,5;1.100,25"], 1_067.5),
    ],
)
def test_separators_of_thousands(
    tmp_path: Path, rows: list[str], mean: float, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "costs.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    told, answer = second(["resolve", str(path)], capsys)
    assert "has separators of thousands" in told
    assert "more is better, or less with --lower-is-better" in told
    scores = {row["model"]: row["score"] for row in answer["ranks"]}
    assert scores["heron"] == pytest.approx(mean)


AWKWARD = {
    "missing": ("item,heron,wren\nq1,1,#N/A\nq2,1,0\nq3,0,1\n", "--missing pairwise"),
    "graded and missing": (
        "item;heron;wren\nq1;62,5%;#NV\nq2;1;0,5\nq3;0,25;1\n",
        "--kind graded --missing pairwise",
    ),
    "percent and missing": (
        "item,heron,wren\nq1,62.5,\nq2,100,50\nq3,25,90\n",
        "--kind graded --percent --missing pairwise",
    ),
    "percent of 0 and 100": ("item,heron,wren\nq1,100,0\nq2,0,100\nq3,0,0\n", "--percent"),
    "thousands below ten": (
        'item,a,b\nq1,"1,234",\nq2,"2,500","3,750"\nq3,"1,100","1,200"\n',
        "--kind real --decimal . --missing pairwise",
    ),
    "items of another name": ("Frage,heron,wren\nq1,1,0\nq2,1,1\n", "--item Frage"),
    "a long table of other names": (
        "question,system,accuracy\nq1,heron,.5\nq1,wren,1\nq2,heron,0\nq2,wren,1\n",
        "--item question --model system --score accuracy --kind graded",
    ),
    "repeats": (
        "item,model,score,run\n"
        + "".join(
            f"q{k},m{m},{(k + m + r) % 2},{r}\n" for k in (1, 2) for m in (1, 2) for r in (1, 2)
        ),
        "--repeat-column run",
    ),
    **{
        f"{column} of {labels}": (
            f"item,model,score,{column}\n"
            + "".join(
                f"q{k},m{m},{(k + m + r) % 2},{labels[r]}\n"
                for k in (1, 2)
                for m in (1, 2)
                for r in (0, 1)
            ),
            f"--{option}-column {column}",
        )
        for column, labels, option in (
            ("exam", "ab", "task"),
            ("Task", "12", "task"),
            ("exam", "12", "repeat"),
            ("seed", "ab", "repeat"),
        )
    },
    "a property of numbers": (
        "item,heron,wren,level,year\nq1,1,0,3,1999\nq2,1,1,2,2001\n",
        "--exclude level --exclude year",
    ),
    "words": ("item,heron,wren\nq1,pass,fail\nq2,timeout,pass\n", "--true pass"),
    "index and item": (",item,heron,wren\n0,q1,1,0\n1,q2,0,0\n", "--exclude index"),
}


@pytest.mark.parametrize(("text", "offered"), AWKWARD.values(), ids=AWKWARD)
def test_a_table_answers_at_the_second_command(
    tmp_path: Path, text: str, offered: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(text, encoding="utf-8")
    second(["resolve", str(path)], capsys)
    assert run("resolve", path) == 2
    assert capsys.readouterr().err.splitlines()[1] == f"  llm-power resolve {path} {offered}"


def test_each_thing_that_is_open_has_its_place_and_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [tmp_path / f"{name}.csv" for name in ("old", "new")]
    paths[0].write_text("item,heron\nq1,62.5\nq2,25\nq3,75\n", encoding="utf-8")
    paths[1].write_text("item,wren\nq1,70\nq2,\nq3,55\n", encoding="utf-8")
    told, answer = second(["compare", *map(str, paths)], capsys)
    assert "score 62.5 is not 0 or 1" in told
    assert "model 'candidate', item 'q2': 1 of 3 items have no score of this model" in told
    assert "exclude the model, or choose pairwise" in told
    assert answer["outcome"] == "undetermined"
    with pytest.raises(ScoreError, match="kind='graded', percent=True, missing='pairwise'"):
        resolve({"item": ["q1", "q2"], "heron": [62.5, 70], "wren": [25, None]})


def test_an_index_without_a_name_is_the_items(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(",heron,wren\n0,1,0\n1,0,0\n", encoding="utf-8")
    assert resolve(path).tasks[0].item_ids == ("0", "1")


def test_a_metric_that_works_is_offered_of_many(capsys: pytest.CaptureFixture[str]) -> None:
    helm = Path(__file__).parents[1] / "scores/logs/crfm_helm-0.5.16"
    told, answer = second(["resolve", str(helm)], capsys)
    assert "several statistics" in told
    assert answer["scores"][0]["reading"]["metric"] == "exact_match"


def test_groups_and_tasks_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a folder of lm_eval, the tasks of a group, with a metric for the group."""
    logs = Path(__file__).parents[1] / "scores/logs/lm_eval-0.4.13"
    command = ["resolve", str(logs), "--task", "exam", "--metric", "exam=acc_norm"]
    code = run(*command, "--format", "json")
    out, err = capsys.readouterr()
    assert code == 0, err
    answer = json.loads(out)
    assert [task["task"] for task in answer["tasks"]] == ["exam_algebra", "exam_botany"]
    assert {task["reading"]["metric"] for task in answer["scores"]} == {"acc_norm"}
