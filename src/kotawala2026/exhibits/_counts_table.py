"""Tables 6 and 7: pairs with printed b and c, from the items of a panel or else as printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from kotawala2026.exhibits._beside import beside, compared
from kotawala2026.exhibits.item_count import jointly_solved, rules_of_table
from kotawala2026.labels import in_printed_order, pair_names
from kotawala2026.operating_point import ALPHA, COUNTS, DECLARED, POWER
from llm_power._board.columns import verdict_table
from llm_power._board.operating_point import OperatingPoint
from llm_power._board.resolution import add_resolution
from llm_power._errors import InvalidArgument
from llm_power._report.tables import Column, Formatter, as_integer
from llm_power._statistics.arrays import IntArray
from llm_power_audit.printed import DisplayRule, Printed, parse_printed, split_parentheses
from llm_power_audit.printed_tables import PublishedCounts
from replication.exhibits import Inputs

POINT: Final = OperatingPoint(alpha=ALPHA, power=POWER)
_COUNTED: Final = ("n_items", "n11", "b", "c", "n00")
_RESULTS: Final = ["p_a", "p_b", "gap_pp", "rho", "p_chi2", "p_exact"]


def items_of(
    inputs: Inputs, counts: PublishedCounts, panel: str, *stages: str
) -> pd.DataFrame | None:
    """Return stages of a panel for the printed pairs; None in a run from printed numbers."""
    if not inputs.has(panel, "discordance"):
        return None
    rows = inputs.panel(panel, "discordance", "required_n", *stages)
    return in_printed_order(rows, pair_names(counts)).astype(dict.fromkeys(_COUNTED, np.int64))


def counted_pairs(
    counts: PublishedCounts, items: pd.DataFrame | None, n_items: IntArray
) -> pd.DataFrame:
    """Return ``discordance`` and ``required_n`` of `items`, else of the counts at `n_items`."""
    if items is not None:
        return items
    n11, ranks = jointly_solved(counts, n_items), np.arange(1, len(counts) + 1)
    pairs = pd.DataFrame(
        {
            "task": counts.label,
            "rank_a": ranks,
            "rank_b": ranks + 1,
            "model_a": counts.model_a,
            "model_b": counts.model_b,
            "n_items": n_items,
            "n11": n11,
            "b": counts.b,
            "c": counts.c,
            "n00": n_items - n11 - counts.b - counts.c,
        }
    )
    return verdict_table(pairs, add_resolution(pairs, POINT))


def side_by_side(
    counts: PublishedCounts,
    gap_pp: Sequence[Printed],
    items: pd.DataFrame | None,
    n_items: IntArray,
    rule: DisplayRule,
) -> pd.DataFrame:
    """Return each pair's counts, and each result as printed and recomputed."""
    if len(gap_pp) != len(counts):
        raise InvalidArgument(
            f"gap_pp must have one entry a pair ({len(counts)}), got {len(gap_pp)}"
        )
    pairs = counted_pairs(counts, items, n_items)
    columns: dict[str, object] = {
        # What names a row for other files: a name can be misprinted.
        "row": np.arange(1, len(counts) + 1),
        "label": counts.label,
        "model_a": counts.model_a,
        "model_b": counts.model_b,
        **{name: pairs[name] for name in _COUNTED},
    }
    values = pairs.assign(gap_pp=100 * pairs["delta"].abs())[_RESULTS]
    printed = {name: getattr(counts, name) for name in _RESULTS if name != "gap_pp"}
    columns |= beside(printed | {"gap_pp": gap_pp}, values)
    rules = rules_of_table(counts.n_star, pairs, pairs["n_items"])
    columns |= {
        "n_star_printed": [cell.text for cell in counts.n_star],
        "n_star": pairs["n_star"],
        "q": pairs["q"],
        "resolved": pairs["resolved"],
        "n_star_rules": [", ".join(row) for row in rules],
        "n_star_agrees": [rule in row for row in rules],
    }
    if items is not None:
        for name, whole in (("n_items", counts.n_items), ("b", counts.b), ("c", counts.c)):
            columns[f"{name}_printed"] = list(map(as_integer, whole))
            columns[f"{name}_agrees"] = whole == pairs[name].to_numpy()
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


def shown_columns(frame: pd.DataFrame, label: str, n_star: Formatter) -> list[Column]:
    """Return the columns of the printed table; `n_star` rounds N* as it does."""
    return [
        Column("label", label),
        Column("models", "Models A, B"),
        compared("p", "p̂_A, p̂_B"),
        counted(frame, "b", "b"),
        counted(frame, "c", "c"),
        compared("rho", "ρ̂"),
        compared("p_chi2", "p, χ²"),
        compared("p_exact", "p, exact"),
        compared("n_star", "N*", n_star, bold="unresolved"),
    ]


def inputs_note(frame: pd.DataFrame, free: str) -> str:
    """Return what is put in and what is recomputed; `free` says how many p̂ b and c leave open."""
    given = (
        "Accuracies p̂, b and c are counted on the items"
        if "b_printed" in frame
        else f"b, c and {free} are put in as printed; the other p̂ follow from b − c"
    )
    return (
        f"{COUNTS} {given}; ρ̂ (correlation of the scores), both p-values and N* follow from these. "
        f"p: McNemar's test, asymptotic without correction (χ²) and exact. {DECLARED}"
    )


def counted(frame: pd.DataFrame, name: str, header: str) -> Column:
    """Return the column of a count, with the printed one beside it where the frame has it."""
    return Column(name, header, as_integer, "right", printed=f"{name}_printed" in frame)
