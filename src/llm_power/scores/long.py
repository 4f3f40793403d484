"""Long tables, Parquet, CSV or JSON Lines: one row for each score of a model on an item."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from llm_power.errors import ScoreError, listed
from llm_power.scores._source import only_file
from llm_power.scores._table import Coded, Table, read_table, scaled, table_name
from llm_power.scores.options import ReadOptions
from llm_power.scores.store import ITEM_COLUMN, Repeats, TaskScores
from llm_power.statistics._typing import FloatArray


def long_columns(names: Container[str], options: ReadOptions) -> tuple[str, str, str]:
    """Return the columns of item, model and score among `names`, by declaration or default.

    Examples
    --------
    >>> from llm_power import ReadOptions
    >>> from llm_power.scores.long import long_columns
    >>> long_columns(["item", "model", "score"], ReadOptions())
    ('item', 'model', 'score')
    """
    default_item = ITEM_COLUMN if ITEM_COLUMN in names else "item"
    return options.item or default_item, options.model or "model", options.score or "score"


def read_long(paths: Sequence[Path], options: ReadOptions) -> TaskScores:
    """Read a long table; an (item, model) pair without a row, or with an empty score, is missing.

    Parameters
    ----------
    paths : sequence of one Path
        A Parquet, CSV or JSON Lines.
    options : ReadOptions
        `item`, `model` and `score` name the columns; further columns are ignored unless they are
        `clusters`, whose label must be the same in every row of an item.

    Returns
    -------
    TaskScores
        Items and models in the order of their first rows.

    Raises
    ------
    ScoreError
        If an (item, model) pair occurs twice, the file cannot be read as declared, or its scores
        fail a check of `TaskScores`.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from llm_power import ReadOptions
    >>> from llm_power.scores.long import read_long
    >>> rows = [("q1", "heron", 1), ("q2", "heron", 0), ("q1", "wren", 0), ("q2", "wren", 1)]
    >>> pd.DataFrame(rows, columns=["item", "model", "score"]).to_csv("exam.csv", index=False)
    >>> read_long([Path("exam.csv")], ReadOptions()).values
    array([[1., 0.],
           [0., 1.]])
    """
    table = read_table(only_file(paths), options)
    if options.task_column is not None:
        raise table.source.fault(
            f"column {options.task_column!r} tells tasks apart, where one was asked for",
            "read them with read_tasks, or name no task column",
        )
    return read_long_table(table, options)


def read_long_tasks(paths: Sequence[Path], options: ReadOptions) -> list[TaskScores]:
    """Read a long table of several tasks, which `options.task_column` tells apart.

    Parameters
    ----------
    paths : sequence of one Path
        As of `read_long`.
    options : ReadOptions
        As of `read_long`; `task` picks one of the tasks.

    Returns
    -------
    list of TaskScores
        In the order of their first rows.

    Raises
    ------
    ScoreError
        As `read_long`, or if there is no such task.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from llm_power import ReadOptions
    >>> from llm_power.scores.long import read_long_tasks
    >>> rows = [(t, i, m, (i + len(t + m)) % 2) for t in "ab" for i in (1, 2) for m in ("x", "yy")]
    >>> table = pd.DataFrame(rows, columns=["exam", "item", "model", "score"])
    >>> table.to_csv("exams.csv", index=False)
    >>> tasks = read_long_tasks([Path("exams.csv")], ReadOptions(task_column="exam"))
    >>> [(task.task, task.n_items) for task in tasks]
    [('a', 2), ('b', 2)]
    """
    table = read_table(only_file(paths), options)
    column = options.task_column or ""
    table.require(column)
    names, codes = table.coded(column)
    if options.task is not None and options.task not in names:
        raise table.source.fault(
            f"there is no task {options.task!r}; the tasks are {listed(names)}", "name one of them"
        )
    return [
        read_long_table(table.rows(codes == code), replace(options, task=name))
        for code, name in enumerate(names)
        if options.task in {None, name}
    ]


def is_long(names: Sequence[str], options: ReadOptions) -> bool:
    """Return whether a table with these columns has a row a score, by declaration or by default.

    Examples
    --------
    >>> from llm_power import ReadOptions
    >>> from llm_power.scores.long import is_long
    >>> is_long(["item_id", "heron", "wren"], ReadOptions())
    False
    """
    is_declared = options.model is not None or options.score is not None
    return is_declared or set(long_columns(names, options)) <= set(names)


def read_long_table(table: Table, options: ReadOptions) -> TaskScores:
    """Read what is in a table already, as `read_long` does.

    Examples
    --------
    >>> from pathlib import Path
    >>> from llm_power import ReadOptions
    >>> from llm_power.scores._source import read_file
    >>> from llm_power.scores._table import read_table
    >>> from llm_power.scores.long import read_long_table
    >>> rows = ["item,model,score", "1,heron,1", "1,wren,0"]
    >>> _ = Path("exam.csv").write_text(chr(10).join(rows))
    >>> table = read_table(read_file(Path("exam.csv")), ReadOptions())
    >>> read_long_table(table, ReadOptions()).values
    array([[1., 0.]])
    """
    item, model, score = long_columns(table.columns, options)
    repeat = [options.repeat_column] if options.repeat_column is not None else []
    table.require(item, model, score, *repeat, clusters=options.clusters)
    by_item, by_model = table.coded(item), table.coded(model)
    by_repeat = table.coded(repeat[0]) if repeat else None
    answers = scaled(_pivot(table, score, by_item, by_model, by_repeat), options, table.file)
    position = {model: j for j, model in enumerate(by_model[0])}
    kept = options.kept(by_model[0], table.file)
    path = table.source.path
    columns = [position[name] for name in kept]
    is_mean = answers.shape[2] > 1
    return TaskScores(
        task=options.task or table_name(path),
        kind=options.kind or ("graded" if is_mean else "binary"),
        item_ids=by_item[0],
        models=kept,
        values=answers.mean(axis=2)[:, columns],
        clusters={name: _item_labels(table, name, by_item) for name in options.clusters},
        provenance=options.provenance(
            [table.source], path.name, chosen={"item": item, "model": model, "score": score}
        ),
        repeats=Repeats.of_answers(answers[:, columns]) if is_mean else None,
    )


def _pivot(
    table: Table, score: str, by_item: Coded, by_model: Coded, by_repeat: Coded | None
) -> FloatArray:
    """Return the scores by item, model and repeat, NaN where there is none."""
    (items, item_codes), (models, model_codes) = by_item, by_model
    repeats, repeat_codes = by_repeat or (("",), np.zeros_like(item_codes))
    cells = (item_codes * len(models) + model_codes) * len(repeats) + repeat_codes
    _, first_rows = np.unique(cells, return_index=True)
    if len(first_rows) < len(cells):
        repeated = np.ones(len(cells), dtype=bool)
        repeated[first_rows] = False
        row = int(np.argmax(repeated))
        raise ScoreError(
            f"data row {row + 1} scores this model on this item once more",
            remedy="keep one row for each item and model"
            + ("" if by_repeat else ", or name the column of the repeats (repeat_column)"),
            file=table.file,
            model=models[model_codes[row]],
            item=items[item_codes[row]],
        )
    values = np.full(len(items) * len(models) * len(repeats), np.nan)
    values[cells] = table.scores(score, [items[code] for code in item_codes.tolist()])
    return values.reshape(len(items), len(models), len(repeats))


def _item_labels(table: Table, cluster: str, by_item: Coded) -> tuple[str, ...]:
    items, item_codes = by_item
    labels, label_codes = table.coded(cluster)
    _, first_rows = np.unique(item_codes, return_index=True)
    label_of_item = label_codes[first_rows]
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
