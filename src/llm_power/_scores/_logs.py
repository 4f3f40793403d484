"""Logs of one model a file: which files they are, and of which tasks."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from llm_power._choices import KINDS
from llm_power._errors import ScoreError, listed
from llm_power._scores._choosing import OpenChoice, Sized, for_task, named_in, read_each
from llm_power._scores._head import Head
from llm_power._scores._items import (
    Displayed,
    Items,
    in_order,
    makes_grades,
    over_repeats,
    reduced,
    score_matrix,
    variance_of_repeats,
)
from llm_power._scores._source import LogFile, SourceFile, common_folder
from llm_power._scores.options import ReadOptions
from llm_power._scores.store import Repeats, TaskScores
from llm_power._statistics.argument_checks import Number

# How isoformat writes it; file systems that know no colon have a dash in its place.
RUN_TIME: Final = r"\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(?:\.\d+)?"

AS_WRITTEN: Final = "give the file as its tool wrote it"

#: Cluster column of a pooled group: which of its tasks an item is of.
SUBTASK: Final = "subtask"


def _time_of_change(path: Path) -> tuple[Any, ...]:
    """Order runs by the time in a file's name, or else by when it was last written."""
    match = re.search(RUN_TIME, path.name)
    return (match[0].replace(":", "-"),) if match else ("", path.stat().st_mtime)


@dataclass(frozen=True, slots=True)
class LogFormat:
    """How the logs of a tool are called, known and read: a reader of one task, when called."""

    name: re.Pattern[str]  # of a file; with a group `task`, if that says of which task it is
    patterns: tuple[str, ...]  # of the files below a folder, for `Path.glob`
    # Of a file that has such a name; of another one the stem is the model.
    model_of: Callable[[Path], str]
    read: Callable[[Logs, ReadOptions], TaskScores]
    fits: Callable[[Head], bool]
    # Where the name does not say it: the tasks of a file, each read as `LogFile.task`.
    tasks_of: Callable[[Path], Collection[str | None]] | None = None
    # Of several runs of a model on a task, the largest is the one to keep.
    created: Callable[[Path], tuple[Any, ...]] = _time_of_change
    unit: Callable[[Path], Path] = lambda path: path  # or the folder of its model
    is_loose: bool = False  # other tools' files have such names: look into them
    is_at: Callable[[Path], bool] = lambda _: True
    beside: str | None = None  # a file that may be given with the logs and is none
    # Subtasks of each group that the runs of these files were of.
    groups: Callable[[Iterable[Path]], Mapping[str, Sequence[str]]] = lambda _: {}

    def find(self, folder: Path) -> list[Path]:
        """Return the files of the format below a folder, in the order of their paths."""
        return sorted({self.unit(file) for file in self._named(folder)})

    def is_in(self, folder: Path) -> bool:
        """Return whether a folder holds files of the format."""
        return any(not self.is_loose or self._fits(file) for file in self._named(folder))

    def _named(self, folder: Path) -> Iterator[Path]:
        files = {file for pattern in self.patterns for file in folder.glob(pattern)}
        return (file for file in files if self.name.fullmatch(file.name) and self.is_at(file))

    def _fits(self, file: Path) -> bool:
        with suppress(ScoreError):
            return self.fits(Head(file))
        return False

    def tasks_in(self, file: Path) -> Collection[str | None]:
        """Return the tasks of a file, None for one that is unknown."""
        if self.tasks_of is not None:
            tasks = self.tasks_of(file)
            if not tasks:
                problem = "no record names its task"
                raise ScoreError(problem, remedy=AS_WRITTEN, file=str(file))
            return tasks
        match = self.name.fullmatch(file.name)
        return [match.groupdict().get("task") if match else None]

    def tasks(
        self, paths: Sequence[Path], options: ReadOptions, note: Callable[[str], None]
    ) -> list[TaskScores]:
        """Read the logs of every task, and pool those of a group where that was asked for."""
        task_logs = [replace(logs, note=note) for logs in find_logs(paths, options, self)]
        for logs in task_logs:
            for left in logs.left:
                run = f"task {logs.task}, model {left.model}: {left.path}"
                note(f"{run} is not read, for a later run is")
        pools = options.pool != "no"
        apart = [name for name in options.clusters if not pools or name != SUBTASK]
        files = [file.path for logs in task_logs for file in logs.files]
        known = self.known([logs.task for logs in task_logs], files, options)
        reads = [(logs.task, partial(self._read_one, logs, known)) for logs in task_logs]
        read = read_each(reads, replace(options, clusters=apart))
        if not pools:
            return read
        tasks = {logs.task: task for logs, task in zip(task_logs, read, strict=True)}
        groups = self.groups(files)
        made = pooled(tasks, groups, task_logs[0].files[0].path)
        members = {leaf for name in groups for leaf in _leaves(name, groups)}
        apart_too = [_pool(n, {n: t}) for n, t in tasks.items() if n in members]
        return [*made, *(apart_too if options.pool == "both" else [])]

    def _read_one(
        self, logs: Logs, known: Mapping[str, Collection[str]], options: ReadOptions
    ) -> list[TaskScores]:
        return [self.read(logs, for_task(options, logs.task, known))]

    def known(
        self, tasks: Collection[str], paths: Sequence[Path], options: ReadOptions
    ) -> dict[str, Collection[str]]:
        """Return the tasks of each name that options may have: its own, or those of a group."""
        known: dict[str, Collection[str]] = {task: (task,) for task in tasks}
        named = [options.metric, options.filter, options.reducer]
        if options.task not in {None, *tasks} or any("=" in (text or "") for text in named):
            groups = self.groups(paths)
            known |= {name: _leaves(name, groups) for name in groups if name not in known}
        return known

    def __call__(self, paths: Sequence[Path], options: ReadOptions) -> TaskScores:
        """Read the logs of what has to be one task."""
        task_logs = find_logs(paths, options, self)
        files = [log.path for logs in task_logs for log in logs.files]
        if len(task_logs) > 1:
            raise _several_tasks([logs.task for logs in task_logs], files)
        known = self.known([task_logs[0].task], files, options)
        return self.read(task_logs[0], for_task(options, task_logs[0].task, known))


