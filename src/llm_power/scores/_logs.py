"""Logs of one task, one file a model: which files they are, and what their places say.

Tools that log write a file for each run of a model on a task, and name it after the task and
the time of the run. A file that was given another name is called after its model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from llm_power.errors import ScoreError
from llm_power.scores._source import common_folder
from llm_power.scores._table import listed
from llm_power.scores.options import ReadOptions

# How isoformat writes it; file systems that know no colon have a dash in its place.
RUN_TIME: Final = r"\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(?:\.\d+)?"


@dataclass(frozen=True, slots=True)
class LogFormat:
    """How a tool names its logs.

    Attributes
    ----------
    pattern : str
        Of the files below a folder, for `Path.glob`.
    name : re.Pattern
        Of a file's name; with a group ``task``, unless something else tells the task.
    also : str, optional
        A second pattern.
    """

    pattern: str
    name: re.Pattern[str]
    also: str | None = None

    @property
    def patterns(self) -> tuple[str, ...]:
        """What to look for in a folder."""
        return (self.pattern,) if self.also is None else (self.pattern, self.also)

    def find(self, folder: Path) -> list[Path]:
        """Return the files of the format below a folder, in the order of their paths."""
        found = {file for pattern in self.patterns for file in folder.glob(pattern)}
        return sorted(file for file in found if self.name.fullmatch(file.name))


@dataclass(frozen=True, slots=True)
class LogFile:
    """One model's log, as errors name it."""

    model: str
    path: Path

    def fault(self, problem: str, remedy: str, item: str | None = None) -> ScoreError:
        """Return the error that names the log, and the item where there is one."""
        return ScoreError(problem, remedy=remedy, file=str(self.path), model=self.model, item=item)


@dataclass(frozen=True, slots=True)
class Logs:
    """The files of one task, by model in the order of the names, and what to call them."""

    task: str
    source: str
    files: Mapping[str, Path]


def find_logs(
    paths: Sequence[Path],
    options: ReadOptions,
    form: LogFormat,
    model_of: Callable[[Path], str],
    task_of: Callable[[Path], str | None] | None = None,
) -> Logs:
    """Find the logs of one task.

    Parameters
    ----------
    paths : sequence of Path
        Files; or folders, of which all files of the format are taken, however deep they lie.
    options : ReadOptions
        `task` picks among the tasks of folders, where there is more than one; `exclude` leaves
        models out.
    form : LogFormat
        How the files are called.
    model_of : callable
        Model of a file that has such a name; of another file its name, without the ending, is
        the model.
    task_of : callable, optional
        Task of a file, None if unknown; by default what its name says.

    Returns
    -------
    Logs
        At least one file.

    Raises
    ------
    ScoreError
        If a folder holds no such file, or there are several tasks, or two files of one model.
    """
    task_of = task_of or partial(_task_in_name, form)
    files = [file for path in paths for file in _expand(path, options, form, task_of)]
    tasks = _tasks(files, task_of)
    if len(tasks) > 1:
        raise ScoreError(
            f"these are files of several tasks: {listed(tasks)}",
            remedy="set task to one of those in the folder, or give the files of one task",
            file=str(common_folder(files)),
        )
    models: dict[str, Path] = {}
    for file in files:
        model = model_of(file) if form.name.fullmatch(file.name) else file.stem
        if model in models:
            raise ScoreError(
                f"{models[model]} is of the same model",
                remedy="keep one file a model; to compare two runs of one model, call each file "
                "by the name its run shall have",
                file=str(file),
                model=model,
            )
        models[model] = file
    kept = options.kept(sorted(models), str(paths[0]))
    if not kept:
        raise ScoreError("every model is excluded", remedy="keep two", file=str(paths[0]))
    # The working folder has a name as well, which `.` does not tell.
    source = (paths[0].absolute() if len(paths) == 1 else common_folder(paths)).name
    return Logs(
        task=options.task or next(iter(tasks), Path(source).stem),
        source=source,
        files={model: models[model] for model in kept},
    )


def _expand(
    path: Path, options: ReadOptions, form: LogFormat, task_of: Callable[[Path], str | None]
) -> Iterable[Path]:
    if not path.is_dir():
        return [path]
    found = form.find(path)
    if not found:
        raise ScoreError(
            f"the folder holds no file like {' or '.join(form.patterns)}",
            remedy="give the folder that the logs were written to, or the files themselves",
            file=str(path),
        )
    return _tasks(found, task_of).get(options.task, found) if options.task else found


def _task_in_name(form: LogFormat, file: Path) -> str | None:
    match = form.name.fullmatch(file.name)
    return match["task"] if match else None


def _tasks(files: Iterable[Path], task_of: Callable[[Path], str | None]) -> dict[str, list[Path]]:
    """Return the files by their tasks, without those of which it is unknown."""
    tasks: dict[str, list[Path]] = {}
    for file in files:
        task = task_of(file)
        if task is not None:
            tasks.setdefault(task, []).append(file)
    return tasks
