"""Results of SWE-bench (github.com/SWE-bench): which instances a model's patches resolved."""

# Four forms are read: the report of the harness, MODEL.RUN.json, whose lists of ids together hold
# every instance; per_instance_details.json of the leaderboard; its results/results.json, which
# does not hold the instances that were attempted in vain; and the harness's
# run_evaluation/RUN/MODEL/INSTANCE/report.json. What is not resolved scores 0, as the leaderboard
# counts it; what was not submitted (incomplete_ids) has no score.

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from llm_power._documents import DocumentError, read_yaml
from llm_power._errors import ScoreError, listed
from llm_power._scores._attempts import json_of
from llm_power._scores._items import Displayed, displayed
from llm_power._scores._json import inside
from llm_power._scores._logs import RUN_TIME, LogFormat, Logs, ModelScores
from llm_power._scores._source import (
    LogFile,
    NoClusterColumn,
    SourceFile,
    joint_source,
    read_file,
)
from llm_power._scores.options import ReadOptions
from llm_power._scores.store import TaskScores

# In a folder, reports of the harness are known by the dot between model and run, where other tools
# have one in the time of the run.
_NAME: Final = re.compile(
    rf"results\.json|per_instance_details\.json|report\.json|(?!.*{RUN_TIME}).+\..+\.json",
    re.DOTALL,
)
_OF_AN_INSTANCE: Final = "report.json"
INSTANCE_LIST: Final = "instance_ids.txt"
_METADATA: Final = "metadata.yaml"
_SHARE: Final = re.compile(
    r"\s*(?P<number>[-+]?(?:\d+(?:\.\d+)?|\.\d+))\s*(?P<percent>%)?\s*", re.ASCII
)
_OF_A_SUBMISSION: Final = {"results.json", "per_instance_details.json"}

_REPOSITORY: Final = "repo"
# Each instance of the data set is in one of these lists of a report.
_OUTCOMES: Final = (
    *("resolved_ids", "unresolved_ids", "empty_patch_ids"),
    *("error_ids", "incomplete_ids"),
)


def _read_task(logs: Logs, options: ReadOptions) -> TaskScores:
    for name in options.clusters:
        if name != _REPOSITORY:
            raise NoClusterColumn(
                name,
                f"there is nothing to take {name!r} of",
                remedy=f"name {_REPOSITORY} as cluster column, or none",
                file=str(logs.given[0]),
            )
    lists = _instance_lists(logs.given)
    declared = _instance_ids(lists[0]) if lists else None
    read = [_read_results(log, declared) for log in logs.files]

    def clusters(items: Sequence[str]) -> dict[str, tuple[str, ...]]:
        return {name: tuple(map(_repository, items)) for name in options.clusters}

    return logs.join(read, options, clusters=clusters, further=lists)


def is_results(record: object) -> bool:
    """Return whether a JSON object is one of the forms."""
    if not isinstance(record, dict):
        return False
    is_listed = any(isinstance(record.get(name), list) for name in ("resolved", "resolved_ids"))
    return is_listed or (bool(record) and all(map(_is_detail, record.values())))


def _is_detail(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("resolved"), bool)


def _model_of(path: Path) -> str:
    if path.is_dir():
        return path.absolute().name
    if path.name not in _OF_A_SUBMISSION:
        return path.stem
    folder = path.absolute().parent
    return (folder.parent if folder.name == "results" else folder).name


def _instance_lists(paths: Sequence[Path]) -> list[SourceFile]:
    """Return the list of instances, or none."""
    lists = [
        file
        for path in paths
        for file in (sorted(path.glob(f"**/{INSTANCE_LIST}")) if path.is_dir() else [path])
        if file.name == INSTANCE_LIST
    ]
    if len(lists) > 1:
        raise ScoreError(
            f"{lists[0]} is another list of the instances",
            remedy="keep the one of the data set that all results are on",
            file=str(lists[1]),
        )
    return [read_file(file) for file in lists]


def _instance_ids(source: SourceFile) -> Collection[str]:
    try:
        lines = source.data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        problem = f"not UTF-8 text, at byte {error.start}"
        raise source.fault(problem, "save it as UTF-8") from error
    ids = [line.strip() for line in lines if line.strip()]
    return dict.fromkeys(_unique(ids, "the list", source.fault))


