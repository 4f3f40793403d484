"""Samples of lm-evaluation-harness, and the details of the Open LLM Leaderboard v2."""

# With --log_samples the harness (github.com/EleutherAI/lm-evaluation-harness) writes a record a
# line; until 2024 one list. Records come in the order in which they were finished, so items are
# known by `doc_id`, the position in the data set that the harness loaded, and `doc` is checked to
# be the same. Prompts are not: models get them in different forms.

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from llm_power._errors import ScoreError, listed
from llm_power._scores._choosing import Choice
from llm_power._scores._items import Items, displayed
from llm_power._scores._json import inside, json_document, json_records, list_inside
from llm_power._scores._logs import (
    RUN_TIME,
    LogFormat,
    ModelScores,
    one_by_one,
)
from llm_power._scores._source import LogFile, SourceFile, StreamedFile, read_file
from llm_power._scores._table import number_in_json
from llm_power._scores.options import ReadOptions

_NAME: Final = re.compile(rf"samples_(?P<task>.+)_(?P<run>{RUN_TIME})\.jsonl?")

_MEANS: Final = {"acc", "acc_norm", "acc_bytes", "acc_mutual_info", "exact_match"}

# What a record holds besides its metrics. Records of 2024 and later list those under "metrics".
_NOT_METRICS: Final = {
    *("doc_id", "doc", "doc_hash", "target", "target_hash", "prompt_hash"),
    *("arguments", "resps", "filtered_resps", "filter", "metrics"),
}


def is_sample(record: object) -> bool:
    """Return whether a record of a JSON file is a sample of the harness."""
    if not isinstance(record, dict) or "doc_id" not in record:
        return False
    return "doc" in record or "doc_hash" in record


def _model_of(path: Path) -> str:
    """Return what the run's results call the model, or else what its folder is called."""
    # The harness replaces the / of a name where it makes a folder of it.
    name = _results_of(path).get("model_name")
    return name if isinstance(name, str) and name else path.absolute().parent.name


def _results_of(path: Path) -> Mapping[str, Any]:
    """Return the results that the run wrote beside its samples, empty if there are none."""
    match = _NAME.fullmatch(path.name)
    run = match["run"] if match else ""
    of_run = path.parent.glob(f"*_{run}.json")
    beside = [file for file in of_run if not _NAME.fullmatch(file.name)]
    if len(beside) != 1:
        return {}
    source = read_file(beside[0])
    results = json_document(
        source.data,
        lambda problem: source.fault(
            f"the results file is {problem}, and may have said which model this is",
            "repair it, or move it away: the folder then names the model",
        ),
    )
    return results if isinstance(results, dict) else {}


def _displayed(path: Path, metric: str, answer_filter: str | None) -> Any:
    """Return what the run's results display of a metric, None where it is no mean of samples."""
    match, results = _NAME.fullmatch(path.name), _results_of(path)
    task = match["task"] if match else ""
    metrics = list_inside(results, "configs", task, "metric_list")
    configured = [one for one in metrics if inside(one, "metric") == metric]
    # The harness takes the mean of the common ones where a task does not say what it takes.
    default = "mean" if metric in _MEANS else None
    if any(one.get("aggregation", default) != "mean" for one in configured or [{}]):
        return None
    # Files from before 2024 do not name the filter, and the oldest results neither.
    shown = inside(results, "results", task, f"{metric},{answer_filter or 'none'}")
    return inside(results, "results", task, metric) if shown is None else shown


def _groups_of(paths: Iterable[Path]) -> dict[str, Sequence[str]]:
    groups: dict[str, Sequence[str]] = {}
    for path in paths:
        subtasks = _results_of(path).get("group_subtasks")
        for name, members in (subtasks if isinstance(subtasks, dict) else {}).items():
            # A task that is no group is listed as one without members.
            if isinstance(members, list) and members:
                groups[str(name)] = list(dict.fromkeys([*groups.get(name, ()), *map(str, members)]))
    return groups


def _read_samples(log: LogFile, options: ReadOptions, items: Items) -> ModelScores:
    reading = _Reading(log, options, items)
    with StreamedFile(log.path) as source:
        for record in json_records(source):
            reading.take(record)
        return reading.finish(source.record())


