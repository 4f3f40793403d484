"""The paper's top ten of MMLU-Pro beside the models that the benchmark's authors ran."""

# Items and categories are the same: what agrees can be the benchmark's, what differs is the
# models'.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from kotawala2026.exhibits._beside import count_unresolved
from kotawala2026.operating_point import DECLARED
from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table
from replication.exhibits import Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Set the paper's top ten beside the models of the MMLU-Pro authors."""
    panel = "mmlu_pro_authors.adjacent"
    frame = mmlu_pro_comparison(
        inputs.panel(panel, "required_n", "icc", "e_process"),
        inputs.stage(panel, "cluster_definitions"),
        counts=inputs.printed(5),
        clusters=inputs.printed(4),
        settings=inputs.settings,
    )
    title = inputs.titles[panel]
    return Exhibit(present(frame, title=title, provenance=inputs.provenance()))


def mmlu_pro_comparison(
    pairs: pd.DataFrame,
    definitions: pd.DataFrame,
    *,
    counts: pd.DataFrame,
    clusters: pd.DataFrame,
    settings: Mapping[str, Any],
) -> pd.DataFrame:
    """Set the printed summaries of the top ten beside those of a board."""
    unresolved = counts.set_index("procedure")["mmlu_pro"]
    icc, effect, rho = (
        [cell.value for cell in clusters[name]] for name in ("icc", "design_effect", "rho")
    )
    by_definition = definitions.set_index("definition")["n_unresolved"]
    low, high = settings["mmlu_pro_shortcut_ratio_range"]
    rows = [
        (f"Unresolved, {name}", unresolved[row].text, _unresolved(pairs[column]))
        for name, row, column in (
            ("fixed n", "Fixed-n", "resolved"),
            ("anytime-valid", "Anytime-valid", "resolved_anytime"),
            ("subjects as clusters", "Real-ICC clustered", "resolved_cluster"),
        )
    ]
    for name, definition, key in _DEFINITIONS:
        stated = settings[f"mmlu_pro_unresolved_{key}"]
        rows.append(
            (name, f"{stated}/{len(clusters)}", f"{by_definition[definition]}/{len(pairs)}")
        )
    rows += [
        ("ICC of the difference, median", f"{np.median(icc):.4f}", _median(pairs["icc"], 4)),
        ("ICC of the difference, range", _range(icc, 4), _range(pairs["icc"], 4)),
        (
            "Design effect, median",
            f"{np.median(effect):.2f}",
            _median(pairs["design_effect"], 2),
        ),
        ("Correlation of neighbors, range", _range(rho, 2), _range(pairs["rho"], 2)),
        (
            "Shortcut n_h over N*, range",
            f"{low:.3f} to {high:.3f}",
            _range(pairs["n_h"] / pairs["n_star"], 3),
        ),
    ]
    return pd.DataFrame(rows, columns=["quantity", "paper", "board"])


def present(frame: pd.DataFrame, *, title: str, provenance: Sequence[Provenance]) -> Table:
    """Dress the frame of `mmlu_pro_comparison`; `provenance` is the board's."""
    return Table(
        frame=frame,
        columns=[
            Column("quantity", "Adjacent pairs"),
            Column("paper", "Paper's top ten (printed)", align="right"),
            Column("board", "Authors' models (recomputed)", align="right"),
        ],
        caption=f"The paper's MMLU-Pro top ten, and {title}.",
        provenance=[Provenance.published("Tables 4 and 5, Sections 6.2 and 6.4"), *provenance],
        notes=[
            "Medians and ranges on the paper's side are taken over the cells of its Table 4.",
            "Other models on the same items: agreement shows that a pattern is not peculiar to "
            "the paper's ten models, and is no check of the paper's numbers.",
            "ICC: intraclass correlation within subjects; n_h: items by the shortcut that "
            f"multiplies Cohen's formula by 1 − ρ (Table 1). {DECLARED}",
        ],
    )


_DEFINITIONS = [
    ("Unresolved, random clusters", "random", "random_clusters"),
    ("Unresolved, difficulty quartiles", "difficulty quartiles", "difficulty_quartiles"),
    ("Unresolved, subjects by item parity", "category by item parity", "subject_by_parity"),
]


def _unresolved(resolved: pd.Series) -> str:
    return f"{count_unresolved(resolved)}/{len(resolved)}"


def _median(values: pd.Series, decimals: int) -> str:
    return f"{values.median():.{decimals}f}"


def _range(values: ArrayLike, decimals: int) -> str:
    numbers = np.asarray(values, dtype=np.float64)
    text = f"{numbers.min():.{decimals}f} to {numbers.max():.{decimals}f}"
    return text.replace("-", "−")
