"""Have and need: what the finding says of any board, and how items are rounded."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isnan, nan

import pandas as pd
import pytest

from llm_power._board.have_need import HaveNeed, about_items, have_need, items_axis, what_lines_mean


def board(*rungs: tuple[str, float, float], items: int = 1000) -> HaveNeed:
    rows = [
        {
            "rank_a": rank,
            "rank_b": rank + 1,
            "model_a": f"m{rank}",
            "model_b": f"m{rank + 1}",
            "verdict": verdict,
            "gap": 0.0 if few == inf else 0.01,
            "n_items": 0 if isnan(few) else items,
            "items_even": few,
            "items_assured": many,
        }
        for rank, (verdict, few, many) in enumerate(rungs, 1)
    ]
    # Pairs of farther ranks, and rows out of order, change nothing.
    far = {**rows[0], "rank_b": 9, "verdict": "undetermined"}
    return have_need(pd.DataFrame([far, *rows[::-1]]), "exam", items)


@pytest.mark.parametrize(
    ("rungs", "finding"),
    [
        (
            [("different", 200, 400), ("undetermined", 9e5, 2_700_000), ("undetermined", 10, inf)],
            "2 of 3 neighbors are undetermined; ranks 2 and 3 need 2.7 million new items, "
            "1 pair needs over 1 million",
        ),
        (
            [("different", 200, 400), ("different", 100, 3_991)],
            "Both pairs of neighbors are different; ranks 2 and 3 need 4,000 new items",
        ),
        (
            [("different", 200, 400), ("equivalent", 100, 250)],
            "Both pairs of neighbors are different or equivalent (1); ranks 1 and 2 need 400 new "
            "items",
        ),
        (
            [("undetermined", inf, inf), ("undetermined", nan, nan)],
            "2 of 2 neighbors are undetermined",
        ),
        ([("equivalent", 10, 20)], "The two models are equivalent; the pair needs 20 new items"),
        (
            [("undetermined", 10, inf)],
            "The two models are undetermined; the pair needs over 1 million new items",
        ),
    ],
)
def test_the_finding_counts_and_names_the_costliest(
    rungs: list[tuple[str, float, float]], finding: str
) -> None:
    assert board(*rungs).finding == finding


def test_each_rung_says_what_it_needs() -> None:
    kinds = [(50, 120), (50, inf), (inf, inf), (nan, nan)]
    rungs = board(*[("undetermined", few, many) for few, many in kinds]).rungs
    told = ["120", "over 1 million", "no gap so far", "no item in common"]
    assert [rung.needed for rung in rungs] == told
    [equal] = board(("equivalent", inf, inf)).rungs
    assert equal.needed == "equivalent"


def test_a_number_over_which_is_none_is_explained_with_or_without_an_arrow() -> None:
    below = "below 0.8 even on a thousand times these items"
    assert what_lines_mean([board(("undetermined", 10, inf))], 0.8)[1:] == [f"an arrow: {below}"]
    rungs = [replace(rung, gap=0.01) for rung in board(("undetermined", inf, inf)).rungs]
    assert what_lines_mean([HaveNeed("exam", 1000, rungs)], 0.8)[1:] == [f"over: {below}"]


@pytest.mark.parametrize(
    ("items", "told"),
    [
        (3, "3"),
        (999, "999"),
        (3_991, "4,000"),
        (373_915, "374,000"),
        (999_999, "1 million"),
        (12_195_916, "12.2 million"),
        (2.5e9, "2.5 billion"),
        (4e17, "over 1,000 trillion"),
    ],
)
def test_items_are_rounded_up_to_three_digits(items: float, told: str) -> None:
    assert about_items(items) == told


def test_the_axis_holds_what_is_at_hand_and_ends_far_beyond_it() -> None:
    assert items_axis(1000, board(("different", 40, 90)).rungs) == (20, 2000)
    assert items_axis(1000, board(("undetermined", 1e9, 1e15)).rungs)[1] == 1e8
    assert items_axis(1000, board(("undetermined", nan, nan)).rungs) == (500, 2000)
