"""Table 7 is overdetermined: its rows imply N, its rounding and cells of Table 4."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kotawala2026.exhibits.item_count import (
    chained_solved_counts,
    implied_item_count,
    rules_of_table,
)
from kotawala2026.quantities._rows_of_counts import cells_from_rows
from kotawala2026.quantities.grounds import QUANTITIES
from kotawala2026.quantities.published_numbers import PublishedNumbers
from llm_power.printed import DISPLAY_RULES
from llm_power.statistics._typing import ArrayLike
from llm_power.statistics.paired_binary import required_n_discordance
from replication.findings import Finding

_TABLE = "Table 7"


@QUANTITIES.on(PublishedNumbers)
def item_count(published: PublishedNumbers) -> Iterator[Finding]:
    """The N and the rounding that the nine rows have in common."""
    counts = published.adjacent_pairs
    implied, printed = implied_item_count(counts).n_items, int(counts.n_items[0])
    method = "the N at which eq. (6) in b and c, under one rounding, displays most of the N*"
    yield Finding("n_items_implied", _TABLE, implied, method, unit="items")
    shown = rules_of_table(counts, np.full(len(counts), implied))
    for rule in DISPLAY_RULES:
        yield Finding(
            "rows_explained_at_implied_n",
            rule,
            sum(rule in rules for rules in shown),
            f"rows of Table 7 whose N* is eq. (6) at N = {implied:,} rounded so",
        )
    yield Finding(
        "rows_unexplained_at_printed_n",
        _TABLE,
        sum(not rules for rules in rules_of_table(counts, np.full(len(counts), printed))),
        f"rows of Table 7 whose N* no rounding of eq. (6) gives at N = {printed:,}",
    )
    for where, n in (("printed", printed), ("implied", implied)):
        yield Finding(
            f"chain_solutions_at_{where}_n",
            _TABLE,
            len(chained_solved_counts(counts, n)),
            f"items that the first model can have solved of N = {n:,}, by all ten accuracies",
        )


@QUANTITIES.on(PublishedNumbers)
def rows(published: PublishedNumbers) -> Iterator[Finding]:
    """Each cell, recomputed from the other cells of its row."""
    counts = published.adjacent_pairs
    n, names, difference = counts.n_items, counts.label, counts.b - counts.c
    implied = implied_item_count(counts).n_items
    yield from cells_from_rows(counts, implied)
    n_star = required_n_discordance(counts.b, counts.c, implied)
    yield from _per_pair("n_star_at_implied_n", names, n_star, f"eq. (6) at N = {implied:,}")
    yield from _per_pair("q_at_implied_n", names, implied / n_star, f"N/N* at N = {implied:,}")
    method = f"at N = {int(n[0]):,}"
    printed_gap = np.array([a.value - b.value for a, b in zip(counts.p_a, counts.p_b, strict=True)])
    mismatch = np.abs(printed_gap - difference / n)
    method = f"|(p_A - p_B) - (b - c)/N| {method}"
    yield from _per_pair("gap_mismatch_at_printed_n", names, mismatch, method)
    models = len({*counts.model_a, *counts.model_b})
    yield Finding("models_ranked", _TABLE, float(models), "models that Table 7 names")
    yield Finding(
        "pairs_out_of_order",
        _TABLE,
        float(np.count_nonzero(difference <= 0)),
        "rows of Table 7 whose first model solves no more than the second",
    )


@QUANTITIES.on(PublishedNumbers)
def gaps_of_table_4(published: PublishedNumbers) -> Iterator[Finding]:
    """Gap of Table 4 from the counts of Table 7; its correlation is that of Table 7's row."""
    pairs = published.adjacent_pairs
    n = implied_item_count(pairs).n_items
    gap_pp = 100 * (pairs.b - pairs.c) / n
    yield from _per_pair("gap_pp_of_counts", pairs.label, gap_pp, f"(b - c)/N, N = {n:,}", "pp")


def _per_pair(
    quantity: str, names: Sequence[str], values: ArrayLike, method: str, unit: str = ""
) -> Iterator[Finding]:
    for name, value in zip(names, np.asarray(values), strict=True):
        yield Finding(quantity, name, float(value), method, unit=unit)
