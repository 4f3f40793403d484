"""Arithmetic that runs through several tables, or through a table and the text beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import comb

import numpy as np

from kotawala2026.evidence.published_numbers import PublishedNumbers
from replication.evidence.reach import Reach, reach_of
from replication.evidence.rows import EvidenceRow

_ALL, _LARGEST_GAPS = "all", ">15%"


def tables_together(published: PublishedNumbers) -> list[EvidenceRow]:
    """Add up, multiply and compare what the paper prints in different places.

    Parameters
    ----------
    published : PublishedNumbers
        What the paper prints.

    Returns
    -------
    list of EvidenceRow
        Evidence ``counts``.
    """
    return [
        *_buckets(published),
        *_gaps_and_correlations(published),
        *_chain_of_accuracies(published),
        *_procedures(published),
        *_accuracies(published),
        *_halved_clusters(published),
    ]


def _buckets(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """Table 3 in itself, and with the factors that the text applies to it."""
    table = published.tables[3]
    buckets = table[table["gap_bucket"] != _ALL]
    pairs = [int(cell.value) for cell in buckets["pairs"]]
    for label, worst, cell in zip(
        buckets["gap_bucket"], buckets["r_worst"], buckets["unresolved"], strict=True
    ):
        none = worst.value + worst.half_unit <= 1
        yield EvidenceRow(
            "bucket_unresolved_by_worst_r",
            label,
            0 if none else cell.count,
            "no pair of the bucket has r > 1" if none else "not decided by the worst r",
            "counts" if none else "none",
        )
    (everything,) = table[table["gap_bucket"] == _ALL]["pairs"]
    models = len({score.model for score in published.board_scores})
    yield EvidenceRow(
        "tasks_of_pairs", "Table 3", everything.value / comb(models, 2), "all pairs over K(K - 1)/2"
    )
    yield EvidenceRow("pairs_up_to_5pp", "Table 3", sum(pairs[:3]), "first three buckets")
    yield EvidenceRow("pairs_up_to_2pp", "Table 3", sum(pairs[:2]), "first two buckets")
    yield EvidenceRow(
        "unresolved_after_bonferroni",
        "Section 6.3",
        sum(int(x) for x in published.settings["bonferroni_unresolved_by_bucket"]),
        "sum over the buckets as Section 6.3 gives them",
    )
    largest = buckets[buckets["gap_bucket"] == _LARGEST_GAPS]["r_worst"].iloc[0]
    gain = float(published.settings["miller_gain_range"][1])
    yield EvidenceRow(
        "largest_unpaired_r",
        _LARGEST_GAPS,
        (largest.value + largest.half_unit) * gain,
        "worst r of Table 3 times the largest gain of Section 2: no unpaired r is larger",
    )


def _gaps_and_correlations(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """Gap and correlation of Table 4 from the counts and accuracies of Table 7."""
    pairs, table = published.adjacent_pairs, published.tables[4]
    n, b, c = (x.astype(np.float64) for x in (pairs.n_items, pairs.b, pairs.c))
    for i, label in enumerate(pairs.label):
        yield EvidenceRow(
            "gap_pp_of_counts", label, float(100 * (b[i] - c[i]) / n[i]), "(b - c)/N", unit="pp"
        )
        rho = _correlation(pairs.p_a[i].value, pairs.p_a[i].half_unit, b[i] / n[i], c[i] / n[i])
        printed = table["rho"][i]
        yield EvidenceRow(
            "rho_of_accuracies_within_rounding",
            label,
            rho.nearest_to(printed.value),
            f"eq. (5) solved for ρ; between {rho.lower:.6g} and {rho.upper:.6g}",
        )


def _correlation(p_a: float, half_unit: float, b: float, c: float) -> Reach:
    """Phi of a pair whose accuracies are p_a and p_a - (b - c), with p_a known to half a unit."""
    a = np.array([p_a - half_unit, p_a + half_unit])
    u_a, u_b = a * (1 - a), (a - b + c) * (1 - a + b - c)
    rho = (u_a + u_b - (b + c) + (b - c) ** 2) / (2 * np.sqrt(u_a * u_b))
    return Reach(float(rho.min()), float(rho.max()))


def _chain_of_accuracies(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """Model B of one row of Table 7 is model A of the next."""
    table = published.tables[7]
    rows = list(zip(table["model_a"], table["p_a"], table["model_b"], table["p_b"], strict=True))
    broken = [
        name_b
        for (_, _, name_b, p_b), (name_a, p_a, _, _) in pairwise(rows)
        if name_a != name_b or reach_of(p_a) != reach_of(p_b)
    ]
    yield EvidenceRow(
        "broken_links", "Table 7", len(broken), "model and accuracy against the next row's"
    )


def _procedures(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """By how much each procedure of Table 5 raises the count of the first, fixed n."""
    table = published.tables[5]
    boards = [name for name in table.columns if name != "procedure"]
    yield EvidenceRow("boards_counted", "Table 5", len(boards), "columns of counts")
    on_both: Counter[str] = Counter()
    for board, subject in (("oll_v1", "OLL v1"), ("mmlu_pro", "MMLU-Pro")):
        counts = {
            name: cell.count
            for name, cell in zip(table["procedure"], table[board], strict=True)
            if cell is not None
        }
        fixed, *_ = counts.values()
        increases = {name: count - fixed for name, count in list(counts.items())[1:]}
        on_both.update(increases)
        yield EvidenceRow(
            "smallest_increase_over_fixed_n", subject, min(increases.values()), "column of Table 5"
        )
        yield EvidenceRow("procedures_counted", subject, len(counts), "column of Table 5")
    yield EvidenceRow(
        "smallest_increase_over_fixed_n",
        "both boards together",
        min(on_both.values()),
        "sum over the boards that a row of Table 5 has a count for",
    )


def _accuracies(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """How near the printed accuracies come to one half."""
    printed = [
        cell.value
        for pairs in (published.close_pairs, published.adjacent_pairs)
        for cell in (*pairs.p_a, *pairs.p_b)
    ]
    yield EvidenceRow(
        "smallest_distance_from_half",
        "Tables 6 and 7",
        min(abs(p - 0.5) for p in printed),
        "columns p_A and p_B",
    )


def _halved_clusters(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """A number of clusters that follows from another."""
    yield EvidenceRow(
        "halved_clusters", "MMLU-Pro", 2 * int(published.settings["mmlu_pro_categories"]), "2 K"
    )