def _read_instances(log: LogFile, declared: Collection[str] | None) -> ModelScores:
    """Read a report for each instance; one without a report has no score."""
    scores: dict[str, float] = {}
    sources = [read_file(path) for path in sorted(log.path.glob(f"*/{_OF_AN_INSTANCE}"))]
    for source in sources:
        of_file = LogFile(log.model, source.path)
        results = json_of(source, of_file)
        if not is_results(results) or not all(map(_is_detail, results.values())):
            raise of_file.fault(
                "it does not say which instance it is of and whether that is resolved",
                "have the harness write it again, or take it away",
            )
        for item, detail in results.items():
            if item in scores:
                raise of_file.fault("another report is of this instance", "keep one", item)
            scores[item] = float(detail["resolved"])
    _refuse_undeclared(scores, declared, log)
    shown, source = _displayed(log, scores, declared), joint_source(log.path, sources)
    return ModelScores(log, source, scores, declared=declared or (), displayed=shown)


def _read_results(log: LogFile, declared: Collection[str] | None) -> ModelScores:
    if log.path.is_dir():
        return _read_instances(log, declared)
    source = read_file(log.path)
    results = json_of(source, log)
    if not is_results(results):
        raise log.fault(
            "not results of SWE-bench: there is no list resolved or resolved_ids, and not every "
            "member says whether it is resolved",
            "give results.json, per_instance_details.json, or the report of the harness",
        )
    scores, counted = _scores_of(results, log, declared)
    _check_declared(scores, log, declared)
    shown = [*counted, *_displayed(log, scores, declared)]
    return ModelScores(log, source.without_data(), scores, displayed=shown)


def _scores_of(
    results: Mapping[str, Any], log: LogFile, declared: Collection[str] | None
) -> tuple[dict[str, float], list[Displayed]]:
    """Return the scores of results of each form, and the count that a report displays."""
    if isinstance(results.get("resolved_ids"), list):
        scores = _of_report(results, log)
        count, n = results.get("resolved_instances"), len(scores)
        return scores, displayed("resolved_instances", count, _as_counted(scores), n)
    if isinstance(results.get("resolved"), list):
        return _of_leaderboard(results, log, declared), []
    return {item: float(detail["resolved"]) for item, detail in results.items()}, []


def _displayed(
    log: LogFile, scores: Mapping[str, float], declared: Collection[str] | None
) -> list[Displayed]:
    """Return the percentage that the submission's metadata display, if there are any."""
    folder = log.path if log.path.is_dir() else log.path.parent
    beside = (folder.parent if folder.name in {"results", "logs"} else folder) / _METADATA
    is_its_own = log.path.is_dir() or log.path.name in _OF_A_SUBMISSION
    if not (beside.is_file() and (is_its_own or len([*folder.glob("*.json")]) == 1)):
        return []
    try:
        metadata = read_yaml(beside)
        info = inside(metadata, "info")
        value = inside(metadata if info is None else info, "resolved")  # the oldest have no info
        shown = None if value is None else _displayed_share(str(value))
    except (DocumentError, ValueError) as error:
        problem, remedy = "what is resolved is no number", "repair that file, or move it away"
        raise log.fault(f"{_METADATA}: {getattr(error, 'problem', problem)}", remedy) from error
    if shown is None:
        return []
    counted = _as_counted({**dict.fromkeys(declared or (), 0.0), **scores})
    number, scale, half_unit = shown
    shares = displayed(f"resolved ({_METADATA})", number, counted, scale, half_unit=half_unit)
    # Without the data set's list, instances that have no report could make it less.
    is_bound = log.path.is_dir() and declared is None
    return [one for one in shares if not (is_bound and one.value < one.counted)]


def _displayed_share(text: str) -> tuple[float, int, float]:
    """Return a share, what it is a share of (100, or 1 for a percentage) and half its last unit."""
    match = _SHARE.fullmatch(text)
    if match is None:
        raise ValueError(f"no number: {text!r}")
    scale, unit = (1, Decimal("0.01")) if match["percent"] else (100, Decimal(1))
    number = Decimal(match["number"])
    half_unit = Decimal(5).scaleb(int(number.as_tuple().exponent) - 1)
    return float(number * unit), scale, float(half_unit * unit)


