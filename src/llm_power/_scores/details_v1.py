"""Details of the Open LLM Leaderboard v1: one Parquet for each run of a model on a task."""

# Until about October 2023 the metrics are columns, beside a struct `hashes`; later they are fields
# of a struct `metrics`. The board displayed acc_norm for ARC and HellaSwag but acc for Winogrande
# and GSM8K: the metric is always named, never guessed. Items are known by their row, for neither
# hashes nor texts are unique (questions of ARC and contexts of HellaSwag recur). Some ARC files of
# the old schema have ids as examples, where later ones have questions: those cannot be compared.

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from llm_power._errors import listed
from llm_power._scores._attempts import Attempt, Run, of_document
from llm_power._scores._logs import RUN_TIME, LogFormat
from llm_power._scores._source import LogFile, SourceFile
from llm_power._scores._table import Table, parquet_header, read_parquet

_METRICS: Final = "metrics"
_TEXTS: Final = ("example", "choices")


def _model_of(path: Path) -> str:
    folders = [folder.name for folder in path.absolute().parents if folder.name]
    outside_run = (name for name in folders if not re.fullmatch(RUN_TIME, name))
    return next(outside_run, path.stem).removeprefix("details_")


def _attempts(source: SourceFile, run: Run) -> Iterator[Attempt]:
    log, name = run.log, run.options.metric
    run.options.refuse_clusters("details have no column", str(log.path))
    names, _ = parquet_header(source)
    if name is None or "example" not in names:
        raise log.fault(
            "no metric is named"
            if "example" in names
            else "these are no details of the leaderboard: there is no column 'example'",
            f"choose --metric acc or acc_norm, as the board did; columns are {listed(names, 30)}",
        )
    # The rest is the prompts and their tokens, by far the most of a file.
    wanted = {name, _METRICS, *_TEXTS}
    table = read_parquet(source, columns=[column for column in names if column in wanted])
    texts = {column: _texts(table, column, log) for column in _TEXTS if column in table.columns}
    rows = [str(row) for row in range(len(texts["example"]))]
    run.made["number of rows"] = len(rows)
    scores = _with_metric(table, name, log, names).scores(name, rows, model=log.model)
    # Tasks without choices have the column all the same.
    given = {column: text for column, text in texts.items() if any(one is not None for one in text)}
    for row, score in enumerate(scores.tolist()):
        yield Attempt(str(row), score, {column: text[row] for column, text in given.items()})


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


FORMAT: Final = LogFormat(
    name=re.compile(rf"details_(?P<task>.+)_(?P<run>{RUN_TIME})\.parquet"),
    patterns=("**/details_*.parquet",),
    model_of=_model_of,
    read=of_document(_attempts, may_lack_parts=True),
    # In either schema.
    fits=lambda head: "example" in head.columns and bool({"hashes", _METRICS} & {*head.columns}),
    is_loose=True,
)
