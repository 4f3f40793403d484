"""Logs of Inspect AI (github.com/UKGovernmentBEIS/inspect_ai): `.eval`, and its older `.json`."""

# An `.eval` is a zip with a `header.json`, written when the run ends, and
# `samples/ID_epoch_EPOCH.json` for each sample; a `.json` is one object with the same parts. A
# sample that is run again is added under the name it had: as Inspect reads it, the last one
# counts. Epochs are repeats of one item. Its score is missing unless every epoch has one: a sample
# that ended with an error, was declared invalid, or was left unscored has none, whatever a scorer
# made of it. A displayed mean is over those that have one.

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Any, Final, TypeGuard

from llm_power._errors import ScoreError, listed
from llm_power._scores._choosing import Choice
from llm_power._scores._head import Head
from llm_power._scores._items import Displayed, Items, displayed, is_reducer, reduced
from llm_power._scores._json import inside, json_document, json_members, list_inside
from llm_power._scores._logs import LogFormat, ModelScores, one_by_one
from llm_power._scores._source import (
    Archive,
    LogFile,
    SourceFile,
    StreamedFile,
    open_archive,
    read_file,
)
from llm_power._scores._table import as_float
from llm_power._scores.options import ReadOptions

# Metrics that are means of the items' scores.
_MEANS: Final = ("accuracy", "mean")
# Inspect begins its names with the time of the run, where other JSON in a folder does not.
_RUN: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:+-]+_.+\.(?:eval|json)")
_VERSION: Final = 2
_EPOCHS: Final = "number of epochs"
# Members of a JSON log, and of the header of a zip.
_HEAD: Final = ("version", "status", "eval", "results")
_HEADER: Final = "header.json"
_START: Final = "_journal/start.json"
_SAMPLE: Final = re.compile(r"samples/.*\.json", re.DOTALL)
# As Inspect's value_to_float, which makes 0 of any other text; here it is an error.
_VALUES: Final[Mapping[str, float]] = {
    **{"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0},
    **{"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0},
}


@dataclass(frozen=True, slots=True)
class _Header:
    """What a log says about its run."""

    status: str
    task: str
    version: object
    model: str
    data_set: str | None
    sample_ids: tuple[str, ...]
    epochs: int
    reducers: tuple[str, ...]
    created: str
    results: Sequence[Mapping[str, Any]]


def is_log(names: Set[str]) -> bool:
    """Return whether these are members of an ``.eval``, or the first ones of a JSON log."""
    return _HEADER in names or _START in names or {"status", "eval"} <= names


def _model_of(path: Path) -> str:
    return _only_header(path).model if _RUN.fullmatch(path.name) else path.stem


def _created(path: Path) -> tuple[bool, str, float]:
    """Order the runs of a model: those that ended well last, and then by the time they began."""
    header = _only_header(path)
    return header.status == "success", header.created, path.stat().st_mtime


def _only_header(path: Path) -> _Header:
    """Read no more of a log than what says of which task and model it is."""
    if Head(path).is_zip:
        with open_archive(path, str(path)) as archive:
            return _header(_zipped_header(archive, path), path)
    with StreamedFile(path) as source:
        members = json_members(source, ["samples"])
        return _header(dict(takewhile(lambda member: member[0] != "samples", members)), path)


def _read_log(log: LogFile, options: ReadOptions, items: Items) -> ModelScores:
    reading, path = _Reading(log, options, items), log.path
    if Head(path).is_zip:
        return _read_zip(path, reading)
    head: dict[str, Any] = {}
    with StreamedFile(path) as source:
        for name, value in json_members(source, ["samples"]):
            if name == "samples":
                reading.take(value)
            elif name in _HEAD:
                head[name] = value
        return reading.finish(_header(head, path), source.record())


def _read_zip(path: Path, reading: _Reading) -> ModelScores:
    source = read_file(path)
    with open_archive(source.data, str(path)) as archive:
        for name in archive.names:
            if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
                raise reading.log.fault(
                    f"the zip holds {name[:100]!r}, a path that leads out of it",
                    "do not trust this file; get the log from where it was written",
                )
        header = _header(_zipped_header(archive, path), path)
        names = [name for name in dict.fromkeys(archive.names) if _SAMPLE.fullmatch(name)]
        archive.check_size(names)
        for name in names:
            reading.take(_document(archive, name, path), name)
    return reading.finish(header, source.without_data())


def _zipped_header(archive: Archive, path: Path) -> object:
    """Return the header, or of a run that has not ended what it wrote at its start."""
    names = {*archive.names}
    if _HEADER not in names and _START not in names:
        raise _no_log(path, "it has no header.json")
    return _document(archive, _HEADER if _HEADER in names else _START, path)


def _document(archive: Archive, name: str, path: Path) -> Any:
    def refuse(problem: str) -> ScoreError:
        remedy = "write or download the log again"
        return ScoreError(f"{name} is {problem}", remedy=remedy, file=str(path))

    return json_document(archive.read(name), refuse)


def _header(head: object, path: Path) -> _Header:
    run = head.get("eval") if isinstance(head, dict) else None
    if not isinstance(head, dict) or not isinstance(run, dict):
        raise _no_log(path, "it does not say what was run, as eval")
    if head.get("version") != _VERSION:
        raise ScoreError(
            f"a log of version {head.get('version')!r}, where {_VERSION} can be read",
            remedy=f"have Inspect write it as version {_VERSION} (inspect log convert)",
            file=str(path),
        )
    for name in ("task", "model"):
        if not isinstance(run.get(name), str):
            raise _no_log(path, f"its eval has no text as {name}")
    ids, shown = list_inside(run, "dataset", "sample_ids"), list_inside(head, "results", "scores")
    reducers = list_inside(run, "config", "epochs_reducer") or ["mean"]
    epochs = inside(run, "config", "epochs")
    return _Header(
        status=str(head.get("status", "started")),
        task=run["task"],
        version=run.get("task_version", 0),
        model=run["model"],
        data_set=inside(run, "dataset", "name"),
        sample_ids=tuple(map(str, ids)),
        epochs=epochs if _is_count(epochs) else 1,
        reducers=tuple(map(str, reducers)),
        created=str(run.get("created", "")),
        results=[one for one in shown if isinstance(one, dict)],
    )


class _Reading:
    """One model's log as far as it has been read."""

    def __init__(self, log: LogFile, options: ReadOptions, items: Items) -> None:
        self.log, self._items = log, items
        self._scores: dict[str, dict[int, float]] = {}
        self._n_samples = 0
        self._scorer = Choice("metric", "scorers", options.metric)
        self._reducer = Choice("reducer", "reducers of the epochs", options.reducer)
        self._displays_more = False

    def take(self, raw: object, name: str | None = None) -> None:
        """Take a sample, from the member of that name where the log is a zip."""
        self._n_samples += 1
        remedy = "have Inspect write the log again"
        sample = self.log.checked(raw, "sample", self._n_samples, remedy, _fault)
        item, epoch = str(sample["id"]), sample["epoch"]
        if name not in {None, f"samples/{item}_epoch_{epoch}.json"}:
            raise self.log.fault(
                f"{name} holds epoch {epoch} of this sample",
                "have Inspect write the log again",
                item,
            )
        epochs = self._scores.setdefault(item, {})
        if epoch in epochs:
            raise self.log.fault(
                f"epoch {epoch} of this sample occurs more than once",
                "keep one sample for each id and epoch",
                item,
            )
        epochs[epoch] = self._score(sample, item)
        self._items.admit(item, _content(sample), sample.get("metadata"), self.log)

    def finish(self, header: _Header, source: SourceFile) -> ModelScores:
        """Return the scores, once all samples have been taken."""
        if header.status != "success":
            raise self.log.fault(
                f"the run did not end well: its status is {header.status!r}",
                "complete it with inspect eval-retry, or exclude the model",
            )
        if not self._scores:
            raise self.log.fault(
                "the log holds no sample", "have Inspect log the samples (log_samples)"
            )
        scorer = self._scorer
        if not scorer.counts:
            raise self.log.fault("no sample has a score", "score it with inspect score")
        scorer.check(self.log, len(self._scores))
        reducer = self._chosen_reducer(header)
        for item, epochs in self._scores.items():
            if max(epochs) > header.epochs:
                raise self.log.fault(
                    f"a sample of epoch {max(epochs)} in a run of {header.epochs}",
                    "have Inspect write the log again",
                    item,
                )
        made = {
            "task version": header.version,
            "data set": header.data_set,
            _EPOCHS: header.epochs,
            "scorer": scorer.name,
            "reducer": reducer,
        }
        return ModelScores.of_repeats(
            self.log,
            source,
            self._scores,
            range(1, header.epochs + 1),
            reducer,
            made=made,
            declared=header.sample_ids,
            displayed=self._displayed(header),
        )

    def _chosen_reducer(self, header: _Header) -> str:
        """Return how the run made one score of the epochs, if it is one way, and known."""
        if header.epochs == 1:
            return "mean"
        # Any reducer can be made of the epochs, not only those of the run.
        chosen = self._reducer.declared or next(iter(header.reducers))
        if self._reducer.declared is None:
            for _ in self._scores:
                self._reducer.among(header.reducers)
            self._reducer.check(self.log)
        if not is_reducer(chosen):
            raise self.log.fault(
                f"the reducer {chosen!r} is not one that can be made again here",
                "choose with --reducer mean, median, mode, max, majority, at_least_K, pass_at_K or "
                "pass_k_K",
            )
        return chosen

    def _displayed(self, header: _Header) -> list[Displayed]:
        """Return the mean scores that the log displays, and those of its samples."""
        means = []
        for shown in header.results if not self._displays_more else ():
            reducer, metrics = str(shown.get("reducer") or "mean"), shown.get("metrics")
            if not (self._is_chosen(shown) and is_reducer(reducer) and isinstance(metrics, dict)):
                continue
            for name in filter(metrics.__contains__, _MEANS):
                what = f"{name} ({self._scorer.name}, {reducer})"
                value, scores = inside(metrics, name, "value"), self._reduced(reducer)
                means += displayed(what, value, scores, is_exact=True)
        return means

    def _is_chosen(self, shown: Mapping[str, Any]) -> bool:
        names = {shown.get("scorer"), f"{shown.get('scorer')}/{shown.get('name')}"}
        return self._scorer.name in names and (
            shown.get("name") == shown.get("scorer") or "/" in str(self._scorer.name)
        )

    def _reduced(self, reducer: str) -> list[float]:
        """Return the items' scores as Inspect has them: of the epochs that have a score."""
        scored = [
            [score for score in epochs.values() if not math.isnan(score)]
            for epochs in self._scores.values()
        ]
        return [reduced(reducer, scores) for scores in scored if scores]

    def _score(self, sample: Mapping[str, Any], item: str) -> float:
        values = _by_scorer(sample.get("scores") or {})
        name = self._scorer.among(values)
        is_void = sample.get("error") is not None or sample.get("invalidation") is not None
        if name not in values or is_void:
            # What was scored all the same (score_on_error) is part of what the log displays.
            self._displays_more |= is_void and name in values
            return math.nan
        value = values[name]
        number = value_of_score(value)
        if number is None:
            raise self.log.fault(
                f"{self._scorer.name!r} gave {str(value)[:60]!r}, which is no number and none of "
                f"{listed(_VALUES)}",
                "choose a scorer (--metric) that gives one number a sample",
                item,
            )
        return number


def _by_scorer(scores: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of each scorer, and of each key of one that gives a dictionary."""
    values: dict[str, Any] = {}
    for name, score in scores.items():
        if score is None:
            continue
        value = inside(score, "value")
        if isinstance(value, dict):
            values |= {f"{name}/{key}": part for key, part in value.items()}
        else:
            values[name] = value
    return values


def _fault(sample: Mapping[str, Any]) -> str | None:
    """Return why a part of a log is not a sample, None if it is one."""
    if type(sample.get("id")) not in {int, str}:  # True is an int to isinstance
        return "has neither a whole number nor text as id"
    if not _is_count(sample.get("epoch")):
        return "has no whole number from 1 as epoch"
    if not isinstance(sample.get("scores"), dict | None):
        return "has scores that are not named by scorers"
    return None


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and value >= 1


def value_of_score(value: object) -> float | None:
    """Return a score as Inspect's metrics take it, NaN for one that was left unscored."""
    if isinstance(value, str):
        return _VALUES.get(value, _VALUES.get(value.lower(), _parsed(value)))
    return as_float(value) if isinstance(value, bool | int | float) else None


def _parsed(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _content(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return what says which item a sample is on, the same in every run."""
    asked, choices = sample.get("input"), sample.get("choices")
    if isinstance(asked, list):
        # Messages get a random id in each run.
        asked = [
            {name: part for name, part in message.items() if name != "id"}
            if isinstance(message, dict)
            else message
            for message in asked
        ]
    content = {"id": sample["id"], "input": asked, "choices": choices or None}
    if choices and isinstance(choices, list) and all(isinstance(text, str) for text in choices):
        # They may be shuffled anew in each run, and with them the letter of the target.
        return content | {"choices": sorted(choices)}
    return content | {"target": sample.get("target")}


def _no_log(path: Path, problem: str) -> ScoreError:
    return ScoreError(
        f"not a log of Inspect: {problem}",
        remedy="give the .eval or .json files of its log folder",
        file=str(path),
    )


FORMAT: Final = LogFormat(
    name=re.compile(rf".+\.eval|{_RUN.pattern}"),
    patterns=("**/*.eval", "**/*T*_*.json"),
    model_of=_model_of,
    tasks_of=lambda path: [_only_header(path).task],
    read=one_by_one(_read_log),
    fits=lambda head: is_log({*head.in_zip}) or is_log({*head.members}),
    created=_created,
)
