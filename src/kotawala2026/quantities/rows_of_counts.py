"""Tables 6 and 7 are overdetermined: each cell, N and the rounding by the rows' other cells."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
from scipy.special import ndtr, ndtri

from kotawala2026.exhibits.item_count import (
    chained_solved_counts,
    items_displaying,
    rules_displaying,
    rules_of_table,
    solved,
    solved_by_first,
)
from kotawala2026.labels import pair_names
from kotawala2026.quantities.grounds import QUANTITIES, PublishedNumbers
from llm_power._statistics.arrays import ArrayLike
from llm_power._statistics.paired_binary import required_n_discordance
from llm_power_audit.printed import DISPLAY_RULES
from llm_power_audit.printed_tables import PublishedCounts
from replication.constraints import Interval, interval_of
from replication.findings import Finding, within

# Two rows have one K within this share of it: a small N* is rounded by more than a thousandth.
_SAME_POINT = 0.01


def cells_from_rows(counts: PublishedCounts, n_items: int | None = None) -> Iterator[Finding]:
    """Yield b, c, both accuracies and rho of each row, with all values that the others admit."""
    names = pair_names(counts)
    rows = range(len(counts))
    for chain in [list(rows)] if counts.is_chain else [[i] for i in rows]:
        yield from _of_chain(counts, chain, names, n_items)
    for i in rows:
        n = n_items or int(counts.n_items[i])
        b, c, n_star = int(counts.b[i]), int(counts.c[i]), round(counts.n_star[i].value)
        differences = {
            first - second
            for first in solved(counts.p_a[i], n)
            for second in solved(counts.p_b[i], n)
        }
        method = f"N = {n:,}, accuracies, N* by eq. (6) and the other count, whole numbers tried"
        for name, own, pairs in (
            ("b", b, [(c + d, c) for d in differences]),
            ("c", c, [(b, b - d) for d in differences]),
        ):
            possible = [x for x in pairs if min(x) >= 0 and x[0] != x[1] and sum(x) <= n]
            fitting = [x for x in possible if rules_displaying(n_star, *x, n)] or possible
            values = [x[name == "c"] for x in fitting]
            yield one_of(f"{name}_from_row", names[i], values, own, method)


def _of_chain(
    counts: PublishedCounts, chain: list[int], names: list[str], n_items: int | None
) -> Iterator[Finding]:
    """Yield accuracies and correlations of a chain of pairs, each model shared by two."""
    # Where nothing fits all of it, as with one wrong count, the part that fits decides.
    n = n_items or int(counts.n_items[chain[0]])
    printed = [counts.p_a[chain[0]], *(counts.p_b[i] for i in chain)]
    behind, first = solved_by_first(counts, chain, n)
    method = f"other accuracies, b and c at N = {n:,}, whole numbers tried"
    for k, i in enumerate(chain):
        for name, model in (("p_a", k), ("p_b", k + 1)):
            partner = first[2 * k + 1 - model]
            others = [j for j in range(len(first)) if j != model]
            values = [(s - behind[model]) / n for s in _narrowed(partner, model, first, others)]
            own = printed[model].value
            yield one_of(f"{name}_from_row", names[i], values, own, method)
        b, c = int(counts.b[i]), int(counts.c[i])
        of_pair = first[k] & first[k + 1] or first[k] | first[k + 1]
        fitting = _narrowed(of_pair, k, first, range(len(first)))
        both = [s - behind[k] for s in fitting if 0 < s - behind[k] < n]
        values = [_phi(s, b, c, n) for s in both if 0 < s - b + c < n]
        method_of_rho = f"phi at accuracies, b and c at N = {n:,}, whole numbers tried"
        own = counts.rho[i].value
        yield one_of("rho_from_row", names[i], values, own, method_of_rho)


def _narrowed(
    known: set[int], around: int, sets: Sequence[set[int]], which: Iterable[int]
) -> set[int]:
    """Intersect the sets with the known numbers, the nearest model's first, but for empty ones."""
    # Beyond a wrong count the chain does not fit.
    for j in sorted(which, key=lambda j: abs(j - around)):
        known = known & sets[j] or known
    return known


