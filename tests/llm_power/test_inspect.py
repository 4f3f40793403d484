"""The extension of Inspect: on recorded logs, and (slow) in a run of Inspect itself."""

from __future__ import annotations

import asyncio
import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from llm_power import compare, resolve
from needed import ROOT

LOGS = sorted((ROOT / "tests/llm_power/scores/logs/inspect_ai_four-0.3.285").glob("*.eval"))
TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import solver


@solver
def silent(right):
    async def solve(state, generate):
        said = "yes" if state.sample_id < right else "no"
        state.output = ModelOutput.from_content("mockllm", said)
        return state

    return solve


@task
def sums(right: int = 30):
    samples = [Sample(input=f"item {k}", target="yes", id=k) for k in range(40)]
    return Task(dataset=samples, solver=silent(right), scorer=match())
"""


@pytest.fixture
def extension(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, beside a stand-in of what it takes from Inspect."""
    inspect, own = ModuleType("inspect_ai"), ModuleType("inspect_ai.hooks")
    vars(own).update(Hooks=object, RunEnd=object, hooks=lambda **_: lambda one: one)
    monkeypatch.setitem(sys.modules, "inspect_ai", inspect)
    monkeypatch.setitem(sys.modules, "inspect_ai.hooks", own)
    yield importlib.import_module("llm_power._inspect")
    del sys.modules["llm_power._inspect"]


def finished(*paths: Path, status: str = "success") -> list[SimpleNamespace]:
    return [
        SimpleNamespace(
            status=status,
            location=f"file://{path}",
            eval=SimpleNamespace(task="sums", model=path.name),
        )
        for path in paths
    ]


def test_models_of_a_run_are_resolved_and_a_new_log_is_compared(
    extension: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = SimpleNamespace(logs=finished(*LOGS))
    asyncio.run(extension.Paired().on_run_end(run))
    assert capsys.readouterr().out == f"\n{resolve(*map(str, LOGS))}\n"
    monkeypatch.setenv("LLM_POWER_BASELINE", str(LOGS[0]))
    run = SimpleNamespace(logs=finished(LOGS[1]))
    asyncio.run(extension.Paired().on_run_end(run))
    assert capsys.readouterr().out == f"\n{compare(str(LOGS[0]), str(LOGS[1]))}\n"


def test_one_model_or_a_failed_run_has_no_answer_and_bad_input_is_one_line(
    extension: Any, tmp_path: Path
) -> None:
    assert [*extension.answers(finished(LOGS[0]), None)] == []
    assert [*extension.answers(finished(*LOGS, status="error"), None)] == []
    (said,) = extension.answers(finished(LOGS[0]), str(tmp_path / "none.eval"))
    assert said.startswith("llm-power: ")
    assert "\n" not in said


@pytest.mark.slow
def test_inspect_prints_the_answer_after_its_own_run(tmp_path: Path) -> None:
    """`LLM_POWER_INSPECT` names a Python that has inspect-ai and this package; else one is made."""
    python = os.environ.get("LLM_POWER_INSPECT")
    if python is None:
        subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
        python = str(tmp_path / "venv/bin/python")
        pip = [python, "-m", "pip", "install", "--quiet", "inspect-ai==0.3.285", str(ROOT)]
        made = subprocess.run(pip, check=False, capture_output=True, text=True)
        if made.returncode:
            pytest.skip(f"no package index: {made.stderr[-200:]}")
    (tmp_path / "exam.py").write_text(TASK)
    inspect = [str(Path(python).with_name("inspect")), "eval", "exam.py"]
    models = "mockllm/model,mockllm/other"
    one = {"INSPECT_LOG_FORMAT": "eval", "INSPECT_DISPLAY": "plain", **os.environ}

    def run(*more: str, **environment: str) -> str:
        done = subprocess.run(
            [*inspect, *more],
            cwd=tmp_path,
            env=one | environment,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    assert "2 of 2 models could be first; the pair is undetermined" in run("--model", models)
    assert "could be first" not in run("--model", "mockllm/model", "--log-dir", "old")
    (old,) = (tmp_path / "old").glob("*.eval")
    worse = ("--model", "mockllm/model", "--log-dir", "new", "-T", "right=10")
    assert "worse: candidate against baseline on sums" in run(*worse, LLM_POWER_BASELINE=str(old))
