"""Wide tables, Parquet, CSV or JSON Lines: one row an item, one column a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from llm_power._errors import ScoreError, listed
from llm_power._scores._table import Table, table_name
from llm_power._scores.options import Given, ReadOptions, read_table
from llm_power._scores.store import ITEM_COLUMN, TaskScores, fault_of_name

# What columns beside scores are called in published tables.
_PROPERTIES: Final = frozenset(
    {
        *("difficulty", "level", "hard", "is_hard", "category", "subject", "topic", "domain"),
        *("split", "fold", "group", "subset", "language", "source", "answer", "target", "label"),
        *("index", "idx", "id", "question_id", "doc_id", "length", "n_tokens", "year"),
    }
)


def read_wide(given: Given, options: ReadOptions) -> TaskScores:
    """Read a wide table; every column of scores that is not declared otherwise is a model."""
    table = read_table(given, options)
    item = _item_column(table, options)
    names = [name for name in table.columns if "." not in name or name not in options.clusters]
    table.require(item, clusters=options.clusters)
    taken = {item, *options.clusters}
    # A field of a struct was taken out of the column that has it.
    taken |= {name.split(".")[0] for name in taken if name not in names}
    others = [name for name in names if name not in taken]
    kept = options.kept(others, table.file)
    texts = [name for name in kept if table.is_text(name)]
    # Where all columns are words, these are meant for scores.
    models = tuple(name for name in kept if name not in texts) or kept
    texts = [name for name in texts if name not in models]
    columns = {name: table.labels(name) for name in (*options.clusters, *texts)}
    ids = table.labels(item)
    values = table.score_matrix(models, ids)
    _ask_about_properties(table, models, options)
    path = table.source.path
    return TaskScores(
        task=options.task or table_name(path),
        kind=options.kind or "binary",
        item_ids=ids,
        models=models,
        values=options.scaled(values, table.file),
        clusters={
            name: labels
            for name, labels in columns.items()
            if name in options.clusters or not any(map(fault_of_name, {*labels}))
        },
        provenance=options.provenance(
            [table.source],
            path.name,
            chosen={
                "item": item,
                **({"properties": texts} if texts else {}),
                **table.interpreted(models, options.kind),
            },
        ),
    )


def _ask_about_properties(table: Table, models: Sequence[str], options: ReadOptions) -> None:
    """Refuse to rank a column that is called like a property of the items."""
    properties = [name for name in models if name.lower() in _PROPERTIES]
    if properties:
        others = [model for model in models if model not in properties]
        raise ScoreError(
            f"is column {properties[0]!r} a model? It is called like a property of the items; the "
            f"models would be {listed(others, 20)}",
            remedy="name it as cluster column, rename the model, or exclude it",
            file=table.file,
            settings={"exclude": properties},
        )


def _item_column(table: Table, options: ReadOptions) -> str:
    if options.item is not None:
        return options.item
    for name in (ITEM_COLUMN, "item"):
        if name in table.columns:
            return name
    index = table.index_name()
    if index is None:
        raise ScoreError(
            f"no column of item ids was declared; the columns are {listed(table.columns)}",
            remedy="declare it (--item), or call it 'item_id'",
            file=table.file,
            settings=_likely_columns(table),
        )
    return index


def _likely_columns(table: Table) -> dict[str, str]:
    """Return the columns of a wide or a long table, where they are plain."""
    different = {name: len(table.coded(name)[0]) for name in table.columns if table.can_name(name)}
    for name, n_labels in different.items():
        if n_labels == table.n_rows:
            return {"item": name}
    texts = sorted(filter(table.is_text, different), key=different.__getitem__, reverse=True)
    scores = [name for name in table.columns if name not in texts]
    if len(texts) != 2 or len(scores) != 1:
        return {}
    return {"item": texts[0], "model": texts[1], "score": scores[0]}
