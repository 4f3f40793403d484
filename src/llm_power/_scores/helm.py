"""Per-instance statistics of HELM (github.com/stanford-crfm/helm): `per_instance_stats.json`."""

# One folder is one run of one model on one scenario. A statistic that is not a number is left out
# of the file by HELM, or has no count: it is a missing score. Train trials are repeats of one item
# with other examples in the prompt. Perturbed instances are variants of items, made to measure
# robustness: only the statistics of unperturbed ones are read.

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from llm_power._errors import ScoreError
from llm_power._scores._choosing import Choice
from llm_power._scores._items import Displayed, Items, displayed
from llm_power._scores._json import inside, json_document, json_records, list_inside
from llm_power._scores._logs import LogFormat, Logs, ModelScores
from llm_power._scores._source import LogFile, SourceFile, StreamedFile, read_file
from llm_power._scores._table import as_float
from llm_power._scores.options import ReadOptions
from llm_power._scores.store import TaskScores

_NAME: Final = re.compile(r"per_instance_stats\.json")

# In the name of a run, as in mmlu:subject=anatomy,model=openai_gpt2, which is that of its folder.
_MODEL: Final = re.compile(r"[:,]model=(?P<model>[^,]+)")
_TRIALS: Final = "number of train trials"
_OF_MODEL: Final = re.compile(r"[:,]model(?:_deployment)?=[^,]*")


def _read_task(logs: Logs, options: ReadOptions) -> TaskScores:
    options.refuse_clusters("per-instance statistics have no field", str(logs.given[0]))
    read = [_read_stats(log, options) for log in logs.files]
    items = Items(())
    for stats in read:
        _admit_instances(stats, items)
    return logs.join(read, options)


def _tasks_of(path: Path) -> list[str | None]:
    if not _NAME.fullmatch(path.name):
        return [None]
    return [_OF_MODEL.sub("", _run_spec(path).get("name") or path.absolute().parent.name)]


def _model_of(path: Path) -> str:
    model = inside(_run_spec(path), "adapter_spec", "model")
    if isinstance(model, str) and model:
        return model
    folder = path.absolute().parent.name
    match = _MODEL.search(folder)
    return match["model"] if match else folder


def _run_spec(path: Path) -> dict[str, Any]:
    """Return what the run was of, if the file that says it is there."""
    beside = path.with_name("run_spec.json")
    spec = _document(beside) if beside.is_file() else {}
    if not isinstance(spec, dict) or not isinstance(spec.get("name", ""), str):
        raise ScoreError(
            "not a specification of a run, and may have said which model this is",
            remedy="repair it, or move it away: the folder then names the model",
            file=str(beside),
        )
    return spec


def _document(path: Path) -> Any:
    remedy = "repair it, or move it away: it only describes the run"
    return json_document(read_file(path).data, partial(ScoreError, remedy=remedy, file=str(path)))


def _read_stats(log: LogFile, options: ReadOptions) -> ModelScores:
    reading = _Reading(log, options)
    with StreamedFile(log.path) as source:
        for record in json_records(source):
            reading.take(record)
        return reading.finish(source.record())