def _phi(solved_a: int, b: int, c: int, n: int) -> float:
    solved_b = solved_a - b + c
    joint = n * (solved_a - b) - solved_a * solved_b
    return joint / math.sqrt(solved_a * (n - solved_a) * solved_b * (n - solved_b))


def one_of(
    quantity: str, subject: str, values: Collection[float], printed: float, method: str
) -> Finding:
    """Return the value nearest to the printed one, with the ends of all; without any, none."""
    if not values:
        # The others contradict each other, and say nothing of this one.
        return Finding(quantity, subject, math.nan, f"{method}: none fits", basis="none")
    value = min(values, key=lambda x: abs(x - printed))
    return Finding(
        quantity, subject, float(value), method, lower=float(min(values)), upper=float(max(values))
    )


@QUANTITIES.on(PublishedNumbers)
def rows_of_table_6(published: PublishedNumbers) -> Iterator[Finding]:
    """Each cell, recomputed from the other cells of its row."""
    counts = published.close_pairs
    yield from cells_from_rows(counts)
    for i, pair in enumerate(pair_names(counts)):
        n, b, c = (int(x[i]) for x in (counts.n_items, counts.b, counts.c))
        p_a, p_b = interval_of(counts.p_a[i]), interval_of(counts.p_b[i])
        items = n * (counts.p_a[i].value - counts.p_b[i].value)
        possible = Interval(n * (p_a.lower - p_b.upper), n * (p_a.upper - p_b.lower))
        yield within("accuracy_gap_items", pair, items, possible, "N (p_A - p_B) of Table 6")
        yield one_of(
            "n_items_from_row",
            pair,
            _possible_n(counts, i),
            n,
            "N at which eq. (6) in b and c displays as the printed N*, and b - c as the accuracies",
        )
        yield Finding("n_discordant", pair, b + c, "b + c of Table 6")
        yield Finding("n_difference", pair, b - c, "b - c of Table 6")


def _possible_n(counts: PublishedCounts, i: int) -> list[int]:
    """Return the numbers of items that fit the other cells of a row."""
    b, c, n_star = int(counts.b[i]), int(counts.c[i]), round(counts.n_star[i].value)
    spans = [items_displaying(n_star, b, c, rule) for rule in DISPLAY_RULES] if b != c else []
    admitted = sorted({n for span in spans for n in span})
    of_both = [
        n
        for n in admitted
        if {s - b + c for s in solved(counts.p_a[i], n)} & {*solved(counts.p_b[i], n)}
    ]
    return of_both or admitted


@QUANTITIES.on(PublishedNumbers)
def chains(published: PublishedNumbers) -> Iterator[Finding]:
    """Gap b - c of A and C, by those of A and B and of B and C, where all are printed."""
    counts = published.close_pairs
    names = zip(counts.label, counts.model_a, counts.model_b, strict=True)
    difference = dict(zip(names, (counts.b - counts.c).tolist(), strict=True))
    for (task, a, b), first in difference.items():
        for (other_task, same, c), second in difference.items():
            if task == other_task and b == same and (task, a, c) in difference:
                method = f"b - c of {a} against {b} and of {b} against {c}, added"
                subject = ", ".join((task, a, c))
                yield Finding("difference_by_chain", subject, first + second, method)


