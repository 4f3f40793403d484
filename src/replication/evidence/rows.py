"""One recomputed number with what it rests on."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields

import pandas as pd

from llm_power.provenance import Evidence


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """A number that follows from printed numbers or from mathematics alone.

    Attributes
    ----------
    quantity : str
        What it is, for example ``n_star_at_12032``.
    subject : str
        Of what: a row's label, a pair; empty for the whole.
    value : float or str
        Unrounded; text for verdict words.
    method : str
        How it follows, with the equation.
    evidence : str
        ``derived``, ``counts`` or ``simulated``.
    standard_error : float
        Monte Carlo standard error; NaN for a number without one.
    unit : str
        Unit of `value`; empty for a pure number.
    """

    quantity: str
    subject: str
    value: float | str
    method: str
    evidence: Evidence = "counts"
    standard_error: float = math.nan
    unit: str = ""


def derived(
    quantity: str, subject: str, value: float | str, method: str, unit: str = ""
) -> EvidenceRow:
    """Return a number that is mathematics alone."""
    return EvidenceRow(quantity, subject, value, method, evidence="derived", unit=unit)


def evidence_frame(rows: Iterable[EvidenceRow]) -> pd.DataFrame:
    """Return the rows as a table with one column per attribute, in the order given."""
    return pd.DataFrame(
        [asdict(row) for row in rows], columns=[field.name for field in fields(EvidenceRow)]
    )
