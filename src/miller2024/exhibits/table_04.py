"""Table 4: ratios of clustered and naive standard errors."""

from __future__ import annotations

from typing import Final

from miller2024.tables import present, table_04
from replication.exhibits import Exhibit, Inputs

_CAPTION: Final = "Printed clustered and naive standard errors (SE) of a model, and their ratio."
_HEADERS: Final = {
    "eval": "Eval",
    "clustered_printed": "Clustered SE, printed",
    "naive_printed": "Naive SE, printed",
    "ratio": "Ratio",
}


def make(inputs: Inputs) -> Exhibit:
    """Make Table 4."""
    frame = table_04(inputs.printed(4))
    return Exhibit(present(frame, _CAPTION, _HEADERS, sources="Table 4"))
