"""Samples of lm-evaluation-harness, and the details of the Open LLM Leaderboard v2."""

# With --log_samples the harness (github.com/EleutherAI/lm-evaluation-harness) writes a record a
# line; until 2024 one list. Records come in the order in which they were finished, so items are
# known by `doc_id`, the position in the data set that the harness loaded, and `doc` is checked to
# be the same. Prompts are not: models get them in different forms.

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from llm_power._errors import ScoreError, listed
from llm_power._scores._attempts import Attempt, Run, of_stream
from llm_power._scores._choosing import Choice
from llm_power._scores._displayed import displayed, inside
from llm_power._scores._logs import RUN_TIME, LogFormat
from llm_power._scores._source import read_file
from llm_power._scores._table import number_in_json
from llm_power._scores.options import ReadOptions

_NAME: Final = re.compile(rf"samples_(?P<task>.+)_(?P<run>{RUN_TIME})\.jsonl?")

_WITH_SAMPLES: Final = "give samples as the harness writes them with --log_samples"
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
    try:
        results = json.loads(read_file(beside[0]).data)
    except (ValueError, RecursionError) as error:
        raise ScoreError(
            "the results file is not JSON, and may have said which model this is",
            remedy="repair it, or move it away: the folder then names the model",
            file=str(beside[0]),
        ) from error
    return results if isinstance(results, dict) else {}


def _displayed(path: Path, metric: str, answer_filter: str | None) -> Any:
    """Return what the run's results display of a metric, None where it is no mean of samples."""
    match, results = _NAME.fullmatch(path.name), _results_of(path)
    task = match["task"] if match else ""
    metrics = inside(results, "configs", task, "metric_list")
    configured = [one for one in metrics or () if inside(one, "metric") == metric]
    # The harness takes the mean of the common ones where a task does not say what it takes.
    default = "mean" if metric in _MEANS else None
    if {one.get("aggregation", default) for one in configured or [{}]} != {"mean"}:
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


_ABSENT: Final = object()


def _attempts(records: Iterator[object], run: Run) -> Iterator[Attempt]:
    """Yield the score of each item by the filter that is chosen."""
    log, n_records = run.log, 0
    answer_filter = Choice("filter", "filters of the answers", run.options.filter)
    seen: set[str] = set()
    without: ScoreError | None = None  # of the first record that lacks the metric
    for n_records, found in enumerate(records, start=1):
        record = log.checked(found, f"record {n_records}", _WITH_SAMPLES, _fault)
        item = _item(record, run.options)
        name = record.get("filter")
        if name != answer_filter.among([] if name is None else [name]):
            continue
        if item in seen:
            raise log.fault(
                "this item occurs more than once",
                "keep one record an item; files of old versions have one for each filter, "
                "without its name, and cannot be used"
                if run.options.match == "id"
                else f"two documents ask the same (one is doc_id {record['doc_id']}): "
                "match by id (--match id)",
                item,
            )
        seen.add(item)
        numbers = _numbers(record)
        metric = run.metric.among(numbers)
        value = _ABSENT if metric is None else record.get(metric, _ABSENT)
        score = math.nan if value is None else number_in_json(value)
        if score is None:
            without = without or log.fault(
                f"{repr(metric) if metric else 'the metric'} is not a number in this "
                f"record, where the numbers are: {listed(numbers) or 'none'}",
                "choose a number that every record has (--metric)",
                str(record["doc_id"]),
            )
            score = math.nan
        yield Attempt(item, score, _content(record), record.get("doc"))
    if 0 < sum(answer_filter.found.values()) < n_records:
        raise log.fault("some records name their filter, others do not", "keep one run a file")
    answer_filter.check(log)
    run.metric.check(log, len(seen))
    if without is not None:
        raise without
    _note_choices(run, answer_filter, len(seen))


def _item(record: Mapping[str, Any], options: ReadOptions) -> str:
    """Return the id of an item: its doc_id, or the sum of what it is where those are wrong."""
    if options.match == "id":
        return str(record["doc_id"])
    parts = json.dumps([record.get("doc"), record.get("target")], sort_keys=True)
    return blake2b(parts.encode(), digest_size=8).hexdigest()


def _note_choices(run: Run, answer_filter: Choice, n_items: int) -> None:
    """Note what the scores are made of, and what the run's results display of it."""
    if answer_filter.name is not None and not answer_filter.found:
        raise run.log.fault("no record names a filter", "name none (--filter)")
    name = run.metric.name
    if name is None or not n_items:
        raise run.log.fault("there is no record", "run the harness with --log_samples")
    # Files from before 2024 do not name their filter.
    named = {} if answer_filter.name is None else {"filter": answer_filter.name}
    run.made = {"metric": name, **named}
    value = _displayed(run.log.path, name, answer_filter.name)
    run.displayed = displayed(f"{','.join([name, *named.values()])} (results)", value)


def _fault(record: Mapping[str, Any]) -> str | None:
    """Return why a record is not a sample, None if it is one."""
    if type(record.get("doc_id")) is not int:  # True is an int to isinstance
        return "has no whole number as doc_id"
    if not is_sample(record):
        return "has neither doc nor doc_hash"
    if not isinstance(record.get("filter"), str | None):
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
    read=of_stream(_attempts),
    fits=lambda head: is_sample(head.record),
    groups=_groups_of,
)
