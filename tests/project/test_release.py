"""What a release is published from: one version, one name, one licence."""

from __future__ import annotations

import re
import subprocess
import tomllib

import yaml

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
