"""``llm-power compare`` as a pipeline runs it: outcomes, codes, reports, bad input, the action."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import yaml

from llm_power.cli import main

ROOT = Path(__file__).resolve().parents[3]
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
    found = {"baseline": write(tmp_path / "baseline.csv", baseline)}
    for name, (broke, mended) in flips.items():
        solved = baseline.copy()
        solved[:broke], solved[300 : 300 + mended] = False, True
        found[name] = write(tmp_path / f"{name}.csv", solved)
    return found


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["compare", *map(str, arguments)])
    return int(stop.value.code or 0)


@pytest.mark.parametrize(
    "case",
    [
        ("worse", [], "worse", 10),
        ("worse", ["--fail-if", ""], "worse", 0),
        ("worse", ["--fail-if", "better"], "worse", 0),
        ("better", [], "better", 0),
        ("better", ["--fail-if", "worse,better"], "better", 14),
        ("equal", [], "undetermined", 0),
        ("equal", ["--fail-if", "worse,undetermined"], "undetermined", 11),
        ("equal", ["--margin", "0.02", "--fail-if", "equivalent"], "equivalent", 13),
        ("close", ["--margin", "0.015", "--fail-if", "worse,undetermined"], "not inferior", 0),
        ("close", ["--margin", "0.015", "--fail-if", "non_inferior"], "not inferior", 12),
    ],
)
def test_outcome_and_code(
    tables: dict[str, Path],
    capsys: pytest.CaptureFixture[str],
    case: tuple[str, list[str], str, int],
) -> None:
    candidate, options, outcome, code = case
    assert run(tables["baseline"], tables[candidate], *options) == code
    assert capsys.readouterr().out.startswith(f"{outcome}: candidate against baseline on ")


def test_reports_are_those_of_one_comparison(tables: dict[str, Path], tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("g.json", "g.md", "g.xml")]
    kinds = ("json", "markdown", "junit")
    named = [f"--{kind}={file}" for kind, file in zip(kinds, files, strict=True)]
    assert run(tables["baseline"], tables["worse"], *named) == 10
    told = json.loads(files[0].read_text(encoding="utf-8"))
    assert (told["outcome"], len(told["broke"]), len(told["mended"])) == ("worse", 30, 5)
    assert files[1].read_text(encoding="utf-8").startswith("### worse: candidate against baseline")
    assert ElementTree.parse(files[2]).getroot().attrib["failures"] == "1"


def test_rows_are_joined_by_item(tables: dict[str, Path], tmp_path: Path) -> None:
    shuffled = pd.read_csv(tables["worse"]).sample(frac=1, random_state=3)
    shuffled.to_csv(tmp_path / "shuffled.csv", index=False)
    found = [tmp_path / f"{name}.json" for name in "ab"]
    assert run(tables["baseline"], tables["worse"], "--json", found[0]) == 10
    assert run(tables["baseline"], tmp_path / "shuffled.csv", "--json", found[1]) == 10
    one, other = (json.loads(path.read_text(encoding="utf-8")) for path in found)
    assert {**one, "task": ""} == {**other, "task": ""}


def test_answers_in_words_beside_the_scores_are_no_labels(
    tables: dict[str, Path], tmp_path: Path
) -> None:
    paths = [tmp_path / "old.csv", tmp_path / "new.csv"]
    for path, name in zip(paths, ("baseline", "worse"), strict=True):
        pd.read_csv(tables[name]).assign(answer=f"as {name}").to_csv(path, index=False)
    assert run(*paths) == 10


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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table[:-1], "item 'q599': 1 item of the other file not in it"),
        (lambda table: table.assign(more=1), "2 models: solved, more.*--candidate"),
        (lambda table: table.assign(solved=2), "q0"),
    ],
)
def test_bad_input_is_one_line_and_code_2(
    tables: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: Any,
    message: str,
) -> None:
    path = tmp_path / "bad.csv"
    change(pd.read_csv(tables["worse"])).to_csv(path, index=False)
    assert run(tables["baseline"], path, "--json", tmp_path / "no.json") == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert pd.Series([error]).str.contains(message).all()
    assert not (tmp_path / "no.json").exists()


def test_wrong_usage(tables: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tables["baseline"]) == 2
    assert "--baseline and --candidate" in capsys.readouterr().err
    assert run(tables["baseline"], tables["worse"], "--fail-if", "bad") == 2
    assert "'bad' is none of worse, undetermined" in capsys.readouterr().err


def action() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return loaded


def run_action(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the comparing step of the action with its inputs, as a runner does."""
    described = action()
    (step,) = [one for one in described["runs"]["steps"] if one["id"] == "compare"]
    given = {name: one.get("default", "") for name, one in described["inputs"].items()} | inputs
    variables = {
        name: given[value.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, value in step["env"].items()
    }
    runner = {
        "RUNNER_TEMP": str(folder),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "GITHUB_OUTPUT": str(folder / "output.txt"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env={**os.environ, **variables, **runner},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_action_refuses_a_regression_and_tells_the_job(
    tables: dict[str, Path], tmp_path: Path
) -> None:
    inputs = {"baseline": str(tables["baseline"]), "candidate": str(tables["worse"])}
    done = run_action(tmp_path, **inputs, margin="0.01", options="--test=mid_p\n")
    assert (done.returncode, done.stderr) == (10, "")
    assert "mid-p McNemar test" in done.stdout
    assert (tmp_path / "output.txt").read_text() == "outcome=worse\n"
    assert "### worse: candidate against baseline" in (tmp_path / "summary.md").read_text()


def test_inputs_of_the_action_are_never_run(tables: dict[str, Path], tmp_path: Path) -> None:
    hostile = f"$(touch {tmp_path}/owned); `touch {tmp_path}/owned`"
    done = run_action(tmp_path, baseline=str(tables["baseline"]), candidate=hostile)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "owned").exists()
    assert not (tmp_path / "output.txt").exists()


def test_the_action_has_what_the_guide_names() -> None:
    guide = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    workflow = yaml.safe_load(guide.partition("```yaml\n")[2].partition("```")[0])
    (step,) = [one for one in workflow["jobs"]["gate"]["steps"] if "with" in one]
    assert set(step["with"]) <= set(action()["inputs"])