class _Reading:
    """One model's file as far as it has been read."""

    def __init__(self, log: LogFile, options: ReadOptions) -> None:
        self._log = log
        self._n_records = self._n_unperturbed = 0
        self._metric = Choice("metric", "statistics", options.metric)
        self._split = Choice("filter", "splits", options.filter)
        # By split, then instance, then trial.
        self._scores: dict[str | None, dict[str, dict[int, float]]] = {}
        self._trials: dict[str | None, set[int]] = {}
        self._without_stats: set[str] = set()
        self._counts: set[int] = set()

    def take(self, raw: object) -> None:
        """Take a record, of which only the statistic that is the score is kept."""
        self._n_records += 1
        remedy = "give the file as HELM wrote it"
        record = self._log.checked(raw, "record", self._n_records, remedy, _fault)
        item, trial = record["instance_id"], record["train_trial_index"]
        splits = {stat["name"].get("split") for stat in record["stats"]}
        if len(splits) > 1:
            raise self._log.fault(
                "a record has statistics of several splits", "run HELM again", item
            )
        if not splits:
            self._without_stats.add(item)
        for split in splits:
            instances = self._scores.setdefault(split, {}).setdefault(item, {})
            if record.get("perturbation") is None:
                self._n_unperturbed += 1
                if not instances:
                    self._split.among([] if split is None else [split])
                self._trials.setdefault(split, set()).add(trial)
                self._take_stats(record["stats"], item, trial, instances)

    def _take_stats(
        self, stats: Sequence[Mapping[str, Any]], item: str, trial: int, scores: dict[int, float]
    ) -> None:
        for stat in stats:
            name = stat["name"]["name"]
            if name != self._metric.among([name]):
                continue
            if trial in scores:
                raise self._log.fault(
                    f"{name!r} occurs more than once in train trial {trial} of this instance",
                    "keep one record",
                    item,
                )
            self._counts.add(stat["count"] or 1)
            mean = stat.get("mean") if stat["count"] else math.nan
            if not isinstance(mean, bool | int | float):
                raise self._log.fault(f"the mean of {name!r} is no number", "run HELM again", item)
            scores[trial] = as_float(mean)

    def finish(self, source: SourceFile) -> ModelScores:
        """Return the scores, once all records have been taken."""
        metric = self._metric
        if not metric.counts:
            raise self._log.fault(
                "no unperturbed instance has a statistic", "give a run that was completed"
            )
        metric.check(self._log, self._n_unperturbed)
        if None in self._trials and len(self._trials) > 1:
            raise self._log.fault("some records name their split, others do not", "run HELM again")
        self._split.check(self._log)
        split = self._split.name
        self._place_those_without_stats(split)
        trials = self._trials[split]
        return ModelScores.of_repeats(
            self._log,
            source,
            self._scores[split],
            trials,
            made={"statistic": metric.name, "split": split, _TRIALS: len(trials)},
            displayed=self._displayed(split),
        )

    def _displayed(self, split: str | None) -> list[Displayed]:
        """Return what ``stats.json`` displays, of a statistic that counts instances alike."""
        beside = self._log.path.with_name("stats.json")
        if not (
            _NAME.fullmatch(self._log.path.name) and beside.is_file() and len(self._counts) == 1
        ):
            return []
        stats, wanted = _document(beside), [self._metric.name, split, None, None]
        names = ("name", "split", "sub_split", "perturbation")
        scores = [score for trials in self._scores[split].values() for score in trials.values()]
        return [
            one
            for stat in list_inside(stats)
            if [inside(stat, "name", name) for name in names] == wanted
            for one in displayed(f"{wanted[0]} (stats.json)", inside(stat, "mean"), scores)
        ]

    def _place_those_without_stats(self, split: str | None) -> None:
        """Have the instances of which nothing at all was computed count as missing scores."""
        unplaced = sorted(self._without_stats.difference(*self._scores.values()))
        if unplaced and len(self._scores) > 1:
            raise self._log.fault(
                "it has no statistics, which would say of which split it is",
                "run HELM again, or give the file of one split",
                unplaced[0],
            )
        for item in unplaced:
            self._scores[split][item] = {}


def _fault(record: Mapping[str, Any]) -> str | None:
    """Return why a record is not one of these statistics, None if it is one."""
    if not isinstance(record.get("instance_id"), str):
        return "has no text as instance_id"
    if type(record.get("train_trial_index")) is not int:  # True is an int to isinstance
        return "has no whole number as train_trial_index"
    if not isinstance(record.get("stats"), list):
        return "has no list of stats"
    return next(filter(None, map(_stat_fault, record["stats"])), None)


def _stat_fault(stat: object) -> str | None:
    name = inside(stat, "name", "name")
    if not isinstance(name, str) or not name:
        return "has a statistic without a name"
    if not isinstance(inside(stat, "name", "split"), str | None):
        return "has a statistic with a split that is not text"
    return None if type(inside(stat, "count")) is int else "has a statistic without a count"


def _admit_instances(stats: ModelScores, items: Items) -> None:
    """Check that an id is the same instance in all runs, if the file that says it is there."""
    beside = stats.log.path.with_name("instances.json")
    if not beside.is_file():
        return
    instances = _document(beside)
    for instance in list_inside(instances):
        if not isinstance(instance, dict) or instance.get("perturbation") is not None:
            continue
        item = instance.get("id")
        if isinstance(item, str) and item in stats.scores:
            asked = instance.get("input")
            # Its text alone: later versions of HELM write more about an input.
            content = {"input": asked.get("text") if isinstance(asked, dict) else asked}
            items.admit(item, content, None, LogFile(stats.log.model, beside))


FORMAT: Final = LogFormat(
    name=_NAME,
    patterns=("**/per_instance_stats.json",),
    model_of=_model_of,
    tasks_of=_tasks_of,
    read=_read_task,
    fits=lambda head: head.has("instance_id", "stats"),
)
