"""Logs that list attempts at items: one file a model, all attempts of an item its repeats."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from llm_power._scores._choosing import Choice
from llm_power._scores._items import Displayed, Items, displayed
from llm_power._scores._json import inside, json_document, json_records
from llm_power._scores._logs import AS_WRITTEN, Logs, ModelScores, one_by_one
from llm_power._scores._source import LogFile, SourceFile, StreamedFile, read_file
from llm_power._scores._table import number_in_json
from llm_power._scores.options import ReadOptions
from llm_power._scores.store import TaskScores


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at an item: its score, what says which item it is, and what has its labels."""

    item: str
    score: float
    content: Mapping[str, Any] = field(default_factory=dict)
    labelled: object = None


@dataclass(slots=True)
class Run:
    """What a file says besides its attempts, and where it is."""

    log: LogFile
    options: ReadOptions
    # How scores were made, the same in all files.
    made: dict[str, object] = field(default_factory=dict)
    displayed: list[Displayed] = field(default_factory=list)  # means over all attempts
    is_graded: bool = False  # scores may lie between 0 and 1
    metric: Choice = field(init=False)

    def __post_init__(self) -> None:
        self.metric = Choice("metric", "metrics", self.options.metric)


AttemptsOf = Callable[[SourceFile, Run], Iterable[Attempt]]
OfRecord = Callable[[Mapping[str, Any], int, Run], Iterable[Attempt]]


def of_document(
    attempts_of: AttemptsOf, *, may_lack_parts: bool = False
) -> Callable[[Logs, ReadOptions], TaskScores]:
    """Return what reads logs that are read whole."""

    def read(log: LogFile, options: ReadOptions, items: Items) -> ModelScores:
        run, source = Run(log, options), read_file(log.path)
        scores = _collected(attempts_of(source, run), run, items)
        return _made(scores, run, source.without_data())

    return one_by_one(read, may_lack_parts=may_lack_parts)


def of_records(attempts_of: OfRecord) -> Callable[[Logs, ReadOptions], TaskScores]:
    """Return what reads logs of one JSON object a record, of which none is kept."""

    def read(log: LogFile, options: ReadOptions, items: Items) -> ModelScores:
        run = Run(log, options)
        with StreamedFile(log.path) as source:
            attempts = (
                attempt
                for number, record in enumerate(json_records(source), start=1)
                for attempt in attempts_of(
                    log.checked(record, "record", number, AS_WRITTEN), number, run
                )
            )
            return _made(_collected(attempts, run, items), run, source.record())

    return one_by_one(read)


def _collected(attempts: Iterable[Attempt], run: Run, items: Items) -> dict[str, list[float]]:
    scores: dict[str, list[float]] = {}
    for attempt in attempts:
        items.admit(attempt.item, attempt.content, attempt.labelled, run.log)
        scores.setdefault(attempt.item, []).append(attempt.score)
    return scores


def _made(scores: Mapping[str, Sequence[float]], run: Run, source: SourceFile) -> ModelScores:
    run.metric.check(run.log, len(scores))
    if not scores:
        raise run.log.fault("there is no item in it", AS_WRITTEN)
    every = [score for of_item in scores.values() for score in of_item]
    attempts = range(max(map(len, scores.values())))
    by_number = {item: dict(enumerate(of_item)) for item, of_item in scores.items()}
    return ModelScores.of_repeats(
        run.log,
        source,
        by_number,
        attempts,
        made={"number of attempts": len(attempts), **run.made},
        is_graded=run.is_graded,
        displayed=[one.of(every) for one in run.displayed],
    )


def json_of(source: SourceFile, log: LogFile) -> Any:
    """Return the JSON of a file that was read whole."""
    remedy = "write or download the file again"
    return json_document(source.data, lambda problem: log.fault(problem, remedy))


def document(source: SourceFile, log: LogFile) -> Mapping[str, Any]:
    """Return the one JSON object of a file."""
    content = json_of(source, log)
    if not isinstance(content, dict):
        raise log.fault(f"a {type(content).__name__} instead of an object", AS_WRITTEN)
    return content


def first_record(path: Path) -> Mapping[str, Any]:
    """Return the first record of a file, empty where it is no object."""
    with StreamedFile(path) as source:
        record = next(json_records(source), None)
    return record if isinstance(record, dict) else {}


def texts_in(path: Path, name: str) -> Collection[str]:
    """Return what a field holds in the records of a file that have it, each text once."""
    with StreamedFile(path) as source:
        texts = (inside(record, name) for record in json_records(source))
        return dict.fromkeys(str(text) for text in texts if text is not None)


def displayed_in(path: Path, *names: str) -> list[Displayed]:
    """Return what a JSON file displays under these names, or nothing where it is not there."""
    number = inside(first_record(path), *names) if path.is_file() else None
    return displayed(f"{names[-1]} ({path.name})", number)


def text_of(record: Mapping[str, Any], name: str, log: LogFile, number: object) -> str:
    """Return what has to be text, or a whole number, in a record."""
    value = record.get(name)
    if type(value) not in {str, int} or value == "":
        raise log.fault(f"record {number} has no text as {name}", AS_WRITTEN)
    return str(value)


def number_of(value: object, what: str, item: str, log: LogFile) -> float:
    """Return what has to be a number or a truth value; null is a missing score."""
    if value is None:
        return math.nan
    number = number_in_json(value)
    if number is None:
        raise log.fault(
            f"{what} is {str(value)[:60]!r}, which is no number", "have the tool score it", item
        )
    return number


def named_folder(path: Path, below: str) -> Path | None:
    """Return the deepest folder of that name that a file is in, None if there is none."""
    return next((folder for folder in path.absolute().parents if folder.name == below), None)
