"""Table 7 was computed on 12,031 items, by two independent sets of printed digits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from kotawala2026.exhibits.item_count import (
    ImpliedItems,
    chained_solved_counts,
    common_items,
    implied_item_count,
    items_displaying,
    jointly_solved,
)
from llm_power._errors import InvalidArgument
from llm_power_audit.printed import (
    DISPLAY_RULES,
    DisplayRule,
    parse_printed,
)
from llm_power_audit.printed_tables import PublishedCounts

RULES: list[DisplayRule] = ["nearest", "up", "down"]
K = (norm.ppf(0.975) + norm.ppf(0.8)) ** 2


def required(b: int, c: int, n: int) -> float:
    """Eq. (6) in its discordance form, written apart from the library."""
    return float(K * (n * (b + c) / (b - c) ** 2 - 1))


@given(st.integers(1, 2000), st.integers(0, 2000), st.integers(0, 20000), st.sampled_from(RULES))
def test_the_range_holds_every_n_that_displays_alike_and_no_other(
    b: int, c: int, concordant: int, rule: DisplayRule
) -> None:
    if b == c:
        c += 1
    n = b + c + concordant
    displayed = int(DISPLAY_RULES[rule](required(b, c, n)))
    items = items_displaying(displayed, b, c, rule)
    assert n in items
    for outside in (items[0] - 1, items[-1] + 1):
        if outside >= b + c:
            assert int(DISPLAY_RULES[rule](required(b, c, outside))) != displayed


def test_equal_counts_have_no_finite_requirement() -> None:
    with pytest.raises(InvalidArgument, match="differ"):
        items_displaying(100, 5, 5, "up")


def test_table_7_is_rounded_up_at_12031_and_nothing_else_fits(counts_7: PublishedCounts) -> None:
    rows = list(zip(counts_7.n_star, counts_7.b, counts_7.c, strict=True))
    shared = {
        rule: common_items(
            [items_displaying(round(p.value), int(b), int(c), rule) for p, b, c in rows]
        )
        for rule in RULES
    }
    assert {rule: list(found) for rule, found in shared.items()} == {
        "nearest": [],
        "up": [12031],
        "down": [],
    }
    assert implied_item_count(counts_7) == ImpliedItems(12031, "up")


def test_one_wrong_row_does_not_hide_what_the_others_imply(counts_7: PublishedCounts) -> None:
    for row in range(len(counts_7)):
        b = counts_7.b.copy()
        b[row] += 30
        planted = implied_item_count(replace(counts_7, b=b))
        # Without ranks 6 vs 7 the others leave 12,031 and its neighbor below.
        assert planted.n_items in {12030, 12031}
        assert row == 5 or planted.n_items == 12031


def test_printed_accuracies_of_table_7_fit_12031_too(counts_7: PublishedCounts) -> None:
    """Ten four-digit accuracies and nine differences b - c: no N* is involved."""
    assert list(chained_solved_counts(counts_7, 12032)) == []
    assert list(chained_solved_counts(counts_7, 12031)) == [8786]
    # Within 100 items of the caption's N, the other fit is five items further away.
    fitting = [n for n in range(11932, 12133) if len(chained_solved_counts(counts_7, n))]
    assert fitting == [12026, 12031]
    solved = 8786 - np.concatenate([[0], np.cumsum(counts_7.b - counts_7.c)])
    printed = [p.text for p in (counts_7.p_a[0], *counts_7.p_b)]
    assert [f"{k / 12031:.4f}" for k in solved] == printed


def test_joint_counts_reproduce_the_accuracies(counts_6: PublishedCounts) -> None:
    n11 = jointly_solved(counts_6, counts_6.n_items)
    for i, both in enumerate(n11):
        for printed, alone in ((counts_6.p_a[i], counts_6.b[i]), (counts_6.p_b[i], counts_6.c[i])):
            assert f"{(both + alone) / counts_6.n_items[i]:.4f}" == printed.text


def test_contradictory_tables_are_computed_as_far_as_they_go(
    counts_6: PublishedCounts, counts_7: PublishedCounts
) -> None:
    # N = 12,032 leaves no chain of accuracies; the nearest n11 is within one item of each.
    n = counts_7.n_items
    both = jointly_solved(counts_7, n)
    for printed, alone in ((counts_7.p_a, counts_7.b), (counts_7.p_b, counts_7.c)):
        assert (np.abs(both + alone - [p.value for p in printed] * n) < 1.5).all()
    with pytest.raises(InvalidArgument, match="chain"):
        chained_solved_counts(counts_6, 1172)
    absurd = replace(counts_7, n_star=(parse_printed("1"),) * len(counts_7))
    assert implied_item_count(absurd) == ImpliedItems(12032, "nearest")
