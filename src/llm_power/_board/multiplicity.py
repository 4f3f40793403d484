"""The pairs as one family: adjusted p-values, and required items at each procedure's level."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.special import stdtr

from llm_power._board.counts import DifferenceMoments, PairCells
from llm_power._board.operating_point import OperatingPoint
from llm_power._board.tabulation import PAIR_KEY, with_an_item
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.mcnemar import mcnemar_exact
from llm_power._statistics.multiplicity import (
    Procedure,
    adjust_benjamini_hochberg,
    adjust_bonferroni,
    adjust_holm,
    adjust_sidak,
    stepwise_required_n,
)

_PROCEDURES: Final[dict[Procedure, tuple[str, Callable[[FloatArray], FloatArray]]]] = {
    "bonferroni": ("bonferroni", adjust_bonferroni),
    "sidak": ("sidak", adjust_sidak),
    "holm": ("holm", adjust_holm),
    "benjamini_hochberg": ("bh", adjust_benjamini_hochberg),
}


def add_multiplicity(
    pairs: pd.DataFrame, resolution: pd.DataFrame, point: OperatingPoint
) -> pd.DataFrame:
    """Return adjusted p-values, and required items at each procedure's own level."""
    gap, spread, n_items = _gaps(pairs, resolution)
    exact = resolution["p_exact"].to_numpy()
    graded = _paired_t(n_items.astype(np.float64), np.abs(gap), spread)
    # The exact p-value holds its level with any number of discordant items.
    p = np.where(np.isnan(exact), graded, exact)
    table = pairs[PAIR_KEY].assign(p_unadjusted=p)
    at: dict[str, Any] = {"alpha": point.alpha, "power": point.power}
    for procedure, (name, adjust) in _PROCEDURES.items():
        adjusted = stepwise_required_n(gap, spread, n_items, procedure=procedure, **at)
        table[f"p_{name}"] = adjust(p)
        table[f"n_star_{name}"] = adjusted.n_star
        table[f"q_{name}"] = adjusted.q
        table[f"resolved_{name}"] = adjusted.resolved
    return table


def add_given_multiplicity(
    pairs: pd.DataFrame,
    resolution: pd.DataFrame,
    point: OperatingPoint,
    *,
    adjusted: Mapping[str, FloatArray],
    size: int,
) -> pd.DataFrame:
    """Return the same for some pairs of a larger family, whose adjusted p-values are given.

    Required items by Holm and by Benjamini-Hochberg are null: they depend on the gaps of all pairs.
    """
    at: dict[str, Any] = {"alpha": point.alpha, "power": point.power}
    gaps = _gaps(pairs, resolution)
    bonferroni = stepwise_required_n(*gaps, procedure="bonferroni", m=size, **at)
    missing = {"n_star_holm": np.nan, "n_star_bh": np.nan}
    return pairs[PAIR_KEY].assign(**adjusted, n_star_bonferroni=bonferroni.n_star, **missing)


def _gaps(pairs: pd.DataFrame, resolution: pd.DataFrame) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return gap, standard deviation of an item's difference, and items, of each pair."""
    # Models that share no item have no gap to adjust for, and keep their place in the family.
    gap = resolution[["delta", "var_d"]].where(pairs["n_items"] > 0, 0.0)
    n_items = with_an_item(pairs)["n_items"].to_numpy()
    return gap["delta"].to_numpy(), np.sqrt(gap["var_d"].to_numpy()), n_items


def unadjusted_p(items: PairCells | DifferenceMoments) -> FloatArray:
    """Return the exact McNemar p-values, (n_pairs,); for graded scores the paired t test's."""
    if isinstance(items, PairCells):
        return mcnemar_exact(items.b, items.c)
    n = items.n_items.astype(np.float64)
    return _paired_t(n, np.abs(items.sum_d / n), np.sqrt(items.ss_d / n))


def _paired_t(n: FloatArray, delta: FloatArray, spread: FloatArray) -> FloatArray:
    # Paired t with the divisor n - 1: t = delta / sqrt(var_d / (n - 1)).
    t = np.where(delta > 0, np.inf, 0.0)
    np.divide(delta * np.sqrt(np.maximum(n - 1, 0.0)), spread, out=t, where=spread > 0)
    return np.asarray(2.0 * stdtr(np.maximum(n - 1, 1.0), -t))
