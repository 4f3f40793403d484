"""Printed cells beside the recomputed ones: the columns, what agrees, and how they are shown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pandas as pd

from llm_power._provenance import Provenance, provenance_kinds
from llm_power._report.tables import Column, as_integer
from llm_power._statistics.arrays import ArrayLike
from llm_power_audit.agreement import agrees
from llm_power_audit.printed import DisplayRule, Printed


def beside(
    printed: Mapping[str, Iterable[Printed | None]] | pd.DataFrame,
    values: Mapping[str, ArrayLike] | pd.DataFrame,
    errors: Mapping[Any, ArrayLike] | pd.DataFrame = MappingProxyType({}),
    *,
    rounding: DisplayRule = "nearest",
) -> dict[str, Any]:
    """Return ``NAME_printed``, ``NAME`` and ``NAME_agrees``, given the differences' errors.

    A cell that prints nothing agrees with NaN.
    """
    columns: dict[str, Any] = {}
    for name, recomputed in ((str(name), column) for name, column in values.items()):
        numbers = np.asarray(recomputed, dtype=np.float64).tolist()
        error = np.broadcast_to(errors.get(name, 0.0), len(numbers)).tolist()
        of_items = name.startswith("n_star")
        judge = agrees_rounded if of_items else partial(agrees, rounding=rounding)
        columns |= {
            f"{name}_printed": [cell.text if cell else "–" for cell in printed[name]],
            name: numbers,
            f"{name}_agrees": [
                judge(cell, number, standard_error=one) if cell else math.isnan(number)
                for cell, number, one in zip(printed[name], numbers, error, strict=True)
            ],
        }
    return columns


def agrees_rounded(printed: Printed, value: float, *, standard_error: float = 0.0) -> bool:
    """Whether a number of items can be what was printed, to the nearest integer or rounded up."""
    # Table 6 rounds to the nearest integer, Tables 7 and 10 round up.
    return agrees(printed, value, standard_error=standard_error) or (
        math.isfinite(value)
        and agrees(printed, float(math.ceil(value)), standard_error=standard_error)
    )


#: The column of a quantity of `beside`: a number with the digits of the printed one.
compared: Final = partial(Column, align="right", printed=True)


def as_rounded_up(value: float) -> str:
    """Format a number of items as Tables 1, 4, 7 and 10 print it, to the next whole one."""
    return as_integer(math.ceil(value) if math.isfinite(value) else value)


def of_witness(provenance: Sequence[Provenance], sentence: str) -> list[str]:
    """Return what a note says of a witness, where the data are one."""
    return [sentence] if "witness" in provenance_kinds(provenance) else []


def count_unresolved(resolved: pd.Series) -> int:
    """Return how many pairs are not resolved."""
    return int(np.count_nonzero(~resolved.to_numpy(dtype=bool)))
