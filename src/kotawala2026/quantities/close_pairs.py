"""The seven close pairs: bootstrap interval of N* (Section 6.1) and the tests of Table 11."""

from __future__ import annotations

import math
from collections.abc import Iterator
from math import sqrt
from typing import Final

import numpy as np
import pandas as pd
import scipy  # its part stats, slow to load, is loaded when it is first used

from kotawala2026.exhibits.table_11 import table_11
from kotawala2026.labels import CLOSE_GAP
from kotawala2026.quantities.grounds import QUANTITIES, PublishedNumbers, ResolvedBoard
from kotawala2026.simulations import likely_tables
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.paired_binary import required_n_discordance
from llm_power._statistics.random_streams import named_rng
from llm_power._statistics.verdict_stability import bootstrap_required_n
from llm_power_audit.printed import split_parentheses
from replication.findings import Finding

_QUANTILES: Final = (0.05, 0.95)
# Forty times the paper's 500: with 500, two of the seven close pairs change sides with the seed.
_RESAMPLES_OF_BOARD: Final = 20_000


@QUANTITIES.on(ResolvedBoard)
def of_board(board: ResolvedBoard) -> Iterator[Finding]:
    """Robustly unresolved pairs among the close pairs of a board."""
    close = board.verdicts[board.gap <= CLOSE_GAP]
    if close.empty:
        return
    result = bootstrap_required_n(
        *(close[name].to_numpy(np.int64) for name in ("n11", "b", "c", "n00")),
        n_resamples=_RESAMPLES_OF_BOARD,
        rng=named_rng(board.seed, "witness/n_star_bootstrap"),
    )
    robust = result.low > close["n_items"].to_numpy(np.float64)
    count = float(np.count_nonzero(robust))
    yield Finding("n_close_pairs_robustly_unresolved", "", count)


@QUANTITIES.on(PublishedNumbers)
def enumerated(published: PublishedNumbers) -> Iterator[Finding]:
    """Robustly unresolved pairs, by the exact distribution of the resamples."""
    counts, size = published.close_pairs, published.settings["oll_v1_bootstrap_resamples"]
    tests = [tuple(map(int, row)) for row in zip(counts.b, counts.c, counts.n_items, strict=True)]
    laws = [resampled_required_n(*row) for row in tests]
    share = np.array(
        [mass[needed > n].sum() for (needed, mass), (_, _, n) in zip(laws, tests, strict=True)]
    )
    low, high = np.array([percentiles(*law) for law in laws]).T
    n = counts.n_items
    robust, spanning = low > n, (low <= n) & (high > n)
    wide, law = spanning & (high > 10 * low), "N* of a resample, its b and c enumerated"
    for name, which, method in (
        ("robustly_unresolved", robust, f"5th percentile of {law}"),
        ("spanning", spanning, f"5th and 95th percentile of {law}"),
        (
            "intervals_beyond_tenfold",
            wide,
            f"spanning pairs with a 95th above ten times the 5th percentile of {law}",
        ),
    ):
        yield Finding(name, "", int(np.count_nonzero(which)), method)
    chance = chance_of_robust(share, size)
    for name, mean in (
        ("robustly_unresolved_in_a_run", chance.sum()),
        ("spanning_in_a_run", (1 - chance).sum()),
    ):
        method = f"mean over runs of {size} resamples; standard error: standard deviation over runs"
        yield Finding(name, "", float(mean), method, standard_error=_spread(chance))
    gap = np.array([abs(b - c) / sqrt(b + c) for b, c, _ in tests])
    nearer = int(np.count_nonzero(gap[spanning] < np.max(gap[robust], initial=0.0)))
    method = "spanning pairs whose |b - c| / sqrt(b + c) is below that of some robust pair"
    yield Finding("spanning_pairs_nearer_zero", "", nearer, method)


def resampled_required_n(b: int, c: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Return N* of each resample (b*, c*) of a pair, and the probability of that resample."""
    drawn_b, drawn_c, mass = likely_tables(b / n, c / n, n)
    return required_n_discordance(drawn_b, drawn_c, n), mass


def percentiles(values: FloatArray, mass: FloatArray) -> tuple[float, float]:
    """Return the 5th and the 95th percentile of a discrete law."""
    low, high = np.quantile(values, _QUANTILES, weights=mass, method="inverted_cdf")
    return float(low), float(high)


def chance_of_robust(share_unresolved: FloatArray, n_resamples: int) -> FloatArray:
    """Return the probability that the 5th percentile of so many resamples exceeds N."""
    # Of B resamples fewer than B/20 need N items or less: a binomial event.
    rank = math.ceil(_QUANTILES[0] * n_resamples - 1e-9)
    return np.asarray(scipy.stats.binom.cdf(rank - 1, n_resamples, 1 - share_unresolved))


def _spread(chances: FloatArray) -> float:
    """Standard deviation of the number of successes of independent trials."""
    return float(np.sqrt((chances * (1 - chances)).sum()))


@QUANTITIES.on(PublishedNumbers)
def arbiters(published: PublishedNumbers) -> Iterator[Finding]:
    """On which pairs the four tests agree, recomputed and as printed."""
    frame = table_11(published.tables[11], published.close_pairs)
    for name, method in (
        ("verdict", "tests on Table 6's b, c and N"),
        ("verdict_printed", "letters of Table 11"),
    ):
        letters: pd.Series = frame[name]
        for quantity, hits in (
            ("unanimous", letters.map(lambda word: len(set(word)) == 1)),
            ("unanimous_fail", letters.map(lambda word: set(word) == {"F"})),
            ("split", letters.map(lambda word: len(set(word)) > 1)),
        ):
            yield Finding(quantity, name, int(hits.sum()), method)
    n_letters = {len(word) for word in published.tables[11]["verdict"]}
    yield Finding("arbiters", "", max(n_letters), "letters of a verdict of Table 11")
    for row in published.tables[11].to_dict(orient="records"):
        letters_of_row = [
            "R" if row[name].value <= published.settings["alpha"] else "F"
            for name in ("p_chi2", "p_exact", "p_midp")
        ]
        letters_of_row.append("F" if row["zero_in_ci"] == "yes" else "R")
        pair, word = split_parentheses(row["pair"])[0], "".join(letters_of_row)
        method = "Table 11's own p-values against alpha, and its interval"
        yield Finding("verdict_of_printed_cells", pair, word, method)
