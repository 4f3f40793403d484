"""Verdicts when the correlation is off by a tenth, Section 6.2."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kotawala2026.exhibits.prose import Basis, Claims, Finding, beside_claims
from llm_power.report._board import pair_labels, task_label
from llm_power.statistics.rho_sensitivity import rho_sensitivity as at_shifted_rho
from replication.constraints import Panel


def rho_sensitivity(
    verdicts: pd.DataFrame,
    claims: Claims,
    *,
    panel: Panel,
    basis: Basis = "witness",
    shift: float = 0.10,
    alpha: float = 0.05,
    power: float = 0.80,
) -> pd.DataFrame:
    """Unresolved pairs at rho - `shift` and rho + `shift`, and the pairs that flip.

    Parameters
    ----------
    verdicts : DataFrame
        Verdict table of the board.
    claims : mapping
        What `kotawala2026.exhibits.prose.index_claims` returned.
    panel : {"oll_v1", "mmlu_pro", "frontier"}
        Which board.
    basis : {"witness", "raw", "stand_in"}
        What the scores behind the verdicts are.
    shift : float
        How much the correlation of every pair is moved.
    alpha, power : float
        Two-sided level and target power.

    Returns
    -------
    DataFrame
        `kotawala2026.exhibits.prose.PROSE_COLUMNS`: fewest and most unresolved pairs, flips, the
        largest gap of a flipping pair (pp), clamped correlations, and a row a flipping pair.

    Notes
    -----
    A moved correlation is clamped to the admissible interval of eqs. (7) and (8), and N*
    follows from eq. (6) at the observed accuracies. A pair flips if either move changes its
    verdict.
    """
    p_a, p_b, rho, n = (verdicts[name].to_numpy() for name in ("p_a", "p_b", "rho", "n_items"))
    moved = at_shifted_rho(p_a, p_b, rho, n, shift=shift, alpha=alpha, power=power)
    flips = moved.flips
    gap = 100 * np.abs(verdicts["delta"].to_numpy())
    counts = [int(np.count_nonzero(x)) for x in (moved.lower, moved.observed, moved.upper)]
    findings = [
        Finding("rho_sensitivity_fewest", min(counts), note=f"at ρ + {shift:g}"),
        Finding("rho_sensitivity_most", max(counts), note=f"at ρ - {shift:g}"),
        Finding("rho_sensitivity_flips", int(flips.sum())),
        Finding(
            "rho_sensitivity_largest_gap_pp",
            float(gap[flips].max()) if flips.any() else np.nan,
            note="pp",
        ),
        Finding(
            "rho_sensitivity_clamped",
            int(np.count_nonzero(moved.clamped)),
            note="pairs moved to the end of eqs. 7 and 8",
        ),
    ]
    labels, r = pair_labels(verdicts), (verdicts["n_star"] / verdicts["n_items"]).to_numpy()
    for i in np.flatnonzero(flips):
        towards = "unresolved at ρ -" if moved.lower[i] != moved.observed[i] else "resolved at ρ +"
        findings.append(
            Finding(
                "rho_sensitivity_flipping_pair_gap_pp",
                float(gap[i]),
                (task_label(str(verdicts["task"].iloc[i])), labels[i]),
                note=f"{towards} {shift:g}; ρ = {rho[i]:.3f}, r = {r[i]:.3f}",
            )
        )
    return beside_claims(panel, findings, claims, basis=basis)
