"""Scores in memory, as a data frame of any library that narwhals reads (the extra `frames`)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyarrow as pa

from llm_power._errors import InvalidArgument, listed
from llm_power._plugins import load_reader
from llm_power._scores._items import is_reducer
from llm_power._scores._logs import Logs, ModelScores
from llm_power._scores._source import LogFile, SourceFile
from llm_power._scores._table import Table, whole_column
from llm_power._scores.inspect_log import value_of_score
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import note_columns, only_task, table_reader
from llm_power._scores.store import ITEM_COLUMN, TaskScores

_NAME: Final = "frame"
_SCORE: Final = "score_"


def read_frame(frame: Any, options: ReadOptions | None = None) -> TaskScores:
    """Read the scores of one task from a data frame, wide or long as a file would be.

    Parameters
    ----------
    frame : data frame
        Of pandas, Polars, PyArrow, or whatever else narwhals knows and can collect.
    options : ReadOptions, optional
        As of `llm_power._scores.wide.read_wide` and `llm_power._scores.long.read_long`.

    Returns
    -------
    TaskScores
        Called after `options.task`, or else ``frame``. A named index of pandas is a column.

    Raises
    ------
    InvalidArgument
        If it is no data frame, or narwhals is not installed.
    ScoreError
        As of the readers of tables.

    Examples
    --------
    >>> import pandas as pd
    >>> from llm_power import ReadOptions, read_frame
    >>> frame = pd.DataFrame({"item_id": ["q1", "q2"], "heron": [1, 0], "wren": [1, 1]})
    >>> read_frame(frame, ReadOptions(task="exam")).mean_scores
    array([0.5, 1. ])
    """
    return only_task(_tasks_of(frame, options or ReadOptions()), _NAME)


def read_memory(
    table: Any, name: str, options: ReadOptions, on_note: Callable[[str], None]
) -> list[TaskScores]:
    """Return the tasks of a table in memory; columns without item ids are numbered items."""
    if isinstance(table, TaskScores):
        return [table]
    if isinstance(table, Mapping):
        try:
            table = pd.DataFrame(dict(table))
        except ValueError as error:
            raise InvalidArgument(f"columns must be as many numbers each: {error}") from None
        if options.item is None and not {ITEM_COLUMN, "item"} & {*table.columns}:
            table.index = pd.RangeIndex(1, len(table) + 1, name=ITEM_COLUMN)
    tasks = [options.measured(task) for task in _tasks_of(table, replace(options, names={}))]
    is_unnamed = options.task is None and options.task_column is None
    tasks = [replace(t, task=name) if is_unnamed and t.task == _NAME else t for t in tasks]
    note_columns(tasks, on_note)
    return tasks


def _tasks_of(frame: Any, options: ReadOptions) -> list[TaskScores]:
    table = _as_table(frame)
    read = load_reader(table_reader([*table.columns], options))(table, options)
    return [_timeless(task, options) for task in (read if isinstance(read, list) else [read])]


def _timeless(task: TaskScores, options: ReadOptions) -> TaskScores:
    """Return scores without the time of change that a file would have."""
    return replace(task, provenance=replace(task.provenance, retrieved=options.retrieved))


def read_samples_df(frame: Any, options: ReadOptions | None = None) -> TaskScores:
    """Read the data frame that Inspect's ``samples_df`` makes of its logs.

    Parameters
    ----------
    frame : data frame
        ``samples_df(logs, columns=EvalModel + SampleSummary)``: without the columns of
        ``EvalModel`` nothing says which model a sample is of.
    options : ReadOptions, optional
        `metric` names the scorer, where there are several; `reducer` how the epochs of an item
        are made one score, by default their mean; `clusters` names columns.

    Returns
    -------
    TaskScores
        Items by ``id``. A sample that ended with an error has no score.

    Raises
    ------
    InvalidArgument, ScoreError
        As `read_frame`, or if a sample occurs twice.

    Examples
    --------
    >>> import pandas as pd
    >>> from llm_power import read_samples_df
    >>> samples = {"id": ["q1", "q2"] * 2, "model": ["heron"] * 2 + ["wren"] * 2}
    >>> frame = pd.DataFrame(samples | {"score_match": list("CICC"), "epoch": 1})
    >>> read_samples_df(frame).mean_scores
    array([0.5, 1. ])
    """
    declared = options or ReadOptions()
    table = _as_table(frame)
    if "model" not in table.columns:
        raise table.source.fault(
            "there is no column 'model'", "call samples_df with columns=EvalModel + SampleSummary"
        )
    table.require("id", "epoch", *declared.clusters)
    score = _score_column(table, declared)
    columns = {name: table.columns[name].to_pylist() for name in ("id", "model", "epoch", score)}
    errors = table.columns["error"].to_pylist() if "error" in table.columns else None
    scores: dict[str, dict[str, dict[Any, float]]] = {}
    for row, (item, model, epoch, value) in enumerate(zip(*columns.values(), strict=True)):
        of_item = scores.setdefault(str(model), {}).setdefault(str(item), {})
        failed = errors is not None and errors[row]
        number = math.nan if failed or value is None else value_of_score(value)
        if number is None or epoch in of_item:
            raise table.source.fault(
                f"{value!r} is no score" if number is None else f"epoch {epoch} occurs twice",
                "keep the samples of one task, and one for each model, id and epoch",
                model=str(model),
                item=str(item),
            )
        of_item[epoch] = number
    return _timeless(_reduced(table, scores, declared), declared)


def _reduced(
    table: Table, scores: Mapping[str, Mapping[str, Mapping[Any, float]]], options: ReadOptions
) -> TaskScores:
    reducer = options.reducer or "mean"
    if not is_reducer(reducer):
        raise InvalidArgument(f"reducer must be one that Inspect has, got {reducer!r}")
    epochs = {epoch for items in scores.values() for one in items.values() for epoch in one}
    models = options.kept(sorted(scores), table.file)
    ids = table.labels("id")
    labels = {name: dict(zip(ids, table.labels(name), strict=True)) for name in options.clusters}
    read = [
        ModelScores.of_repeats(
            LogFile(model, table.source.path), table.source, scores[model], epochs, reducer
        )
        for model in models
    ]
    return Logs(options.task or _NAME, _NAME, [one.log for one in read]).join(
        read,
        options,
        clusters=lambda items: {
            name: tuple(of[item] for item in items) for name, of in labels.items()
        },
    )


def _score_column(table: Table, options: ReadOptions) -> str:
    names = [name for name in table.columns if name.startswith(_SCORE)]
    chosen = options.metric if options.metric is not None else "".join(names[:1])
    column = chosen if chosen in table.columns else f"{_SCORE}{chosen}"
    if column not in names or (options.metric is None and len(names) > 1):
        raise table.source.fault(
            f"the columns of scores are {listed(names) or 'none'}", "choose one of them (--metric)"
        )
    return column


def _as_table(frame: Any) -> Table:
    try:
        import narwhals as nw  # noqa: PLC0415
    except ImportError as error:
        raise InvalidArgument(
            "data frames are read with narwhals, which is not installed. Remedy: "
            "in the clone, pip install '.[frames]'"
        ) from error
    # narwhals knows no index; a named one is a column of its own.
    index = getattr(frame, "index", None)
    if getattr(index, "name", None) is not None and hasattr(frame, "reset_index"):
        frame = frame.reset_index()
    try:
        arrow = nw.from_native(frame, eager_only=True).to_arrow()
    except MemoryError:
        raise
    except (TypeError, pa.ArrowException) as error:
        raise InvalidArgument(f"frame must be a data frame, got {type(frame).__name__}") from error
    whole = arrow.combine_chunks()
    columns = {
        name: whole_column(whole.column(name))
        for name in whole.column_names
        if not name.startswith("__index_level_")
    }
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, whole.schema) as stream:
        stream.write_table(whole)
    source = SourceFile(
        Path(_NAME),
        b"",
        hashlib.sha256(sink.getvalue()).hexdigest(),
        datetime.fromtimestamp(0, tz=UTC),
    )
    return Table(source, columns, {}, is_csv=False)
