"""What was put into a witness and what came out of it: one row a printed number."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import pandas as pd

from replication.constraints import Constraint

# A value that differs by no more than this has the printed number, in floating point.
_ROUNDING: Final = 1e-9

REPORT_COLUMNS: Final = [
    *("id", "panel", "quantity", "subject", "where", "printed", "role"),
    *("value", "value_untilted", "residual", "unit", "status", "note"),
]


def roles_report(
    constraints: Sequence[Constraint],
    value: Callable[[Constraint], float],
    *,
    untilted: Callable[[Constraint], float] | None = None,
) -> pd.DataFrame:
    """Hold a witness against every printed number of its panel.

    Parameters
    ----------
    constraints : sequence of Constraint
        The panel's constraints, of all roles.
    value : callable
        The witness's value of a constraint's quantity, in the units of its ``printed.value``.
    untilted : callable, optional
        The same for the witness before anything but exact counts was put in.

    Returns
    -------
    DataFrame
        `REPORT_COLUMNS`, one row a printed number. ``residual`` is value minus printed, in
        ``unit``: half units of the last printed digit, or standard errors of a printed number
        that was itself simulated. ``status`` is "exact", "within rounding" or "residual" for
        what was fitted, and "held out: right" or "held out: wrong" for what was not.
    """
    rows = []
    for c in constraints:
        found = value(c)
        rows.append(
            {
                "id": c.id,
                "panel": c.panel,
                "quantity": c.quantity,
                "subject": ", ".join(c.subject),
                "where": c.where,
                "printed": c.printed.text,
                "role": c.role,
                "value": found,
                "value_untilted": math.nan if untilted is None else untilted(c),
                "residual": _residual(c, found),
                "unit": "half units" if c.standard_error is None else "standard errors",
                "status": _status(c, found),
                "note": c.note,
            }
        )
    return pd.DataFrame(rows, columns=REPORT_COLUMNS)


def _residual(c: Constraint, value: float) -> float:
    if math.isinf(c.interval[1] - c.interval[0]):
        return math.nan
    if c.standard_error is not None:
        return (value - c.printed.value) / c.standard_error
    low, high = c.interval
    return (value - (low + high) / 2) / ((high - low) / 2)


def _status(c: Constraint, value: float) -> str:
    right = c.agrees(value)
    if not c.is_fitted:
        return f"held out: {'right' if right else 'wrong'}"
    if right and abs(value - c.printed.value) <= _ROUNDING * max(1.0, abs(c.printed.value)):
        return "exact"
    return "within rounding" if right else "residual"
