"""Shortcut over N*, and the unpaired formula over N*, summarized over a board's pairs."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kotawala2026.exhibits.figure_01 import figure_01
from kotawala2026.exhibits.prose import Basis, Claims, Finding, beside_claims
from llm_power.printed import (
    display_up,
)
from llm_power.statistics._typing import FloatArray
from replication.constraints import Panel

_CLOSE = 0.02
_NEAR = 0.05


def shortcut_ratios(
    verdicts: pd.DataFrame, claims: Claims, *, panel: Panel, basis: Basis = "witness"
) -> pd.DataFrame:
    """Summary of n_h/N* over the pairs, as a real ratio and as a ratio of whole items.

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

    Returns
    -------
    DataFrame
        `kotawala2026.exhibits.prose.PROSE_COLUMNS`: five-number summaries of
        ``shortcut_ratio`` and ``shortcut_ratio_of_whole_items`` (both numbers of items
        rounded up first), the largest deviation from 1/2 of the close pairs, and the number
        of pairs within 5 pp.

    Notes
    -----
    Section 4 prints a largest ratio of 0.562. As a ratio of real numbers no pair of the board
    can have it: only GSM8K's Llama-3-8B-Instruct and gemma-7b-it come near, and theirs is
    0.5605 whatever their correlation. 9/16 = 0.5625 is the ratio of the two after rounding up.
    Pairs without a gap have no ratio.
    """
    finite = verdicts[np.isfinite(verdicts["n_star"])]
    n_h, n_star = finite["n_h"].to_numpy(), finite["n_star"].to_numpy()
    ratio = n_h / n_star
    whole = display_up(n_h) / display_up(n_star)
    gap = verdicts["delta"].abs()
    close = np.abs(ratio - 0.5)[finite["delta"].abs().to_numpy() <= _CLOSE]
    findings = [
        *_summary("shortcut_ratio", ratio),
        *_summary("shortcut_ratio_of_whole_items", whole),
        Finding("shortcut_ratio_close_pairs_deviation", float(close.max()) if len(close) else 0.0),
        Finding("pairs_within_5pp", int((gap <= _NEAR).sum()), note=f"of {len(verdicts)}"),
    ]
    return beside_claims(panel, findings, claims, basis=basis)


def miller_gain(
    verdicts: pd.DataFrame, claims: Claims, *, basis: Basis = "witness"
) -> pd.DataFrame:
    """Summary of the unpaired required N over the paired one, Section 2 and Figure 1.

    Parameters
    ----------
    verdicts : DataFrame
        Verdict table of the board, all pairs of all tasks.
    claims : mapping
        What `kotawala2026.exhibits.prose.index_claims` returned.
    basis : {"witness", "raw", "stand_in"}
        What the scores behind the verdicts are.

    Returns
    -------
    DataFrame
        `kotawala2026.exhibits.prose.PROSE_COLUMNS`: five-number summary of the gain; mean, and
        largest absolute, residual from 1/(1 - rho).
    """
    points = figure_01(verdicts)
    residual = points["residual"]
    findings = [
        *_summary("miller_gain", points["gain"].to_numpy()),
        Finding("miller_residual_mean", float(residual.mean())),
        Finding(
            "miller_residual_max", float(residual.abs().max()), note="largest in absolute value"
        ),
        Finding("miller_residual_largest_positive", float(residual.max())),
    ]
    return beside_claims("oll_v1", findings, claims, basis=basis)


def _summary(name: str, values: FloatArray) -> list[Finding]:
    parts = zip(
        ("min", "q1", "median", "q3", "max"),
        np.quantile(values, [0, 0.25, 0.5, 0.75, 1]),
        strict=True,
    )
    return [Finding(f"{name}_{part}", float(value)) for part, value in parts]
