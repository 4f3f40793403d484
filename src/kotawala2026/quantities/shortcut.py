"""The shortcut n_h beside N*: Lemma 1 on the grid of Appendix A, Section 4, and on the pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd

from kotawala2026.labels import CLOSE_GAP, FIVE_NUMBERS
from kotawala2026.quantities.displayed_scores import both_ratios, shortcut_of
from kotawala2026.quantities.grounds import QUANTITIES, Board, PublishedNumbers, summary_of
from llm_power._statistics.arrays import ArrayLike, FloatArray
from llm_power._statistics.paired_binary import (
    admissible_rho,
    required_n_paired_binary,
    shortcut_required_n,
)
from replication.findings import Finding, derived

_P: Final = (0.5, 0.65, 0.8)
_RHO: Final = np.arange(8) / 10
_DELTA: Final = np.arange(1, 41) / 200
_SMALLEST, _CLOSE, _WIDE = 0.005, 0.05, 0.20
_END_RHOS: Final = (0.0, 0.7)
# Gaps of up to 0.05 under steps that the paper's range [0.005, 0.20] can have.
_STEPS: Final[Mapping[str, Sequence[float]]] = {
    "delta in steps of 0.005": [k / 200 for k in range(1, 11)],
    "delta in steps of 0.01": [k / 100 for k in range(1, 6)],
    "delta of 0.005, 0.01, 0.02 and 0.05": [0.005, 0.01, 0.02, 0.05],
}
# C(p, rho) as Appendix A prints it.
_PRINTED_C: Final = {(0.5, 0.0): 1 / 3, (0.65, 0.0): 0.31, (0.8, 0.5): 0.80}
_MIDPOINTS: Final = np.arange(500, 1000) / 1000
_NEAR: Final = 0.05
# The largest gap of a pair that the shortcut could decide otherwise, as Section 4 has it.
_STRADDLING: Final = 0.07


def shortcut_constant(p: ArrayLike, rho: ArrayLike) -> FloatArray:
    r"""Second-order constant :math:`C(p, \rho)` of Lemma 1, eq. (11).

    .. math::
        C = \frac12\left|\frac{(1+\rho)(1-2p)^2}{16(1-\rho)p^2(1-p)^2}
            - \frac{1}{6p(1-p)}\right|
    """
    middle, r = np.asarray(p), np.asarray(rho)
    u, skew = middle * (1 - middle), np.square(1 - 2 * middle)
    return np.asarray(0.5 * np.abs((1 + r) * skew / (16 * (1 - r) * u**2) - 1 / (6 * u)))


def admissible_delta(p: float, rho: float, epsilon: float) -> float:
    r"""Largest gap :math:`\delta^* = \sqrt{\epsilon/C(p,\rho)}` of Corollary 1."""
    return float(np.sqrt(epsilon / shortcut_constant(p, rho)))


def lemma_grid() -> pd.DataFrame:
    """Shortcut over N* on the grid of Appendix A, in cells with admissible rho (eqs. 7 and 8)."""
    # The paper gives ranges; the steps here are 0.1 in rho and 0.005 in delta.
    p, rho, delta = (axis.ravel() for axis in np.meshgrid(_P, _RHO, _DELTA, indexing="ij"))
    p_a, p_b = p + delta / 2, p - delta / 2
    inside = rho <= admissible_rho(p_a, p_b)[1]
    p, rho, delta, p_a, p_b = (axis[inside] for axis in (p, rho, delta, p_a, p_b))
    ratio = shortcut_required_n(p_a, p_b, rho) / required_n_paired_binary(p_a, p_b, rho)
    constant = shortcut_constant(p, rho)
    return pd.DataFrame(
        {
            "p": p,
            "rho": rho,
            "delta": delta,
            "ratio": ratio,
            "constant": constant,
            "deviation": np.abs(ratio - 0.5),
            "relative_error": np.abs(np.abs(ratio - 0.5) / (constant * delta**2) - 1),
        }
    )


@QUANTITIES.on(PublishedNumbers)
def in_its_readings(_: PublishedNumbers) -> Iterator[Finding]:
    """n_h/N* against C delta^2 on the grid, under each reading of how the grid is described."""
    # Section 4's largest deviations are those of p = 0.5 and 0.65, where C is at most 1/3. At p =
    # 0.8 it reaches 1.97, and the deviation at a gap of 0.05 is 0.0049. Relative errors are as
    # printed in the median; where C is nearly zero, four figures fail at the smallest gap.
    grid = lemma_grid()
    finest = grid[grid["delta"] == _SMALLEST]
    ends = finest[finest["rho"].isin(_END_RHOS)]
    excess_over = "|n_h/N* - 1/2| over C delta^2, minus 1,"
    for subject, cells in (("rho in steps of 0.1", finest), ("rho = 0 and 0.7", ends)):
        largest, method = cells["relative_error"].max(), f"{excess_over} largest at delta = 0.005"
        yield derived("constant_relative_error", subject, float(largest), method)
    method = "largest |n_h/N* - 1/2| at an admissible rho in steps of 0.1"
    for delta in (_CLOSE, _WIDE):
        deviation = float(grid.loc[grid["delta"] == delta, "deviation"].max())
        yield derived("largest_deviation", f"delta = {delta:g}, all p", deviation, method)
    close = grid[grid["delta"] <= _CLOSE + 1e-12]
    for subject, gaps in _STEPS.items():
        cells = close[np.isclose(close["delta"].to_numpy()[:, None], gaps).any(axis=1)]
        median = float(cells["relative_error"].median())
        method = f"median over {len(cells)} cells with delta <= 0.05"
        yield derived("constant_median_relative_error", subject, median, method)
    widest = grid[grid["delta"] == _WIDE]
    excess = widest["deviation"] / (widest["constant"] * widest["delta"] ** 2) - 1
    named = excess[(widest["p"] == 0.8) & (widest["rho"] == 0.5)]
    method = f"{excess_over} at delta = 0.20"
    yield derived("fourth_order_share", "p = 0.8, rho = 0.5", float(named.iloc[0]), method)
    yield derived("fourth_order_share", "largest at admissible rho", float(excess.max()), method)


@QUANTITIES.on(PublishedNumbers)
def printed_constants(_: PublishedNumbers) -> Iterator[Finding]:
    """Multiples and differences of the constants that Appendix A prints."""
    method = "the constant as Appendix A prints it"
    for delta in (_CLOSE, _WIDE):
        subject, product = f"p = 0.8, rho = 0.5, delta = {delta:g}", _PRINTED_C[0.8, 0.5] * delta**2
        yield Finding("printed_constant_times_delta_squared", subject, product, method)
    method = "difference of the constants that Appendix A prints"
    for subject, end, start in (
        ("p from 0.5 to 0.65 at rho = 0", (0.65, 0.0), (0.5, 0.0)),
        ("from (0.65, 0) to (0.8, 0.5)", (0.8, 0.5), (0.65, 0.0)),
    ):
        change = _PRINTED_C[end] - _PRINTED_C[start]
        yield Finding("change_of_printed_constant", subject, change, method)


@QUANTITIES.on(PublishedNumbers)
def smallest_constants(_: PublishedNumbers) -> Iterator[Finding]:
    """Minimum over p of the constant of Lemma 1; at p = 1/2 the constant is 1/3."""
    smallest = float(shortcut_constant(_MIDPOINTS, 0.3).min())
    yield derived("smallest_shortcut_constant", "ρ = 0.3", smallest, "eq. (11), p in thousandths")


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
