"""Quantities of single pairs and models, and unresolved pairs under each procedure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pandas as pd

from kotawala2026.exhibits.table_10 import FACTORS
from kotawala2026.quantities.grounds import QUANTITIES, PublishedNumbers, ResolvedBoard, summary_of
from llm_power._statistics.argument_checks import finite
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray
from llm_power._statistics.exact_required_n import McNemarDesign
from llm_power._statistics.inversion import required_n
from llm_power._statistics.multiplicity import bonferroni_level
from llm_power._statistics.paired_binary import (
    admissible_rho,
    required_n_discordance,
    required_n_paired_binary,
)
from replication.findings import Finding

_COLUMNS: Final = [
    *["n_items", "b", "c", "p_a", "p_b", "rho", "n_star", "p_chi2", "p_exact", "p_midp"],
    *["icc", "design_effect", "n_star_cluster"],
]
# Enumerating the power takes seconds beyond; the paper simulates pairs that need hundreds.
_MOST_ENUMERATED: Final = 2_000
#: How far Section 6.2 moves a correlation.
RHO_SHIFT: Final = 0.10


@QUANTITIES.on(ResolvedBoard)
def of_each_pair(board: ResolvedBoard) -> Iterator[Finding]:
    """Columns of the verdict table, and quantities that follow from one row."""
    table = board.by_pair()
    columns = [name for name in _COLUMNS if table[name].notna().all()]
    for subject, row in zip(map(str, table.index), table.to_dict(orient="records"), strict=True):
        for name in columns:
            yield Finding(name, subject, float(row[name]))
        gap = abs(float(row["delta"]))
        yield Finding("gap", subject, gap)
        yield Finding("gap_pp", subject, 100 * gap, unit="pp")
        yield Finding("pair_unresolved", subject, float(not row["resolved"]))
        moved = required_n_at_shifted_rho(row["p_a"], row["p_b"], row["rho"], RHO_SHIFT)
        yield Finding("r_at_rho_plus_010", subject, float(moved / row["n_items"]))
        if row["n_star"] <= _MOST_ENUMERATED:
            yield from _powers(subject, row)


def required_n_at_shifted_rho(
    p_a: ArrayLike, p_b: ArrayLike, rho: ArrayLike, shift: float
) -> FloatArray:
    """Required items, eq. (6), at rho + `shift`, clamped to the interval of eqs. (7) and (8)."""
    moved = np.clip(finite("rho", rho) + shift, *admissible_rho(p_a, p_b))
    return required_n_paired_binary(p_a, p_b, moved)


def _powers(subject: str, row: Any) -> Iterator[Finding]:
    """Exact power of McNemar's test at shares of the required items, rounded up."""
    n_star, n_items = math.ceil(row["n_star"]), row["n_items"]
    p10, p01 = float(row["b"] / n_items), float(row["c"] / n_items)
    for name, share in FACTORS.items():
        design = McNemarDesign(p10, p01, test="asymptotic")
        yield Finding(name, subject, float(design.power(round(share * n_star))))


@QUANTITIES.on(ResolvedBoard)
def of_each_model(board: ResolvedBoard) -> Iterator[Finding]:
    """Accuracy of each model on each task, in percent."""
    sides = [
        board.verdicts[["task", f"model_{side}", f"p_{side}"]].set_axis(
            ["task", "model", "p"], axis=1
        )
        for side in ("a", "b")
    ]
    for row in pd.concat(sides).drop_duplicates(["task", "model"]).itertuples():
        yield Finding("board_score", f"{row.task}, {row.model}", 100 * float(str(row.p)))


@QUANTITIES.on(ResolvedBoard)
def unresolved(board: ResolvedBoard) -> Iterator[Finding]:
    """Unresolved pairs of the whole board under each procedure."""
    yield Finding("n_items", "", float(board.column("n_items")[-1]))
    yield Finding("largest_gap_pp", "", float(100 * board.gap.max()), unit="pp")
    yield _count("unresolved_fixed", board.unresolved("resolved"))
    yield _count("unresolved_bonferroni", board.unresolved("resolved_bonferroni"))
    if board.anytime_inflation is None:
        yield _count("unresolved_anytime", board.unresolved("resolved_anytime"))
    else:
        yield Finding("anytime_inflation", "", board.anytime_inflation)
        inflated = board.anytime_inflation * board.column("n_star")
        yield _count("unresolved_anytime", inflated > board.column("n_items"))
    if board.verdicts["resolved_cluster"].notna().all():
        yield _count("unresolved_clustered", board.unresolved("resolved_cluster"))


@QUANTITIES.on(ResolvedBoard)
def unresolved_among_all_pairs(board: ResolvedBoard) -> Iterator[Finding]:
    """Section 6.2: adjacent pairs unresolved at the level of the family of all pairs."""
    n_models = len({*board.verdicts["model_a"], *board.verdicts["model_b"]})
    level = bonferroni_level(n_models * (n_models - 1) // 2)
    sigma_d = np.sqrt(board.column("var_d"))
    needed = required_n(board.column("delta"), sigma_d, alpha=level)
    yield _count("unresolved_bonferroni_all_pairs", needed > board.column("n_items"))


@QUANTITIES.on(ResolvedBoard)
def two_forms(board: ResolvedBoard) -> Iterator[Finding]:
    """Section 6.2: eq. (6) from accuracies and correlation against eq. (6) from b and c."""
    p_a, p_b, rho, b, c, n = map(board.column, ("p_a", "p_b", "rho", "b", "c", "n_items"))
    by_rho = required_n_paired_binary(p_a, p_b, rho)
    by_counts = required_n_discordance(b, c, n)
    with np.errstate(invalid="ignore"):
        apart = np.abs(by_rho / by_counts - 1)
    yield Finding("two_forms_largest_difference", "", float(apart.max()))


@QUANTITIES.on(ResolvedBoard)
def correlations(board: ResolvedBoard) -> Iterator[Finding]:
    """Section 6.2: range of the correlations of adjacent pairs."""
    yield from _range_of_rho(board.column("rho"), "")


@QUANTITIES.on(PublishedNumbers)
def correlations_of_table_7(published: PublishedNumbers) -> Iterator[Finding]:
    """Section 6.2: range of the correlations of Table 7's counts."""
    yield from _range_of_rho(summary_of(published.adjacent_pairs).rho, "Table 7")


def _range_of_rho(rho: FloatArray, table: str) -> Iterator[Finding]:
    of = table or "the board"
    yield Finding("rho_min", table, float(rho.min()), f"smallest phi of {of}")
    yield Finding("rho_max", table, float(rho.max()), f"largest phi of {of}")


def _count(quantity: str, which: BoolArray) -> Finding:
    return Finding(quantity, "", float(np.count_nonzero(which)))