@dataclass(frozen=True, slots=True)
class ModelScores:
    """What one model's log says."""

    log: LogFile
    source: SourceFile
    scores: Mapping[str, float]
    # How the scores were made: what two logs both have here must be the same in both.
    made: Mapping[str, object] = field(default_factory=dict)
    declared: Collection[str] = ()  # items of the log's data set, where it lists them
    is_graded: bool = False
    n_repeats: int = 1
    variances: Mapping[str, float] = field(default_factory=dict)  # of the repeats, by item
    displayed: Sequence[Displayed] = ()

    @classmethod
    def of_repeats(
        cls,
        log: LogFile,
        source: SourceFile,
        scores: Mapping[str, Mapping[int, float]],
        repeats: Collection[int],
        reducer: str = "mean",
        *,
        is_graded: bool = False,
        **others: Any,
    ) -> ModelScores:
        """Return the one score of each item that `reducer` makes of all its repeats."""
        is_mean = reducer == "mean"
        return cls(
            log,
            source,
            over_repeats(partial(reduced, reducer), scores, repeats),
            is_graded=is_graded or (len(repeats) > 1 and makes_grades(reducer)),
            n_repeats=len(repeats) if is_mean else 1,
            variances=variance_of_repeats(scores, repeats) if is_mean else {},
            **others,
        )


@dataclass(frozen=True, slots=True)
class Logs:
    """The files of one task, by model in the order of the names, and what to call them."""

    task: str
    source: str
    files: Sequence[LogFile]
    given: Sequence[Path] = ()
    left: Sequence[LogFile] = ()  # runs left out for a later one of the same model
    note: Callable[[str], None] = lambda _note: None

    def join(
        self,
        read: Sequence[ModelScores],
        options: ReadOptions,
        *,
        clusters: Callable[[Sequence[str]], Mapping[str, tuple[str, ...]]] = lambda _: {},
        further: Sequence[SourceFile] = (),
        tolerated: dict[str, dict[str, int]] | None = None,
    ) -> TaskScores:
        """Return the scores of all logs, as one task."""
        accepted = self._accepted(read, options)
        _check_alike(read)
        items = in_order({item for one in read for item in (*one.scores, *one.declared)})
        graded = any(one.is_graded for one in read)
        values = options.scaled(score_matrix([one.scores for one in read], items), self.source)
        return TaskScores(
            task=self.task,
            kind=options.kind or ("graded" if graded else "binary"),
            item_ids=tuple(items),
            models=tuple(one.log.model for one in read),
            values=values,
            clusters=clusters(items),
            provenance=options.provenance(
                [*(one.source for one in read), *further],
                self.source,
                {**(tolerated or {}), **accepted, **self._left_out()},
                {
                    _CHOSEN[what]: how
                    for one in read
                    for what, how in one.made.items()
                    if what in _CHOSEN
                },
            ),
            repeats=Repeats(
                np.where(np.isnan(values), 0, [one.n_repeats for one in read]),
                score_matrix([one.variances for one in read], items)
                / (10_000 if options.percent else 1),
            )
            if any(one.n_repeats > 1 for one in read)
            else None,
        )

    def _accepted(
        self, read: Sequence[ModelScores], options: ReadOptions
    ) -> dict[str, dict[str, int]]:
        """Return by how many items displayed scores are missed; refuse it unless accepted."""
        accepted: dict[str, dict[str, int]] = {}
        for log, one in ((of.log, one) for of in read for one in of.displayed if one.items_off):
            both = f"displayed {one.name} {one.value:.6g}, by its items {one.counted:.6g}"
            if not options.accept_other_score:
                raise log.fault(
                    f"{both}: {one.items_off:,} of {one.n_items:,} items apart",
                    "have the tool score it again, exclude the model, or accept the items and "
                    "have both numbers recorded (--accept-other-score)",
                )
            accepted.setdefault(f"items off the score ({both})", {})[log.model] = one.items_off
            self.note(f"task {self.task}, model {log.model}: accepted, {both}")
        return accepted

    def _left_out(self) -> dict[str, dict[str, int]]:
        return {f"left out for a later run: {log.path.name}": {log.model: 1} for log in self.left}


