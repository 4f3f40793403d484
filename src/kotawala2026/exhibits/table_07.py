"""Table 7: the nine adjacent-rank pairs of MMLU-Pro's top ten, from their counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from kotawala2026.exhibits._beside import as_rounded_up, count_unresolved
from kotawala2026.exhibits._counts_table import (
    inputs_note,
    items_of,
    shown_columns,
    side_by_side,
    stacked,
)
from kotawala2026.exhibits.item_count import implied_item_count, rules_of_table
from llm_power._provenance import Provenance
from llm_power._report.tables import Table
from llm_power._statistics.paired_binary import required_n_discordance
from llm_power_audit.printed import Printed
from llm_power_audit.printed_tables import PublishedCounts
from replication.exhibits import Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Make Table 7; Table 4 prints its gaps."""
    counts = inputs.counts(7, n_items=inputs.settings["mmlu_pro_n_items"])
    gaps = list(inputs.printed(4)["gap_pp"])
    frame = table_07(counts, gaps, items_of(inputs, counts, "mmlu_pro_top10"))
    return Exhibit(present(frame, inputs.provenance()))


def table_07(
    counts: PublishedCounts, gap_pp: Sequence[Printed], items: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Each derived cell of Table 7, as printed and as its row's counts give it."""
    # N = 12,031 with N* rounded up is the one N and rule that give all nine rows. At the caption's
    # 12,032 no rounding gives 3 vs 4, 6 vs 7 and 9 vs 10. No verdict depends on it.
    implied = implied_item_count(counts)
    n_items = np.full(len(counts), implied.n_items, dtype=np.int64)
    frame = side_by_side(counts, gap_pp, items, n_items, implied.rule)
    rules = rules_of_table(counts.n_star, frame, counts.n_items)
    frame["n_printed"] = counts.n_items
    frame["n_star_at_printed_n"] = required_n_discordance(
        frame["b"].to_numpy(), frame["c"].to_numpy(), counts.n_items
    )
    frame["n_star_rules_at_printed_n"] = [", ".join(row) for row in rules]
    frame["n_star_agrees_at_printed_n"] = [implied.rule in row for row in rules]
    return frame


def present(frame: pd.DataFrame, provenance: Sequence[Provenance] = ()) -> Table:
    """Dress the frame of `table_07`; `provenance` is that of the board's items, if any."""
    n, printed_n = int(frame["n_items"][0]), int(frame["n_printed"][0])
    beyond = frame.loc[frame["n_star_rules_at_printed_n"] == "", "label"].tolist()
    yields = f"{int(frame['n_star_agrees'].sum())} of {len(frame)} printed N*"
    counted = "Counted on these items; at" if "b_printed" in frame else "At"
    rules = frame["n_star_rules_at_printed_n"].str.split(", ").explode()
    most_there = int(rules[rules != ""].value_counts().max())
    unresolved = count_unresolved(frame["resolved"])
    unresolved_there = int(np.count_nonzero(frame["n_star_at_printed_n"] > frame["n_printed"]))
    return Table(
        frame=frame,
        shown=stacked(frame).assign(unresolved=~frame["resolved"]),
        columns=shown_columns(frame, "Pair", as_rounded_up),
        finding=f"{unresolved} of {len(frame)} pairs are unresolved. Rounded up, {yields} follow "
        f"from the counts at N = {n:,}; at the N = {printed_n:,} of the paper's caption no rule "
        f"of rounding gives more than {most_there}.",
        caption="Adjacent MMLU-Pro pairs; bold: N* above N.",
        provenance=[*provenance, Provenance.published("Tables 4 and 7")],
        notes=[
            inputs_note(frame, "one p̂"),
            f"Cells at N = {n:,}. {counted} N = {printed_n:,} no rounding gives the printed N* "
            f"of {', '.join(beyond) or 'any pair'}; there "
            f"{'too ' if unresolved_there == unresolved else ''}{unresolved_there} pairs are "
            "unresolved.",
        ],
    )
