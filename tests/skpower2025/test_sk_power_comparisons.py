"""Figures 2 and 3: power and p-values of displayed scores over every admissible agreement."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from llm_power._statistics.mcnemar import McNemarDesign, mcnemar_exact
from needed import ROOT
from skpower2025.comparisons import (
    DATASETS,
    MUSR,
    normal_power,
    over_time,
    p_values,
    post_hoc_power,
    read_board,
    with_the_median,
)
from skpower2025.exhibits import figure_02, figure_03

POINT = {"alpha": 0.05, "power": 0.8}


def whole(number: int) -> np.ndarray:
    return np.array([number])


@pytest.mark.parametrize(("a", "b", "n"), [(30, 45, 100), (93, 80, 100), (70, 70, 100), (0, 9, 60)])
def test_the_ends_are_those_of_all_tables_with_these_margins(a: int, b: int, n: int) -> None:
    tables = [(a - both, b - both) for both in range(max(0, a + b - n), min(a, b) + 1)]
    p = [float(mcnemar_exact(*one)) for one in tables]
    ends = p_values(whole(a), whole(b), n)
    assert (ends.lowest[0], ends.highest[0]) == (p[0], p[-1])
    powers = [float(McNemarDesign(x / n, y / n).power(n)) if x + y else 0.0 for x, y in tables]
    found = post_hoc_power(whole(a), whole(b), n, alpha=0.05, exact=True)
    assert found.lowest[0] == pytest.approx(powers[0], abs=1e-12)
    assert found.highest[0] == pytest.approx(powers[-1], abs=1e-12)
    # What holds at both ends holds between them.
    (word,), (powered,) = ends.at_most(0.05), found.at_least(0.8)
    met = {"every": {True}, "none": {False}, "depends": {True, False}}
    assert {one <= 0.05 for one in p} == met[word]
    assert {one >= 0.8 for one in powers} == met[powered]


def test_the_normal_form_is_within_its_error_and_does_not_decide() -> None:
    rng = np.random.default_rng(5)
    for n in (541, 1324, 12032):
        a = rng.integers(80, n - 80, 40)
        b = np.clip(a + rng.normal(0, 2.5, 40) * np.sqrt(n / 3), 80, n - 80).astype(np.int64)
        summed = post_hoc_power(a, b, n, alpha=0.05, exact=True)
        fast = post_hoc_power(a, b, n, alpha=0.05)
        assert np.abs(fast.lowest - summed.lowest).max() < 0.008
        assert fast.at_least(0.8) == summed.at_least(0.8)
    # Few discordant items are summed.
    few = post_hoc_power(whole(3), whole(12), 1324, alpha=0.05)
    assert few.lowest[0] == pytest.approx(
        float(McNemarDesign(3 / 1324, 12 / 1324).power(1324)), abs=1e-12
    )
    assert abs(normal_power(whole(3), whole(12), 1324, alpha=0.05)[0] - few.lowest[0]) > 0.01


@pytest.fixture
def board() -> pd.DataFrame:
    """Five medium models on three days; 300, 310, 310, 312 and 500 of 1,324 items of MATH."""
    solved = np.array([300, 310, 310, 312, 500])
    scores = {one.column: np.full(5, 0.5) for one in (*DATASETS, MUSR)}
    days = ["2024-07-01", "2024-07-02", "2024-07-02", "2024-07-03", "2024-07-04"]
    names = {"model": list("abcde"), "group": "medium", "date": pd.to_datetime(days)}
    return pd.DataFrame(names | scores | {"math": solved / 1324})


def test_a_new_best_is_compared_with_the_best_before_its_day(board: pd.DataFrame) -> None:
    frame = over_time(board, **POINT)
    assert set(frame["dataset"]) == {"Math Lvl 5"}
    assert frame["model"].tolist() == ["c", "d", "e"]
    assert frame["date"].tolist() == ["2024-07-02", "2024-07-03", "2024-07-04"]
    assert (frame["gap_pp"] * 13.24).round(9).tolist() == [10, 2, 188]
    # Ten items more: enough where one model solves all that the other does.
    assert frame["powered"].tolist() == ["depends", "none", "every"]
    assert frame["significant"].tolist() == ["depends", "none", "every"]
    (share,) = (f for f in figure_03.findings(frame, board) if f.quantity == "share of new bests")
    assert (share.lower, share.upper) == (1 / 3, 2 / 3)


def test_each_model_is_compared_with_the_median_of_its_group(board: pd.DataFrame) -> None:
    large = board.assign(group="large", math=board["math"] + 0.1, model=list("vwxyz"))
    better = board["math"].mask(board["model"] == "d", 450 / 1324)
    small = board.assign(group="small", math=better, model=list("fghij"))
    frame = with_the_median(pd.concat([board, large, small], ignore_index=True), **POINT)
    one = frame[(frame["dataset"] == "Math Lvl 5") & (frame["group"] == "medium")]
    assert (one["gap_pp"] * 13.24).round(9).tolist() == [-10, 0, 2, 190]
    assert len(frame) == 5 * 3 * 4
    found = {(f.quantity, f.subject): f for f in figure_02.findings(frame)}
    assert found["comparisons", ""].value == 60
    assert found["share significant", "medium"].upper == 0.5
    assert found["share significant", "small"].lower == 1
    more = found["share significant above the others'", "small"]
    assert (more.lower, more.upper) == (0.5, 0.5)


def test_more_than_half_of_the_new_bests_are_detectable_at_every_agreement(data_root: Path) -> None:
    board = read_board(data_root / "oll_v2_board.csv")
    frame = over_time(board, **POINT)
    every = frame[frame["powered"] == "every"].groupby("dataset").size().to_dict()
    assert every == {"IFEval": 1, "BBH": 5, "Math Lvl 5": 4, "MMLU-PRO": 3, "GPQA": 1}
    assert len(frame) == 26
    assert (frame["powered"] == "none").sum() == 2
    assert board["date"].min() == pd.Timestamp("2024-06-08")
    at = frame["powered"].value_counts()
    assert (
        f"of {len(frame)} new bests {at['every']} have 80 % power at every agreement, "
        f"{at['none']} at none; {len(frame) - at['every'] - at['none']} depend on it"
    ) in (ROOT / "docs/exhibits.md").read_text(encoding="utf-8")
