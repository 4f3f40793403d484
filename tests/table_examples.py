"""Tables of names that strangers could give, beside printed cells, and with a total."""

from __future__ import annotations

import numpy as np
import pandas as pd

from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table, as_integer, as_text

HOSTILE = [
    "a|b", "*bold*", "_under_", "<script>alert(1)</script>", "R&D", "100%", "$x^2$", "#1",
    "back\\slash", "two\nlines", "[1cm]", "*star", "{brace}", "~tilde", "^hat", "`tick`",
    'quo"te', "--dash", "''", "\\\\", "\\input{/etc/passwd}", "&amp;", "中文", "🤗", "é", "ß",
    "=1+1", "\u202eoverride", "\x00\x1b[0m", "",
]  # fmt: skip


def hostile_table() -> Table:
    frame = pd.DataFrame({"model": HOSTILE, "n_star": np.linspace(0.1, 1e7, len(HOSTILE))})
    return Table(
        frame=frame,
        columns=[
            Column("model", "model_name & co", as_text),
            Column("n_star", "N*", as_integer, "right", r"$N^{*}$"),
        ],
        caption="Required N* of 100% hostile_names, ρ̂ ≥ 0",
        provenance=[Provenance.published("Table 7")],
        notes=["Cost: $5 & 55.8%, by llm.cost."],
        number="7",
    )


def compared_table() -> Table:
    """Two rows beside printed cells: the same, another one, a bound, and one of chance."""
    frame = pd.DataFrame(
        {
            "models": [("heron", "wren"), ("a_long_name/of-a-model", "b" * 20)],
            "why": ["a sentence that is longer than the line of an article " * 2, "-"],
            "q": [0.496, 0.7512],
            "q_printed": ["0.50", "0.74"],
            "q_agrees": [True, True],
            "n": [20_255.2, 5e-28],
            "n_printed": ["20,254", "<10^-15"],
            "n_agrees": [False, True],
            "strong": [True, False],
        }
    )
    columns = [
        Column("models", "Models"),
        Column("why", "Why p_A < N*", symbols=True),
        Column("q", "q", align="right", printed=True, bold="strong"),
        Column("n", "N*", align="right", printed=True),
    ]
    return Table(frame, columns, "Compared.", [Provenance.published("Table 1")])


def table_of_a_total() -> Table:
    """Two rows and their total, with numbers whose points stand below each other."""
    frame = pd.DataFrame(
        {
            "row": ["a", "b", "all"],
            "r": ["4.2", "0.75", "1,892"],
            "n": ["3 (100%)", "0 (0%)", "11 (28%)"],
            "is_bold": [True, False, False],
        }
    )
    columns = [
        Column("row", "Row"),
        Column("r", "r", align="decimal", bold="is_bold"),
        Column("n", "n", align="decimal"),
    ]
    return Table(frame, columns, "c", [Provenance.published("Table 3")], total=True)
