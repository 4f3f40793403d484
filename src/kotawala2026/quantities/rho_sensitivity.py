"""Verdicts with every correlation moved by 0.1: Section 6.2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from kotawala2026.labels import pair_names
from kotawala2026.quantities.grounds import QUANTITIES, Board, PublishedNumbers, summary_of
from kotawala2026.quantities.pairs import RHO_SHIFT, required_n_at_shifted_rho
from llm_power._statistics.argument_checks import positive
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray
from llm_power._statistics.paired_binary import admissible_rho
from replication.findings import Finding

# The one of the close pairs of which the text gives r at the moved correlation.
_NAMED: Final = "HS, gemma-7b, Llama-3-8B"


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
