"""Cells of a row of counts by the row's other cells, over every whole number of solved items."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from kotawala2026.exhibits.item_count import rules_displaying, solved
from kotawala2026.labels import pair_names
from replication.findings import Finding
from replication.printed import PublishedCounts


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
    behind = [0, *np.cumsum(counts.b[chain] - counts.c[chain]).tolist()]
    # Items that the first model solves, by each model's own accuracy.
    first = [{s + less for s in solved(p, n)} for p, less in zip(printed, behind, strict=True)]
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
        values = [_phi(s - behind[k], b, c, n) for s in fitting]
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
    """Return the value nearest to the printed one, with the ends of all; infinite without any."""
    if not values:
        return Finding(quantity, subject, math.inf, f"{method}: none fits")
    value = min(values, key=lambda x: abs(x - printed))
    return Finding(
        quantity, subject, float(value), method, lower=float(min(values)), upper=float(max(values))
    )
