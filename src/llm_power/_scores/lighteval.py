"""Details of lighteval (github.com/huggingface/lighteval): one Parquet a run, model and task."""

# The file's name is that of the details of the Open LLM Leaderboard v1, which an early version
# wrote: the columns tell them apart. Items are known by their row.

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from llm_power._errors import listed
from llm_power._scores._attempts import (
    Attempt,
    Run,
    displayed_in,
    first_record,
    named_folder,
    number_of,
    of_document,
)
from llm_power._scores._items import Displayed
from llm_power._scores._json import inside, list_inside
from llm_power._scores._logs import RUN_TIME, LogFormat
from llm_power._scores._source import SourceFile
from llm_power._scores._table import Table, parquet_header, read_parquet

_PARTS: Final = ("doc", "metric")


def _attempts(source: SourceFile, run: Run) -> Iterator[Attempt]:
    names, _ = parquet_header(source)
    if not {*_PARTS} <= {*names}:
        raise run.log.fault(
            f"these are no details of lighteval: the columns are {listed(names)}",
            "give the details as lighteval wrote them",
        )
    # What the model said is by far the most of a file.
    table = read_parquet(source, columns=[*_PARTS])
    docs, metrics = (_rows(table, name, run) for name in _PARTS)
    rows = [{k: v for k, v in one.items() if not isinstance(v, list)} for one in metrics]
    for scores in rows:
        run.metric.among(scores)
    run.metric.check(run.log, len(rows))
    name = run.metric.name
    for row, (doc, scores) in enumerate(zip(docs, rows, strict=True)):
        if name not in scores:
            raise run.log.fault(
                f"this row has no metric {name!r}, only {listed(scores)}",
                "choose a number that every row has (--metric)",
                str(row),
            )
        content = {part: doc.get(part) for part in ("query", "choices")}
        yield Attempt(str(row), number_of(scores[name], str(name), str(row), run.log), content, doc)
    run.made["metric"] = name
    run.displayed = _displayed(run.log.path, name)


def _displayed(path: Path, metric: str | None) -> list[Displayed]:
    """Return what the results of the run display of a metric, if that is a mean over the rows."""
    match, details = FORMAT.name.fullmatch(path.name), named_folder(path, "details")
    if match is None or details is None:
        return []
    beside = details.with_name("results") / _model_of(path) / f"results_{match['run']}.json"
    configs = inside(first_record(beside), "config_tasks") if beside.is_file() else None
    metrics = [
        one
        for config in (configs.values() if isinstance(configs, dict) else ())
        for one in list_inside(config, "metrics")
        if inside(one, "metric_name") == metric
    ]
    if not metrics or any(inside(one, "corpus_level_fn") != "mean" for one in metrics):
        return []  # it is made of the whole corpus
    return displayed_in(beside, "results", match["task"], str(metric))


def _rows(table: Table, name: str, run: Run) -> list[dict[str, Any]]:
    column = table.columns[name]
    if not pa.types.is_struct(column.type) or column.null_count:
        raise run.log.fault(f"column {name!r} is no struct in every row", "write the details again")
    rows: list[dict[str, Any]] = column.to_pylist()
    return rows


def _model_of(path: Path) -> str:
    details = named_folder(path, "details")
    folders = path.absolute().parent.relative_to(details).parts if details else ()
    named = [name for name in folders if not re.fullmatch(RUN_TIME, name)]
    return "/".join(named) or path.absolute().parent.parent.name


FORMAT: Final = LogFormat(
    name=re.compile(rf"details_(?P<task>.+)_(?P<run>{RUN_TIME})\.parquet"),
    patterns=("**/details_*.parquet",),
    model_of=_model_of,
    read=of_document(_attempts),
    fits=lambda head: {*_PARTS} <= {*head.columns},
    is_loose=True,
)
