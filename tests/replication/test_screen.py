"""A quiet run: a line for each thing that lands, one for each error, and a last screen."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from logging import ERROR, INFO, WARNING, LogRecord
from pathlib import Path
from typing import Any, cast

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from replication.screen import LAST, PLAN, REPEATED_LATER, Screen, last_screen, took

Say = Callable[..., str]


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.setattr("time.time", lambda: 0.0)
    return Screen(cast(Any, None), None)


@pytest.fixture
def say(screen: Screen, capsys: pytest.CaptureFixture[str]) -> Say:
    def emit(message: str = "", level: int = INFO, at: float = 0.0, **extra: Any) -> str:
        record = LogRecord("snakemake", level, "", 0, message, None, None)
        record.created = at
        record.__dict__.update(extra)
        screen.emit(record)
        return capsys.readouterr().err

    return emit


def start(say: Say, job: int, rule: str, at: float = 0.0, **wildcards: str) -> str:
    event = LogEvent.JOB_INFO
    return say(event=event, jobid=job, rule_name=rule, wildcards=wildcards, at=at)


def finish(say: Say, job: int, at: float) -> str:
    return say(event=LogEvent.JOB_FINISHED, job_id=job, at=at)


def test_a_board_lands_once_with_the_last_of_its_jobs(say: Say) -> None:
    assert say(**{PLAN: {"Table 6": [1], "Board big": [2, 3, 4]}}) == ""
    assert start(say, 2, "pairs", 1, panel="big") == ""
    assert start(say, 1, "table_06", 1) == ""
    assert finish(say, 2, 3) == ""
    assert finish(say, 1, 5).split() == ["1", "of", "2", "00:05", "Table", "6", "4.0", "s"]
    # A job of no unit, as the last of all is.
    assert start(say, 9, "all", 5) == finish(say, 9, 5) == ""
    for job in (3, 4):
        start(say, job, "decision", 5, panel="big")
    assert finish(say, 4, 60) == ""
    assert finish(say, 3, 61).split() == ["2", "of", "2", "01:01", "Board", "big", "60.0", "s"]


def test_progress_is_one_line_of_a_terminal(
    say: Say, screen: Screen, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert say(event=LogEvent.PROGRESS, done=1, total=3) == ""
    screen.close()
    terminal = Screen(cast(Any, None), None)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    record = LogRecord("snakemake", INFO, "", 0, "", None, None)
    record.__dict__.update(event=LogEvent.PROGRESS, done=2, total=3)
    terminal.emit(record)
    terminal.close()
    shown = capsys.readouterr().err
    assert "2 of 3 jobs |" in shown
    assert "\n" not in shown


def test_an_error_is_one_line_with_its_log(say: Say, screen: Screen, tmp_path: Path) -> None:
    log = tmp_path / "pairs.log"
    log.write_text("read\nerror: b.csv: no item. Remedy: give one\n")
    start(say, 4, "pairs", panel="big")
    ended = "RuleException:\nCommand 'python' returned non-zero exit status 1."
    assert say(ended, ERROR, event=LogEvent.ERROR, exception="RuleException") == ""
    job = {"event": LogEvent.JOB_ERROR, "rule_name": "pairs", "jobid": 4, "log": [str(log)]}
    assert say("Error", ERROR, **job) == (
        f"error: b.csv: no item. Remedy: give one (job pairs panel=big; log: {log})\n"
    )
    assert say("Exiting because a job execution failed.", ERROR) == ""
    assert say("WorkflowError:\nAt least one job", ERROR, event=LogEvent.ERROR) == ""
    screen.close()


@pytest.mark.parametrize(
    ("log", "exception", "told"),
    [
        ("Traceback\n  File\nValueError: 3", "Command returned non-zero exit status 1.", "Value"),
        ("", "RuleException: Command 'python' died with <Signals.SIGKILL: 9>.", "died with"),
        ("", "MissingOutputException: no file", "error: MissingOutput"),
    ],
)
def test_a_job_without_a_message_is_one_line_too(
    say: Say, tmp_path: Path, log: str, exception: str, told: str
) -> None:
    (tmp_path / "x.log").write_text(log)
    say(exception, ERROR, event=LogEvent.ERROR)
    job = {"event": LogEvent.JOB_ERROR, "rule_name": "x", "jobid": 4}
    said = say(**job, log=[str(tmp_path / "x.log")])
    assert told in said
    assert said.count("\n") == 1


def test_an_error_before_any_job_is_the_refusal_in_one_line(
    say: Say, screen: Screen, capsys: pytest.CaptureFixture[str]
) -> None:
    message = "WorkflowError in file common.smk, line 18:\nerror: key 'alpha': 2. Remedy: less"
    say(message, ERROR, event=LogEvent.ERROR, exception="WorkflowError")
    screen.close()
    assert capsys.readouterr().err == "error: key 'alpha': 2. Remedy: less\n"


def test_warnings_are_shown_but_those_of_the_last_screen(say: Say) -> None:
    assert say("Board b is left out.", WARNING, **{REPEATED_LATER: True}) == ""
    assert say("p/t: x is used,\nnothing is downloaded.", WARNING) == (
        "warning: p/t: x is used, nothing is downloaded.\n"
    )
    assert say("Building DAG of jobs...") == ""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results/audit").mkdir(parents=True)
    manifest: dict[str, Any] = {
        "paper": {"citation": "Nobody 2026"},
        "run": {"end": "2026-05-28T10:00"},
        "exhibits": [
            {"name": "table_06", "outputs": {"a.csv": "1"}},
            {"name": "figure_01", "outputs": {"b.png": "1"}},
            {"name": "findings", "outputs": {"c.csv": "1"}},
        ],
        "boards": [{"name": "mine", "outputs": {"d.csv": "1"}}],
        "left_out": ["Board big is left out. To include it, put its file there."],
    }
    (tmp_path / "results/manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "results/audit/claims.csv").write_text("id,verdict\na,holds\nb,holds_rounded\n")
    return tmp_path


def test_the_last_screen_says_what_there_is(run: Path) -> None:
    lines = last_screen([""], seconds=91, log=Path("x.log"))
    text = " ".join(" ".join(lines).split())
    assert "Paper Nobody 2026 Made 1 table, 1 figure, 1 board" in text
    assert "Left out Board big is left out." in text
    assert "Claims 2: 1 holds, 1 holds rounded Changed no earlier run is known here" in text
    assert str(run / "results/index.html") in text
    assert text.endswith("Log x.log Took 1 min 31 s")
    again = last_screen([""], seconds=3.21, log=None)
    assert "Changed   nothing (since the run of 2026-05-28T10:00)" in again
    assert again[-1] == "Took      3.2 s"
    # Of some targets no paper is whole.
    assert last_screen([], seconds=3.21, log=None) == ["Took      3.2 s"]


def test_the_last_screen_says_of_each_paper_what_changed_since_its_last_whole_run(
    run: Path,
) -> None:
    folder = "papers/kite/"
    shutil.copytree(run / "results", run / folder / "results")
    last_screen(["", folder], seconds=1, log=None)
    place = run / folder / "results"
    manifest = json.loads((place / "manifest.json").read_text())
    manifest["exhibits"][0]["outputs"]["a.csv"] = "2"
    manifest["boards"] = [{"name": "other", "outputs": {}}]
    (place / "manifest.json").write_text(json.dumps(manifest))
    (place / "audit/claims.csv").write_text("id,verdict\na,holds\nb,contradicted\n")
    lines = last_screen(["", folder], seconds=1, log=None)
    first, kite = (" ".join(" ".join(part).split()) for part in (lines[:6], lines[6:]))
    assert "Changed nothing" in first
    assert "new: other; gone: mine; other bytes: table_06" in kite
    assert "other verdicts: b holds rounded → contradicted" in kite


@pytest.mark.parametrize("content", ["{", "[]", '{"ended": "2026", "files": {}}'])
def test_what_cannot_be_read_of_the_last_run_is_none(run: Path, content: str) -> None:
    (run / LAST).mkdir(parents=True)
    (run / LAST / "made.json").write_text(content)
    assert "Changed   no earlier run is known here" in last_screen([""], seconds=1, log=None)
    assert any("nothing" in line for line in last_screen([""], seconds=1, log=None))


def test_a_time_is_in_minutes_and_seconds() -> None:
    assert took(59.96) == "1 min 0 s"
