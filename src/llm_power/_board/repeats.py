"""Items or repeats, for the pairs of tasks whose scores are means of repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from llm_power._board.operating_point import OperatingPoint
from llm_power._board.resolution import PAIR_KEY, PAIR_NAMES
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import IntArray, ratio
from llm_power._statistics.repeats import (
    ItemMeans,
    RepeatVariances,
    items_or_repeats,
    variances_of_means,
)

_COMPONENTS: Final = ["n_items", "delta", "repeats", "between", "within_a", "within_b"]
REPEAT_COLUMNS: Final[Mapping[str, str]] = {
    **PAIR_NAMES,
    "verdict": "that of pairs.csv",
    "n_items": "items that both were scored on",
    "delta": "mean difference of the items' means, in score units",
    "repeats": "answers of a model per item at hand; their harmonic mean if they differ",
    "between": "variance of the difference between items; unbiased, so sometimes negative",
    "within_a": "variance of A's answers within an item",
    "within_b": "variance of B's",
    "n_star_repeats": "N* at the repeats at hand, eq. (9) of Miller; a negative variance counts "
    "as 0",
    "n_star_one": "N* at one answer per item",
    "n_star_limit": "N* with ever more repeats: fewer items never suffice",
    "repeats_needed": "answers per item at which the items at hand suffice; inf if no number does",
    "answers_by_items": "further answers of both models, if items are added at the repeats at hand",
    "answers_by_repeats": "further answers of both models, if repeats are added to the items at "
    "hand",
    "cheaper": "way that needs fewer further answers: items or repeats; neither if none suffices, "
    "enough if none is needed",
    "item_cost_even": "cost of making an item, in answers, above which repeats are cheaper; inf if "
    "they never are, null if no answer is needed",
}


def repeats_table(
    verdicts: pd.DataFrame, tasks: Sequence[TaskScores], point: OperatingPoint
) -> pd.DataFrame | None:
    """Return what repeats are worth to each pair, and the cheaper way to power; None without."""
    if all(task.repeats is None for task in tasks):
        return None
    rows = [
        {name: getattr(pair, name) for name in (*PAIR_KEY, "verdict")} | _of_pair(task, pair)
        for task in tasks
        if task.repeats is not None
        for pair in verdicts[verdicts["task"] == task.task].itertuples()
    ]
    return _with_ways(pd.DataFrame(rows, columns=[*PAIR_KEY, "verdict", *_COMPONENTS]), point)


def _of_pair(task: TaskScores, pair: Any) -> dict[str, float]:
    columns = [task.models.index(model) for model in (pair.model_a, pair.model_b)]
    variances, both = variances_of_pair(task, *columns), task.answers.number[:, columns]
    return {
        "n_items": int(variances.n_items),
        "repeats": _harmonic_mean(both[(both > 0).all(axis=1)]),
        **{
            name: float(getattr(variances, name))
            for name in ("delta", "between", "within_a", "within_b")
        },
    }


def variances_of_pair(task: TaskScores, first: int, second: int) -> RepeatVariances:
    """Return the variances between and within items of two models, by their positions."""
    number, variance = task.answers.number, task.answers.variance
    return variances_of_means(
        *(ItemMeans(task.merits[:, j], number[:, j], variance[:, j]) for j in (first, second))
    )


def _harmonic_mean(numbers: IntArray) -> float:
    """Return the harmonic mean without rounding error: that of equal numbers is their own."""
    # It leaves as much of the variance within items as the numbers do.
    if not numbers.size:
        return np.nan
    values, counts = np.unique(numbers, return_counts=True)
    parts = zip(counts.tolist(), values.tolist(), strict=True)
    return float(numbers.size / sum(Fraction(count, value) for count, value in parts))


def _with_ways(table: pd.DataFrame, point: OperatingPoint) -> pd.DataFrame:
    known = table[_COMPONENTS].notna().all(axis=1)
    delta, between, within, n, repeats = (
        column[known].to_numpy(float)
        for column in (
            table["delta"],
            table["between"],
            table["within_a"] + table["within_b"],
            table["n_items"],
            table["repeats"],
        )
    )
    ways = partial(
        items_or_repeats, delta, between, within, n_items=n, alpha=point.alpha, power=point.power
    )
    way, one = ways(repeats=repeats), ways(repeats=1)
    # Items are paid by their answers alone so far: from their cost follows their number.
    further_items = way.items_cost / (2 * repeats)
    needs = (further_items > 0) & np.isfinite(further_items)
    even = ratio(way.repeats_cost, further_items, where=needs)
    made = {
        "n_star_repeats": way.n_star,
        "n_star_one": one.n_star,
        "n_star_limit": way.n_star_limit,
        "repeats_needed": way.repeats,
        "answers_by_items": way.items_cost,
        "answers_by_repeats": way.repeats_cost,
        "cheaper": way.cheaper.astype(object),
        "item_cost_even": even - 2 * repeats,
    }
    columns = pd.DataFrame(made, index=table.index[known]).reindex(table.index)
    return pd.concat([table, columns], axis=1)[[*REPEAT_COLUMNS]]


def describe_repeats(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the pairs by cheaper way and the median variances of each task; None where unknown."""
    described = []
    for task, rows in table.groupby("task", sort=False):
        between = rows["between"].clip(lower=0)
        within = (rows["within_a"] + rows["within_b"]) / rows["repeats"]
        described.append(
            {
                "task": task,
                "n_pairs": len(rows),
                "cheaper": {name: int((rows["cheaper"] == name).sum()) for name in _WAYS},
                "repeats": _median(rows["repeats"]),
                "between": _median(between),
                "within": _median(within),
                "within_share": _median(within / (between + within)),
            }
        )
    return described


_WAYS: Final = ("items", "repeats", "neither", "enough")


def _median(column: pd.Series) -> float | None:
    known = column.dropna()
    return float(known.median()) if len(known) else None
