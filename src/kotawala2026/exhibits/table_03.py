"""Table 3: unresolved pairs of the Open LLM Leaderboard v1 by size of the gap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from kotawala2026.exhibits._beside import beside, compared, count_unresolved, of_witness
from kotawala2026.labels import CLOSE_GAP, spelled_out, task_label
from kotawala2026.operating_point import DECLARED
from llm_power._board.measure import GAP_BINS
from llm_power._board.summary import unresolved_by_gap
from llm_power._errors import InvalidArgument
from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table
from llm_power_audit.agreement import agrees
from llm_power_audit.printed import PrintedCount
from replication.exhibits import Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Make Table 3."""
    pairs = inputs.panel("oll_v1", "discordance", "required_n")
    frame = table_03(inputs.printed(3), pairs)
    items = pairs.drop_duplicates("task").set_index("task")["n_items"]
    return Exhibit(present(frame, inputs.provenance(), items={str(k): n for k, n in items.items()}))


def table_03(published: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Return each cell of Table 3 as printed and recomputed, and the pairs on a bucket's bound."""
    # The paper does not say to which bucket a gap on a bound belongs; here, to the lower one.
    if len(published) != len(GAP_BINS) + 2:
        raise InvalidArgument(
            f"published must have {len(GAP_BINS) + 2} rows (buckets and all), got {len(published)}"
        )
    gap = pairs["delta"].abs()
    r = pairs["n_star"] / pairs["n_items"]
    buckets = unresolved_by_gap(pairs.assign(task="all"))
    everything = pd.DataFrame(
        {
            "gap_up_to": [np.inf],
            "n_pairs": [len(pairs)],
            "n_unresolved": [count_unresolved(pairs["resolved"])],
            "r_median": [r.median()],
            "r_worst": [r.max()],
        }
    )
    rows = pd.concat([buckets.drop(columns="task"), everything], ignore_index=True)
    unresolved: list[PrintedCount] = list(published["unresolved"])
    shares = rows["n_unresolved"] / rows["n_pairs"].where(rows["n_pairs"] > 0)
    return pd.DataFrame(
        {
            "label": published["gap_bucket"],
            "gap_up_to": rows["gap_up_to"],
            "on_bound": [
                int(np.isclose(gap, end, rtol=0, atol=1e-12).sum()) for end in rows["gap_up_to"]
            ],
            **beside(published, {"pairs": rows["n_pairs"]}),
            "unresolved_printed": [cell.text for cell in unresolved],
            "unresolved": rows["n_unresolved"],
            "unresolved_agrees": [
                cell.count == count and (cell.share is None or agrees(cell.share, float(share)))
                for cell, count, share in zip(unresolved, rows["n_unresolved"], shares, strict=True)
            ],
            **beside(published, rows[["r_median", "r_worst"]]),
        }
    ).astype({"pairs": "int64"})


def present(
    frame: pd.DataFrame, provenance: Sequence[Provenance], *, items: Mapping[str, int]
) -> Table:
    """Dress the frame of `table_03`; `provenance` is that of the board, `items` of each task."""
    buckets, total = frame.iloc[:-1], frame.iloc[-1]
    on_bound = int(frame["on_bound"].sum())
    on_bounds = (
        f"A bucket holds its upper end, on which {on_bound} gaps are."
        if on_bound
        else "No gap is equal to a bound."
    )
    shares = frame["unresolved"] / frame["pairs"].where(frame["pairs"] > 0)
    counts = [
        f"{n}" if np.isnan(share) else f"{n} ({share:.0%})"
        for n, share in zip(frame["unresolved"], shares, strict=True)
    ]
    return Table(
        frame=frame,
        shown=frame.assign(unresolved=counts),
        columns=[
            Column("label", "Gap"),
            compared("pairs", "Pairs"),
            compared("unresolved", "Unresolved", align="decimal"),
            compared("r_median", "Median r", given=True, align="decimal"),
            compared("r_worst", "Worst r", given=True, align="decimal"),
        ],
        finding=f"{total['unresolved']} of {total['pairs']} pairs are unresolved: they need more "
        f"items than their task has (r = N*/N > 1), {_above(buckets)}.",
        caption="OLL v1 pairs by size of the gap; N: "
        + ", ".join(f"{task_label(task)} {n:,}" for task, n in items.items())
        + ".",
        provenance=[*provenance, Provenance.published("Table 3")],
        notes=[
            *of_witness(
                provenance,
                f"Of r, the cells of gaps above {CLOSE_GAP:.0%} and the median of all were fitted; "
                "the others, and all counts, follow from numbers fitted elsewhere or were not used "
                "in the fit.",
            ),
            f"Gap: difference of two accuracies. {on_bounds}",
            f"{DECLARED} {spelled_out('OLL v1', 'ARC-C', 'HS', 'Wino')}",
        ],
        total=True,
    )


def _above(buckets: pd.DataFrame) -> str:
    """Say from which gap on no pair is unresolved."""
    last = buckets.loc[buckets["unresolved"] > 0, "gap_up_to"].max()
    return f"none of them with a gap above {last:.0%}" if last < np.inf else "at gaps of any size"
