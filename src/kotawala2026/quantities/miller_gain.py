"""The required N of independent samples over that of pairs: Section 2 and Figure 1."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kotawala2026.quantities.grounds import QUANTITIES, Board, PublishedNumbers, summary_of
from kotawala2026.quantities.pair_bounds import gain_of
from kotawala2026.quantities.shortcut_ratios import five_numbers
from llm_power._statistics.paired_binary import miller_unpaired_required_n
from replication.findings import Finding


@QUANTITIES.on(Board)
def miller_gain(board: Board) -> Iterator[Finding]:
    """Five numbers of the gain over a board's pairs, and its residuals from 1/(1 - rho)."""
    gain = gain_of(board.verdicts)
    finite = np.isfinite(board.column("n_star"))
    gain[finite] = board.column("n_miller")[finite] / board.column("n_star")[finite]
    residual = gain - 1 / (1 - board.column("rho"))
    yield from five_numbers("miller_gain", gain)
    yield Finding("miller_residual_mean", "", float(residual.mean()))
    largest = float(np.abs(residual).max())
    yield Finding("miller_residual_max", "", largest, "largest in absolute value")


@QUANTITIES.on(PublishedNumbers)
def of_printed_pairs(published: PublishedNumbers) -> Iterator[Finding]:
    """Gain of the pairs of Tables 6 and 7."""
    method = "independent-sample N over eq. (6)"
    for table, counts in published.counted.items():
        pairs = summary_of(counts)
        gain = miller_unpaired_required_n(pairs.p_a, pairs.p_b) / pairs.n_star
        yield Finding("smallest_gain", table, float(gain.min()), method)
        yield Finding("smallest_rho", table, float(pairs.rho.min()), "phi of the counts")
