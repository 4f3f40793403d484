"""A script of the workflow, run as Snakemake runs it: with an object of that name in `__main__`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from replication.stages import undefined_among, write_undefined

_SCRIPT = """
import atexit, os
from types import SimpleNamespace
snakemake = SimpleNamespace(
    rule="made",
    wildcards={{}},
    input={reads},
    output=["results/made.csv"],
    params={{}},
    log=["made.log"],
)
from replication.job import logged
from llm_power._errors import LLMPowerError
atexit.register(os.abort)
with logged({how}):
    print("said")
    os.makedirs("results", exist_ok=True)
    open("results/made.csv", "w").close()
    {then}
"""


def run(
    where: Path, *, then: str = "pass", how: str = "", reads: list[str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _SCRIPT.format(then=then, how=how, reads=reads or [])],
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
    )


def test_what_printed_numbers_refuse_is_undefined_and_ends_no_run(tmp_path: Path) -> None:
    refused = run(tmp_path, then="raise LLMPowerError('b + c is 59')", how="of_printed=True")
    assert refused.returncode == 0
    assert refused.stderr == "made is undefined: b + c is 59 (made.log)\n"
    made = tmp_path / "results/made.csv"
    assert undefined_among([str(made)]) == "b + c is 59"
    assert (tmp_path / "made.log").read_text() == "undefined: b + c is 59\n"
    assert (tmp_path / "results/.sums/made.json").is_file()


def test_an_undefined_result_is_passed_on_but_to_what_goes_on_despite_it(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    write_undefined([str(tmp_path / "read.csv")], "b + c is 59")
    passed = run(tmp_path, reads=["read.csv"])
    assert (passed.returncode, passed.stdout) == (0, "")
    assert undefined_among([str(tmp_path / "results/made.csv")]) == "b + c is 59"
    judged = run(tmp_path, reads=["read.csv"], how="despite=True")
    assert (judged.returncode, judged.stdout) == (0, "said\n")


@pytest.mark.parametrize(
    ("then", "code", "log"),
    [("pass", 0, ""), ("raise LLMPowerError('a bad row')", 1, "error: a bad row\n")],
)
def test_an_abort_at_the_interpreters_exit_fails_no_job(
    then: str, code: int, log: str, tmp_path: Path
) -> None:
    done = run(tmp_path, then=then)
    assert (done.returncode, done.stdout, done.stderr) == (code, "said\n", "")
    assert (tmp_path / "made.log").read_text() == log
    assert (tmp_path / "results/.sums/made.json").is_file() is (code == 0)
