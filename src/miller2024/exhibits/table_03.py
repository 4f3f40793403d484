"""Table 3: clustered standard errors beside eq. (2)."""

from __future__ import annotations

from miller2024.tables import present, table_03
from replication.exhibits import Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Make Table 3."""
    frame = table_03(inputs.printed(3))
    return Exhibit(
        present(
            frame,
            3,
            "Scores with clustered standard errors, and what these are beside eq. (2).",
            sources="Table 3",
        )
    )
