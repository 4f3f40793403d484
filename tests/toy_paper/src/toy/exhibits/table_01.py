"""Table 1: discordant counts of two pairs, and the gap that they imply."""

from __future__ import annotations

from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table, as_fixed, as_integer
from replication.exhibits import Exhibit, Inputs
from toy.pairs import resolved_pairs


def make(inputs: Inputs) -> Exhibit:
    """Make Table 1."""
    frame = resolved_pairs(inputs.printed(1), **inputs.point)[["pair", "n", "b", "c"]]
    frame["gap_pp"] = 100 * (frame["b"] - frame["c"]) / frame["n"]
    table = Table(
        frame=frame,
        columns=[
            Column("pair", "Pair"),
            *(Column(name, name.upper(), as_integer, "right") for name in ("n", "b", "c")),
            Column("gap_pp", "gap (pp)", as_fixed(1), "right"),
        ],
        caption="Discordant counts of two pairs.",
        provenance=[Provenance.published("Table 1")],
    )
    return Exhibit(table)
