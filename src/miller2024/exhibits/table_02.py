"""Table 2: standard errors by eq. (2) beside the printed ones."""

from __future__ import annotations

from miller2024.tables import present, table_02
from replication.exhibits import Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Make Table 2."""
    frame = table_02(inputs.printed(2), inputs.printed(5))
    return Exhibit(
        present(
            frame, 2, "Scores with standard errors, and those of eq. (2).", sources="Tables 2 and 5"
        )
    )
