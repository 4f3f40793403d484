"""Findings by the names that their rows are looked up with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from replication.findings import Finding

# By quantity and subject: a number or a word, and the ends of all that it can be.
Values = dict[tuple[str, str], Any]
Errors = dict[tuple[str, str], float]
Sets = dict[tuple[str, str], tuple[float, float]]


def values_of(rows: Iterable[Finding]) -> Values:
    """Return the value of every row; two rows of one name are a fault."""
    listed = list(rows)
    named = {(row.quantity, row.subject): row.value for row in listed}
    assert len(named) == len(listed), "quantity and subject name a row"
    return named


def sets_of(rows: Iterable[Finding]) -> Sets:
    """Return the ends of the values of every row that has several."""
    return {(row.quantity, row.subject): (row.lower, row.upper) for row in rows}


def errors_of(rows: Iterable[Finding]) -> Errors:
    """Return the standard error of every row, NaN where it has none."""
    return {(row.quantity, row.subject): row.standard_error for row in rows}
