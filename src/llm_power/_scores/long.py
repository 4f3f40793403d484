"""Long tables, Parquet, CSV or JSON Lines: one row for each score of a model on an item."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Final, cast

import numpy as np

from llm_power._errors import ScoreError
from llm_power._scores._choosing import asked_tasks
from llm_power._scores._table import Coded, Table, table_name
from llm_power._scores.options import Given, ReadOptions, read_table
from llm_power._scores.store import ITEM_COLUMN, Repeats, TaskScores
from llm_power._statistics.arrays import FloatArray, IntArray

_NAMES_TASKS: Final = re.compile("task|subset|benchmark|dataset", re.IGNORECASE)
_NAMES_REPEATS: Final = re.compile(
    "attempt|epoch|repeat|run|sample|seed|trial|judge|rater|annotator|prompt", re.IGNORECASE
)


def long_columns(names: Container[str], options: ReadOptions) -> tuple[str, str, str]:
    """Return the columns of item, model and score among `names`, by declaration or default."""
    default_item = ITEM_COLUMN if ITEM_COLUMN in names else "item"
    return options.item or default_item, options.model or "model", options.score or "score"


def read_long(given: Given, options: ReadOptions) -> list[TaskScores]:
    """Read the tasks of a long table; an (item, model) pair without a row or a score is missing."""
    table = read_table(given, options)
    if options.task_column is None:
        return [_read_task(table, options)]
    table.require(options.task_column)
    names, codes = table.coded(options.task_column)
    asked = asked_tasks(options.task, names, table.source)
    return [
        _read_task(table.rows(codes == code), replace(options, task=name))
        for code, name in enumerate(names)
        if name in asked
    ]


def is_long(names: Sequence[str], options: ReadOptions) -> bool:
    """Return whether a table with these columns has a row a score, by declaration or by default."""
    is_declared = options.model is not None or options.score is not None
    # A declared column may be a field of an object.
    columns = long_columns(names, options)
    return is_declared or all(name in names or name.partition(".")[0] in names for name in columns)


def _read_task(table: Table, options: ReadOptions) -> TaskScores:
    item, model, score = long_columns(table.columns, options)
    repeat = [options.repeat_column] if options.repeat_column is not None else []
    table.require(item, model, score, *repeat, clusters=options.clusters)
    by_item, by_model = table.coded(item), table.coded(model)
    by_repeat = table.coded(repeat[0]) if repeat else None
    scores = _pivot(table, score, by_item, by_model, by_repeat, one_task=not options.task_column)
    answers = options.scaled(scores, table.file)
    position = {model: j for j, model in enumerate(by_model[0])}
    kept = options.kept(by_model[0], table.file)
    path = table.source.path
    columns = [position[name] for name in kept]
    is_mean = answers.shape[2] > 1
    read = {item, model, score, *repeat, *options.clusters}
    is_left = "task" in table.columns and options.task_column is None and "task" not in read
    return TaskScores(
        task=options.task or table_name(path),
        kind=options.kind or ("graded" if is_mean else "binary"),
        item_ids=by_item[0],
        models=kept,
        values=answers.mean(axis=2)[:, columns],
        clusters={name: _item_labels(table, name, by_item) for name in options.clusters},
        provenance=options.provenance(
            [table.source],
            path.name,
            chosen={
                **{"item": item, "model": model, "score": score},
                **({"left_out": ["task"]} if is_left and len(table.coded("task")[0]) > 1 else {}),
                **table.interpreted([score], options.kind),
            },
        ),
        repeats=Repeats.of_answers(answers[:, columns]) if is_mean else None,
    )


def _pivot(
    table: Table,
    score: str,
    by_item: Coded,
    by_model: Coded,
    by_repeat: Coded | None,
    *,
    one_task: bool,
) -> FloatArray:
    """Return the scores by item, model and repeat, NaN where there is none."""
    (items, item_codes), (models, model_codes) = by_item, by_model
    repeats, repeat_codes = by_repeat or (("",), np.zeros_like(item_codes))
    cells = (item_codes * len(models) + model_codes) * len(repeats) + repeat_codes
    n_cells = len(items) * len(models) * len(repeats)
    is_repeated = _first_rows(cells, n_cells)[cells] != np.arange(len(cells))
    if is_repeated.any():
        row = int(np.argmax(is_repeated))
        raise ScoreError(
            f"data row {row + 1} scores this model on this item once more",
            remedy="keep one row for each item and model"
            + ("" if by_repeat else ", or name the column of the repeats (--repeat-column)")
            + (" or of the tasks (--task-column)" if one_task and not by_repeat else ""),
            file=table.file,
            model=models[model_codes[row]],
            item=items[item_codes[row]],
            settings={} if by_repeat else _likely_column(table, score, cells, one_task=one_task),
        )
    values = np.full(n_cells, np.nan)
    item_of_row = cast(Sequence[str], np.array(items, dtype=object)[item_codes])
    values[cells] = table.scores(score, item_of_row)
    return values.reshape(len(items), len(models), len(repeats))


def _likely_column(table: Table, score: str, cells: IntArray, *, one_task: bool) -> dict[str, str]:
    """Return the column of repeats or tasks that tells a cell's rows apart by fewest labels."""
    for name in (name for name in table.columns if name != score and table.can_name(name)):
        labels, codes = table.coded(name)
        n_cells = len(np.unique(cells * len(labels) + codes))
        if n_cells == len(cells) and len(labels) == np.bincount(cells).max():
            is_text = replace(table, true=frozenset()).is_text(name)
            is_task = _NAMES_TASKS.search(name) or (is_text and not _NAMES_REPEATS.search(name))
            return {"task_column" if one_task and is_task else "repeat_column": name}
    return {}


def _first_rows(codes: IntArray, n_codes: int) -> IntArray:
    """Return the first row of each code, anything for one that does not occur."""
    rows = np.zeros(n_codes, dtype=np.int64)
    rows[codes[::-1]] = np.arange(len(codes))[::-1]  # of several, the last one stays
    return rows


def _item_labels(table: Table, cluster: str, by_item: Coded) -> tuple[str, ...]:
    items, item_codes = by_item
    labels, label_codes = table.coded(cluster)
    label_of_item = label_codes[_first_rows(item_codes, len(items))]
    differs = label_codes != label_of_item[item_codes]
    if differs.any():
        row = int(np.argmax(differs))
        ours, theirs = labels[label_of_item[item_codes[row]]], labels[label_codes[row]]
        raise ScoreError(
            f"cluster column {cluster!r} says {ours!r} and {theirs!r}",
            remedy="give an item the same label in all of its rows",
            file=table.file,
            item=items[item_codes[row]],
        )
    return tuple(labels[code] for code in label_of_item.tolist())
