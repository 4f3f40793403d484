"""Single pairs and models, unresolved pairs under each procedure, and moved correlations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pandas as pd

from kotawala2026.exhibits.table_10 import FACTORS
from kotawala2026.labels import pair_names
from kotawala2026.quantities.grounds import (
    QUANTITIES,
    Board,
    PublishedNumbers,
    ResolvedBoard,
    summary_of,
)
from llm_power._statistics.argument_checks import finite, positive
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray
from llm_power._statistics.inversion import required_n
from llm_power._statistics.mcnemar import McNemarDesign
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
# The one of the close pairs of which the text gives r at the moved correlation.
_NAMED: Final = "HS, gemma-7b, Llama-3-8B"


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


@QUANTITIES.on(Board)
def on_board(board: Board) -> Iterator[Finding]:
    """Unresolved pairs of a board at rho - 0.1 and rho + 0.1, and how many flip.

    A moved correlation is clamped to the admissible interval of eqs. (7) and (8), and N* follows
    from eq. (6) at the observed accuracies. A pair flips if either move changes its verdict.
    """
    unresolved = unresolved_at_shifts(*map(board.column, ("p_a", "p_b", "rho", "n_items")))
    methods = {
        "fewest": f"at ρ + {RHO_SHIFT:g}",
        "most": f"at ρ - {RHO_SHIFT:g}",
        "largest_gap_pp": "pp",
    }
    for name, value in _counts(unresolved, 100 * board.gap).items():
        yield Finding(f"rho_sensitivity_{name}", "", value, methods.get(name, ""))


@QUANTITIES.on(PublishedNumbers)
def on_table_7(published: PublishedNumbers) -> Iterator[Finding]:
    """Unresolved pairs at moved correlations, from the counts b and c of Table 7."""
    pairs = summary_of(published.adjacent_pairs)
    unresolved = unresolved_at_shifts(pairs.p_a, pairs.p_b, pairs.rho, pairs.n_items)
    method = "eqs. (6) to (8) at ρ - 0.10 and ρ + 0.10, accuracies and ρ of the counts"
    counted = _counts(unresolved, 100 * np.abs(pairs.delta))
    for name in ("fewest", "most", "flips"):
        yield Finding(f"rho_shift_{name}", "MMLU-Pro", int(counted[name]), method)
    yield Finding("rho_shift_largest_gap_pp", "MMLU-Pro", counted["largest_gap_pp"], method)
    at_observed = np.count_nonzero(unresolved[1])
    for reading, fewest_that_say_it in (("the count", at_observed), ("some are unresolved", 1)):
        survives = "yes" if counted["fewest"] >= fewest_that_say_it else "no"
        yield Finding("message_survives", f"MMLU-Pro, {reading}", survives, f"{method}: the fewest")
    fewest, most = published.settings["oll_v1_rho_shift_range"]
    method = "N* falls as ρ rises, so that each pair between the two printed counts flips once"
    yield Finding("rho_shift_flips", "OLL v1", most - fewest, method)


@QUANTITIES.on(PublishedNumbers)
def at_moved_correlation(published: PublishedNumbers) -> Iterator[Finding]:
    """The close pair on HellaSwag at rho + 0.1."""
    close = published.close_pairs
    pairs, i = summary_of(close), pair_names(close).index(_NAMED)
    upper = admissible_rho(pairs.p_a, pairs.p_b)[1]
    needed = required_n_at_shifted_rho(pairs.p_a, pairs.p_b, pairs.rho, RHO_SHIFT)
    for quantity, value, method in (
        ("rho_upper_limit", upper[i], "eq. (7)"),
        ("rho_shifted", min(pairs.rho[i] + RHO_SHIFT, upper[i]), "ρ + 0.10, at most eq. (7)"),
        ("r_at_shifted_rho", needed[i] / close.n_items[i], "N*/N at ρ + 0.10"),
    ):
        yield Finding(quantity, _NAMED, float(value), method)


def unresolved_at_shifts(
    p_a: ArrayLike, p_b: ArrayLike, rho: ArrayLike, n_items: ArrayLike
) -> BoolArray:
    """Which pairs are unresolved at rho - 0.1, rho and rho + 0.1, shape (3, n_pairs)."""
    shifts = (-RHO_SHIFT, 0.0, RHO_SHIFT)
    needed = np.stack([required_n_at_shifted_rho(p_a, p_b, rho, shift) for shift in shifts])
    return np.asarray(needed > positive("n_items", n_items))


def _counts(unresolved: BoolArray, gap_pp: FloatArray) -> dict[str, float]:
    numbers = np.count_nonzero(unresolved, axis=1)
    flips = unresolved.any(axis=0) & ~unresolved.all(axis=0)
    return {
        "fewest": float(numbers.min()),
        "most": float(numbers.max()),
        "flips": float(np.count_nonzero(flips)),
        "largest_gap_pp": float(gap_pp[flips].max()) if flips.any() else np.nan,
    }
