"""``llm-power compare`` as a pipeline runs it: outcomes, codes, reports, bad input, the action."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import yaml

from board_examples import inspect_log
from command_line import Refusal
from command_line import run as run_command
from llm_power import __version__
from llm_power._cli import cli
from llm_power._scores.options import ReadOptions
from needed import ROOT

INSPECT = ROOT / "tests" / "llm_power" / "scores" / "logs" / "inspect_ai-0.3.285"


def write(path: Path, solved: np.ndarray[Any, Any], column: str = "solved") -> Path:
    items = [f"q{i}" for i in range(len(solved))]
    pd.DataFrame({"item_id": items, column: solved.astype(int)}).to_csv(path, index=False)
    return path


@pytest.fixture
def tables(tmp_path: Path) -> dict[str, Path]:
    """A baseline, and candidates of 600 items that break and mend so many."""
    flips = {"equal": (0, 0), "better": (5, 30), "worse": (30, 5), "close": (9, 12)}
    baseline = np.repeat([True, False], 300)
    paths = {"baseline": write(tmp_path / "baseline.csv", baseline)}
    for name, (broke, mended) in flips.items():
        solved = baseline.copy()
        solved[:broke], solved[300 : 300 + mended] = False, True
        paths[name] = write(tmp_path / f"{name}.csv", solved)
    return paths


run = partial(run_command, "compare")


@pytest.mark.parametrize(
    ("candidate", "options", "outcome", "code"),
    [
        ("worse", "", "worse", 10),
        ("worse", "--fail-if=", "worse", 0),
        ("worse", "--fail-if better", "worse", 0),
        ("better", "", "better", 0),
        ("better", "--fail-if worse,better", "better", 14),
        ("equal", "", "undetermined", 0),
        ("equal", "--fail-if worse,undetermined", "undetermined", 11),
        ("equal", "--margin .02 --fail-if equivalent", "equivalent within 2 points", 13),
        ("close", "--margin .015 --fail-if worse", "not inferior within 1.5 points", 0),
        ("close", "--margin .015 --fail-if undetermined", "not inferior within 1.5 points", 0),
        ("close", "--margin .015 --fail-if non_inferior", "not inferior within 1.5 points", 12),
    ],
)
def test_outcome_and_code(
    *,
    tables: dict[str, Path],
    capsys: pytest.CaptureFixture[str],
    candidate: str,
    options: str,
    outcome: str,
    code: int,
) -> None:
    assert run(tables["baseline"], tables[candidate], *options.split()) == code
    assert capsys.readouterr().out.startswith(f"{outcome}: candidate against baseline on ")


@pytest.mark.parametrize(
    "words",
    [
        ["{baseline}", "absent.csv"],
        ["{baseline}", "{worse}", "--no-such-option"],
        ["{baseline}", "{worse}", "--fail-if", "wors"],
        ["{baseline}", "{worse}", "--alpha", "much"],
        [],
        ["{baseline}", "{worse}", "--candidate"],
    ],
)
def test_a_command_that_fails_leaves_no_report_of_an_earlier_run(
    words: list[str], tables: dict[str, Path], tmp_path: Path
) -> None:
    reports = [tmp_path / "gate.json", tmp_path / "gate.xml"]
    named = ["--report", reports[0], f"--junit={reports[1]}"]
    assert run(tables["baseline"], tables["worse"], *named) == 10
    assert all(path.is_file() for path in reports)
    assert run(*named, *(word.format(**tables) for word in words)) == 2
    assert list(tmp_path.glob("*gate*")) == []


def test_a_command_that_is_killed_leaves_no_report_of_an_earlier_run(
    tables: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "gate.json"
    report.write_text("of an earlier run", encoding="utf-8")
    there: list[bool] = []

    def killed(*_: object, **__: object) -> None:
        there.append(report.exists())
        raise KeyboardInterrupt

    monkeypatch.setattr("llm_power._door.compare", killed)
    assert run(tables["baseline"], tables["worse"], "--report", report) == 130
    assert there == [False]


def test_what_holds_scores_is_no_report(
    tables: dict[str, Path], tmp_path: Path, refusal: Refusal
) -> None:
    scores = tmp_path / "scores.json"
    scores.write_bytes(tables["worse"].read_bytes())
    error = refusal("compare", tables["baseline"], scores, "--report", scores)
    assert "holds the scores: name another file for the report" in error
    refusal("compare", tables["baseline"], scores, "--report", scores, "--no-such-option")
    assert scores.read_bytes() == tables["worse"].read_bytes()
    before = tables["worse"].read_bytes()
    error = refusal("compare", tables["baseline"], "--junit", tables["worse"])
    assert "--junit must be a file that ends in .xml, got " in error
    assert tables["worse"].read_bytes() == before


def test_a_gap_that_rounds_to_none_has_no_sign(
    tables: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tables["baseline"], tables["equal"]) == 0
    assert "gap 0.00 points (50.00 against 50.00 of 100)" in capsys.readouterr().out


def test_rows_are_joined_by_item(tables: dict[str, Path], tmp_path: Path) -> None:
    shuffled = pd.read_csv(tables["worse"]).sample(frac=1, random_state=3)
    shuffled.to_csv(tmp_path / "shuffled.csv", index=False)
    reports = [tmp_path / f"{name}.json" for name in "ab"]
    assert run(tables["baseline"], tables["worse"], "--report", reports[0]) == 10
    assert run(tables["baseline"], tmp_path / "shuffled.csv", "--report", reports[1]) == 10
    one, other = (json.loads(path.read_text(encoding="utf-8")) for path in reports)
    named = {"task": "", "headline": ""}
    assert one | named == other | named


def test_answers_in_words_beside_the_scores_are_no_labels(
    tables: dict[str, Path], tmp_path: Path
) -> None:
    paths = [tmp_path / "old.csv", tmp_path / "new.csv"]
    for path, name in zip(paths, ("baseline", "worse"), strict=True):
        pd.read_csv(tables[name]).assign(answer=f"as {name}").to_csv(path, index=False)
    assert run(*paths) == 10


def test_an_item_of_another_cluster_than_in_the_other_file_is_refused(
    tables: dict[str, Path], refusal: Refusal
) -> None:
    for name, third in (("baseline", "law"), ("worse", "art")):
        frame = pd.read_csv(tables[name]).assign(subject=["law", "art"] * 300)
        frame.loc[2, "subject"] = third
        frame.to_csv(tables[name], index=False)
    old, new = tables["baseline"], tables["worse"]
    error = refusal("compare", old, new, "--cluster", "subject")
    assert f"item 'q2': 1 item with another subject than in {old}, this one first" in error


def test_two_models_of_one_file(tables: dict[str, Path], tmp_path: Path) -> None:
    both = pd.read_csv(tables["baseline"]).rename(columns={"solved": "heron"})
    both.assign(wren=pd.read_csv(tables["worse"])["solved"]).to_csv(tmp_path / "b.csv", index=False)
    assert run(tmp_path / "b.csv", "--baseline", "heron", "--candidate", "wren") == 10
    assert run(tmp_path / "b.csv", "--baseline", "wren", "--candidate", "heron") == 0


def test_two_logs_of_a_tool() -> None:
    logs = sorted((INSPECT / "plain").glob("*.eval"))
    assert run(*logs, "--fail-if", "undetermined") == 11
    runs = sorted((INSPECT / "best_of").glob("*.eval"))
    assert run(*runs, "--fail-if", "") == 0


def test_compare_reads_with_every_option_of_resolve() -> None:
    compare, resolve = (
        {option.name: option.to_info_dict() for option in cli.commands[name].params}
        for name in ("compare", "resolve")
    )
    declared = {field.name for field in fields(ReadOptions)}
    reading = {"reader"} | declared - {"clusters", "source", "revision", "retrieved"}
    assert {name: compare.get(name) for name in reading} == {
        name: resolve[name] for name in reading
    }


def test_a_table_of_words_is_compared(tables: dict[str, Path], tmp_path: Path) -> None:
    words = {1: "pass", 0: "fail"}
    paths = []
    for name in ("baseline", "worse"):
        paths.append(tmp_path / f"{name}_words.csv")
        table = pd.read_csv(tables[name])
        table.assign(solved=table["solved"].map(words)).to_csv(paths[-1], index=False)
    assert run(*paths) == 2
    assert run(*paths, "--true", "pass", "--reader", "wide") == 10


def test_the_newest_of_several_runs_is_compared_and_the_others_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    inspect_log(old / "2026-01-01T00-00-00_exam_a.json", [0] * 40, "heron", "2026-01-01")
    inspect_log(old / "2026-02-01T00-00-00_exam_b.json", [1] * 40, "heron", "2026-02-01")
    inspect_log(new / "2026-02-01T00-00-00_exam_c.json", [1] * 20 + [0] * 20, "wren")
    assert run(old, new) == 2
    error = capsys.readouterr().err
    assert "--latest" in error
    assert "--name" not in error
    assert run(old, new, "--latest") == 10
    assert "exam_a.json is not read, for a later run is" in capsys.readouterr().err


def test_the_newest_run_is_not_taken_of_several_models(tmp_path: Path, refusal: Refusal) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    inspect_log(old / "2026-01-01T00-00-00_exam_a.json", [0, 1], "heron")
    inspect_log(old / "2026-02-01T00-00-00_exam_b.json", [1, 1], "kite")
    inspect_log(new / "2026-02-01T00-00-00_exam_c.json", [1, 0], "wren")
    error = refusal("compare", old, new, "--latest")
    assert "logs of 2 models on task 'exam': 'heron', 'kite'" in error


def test_runs_of_one_folder_are_named(tmp_path: Path, refusal: Refusal) -> None:
    logs = tmp_path / "logs"
    inspect_log(logs / "2026-01-01T00-00-00_exam_a.json", [1] * 40, "heron")
    other = inspect_log(logs / "2026-02-01T00-00-00_exam_b.json", [0] * 40, "heron")
    both = ["--baseline", "heron", "--candidate", "new"]
    assert "--name RUN=PATH" in refusal("compare", logs, *both)
    assert run(logs, *both, "--name", f"new={other}") == 10
    assert run(other, other, "--name", f"new={other}") == 2


# Of 200 items each: so many broke and were mended.
FLIPS = {
    "worse": (40, 2),
    "better": (2, 40),
    "equal": (0, 0),
    # By itself its p is .035.
    "perhaps": (12, 3),
    "noise": (10, 10),
}


def long_tables(folder: Path, tasks: dict[str, str]) -> list[Path]:
    """A baseline and a candidate with tasks of these outcomes."""
    rows: dict[str, list[dict[str, Any]]] = {"old": [], "new": []}
    for task, outcome in tasks.items():
        broke, mended = FLIPS[outcome]
        old = np.repeat([1, 0], 100)
        new = old.copy()
        new[:broke], new[100 : 100 + mended] = 0, 1
        for name, scores in (("old", old), ("new", new)):
            rows[name] += [
                {"exam": task, "item": i, "model": "m", "score": score}
                for i, score in enumerate(scores.tolist())
            ]
    paths = []
    for name, table in rows.items():
        paths.append(folder / f"{name}.csv")
        pd.DataFrame(table).to_csv(paths[-1], index=False)
    return paths


@pytest.mark.parametrize(
    ("outcomes", "fail_if", "headline", "code"),
    [
        ("better worse equal", "worse", "worse: {} (1 worse, 1 undetermined, 1 better)", 10),
        ("better equal", "worse", "undetermined: {} (1 undetermined, 1 better)", 0),
        ("better equal", "better", "undetermined: {} (1 undetermined, 1 better)", 14),
        ("better worse", "better,undetermined", "worse: {} (1 worse, 1 better)", 14),
        ("better better", "worse,undetermined", "better: {} (2 better)", 0),
        ("worse equal", "undetermined,worse", "worse: {} (1 worse, 1 undetermined)", 10),
    ],
)
def test_each_task_has_an_outcome_and_the_least_favourable_is_that_of_all(
    *,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    outcomes: str,
    fail_if: str,
    headline: str,
    code: int,
) -> None:
    tasks = {f"t{i}": outcome for i, outcome in enumerate(outcomes.split())}
    report, tests = tmp_path / "gate.json", tmp_path / "gate.xml"
    reports = ["--report", report, "--junit", tests, "--report", tmp_path / "gate.md"]
    paths = long_tables(tmp_path, tasks)
    assert run(*paths, "--task-column", "exam", "--fail-if", fail_if, *reports) == code
    blocks = capsys.readouterr().out.split("\n\n")
    where = f"candidate against baseline on {len(tasks)} tasks"
    assert blocks[0] == headline.format(where)
    expected = ["undetermined" if one == "equal" else one for one in tasks.values()]
    assert [block.partition("\n")[0] for block in blocks[1:]] == [
        f"{one}: candidate against baseline on {task}"
        for one, task in zip(expected, tasks, strict=True)
    ]
    answer = json.loads(report.read_text(encoding="utf-8"))
    assert answer["outcome"] == headline.partition(":")[0]
    assert [one["outcome"] for one in answer["tasks"]] == expected
    suite = ElementTree.parse(tests).getroot()
    refused = [case.find("failure") is not None for case in suite.findall("testcase")]
    assert refused == [one in fail_if.split(",") for one in expected]
    assert suite.attrib["failures"] == str(sum(refused))
    markdown = (tmp_path / "gate.md").read_text(encoding="utf-8")
    assert markdown.splitlines()[0] == f"### {blocks[0]}"
    assert markdown.count("\n#### ") == len(tasks)


def test_several_tasks_are_one_family(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = long_tables(tmp_path, {"t0": "perhaps", "t1": "noise", "t2": "noise"})
    assert run(*paths, "--task-column", "exam", "--task", "t0") == 10
    report = tmp_path / "gate.json"
    assert run(*paths, "--task-column", "exam", "--report", report) == 0
    first, *_ = json.loads(report.read_text(encoding="utf-8"))["tasks"]
    assert first["outcome"] == "undetermined"
    assert 0.05 < first["p_family"] <= 3 * first["p_single"]
    assert (
        f"p = {first['p_single']:.2g} (exact McNemar test); "
        f"{first['p_family']:.2g} adjusted for 3 tasks" in (capsys.readouterr().out)
    )


def test_a_task_that_one_of_them_did_not_run_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, _ = long_tables(tmp_path, {"t0": "equal", "t1": "equal"})
    (tmp_path / "part").mkdir()
    _, new = long_tables(tmp_path / "part", {"t0": "equal"})
    for paths in ([old, new], [new, old]):
        assert run(*paths, "--task-column", "exam") == 2
        error = capsys.readouterr().err
        assert f"file '{new}': no scores on task 't1', which the other model has" in error
        assert "--task" in error
    assert run(old, new, "--task-column", "exam", "--task", "t0") == 0
    logs = tmp_path / "logs"
    for task in ("algebra", "botany"):
        inspect_log(logs / f"2026-01-01T00-00-00_{task}_a.json", [1, 0], "heron", task=task)
    one = inspect_log(tmp_path / "new.json", [1, 0], "wren", task="algebra")
    for paths in ([logs, one], [one, logs]):
        assert run(*paths) == 2
        assert f"file '{one}': no scores on task 'botany'" in capsys.readouterr().err
    assert run(logs, one, "--task", "algebra") == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table[:-1], "item 'q599': 1 item of the other file not in it.* empty score"),
        (lambda table: table.assign(more=1), "2 models: solved, more.*--candidate"),
        (lambda table: table.assign(solved=2), "q0"),
    ],
)
def test_bad_input_is_one_line_and_code_2(
    tables: dict[str, Path],
    tmp_path: Path,
    refusal: Refusal,
    change: Any,
    message: str,
) -> None:
    path = tmp_path / "bad.csv"
    change(pd.read_csv(tables["worse"])).to_csv(path, index=False)
    error = refusal("compare", tables["baseline"], path, "--report", tmp_path / "no.json")
    assert pd.Series([error]).str.contains(message).all()
    assert not (tmp_path / "no.json").exists()


def test_wrong_usage(tables: dict[str, Path], refusal: Refusal) -> None:
    assert "--baseline and --candidate" in refusal("compare", tables["baseline"])
    error = refusal("compare", tables["baseline"], tables["worse"], "--fail-if", "bad")
    assert "'bad' is none of worse, undetermined" in error


def action() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return loaded


def outputs(folder: Path) -> dict[str, str]:
    """What a step told the job."""
    written = folder / "output.txt"
    lines = written.read_text().splitlines() if written.exists() else []
    return dict(line.split("=", 1) for line in lines)


def run_action(
    folder: Path, step_id: str = "compare", **inputs: str
) -> subprocess.CompletedProcess[str]:
    """Run a step of the action with its inputs, as a runner does."""
    described = action()
    (step,) = [one for one in described["runs"]["steps"] if one["id"] == step_id]
    given = {name: one.get("default", "") for name, one in described["inputs"].items()} | inputs
    given |= outputs(folder)
    # What stands last in ${{ inputs.margin }} and ${{ steps.compare.outputs.reports }}.
    variables = {
        name: given[re.findall(r"[\w-]+", value)[-1]] for name, value in step["env"].items()
    }
    programs = folder / "llm-power" / "bin"
    if not programs.exists():
        programs.mkdir(parents=True)
        for name in ("python", "llm-power"):
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec "{Path(sys.executable).with_name(name)}" "$@"\n')
            program.chmod(0o755)
    (folder / "output.txt").unlink(missing_ok=True)  # a step has its own, and a job one summary
    runner = {
        "RUNNER_TEMP": str(folder),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "GITHUB_OUTPUT": str(folder / "output.txt"),
        "PATH": "/usr/bin:/bin",
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env={**os.environ, **variables, **runner},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_action_refuses_a_regression_and_tells_the_job(
    tables: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = {"baseline": str(tables["baseline"]), "candidate": str(tables["worse"])}
    done = run_action(tmp_path, **inputs, margin="0.01", options="--test=mid_p\n")
    assert (done.returncode, done.stderr) == (10, "")
    assert "mid-p McNemar test" in done.stdout
    assert outputs(tmp_path)["outcome"] == "worse"
    assert "### worse: candidate against baseline" in (tmp_path / "summary.md").read_text()
    event = tmp_path / "event.json"
    event.write_text("{}")
    reports = Path(outputs(tmp_path)["reports"])
    assert {one.name for one in reports.iterdir()} == {"compare.md", "compare.json"}
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    done = run_action(tmp_path, "comment", comment="gate")
    assert (done.returncode, done.stdout) == (0, "no pull request: nothing to comment on\n")


def test_inputs_of_the_action_are_never_run(tables: dict[str, Path], tmp_path: Path) -> None:
    hostile = f"$(touch {tmp_path}/owned); `touch {tmp_path}/owned`"
    done = run_action(tmp_path, baseline=str(tables["baseline"]), candidate=hostile)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "owned").exists()
    assert "outcome" not in outputs(tmp_path)


def test_a_second_use_with_bad_input_has_nothing_of_the_first(
    tables: dict[str, Path], tmp_path: Path
) -> None:
    inputs = {"baseline": str(tables["baseline"]), "junit": str(tmp_path / "gate.xml")}
    assert run_action(tmp_path, candidate=str(tables["worse"]), **inputs).returncode == 10
    summary = (tmp_path / "summary.md").read_text()
    assert (tmp_path / "gate.xml").exists()
    assert run_action(tmp_path, candidate=str(tmp_path / "none.csv"), **inputs).returncode == 2
    assert "outcome" not in outputs(tmp_path)
    assert not [*Path(outputs(tmp_path)["reports"]).iterdir()]
    assert (tmp_path / "summary.md").read_text() == summary
    assert not (tmp_path / "gate.xml").exists()


def test_the_action_installs_locked_versions_and_leaves_the_path_alone(tmp_path: Path) -> None:
    """A stand-in for Python notes what it is called with, and is the environment's too."""
    python = tmp_path / "python"
    python.write_text(
        f"""#!/bin/bash
printf '%s\\n' "$*" >> {tmp_path}/calls
if [[ "$2" == venv ]]; then mkdir -p "${{@: -1}}/bin"; cp "$0" "${{@: -1}}/bin/python"; fi
"""
    )
    python.chmod(0o755)
    (step,) = [one for one in action()["runs"]["steps"] if one["id"] == "install"]
    job = {name: str(tmp_path / name) for name in ("GITHUB_PATH", "GITHUB_ENV")}
    runner = {"RUNNER_TEMP": str(tmp_path / "temp"), "GITHUB_ACTION_PATH": "checkout"}
    subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env={**os.environ, **job, **runner, "PYTHON": str(python)},
        check=True,
    )
    assert not any(Path(path).exists() for path in job.values())
    _, *installs = (tmp_path / "calls").read_text().splitlines()
    *locked, package = (call.split() for call in installs)
    assert package[-1] == "checkout"
    assert {"--no-deps", "--no-build-isolation"} <= {*package}
    assert [call[-1] for call in locked] == [
        "checkout/requirements-build.lock",
        "checkout/requirements-action.lock",
    ]
    assert all({"--no-deps", "--require-hashes"} <= {*call} for call in locked)
    assert all((ROOT / Path(call[-1]).name).exists() for call in locked)


def test_the_guide_names_the_inputs_of_the_action_and_a_release() -> None:
    guide = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    workflow = yaml.safe_load(guide.partition("```yaml\n")[2].partition("```")[0])
    (step,) = [one for one in workflow["jobs"]["gate"]["steps"] if "with" in one]
    assert set(step["with"]) <= set(action()["inputs"])
    assert step["uses"] == f"OWNER/llm-power@v{__version__}"


def test_a_full_disk_names_the_report(
    tables: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    report = tmp_path / "gate.xml"
    assert run(tables["baseline"], tables["equal"], "--junit", report) == 2
    assert capsys.readouterr().err == (
        f"error: {report}: No space left on device. Remedy: make room there, or write elsewhere.\n"
    )
