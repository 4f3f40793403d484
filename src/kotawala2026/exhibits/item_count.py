"""How many items, and which rounding, the printed counts imply.

Tables 6 and 7 print b, c and a rounded N* but not the rounding rule, and Table 7 prints N
in its caption alone. Two sets of printed digits pin both down, independently:

* N* is increasing in N at given b and c, so each printed N* admits an interval of N under
  each rounding rule (`items_displaying`), and a table whose pairs share their items must
  have one N in all of the intervals (`common_items`).
* In Table 7 each model is compared with the next, so all its accuracies follow from N and
  one count, that of the items the first model solves (`chained_solved_counts`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.agreement import agrees
from audit.printed import DISPLAY_RULES, DisplayRule, Printed
from audit.printed_tables import PublishedCounts
from kotawala2026.operating_point import K
from llm_power.errors import InvalidArgument
from llm_power.statistics._typing import IntArray
from llm_power.statistics.paired_binary import required_n_discordance


def items_displaying(n_star: int, b: int, c: int, rule: DisplayRule) -> range:
    r"""Item counts N at which a pair's required N is displayed as `n_star`.

    Parameters
    ----------
    n_star : int
        Displayed required N.
    b, c : int
        Discordant counts, different from each other.
    rule : {"nearest", "up", "down"}
        How the display rounds.

    Returns
    -------
    range
        The consecutive N of at least b + c; empty if there is none.

    Raises
    ------
    InvalidArgument
        If b = c, where the required N is infinite at any N.

    Notes
    -----
    Eq. (6) in its discordance form, :math:`N^* = K(N(b+c)/(b-c)^2 - 1)`, solved for N at
    one unit below and above the display; within, each N is displayed and compared.
    """
    if b == c:
        raise InvalidArgument(f"b and c must differ, got {b!r} twice")
    low, high = ((n_star + step) / K + 1 for step in (-1, 1))
    scale = (b - c) ** 2 / (b + c)
    candidates = np.arange(max(b + c, int(low * scale) - 1), int(high * scale) + 2)
    required = required_n_discordance(b, c, candidates)
    hits = candidates[DISPLAY_RULES[rule](required) == n_star]
    return range(int(hits[0]), int(hits[-1]) + 1) if hits.size else range(0)


def rules_displaying(n_star: int, b: int, c: int, n_items: int) -> tuple[DisplayRule, ...]:
    """Rounding rules under which the required N at `n_items` items is displayed as `n_star`.

    Parameters
    ----------
    n_star : int
        Displayed required N.
    b, c, n_items : int
        Discordant counts and items.

    Returns
    -------
    tuple of {"nearest", "up", "down"}
        Empty if no rule does.
    """
    required = required_n_discordance(b, c, n_items)
    return tuple(rule for rule, display in DISPLAY_RULES.items() if display(required) == n_star)


def rules_of_table(counts: PublishedCounts, n_items: IntArray) -> list[tuple[DisplayRule, ...]]:
    """`rules_displaying` of every printed N* of a table.

    Parameters
    ----------
    counts : PublishedCounts
        Table 6 or 7; its own N is not used.
    n_items : ndarray of int, shape (n_pairs,)
        Items of each pair.

    Returns
    -------
    list of tuple of {"nearest", "up", "down"}
        One entry a pair.
    """
    rows = zip(counts.n_star, counts.b, counts.c, n_items, strict=True)
    return [rules_displaying(_whole(printed), int(b), int(c), int(n)) for printed, b, c, n in rows]


def common_items(ranges: Sequence[range]) -> range:
    """Return the item counts that are in all of the ranges."""
    return range(max(r.start for r in ranges), min(r.stop for r in ranges))


@dataclass(frozen=True, slots=True)
class ImpliedItems:
    """The N and the rounding rule that reproduce most of a table's printed N*.

    Attributes
    ----------
    n_items : int
        Items of every pair.
    rule : {"nearest", "up", "down"}
        How the table rounds.
    n_explained : int
        Rows whose N* they reproduce.
    """

    n_items: int
    rule: DisplayRule
    n_explained: int


def implied_item_count(counts: PublishedCounts) -> ImpliedItems:
    """Return the one N, and the one rounding rule, that reproduce most of the printed N*.

    Parameters
    ----------
    counts : PublishedCounts
        A table whose pairs share their items (Table 7).

    Returns
    -------
    ImpliedItems
        Among several that reproduce as many, the N nearest to the printed one, and the first
        rule of `DISPLAY_RULES`; the printed N where none reproduces any.

    Notes
    -----
    For Table 7 this is 12,031 and "up", for all nine rows, while its caption prints N = 12,032;
    see `chained_solved_counts` for the second, independent sign of 12,031. Most rows, and not all,
    so that one wrong row hides no other.
    """
    printed = int(counts.n_items[0])
    best, best_rank = ImpliedItems(printed, "nearest", 0), (0, 0)
    for rule in DISPLAY_RULES:
        admitted = [
            items_displaying(_whole(cell), int(b), int(c), rule)
            for cell, b, c in zip(counts.n_star, counts.b, counts.c, strict=True)
            if b != c
        ]
        # As N grows, the number of rows that admit it can rise only where a row's range begins.
        for n in sorted({found.start for found in admitted if found}):
            n_explained = sum(n in found for found in admitted)
            rank = (n_explained, -abs(n - printed))
            if rank > best_rank:
                best, best_rank = ImpliedItems(n, rule, n_explained), rank
    return best


def chained_solved_counts(counts: PublishedCounts, n_items: int) -> range:
    """How many of `n_items` items the first model can have solved, by all printed accuracies.

    Parameters
    ----------
    counts : PublishedCounts
        A table in which each pair's second model is the next pair's first (Table 7).
    n_items : int
        Items of every pair, in place of the printed N.

    Returns
    -------
    range
        Counts at which every printed accuracy is reproduced; empty if there is none.

    Raises
    ------
    InvalidArgument
        If the pairs do not form a chain.

    Notes
    -----
    The k-th model solves the first one's count less the sum of b - c over the pairs between.
    At N = 12,032 no count reproduces all ten accuracies of Table 7; at 12,031 exactly one does.
    """
    if not counts.is_chain:
        raise InvalidArgument("counts must be a chain: each pair's model_b the next one's model_a")
    printed = (counts.p_a[0], *counts.p_b)
    behind = [0, *np.cumsum(counts.b - counts.c).tolist()]
    hits = set.intersection(
        *({s + less for s in solved(p, n_items)} for p, less in zip(printed, behind, strict=True))
    )
    return range(min(hits), max(hits) + 1) if hits else range(0)


def solved(accuracy: Printed, n_items: int) -> list[int]:
    """Return the numbers of solved items that display as a printed accuracy."""
    low = math.floor(n_items * (accuracy.value - accuracy.half_unit))
    high = math.ceil(n_items * (accuracy.value + accuracy.half_unit))
    return [s for s in range(low, high + 1) if agrees(accuracy, s / n_items)]


def jointly_solved(counts: PublishedCounts, n_items: IntArray) -> IntArray:
    """Items that both models of each pair solve, from the printed accuracies.

    Parameters
    ----------
    counts : PublishedCounts
        Table 6 or 7.
    n_items : ndarray of int, shape (n_pairs,)
        Items of each pair.

    Returns
    -------
    ndarray of int, shape (n_pairs,)
        The n11 at which both printed accuracies are reproduced; where none or several do, the
        one nearest to both.

    Notes
    -----
    The tables print b, c and two accuracies of four digits. With at most 10,000 items a
    four-digit accuracy is one count. With more, a chain of pairs still pins it down
    (`chained_solved_counts`), and is used where the table is one.
    """
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


def _whole(printed: Printed) -> int:
    return round(printed.value)
