"""The two sides of a comparison, from one file or from two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from llm_power._board.measure import measure_of
from llm_power._choices import KINDS
from llm_power._errors import ScoreError, counted, listed
from llm_power._scores._logs import LogFormat, find_logs
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import log_format, read_tasks, recognize
from llm_power._scores.store import Provenance, Repeats, TaskScores

BASELINE: Final = "baseline"
CANDIDATE: Final = "candidate"


#: A file, or what is in memory.
Side = Path | TaskScores


def read_sides(
    old: Side,
    new: Side | None,
    options: ReadOptions,
    *,
    baseline: str | None = None,
    candidate: str | None = None,
    reader: str = "auto",
    on_note: Callable[[str], None] = lambda _note: None,
) -> tuple[list[TaskScores], str, str]:
    """Read two models, of two sides or of one."""
    read = partial(read_tasks, reader=reader, on_note=on_note)

    def tasks_of(side: Side) -> list[TaskScores]:
        return [side] if isinstance(side, TaskScores) else read(side, options)

    if new is None:
        return _of_one_file(tasks_of(old), _label(old), baseline, candidate)
    if isinstance(old, Path) and isinstance(new, Path):
        kinds = [recognize([path], options) if reader == "auto" else reader for path in (old, new)]
        if kinds[0] == kinds[1] and (form := log_format(kinds[0])):
            return _of_two_logs(old, new, options, form, read), BASELINE, CANDIDATE
    labels = _label(old), _label(new)
    first = [_column(task, baseline, labels[0], "--baseline") for task in tasks_of(old)]
    second = [_column(task, candidate, labels[1], "--candidate") for task in tasks_of(new)]
    return _joined_tasks(first, second, *labels, options.clusters), BASELINE, CANDIDATE


def _label(side: Side) -> str:
    return side.task if isinstance(side, TaskScores) else str(side)


def _of_two_logs(
    old: Path,
    new: Path,
    options: ReadOptions,
    form: LogFormat,
    read: Callable[[list[Path], ReadOptions], list[TaskScores]],
) -> list[TaskScores]:
    """Return the tasks of two runs; both must have run the same ones."""
    for path in (old, new):
        _require_one_model(path, options, form)
    tasks = read([], replace(options, names={BASELINE: str(old), CANDIDATE: str(new)}))
    for task in tasks:
        if len(task.models) < 2:
            raise _not_run(task.task, str(old if BASELINE not in task.models else new))
    return tasks


def _of_one_file(
    tasks: list[TaskScores], path: str, baseline: str | None, candidate: str | None
) -> tuple[list[TaskScores], str, str]:
    """Return the tasks that the named models ran; both must have run the same ones."""
    models = dict.fromkeys(model for task in tasks for model in task.models)
    if baseline is None or candidate is None:
        raise ScoreError(
            f"one file has {len(models)} models: {', '.join([*models][:10])}",
            remedy="name the two with --baseline and --candidate, or give a second file",
            file=path,
        )
    asked = {baseline, candidate}
    theirs = [task for task in tasks if asked & {*task.models}]
    if not asked <= {*models}:
        return tasks, baseline, candidate  # the comparison says what was meant
    for task in theirs:
        if lacking := asked - {*task.models}:
            raise _not_run(task.task, path, min(lacking))
    return theirs, baseline, candidate


def _joined_tasks(
    first: list[TaskScores],
    second: list[TaskScores],
    old: str,
    new: str,
    clusters: Sequence[str],
) -> list[TaskScores]:
    """Join the tables of both sides by task; a single one need not be called alike."""
    if len(first) == len(second) == 1:
        return [_joined(first[0], second[0], old, new, clusters)]
    ours, theirs = ({task.task: task for task in side} for side in (first, second))
    for name in sorted(ours.keys() ^ theirs.keys()):
        raise _not_run(name, new if name in ours else old)
    return [_joined(task, theirs[name], old, new, clusters) for name, task in ours.items()]


def _not_run(task: str, path: str, model: str | None = None) -> ScoreError:
    """Refuse a task that one of the two has not: it is not known to do no harm there."""
    return ScoreError(
        f"no scores on task {task!r}, which the other model has",
        remedy="run it, or choose a task that both have with --task",
        file=path,
        model=model,
    )


def _require_one_model(path: Path, options: ReadOptions, form: LogFormat) -> None:
    """Refuse logs of several models, of which --latest would take the newest."""
    apart = replace(options, names={}, latest=True, exclude=())
    for logs in find_logs([path], apart, form):
        if len(logs.files) > 1:
            raise ScoreError(
                f"logs of {len(logs.files)} models on task {logs.task!r}: "
                f"{listed(log.model for log in logs.files)}",
                remedy="give those of one model; or one folder, and --baseline and --candidate",
                file=str(path),
            )


def _column(task: TaskScores, name: str | None, path: str, option: str) -> TaskScores:
    if name is None and len(task.models) > 1:
        raise ScoreError(
            f"the file has {len(task.models)} models: {', '.join(task.models[:10])}",
            remedy=f"name one of them with {option}",
            file=path,
        )
    wanted = task.models[0] if name is None else name
    if wanted not in task.models:
        raise ScoreError(
            f"no such model; it has {', '.join(task.models[:10])}",
            remedy=f"correct {option}",
            file=path,
            model=wanted,
        )
    return task.part(models=[task.models.index(wanted)])


def _joined(
    first: TaskScores, second: TaskScores, old: str, new: str, clusters: Sequence[str]
) -> TaskScores:
    measure_of([first, second])  # refuses scores of two units
    for mine, other, path in ((first, second, new), (second, first, old)):
        known = set(other.item_ids)
        lacking = [item for item in mine.item_ids if item not in known]
        if lacking:
            raise ScoreError(
                f"{counted(len(lacking), 'item')} of the other file not in it, this one first",
                remedy="give two files of the same items; an item without a score keeps its row",
                file=path,
                item=lacking[0],
            )
    row = {item: i for i, item in enumerate(second.item_ids)}
    second = second.part(items=[row[item] for item in first.item_ids])
    for name in clusters:
        _refuse_other_clusters(first, second, old, new, name)
    answers = (first.answers, second.answers)
    return TaskScores(
        task=first.task if first.task == second.task else f"{Path(old).name} and {Path(new).name}",
        unit=first.unit,
        lower_is_better=first.lower_is_better,
        kind=max(first.kind, second.kind, key=KINDS.index),
        item_ids=first.item_ids,
        models=(BASELINE, CANDIDATE),
        values=np.hstack([first.values, second.values]),
        clusters=first.clusters,
        provenance=Provenance(source=f"{old} and {new}"),
        repeats=Repeats(
            np.hstack([one.number for one in answers]),
            np.hstack([one.variance for one in answers]),
        ),
    )


def _refuse_other_clusters(
    first: TaskScores, second: TaskScores, old: str, new: str, name: str
) -> None:
    """Refuse two files of the same items that disagree about their clusters."""
    lacking = [path for one, path in ((first, old), (second, new)) if name not in one.clusters]
    if len(lacking) == 2:
        return  # a task without the column, beside others that have it
    if lacking:
        raise ScoreError(
            f"task {first.task!r} has no cluster column {name!r} here, and has it in the other "
            "file",
            remedy="give both files the column, or leave --cluster out",
            file=lacking[0],
        )
    labels = zip(first.item_ids, first.clusters[name], second.clusters[name], strict=True)
    differing = [item for item, one, other in labels if one != other]
    if differing:
        raise ScoreError(
            f"{counted(len(differing), 'item')} with another {name} than in {old}, this one first",
            remedy="correct one of the files",
            file=new,
            item=differing[0],
        )
