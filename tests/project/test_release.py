"""What a release is published from: one version, one name, one licence."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import llm_power
from needed import ROOT, page, without

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))


def tracked(*patterns: str) -> list[str]:
    """Files of the clone that git knows or would take."""
    if not (ROOT / ".git").exists():
        without("git", "this is no clone of git, which lists the files of a release")
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_the_version_is_written_once_and_told_alike_everywhere() -> None:
    assert PROJECT["dynamic"] == ["version"]
    assert CITATION["version"] == llm_power.__version__
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## \[{re.escape(llm_power.__version__)}\]", changes, re.MULTILINE)


def test_no_code_looks_the_package_up_by_its_distributions_name() -> None:
    looked_up = re.compile(rf"""(version|metadata|requires|files)\(["']{PROJECT["name"]}["']""")
    code = [ROOT / name for name in tracked("*.py")]
    assert len(code) > 100
    assert [path for path in code if looked_up.search(path.read_text("utf-8"))] == []


def test_the_package_installs_beside_the_tools_whose_logs_it_reads() -> None:
    allowed = {line.name: line.specifier for line in map(Requirement, PROJECT["dependencies"])}
    # crfm-helm 0.5.16 requires pandas~=2.0 and numpy~=2.0.
    assert allowed["pandas"].contains("2.3.3")
    assert allowed["numpy"].contains("2.0.2")


def test_a_python_in_the_classifiers_is_one_the_package_allows() -> None:
    said = [line.rpartition(" :: ")[2] for line in PROJECT["classifiers"] if " :: 3." in line]
    assert said
    assert all(SpecifierSet(PROJECT["requires-python"]).contains(one) for one in said)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


def test_the_source_distribution_holds_the_files_of_the_clone_and_no_other(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert held == {*tracked(), "PKG-INFO"}


def test_the_wheel_holds_library_and_audit_file_by_file(built: Path) -> None:
    (path,) = built.glob("*.whl")
    with ZipFile(path) as archive:
        held = set(archive.namelist())
    information = {name for name in held if ".dist-info/" in name}
    code = {name.removeprefix("src/") for name in tracked("src/llm_power", "src/llm_power_audit")}
    assert held - information == code
    assert {name.partition(".dist-info/")[2] for name in information} == {
        *("METADATA", "RECORD", "WHEEL", "entry_points.txt"),
        *(f"licenses/{file}" for file in PROJECT["license-files"]),
    }


AUTHORS_OWN = "github.com/akotawala10/llm-power"


@pytest.mark.parametrize(
    "document", ["README.md", "docs/index.md", "CITATION.cff", "pyproject.toml"]
)
def test_it_is_told_apart_from_the_software_of_the_papers_authors(document: str) -> None:
    text = page(document).lower()
    assert AUTHORS_OWN in text
    assert "independent" in text[: text.index(AUTHORS_OWN)]


def test_code_and_example_board_have_one_licence_each_wherever_it_is_said() -> None:
    assert PROJECT["license"] == "MIT AND Apache-2.0"
    assert (ROOT / "LICENSE").read_text("utf-8").startswith("MIT License")
    assert "Apache License" in (ROOT / PROJECT["license-files"][1]).read_text("utf-8")
    assert CITATION["license"] == "MIT"
    readme = page("README.md")
    assert "The code is under the [MIT licence](LICENSE)" in readme
    assert f"is under [Apache-2.0]({PROJECT['license-files'][1]})" in readme


def test_the_citation_has_what_its_format_requires_and_a_place_and_a_date() -> None:
    assert {"cff-version", "message", "title", "authors"} <= CITATION.keys()
    assert CITATION["url"] == PROJECT["urls"]["Repository"]
    assert str(CITATION["date-released"]).count("-") == 2


def sources() -> Iterator[tuple[str, str]]:
    """Every place that data are downloaded from, with the licence that is written beside it."""
    with (ROOT / "data/datasets.csv").open(encoding="utf-8", newline="") as register:
        for row in csv.DictReader(register):
            owner = row["repo"].partition("/")[0]
            place = row["repo"] if row["source"] == "github" else f"datasets/{owner},"
            yield place, row["licence"] or "unknown"
    for path in (ROOT / "config/boards").glob("*.yaml"):
        for task in yaml.safe_load(path.read_text("utf-8"))["tasks"].values():
            yield task["source"], task.get("download", {}).get("licence", "")


def test_every_source_of_data_has_its_licence_in_the_one_table() -> None:
    text = (ROOT / "docs/downloads.md").read_text("utf-8")
    table = text.partition("## Sources and licences")[2].partition("\n## ")[0].splitlines()
    for place, licence in sorted(set(sources())):
        (row,) = [line for line in table if place in line]
        assert licence in row


def test_every_file_of_the_codecheck_is_made_by_a_target_of_its_name() -> None:
    listed = yaml.safe_load((ROOT / "codecheck.yml").read_text("utf-8"))["manifest"]
    exhibits = yaml.safe_load((ROOT / "data/kotawala2026/paper.yaml").read_text("utf-8"))
    shown = {re.split("[/.]", one["file"])[-2] for one in listed}
    named = {name for name in exhibits["exhibits"] if name.startswith(("table_", "figure_"))}
    assert shown == named


def test_pre_commit_runs_what_lint_runs() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    entries = {hook["entry"] for repo in hooks for hook in repo["hooks"]}
    makefile = (ROOT / "Makefile").read_text("utf-8")
    recipe = makefile.partition("\nlint:")[2].partition("\n\n")[0]
    assert entries == {
        entry.replace("$(BIN)", ".venv/bin").removesuffix(" .").removesuffix(" Snakefile workflow")
        for entry in re.findall(r"^\t(\$\(BIN\)/.+)$", recipe, re.MULTILINE)
    }