def one_by_one(
    read_log: Callable[[LogFile, ReadOptions, Items], ModelScores],
    *,
    may_lack_parts: bool = False,
) -> Callable[[Logs, ReadOptions], TaskScores]:
    """Return what reads a task whose logs are read one after the other, and share their items."""

    def read(logs: Logs, options: ReadOptions) -> TaskScores:
        items = Items(options.clusters, may_lack_parts)
        scores = [read_log(log, options, items) for log in logs.files]
        return logs.join(scores, options, clusters=items.columns)

    return read


# Of how scores were made, what a user may choose, and by which option.
_CHOSEN: Final = {
    "metric": "metric",
    "scorer": "metric",
    "statistic": "metric",
    "filter": "filter",
    "split": "filter",
    "reducer": "reducer",
}


def _check_alike(read: Sequence[ModelScores]) -> None:
    first, *others = read
    for one in others:
        for what, theirs in first.made.items():
            ours = one.made.get(what, theirs)
            if ours != theirs:
                raise one.log.fault(
                    f"its {what} is {ours!r}, that of {first.log.model!r} is {theirs!r}",
                    "run all models alike, choose what all logs have, or exclude the model",
                )


def _several_tasks(tasks: Iterable[str | None], files: Sequence[Path]) -> ScoreError:
    names = list(filter(None, tasks))
    return ScoreError(
        f"these are files of several tasks: {listed(names)}",
        remedy="give the files of one task, or read one of those in the folder",
        file=str(common_folder(files)),
        settings={"task": names[0]} if names else {},
    )


def find_logs(paths: Sequence[Path], options: ReadOptions, form: LogFormat) -> list[Logs]:
    """Find the logs of each task."""
    beside = [path for path in paths if path.name == form.beside]
    logs = [path for path in paths if path.name != form.beside]
    if not logs:
        raise ScoreError("there is no file of results", remedy="give those of the models")
    # A file may have been given by name, and with its folder.
    place: dict[Path, Path] = {}
    for path in logs:
        place |= {file: path for file in _expand(path, form) if file not in place}
    excluded = _excluded_runs(place, options)
    options = replace(options, exclude=[one for one in options.exclude if one not in excluded])
    out = set[Path]().union(*excluded.values())
    place = {file: path for file, path in place.items() if file not in out}
    files, options = _of_the_task(_by_task(place, options, form), options, form)
    task_runs = [
        (task, [*([origin] if origin != Path() else logs), *beside], _runs(of_task, options, form))
        for task, by_origin in files.items()
        for origin, of_task in by_origin.items()
    ]
    kept = options.kept(sorted({model for *_, runs in task_runs for model in runs}), str(paths[0]))
    reruns = [
        (task, model, runs[model])
        for task, _, runs in task_runs
        for model in kept
        if len(runs.get(model, ())) > 1
    ]
    if reruns and not options.latest:
        raise _several_runs(reruns, options, form)
    return [
        _logs_of_task(task, given, {m: runs[m] for m in kept if m in runs}, options, form)
        for task, given, runs in task_runs
    ]


# The files of each task, None for an unknown one, by the folder that they are taken as one task of.
_ByTask = dict[str | None, dict[Path, list[Path]]]