def _as_counted(scores: Mapping[str, float]) -> list[float]:
    """Return the scores as harness and leaderboard count them, what was not submitted as 0."""
    return [0.0 if math.isnan(score) else score for score in scores.values()]


def _of_report(report: Mapping[str, Any], log: LogFile) -> dict[str, float]:
    scores: dict[str, float] = {}
    for name in _OUTCOMES:
        outcome = {"resolved_ids": 1.0, "incomplete_ids": math.nan}.get(name, 0.0)
        for item in _ids(report, name, log):
            if item in scores:
                raise log.fault(
                    f"it is in {name} and in another list of outcomes",
                    "have the harness write the report again",
                    item,
                )
            scores[item] = outcome
    total = report.get("total_instances")
    if total != len(scores):
        raise log.fault(
            f"the lists {listed(_OUTCOMES)} have {len(scores)} instances, total_instances is "
            f"{total!r}",
            "have the harness write the report again, with every instance in one of them",
        )
    return scores


def _of_leaderboard(
    results: Mapping[str, Any], log: LogFile, declared: Collection[str] | None
) -> dict[str, float]:
    if declared is None:
        raise log.fault(
            "it lists the instances that were resolved, and not which there are",
            f"put the ids of all instances of the data set into {INSTANCE_LIST}, one a "
            "line, in the same folder",
        )
    resolved = {*_ids(results, "resolved", log)}
    for item in _ids(results, "no_generation", log):
        if item in resolved:
            raise log.fault(
                "it is in resolved and in no_generation",
                "correct the file: without a patch nothing is resolved",
                item,
            )
    for name in (name for name, ids in results.items() if isinstance(ids, list)):
        # Of whatever became of them, all instances are to be in the data set.
        ids = _ids(results, name, log)
        _refuse_undeclared(ids, declared, log, f"{name} has this instance, which")
    return {item: float(item in resolved) for item in declared}


def _check_declared(
    scores: Mapping[str, float], log: LogFile, declared: Collection[str] | None
) -> None:
    _refuse_undeclared(scores, declared, log)
    absent = sorted(item for item in declared or () if item not in scores)
    if absent:
        raise log.fault(
            f"{INSTANCE_LIST} has this instance, and {len(absent) - 1} others that this file "
            "does not have",
            "give results on the whole data set, or the list of what was run",
            absent[0],
        )


def _refuse_undeclared(
    ids: Iterable[str], declared: Collection[str] | None, log: LogFile, what: str = "this instance"
) -> None:
    for item in ids:
        if declared is not None and item not in declared:
            raise log.fault(
                f"{what} is not in {INSTANCE_LIST}",
                "give results on the data set that the list is of, or complete the list",
                item,
            )


def _ids(results: Mapping[str, Any], name: str, log: LogFile) -> list[str]:
    ids = results.get(name, [])
    if not isinstance(ids, list) or not all(isinstance(item, str) for item in ids):
        raise log.fault(f"{name} is not a list of ids", "write or download the file again")
    return _unique(ids, name, log.fault)


def _unique(ids: list[str], name: str, fault: Callable[..., ScoreError]) -> list[str]:
    for item, count in Counter(ids).items():
        if count > 1:
            raise fault(f"{name} has this instance more than once", "keep it once", item=item)
    return ids


def _repository(item: str) -> str:
    """Return the repository of an id like django__django-11099."""
    match = re.fullmatch(r"(.+__.+)-\d+", item)
    if match is None:
        raise ScoreError(
            "its id does not say which repository it is of",
            remedy="name no cluster column",
            item=item,
        )
    return match[1]


def _unit(path: Path) -> Path:
    return path.parent.parent if path.name == _OF_AN_INSTANCE else path


FORMAT: Final = LogFormat(
    name=_NAME,
    patterns=("**/*.json",),
    model_of=_model_of,
    read=_read_task,
    # Terminal-Bench lists the ids of what was resolved too.
    fits=lambda head: is_results(head.record) and "results" not in head.members,
    unit=_unit,
    is_loose=True,
    beside=INSTANCE_LIST,
)
