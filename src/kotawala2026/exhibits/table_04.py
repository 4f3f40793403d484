"""Table 4: cluster sensitivity of the nine adjacent-rank pairs of MMLU-Pro's top ten."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from kotawala2026.exhibits._counts_table import disagreements
from llm_power.provenance import Provenance
from llm_power.report._board import in_printed_order, side_by_side, verdict_on_cells
from llm_power.report.tables import Column, Table, as_fixed, as_integer, as_printed, as_text
from replication.exhibits import Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Make Table 4."""
    frame = table_04(inputs.printed(4), inputs.verdicts("mmlu_pro_top10"))
    return Exhibit(present(frame, inputs.provenance()))


def table_04(published: pd.DataFrame, verdicts: pd.DataFrame) -> pd.DataFrame:
    r"""Each cell of Table 4, as printed and as the board gives it.

    Parameters
    ----------
    published : DataFrame
        Table 4 as loaded.
    verdicts : DataFrame
        Verdict table of MMLU-Pro's top ten, adjacent ranks, clustered by subject.

    Returns
    -------
    DataFrame
        One row a pair: ``label``, models, ``n_items``; ``QUANTITY_printed``, ``QUANTITY`` and
        ``QUANTITY_agrees`` for gap_pp, rho, icc, design_effect and n_star_cluster; ``n_star``
        and ``resolved`` without clusters, ``r_cluster`` = N*/N and ``resolved_cluster`` with.

    Raises
    ------
    InvalidArgument
        If the board's pairs are not the printed ones.

    Notes
    -----
    ICC(D) is the one-way ANOVA estimator on the paired differences, and
    :math:`DE = 1 + (\bar m - 1) ICC^+` with :math:`\bar m` = N/K, Section 6.4. Where the paper
    prints a bound (ranks 6 vs 7 and 9 vs 10), agreement means that the bound holds.
    """
    rows = in_printed_order(verdicts, list(published["pair"]))
    return pd.DataFrame(
        {
            "label": published["pair"],
            "model_a": rows["model_a"],
            "model_b": rows["model_b"],
            "n_items": rows["n_items"],
            **side_by_side("gap_pp", list(published["gap_pp"]), 100 * rows["delta"].abs()),
            **side_by_side("rho", list(published["rho"]), rows["rho"]),
            **side_by_side("icc", list(published["icc"]), rows["icc"]),
            **side_by_side(
                "design_effect", list(published["design_effect"]), rows["design_effect"]
            ),
            **side_by_side(
                "n_star_cluster",
                list(published["n_star_cluster"]),
                rows["n_star_cluster"],
                whole_items=True,
            ),
            "n_star": rows["n_star"],
            "resolved": rows["resolved"].astype(bool),
            "r_cluster": rows["n_star_cluster"] / rows["n_items"],
            "resolved_cluster": rows["resolved_cluster"].astype(bool),
        }
    )


def present(frame: pd.DataFrame, provenance: Sequence[Provenance]) -> Table:
    """Dress the frame of `table_04`; `provenance` is that of the board."""
    flips = frame[frame["resolved"] & ~frame["resolved_cluster"]]
    flipped = ", ".join(
        f"{label} (N* = {r:.2f} N)"
        for label, r in zip(flips["label"], flips["r_cluster"], strict=True)
    )
    return Table(
        frame=frame,
        columns=[
            Column("label", "Pair", as_text),
            Column("gap_pp_printed", "Gap, pp (paper)", as_printed, "right"),
            Column("gap_pp", "Gap, pp", as_fixed(3), "right"),
            Column("rho_printed", "ρ̂ (paper)", as_printed, "right", r"$\hat\rho$ (paper)"),
            Column("rho", "ρ̂", as_fixed(4), "right", r"$\hat\rho$"),
            Column("icc_printed", "ICC (paper)", as_printed, "right"),
            Column("icc", "ICC", as_fixed(5), "right"),
            Column("design_effect_printed", "DE (paper)", as_printed, "right"),
            Column("design_effect", "DE", as_fixed(3), "right"),
            Column(
                "n_star_cluster_printed",
                "Cluster N* (paper)",
                as_printed,
                "right",
                "Cluster $N^{*}$ (paper)",
            ),
            Column("n_star_cluster", "Cluster N*", as_integer, "right", "Cluster $N^{*}$"),
            Column("resolved_cluster", "Resolved", as_text),
        ],
        caption="Cluster sensitivity of the nine adjacent MMLU-Pro pairs, subjects as clusters.",
        number="4",
        provenance=[*provenance, Provenance.published("Table 4")],
        notes=[
            verdict_on_cells(disagreements(frame)),
            f"Unresolved: {_unresolved(frame, 'resolved')} of {len(frame)} without clusters, "
            f"{_unresolved(frame, 'resolved_cluster')} with. Flipped by the clusters: "
            f"{flipped or 'none'}.",
        ],
    )


def _unresolved(frame: pd.DataFrame, column: str) -> int:
    return int(np.count_nonzero(~frame[column].to_numpy(dtype=bool)))
