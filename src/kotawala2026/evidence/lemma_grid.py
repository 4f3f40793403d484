"""The grid on which the paper checks Lemma 1, read in the ways its description allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pandas as pd

from kotawala2026.evidence.published_numbers import PublishedNumbers
from kotawala2026.exhibits.prose_lemma import lemma_grid as grid_cells
from replication.evidence.rows import EvidenceRow, derived

_SMALLEST, _CLOSE, _LARGEST = 0.005, 0.05, 0.20
_ENDS: Final = (0.0, 0.7)
_COARSE: Final = (0.005, 0.01, 0.02, 0.05)
# C(p, rho) as Appendix A prints it.
_PRINTED_C: Final = {(0.5, 0.0): 1 / 3, (0.65, 0.0): 0.31, (0.8, 0.5): 0.80}


def lemma_grid(published: PublishedNumbers) -> list[EvidenceRow]:
    """Hold n_h/N* against C delta^2 where Appendix A says it did.

    Parameters
    ----------
    published : PublishedNumbers
        Unused: the grid is of mathematics alone.

    Returns
    -------
    list of EvidenceRow
        All of class ``derived``.
    """
    return list(_rows(grid_cells()))


def _rows(grid: pd.DataFrame) -> Iterator[EvidenceRow]:
    finest = grid[grid["delta"] == _SMALLEST]
    ends = finest[finest["rho"].isin(_ENDS)]
    for subject, cells in (("rho in steps of 0.1", finest), ("rho = 0 and 0.7", ends)):
        yield derived(
            "constant_relative_error",
            subject,
            float(cells["relative_error"].max()),
            "|n_h/N* - 1/2| over C delta^2, minus 1, largest at delta = 0.005",
        )
    digits = ends.assign(coefficient=ends["deviation"] / ends["delta"] ** 2)
    same = [
        f"{found:.3e}" == f"{constant:.3e}"
        for found, constant in zip(digits["coefficient"], digits["constant"], strict=True)
    ]
    yield derived(
        "cells_with_other_four_figures",
        "rho = 0 and 0.7",
        len(same) - sum(same),
        "cells of six at delta = 0.005 whose coefficient rounds to other four figures than C",
    )
    for delta in (_CLOSE, _LARGEST):
        at_gap = grid[grid["delta"] == delta]
        for subject, cells in (("all p", at_gap), ("p = 0.5 and 0.65", at_gap[at_gap["p"] < 0.8])):
            yield derived(
                "largest_deviation",
                f"delta = {delta:g}, {subject}",
                float(cells["deviation"].max()),
                "largest |n_h/N* - 1/2| at an admissible rho in steps of 0.1",
            )
    close = grid[grid["delta"] <= _CLOSE + 1e-12]
    coarse = close[close["delta"].round(3).isin(_COARSE)]
    for subject, cells in (("delta in steps of 0.005", close), ("four gaps", coarse)):
        yield derived(
            "constant_median_relative_error",
            subject,
            float(cells["relative_error"].median()),
            "median over delta <= 0.05; four gaps: 0.005, 0.01, 0.02, 0.05",
        )
    widest = grid[grid["delta"] == _LARGEST]
    excess = widest["deviation"] / (widest["constant"] * widest["delta"] ** 2) - 1
    named = excess[(widest["p"] == 0.8) & (widest["rho"] == 0.5)]
    method = "|n_h/N* - 1/2| over C delta^2, minus 1, at delta = 0.20"
    yield derived("fourth_order_share", "p = 0.8, rho = 0.5", float(named.iloc[0]), method)
    yield derived("fourth_order_share", "largest at admissible rho", float(excess.max()), method)
    yield from _printed_constants()


def _printed_constants() -> Iterator[EvidenceRow]:
    """What the constants that Appendix A prints say of its other sentences."""
    for p, constant in (("0.8, rho = 0.5", _PRINTED_C[0.8, 0.5]), ("0.5", _PRINTED_C[0.5, 0.0])):
        for delta in (_CLOSE, _LARGEST):
            yield EvidenceRow(
                "printed_constant_times_delta_squared",
                f"p = {p}, delta = {delta:g}",
                constant * delta**2,
                "the constant as Appendix A prints it",
            )
    yield EvidenceRow(
        "change_of_printed_constant",
        "p from 0.5 to 0.65 at rho = 0",
        _PRINTED_C[0.65, 0.0] - _PRINTED_C[0.5, 0.0],
        "difference of the constants that Appendix A prints",
    )
    yield EvidenceRow(
        "change_of_printed_constant",
        "from (0.65, 0) to (0.8, 0.5)",
        _PRINTED_C[0.8, 0.5] - _PRINTED_C[0.65, 0.0],
        "difference of the constants that Appendix A prints",
    )
