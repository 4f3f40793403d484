"""Table 6: the seven close pairs of the Open LLM Leaderboard v1, from their counts."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from kotawala2026.exhibits._beside import count_unresolved
from kotawala2026.exhibits._counts_table import (
    label_and_gap,
    shown_columns,
    side_by_side,
    stacked,
)
from kotawala2026.exhibits.item_count import rules_of_table
from llm_power.printed import Printed
from llm_power.provenance import Provenance
from llm_power.report.tables import Column, Table, as_integer
from replication.exhibits import Exhibit, Inputs
from replication.printed import PublishedCounts


def make(inputs: Inputs) -> Exhibit:
    """Make Table 6; Table 11 prints its gaps."""
    gaps = [gap for _, gap in map(label_and_gap, inputs.printed(11)["pair"])]
    return Exhibit(present(table_06(inputs.counts(6), gaps)))


def table_06(counts: PublishedCounts, gap_pp: Sequence[Printed]) -> pd.DataFrame:
    """Each derived cell of Table 6, as printed and as its row's counts give it.

    Parameters
    ----------
    counts : PublishedCounts
        Table 6.
    gap_pp : sequence of Printed
        The printed gaps in percentage points, in the same order (Table 11's labels).

    Returns
    -------
    DataFrame
        One row a pair. ``QUANTITY_printed``, ``QUANTITY`` (unrounded) and
        ``QUANTITY_agrees`` for p_a, p_b, gap_pp, rho, p_chi2, p_exact and n_star;
        ``n_star_rules`` names the rounding rules that turn N* into what is printed.

    Raises
    ------
    InvalidArgument
        If `gap_pp` has another length than `counts`.

    Notes
    -----
    Table 6 does not print n11; b, c and the two accuracies determine it. Its N* are rounded
    to the nearest integer (rounding up would print 3,376 and 20,256 for two rows), which is
    what ``n_star_agrees`` holds them against. Table 7 is rounded up.
    """
    frame = side_by_side(counts, gap_pp, counts.n_items)
    rules = rules_of_table(counts, counts.n_items)
    frame["n_star_rules"] = [", ".join(row) for row in rules]
    frame["n_star_agrees"] = ["nearest" in row for row in rules]
    return frame


def present(frame: pd.DataFrame) -> Table:
    """Dress the frame of `table_06`."""
    columns = shown_columns("Task", as_integer)
    columns.insert(2, Column("n_items", "N", as_integer, "right"))
    unresolved = count_unresolved(frame["resolved"])
    return Table(
        frame=frame,
        shown=stacked(frame),
        columns=columns,
        caption="Raw discordance of the seven close OLL v1 pairs.",
        number="6",
        provenance=[Provenance.published("Tables 6 and 11")],
        notes=[
            "N* is rounded to the nearest integer. "
            f"{unresolved} of {len(frame)} pairs are unresolved."
        ],
    )
