"""Verdicts with every correlation moved by 0.1: Section 6.2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from kotawala2026.labels import pair_names
from kotawala2026.quantities.grounds import QUANTITIES, Board, PublishedNumbers, summary_of
from llm_power.statistics._typing import FloatArray
from llm_power.statistics.paired_binary import admissible_rho
from llm_power.statistics.rho_sensitivity import (
    RhoSensitivity,
    required_n_at_shifted_rho,
    rho_sensitivity,
)
from replication.findings import Finding

_SHIFT: Final = 0.10
# The one of the close pairs of which the text gives r at the moved correlation.
_NAMED: Final = "HS, gemma-7b, Llama-3-8B"


@QUANTITIES.on(Board)
def on_board(board: Board) -> Iterator[Finding]:
    """Unresolved pairs at rho - 0.1 and rho + 0.1, clamped by eqs. (7) and (8), and flips."""
    p_a, p_b, rho, n = map(board.column, ("p_a", "p_b", "rho", "n_items"))
    moved = rho_sensitivity(p_a, p_b, rho, n, shift=_SHIFT)
    methods = {
        "fewest": f"at ρ + {_SHIFT:g}",
        "most": f"at ρ - {_SHIFT:g}",
        "largest_gap_pp": "pp",
    }
    for name, value in _counts(moved, 100 * board.gap).items():
        yield Finding(f"rho_sensitivity_{name}", "", value, methods.get(name, ""))


@QUANTITIES.on(PublishedNumbers)
def on_table_7(published: PublishedNumbers) -> Iterator[Finding]:
    """Unresolved pairs at moved correlations, from the counts b and c of Table 7."""
    pairs = summary_of(published.adjacent_pairs)
    moved = rho_sensitivity(pairs.p_a, pairs.p_b, pairs.rho, pairs.n_items, shift=_SHIFT)
    method = "eqs. (6) to (8) at ρ - 0.10 and ρ + 0.10, accuracies and ρ of the counts"
    found = _counts(moved, 100 * np.abs(pairs.delta))
    for name in ("fewest", "most", "flips"):
        yield Finding(f"rho_shift_{name}", "MMLU-Pro", int(found[name]), method)
    yield Finding("rho_shift_largest_gap_pp", "MMLU-Pro", found["largest_gap_pp"], method)
    at_observed = np.count_nonzero(moved.observed)
    for reading, fewest_that_say_it in (("the count", at_observed), ("some are unresolved", 1)):
        survives = "yes" if found["fewest"] >= fewest_that_say_it else "no"
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
    needed = required_n_at_shifted_rho(pairs.p_a, pairs.p_b, pairs.rho, _SHIFT)
    for quantity, value, method in (
        ("rho_upper_limit", upper[i], "eq. (7)"),
        ("rho_shifted", min(pairs.rho[i] + _SHIFT, upper[i]), "ρ + 0.10, at most eq. (7)"),
        ("r_at_shifted_rho", needed[i] / close.n_items[i], "N*/N at ρ + 0.10"),
    ):
        yield Finding(quantity, _NAMED, float(value), method)


def _counts(moved: RhoSensitivity, gap_pp: FloatArray) -> dict[str, float]:
    unresolved = [float(np.count_nonzero(x)) for x in (moved.lower, moved.observed, moved.upper)]
    flips = moved.flips
    return {
        "fewest": min(unresolved),
        "most": max(unresolved),
        "flips": float(np.count_nonzero(flips)),
        "largest_gap_pp": float(gap_pp[flips].max()) if flips.any() else np.nan,
    }
