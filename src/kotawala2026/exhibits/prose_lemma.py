"""The numerical check of Lemma 1 on a grid, Section 4 and Appendix A."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kotawala2026.exhibits.prose import Claims, Finding, beside_claims
from llm_power.statistics.paired_binary import admissible_rho, required_n_paired_binary
from llm_power.statistics.shortcut import (
    admissible_delta,
    shortcut_constant,
    shortcut_required_n,
)

_P = (0.5, 0.65, 0.8)
_RHO = np.arange(8) / 10
_DELTA = np.arange(1, 41) / 200
_CLOSE, _WIDE = 0.05, 0.20


def lemma_grid() -> pd.DataFrame:
    r"""Shortcut over N* on the grid of Appendix A.

    Returns
    -------
    DataFrame
        One row a cell: ``p``, ``rho``, ``delta``, ``ratio`` = n_h/N* at
        :math:`p \pm \delta/2`, ``constant`` = C(p, rho), ``deviation`` = \|ratio - 1/2\| and
        ``relative_error`` of C delta^2 against it.

    Notes
    -----
    The paper gives the ranges, p in {0.5, 0.65, 0.8}, rho in [0, 0.7] and delta in
    [0.005, 0.20]; the steps here are 0.1 and 0.005. Cells whose rho is not admissible (eqs. 7
    and 8: large gaps at p = 0.8) are left out, as Section 4 says.
    """
    p, rho, delta = (axis.ravel() for axis in np.meshgrid(_P, _RHO, _DELTA, indexing="ij"))
    p_a, p_b = p + delta / 2, p - delta / 2
    inside = rho <= admissible_rho(p_a, p_b)[1]
    p, rho, delta, p_a, p_b = (axis[inside] for axis in (p, rho, delta, p_a, p_b))
    ratio = shortcut_required_n(p_a, p_b, rho) / required_n_paired_binary(p_a, p_b, rho)
    constant = shortcut_constant(p, rho)
    return pd.DataFrame(
        {
            "p": p,
            "rho": rho,
            "delta": delta,
            "ratio": ratio,
            "constant": constant,
            "deviation": np.abs(ratio - 0.5),
            "relative_error": np.abs(np.abs(ratio - 0.5) / (constant * delta**2) - 1),
        }
    )


def lemma_check(claims: Claims) -> pd.DataFrame:
    """What the paper says of the grid, beside the grid.

    Parameters
    ----------
    claims : mapping
        What `kotawala2026.exhibits.prose.index_claims` returned.

    Returns
    -------
    DataFrame
        `kotawala2026.exhibits.prose.PROSE_COLUMNS`.

    Notes
    -----
    The largest deviations that Section 4 prints are those of p = 0.5 and 0.65, where C is at
    most 1/3. At p = 0.8 the constant reaches 1.97, and the deviation at a gap of 0.05 is
    0.0049. The relative errors and the constants are as printed, in the median; where C is
    nearly zero, four figures are not reached at the smallest gap of the grid.
    """
    grid = lemma_grid()
    findings = []
    for delta in (_CLOSE, _WIDE):
        cells = grid[grid["delta"] == delta]
        at = f"δ = {delta:g}"
        worst = _row_of_largest(cells, "deviation")
        note = f"all p; at p = {worst['p']:g}, ρ = {worst['rho']:g}"
        findings.append(
            Finding("lemma_largest_deviation", float(worst["deviation"]), (at,), note=note)
        )
        findings += [
            Finding("lemma_largest_deviation", float(group["deviation"].max()), (at, f"p = {p:g}"))
            for p, group in cells.groupby("p")
        ]
    close = grid[grid["delta"] <= _CLOSE]
    smallest = grid[grid["delta"] == grid["delta"].min()]
    worst = _row_of_largest(smallest, "relative_error")
    corner = grid[(grid["p"] == 0.8) & (grid["rho"] == 0.5) & (grid["delta"] == _WIDE)].iloc[0]
    beyond = float(corner["deviation"] / (corner["constant"] * corner["delta"] ** 2) - 1)
    within = smallest["relative_error"] < 5e-4
    findings += [
        Finding("lemma_relative_error_median", float(close["relative_error"].median())),
        Finding(
            "lemma_relative_error_largest",
            float(worst["relative_error"]),
            note=f"at δ = {worst['delta']:g}, p = {worst['p']:g}, ρ = {worst['rho']:g}, "
            f"C = {worst['constant']:.4f}; {int(within.sum())} of {len(within)} cells are within",
        ),
        Finding("lemma_fourth_order_share", beyond),
        Finding("shortcut_constant", float(shortcut_constant(0.5, 0.3)), ("p = 0.5",)),
        *(
            Finding(
                "shortcut_constant",
                float(shortcut_constant(p, rho)),
                (f"p = {p:g}", f"ρ = {rho:g}"),
            )
            for p, rho in ((0.65, 0.0), (0.8, 0.5), (0.65, 0.9))
        ),
        Finding("admissible_gap", float(admissible_delta(0.65, 0.3, 0.05))),
    ]
    return beside_claims("general", findings, claims, basis="mathematics")


def _row_of_largest(cells: pd.DataFrame, column: str) -> pd.Series:
    return cells.iloc[int(cells[column].to_numpy().argmax())]
