"""The sufficient statistics of every pair: what all stages of the verdict table start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Final

import numpy as np
import pandas as pd

from llm_power._board.counts import (
    DifferenceMoments,
    PairCells,
)
from llm_power._board.evidence import TaskEvidence
from llm_power._board.operating_point import pair_indices
from llm_power._choices import Family
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import IntArray

PAIR_KEY: Final = ["task", "rank_a", "rank_b", "model_a", "model_b"]
CELL_COLUMNS: Final = ["n11", "b", "c", "n00"]
MOMENT_COLUMNS: Final = ["sum_a", "sum_b", "sum_d", "ss_a", "ss_b", "ss_d", "n_differing", "skew_d"]


def tabulate_pairs(ranked: TaskScores, family: Family) -> pd.DataFrame:
    """Return the sufficient statistics of every pair of the family, one row a pair."""
    pairs = pair_indices(len(ranked.models), family)
    return tabulate(ranked, *pairs, TaskEvidence(ranked, None).items(*pairs))


def tabulate(
    ranked: TaskScores,
    first: IntArray,
    second: IntArray,
    items: PairCells | DifferenceMoments,
) -> pd.DataFrame:
    """Return the rows of `tabulate_pairs` for pairs of positions and their statistics."""
    models = np.array(ranked.models, dtype=object)
    table = pd.DataFrame(
        {
            "task": ranked.task,
            "rank_a": first + 1,
            "rank_b": second + 1,
            "model_a": models[first],
            "model_b": models[second],
            "n_task": len(ranked.item_ids),
        }
    )
    table["n_items"] = items.n_items
    for name in CELL_COLUMNS:
        cells = getattr(items, name, [pd.NA] * len(table))
        table[name] = pd.array(cells, dtype="Int64")
    for name in MOMENT_COLUMNS:
        table[name] = getattr(items, name, np.nan)
    return table


def with_an_item(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs, where those that share no item have one that both failed.

    Formulas need an item. From this one nothing follows, so that such a pair is undetermined and
    keeps its place in the family; `without_strangers` removes the estimates from it.
    """
    strangers = pairs["n_items"] == 0
    fixed = pairs.assign(n_items=pairs["n_items"].where(~strangers, 1))
    fixed["n00"] = pairs["n00"].mask(strangers & pairs["n00"].notna(), 1)
    return fixed


def statistics_of(pairs: pd.DataFrame) -> PairCells | DifferenceMoments:
    """Return the sufficient statistics, (n_pairs,), of rows of one kind of scores."""
    if pairs["b"].notna().all():
        return PairCells(*(pairs[name].to_numpy(np.int64) for name in CELL_COLUMNS))
    names = [field.name for field in fields(DifferenceMoments)]
    return DifferenceMoments(*(pairs[name].to_numpy(np.float64) for name in names))


def without_strangers(
    table: pd.DataFrame, pairs: pd.DataFrame, columns: Sequence[str]
) -> pd.DataFrame:
    """Return a stage's table, null in `columns` where two models share no item."""
    known = pairs["n_items"] > 0
    return table.assign(**{name: table[name].where(known) for name in columns})
