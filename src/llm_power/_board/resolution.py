"""Every pair by itself and in its family: sufficient statistics, required items, p-values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

import numpy as np
import pandas as pd

from llm_power._board.evidence import TaskEvidence
from llm_power._board.operating_point import OperatingPoint, pair_indices
from llm_power._board.pair_items import DifferenceMoments, PairCells, PairItems
from llm_power._choices import Family
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.e_process import UNIFORM_98, anytime_required_n
from llm_power._statistics.multiplicity import (
    Procedure,
    adjust_benjamini_hochberg,
    adjust_bonferroni,
    adjust_holm,
    adjust_sidak,
    stepwise_required_n,
)
from llm_power._statistics.t_test import t_test_p_value

PAIR_NAMES: Final[Mapping[str, str]] = {
    "task": "task",
    "rank_a": "rank of A, the model ranked better",
    "rank_b": "rank of B",
    "model_a": "name of A",
    "model_b": "name of B",
}
PAIR_KEY: Final = [*PAIR_NAMES]
CELL_COLUMNS: Final = ["n11", "b", "c", "n00"]
MOMENT_COLUMNS: Final = ["sum_a", "sum_b", "sum_d", "ss_a", "ss_b", "ss_d", "n_differing", "skew_d"]
# Of each column what it says; p_a, p_b and delta are of the pair itself.
RESOLUTION_COLUMNS: Final[Mapping[str, str]] = {
    "rho": "correlation of the two models' scores: phi of 0/1 scores",
    "var_d": "variance of an item's difference, eq. (5)",
    "n_star": "required items N* at the observed gap, eq. (6)",
    "q": "resolution ratio N/N*",
    "mde": "smallest gap with the target power at the items at hand",
    "resolved": "whether q >= 1: the items at hand reach the target power at the observed gap",
    "n_h": "shortcut (1 - rho)(z + z)^2/h^2, eq. (9)",
    "n_miller": "N* with the covariance set to zero",
    "p_chi2": "McNemar's test, asymptotic; not adjusted, like the next three",
    "p_exact": "McNemar's test, exact",
    "log_p_exact": "natural logarithm of p_exact, also below the smallest float",
    "p_midp": "McNemar's test, mid-p",
    "p_cc": "McNemar's test, continuity-corrected",
}
ESTIMATES: Final = (
    *("p_a", "p_b", "delta", "rho", "var_d"),
    *("n_star", "mde", "n_h", "n_miller"),
)
_PROCEDURES: Final[dict[Procedure, tuple[str, Callable[[FloatArray], FloatArray]]]] = {
    "bonferroni": ("bonferroni", adjust_bonferroni),
    "sidak": ("sidak", adjust_sidak),
    "holm": ("holm", adjust_holm),
    "benjamini_hochberg": ("bh", adjust_benjamini_hochberg),
}


def tabulate_pairs(ranked: TaskScores, family: Family) -> pd.DataFrame:
    """Return the sufficient statistics of every pair of the family, one row a pair."""
    pairs = pair_indices(len(ranked.models), family)
    return tabulate(ranked, *pairs, TaskEvidence(ranked, None).items(*pairs))


def tabulate(
    ranked: TaskScores, first: IntArray, second: IntArray, items: PairItems
) -> pd.DataFrame:
    """Return the rows of `tabulate_pairs` for pairs of positions and their statistics."""
    models = np.array(ranked.models, dtype=object)
    index = range(len(first))
    known = {each.name: getattr(items, each.name) for each in fields(items)}
    columns = {
        "task": ranked.task,
        "rank_a": first + 1,
        "rank_b": second + 1,
        "model_a": models[first],
        "model_b": models[second],
        "n_task": len(ranked.item_ids),
        "n_items": items.n_items,
        **{name: pd.Series(known.get(name, pd.NA), index, dtype="Int64") for name in CELL_COLUMNS},
        **{name: known.get(name, np.nan) for name in MOMENT_COLUMNS},
    }
    return pd.DataFrame(columns)


def statistics_of(pairs: pd.DataFrame) -> PairItems:
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
    if known.all():
        return table
    return table.assign(**{name: table[name].where(known) for name in columns})


def add_resolution(pairs: pd.DataFrame, point: OperatingPoint) -> pd.DataFrame:
    """Return required items, resolution ratio, detectable effect and four McNemar tests."""
    parts = [
        pd.DataFrame(statistics_of(rows).with_an_item().resolution_columns(point), index=rows.index)
        for _, rows in pairs.groupby(pairs["b"].notna(), sort=False)
    ]
    columns = pd.concat(parts).sort_index()[["p_a", "p_b", "delta", *RESOLUTION_COLUMNS]]
    table = pd.concat([pairs[PAIR_KEY], columns], axis=1)
    return without_strangers(table, pairs, ESTIMATES)


def add_multiplicity(
    pairs: pd.DataFrame, resolution: pd.DataFrame, point: OperatingPoint
) -> pd.DataFrame:
    """Return adjusted p-values, and required items at each procedure's own level."""
    gap, spread, n_items = _gaps(pairs, resolution)
    exact = resolution["p_exact"].to_numpy()
    graded = t_test_p_value(gap, np.square(spread) * n_items, n_items)
    # The exact p-value holds its level with any number of discordant items.
    p = np.where(np.isnan(exact), graded, exact)
    table = pairs[PAIR_KEY].assign(p_unadjusted=p)
    at: dict[str, Any] = {"alpha": point.alpha, "power": point.power}
    required = stepwise_required_n(gap, spread, n_items, procedures=_PROCEDURES, **at)
    for procedure, (name, adjust) in _PROCEDURES.items():
        adjusted = required[procedure]
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
    required = stepwise_required_n(*gaps, procedures=["bonferroni"], m=size, **at)["bonferroni"]
    missing = {"n_star_holm": np.nan, "n_star_bh": np.nan}
    return pairs[PAIR_KEY].assign(**adjusted, n_star_bonferroni=required.n_star, **missing)


def _gaps(pairs: pd.DataFrame, resolution: pd.DataFrame) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return gap, standard deviation of an item's difference, and items, of each pair."""
    # Models that share no item have no gap to adjust for, and keep their place in the family.
    gap = resolution[["delta", "var_d"]].where(pairs["n_items"] > 0, 0.0)
    n_items = pairs["n_items"].clip(lower=1).to_numpy()
    return gap["delta"].to_numpy(), np.sqrt(gap["var_d"].to_numpy()), n_items


def add_sequential(pairs: pd.DataFrame, point: OperatingPoint) -> pd.DataFrame:
    """Return whether each pair's e-process crossed, and whether it is resolvable anytime.

    Null for graded scores.
    """
    rows = pairs[pairs["b"].notna()]
    result = anytime_required_n(
        rows["b"].to_numpy(np.int64),
        rows["c"].to_numpy(np.int64),
        rows["n_items"].clip(lower=1).to_numpy(),
        alpha=point.alpha,
        power=point.power,
        mixture=UNIFORM_98,
    )
    columns = {
        "log_e": result.log_e,
        "n_star_anytime": result.n_star_anytime,
        "q_anytime": result.q_anytime,
        "anytime_inflation": result.inflation,
        "crossed": pd.array(result.crossed, dtype="boolean"),
        "resolved_anytime": pd.array(result.resolved_anytime, dtype="boolean"),
    }
    of_binary = pd.DataFrame(columns, index=rows.index).reindex(pairs.index)
    return pd.concat([pairs[PAIR_KEY], of_binary], axis=1)
