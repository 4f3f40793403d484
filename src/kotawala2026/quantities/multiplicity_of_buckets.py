"""Bonferroni, Šidák, Holm and Benjamini-Hochberg applied to Table 3, Section 6.3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from scipy.special import ndtri

from kotawala2026.quantities.gap_buckets import BUCKETS
from kotawala2026.quantities.grounds import QUANTITIES, Board
from kotawala2026.witness.oll_v1_summaries import bucket_mask
from llm_power.statistics._typing import BoolArray
from llm_power.statistics.inversion import z_sum
from llm_power.statistics.multiplicity import bonferroni_level, sidak_level
from replication.findings import Finding

_PROCEDURES: Final = ("bonferroni", "sidak", "holm", "bh")
_LARGE_GAP: Final = 0.05


@QUANTITIES.on(Board)
def inflations(board: Board) -> Iterator[Finding]:
    """Critical value and inflations of N* at the size of the board's family."""
    m = len(board.verdicts)
    family = f"m = {m}"
    level, sidak = (rule(m, alpha=board.alpha) for rule in (bonferroni_level, sidak_level))
    fixed = float(z_sum(board.alpha, board.power))
    for quantity, value in (
        ("critical_value_bonferroni", float(-ndtri(level / 2))),
        ("inflation_bonferroni", (float(z_sum(level, board.power)) / fixed) ** 2),
        ("inflation_sidak", (float(z_sum(sidak, board.power)) / fixed) ** 2),
    ):
        yield Finding(quantity, family, value, basis="derived", panel="general")


@QUANTITIES.on(Board)
def unresolved(board: Board) -> Iterator[Finding]:
    """Unresolved pairs of each bucket under each procedure.

    The paper multiplies r by Bonferroni's inflation, which is what the first procedure does.
    The others are decided at each pair's own level, from exact conditional p-values.
    """
    for name in _PROCEDURES:
        which = board.unresolved(f"resolved_{name}")
        for label in BUCKETS:
            inside = bucket_mask(label, board.gap)
            quantity, of = f"{name}_unresolved_in_bucket", f"of {int(inside.sum())}"
            yield Finding(quantity, label, _count(which & inside), of)
        yield Finding(f"{name}_unresolved", "", _count(which), f"of {len(which)}")


@QUANTITIES.on(Board)
def retracted(board: Board) -> Iterator[Finding]:
    """Rejections at the unadjusted level that Benjamini-Hochberg takes back."""
    p = board.column("p_unadjusted")
    rejected = p <= board.alpha
    taken_back = rejected & (board.column("p_bh") > board.alpha)
    yield Finding("rejections_unadjusted", "", _count(rejected), f"of {len(p)}, exact p")
    yield Finding("bh_retracted", "", _count(taken_back), "rejections taken back")
    yield Finding("bh_retracted_above_5pp", "", _count(taken_back & (board.gap > _LARGE_GAP)))


def _count(which: BoolArray) -> float:
    return float(np.count_nonzero(which))