class _Reading:
    """One model's file as far as it has been read."""

    def __init__(self, log: LogFile, options: ReadOptions, items: Items) -> None:
        self._log, self._options, self._items = log, options, items
        self._scores: dict[str, float] = {}
        self._n_records = 0
        self._without_score: ScoreError | None = None  # of the first record that lacks the metric
        self._metric = Choice("metric", "metrics", options.metric)
        self._filter = Choice("filter", "filters of the answers", options.filter)

    def take(self, raw: object) -> None:
        """Take the score of one record."""
        self._n_records += 1
        remedy = "give samples as the harness writes them with --log_samples"
        record = self._log.checked(raw, "record", self._n_records, remedy, _fault)
        doc_id = self._item(record)
        name = record.get("filter")
        if name != self._filter.among([] if name is None else [name]):
            return
        if doc_id in self._scores:
            raise self._log.fault(
                "this item occurs more than once",
                "keep one record an item; files of old versions have one for each filter, "
                "without its name, and cannot be used"
                if self._options.match == "id"
                else f"two documents ask the same (one is doc_id {record['doc_id']}): "
                "match by id (--match id)",
                doc_id,
            )
        self._scores[doc_id] = self._score(record)
        self._items.admit(doc_id, _content(record), record.get("doc"), self._log)

    def _item(self, record: Mapping[str, Any]) -> str:
        """Return the id of an item: its doc_id, or the sum of what it is where those are wrong."""
        if self._options.match == "id":
            return str(record["doc_id"])
        parts = json.dumps([record.get("doc"), record.get("target")], sort_keys=True)
        return blake2b(parts.encode(), digest_size=8).hexdigest()

    def finish(self, source: SourceFile) -> ModelScores:
        """Return the scores, once all records have been taken."""
        if 0 < sum(self._filter.counts.values()) < self._n_records:
            raise self._log.fault(
                "some records name their filter, others do not", "keep one run a file"
            )
        self._filter.check(self._log)
        self._metric.check(self._log, len(self._scores))
        if self._without_score is not None:
            raise self._without_score
        if self._filter.name is not None and not self._filter.counts:
            raise self._log.fault("no record names a filter", "name none (--filter)")
        if self._metric.name is None or not self._scores:
            raise self._log.fault("there is no record", "run the harness with --log_samples")
        # Files from before 2024 do not name their filter.
        named = {} if self._filter.name is None else {"filter": self._filter.name}
        name, scores = self._metric.name, self._scores
        value = _displayed(self._log.path, name, self._filter.name)
        shown = displayed(f"{','.join([name, *named.values()])} (results)", value, scores.values())
        return ModelScores(self._log, source, scores, {"metric": name, **named}, displayed=shown)

    def _score(self, record: Mapping[str, Any]) -> float:
        numbers = _numbers(record)
        metric = self._metric.among(numbers)
        value = _ABSENT if metric is None else record.get(metric, _ABSENT)
        if value is None:
            return math.nan
        score = number_in_json(value)
        if score is None:
            self._without_score = self._without_score or self._log.fault(
                f"{repr(metric) if metric else 'the metric'} is not a number in this "
                f"record, where the numbers are: {listed(numbers) or 'none'}",
                "choose a number that every record has (--metric)",
                str(record["doc_id"]),
            )
            return math.nan
        return score


_ABSENT: Final = object()
_TEXT_OR_NOTHING: Final = {str, type(None)}


def _fault(record: Mapping[str, Any]) -> str | None:
    """Return why a record is not a sample, None if it is one."""
    if type(record.get("doc_id")) is not int:  # True is an int to isinstance
        return "has no whole number as doc_id"
    if "doc" not in record and "doc_hash" not in record:
        return "has neither doc nor doc_hash"
    if type(record.get("filter")) not in _TEXT_OR_NOTHING:
        return "has a filter that is not text"
    return None


def _numbers(record: Mapping[str, Any]) -> list[str]:
    """Return the metrics of a record that are numbers, for one that is a list is no score."""
    names = record.get("metrics")
    if not isinstance(names, list):
        names = [name for name in record if name not in _NOT_METRICS]
    return [
        name
        for name in names
        if isinstance(name, str) and number_in_json(record.get(name)) is not None
    ]


def _content(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what says which item a record is on: the fields of its doc, never its prompt."""
    doc = record.get("doc", _ABSENT)
    if doc is _ABSENT:
        return {"doc_hash": record["doc_hash"]}
    return doc if isinstance(doc, dict) else {"doc": doc}


FORMAT: Final = LogFormat(
    name=_NAME,
    patterns=("**/samples_*.json*",),
    model_of=_model_of,
    read=one_by_one(_read_samples),
    fits=lambda head: is_sample(head.record),
    groups=_groups_of,
)
