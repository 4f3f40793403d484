"""The output zips of the MMLU-Pro authors (github.com/TIGER-AI-Lab/MMLU-Pro, eval_results)."""

# A model solves an item where `pred` equals `answer`: no answer found (null) is a wrong answer, a
# missing record is a missing score. Every zip carries its own copy of the correct answers, and the
# published copies differ: on 33 items gemini-1.5-flash-002 was judged by other answers than every
# other model published at the same commit. `ReadOptions.answer_key` decides.

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from llm_power._errors import ScoreError
from llm_power._scores._items import Items
from llm_power._scores._json import json_document
from llm_power._scores._logs import LogFormat, Logs, ModelScores
from llm_power._scores._source import LogFile, SourceFile, open_archive, read_file
from llm_power._scores.inspect_log import is_log
from llm_power._scores.options import ReadOptions
from llm_power._scores.store import TaskScores

_FILE_NAME: Final = re.compile(r"model_outputs_(?P<model>.+)_\d+shots\.zip")
_DEFAULT_CLUSTERS: Final = ("category",)


@dataclass(frozen=True, slots=True)
class _Outputs:
    """One model's file: its scores and its answer key by question, and its faults."""

    read: ModelScores
    answers: Mapping[str, str]
    malformed: int

    @property
    def log(self) -> LogFile:
        return self.read.log


def _read_task(logs: Logs, options: ReadOptions) -> TaskScores:
    if options.kind not in {None, "binary"}:
        raise ScoreError(
            "the scores of this format are binary",
            remedy="declare them binary",
            file=str(logs.given[0]),
        )
    items = Items(tuple(options.clusters) or _DEFAULT_CLUSTERS)
    outputs = [_read_outputs(log, items, options) for log in logs.files]
    tolerated = {
        "malformed_records": {one.log.model: one.malformed for one in outputs if one.malformed},
        "other_answer_key": _other_answer_key(outputs, options),
    }
    return logs.join(
        [one.read for one in outputs],
        options,
        clusters=items.columns,
        tolerated={fault: counts for fault, counts in tolerated.items() if counts},
    )


def _model_of(path: Path) -> str:
    match = _FILE_NAME.fullmatch(path.name)
    if match is None:
        raise ScoreError(
            "the file name does not say which model it is of",
            remedy="call it model_outputs_MODEL_5shots.zip, or move it away",
            file=str(path),
        )
    return match["model"]


def _read_outputs(log: LogFile, items: Items, options: ReadOptions) -> _Outputs:
    source = read_file(log.path)
    answers: dict[str, str] = {}
    correct: dict[str, float] = {}
    records = _records(source)
    faults = [_fault(record, items.clusters) for record in records]
    n_malformed = len(records) - faults.count(None)
    if n_malformed and not options.skip_malformed:
        position, fault = next((i, one) for i, one in enumerate(faults, start=1) if one)
        raise log.fault(
            f"{n_malformed} of {len(records)} records are malformed, the first is record "
            f"{position}, which {fault}",
            "set skip_malformed: true to leave them out, and have them counted",
        )
    for record in (record for record, fault in zip(records, faults, strict=True) if not fault):
        question = str(record["question_id"])
        if question in answers:
            raise log.fault(
                "this question occurs more than once", "keep one record a question", question
            )
        answers[question] = record["answer"]
        correct[question] = float(record["pred"] == record["answer"])
        items.admit(question, {}, record, log)
    # The text is by far the most of a file and is not needed any more.
    return _Outputs(ModelScores(log, source.without_data(), correct), answers, n_malformed)


def _records(source: SourceFile) -> list[Any]:
    records = json_document(
        _payload(source),
        lambda problem: source.fault(f"what it holds is {problem}", "download the file again"),
    )
    if not isinstance(records, list):
        problem = "what it holds is JSON, but not a list of records"
        raise source.fault(problem, "give the output zips as published")
    return records


def _payload(source: SourceFile) -> bytes:
    """Return the one JSON file of a zip; nothing is ever extracted to disk."""
    with open_archive(source.data, str(source.path)) as archive:
        members = archive.data_names
        if len(members) != 1:
            problem = f"the zip holds {len(members)} files instead of one JSON list"
            raise source.fault(problem, "give the output zips as published")
        return archive.read(members[0])


def _fault(record: object, clusters: Sequence[str]) -> str | None:
    """Return what is wrong with a record, None if nothing."""
    if not isinstance(record, dict):
        return f"is a {type(record).__name__} instead of an object"
    if type(record.get("question_id")) is not int:  # True is an int to isinstance
        return "has no whole number as question_id"
    if "pred" not in record or not isinstance(record["pred"], str | None):
        return "has neither text nor null as pred"
    for field in ("answer", *clusters):
        if not isinstance(record.get(field), str):
            return f"has no text as {field}"
    return None


def _other_answer_key(outputs: Sequence[_Outputs], options: ReadOptions) -> dict[str, int]:
    """Return for each model on how many items its file's answer is not the usual one."""
    given: dict[str, Counter[str]] = {}
    for output in outputs:
        for question, answer in output.answers.items():
            given.setdefault(question, Counter())[answer] += 1
    disputed = {question: votes for question, votes in given.items() if len(votes) > 1}
    # Equal votes go to the answer given first, in the order of the models' names.
    usual = {question: votes.most_common(1)[0][0] for question, votes in disputed.items()}
    unusual = {
        output.log.model: [
            question
            for question, answer in output.answers.items()
            if usual.get(question, answer) != answer
        ]
        for output in outputs
    }
    for output in outputs:
        others = unusual[output.log.model]
        if options.answer_key == "shared" and others:
            question = others[0]
            raise output.log.fault(
                f"judged by another answer key: {len(others)} of its answers are "
                f"not the usual ones, this item first ({output.answers[question]!r} instead of "
                f"{usual[question]!r})",
                "exclude the model, or set answer_key: own to judge each model by its own "
                "file, and have the items counted",
                question,
            )
    return {model: len(questions) for model, questions in unusual.items() if questions}


FORMAT: Final = LogFormat(
    name=re.compile(r".+\.zip"),
    patterns=("*.zip",),
    model_of=_model_of,
    read=_read_task,
    fits=lambda head: head.is_zip and not head.is_table and not is_log(head.in_zip),
)
