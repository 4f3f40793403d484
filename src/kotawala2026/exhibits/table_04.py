"""Table 4: cluster sensitivity of the nine adjacent-rank pairs of MMLU-Pro's top ten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from kotawala2026.exhibits._beside import (
    as_rounded_up,
    beside,
    compared,
    count_unresolved,
    of_witness,
)
from kotawala2026.labels import in_printed_order, spelled_out
from kotawala2026.operating_point import DECLARED
from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table
from replication.exhibits import Exhibit, Inputs

_QUANTITIES: Final = ["gap_pp", "rho", "icc", "design_effect", "n_star_cluster"]


def make(inputs: Inputs) -> Exhibit:
    """Make Table 4."""
    pairs = inputs.panel("mmlu_pro_top10", "discordance", "required_n", "icc")
    frame = table_04(inputs.printed(4), pairs)
    subjects = int(inputs.settings["mmlu_pro_categories"])
    return Exhibit(present(frame, inputs.provenance(), n_subjects=subjects))


def table_04(published: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Each cell of Table 4, as printed and as the board gives it."""
    # ICC(D) is the one-way ANOVA estimator on paired differences and DE = 1 + (N/K - 1) ICC+,
    # Section 6.4. Where a bound is printed (6 vs 7, 9 vs 10), agreement means that it holds.
    rows = in_printed_order(pairs, list(published["pair"]))
    return pd.DataFrame(
        {
            "label": published["pair"],
            "model_a": rows["model_a"],
            "model_b": rows["model_b"],
            "n_items": rows["n_items"],
            **beside(published, rows.assign(gap_pp=100 * rows["delta"].abs())[_QUANTITIES]),
            "n_star": rows["n_star"],
            "resolved": rows["resolved"].astype(bool),
            "r_cluster": rows["n_star_cluster"] / rows["n_items"],
            "resolved_cluster": rows["resolved_cluster"].astype(bool),
        }
    )


def present(frame: pd.DataFrame, provenance: Sequence[Provenance], *, n_subjects: int) -> Table:
    """Dress the frame of `table_04`; `provenance` is that of the board."""
    n = int(frame["n_items"].max())
    flips = frame[frame["resolved"] & ~frame["resolved_cluster"]]
    turned = " and ".join(
        f"{label} (N* is then {r:.2f} N)"
        for label, r in zip(flips["label"], flips["r_cluster"], strict=True)
    )
    return Table(
        frame=frame,
        shown=frame.assign(beyond=~frame["resolved"], beyond_cluster=~frame["resolved_cluster"]),
        columns=[
            Column("label", "Pair"),
            compared("gap_pp", "δ̂, pp"),
            compared("rho", "ρ̂"),
            compared("icc", "ICC(D)", given=True, align="decimal"),
            compared("design_effect", "DE", given=True, align="decimal"),
            Column("n_star", "N*, no clusters", as_rounded_up, "right", bold="beyond"),
            compared("n_star_cluster", "Cluster N*", _items, given=True, bold="beyond_cluster"),
        ],
        finding="With subjects as clusters "
        f"{count_unresolved(frame['resolved_cluster'])} of {len(frame)} pairs are unresolved, "
        f"without them {count_unresolved(frame['resolved'])}; "
        + (
            f"the clusters make {turned} unresolved. Section 1 has N* > 3N for both."
            if turned
            else "the clusters turn none."
        ),
        caption=f"Adjacent MMLU-Pro pairs, N = {n:,}; bold: above N.",
        provenance=[*provenance, Provenance.published("Table 4")],
        notes=[
            *of_witness(
                provenance,
                "δ̂ and ρ̂ follow from the counts of Table 7, which the witness has: they compare "
                "the two tables, and test no score.",
            ),
            "δ̂: gap of the pair; ρ̂: correlation of its scores; D: their difference on an item; "
            "ICC(D): intraclass correlation (one-way ANOVA) of D within subjects. Design effect DE "
            f"= 1 + (m − 1) max(ICC(D), 0), m = {n / n_subjects:.1f} being the mean size of the "
            f"{n_subjects} subjects. Cluster N* is DE times the N* of Table 7, without clusters; "
            f"M: million. N = {n:,} gives every N* of Table 7; one item more, as the paper's "
            "caption has it, does not. "
            f"{DECLARED} {spelled_out('pp')}",
        ],
    )


def _items(value: float) -> str:
    """Three digits of millions: there the paper prints a bound, and the witness has the others."""
    return f"{value / 1e6:.3g}M" if 1e6 <= value < np.inf else as_rounded_up(value)
