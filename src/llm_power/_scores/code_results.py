"""Results of benchmarks of code and agents: EvalPlus, LiveCodeBench, Terminal-Bench."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from llm_power._errors import listed
from llm_power._scores._attempts import (
    Attempt,
    Run,
    displayed_in,
    document,
    number_of,
    of_document,
    of_records,
    text_of,
)
from llm_power._scores._items import displayed
from llm_power._scores._json import json_document, list_inside
from llm_power._scores._logs import AS_WRITTEN, LogFormat
from llm_power._scores._source import SourceFile, read_file

_PASS: Final = "pass"
_METADATA: Final = "run_metadata.json"
_SCENARIO: Final = re.compile(r"Scenario\.(?P<task>[a-z]+)_.*eval_all\.json")


def _of_evalplus(source: SourceFile, run: Run) -> Iterator[Attempt]:
    problems = document(source, run.log).get("eval")
    if not isinstance(problems, dict):
        raise run.log.fault("there are no results by problem, as eval", AS_WRITTEN)
    for item, solutions in problems.items():
        if not isinstance(solutions, list) or not all(isinstance(s, dict) for s in solutions):
            raise run.log.fault("it has no list of solutions", AS_WRITTEN, item)
        for solution in solutions:
            status = {
                test: solution.get(f"{test}_status")
                for test in ("base", "plus")
                if solution.get(f"{test}_status") is not None
            }
            metric = run.metric.among(status)
            if metric not in status or not all(isinstance(one, str) for one in status.values()):
                raise run.log.fault(
                    f"a solution has no outcome by the tests {metric!r}, only by {listed(status)}",
                    "choose --metric base or --metric plus",
                    item,
                )
            # `plus` counts what passes both kinds of tests, as the pass@1 of EvalPlus does.
            passed = status["base" if "base" in status else metric] == _PASS
            yield Attempt(item, float(passed and status[metric] == _PASS))
    run.made["tests"] = run.metric.name


def _model_of_evalplus(path: Path) -> str:
    bare = path.name.removesuffix("eval_results.json").rstrip("_-")
    return bare or path.absolute().parent.name


def _tasks_of_evalplus(path: Path) -> list[str | None]:
    folder = path.absolute().parent.name
    return [folder if folder in {"humaneval", "mbpp"} else None]


EVALPLUS: Final = LogFormat(
    name=re.compile(r".*eval_results\.json", re.DOTALL),
    patterns=("**/*eval_results.json",),
    model_of=_model_of_evalplus,
    tasks_of=_tasks_of_evalplus,
    read=of_document(_of_evalplus),
    fits=lambda head: head.has("hash", "eval"),
    is_loose=True,
)


def _of_livecodebench(record: Mapping[str, Any], number: int, run: Run) -> Iterator[Attempt]:
    if number == 1:
        name = run.log.path.name.removesuffix("_all.json") + ".json"
        run.displayed = displayed_in(run.log.path.with_name(name), "pass@1")
    item = text_of(record, "question_id", run.log, number)
    grades = record.get("graded_list")
    if not isinstance(grades, list) or not grades:
        raise run.log.fault("it has no graded_list", "give the file that ends in eval_all", item)
    content = {name: record.get(name) for name in ("question_title", "contest_id")}
    for grade in grades:
        yield Attempt(item, number_of(grade, "a grade", item, run.log), content, record)


LIVECODEBENCH: Final = LogFormat(
    name=_SCENARIO,
    patterns=("**/Scenario.*eval_all.json",),
    model_of=lambda path: path.absolute().parent.name,
    read=of_records(_of_livecodebench),
    fits=lambda head: head.has("question_id", "graded_list"),
)


def _of_terminal_bench(source: SourceFile, run: Run) -> Iterator[Attempt]:
    results = document(source, run.log)
    trials = results.get("results")
    if not isinstance(trials, list) or not all(isinstance(trial, dict) for trial in trials):
        raise run.log.fault("there is no list of trials, as results", AS_WRITTEN)
    run.displayed = displayed("accuracy", results.get("accuracy"), is_exact=True)
    metadata = _metadata(run.log.path)
    run.made = {name: metadata.get(name) for name in ("dataset_name", "dataset_version")}
    for number, trial in enumerate(trials, start=1):
        item = text_of(trial, "task_id", run.log, number)
        # A trial without an outcome was not resolved, as the displayed accuracy has it.
        resolved = trial.get("is_resolved") or False
        yield Attempt(item, number_of(resolved, "is_resolved", item, run.log), {}, trial)


def _metadata(path: Path) -> Mapping[str, Any]:
    beside = path.with_name(_METADATA)
    if not beside.is_file():
        return {}
    source = read_file(beside)
    remedy = "repair it, or move it away: the folder then names the agent and the model"
    metadata = json_document(source.data, lambda problem: source.fault(problem, remedy))
    return metadata if isinstance(metadata, dict) else {}


def _agent_and_model(path: Path) -> str:
    metadata = _metadata(path)
    names = [metadata.get(name) for name in ("agent_name", "model_name")]
    return " ".join(name for name in names if isinstance(name, str)) or path.absolute().parent.name


def _tasks_of_terminal_bench(path: Path) -> list[str | None]:
    name = _metadata(path).get("dataset_name")
    return [name if isinstance(name, str) else None]


TERMINAL_BENCH: Final = LogFormat(
    name=re.compile(r"results\.json"),
    patterns=("**/results.json",),
    # Each trial has a file of that name as well, of its own alone.
    is_at=lambda path: path.with_name(_METADATA).is_file(),
    model_of=_agent_and_model,
    tasks_of=_tasks_of_terminal_bench,
    read=of_document(_of_terminal_bench),
    fits=lambda head: any(
        isinstance(trial, dict) and "is_resolved" in trial
        for trial in list_inside(head.record, "results")[:1]
    ),
    is_loose=True,
)
