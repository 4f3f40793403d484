"""What a release is published from: one version, one name, one licence."""

from __future__ import annotations

import re
import subprocess
import tomllib

import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import llm_power
from needed import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))


def tracked(*patterns: str) -> list[str]:
    """Files of the clone that git knows or would take."""
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
