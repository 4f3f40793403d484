"""Table 4: ratios of clustered and naive standard errors."""

from __future__ import annotations

from miller2024.tables import present, table_04
from replication.exhibits import Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Make Table 4."""
    frame = table_04(inputs.printed(4))
    return Exhibit(
        present(
            frame, 4, "Clustered and naive standard errors, and their ratio.", sources="Table 4"
        )
    )
