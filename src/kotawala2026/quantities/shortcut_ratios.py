"""The shortcut over N*, n_h/N*, on the pairs of a board and of Tables 6 and 7."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from kotawala2026.labels import CLOSE_GAP
from kotawala2026.quantities.grounds import QUANTITIES, Board, PublishedNumbers, summary_of
from kotawala2026.quantities.pair_bounds import both_ratios, shortcut_of
from kotawala2026.witness.oll_v1_overlaps import FIVE_NUMBERS
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.paired_binary import required_n_paired_binary, shortcut_required_n
from replication.findings import Finding

_NEAR: Final = 0.05
# The largest gap of a pair that the shortcut could decide otherwise, as Section 4 has it.
_STRADDLING: Final = 0.07


@QUANTITIES.on(Board)
def shortcut_ratios(board: Board) -> Iterator[Finding]:
    """Summaries of n_h/N* over a board's pairs with a gap, of real numbers and of whole items."""
    # Section 4's largest, 0.562, is no ratio of real numbers: GSM8K's Llama-3-8B-Instruct and
    # gemma-7b-it have 0.5605 at any correlation. After rounding up it is 9/16 = 0.5625.
    finite = np.isfinite(board.column("n_star"))
    n_h, n_star = board.column("n_h")[finite], board.column("n_star")[finite]
    ratio, of_whole_items = both_ratios(n_h, n_star)
    yield from five_numbers("shortcut_ratio", ratio)
    yield from five_numbers("shortcut_ratio_of_whole_items", of_whole_items)
    close = np.abs(ratio - 0.5)[board.gap[finite] <= CLOSE_GAP]
    yield Finding("shortcut_ratio_close_pairs_deviation", "", float(close.max(initial=0.0)))
    near = float(np.count_nonzero(board.gap <= _NEAR))
    yield Finding("pairs_within_5pp", "", near, f"of {len(board.verdicts)}")


def five_numbers(name: str, values: FloatArray) -> Iterator[Finding]:
    """Yield minimum, quartiles and maximum, as ``NAME_min`` and so on."""
    quantiles = np.quantile(values, list(FIVE_NUMBERS.values()))
    for part, value in zip(FIVE_NUMBERS, quantiles, strict=True):
        yield Finding(f"{name}_{part}", "", float(value))


@QUANTITIES.on(PublishedNumbers)
def on_table_7(published: PublishedNumbers) -> Iterator[Finding]:
    """Section 6.2: n_h/N* of the counts of Table 7."""
    # Eq. (6) in accuracies and rho here, in b and c on a board: the two differ in the last digit.
    pairs = summary_of(published.adjacent_pairs)
    inputs = (pairs.p_a, pairs.p_b, pairs.rho)
    ratio = shortcut_required_n(*inputs) / required_n_paired_binary(*inputs)
    for which, value in (
        ("min", ratio.min()),
        ("median", np.median(ratio)),
        ("max", ratio.max()),
        ("pairs_below_one", np.count_nonzero(ratio < 1)),
        ("largest_deviation_from_half", np.abs(ratio - 0.5).max()),
    ):
        method = "n_h/N* of the counts of Table 7"
        yield Finding(f"shortcut_ratio_{which}", "Table 7", float(value), method)


@QUANTITIES.on(PublishedNumbers)
def on_table_6(published: PublishedNumbers) -> Iterator[Finding]:
    """How many of the seven close pairs have n_h/N* = 0.5000."""
    close = summary_of(published.close_pairs)
    ratios = both_ratios(shortcut_of(close), close.n_star)
    method = "pairs of Table 6 whose n_h/N* rounds to 0.5000"
    for subject, ratio in zip(("as real numbers", "of whole items"), ratios, strict=True):
        count = float(np.count_nonzero(np.round(ratio, 4) == 0.5))
        yield Finding("close_pairs_at_half_to_four_decimals", subject, count, method)


@QUANTITIES.on(PublishedNumbers)
def changed_verdicts(published: PublishedNumbers) -> Iterator[Finding]:
    """Section 4: pairs with N between n_h and N*, whose verdict changes with the formula."""
    tables = {name: summary_of(counts) for name, counts in published.counted.items()}
    changed = {
        name: (shortcut_of(pairs) <= pairs.n_items) & ~pairs.resolved
        for name, pairs in tables.items()
    }
    method = "pairs with n_h <= N < N*"
    for name, which in changed.items():
        count = float(np.count_nonzero(which))
        yield Finding("verdicts_the_shortcut_changes", name, count, method)
    everywhere = np.concatenate(list(changed.values()))
    gaps = np.concatenate([np.abs(pairs.delta) for pairs in tables.values()])
    for subject, condition in (
        ("all printed pairs", everywhere.all()),
        (
            "only pairs within 7 pp",
            bool(everywhere.any()) and gaps[everywhere].max() <= _STRADDLING,
        ),
    ):
        word = "yes" if condition else "no"
        yield Finding("shortcut_changes_verdicts", subject, word, method)