def _by_task(place: Mapping[Path, Path], options: ReadOptions, form: LogFormat) -> _ByTask:
    files: _ByTask = {}
    for file, path in place.items():
        for task in form.tasks_in(file):
            # Files whose task is unknown are of the folder that was given, or are one task.
            origin = path if task is None and path.is_dir() and not options.names else Path()
            files.setdefault(task, {}).setdefault(origin, []).append(file)
    return files


def _of_the_task(
    files: _ByTask, options: ReadOptions, form: LogFormat
) -> tuple[_ByTask, ReadOptions]:
    """Return the files of the task that is asked for, or of those of a group, if one is."""
    if options.task is not None and options.task not in files:
        every = [file for some in files.values() for of_task in some.values() for file in of_task]
        tasks = [task for task in files if task is not None]
        known = form.known(tasks, every, options)
        asked = named_in(options.task, known)
        wanted = {task for name in asked or () for task in known[name]} & {*files}
        if len(tasks) > 1 and not wanted:
            raise _several_tasks(files, every)
        if wanted:
            files = {task: of_task for task, of_task in files.items() if task in wanted}
            options = replace(options, task=None)
    elif options.task is not None:
        files = {options.task: files[options.task]}
    # Of an unknown task among known ones, a file is of the one there is.
    if None in files and len(files) == 2:
        unknown = files.pop(None)
        (only,) = files.values()
        only.setdefault(Path(), []).extend(file for some in unknown.values() for file in some)
    return files, options


def _runs(files: Sequence[Path], options: ReadOptions, form: LogFormat) -> dict[str, list[Path]]:
    runs: dict[str, list[Path]] = {}
    for file in files:
        runs.setdefault(_model(file, options, form), []).append(file)
    return runs


def _logs_of_task(
    task: str | None,
    given: Sequence[Path],
    runs: Mapping[str, Sequence[Path]],
    options: ReadOptions,
    form: LogFormat,
) -> Logs:
    if not runs:
        raise ScoreError("every model is excluded", remedy="keep two", file=str(given[0]))
    files, left = [], []
    for model, several in runs.items():
        *older, newest = sorted(several, key=form.created) if options.latest else several
        left += [LogFile(model, file, task) for file in older]
        files.append(LogFile(model, newest, task))
    # The working folder has a name as well, which `.` does not tell.
    source = (given[0].absolute() if len(given) == 1 else common_folder(given)).name
    return Logs(
        task=options.task or task or Path(source).stem,
        source=source,
        files=files,
        given=given,
        left=left,
    )


def _several_runs(
    reruns: Sequence[tuple[str | None, str, Sequence[Path]]],
    options: ReadOptions,
    form: LogFormat,
) -> OpenChoice:
    """Refuse several runs of models on a task, listed from the oldest to the newest."""
    reruns = [(task, name, sorted(runs, key=form.created)) for task, name, runs in reruns]
    _, model, first = reruns[0]
    files = [path for *_, runs in reruns for path in runs]
    folder = common_folder(files)
    called = {path: path.absolute().relative_to(folder).as_posix() for path in files}
    own_name = "" if model in options.names else ", give each run a name (--name RUN=PATH)"
    several = len(files) > len(called)  # tasks in a file

    def sized(settled: ReadOptions) -> Sized:
        texts: dict[str, list[str]] = {name: [] for name in called.values()}
        shorter: list[str] = []
        for task, _, runs in reruns:
            apart = replace(settled, exclude=(), names={}, task=task)
            sizes = [(path, *_n_scores(path, apart, form)) for path in runs]
            most = max(n for _, n, _ in sizes)
            for path, n, n_items in sizes:
                fewer = f", {most - n:,} fewer than another" * (n < most)
                size = f"{n:,} scores of {n_items:,} items{fewer}" if n else "not readable"
                texts[called[path]].append(f"{task}: {size}" if several else size)
            newest = max(k for k, (_, n, _) in enumerate(sizes) if n == most)
            shorter += map(str, runs[newest + 1 :])
        candidates = {name: f" ({'; '.join(sizes)})" for name, sizes in texts.items()}
        return candidates, {"exclude": shorter} if shorter else {}

    n_models = len({name for _, name, _ in reruns})
    return OpenChoice(
        f"there are several runs of {'this model' if n_models == 1 else f'{n_models} models'}",
        {called[path]: "" for path in files},
        {"latest": True},
        LogFile(model, first[-1]),
        f"keep one file per model{own_name}, or take the newest of the longest",
        sized=sized,
    )


def _n_scores(path: Path, options: ReadOptions, form: LogFormat) -> tuple[int, int]:
    """Count the scores and items of one run; one that cannot be read has none."""
    try:
        read = form([path], options)
    except ScoreError as fault:
        if fault.settings:
            raise
        return 0, 0
    return int(np.count_nonzero(read.scored)), read.n_items


