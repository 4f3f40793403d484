"""Table 6 is overdetermined: N, accuracies and N* fix b and c; b, c and N* fix N."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr, ndtri

from audit.printed import DISPLAY_RULES
from audit.printed_tables import PublishedCounts
from kotawala2026.exhibits.item_count import items_displaying, solved
from kotawala2026.labels import pair_names
from kotawala2026.quantities._rows_of_counts import cells_from_rows, one_of
from kotawala2026.quantities.grounds import QUANTITIES
from kotawala2026.quantities.published_numbers import PublishedNumbers
from llm_power.statistics.paired_binary import required_n_discordance
from replication.findings import Finding
from replication.reach import reach_of


@QUANTITIES.on(PublishedNumbers)
def rows(published: PublishedNumbers) -> Iterator[Finding]:
    """Each cell, recomputed from the other cells of its row."""
    counts = published.close_pairs
    yield from cells_from_rows(counts)
    for i, pair in enumerate(pair_names(counts)):
        n, b, c = (int(x[i]) for x in (counts.n_items, counts.b, counts.c))
        p_a, p_b = reach_of(counts.p_a[i]), reach_of(counts.p_b[i])
        yield Finding(
            "accuracy_gap_items",
            pair,
            n * (counts.p_a[i].value - counts.p_b[i].value),
            "N (p_A - p_B) of Table 6",
            lower=n * (p_a.lower - p_b.upper),
            upper=n * (p_a.upper - p_b.lower),
        )
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
    difference = dict(
        zip(
            zip(counts.label, counts.model_a, counts.model_b, strict=True),
            (counts.b - counts.c).tolist(),
            strict=True,
        )
    )
    for (task, a, b), first in difference.items():
        for (other_task, same, c), second in difference.items():
            if task == other_task and b == same and (task, a, c) in difference:
                yield Finding(
                    "difference_by_chain",
                    ", ".join((task, a, c)),
                    first + second,
                    f"b - c of {a} against {b} and of {b} against {c}, added",
                )


@QUANTITIES.on(PublishedNumbers)
def rounding_and_power(published: PublishedNumbers) -> Iterator[Finding]:
    """The rounding, and the power or the level given the other, that give the printed N*."""
    counts = published.close_pairs
    required = required_n_discordance(counts.b, counts.c, counts.n_items)
    printed = np.array([cell.value for cell in counts.n_star])
    for rule, display in DISPLAY_RULES.items():
        yield Finding(
            "n_star_rows_by_rule",
            rule,
            int(np.count_nonzero(display(required) == printed)),
            "rows of Table 6 whose N* is eq. (6) rounded so",
        )
    # N* is K (N (b+c)/(b-c)^2 - 1): the largest N* pins K down best.
    i = int(np.argmax(printed))
    ratio = counts.n_items[i] * (counts.b[i] + counts.c[i]) / (counts.b[i] - counts.c[i]) ** 2 - 1
    total, largest = np.sqrt(printed[i] / ratio), "at which the largest N* of Table 6 is eq. (6)"
    settings = published.settings
    power = float(ndtr(total - ndtri(1 - settings["alpha"] / 2)))
    yield Finding("power_implied", "", power, f"power {largest}, at level 0.05")
    level = float(2 * ndtr(ndtri(settings["power"]) - total))
    yield Finding("level_implied", "", level, f"level {largest}, at power 0.8")
