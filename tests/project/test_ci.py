""".ci/run: what it requires, what it ends with, and that it fails where make does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from needed import ROOT, folder_of, without

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

# In the place of make: it says what its tests would be told, and fails.
MAKE = """#!/usr/bin/env bash
env | grep ^LLM_POWER_ | sort
echo "SKIPPED tests/test_a.py::test_owl - Skipped: no owl is here"
echo "slurm: skipped: no cluster." >&2
echo "SKIPPED tests/test_a.py::test_owl - Skipped: no owl is here"
exit 3
"""


def run_ci(tmp_path: Path, make: str = MAKE, *targets: str) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "clone/.ci/run"
    script.parent.mkdir(parents=True)
    shutil.copy2(ROOT / ".ci/run", script)
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("make", "chromedriver", "pdflatex", "strace"):
        (programs / name).write_text(make)
        (programs / name).chmod(0o755)
    kept = {name: at for name, at in os.environ.items() if not name.startswith("LLM_POWER_")}
    environment = kept | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", script, *targets], capture_output=True, text=True, env=environment, check=False
    )


def test_it_fails_as_make_does_and_ends_with_what_was_skipped(tmp_path: Path) -> None:
    done = run_ci(tmp_path)
    assert done.returncode == 3
    assert done.stdout.partition("ci: skipped, and why:\n")[2].splitlines() == [
        "SKIPPED tests/test_a.py::test_owl - Skipped: no owl is here",
        "slurm: skipped: no cluster.",
    ]


def test_where_nothing_is_skipped_it_says_so(tmp_path: Path) -> None:
    done = run_ci(tmp_path, "#!/usr/bin/env bash\n")
    assert (done.returncode, done.stdout) == (0, "ci: skipped, and why:\nnothing\n")


def test_it_runs_everything_or_the_parts_that_are_named(tmp_path: Path) -> None:
    told = "#!/usr/bin/env bash\necho made: $*\n"
    for name, targets in {"all": (), "parts": ("lint", "docs")}.items():
        (tmp_path / name).mkdir()
        done = run_ci(tmp_path / name, told, *targets)
        expected = " ".join(targets) or "lint docs test test-slow test-slurm"
        assert f"made: {expected}\n" in done.stdout


def test_the_workflow_on_github_runs_parts_and_targets_that_there_are() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]
    targets = set(re.findall(r"^([a-z -]+):.* ## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    known = {one for line in targets for one in line.split()}
    parts = jobs["part"]["strategy"]["matrix"]["part"]
    default = re.search(r"set -- (.+)", (ROOT / ".ci/run").read_text("utf-8"))
    assert default
    assert [*parts, "test-slurm"] == default[1].split()
    versions = jobs["versions"]["strategy"]["matrix"]
    assert {*parts, *versions["packages"]} <= known
    said = [line.rpartition(" :: ")[2] for line in PROJECT["classifiers"] if " :: 3." in line]
    assert versions["python"] == said


@pytest.mark.parametrize("there", [(), ("data",), ("data", "papers")])
def test_data_and_papers_are_required_where_there_is_a_folder_for_them(
    tmp_path: Path, there: tuple[str, ...]
) -> None:
    for name in there:
        (tmp_path / "shared" / name).mkdir(parents=True)
    told = dict(line.split("=", 1) for line in run_ci(tmp_path).stdout.splitlines() if "=" in line)
    named = {f"LLM_POWER_{name.upper()}": str(tmp_path / "shared" / name) for name in there}
    required = {"BROWSER", "LATEX", "STRACE", *(["SHARED"] if there else [])}
    assert told == named | {f"LLM_POWER_{thing}": "required" for thing in required}


def test_what_is_required_and_missing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    for thing in ("SHARED", "OWL"):
        monkeypatch.delenv(f"LLM_POWER_{thing}", raising=False)
    monkeypatch.setenv("LLM_POWER_PAPERS", "")
    with pytest.raises(pytest.skip.Exception, match="an owl"):
        without("owl", "an owl is missing")
    with pytest.raises(pytest.skip.Exception, match="LLM_POWER_PAPERS is not set"):
        folder_of("LLM_POWER_PAPERS")
    monkeypatch.setenv("LLM_POWER_OWL", "required")
    monkeypatch.setenv("LLM_POWER_SHARED", "required")
    with pytest.raises(pytest.fail.Exception, match="an owl"):
        without("owl", "an owl is missing")
    with pytest.raises(pytest.fail.Exception, match="LLM_POWER_PAPERS is not set"):
        folder_of("LLM_POWER_PAPERS")
    monkeypatch.setenv("LLM_POWER_PAPERS", "no/such/folder")
    with pytest.raises(pytest.fail.Exception, match="which is no folder"):
        folder_of("LLM_POWER_PAPERS")
