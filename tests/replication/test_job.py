"""A script of the workflow, run as Snakemake runs it: with an object of that name in `__main__`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_SCRIPT = """
import atexit, os
from types import SimpleNamespace
snakemake = SimpleNamespace(
    rule="made",
    wildcards={{}},
    input=[],
    output=["results/made.csv"],
    params={{}},
    log=["made.log"],
)
from replication.job import logged
from llm_power._errors import LLMPowerError
atexit.register(os.abort)
with logged():
    print("said")
    os.mkdir("results")
    open("results/made.csv", "w").close()
    {then}
"""


@pytest.mark.parametrize(
    ("then", "code", "log"),
    [("pass", 0, ""), ("raise LLMPowerError('a bad row')", 1, "error: a bad row\n")],
)
def test_an_abort_at_the_interpreters_exit_fails_no_job(
    then: str, code: int, log: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT.format(then=then)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
    )
    assert (done.returncode, done.stdout, done.stderr) == (code, "said\n", "")
    assert (tmp_path / "made.log").read_text() == log
    assert (tmp_path / "results/.sums/made.json").is_file() is (code == 0)
