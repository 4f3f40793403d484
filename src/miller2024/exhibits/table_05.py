"""Table 5: differences, by the relation of Section 4.2 from the errors of Tables 2 and 3."""

from __future__ import annotations

from miller2024.tables import present, table_05
from replication.exhibits import Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Make Table 5."""
    frame = table_05(inputs.printed(5), inputs.printed(2), inputs.printed(3))
    caption = "Paired differences, and what errors, correlations and intervals give of one another."
    notes = [
        "SE and correlation follow from each other and the errors of Tables 2 and 3; ends from "
        "difference and SE; the difference is the middle of the interval."
    ]
    return Exhibit(present(frame, 5, caption, sources="Tables 2, 3 and 5", notes=notes))
