"""Details of the Open LLM Leaderboard v1: one Parquet for each run of a model on a task."""

# Until about October 2023 the metrics are columns, beside a struct `hashes`; later they are fields
# of a struct `metrics`. The board displayed acc_norm for ARC and HellaSwag but acc for Winogrande
# and GSM8K: the metric is always named, never guessed. Items are known by their row, for neither
# hashes nor texts are unique (questions of ARC and contexts of HellaSwag recur). Some ARC files of
# the old schema have ids as examples, where later ones have questions: those cannot be compared.

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from llm_power._errors import listed
from llm_power._scores._logs import RUN_TIME, LogFormat, Logs
from llm_power._scores._source import LogFile, SourceFile, read_file
from llm_power._scores._table import Table, parquet_header, read_parquet, scaled
from llm_power._scores.options import ReadOptions
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray

_METRICS: Final = "metrics"
_TEXTS: Final = ("example", "choices")
_RUN_FOLDER: Final = re.compile(RUN_TIME)


@dataclass(frozen=True, slots=True)
class _Details:
    """One model's file: its scores and the text of its items, by row."""

    log: LogFile
    source: SourceFile
    scores: FloatArray
    texts: Mapping[str, Sequence[Any]]


def _read_task(logs: Logs, options: ReadOptions) -> TaskScores:
    options.refuse_clusters("details have no column", str(logs.given[0]))
    details = [_read_details(log, options) for log in logs.files]
    _check_rows(details)
    return TaskScores(
        task=logs.task,
        kind=options.kind or "binary",
        item_ids=tuple(map(str, range(len(details[0].scores)))),
        models=tuple(log.model for log in logs.files),
        values=scaled(np.column_stack([one.scores for one in details]), options, logs.source),
        provenance=options.provenance([one.source for one in details], logs.source),
    )


def is_details(columns: Sequence[str]) -> bool:
    """Return whether the columns of a Parquet are those of the details, in either schema."""
    return "example" in columns and ("hashes" in columns or _METRICS in columns)


def _model_of(path: Path) -> str:
    folders = [folder.name for folder in path.absolute().parents if folder.name]
    outside_run = (name for name in folders if not _RUN_FOLDER.fullmatch(name))
    return next(outside_run, path.stem).removeprefix("details_")


def _read_details(log: LogFile, options: ReadOptions) -> _Details:
    source = read_file(log.path)
    names, _ = parquet_header(source)
    if options.metric is None or "example" not in names:
        raise log.fault(
            "no metric is named"
            if "example" in names
            else "these are no details of the leaderboard: there is no column 'example'",
            f"choose --metric acc or acc_norm, as the board did; columns are {listed(names, 30)}",
        )
    # The rest is the prompts and their tokens, by far the most of a file.
    wanted = {options.metric, _METRICS, *_TEXTS}
    table = read_parquet(source, columns=[name for name in names if name in wanted])
    texts = {name: _texts(table, name, log) for name in _TEXTS if name in table.columns}
    rows = [str(row) for row in range(len(texts["example"]))]
    metric = _with_metric(table, options.metric, log, names)
    return _Details(
        log,
        source.without_data(),
        metric.scores(options.metric, rows, model=log.model),
        # Tasks without choices have the column all the same.
        {name: text for name, text in texts.items() if any(one is not None for one in text)},
    )


def _texts(table: Table, name: str, log: LogFile) -> list[Any]:
    """Return a column of text, or of lists of text, as Python has them."""
    column = table.columns[name]
    kind = column.type
    while pa.types.is_list(kind) or pa.types.is_large_list(kind):
        kind = kind.value_type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)):
        raise log.fault(
            f"column {name!r} holds {column.type}, which is no text",
            "give the details as the leaderboard published them",
        )
    texts: list[Any] = column.to_pylist()
    return texts


def _with_metric(table: Table, metric: str, log: LogFile, names: Sequence[str]) -> Table:
    """Return the table with a column of that name: its own, or else a field of ``metrics``."""
    struct = table.columns.get(_METRICS)
    fields: list[str] = []
    if struct is not None and pa.types.is_struct(struct.type):
        fields = [field.name for field in struct.type]
    if metric in table.columns and metric != _METRICS:
        return table
    if fields.count(metric) != 1:
        raise log.fault(
            f"there is no metric {metric!r}: metrics has the fields {listed(fields) or 'none'}, "
            f"and the columns are {listed(names, 30)}",
            "choose a number that is there (--metric)",
        )
    column = pc.struct_field(struct, [fields.index(metric)])
    return Table(table.source, {metric: column}, {}, is_csv=False)


def _check_rows(details: Sequence[_Details]) -> None:
    """Check that a row is the same item in all files."""
    first, *others = details
    holders = dict.fromkeys(first.texts, first)
    for one in others:
        if len(one.scores) != len(first.scores):
            raise one.log.fault(
                f"it has {len(one.scores)} rows, and {first.log.path} has {len(first.scores)}",
                "take the complete run of each model; some runs were cut to a few rows",
            )
        for name, texts in one.texts.items():
            holder = holders.setdefault(name, one)
            pairs = enumerate(zip(holder.texts[name], texts, strict=True))
            row = next((row for row, (ours, theirs) in pairs if ours != theirs), None)
            if row is not None:
                raise one.log.fault(
                    f"{name} of this row is not that of {holder.log.path}",
                    "use runs on one version of the task, or exclude the model",
                    str(row),
                )


FORMAT: Final = LogFormat(
    name=re.compile(rf"details_(?P<task>.+)_(?P<run>{RUN_TIME})\.parquet"),
    patterns=("**/details_*.parquet",),
    model_of=_model_of,
    read=_read_task,
    fits=lambda head: is_details(head.columns),
    is_loose=True,
)
read_details_v1: Final = FORMAT.one_task
