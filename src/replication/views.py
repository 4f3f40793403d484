"""Tables of findings: roles of a witness, numbers of the text, evidence for claims."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

import pandas as pd

from llm_power._errors import InvalidArgument
from llm_power._provenance import Evidence
from llm_power_audit._csv import csv_table
from llm_power_audit.item_checks import REMARK
from replication.constraints import Constraint, load_constraints
from replication.findings import Finding, findings_frame

ROLES_COLUMNS: Final = [
    *("id", "panel", "quantity", "subject", "where", "printed", "role"),
    *("value", "value_untilted", "residual", "unit", "status", "note"),
]
PROSE_COLUMNS: Final = [
    *("panel", "quantity", "subject", "where", "printed", "role"),
    *("value", "lower", "upper", "mc_se", "printed_se", "agrees", "evidence", "note"),
]
EVIDENCE_COLUMNS: Final = [
    *("quantity", "subject", "value", "lower", "upper", "method", "evidence"),
    *("standard_error", "unit"),
]
ITEMS_COLUMNS: Final = [
    *("id", "quantity", "value", "standard_error", "joint_error", "evidence", "method")
]
# A value differs from the printed one by arithmetic alone.
_ROUNDING: Final = 1e-9

# Printed numbers by panel, quantity and subject.
Printed = Mapping[tuple[str, str, str], Constraint]


def evidence_view(findings: Iterable[Finding]) -> pd.DataFrame:
    """Return the findings by quantity and subject; checks of claims read them."""
    return findings_frame(findings).rename(columns={"basis": "evidence"})[EVIDENCE_COLUMNS]


def items_view(
    constraints: Iterable[Constraint], findings: Iterable[Finding], *, remark: str = ""
) -> pd.DataFrame:
    """Return what the items of a panel give for each of its printed numbers.

    A number without a value has what leaves it without one as its method. A `remark` is a row of no
    claim, and opens the report.
    """
    by_name = _by_name(findings)
    judged = [(c, _finding_for(c, by_name)) for c in constraints]
    rows = [
        (
            *(c.id, c.quantity, f.value, _error(f), math.hypot(_error(f), c.standard_error)),
            *(f.basis, f.method),
        )
        for c, f in judged
    ]
    opening = [("", REMARK, remark, 0.0, 0.0, "none", "")] if remark else []
    return pd.DataFrame([*rows, *opening], columns=ITEMS_COLUMNS)


def left_open(files: Iterable[str]) -> list[str]:
    """Return the remark of each panel of whose printed numbers some rest on no items."""
    tables = [csv_table(Path(file)) for file in files]
    return [
        row["value"]
        for rows in tables
        for row in rows
        if row["quantity"] == REMARK
        and any(other["id"] and other["evidence"] == "none" for other in rows)
    ]


def index_printed(constraints: Iterable[Constraint]) -> Printed:
    """Index printed numbers by panel, quantity and subject."""
    indexed: dict[tuple[str, str, str], Constraint] = {}
    for c in constraints:
        indexed.setdefault((c.panel, c.quantity, ", ".join(c.subject)), c)
    return indexed


def load_printed(register: Path) -> Printed:
    """Index the printed numbers of a register of claims, as `index_printed` does."""
    return index_printed(chain.from_iterable(load_constraints(register).values()))


def prose_view(findings: Iterable[Finding], printed: Printed) -> pd.DataFrame:
    """Set each finding beside the printed number of its panel, quantity and subject."""
    rows = []
    for f in findings:
        c = printed.get((f.panel, f.quantity, f.subject))
        agrees = c.agrees(float(f.value), _error(f)) if c else None
        note = "; ".join(filter(None, [f.method, c.note if c else ""]))
        rows.append(
            (
                *(f.panel, f.quantity, f.subject),
                *((c.where, c.printed.text, c.role) if c else (None, None, None)),
                *(float(f.value), f.lower, f.upper, f.standard_error),
                *((c.standard_error if c else 0.0) or math.nan, agrees, _evidence(f, c), note),
            )
        )
    return pd.DataFrame(rows, columns=PROSE_COLUMNS).astype({"agrees": "boolean"})


def roles_view(
    constraints: Sequence[Constraint],
    findings: Iterable[Finding],
    *,
    untilted: Iterable[Finding] | None = None,
) -> pd.DataFrame:
    """Compare a witness with every printed number of its panel."""
    after, before = _by_name(findings), _by_name(untilted or ())
    rows = []
    for c in constraints:
        finding = _finding_for(c, after)
        value, error = float(finding.value), _error(finding)
        simulated = math.hypot(error, c.standard_error)
        untilted_value = float(_finding_for(c, before).value) if before else math.nan
        unit = "standard errors" if simulated else "half units"
        rows.append(
            (
                *(c.id, c.panel, c.quantity, ", ".join(c.subject), c.where, c.printed.text, c.role),
                *(value, untilted_value, _residual(c, value, simulated), unit),
                *(_status(c, value, error), c.note),
            )
        )
    return pd.DataFrame(rows, columns=ROLES_COLUMNS)


def _by_name(findings: Iterable[Finding]) -> dict[tuple[str, str], Finding]:
    return {(f.quantity, f.subject): f for f in findings}


def _finding_for(c: Constraint, findings: Mapping[tuple[str, str], Finding]) -> Finding:
    for subject in (", ".join(c.subject), *c.subject[:1], ""):
        if (c.quantity, subject) in findings:
            return findings[c.quantity, subject]
    raise InvalidArgument(f"no finding of the panel {c.panel} is for {c.label}")


def _evidence(f: Finding, c: Constraint | None) -> Evidence:
    if f.basis == "witness":
        return "witness_fitted" if c is not None and c.is_fitted else "witness_held_out"
    return f.basis or "none"


def _residual(c: Constraint, value: float, error: float) -> float:
    if math.isinf(c.interval[1] - c.interval[0]):
        return math.nan
    if error:
        return (value - c.printed.value) / error
    low, high = c.interval
    return (value - (low + high) / 2) / ((high - low) / 2)


def _status(c: Constraint, value: float, error: float) -> str:
    right = c.agrees(value, error)
    if not c.is_fitted:
        return f"held out: {'right' if right else 'wrong'}"
    if right and abs(value - c.printed.value) <= _ROUNDING * max(1.0, abs(c.printed.value)):
        return "exact"
    return "within rounding" if right else "residual"


def _error(f: Finding) -> float:
    """Monte Carlo standard error of a finding; 0 where it has none."""
    return 0.0 if math.isnan(f.standard_error) else f.standard_error
