"""Cells of Tables 6 and 7 by the other cells, with rows that nothing or several things fit."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from kotawala2026.exhibits.item_count import solved
from kotawala2026.operating_point import ALPHA, POWER
from kotawala2026.quantities.grounds import PublishedNumbers
from kotawala2026.quantities.rows_of_counts import cells_from_rows, one_of, rounding_and_power
from llm_power_audit.printed import parse_printed
from llm_power_audit.printed_tables import PublishedCounts
from replication.findings import Finding


def one_row(p_a: str, p_b: str, n_star: str) -> dict[str, Finding]:
    """A row of 100 items with b = 20 and c = 15."""
    counts = PublishedCounts(
        label=("X",),
        model_a=("one",),
        model_b=("two",),
        n_items=np.array([100]),
        b=np.array([20]),
        c=np.array([15]),
        p_a=(parse_printed(p_a),),
        p_b=(parse_printed(p_b),),
        rho=(parse_printed("0.50"),),
        p_chi2=(parse_printed("0.05"),),
        p_exact=(parse_printed("0.05"),),
        n_star=(parse_printed(n_star),),
    )
    return {finding.quantity: finding for finding in cells_from_rows(counts)}


def test_numbers_of_solved_items_that_display_as_printed() -> None:
    """0.61 of 100 items is 61; of 1,000 items 605 to 615, ties included."""
    assert solved(parse_printed("0.61"), 100) == [61]
    assert solved(parse_printed("0.61"), 1000) == list(range(605, 616))
    assert solved(parse_printed("0.6111"), 10) == []


def test_a_coarse_accuracy_leaves_several_values() -> None:
    """60 of 100 with b - c = 5: the other has 55, and 0.6 alone would leave 55 to 64."""
    fine = one_row("0.60", "0.55", "1,091")
    assert (fine["p_a_from_row"].lower, fine["p_a_from_row"].upper) == (0.60, 0.60)
    coarse = one_row("0.6", "0.5", "1,091")
    assert (coarse["p_a_from_row"].lower, coarse["p_a_from_row"].upper) == (0.50, 0.60)
    assert coarse["rho_from_row"].lower < coarse["rho_from_row"].upper


def test_n_star_picks_the_count_among_those_that_fit_the_accuracies() -> None:
    """With c = 15, b = 20 alone gives 7.849 (100 x 35/25 - 1) = 1,091 items."""
    found = one_row("0.6", "0.5", "1,091")["b_from_row"]
    assert (found.value, found.lower, found.upper) == (20, 20, 20)
    # Where none gives the printed N*, the accuracies alone say what there can be.
    found = one_row("0.6", "0.5", "7")["b_from_row"]
    assert found.lower < found.upper


def test_what_nothing_fits_is_undefined() -> None:
    found = one_of("x", "", [], 3.0, "tried")
    assert (math.isnan(float(found.value)), found.basis) == (True, "none")


def test_one_misprinted_n_leaves_the_operating_point(numbers: PublishedNumbers) -> None:
    """The pair with the largest N* has another N: the other six have the paper's K."""
    counts, last = numbers.close_pairs, numbers.close_pairs.n_items.copy()
    last[4] *= 10
    wrong = replace(numbers, close_pairs=replace(counts, n_items=last))
    found = {f.quantity: f.value for f in rounding_and_power(wrong)}
    assert found["power_implied"] == pytest.approx(0.8, abs=5e-5)
    assert found["level_implied"] == pytest.approx(0.05, abs=5e-5)


def test_the_operating_point_of_captions_is_that_of_the_settings(numbers: PublishedNumbers) -> None:
    assert numbers.point == {"alpha": ALPHA, "power": POWER}