def _excluded_runs(files: Iterable[Path], options: ReadOptions) -> dict[str, set[Path]]:
    """Return the logs of each excluded name that is their file or folder; others are models."""
    there = [name for name in options.exclude if Path(name).exists()]
    below = {name: {file for file in files if _is_below(file, name)} for name in there}
    return {name: runs for name, runs in below.items() if runs}


def _is_below(file: Path, place: str) -> bool:
    return Path(place).absolute() in (file.absolute(), *file.absolute().parents)


def _model(file: Path, options: ReadOptions, form: LogFormat) -> str:
    for name, place in options.names.items():
        if _is_below(file, place):
            return name
    is_placed = form.name.fullmatch(file.name) and form.is_at(file)
    return form.model_of(file) if is_placed or file.is_dir() else file.stem


def _expand(path: Path, form: LogFormat) -> Sequence[Path]:
    if not path.is_dir():
        return [path]
    files = form.find(path)
    if not files:
        raise ScoreError(
            f"the folder holds no file like {' or '.join(form.patterns)}",
            remedy="give the folder that the logs were written to, or the files themselves",
            file=str(path),
        )
    return files


def pooled(
    tasks: Mapping[str, TaskScores], groups: Mapping[str, Sequence[str]], place: Path
) -> list[TaskScores]:
    """Pool the tasks of each group, and leave the others as they are."""
    inner = {name for members in groups.values() for name in members}
    outer = {name: _leaves(name, groups) for name in groups if name not in inner}
    if not outer:
        raise ScoreError(
            "the runs were of no group of tasks, so that there is nothing to pool",
            remedy="do not pool, or keep the results file beside the samples, which names groups",
            file=str(place),
        )
    made = {
        name: _pool(name, {leaf: tasks[leaf] for leaf in leaves if leaf in tasks})
        for name, leaves in outer.items()
        if any(leaf in tasks for leaf in leaves)
    }
    taken = {leaf for leaves in outer.values() for leaf in leaves}
    return [*made.values(), *(_pool(n, {n: t}) for n, t in tasks.items() if n not in taken)]


def _leaves(name: str, groups: Mapping[str, Sequence[str]]) -> list[str]:
    members = groups.get(name)
    if not members:
        return [name]
    return [leaf for member in members if member != name for leaf in _leaves(member, groups)]


def _pool(name: str, tasks: Mapping[str, TaskScores]) -> TaskScores:
    models = sorted({model for task in tasks.values() for model in task.models})
    spread = partial(_spread, tasks=list(tasks.values()), models=models)
    shared = set.intersection(*(set(task.clusters) for task in tasks.values()))
    first = next(iter(tasks.values()))
    origins = [task.provenance for task in tasks.values()]
    tolerated: dict[str, Counter[str]] = defaultdict(Counter)
    for origin in origins:
        for fault, counts in origin.tolerated.items():
            tolerated[fault].update(counts)
    labels = {
        column: tuple(label for task in tasks.values() for label in task.clusters[column])
        for column in first.clusters
        if column in shared
    }
    labels[SUBTASK] = tuple(sub for sub, task in tasks.items() for _ in task.item_ids)
    return TaskScores(
        task=name,
        kind=max((task.kind for task in tasks.values()), key=KINDS.index),
        item_ids=tuple(
            f"{sub}/{item}" if len(tasks) > 1 else item
            for sub, task in tasks.items()
            for item in task.item_ids
        ),
        models=tuple(models),
        values=spread([task.values for task in tasks.values()], np.nan),
        clusters=labels,
        repeats=Repeats(
            spread([task.answers.number for task in tasks.values()], 0),
            spread([task.answers.variance for task in tasks.values()], np.nan),
        ),
        provenance=replace(
            first.provenance,
            files={file: sha for origin in origins for file, sha in origin.files.items()},
            tolerated={fault: dict(counts) for fault, counts in tolerated.items()},
        ),
    )


def _spread(
    matrices: Sequence[NDArray[Number]],
    empty: float,
    *,
    tasks: Sequence[TaskScores],
    models: Sequence[str],
) -> NDArray[Number]:
    """Return one matrix a task below the other, with a column for each of `models`."""
    column = {model: j for j, model in enumerate(models)}
    spread = []
    for task, matrix in zip(tasks, matrices, strict=True):
        whole = np.full((task.n_items, len(models)), empty, dtype=matrix.dtype)
        whole[:, [column[model] for model in task.models]] = matrix
        spread.append(whole)
    return np.concatenate(spread)
