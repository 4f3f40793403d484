"""Checks of claims against the items of a panel, where these are at hand and are no witness.

A claim that names panel and quantity in ``measures`` is then judged by the quantity's value on the
items, before whatever its register holds it against: tables do not know the error of a number that
the paper simulated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from llm_power_audit._csv import csv_table
from llm_power_audit.claims import Check, Claim, Register
from llm_power_audit.printed import as_decimal

# What a register holds a number against that nothing but a witness has.
_ROLES: Final = "witness/roles.csv"
# The quantity of a row that is a sentence for the reader.
REMARK: Final = "remark"


def with_item_checks(register: Register, results: Path, files: Sequence[str]) -> Register:
    """Return the register with a check more for each number that the items give."""
    rows = [(row, file) for file in files for row in csv_table(results / file)]
    file_of = {row["id"]: file for row, file in rows}
    claims = tuple(
        replace(claim, checks=(*_checks(claim, file_of[claim.id]), *claim.checks))
        if claim.id in file_of
        else claim
        for claim in register.claims
    )
    remarks = [
        Check(result=file, rows={"quantity": REMARK}, column="value")
        for row, file in rows
        if row["quantity"] == REMARK
    ]
    return replace(register, claims=claims, remarks=(*register.remarks, *remarks))


def _checks(claim: Claim, file: str) -> Iterator[Check]:
    # Where the words of the claim are no number of the quantity, its own checks translate them.
    if "states" in claim.measures or claim.statement.relation == "text":
        return
    # A standard error of the printed number that is the claim's own is added where it is judged.
    error = "joint_error" if "standard_error" in claim.measures else "standard_error"
    scale = float(1 / as_decimal(claim.measures.get("scale", 1)))
    for quantity, reading in _quantities(claim):
        yield Check(
            result=file,
            rows={"id": claim.id, "quantity": quantity},
            column="value",
            scale=scale,
            standard_error=error,
            reading=reading,
        )


def _quantities(claim: Claim) -> Iterator[tuple[str, str]]:
    """Yield each quantity of a claim with the reading that it is."""
    listed = claim.measures["quantity"]
    quantities = [listed] if isinstance(listed, str) else listed
    readings = {c.rows.get("quantity"): c.reading for c in claim.checks if c.result == _ROLES}
    is_defined = len(quantities) == 1 and not any(check.reading for check in claim.checks)
    for quantity in quantities:
        if is_defined or readings.get(quantity):
            yield quantity, readings.get(quantity, "")
