"""Table 2: standard errors by eq. (2) beside the printed ones."""

from __future__ import annotations

from typing import Final

from miller2024.tables import present, table_02
from replication.exhibits import Exhibit, Inputs

_CAPTION: Final = (
    "Scores of two fictional models, each from the other and their difference, and standard errors "
    "(SE) by eq. (2)."
)
_HEADERS: Final = {
    "eval": "Eval",
    "n": "Questions",
    "galleon": "Galleon",
    "galleon_se": "SE",
    "dreadnought": "Dreadnought",
    "dreadnought_se": "SE",
}


def make(inputs: Inputs) -> Exhibit:
    """Make Table 2."""
    frame = table_02(inputs.printed(2), inputs.printed(5))
    return Exhibit(present(frame, _CAPTION, _HEADERS, sources="Tables 2 and 5"))
