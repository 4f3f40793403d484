"""The sufficient statistics of every pair: what all stages of the verdict table start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Final

import numpy as np
import pandas as pd

from llm_power.board.counts import (
    DifferenceMoments,
    PairCells,
    count_cells,
    difference_moments,
)
from llm_power.board.families import pair_indices
from llm_power.choices import Family
from llm_power.scores.store import TaskScores
from llm_power.statistics._typing import IntArray

PAIR_KEY: Final = ["task", "rank_a", "rank_b", "model_a", "model_b"]
CELL_COLUMNS: Final = ["n11", "b", "c", "n00"]
MOMENT_COLUMNS: Final = ["sum_a", "sum_b", "sum_d", "ss_a", "ss_b", "ss_d", "n_differing", "skew_d"]


def tabulate_pairs(ranked: TaskScores, family: Family) -> pd.DataFrame:
    """Count every pair of the family: the sufficient statistics of all later stages.

    Parameters
    ----------
    ranked : TaskScores
        Scores with the columns in rank order.
    family : {"adjacent", "all"}
        Which pairs are compared.

    Returns
    -------
    DataFrame
        One row a pair: the key, ``n_task`` (items of the task), ``n_items`` (items that both
        models were scored on), the four cells for binary scores, the moments for graded ones.

    Examples
    --------
    >>> from llm_power.board.tabulation import tabulate_pairs
    >>> from llm_power.example import example_task
    >>> tabulate_pairs(example_task(), "adjacent")[["model_a", "model_b", "n11", "b", "c", "n00"]]
      model_a model_b  n11   b   c  n00
    0   heron  osprey  245  46  36   73
    1  osprey    kite  233  48  17  102
    2    kite    wren  153  97   9  141
    """
    return tabulate(ranked, *pair_indices(len(ranked.models), family))


def tabulate(ranked: TaskScores, first: IntArray, second: IntArray) -> pd.DataFrame:
    """As `tabulate_pairs`, of any pairs.

    Parameters
    ----------
    ranked : TaskScores
        Scores with the columns in rank order.
    first, second : ndarray of int, shape (n_pairs,)
        Positions of both models of each pair, the better ranked one first.

    Returns
    -------
    DataFrame
        As `tabulate_pairs`.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.tabulation import tabulate
    >>> from llm_power.example import example_task
    >>> tabulate(example_task(), np.array([0]), np.array([3]))[["model_a", "model_b", "b", "c"]]
      model_a model_b    b  c
    0   heron    wren  129  0
    """
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
    if ranked.kind == "binary":
        cells = count_cells(ranked.values, first, second)
        table["n_items"] = cells.n_items
        for name in CELL_COLUMNS:
            table[name] = pd.array(getattr(cells, name), dtype="Int64")
        for name in MOMENT_COLUMNS:
            table[name] = np.nan
    else:
        moments = difference_moments(ranked.values, first, second)
        table["n_items"] = moments.n_items
        for name in CELL_COLUMNS:
            table[name] = pd.array([pd.NA] * len(table), dtype="Int64")
        for name in MOMENT_COLUMNS:
            table[name] = getattr(moments, name)
    return table


def with_an_item(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs, where those that share no item are on one that both failed.

    Formulas need an item. From this one nothing follows, so that such a pair is undetermined and
    keeps its place in the family; `without_strangers` takes out what was estimated from it.

    Parameters
    ----------
    pairs : DataFrame
        What `tabulate_pairs` returned.

    Returns
    -------
    DataFrame
        The same rows.

    Examples
    --------
    >>> from llm_power.board.tabulation import tabulate_pairs, with_an_item
    >>> from llm_power.example import example_task
    >>> pairs = tabulate_pairs(example_task(), "adjacent")
    >>> with_an_item(pairs.assign(n_items=0))["n_items"].tolist()
    [1, 1, 1]
    """
    strangers = pairs["n_items"] == 0
    fixed = pairs.assign(n_items=pairs["n_items"].where(~strangers, 1))
    fixed["n00"] = pairs["n00"].mask(strangers & pairs["n00"].notna(), 1)
    return fixed


def statistics_of(pairs: pd.DataFrame) -> PairCells | DifferenceMoments:
    """Return the sufficient statistics of pairs of one kind of scores.

    Parameters
    ----------
    pairs : DataFrame
        Rows of `tabulate_pairs`, all of binary tasks or all of graded ones.

    Returns
    -------
    PairCells or DifferenceMoments
        Arrays of shape (n_pairs,).

    Examples
    --------
    >>> from llm_power.board.tabulation import statistics_of, tabulate_pairs
    >>> from llm_power.example import example_task
    >>> statistics_of(tabulate_pairs(example_task(), "adjacent")).b
    array([46, 48, 97])
    """
    if pairs["b"].notna().all():
        return PairCells(*(pairs[name].to_numpy(np.int64) for name in CELL_COLUMNS))
    names = [field.name for field in fields(DifferenceMoments)]
    return DifferenceMoments(*(pairs[name].to_numpy(np.float64) for name in names))


def without_strangers(
    table: pd.DataFrame, pairs: pd.DataFrame, columns: Sequence[str]
) -> pd.DataFrame:
    """Return a stage's table, null in these columns where two models share no item.

    Parameters
    ----------
    table : DataFrame
        What a stage made of `with_an_item`.
    pairs : DataFrame
        What `tabulate_pairs` returned.
    columns : sequence of str
        Estimates of the stage.

    Returns
    -------
    DataFrame
        The same rows.

    Examples
    --------
    >>> from llm_power import OperatingPoint
    >>> from llm_power.board.resolution import add_resolution
    >>> from llm_power.board.tabulation import tabulate_pairs, without_strangers
    >>> from llm_power.example import example_task
    >>> pairs = tabulate_pairs(example_task(), "adjacent")
    >>> table = add_resolution(pairs, OperatingPoint())
    >>> without_strangers(table, pairs.assign(n_items=0), ["rho"])["rho"].tolist()
    [nan, nan, nan]
    """
    known = pairs["n_items"] > 0
    return table.assign(**{name: table[name].where(known) for name in columns})