@QUANTITIES.on(PublishedNumbers)
def rounding_and_power(published: PublishedNumbers) -> Iterator[Finding]:
    """The rounding, and the power or the level given the other, that give the printed N*."""
    counts = published.close_pairs
    required = required_n_discordance(counts.b, counts.c, counts.n_items)
    printed = np.array([cell.value for cell in counts.n_star])
    method = "rows of Table 6 whose N* is eq. (6) rounded so"
    for rule, display in DISPLAY_RULES.items():
        count = int(np.count_nonzero(display(required) == printed))
        yield Finding("n_star_rows_by_rule", rule, count, method)
    # N* is K (N (b+c)/(b-c)^2 - 1): the largest N* pins K down best, among those whose K is the
    # others'. One misprinted row is not the paper's operating point.
    with np.errstate(divide="ignore"):
        ratio = counts.n_items * (counts.b + counts.c) / (counts.b - counts.c) ** 2 - 1
    k = printed / ratio
    common = np.abs(k / np.median(k) - 1) <= _SAME_POINT
    i = int(np.argmax(np.where(common, printed, 0.0)))
    total, largest = np.sqrt(k[i]), "at which the largest N* of Table 6 is eq. (6)"
    settings = published.settings
    power = float(ndtr(total - ndtri(1 - settings["alpha"] / 2)))
    yield Finding("power_implied", "", power, f"power {largest}, at level 0.05")
    level = float(2 * ndtr(ndtri(settings["power"]) - total))
    yield Finding("level_implied", "", level, f"level {largest}, at power 0.8")


_TABLE = "Table 7"


@QUANTITIES.on(PublishedNumbers)
def item_count(published: PublishedNumbers) -> Iterator[Finding]:
    """The N and the rounding that the nine rows have in common."""
    counts = published.adjacent_pairs
    implied, printed = published.implied_n, int(counts.n_items[0])
    method = "the N at which eq. (6) in b and c, under one rounding, displays most of the N*"
    yield Finding("n_items_implied", _TABLE, implied, method, unit="items")
    shown = rules_of_table(counts.n_star, counts, implied)
    method = f"rows of Table 7 whose N* is eq. (6) at N = {implied:,} rounded so"
    for rule in DISPLAY_RULES:
        explained = sum(rule in rules for rules in shown)
        yield Finding("rows_explained_at_implied_n", rule, explained, method)
    unexplained = rules_of_table(counts.n_star, counts, printed).count(())
    method = f"rows of Table 7 whose N* no rounding of eq. (6) gives at N = {printed:,}"
    yield Finding("rows_unexplained_at_printed_n", _TABLE, unexplained, method)
    for where, n in (("printed", printed), ("implied", implied)):
        method = f"items that the first model can have solved of N = {n:,}, by all ten accuracies"
        solutions = len(chained_solved_counts(counts, n))
        yield Finding(f"chain_solutions_at_{where}_n", _TABLE, solutions, method)


@QUANTITIES.on(PublishedNumbers)
def rows_of_table_7(published: PublishedNumbers) -> Iterator[Finding]:
    """Each cell, recomputed from the other cells of its row."""
    counts = published.adjacent_pairs
    n, names, difference = counts.n_items, counts.label, counts.b - counts.c
    implied = published.implied_n
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
    method = "rows of Table 7 whose first model solves no more than the second"
    yield Finding("pairs_out_of_order", _TABLE, float(np.count_nonzero(difference <= 0)), method)


@QUANTITIES.on(PublishedNumbers)
def gaps_of_table_4(published: PublishedNumbers) -> Iterator[Finding]:
    """Gap of Table 4 from the counts of Table 7; its correlation is that of Table 7's row."""
    pairs, n = published.adjacent_pairs, published.implied_n
    gap_pp = 100 * (pairs.b - pairs.c) / n
    yield from _per_pair("gap_pp_of_counts", pairs.label, gap_pp, f"(b - c)/N, N = {n:,}", "pp")


def _per_pair(
    quantity: str, names: Sequence[str], values: ArrayLike, method: str, unit: str = ""
) -> Iterator[Finding]:
    for name, value in zip(names, np.asarray(values), strict=True):
        yield Finding(quantity, name, float(value), method, unit=unit)
