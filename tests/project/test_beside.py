"""The wheel beside the tools whose logs it reads, at the versions that they take."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from needed import ROOT, without

pytestmark = pytest.mark.slow

UV = Path(sys.executable).with_name("uv")
LOGS = ROOT / "tests/llm_power/scores/logs"
# Logs that each wrote, and how they are read.
TOOLS = {
    "crfm-helm==0.5.16": ["crfm_helm-0.5.16", "--metric", "exact_match"],
    "inspect-ai==0.3.285": ["inspect_ai-0.3.285/plain"],
    "lm_eval==0.4.13": [
        *("lm_eval-0.4.13", "--latest", "--metric", "acc,exact_match"),
        *("--filter", "strict-match,none"),
    ],
}


def done(*command: str | Path, given: str | None = None) -> str:
    """What a command prints; the test ends where it fails."""
    ran = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = ["-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run([sys.executable, *build], cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    asked = [str(UV), "pip", "compile", "--quiet", "-"]
    if subprocess.run(asked, input="click", capture_output=True, text=True, check=False).returncode:
        without("index", "no index of Python packages can be reached")
    return path


@pytest.mark.parametrize("tool", TOOLS)
def test_the_wheel_reads_a_tools_logs_beside_what_the_tool_requires(
    tool: str, wheel: Path, tmp_path: Path
) -> None:
    """Solved with all that the tool needs; installed, for its weight, without its models' part."""
    solved = tmp_path / "solved.txt"
    solve = [str(UV), "pip", "compile", "--quiet", "--no-emit-package", "llm-power", "-"]
    solved.write_text(done(*solve, given=f"{wheel}\n{tool}\n"), encoding="utf-8")
    python = tmp_path / "environment/bin/python"
    done(UV, "venv", "--quiet", "--python", sys.executable, python.parents[1])
    install = [str(UV), "pip", "install", "--quiet", "--python", str(python)]
    done(*install, "--constraint", solved, wheel)
    done(*install, "--no-deps", tool)
    (folder, *options), out = TOOLS[tool], tmp_path / "out"
    done(python.with_name("llm-power"), "resolve", LOGS / folder, *options, "--out", out)
    assert (out / "pairs.parquet").is_file()
