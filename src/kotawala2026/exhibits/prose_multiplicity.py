"""Bonferroni, Sidak, Holm and Benjamini-Hochberg applied to Table 3, Section 6.3."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.special import ndtri

from kotawala2026.exhibits.prose import Basis, Claims, Finding, beside_claims
from llm_power.board.summary import GAP_BINS
from llm_power.statistics.inversion import z_sum
from llm_power.statistics.multiplicity import bonferroni_level, sidak_level

_PROCEDURES = ("bonferroni", "sidak", "holm", "bh")
# Gaps in percentage points between the ends of the buckets, as Table 3 prints them.
_ENDS = [f"{100 * end:g}%" for end in GAP_BINS]
BUCKETS = (
    f"≤{_ENDS[0]}",
    *(f"{low}–{high}" for low, high in pairwise(_ENDS)),
    f">{_ENDS[-1]}",
)
_LARGE_GAP = 0.05


def multiplicity_of_buckets(
    verdicts: pd.DataFrame,
    multiplicity: pd.DataFrame,
    claims: Claims,
    *,
    basis: Basis = "witness",
    alpha: float = 0.05,
    power: float = 0.80,
) -> pd.DataFrame:
    """Unresolved pairs of each bucket of Table 3 under each procedure.

    Parameters
    ----------
    verdicts, multiplicity : DataFrame
        Verdict table and multiplicity stage of the board, all pairs of all tasks.
    claims : mapping
        What `kotawala2026.exhibits.prose.index_claims` returned.
    basis : {"witness", "raw", "stand_in"}
        What the scores behind the verdicts are.
    alpha, power : float
        Family-wise level (false discovery rate for Benjamini-Hochberg) and target power.

    Returns
    -------
    DataFrame
        `kotawala2026.exhibits.prose.PROSE_COLUMNS`: the critical value and the inflations of N*
        at the family's size; ``PROCEDURE_unresolved_in_bucket``; and how many rejections at
        the unadjusted level Benjamini-Hochberg takes back, for large gaps and for all.

    Notes
    -----
    The paper multiplies r by Bonferroni's inflation, which is what the first procedure does.
    The others are decided at each pair's own level, from exact conditional p-values.
    """
    m = len(verdicts)
    level, sidak = bonferroni_level(m, alpha=alpha), sidak_level(m, alpha=alpha)
    fixed = float(z_sum(alpha, power))
    family = (f"m = {m}",)
    findings = [
        Finding("critical_value_bonferroni", float(-ndtri(level / 2)), family),
        Finding("inflation_bonferroni", (float(z_sum(level, power)) / fixed) ** 2, family),
        Finding("inflation_sidak", (float(z_sum(sidak, power)) / fixed) ** 2, family),
    ]
    general = beside_claims("general", findings, claims, basis="mathematics")
    gap = verdicts["delta"].abs()
    bucket = pd.cut(gap, [0.0, *GAP_BINS, np.inf], include_lowest=True, labels=list(BUCKETS))
    of_board = []
    for name in _PROCEDURES:
        unresolved = ~multiplicity[f"resolved_{name}"].astype(bool)
        for label in BUCKETS:
            inside = bucket == label
            note = f"of {int(inside.sum())}"
            count = int((unresolved & inside).sum())
            of_board.append(Finding(f"{name}_unresolved_in_bucket", count, (label,), note=note))
        of_board.append(Finding(f"{name}_unresolved", int(unresolved.sum()), note=f"of {m}"))
    rejected = multiplicity["p_unadjusted"] <= alpha
    retracted = rejected & (multiplicity["p_bh"] > alpha)
    of_board += [
        Finding("rejections_unadjusted", int(rejected.sum()), note=f"of {m}, exact p"),
        Finding("bh_retracted", int(retracted.sum()), note="rejections taken back"),
        Finding("bh_retracted_above_5pp", int((retracted & (gap > _LARGE_GAP)).sum())),
    ]
    board = beside_claims("oll_v1", of_board, claims, basis=basis)
    return pd.concat([general, board], ignore_index=True)
