"""Wide tables, Parquet, CSV or JSON Lines: one row an item, one column a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from llm_power.errors import ScoreError
from llm_power.scores._source import only_file
from llm_power.scores._table import Table, listed, read_table
from llm_power.scores.options import ReadOptions
from llm_power.scores.store import ITEM_COLUMN, TaskScores


def read_wide(paths: Sequence[Path], options: ReadOptions) -> TaskScores:
    """Read a wide table; every column that is not declared otherwise is a model.

    Parameters
    ----------
    paths : sequence of one Path
        A Parquet or JSON Lines (nulls are missing) or CSV (empty cells are missing).
    options : ReadOptions
        `item` and `clusters` name the columns that are no models.

    Returns
    -------
    TaskScores
        Items and models in the order of the file.

    Raises
    ------
    ScoreError
        If the file cannot be read as declared, or its scores fail a check of `TaskScores`.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from llm_power import ReadOptions
    >>> from llm_power.scores.wide import read_wide
    >>> scores = pd.DataFrame({"item_id": ["q1", "q2"], "heron": [1, 0], "wren": [0, 1]})
    >>> scores.to_csv("exam.csv", index=False)
    >>> read_wide([Path("exam.csv")], ReadOptions()).values
    array([[1., 0.],
           [0., 1.]])
    """
    table = read_table(only_file(paths))
    item = _item_column(table, options)
    table.require(item, *options.clusters)
    others = [name for name in table.columns if name not in {item, *options.clusters}]
    models = options.kept(others, table.file)
    ids = table.labels(item)
    path = table.source.path
    return TaskScores(
        task=options.task or path.stem,
        kind=options.kind or "binary",
        item_ids=ids,
        models=models,
        values=table.score_matrix(models, ids),
        clusters={name: table.labels(name) for name in options.clusters},
        provenance=options.provenance([table.source], path.name),
    )


def _item_column(table: Table, options: ReadOptions) -> str:
    if options.item is not None:
        return options.item
    if ITEM_COLUMN in table.columns:
        return ITEM_COLUMN
    index = table.index_name()
    if index is None:
        raise ScoreError(
            f"no column of item ids was declared; the columns are {listed(table.columns)}",
            remedy="declare it (item), or call it 'item_id'",
            file=table.file,
        )
    return index
