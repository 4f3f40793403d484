"""What Tables 6 and 7 share: each printed cell beside the same quantity from the counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from kotawala2026.exhibits._beside import beside, compared
from kotawala2026.exhibits.item_count import jointly_solved
from llm_power.errors import InvalidArgument
from llm_power.printed import Printed, parse_printed, split_parentheses
from llm_power.report.tables import Column, Formatter, as_integer
from llm_power.statistics._typing import IntArray
from llm_power.statistics.mcnemar import mcnemar_asymptotic, mcnemar_exact
from llm_power.statistics.paired_binary import PairSummary, summarize_counts
from replication.printed import PublishedCounts


def summarize(counts: PublishedCounts, n_items: IntArray) -> tuple[IntArray, PairSummary]:
    """Return n11 and the summary of each pair at `n_items` items."""
    n11 = jointly_solved(counts, n_items)
    n00 = n_items - n11 - counts.b - counts.c
    return n11, summarize_counts(n11, counts.b, counts.c, n00)


def side_by_side(
    counts: PublishedCounts, gap_pp: Sequence[Printed], n_items: IntArray
) -> pd.DataFrame:
    """Return labels and counts with each printed result, its recomputation and their agreement.

    For QUANTITY in p_a, p_b, gap_pp, rho, p_chi2 and p_exact there are three columns:
    ``QUANTITY_printed`` (str), ``QUANTITY`` (float) and ``QUANTITY_agrees`` (bool).
    """
    if len(gap_pp) != len(counts):
        raise InvalidArgument(
            f"gap_pp must have one entry a pair ({len(counts)}), got {len(gap_pp)}"
        )
    n11, summary = summarize(counts, n_items)
    columns: dict[str, object] = {
        # What names a row for other files: a name can be misprinted.
        "row": np.arange(1, len(counts) + 1),
        "label": counts.label,
        "model_a": counts.model_a,
        "model_b": counts.model_b,
        "n_items": n_items,
        "n11": n11,
        "b": counts.b,
        "c": counts.c,
        "n00": n_items - n11 - counts.b - counts.c,
    }
    for name, printed, value in (
        ("p_a", counts.p_a, summary.p_a),
        ("p_b", counts.p_b, summary.p_b),
        ("gap_pp", gap_pp, 100 * np.abs(summary.delta)),
        ("rho", counts.rho, summary.rho),
        ("p_chi2", counts.p_chi2, mcnemar_asymptotic(counts.b, counts.c)),
        ("p_exact", counts.p_exact, mcnemar_exact(counts.b, counts.c)),
    ):
        columns |= beside(name, printed, value)
    columns |= {
        "n_star_printed": [cell.text for cell in counts.n_star],
        "n_star": summary.n_star,
        "q": summary.q,
        "resolved": summary.resolved,
    }
    return pd.DataFrame(columns)


def label_and_gap(cell: str) -> tuple[str, Printed]:
    """Split a pair's label from its gap in percentage points, ``HS, gem/L-8B (0.46)``."""
    label, gap = split_parentheses(cell)
    return label, parse_printed(gap)


def stacked(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with both models, and both accuracies, of a pair in one cell."""
    columns = {"models": ("model_a", "model_b")} | {
        f"p{end}": (f"p_a{end}", f"p_b{end}") for end in ("", "_printed", "_agrees")
    }
    cells = {
        name: list(zip(frame[first], frame[second], strict=True))
        for name, (first, second) in columns.items()
    }
    return frame.join(pd.DataFrame(cells))


def shown_columns(label: str, n_star: Formatter) -> list[Column]:
    """Return the columns of the printed table; `n_star` rounds N* as it does."""
    return [
        Column("label", label),
        Column("models", "Models A, B"),
        compared("p", "p̂_A, p̂_B"),
        Column("b", "b", as_integer, "right"),
        Column("c", "c", as_integer, "right"),
        compared("rho", "ρ̂"),
        compared("p_chi2", "p, χ²"),
        compared("p_exact", "p, exact"),
        compared("n_star", "N*", n_star),
    ]
