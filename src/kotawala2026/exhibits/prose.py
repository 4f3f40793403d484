"""Numbers that the paper states in prose only, each beside its recomputation.

The modules ``prose_*`` hold one idea each and return frames of `PROSE_COLUMNS`, so that a
reader of one CSV needs no other file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import pandas as pd

from llm_power.provenance import Evidence
from replication.constraints import Constraint, Panel

PROSE_COLUMNS: Final = [
    *["panel", "quantity", "subject", "where", "printed", "role"],
    *["value", "mc_se", "printed_se", "agrees", "evidence", "note"],
]

# What findings are computed from: formulas alone, printed counts, or per-item scores.
Basis = Literal["mathematics", "counts", "witness", "raw", "stand_in"]
Claims = Mapping[tuple[str, str, tuple[str, ...]], Constraint]


@dataclass(frozen=True, slots=True)
class Finding:
    """A recomputed number.

    Attributes
    ----------
    quantity : str
        Its name, as the register of printed numbers has it.
    value : float
        Unrounded.
    subject : tuple of str
        What it is a quantity of; empty for the panel.
    mc_se : float
        Monte Carlo standard error; NaN for a number without one.
    note : str
        Reading, units, or what the value rests on.
    simulated : bool
        Whether it was simulated or resampled; a number with a standard error always was.
    """

    quantity: str
    value: float
    subject: tuple[str, ...] = ()
    mc_se: float = math.nan
    note: str = ""
    simulated: bool = False


def index_claims(*registers: Mapping[Panel, Sequence[Constraint]]) -> Claims:
    """Index registers of printed numbers by panel, quantity and subject.

    Parameters
    ----------
    *registers : mapping
        What `replication.constraints.load_constraints` returned. A number that several
        list is taken from the first.

    Returns
    -------
    mapping
        For the functions of ``prose_*``.
    """
    claims: dict[tuple[str, str, tuple[str, ...]], Constraint] = {}
    for register in registers:
        for panel, constraints in register.items():
            for claim in constraints:
                claims.setdefault((panel, claim.quantity, claim.subject), claim)
    return claims


def beside_claims(
    panel: Panel, findings: Iterable[Finding], claims: Claims, *, basis: Basis
) -> pd.DataFrame:
    """Set each finding beside what is printed.

    Parameters
    ----------
    panel : {"oll_v1", "mmlu_pro", "frontier", "general"}
        Data that the findings are about.
    findings : iterable of Finding
        In the order of the rows.
    claims : mapping
        What `index_claims` returned.
    basis : {"mathematics", "counts", "witness", "raw", "stand_in"}
        What the findings were computed from.

    Returns
    -------
    DataFrame
        `PROSE_COLUMNS`. ``where``, ``printed`` and ``role`` (what a witness may do with the
        number; of no meaning for raw data) are missing where the paper prints nothing, and so
        is ``agrees``, the rule of `Constraint.agrees`. ``evidence`` is how
        far the value can bear on the printed number.
    """
    rows = []
    for finding in findings:
        claim = claims.get((panel, finding.quantity, finding.subject))
        rows.append(
            {
                "panel": panel,
                "quantity": finding.quantity,
                "subject": ", ".join(finding.subject),
                "where": claim.where if claim else None,
                "printed": claim.printed.text if claim else None,
                "role": claim.role if claim else None,
                "value": float(finding.value),
                "mc_se": finding.mc_se,
                "printed_se": _printed_error(claim),
                "agrees": claim.agrees(finding.value, _known(finding.mc_se)) if claim else None,
                "evidence": _evidence(basis, claim, finding),
                "note": "; ".join(filter(None, [finding.note, claim.note if claim else ""])),
            }
        )
    frame = pd.DataFrame(rows, columns=PROSE_COLUMNS)
    return frame.astype({"agrees": "boolean"})


def _known(error: float) -> float:
    return 0.0 if math.isnan(error) else error


def _printed_error(claim: Constraint | None) -> float:
    return math.nan if claim is None or claim.standard_error is None else claim.standard_error


def _evidence(basis: Basis, claim: Constraint | None, finding: Finding) -> Evidence:
    if basis in ("raw", "stand_in"):
        return basis
    if basis == "witness":
        fitted = claim is not None and claim.role != "held_out"
        return "witness_fitted" if fitted else "witness_held_out"
    if finding.simulated or not math.isnan(finding.mc_se):
        return "simulated"
    return "derived" if basis == "mathematics" else "counts"
