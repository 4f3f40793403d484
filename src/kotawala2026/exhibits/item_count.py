"""The number of items, and the rounding of N*, that the cells of Tables 6 and 7 imply."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from kotawala2026.operating_point import K
from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import ArrayLike, IntArray
from llm_power._statistics.paired_binary import required_n_discordance
from llm_power_audit.agreement import agrees
from llm_power_audit.printed import DISPLAY_RULES, DisplayRule, Printed
from llm_power_audit.printed_tables import PublishedCounts


def items_displaying(n_star: int, b: int, c: int, rule: DisplayRule) -> range:
    """Return the consecutive N, at least b + c, at which the required N displays as `n_star`."""
    # Eq. (6), N* = K(N(b+c)/(b-c)^2 - 1), solved for N one unit below and above; within, each N is
    # displayed and compared.
    if b == c:
        raise InvalidArgument(f"b and c must differ, got {b!r} twice")
    low, high = ((n_star + step) / K + 1 for step in (-1, 1))
    scale = (b - c) ** 2 / (b + c)
    candidates = np.arange(max(b + c, int(low * scale) - 1), int(high * scale) + 2)
    required = required_n_discordance(b, c, candidates)
    hits = candidates[DISPLAY_RULES[rule](required) == n_star]
    return range(int(hits[0]), int(hits[-1]) + 1) if hits.size else range(0)


def rules_displaying(n_star: int, b: int, c: int, n_items: int) -> tuple[DisplayRule, ...]:
    """Rounding rules under which the required N at `n_items` items is displayed as `n_star`."""
    required = required_n_discordance(b, c, n_items)
    return tuple(rule for rule, display in DISPLAY_RULES.items() if display(required) == n_star)


def rules_of_table(
    n_star: Sequence[Printed], pairs: PublishedCounts | pd.DataFrame, n_items: ArrayLike
) -> list[tuple[DisplayRule, ...]]:
    """`rules_displaying` of every printed N* of a table, by the b and c of its pairs."""
    sizes = np.broadcast_to(n_items, len(n_star))
    rows = zip(n_star, pairs.b, pairs.c, sizes, strict=True)
    return [rules_displaying(round(x.value), int(b), int(c), int(n)) for x, b, c, n in rows]


def common_items(ranges: Sequence[range]) -> range:
    """Return the item counts that are in all of the ranges."""
    return range(max(r.start for r in ranges), min(r.stop for r in ranges))


@dataclass(frozen=True, slots=True)
class ImpliedItems:
    """The N and the rounding rule that reproduce most of a table's printed N*."""

    n_items: int
    rule: DisplayRule


def implied_item_count(counts: PublishedCounts) -> ImpliedItems:
    """Return the N and the rounding that reproduce most printed N*; Table 7: 12,031 and up."""
    # Most rows, and not all: one wrong row hides no other.
    printed = int(counts.n_items[0])
    best, best_rank = ImpliedItems(printed, "nearest"), (0, 0)
    for rule in DISPLAY_RULES:
        admitted = [
            items_displaying(round(cell.value), int(b), int(c), rule)
            for cell, b, c in zip(counts.n_star, counts.b, counts.c, strict=True)
            if b != c
        ]
        # As N grows, the number of rows that admit it can rise only where a row's range begins.
        for n in sorted({span.start for span in admitted if span}):
            rank = (sum(n in span for span in admitted), -abs(n - printed))
            if rank > best_rank:
                best, best_rank = ImpliedItems(n, rule), rank
    return best


def chained_solved_counts(counts: PublishedCounts, n_items: int) -> range:
    """Return how many of `n_items` a chain's first model can solve by all printed accuracies."""
    # Table 7: none of N = 12,032 reproduces all ten accuracies; exactly one of 12,031 does.
    if not counts.is_chain:
        raise InvalidArgument("counts must be a chain: each pair's model_b the next one's model_a")
    _, by_each = solved_by_first(counts, range(len(counts)), n_items)
    hits = set.intersection(*by_each)
    return range(min(hits), max(hits) + 1) if hits else range(0)


def solved_by_first(
    counts: PublishedCounts, chain: Sequence[int], n_items: int
) -> tuple[list[int], list[set[int]]]:
    """Return how many items behind the first model each is, and what each lets the first solve."""
    rows = list(chain)
    printed = [counts.p_a[rows[0]], *(counts.p_b[i] for i in rows)]
    behind = [0, *np.cumsum(counts.b[rows] - counts.c[rows]).tolist()]
    pairs = zip(printed, behind, strict=True)
    return behind, [{s + less for s in solved(p, n_items)} for p, less in pairs]


def solved(accuracy: Printed, n_items: int) -> list[int]:
    """Return the numbers of solved items that display as a printed accuracy."""
    low = math.floor(n_items * (accuracy.value - accuracy.half_unit))
    high = math.ceil(n_items * (accuracy.value + accuracy.half_unit))
    return [s for s in range(low, high + 1) if agrees(accuracy, s / n_items)]


def jointly_solved(counts: PublishedCounts, n_items: IntArray) -> IntArray:
    """Return each pair's n11 at which both printed accuracies, or nearest to them, come out."""
    # Up to 10,000 items a four-digit accuracy is one count; with more, a chain of pairs pins it
    # down.
    if counts.is_chain:
        first = chained_solved_counts(counts, int(n_items[0]))
        if len(first) == 1:
            behind = np.concatenate([[0], np.cumsum(counts.b - counts.c)[:-1]])
            return np.asarray(first.start - behind - counts.b, dtype=np.int64)
    return np.array(
        [_jointly_solved_by_pair(counts, i, int(n_items[i])) for i in range(len(counts))],
        dtype=np.int64,
    )


def _jointly_solved_by_pair(counts: PublishedCounts, i: int, n: int) -> int:
    b, c, p_a, p_b = int(counts.b[i]), int(counts.c[i]), counts.p_a[i], counts.p_b[i]
    hits = [s - b for s in solved(p_a, n) if agrees(p_b, (s - b + c) / n)]
    if len(hits) == 1:
        return hits[0]
    # The printed numbers contradict each other, or leave a choice: the count that is nearest to
    # both accuracies. What then differs from the print shows in the exhibit.
    nearest = round((n * (p_a.value + p_b.value) - (b + c)) / 2)
    return min(max(nearest, 0), n - b - c)
