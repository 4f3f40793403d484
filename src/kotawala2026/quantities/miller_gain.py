"""The required N of independent samples over that of pairs: Section 2 and Figure 1."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from kotawala2026.quantities.grounds import QUANTITIES, Board, PublishedNumbers, summary_of
from kotawala2026.quantities.shortcut_ratios import five_numbers
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.paired_binary import miller_unpaired_required_n
from replication.findings import Finding


def gain_of_pairing(pairs: pd.DataFrame) -> FloatArray:
    r"""N*_Miller over N* of each pair: :math:`(p_A q_A + p_B q_B)/\sigma_D^2`, eq. (5)."""
    # Both N are K times a variance over the squared gap, infinite without one; the variances' ratio
    # is not.
    p_a, p_b = pairs["p_a"].to_numpy(), pairs["p_b"].to_numpy()
    gain: FloatArray = (p_a * (1 - p_a) + p_b * (1 - p_b)) / pairs["var_d"].to_numpy()
    return gain


@QUANTITIES.on(Board)
def miller_gain(board: Board) -> Iterator[Finding]:
    """Five numbers of the gain over a board's pairs, and its residuals from 1/(1 - rho)."""
    gain = gain_of_pairing(board.verdicts)
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
