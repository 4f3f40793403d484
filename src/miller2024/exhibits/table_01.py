"""Table 1: its scores as Table 2 has them, its differences as Table 5."""

from __future__ import annotations

from typing import Final

from miller2024.tables import present, table_01
from replication.exhibits import Exhibit, Inputs

_CAPTION: Final = (
    "Scores of two fictional models, and their differences, compared with Tables 2 and 5."
)
_HEADERS: Final = {
    "eval": "Eval",
    "galleon": "Galleon",
    "dreadnought": "Dreadnought",
    "difference": "Difference",
}


def make(inputs: Inputs) -> Exhibit:
    """Make Table 1."""
    frame = table_01(inputs.printed(1), inputs.printed(2), inputs.printed(5))
    return Exhibit(present(frame, _CAPTION, _HEADERS, sources="Tables 1, 2 and 5"))
