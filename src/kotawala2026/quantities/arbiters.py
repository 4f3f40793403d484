"""Verdicts of the four tests of Table 11."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from audit.printed import split_parentheses
from kotawala2026.exhibits.table_11 import table_11
from kotawala2026.quantities.grounds import QUANTITIES
from kotawala2026.quantities.published_numbers import PublishedNumbers
from replication.findings import Finding


@QUANTITIES.on(PublishedNumbers)
def arbiters(published: PublishedNumbers) -> Iterator[Finding]:
    """On which pairs the four tests agree, recomputed and as printed."""
    frame = table_11(published.tables[11], published.close_pairs)
    for name, method in (
        ("verdict", "tests on Table 6's b, c and N"),
        ("verdict_printed", "letters of Table 11"),
    ):
        letters: pd.Series = frame[name]
        for quantity, hits in (
            ("unanimous", letters.map(lambda word: len(set(word)) == 1)),
            ("unanimous_fail", letters.map(lambda word: set(word) == {"F"})),
            ("split", letters.map(lambda word: len(set(word)) > 1)),
        ):
            yield Finding(quantity, name, int(hits.sum()), method)
    n_letters = {len(word) for word in published.tables[11]["verdict"]}
    yield Finding("arbiters", "", max(n_letters), "letters of a verdict of Table 11")
    for row in published.tables[11].to_dict(orient="records"):
        letters_of_row = [
            "R" if row[name].value <= published.settings["alpha"] else "F"
            for name in ("p_chi2", "p_exact", "p_midp")
        ]
        letters_of_row.append("F" if row["zero_in_ci"] == "yes" else "R")
        yield Finding(
            "verdict_of_printed_cells",
            split_parentheses(row["pair"])[0],
            "".join(letters_of_row),
            "Table 11's own p-values against alpha, and its interval",
        )
