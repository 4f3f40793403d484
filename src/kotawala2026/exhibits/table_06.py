"""Table 6: the seven close pairs of the Open LLM Leaderboard v1, from their counts."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from kotawala2026.exhibits._beside import count_unresolved
from kotawala2026.exhibits._counts_table import (
    counted,
    inputs_note,
    items_of,
    label_and_gap,
    shown_columns,
    side_by_side,
    stacked,
)
from kotawala2026.labels import CLOSE_GAP, spelled_out
from llm_power._provenance import Provenance
from llm_power._report.tables import Table, as_fixed, as_integer
from llm_power_audit.printed import Printed
from llm_power_audit.printed_tables import PublishedCounts
from replication.exhibits import Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Make Table 6; Table 11 prints its gaps."""
    counts = inputs.counts(6)
    gaps = [gap for _, gap in map(label_and_gap, inputs.printed(11)["pair"])]
    frame = table_06(counts, gaps, items_of(inputs, counts, "oll_v1"))
    return Exhibit(present(frame, inputs.provenance()))


def table_06(
    counts: PublishedCounts, gap_pp: Sequence[Printed], items: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Each derived cell of Table 6, as printed and as its row's counts give it."""
    # n11 is not printed: b, c and the accuracies determine it. N* is rounded to the nearest
    # integer; up would print 3,376 and 20,256 for two rows.
    return side_by_side(counts, gap_pp, items, counts.n_items, "nearest")


def present(frame: pd.DataFrame, provenance: Sequence[Provenance] = ()) -> Table:
    """Dress the frame of `table_06`; `provenance` is that of the board's items, if any."""
    columns = shown_columns(frame, "Task", as_integer)
    columns.insert(2, counted(frame, "n_items", "N"))
    unresolved = count_unresolved(frame["resolved"])
    r = (frame["n_star"] / frame["n_items"])[~frame["resolved"].astype(bool)]
    return Table(
        frame=frame,
        shown=stacked(frame).assign(unresolved=~frame["resolved"]),
        columns=columns,
        finding=f"{unresolved} of {len(frame)} close pairs are unresolved: they need "
        f"{as_fixed(1)(r.min())} to {as_fixed(0)(r.max())} times the items of their task.",
        caption=f"OLL v1 pairs with gaps of at most {CLOSE_GAP:.0%}; bold: N* above N.",
        provenance=[*provenance, Provenance.published("Tables 6 and 11")],
        notes=[
            f"{inputs_note(frame, 'one p̂ a task')} N as printed, N* rounded to the nearest "
            "integer.",
            spelled_out("OLL v1", "ARC-C", "HS", "Wino", "Mistral-7B-I-v0.2"),
        ],
    )
