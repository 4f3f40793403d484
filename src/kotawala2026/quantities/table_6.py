"""Table 6 is overdetermined: N, accuracies and N* fix b and c; b, c and N* fix N."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr, ndtri

from kotawala2026.quantities.grounds import QUANTITIES
from kotawala2026.quantities.published_numbers import PublishedNumbers, pair_names
from llm_power.agreement import agrees
from llm_power.printed import DISPLAY_RULES, Printed
from llm_power.statistics.paired_binary import required_n_discordance
from replication.findings import Finding


@QUANTITIES.on(PublishedNumbers)
def rows(published: PublishedNumbers) -> Iterator[Finding]:
    """Each cell, recomputed from the other cells of its row."""
    counts = published.close_pairs
    for i, pair in enumerate(pair_names(counts)):
        n, b, c = (int(x[i]) for x in (counts.n_items, counts.b, counts.c))
        p_a, p_b, n_star = counts.p_a[i], counts.p_b[i], counts.n_star[i].value
        yield Finding(
            "accuracy_gap_items", pair, n * (p_a.value - p_b.value), "N (p_A - p_B) of Table 6"
        )
        for name, value in zip(("b", "c"), _discordant_counts(n, p_a, p_b, n_star), strict=True):
            yield Finding(
                f"{name}_from_row",
                pair,
                value,
                "b and c that fit N, p_A and p_B, with the N* by eq. (6) nearest to the printed",
            )
        candidates = np.arange(b + c, 2 * n + 1)
        distance = np.abs(required_n_discordance(b, c, candidates) - n_star)
        yield Finding(
            "n_items_from_row",
            pair,
            int(candidates[np.argmin(distance)]),
            "N at which eq. (6) in b and c comes nearest to the printed N*",
        )
        yield Finding("n_discordant", pair, b + c, "b + c of Table 6")
        yield Finding("n_difference", pair, b - c, "b - c of Table 6")


def _discordant_counts(n: int, p_a: Printed, p_b: Printed, n_star: float) -> tuple[int, int]:
    """Counts b and c that a printed row admits; its own b and c are not used."""
    reach = n * (p_a.half_unit + p_b.half_unit)
    middle = n * (p_a.value - p_b.value)
    around = range(int(np.ceil(middle - reach)), int(np.floor(middle + reach)) + 1)
    candidates = []
    for difference in [d for d in around if _solves(n, p_a, p_b, d)] or [round(middle)]:
        total = np.arange(abs(difference), n + 1, 2)
        b, c = (total + difference) // 2, (total - difference) // 2
        distance = np.abs(required_n_discordance(b, c, n) - n_star)
        k = int(np.argmin(distance))
        candidates.append((float(distance[k]), int(b[k]), int(c[k])))
    _, only_a, only_b = min(candidates)
    return only_a, only_b


def _solves(n: int, p_a: Printed, p_b: Printed, difference: int) -> bool:
    """Whether some whole number of solved items rounds to both accuracies."""
    around = range(int(n * (p_a.value - p_a.half_unit)), int(n * (p_a.value + p_a.half_unit)) + 2)
    return any(agrees(p_a, s / n) and agrees(p_b, (s - difference) / n) for s in around)


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
    """The rounding and the power that give the printed N*."""
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
    yield Finding(
        "power_implied",
        "",
        float(ndtr(np.sqrt(printed[i] / ratio) - ndtri(1 - published.settings["alpha"] / 2))),
        "power at which the largest N* of Table 6 is eq. (6), at level 0.05",
    )
