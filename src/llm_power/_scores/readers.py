"""The readers by name, and the one function that picks among them."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Final, cast

from llm_power._errors import InvalidArgument, ScoreError, listed
from llm_power._plugins import built_in_readers, load_reader, reader_names
from llm_power._scores._choosing import read_each, refusing_all_open
from llm_power._scores._head import Head
from llm_power._scores._json import json_records
from llm_power._scores._logs import LogFormat
from llm_power._scores._source import (
    NoClusterColumn,
    SourceFile,
    only_file,
    read_file,
)
from llm_power._scores._table import PARQUET_MAGIC, csv_header, expanded, is_json, parquet_header
from llm_power._scores.counts import is_counts
from llm_power._scores.long import is_long
from llm_power._scores.options import ReadOptions
from llm_power._scores.selection import select_models
from llm_power._scores.store import ITEM_COLUMN, METADATA_KEY, TaskScores, read_task

_OTHER_SPREADSHEETS: Final = {".ods", ".fods", ".xls", ".xlsb", ".numbers"}
# Excel locks a workbook that is open by a file ~$NAME.xlsx.
_TABLE: Final = re.compile(r"(?i)^[^.~].*\.(csv|tsv|jsonl|parquet|xlsx)(\.gz|\.xz|\.zip)?$")


@cache
def formats() -> Mapping[str, LogFormat]:
    """Return the built-in formats of logs: of each file, one at most is the format."""
    return {n: read for n, read in built_in_readers().items() if isinstance(read, LogFormat)}


def log_format(name: str) -> LogFormat | None:
    """Return the format of logs of a reader, None for a reader of tables."""
    reader = load_reader(name)
    return reader if isinstance(reader, LogFormat) else None


def read_canonical(paths: Sequence[Path], options: ReadOptions) -> TaskScores:
    """Read a canonical Parquet, which knows its task, kind, clusters and provenance itself."""
    path = only_file(paths).path
    task = read_task(path)
    if options.kind not in {None, task.kind}:
        raise ScoreError(
            f"the file holds {task.kind} scores, declared were {options.kind}",
            remedy="declare what the file holds, or nothing",
            file=str(path),
        )
    for column in options.clusters:
        if column not in task.clusters:
            raise NoClusterColumn(
                column,
                f"the file has no cluster column {column!r}, only {list(task.clusters)}",
                remedy="name one of them, or write the file again with that column",
                file=str(path),
            )
    kept = options.kept(task.models, str(path))
    selected = task if kept == task.models else select_models(task, kept)
    return selected if options.task is None else replace(selected, task=options.task)


def read_scores(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    options: ReadOptions | None = None,
    *,
    reader: str = "auto",
) -> TaskScores:
    """Read the per-item scores of one task.

    Parameters
    ----------
    path : path-like or sequence of path-like
        A file, a folder, or the files, as the reader expects.
    options : ReadOptions, optional
        What is known about the file.
    reader : str
        A name in `reader_names`, or "auto": see `recognize`.

    Returns
    -------
    TaskScores
        Checked scores.

    Raises
    ------
    ScoreError
        If the scores cannot be read as declared, or fail a check.
    InvalidArgument
        If there is no such reader.

    Examples
    --------
    >>> import pandas as pd
    >>> from llm_power import read_scores
    >>> scores = {"item_id": ["q1", "q2", "q3"], "heron": [1, 0, 1], "wren": [0, 0, 1]}
    >>> pd.DataFrame(scores).to_csv("exam.csv", index=False)
    >>> task = read_scores("exam.csv")
    >>> task.models, task.mean_scores.round(2)
    (('heron', 'wren'), array([0.67, 0.33]))
    """
    paths = [_one_table(one) for one in _as_paths(path)] if reader == "auto" else _as_paths(path)
    declared = options or ReadOptions()
    name = recognize(paths, declared) if reader == "auto" else reader

    def read(asked: ReadOptions) -> TaskScores:
        tasks = _checked(load_reader(name)(paths, asked), name, paths[0], asked)
        return only_task(tasks, str(paths[0]))

    with refusing_all_open(read, declared):
        return read(declared)


def only_task(tasks: Sequence[TaskScores], file: str) -> TaskScores:
    """Return the one task of some, which must be one."""
    if len(tasks) > 1:
        names = listed(task.task for task in tasks)
        problem = f"these are several tasks: {names}"
        remedy = "choose one (--task), or read all with read_tasks"
        raise ScoreError(problem, remedy=remedy, file=file)
    return tasks[0]


def read_tasks(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    options: ReadOptions | None = None,
    *,
    reader: str = "auto",
    on_path: Callable[[Path], None] = lambda _path: None,
    on_note: Callable[[str], None] = lambda _note: None,
) -> list[TaskScores]:
    """Read the per-item scores of every task that some files hold.

    Parameters
    ----------
    path : path-like or sequence of path-like
        Tables, each of one task (of several if `options.task_column` tells them apart); and logs,
        as files or folders. Logs of one format are taken together, whatever folders they are in:
        a task has the models that any of them has.
    options : ReadOptions, optional
        What is known about the files. Those of its `names` are read too.
    reader : str
        As of `read_scores`.
    on_path : callable, optional
        Called with each path that is read, before it is.
    on_note : callable, optional
        Called with a line for each run that is left out for a later one, and for each column of a
        table that holds text.

    Returns
    -------
    list of TaskScores
        In the order of the paths.

    Raises
    ------
    ScoreError, InvalidArgument
        As of `read_scores`.

    Examples
    --------
    >>> import pandas as pd
    >>> from llm_power import read_tasks
    >>> for exam in ("algebra", "botany"):
    ...     scores = {"item_id": ["q1", "q2", "q3"], "heron": [1, 0, 1], "wren": [0, 0, 1]}
    ...     pd.DataFrame(scores).to_csv(f"{exam}.csv", index=False)
    ...
    >>> [task.task for task in read_tasks(["algebra.csv", "botany.csv"])]
    ['algebra', 'botany']
    """
    read, declared = partial(read_open, _listed(path), reader=reader), options or ReadOptions()
    with refusing_all_open(read, declared):
        return read(declared, on_path=on_path, on_note=on_note)


def read_open(
    paths: Sequence[str | os.PathLike[str]],
    options: ReadOptions,
    *,
    reader: str,
    on_path: Callable[[Path], None] = lambda _path: None,
    on_note: Callable[[str], None] = lambda _note: None,
) -> list[TaskScores]:
    """Read tasks as `read_tasks` does, of which a refusal names only what is open first."""
    by_reader: dict[str, list[Path]] = {}
    for path in _as_paths([*paths, *options.names.values()]):
        one = _one_table(path) if reader == "auto" else path
        if one != path:
            on_note(f"folder {path}: reads its one table, {one.name}")
        name = recognize([one], options) if reader == "auto" else reader
        by_reader.setdefault(name, []).append(one)
        if not log_format(name) and path in map(Path, options.names.values()):
            raise ScoreError(
                "a run was named that is a table, whose columns name the models",
                remedy="give the table without a name",
                file=str(one),
            )

    def reads() -> Iterator[tuple[str, Callable[[ReadOptions], list[TaskScores]]]]:
        for name, of_reader in by_reader.items():
            # Logs of one format are read together, tables each by itself.
            for some in [of_reader] if log_format(name) else [[one] for one in of_reader]:
                for one in some:
                    on_path(one)
                # A format names the tasks of its logs itself.
                table = "" if log_format(name) else some[0].stem
                yield table, partial(_tasks_of, name, some, on_note)

    tasks = read_each(reads(), options)
    note_columns(tasks, on_note)
    return tasks


def note_columns(tasks: Sequence[TaskScores], on_note: Callable[[str], None]) -> None:
    """Tell which columns of tables are no scores, and how their cells were read."""
    for task in tasks:
        for name in cast(Sequence[str], task.provenance.reading.get("properties", ())):
            use = "read as a property of the items" if name in task.clusters else "left out"
            on_note(f"task {task.task}: column {name} holds text, which no model does: {use}")
        for name in cast(Sequence[str], task.provenance.reading.get("left_out", ())):
            how = f"--task-column {name} reads a task of each value"
            on_note(f"task {task.task}: column {name} is not read; {how}")
        if ways := cast(Sequence[str], task.provenance.reading.get("interpreted")):
            on_note(f"task {task.task}: {'; '.join(ways)}")


def _tasks_of(
    name: str, paths: Sequence[Path], on_note: Callable[[str], None], options: ReadOptions
) -> list[TaskScores]:
    """Read logs of one format, or one table."""
    if form := log_format(name):
        returned = form.tasks(list(dict.fromkeys(paths)), options, on_note)
    else:
        returned = load_reader(name)(paths, options)
    return _checked(returned, name, paths[0], options)


def _checked(returned: object, name: str, path: Path, options: ReadOptions) -> list[TaskScores]:
    """Return the scores that a reader returned, with its name and what was declared of them."""
    checked = []
    for task in returned if isinstance(returned, list) else [returned]:
        if not isinstance(task, TaskScores):
            raise ScoreError(
                f"the reader {name!r} returned a {type(task).__name__} instead of TaskScores",
                remedy="repair or uninstall the package it comes from",
                file=str(path),
            )
        reading = {"reader": name, **task.provenance.reading}
        checked.append(options.measured(task, replace(task.provenance, reading=reading)))
    return checked


def _listed(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
) -> Sequence[str | os.PathLike[str]]:
    return [path] if isinstance(path, str | os.PathLike) else path


def _as_paths(path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[Path]:
    paths = [Path(one) for one in _listed(path)]
    if not paths:
        raise InvalidArgument("path must name at least one file, got none")
    return paths


def recognize(paths: Sequence[Path], options: ReadOptions) -> str:
    """Return the name of the built-in reader that fits, by what is in a file."""
    path = paths[0]
    if path.is_dir():
        return _recognize_folder(path)
    if path.suffix.lower() in _OTHER_SPREADSHEETS:
        raise ScoreError(
            "spreadsheets of this format are not read",
            remedy="save it as .xlsx or .csv",
            file=str(path),
        )
    for name, form in formats().items():
        if path.name == form.beside:
            return name
    head = Head(path)
    for name, form in formats().items():
        if form.fits(head):
            return name
    source = expanded(read_file(path))
    if is_json(source.data):
        return _recognize_json_table(source, options)
    if source.data.startswith(PARQUET_MAGIC):
        names, metadata = parquet_header(source)
        if METADATA_KEY in metadata:
            return "canonical"
    else:
        names = csv_header(source, options.task)
    return table_reader(names, options)


def table_reader(names: Sequence[str], options: ReadOptions) -> str:
    """Return the name of the reader of a table with these columns."""
    return "counts" if is_counts(names) else "long" if is_long(names, options) else "wide"


def _one_table(path: Path) -> Path:
    """Return the one table of a folder that holds no logs, or else the path itself."""
    if not path.is_dir() or any(form.is_in(path) for form in formats().values()):
        return path
    tables = _tables_in(path)
    return tables[0] if len(tables) == 1 else path


def _tables_in(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if _TABLE.search(file.name) and file.is_file())


def _recognize_folder(folder: Path) -> str:
    fitting = [name for name, form in formats().items() if form.is_in(folder)]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting and (tables := _tables_in(folder)):
        raise ScoreError(
            f"the folder holds no logs, and {len(tables)} tables",
            remedy=f"name the tables to read: {shlex.join(map(str, tables))}",
            file=str(folder),
        )
    patterns = ", ".join(
        f"{pattern} ({name})" for name, form in formats().items() for pattern in form.patterns
    )
    raise ScoreError(
        f"the folder holds files of several formats: {listed(fitting)}"
        if fitting
        else f"the folder holds none of the files that readers look for: {patterns}",
        remedy="name the reader" if fitting else "give the folder that holds them",
        file=str(folder),
    )


def _recognize_json_table(source: SourceFile, options: ReadOptions) -> str:
    first = next(json_records(source), None)
    if isinstance(first, dict):
        name = table_reader(list(first), options)
        if name != "wide" or {options.item, ITEM_COLUMN, "item"} & {*first}:
            return name
    raise ScoreError(
        "JSON of a form that no reader recognizes",
        remedy=f"name the reader, one of {listed(reader_names(), 20)}",
        file=str(source.path),
    )
