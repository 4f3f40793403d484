"""The comparisons of Section 4: with the median of a size group, and with the best so far."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from skpower2025.agreement import Ends, p_values, post_hoc_power
from skpower2025.board import DATASETS, GROUPS, Dataset

# Columns that both kinds of comparisons have after their own.
VERDICTS: Final = (
    *("power_lowest", "power_highest", "powered"),
    *("p_lowest", "p_highest", "significant"),
)


def with_the_median(board: pd.DataFrame, *, alpha: float, power: float) -> pd.DataFrame:
    """Compare each model of known size with the lower median of its size group."""
    return pd.concat(
        [
            _of_group(board[board["group"] == group], dataset, group, alpha, power)
            for dataset in DATASETS
            for group in GROUPS
        ],
        ignore_index=True,
    )


def over_time(board: pd.DataFrame, *, alpha: float, power: float) -> pd.DataFrame:
    """Compare each new best score of the medium models with the best before it, day by day."""
    # Of several entries of a day the best counts, for nothing tells their order.
    medium = board[(board["group"] == "medium") & board["date"].notna()]
    return pd.concat(
        [_new_bests(medium, dataset, alpha, power) for dataset in DATASETS], ignore_index=True
    )


def _of_group(
    models: pd.DataFrame, dataset: Dataset, group: str, alpha: float, power: float
) -> pd.DataFrame:
    ranked = models.sort_values([dataset.column, "model"])
    middle = (len(ranked) - 1) // 2
    baseline = float(ranked[dataset.column].iloc[middle])
    others = ranked.drop(index=ranked.index[middle])
    before = np.full(len(others), baseline)
    made = _compared(others, before, dataset, alpha=alpha, power=power)
    made.insert(1, "group", group)
    return made


def _new_bests(models: pd.DataFrame, dataset: Dataset, alpha: float, power: float) -> pd.DataFrame:
    ranked = models.sort_values(["date", dataset.column, "model"])
    best = ranked.drop_duplicates("date", keep="last")
    before = best[dataset.column].cummax().shift().to_numpy()
    rose = best[dataset.column].to_numpy() > before
    made = _compared(best[rose], before[rose], dataset, alpha=alpha, power=power, exact=True)
    made.insert(1, "date", best.loc[rose, "date"].dt.strftime("%Y-%m-%d").to_numpy())
    return made


def _compared(
    models: pd.DataFrame,
    before: np.ndarray,
    dataset: Dataset,
    *,
    alpha: float,
    power: float,
    exact: bool = False,
) -> pd.DataFrame:
    scores = models[dataset.column].to_numpy()
    counts = dataset.solved(scores), dataset.solved(before), dataset.items
    powers = post_hoc_power(*counts, alpha=alpha, power=power, exact=exact)
    p = p_values(*counts)
    return pd.DataFrame(
        {
            "dataset": dataset.name,
            "model": models["model"].to_numpy(),
            "items": dataset.items,
            "score": scores,
            "gap_pp": 100 * (scores - before),
            **_columns("power", powers),
            "powered": powers.at_least(power),
            **_columns("p", p),
            "significant": p.at_most(alpha),
        }
    )


def _columns(name: str, ends: Ends) -> dict[str, np.ndarray]:
    return {f"{name}_lowest": ends.lowest, f"{name}_highest": ends.highest}
