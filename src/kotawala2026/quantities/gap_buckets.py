"""Table 3: pairs by the size of their gap."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from math import comb
from typing import Any, Final

import numpy as np

from kotawala2026.labels import BUCKETS, BUCKETS_AND_ALL, bucket_mask
from kotawala2026.quantities.displayed_scores import PairBounds, displayed_pairs
from kotawala2026.quantities.grounds import (
    QUANTITIES,
    DisplayedScores,
    PublishedNumbers,
    ResolvedBoard,
)
from llm_power._statistics.paired_binary import required_n_discordance
from replication.findings import Finding, derived

# The close pairs of Table 6 fill the first two.
_CLOSE: Final = tuple(BUCKETS)[:2]


@QUANTITIES.on(ResolvedBoard)
def of_verdicts(board: ResolvedBoard) -> Iterator[Finding]:
    """Table 3 from a board's verdicts."""
    fixed = board.unresolved("resolved")
    for label in BUCKETS_AND_ALL:
        inside = bucket_mask(label, board.gap)
        yield Finding("pairs_in_bucket", label, float(inside.sum()))
        if not inside.any():
            continue
        r = board.r[inside]
        for quantity, value in (
            ("unresolved_in_bucket", fixed[inside].sum()),
            ("unresolved_share_in_bucket", fixed[inside].mean()),
            ("r_median", np.median(r)),
            ("r_worst", r.max()),
        ):
            yield Finding(quantity, label, float(value))


@QUANTITIES.on(PublishedNumbers)
def of_close_pairs(published: PublishedNumbers) -> Iterator[Finding]:
    """The two closest buckets from the counts of Table 6."""
    counts = published.close_pairs
    gap = np.abs(counts.b - counts.c) / counts.n_items
    r = required_n_discordance(counts.b, counts.c, counts.n_items) / counts.n_items
    for label in _CLOSE:
        inside = r[bucket_mask(label, gap)]
        for name, value in (
            ("pairs", inside.size),
            ("unresolved", np.count_nonzero(inside > 1)),
            ("r_median", np.median(inside)),
            ("r_worst", inside.max()),
        ):
            method = "pairs of Table 6 with such a gap, r = N*/N by eq. (6)"
            yield Finding(f"bucket_{name}", label, float(value), method)


@QUANTITIES.on(PublishedNumbers)
def arithmetic(published: PublishedNumbers) -> Iterator[Finding]:
    """Sums, shares and contradictions within Table 3."""
    *buckets, everything = published.tables[3].to_dict(orient="records")
    method = "unresolved over pairs, both of Table 3"
    for row in (*buckets, everything):
        share = row["unresolved"].count / row["pairs"].value
        yield Finding("bucket_share", row["gap_bucket"], share, method)
    for row in buckets:
        yield _decided_by_worst_r(row)
    pairs = [int(row["pairs"].value) for row in buckets]
    unresolved = sum(row["unresolved"].count for row in buckets)
    contradictions = sum(map(_against_its_r, buckets))
    summed = "over the buckets of Table 3"
    models = len({score.model for score in published.board_scores["oll_v1"]})
    for name, subject, value, method in (
        ("buckets_sum_pairs", "", float(sum(pairs)), summed),
        ("buckets_sum_unresolved", "", float(unresolved), summed),
        ("buckets_worst", "", max(row["r_worst"].value for row in buckets), summed),
        ("buckets_verdicts_against_r", "", float(contradictions), summed),
        ("pairs_up_to_5pp", "Table 3", sum(pairs[:3]), "first three buckets"),
        ("pairs_up_to_2pp", "Table 3", sum(pairs[:2]), "first two buckets"),
        (
            "tasks_of_pairs",
            "Table 3",
            everything["pairs"].value / comb(models, 2),
            "all pairs over K(K - 1)/2",
        ),
    ):
        yield Finding(name, subject, value, method)
    yield derived("all_pairs", "", 4 * comb(5, 2), "four tasks, five models: 4 × 5·4/2")
    yield derived("pairs_a_task", "", comb(5, 2), "five models: 5·4/2")
    worst, gain = buckets[-1]["r_worst"], float(published.settings["miller_gain_range"][1])
    largest = (worst.value + worst.half_unit) * gain
    method = "worst r of Table 3 times the largest gain of Section 2: no unpaired r is larger"
    yield Finding("largest_unpaired_r", buckets[-1]["gap_bucket"], largest, method)


@QUANTITIES.on(DisplayedScores)
def of_displayed_scores(ground: DisplayedScores) -> Iterator[Finding]:
    """Pairs of each bucket by the displayed scores, and Table 3 at every correlation."""
    board = PairBounds.of(displayed_pairs(ground.oll_v1))
    method = "pairs whose displayed scores, as whole numbers of items, differ by so much"
    for label in BUCKETS_AND_ALL:
        inside = bucket_mask(label, board.gaps)
        yield Finding("bucket_pairs_of_displayed_scores", label, int(inside.sum()), method)
    yield from over_correlations(board)


@QUANTITIES.on(DisplayedScores)
def beside_table_6(ground: DisplayedScores) -> Iterator[Finding]:
    """Unresolved pairs of each bucket where the pairs of Table 6 have its counts."""
    pairs, printed = displayed_pairs(ground.oll_v1), ground.published.close_pairs
    names = zip(printed.label, printed.model_a, printed.model_b, strict=True)
    counts = dict(zip(names, zip(printed.b, printed.c, strict=True), strict=True))
    seen = np.zeros((4, len(pairs)), dtype=np.int64)
    for k, (a, b) in enumerate(pairs):
        only_a, only_b = counts.get((a.task, a.model, b.model), (0, 0))
        # Printed counts that the scores exclude are said of their own row.
        if only_a - only_b == a.correct - b.correct:
            both = a.correct - only_a
            seen[:, k] = both, only_a, only_b, a.n_items - both - only_a - only_b
    board = PairBounds.of(pairs, seen)
    for label in BUCKETS_AND_ALL:
        unresolved = board.unresolved(label, bucket_mask(label, board.gaps))
        yield replace(unresolved, quantity="unresolved_beside_table_6", basis="counts")


def over_correlations(board: PairBounds) -> Iterator[Finding]:
    """Unresolved pairs, median and worst r of each bucket, whatever the correlations are."""
    for label in BUCKETS_AND_ALL:
        inside = bucket_mask(label, board.gaps)
        if inside.any():
            yield board.unresolved(label, inside)
            yield from board.ratios(label, inside)


@QUANTITIES.on(PublishedNumbers)
def named_buckets(_: PublishedNumbers) -> Iterator[Finding]:
    """The buckets of Table 3, which follow one another from the smallest gap up."""
    for i, name in enumerate(BUCKETS, start=1):
        yield Finding("name", f"table_03/{i}/gap_bucket", name, "gaps in ascending order")


def _decided_by_worst_r(row: Mapping[Hashable, Any]) -> Finding:
    worst = row["r_worst"]
    none = worst.value + worst.half_unit <= 1
    return Finding(
        "bucket_unresolved_by_worst_r",
        row["gap_bucket"],
        0 if none else row["unresolved"].count,
        "no pair of the bucket has r > 1" if none else "not decided by the worst r",
        "counts" if none else "none",
    )


def _against_its_r(row: Mapping[Hashable, Any]) -> bool:
    """Whether a bucket's count of unresolved pairs contradicts its median or worst r."""
    unresolved, pairs = int(row["unresolved"].count), float(row["pairs"].value)
    median, worst = float(row["r_median"].value), float(row["r_worst"].value)
    return (worst > 1) != (unresolved > 0) or (median > 1) != (2 * unresolved > pairs)
