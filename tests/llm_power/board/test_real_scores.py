"""Costs, seconds and other real scores: their tests, their unit, and which side is better."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import ttest_rel

from graded_pairs import graded_verdicts
from llm_power import TaskScores, compare, read_task, resolve, write_task
from llm_power._errors import InvalidArgument, ScoreError

_MEASURED: dict[str, Any] = {"unit": "$", "lower_is_better": True}
COSTS: dict[str, Any] = {"kind": "real", **_MEASURED}
ITEMS = tuple(f"q{item}" for item in range(240))
MODELS = ("heron", "kite", "osprey", "wren")
_LEVELS = ["p_a", "p_b"]


def costs(seed: int = 1) -> NDArray[np.float64]:
    """Return lognormal costs of four models; the second is the cheapest."""
    rng = np.random.default_rng(seed)
    base = np.exp(rng.normal(-4, 0.8, (len(ITEMS), 1)))
    return base * [1.5, 0.8, 1.0, 0.97] * np.exp(0.4 * rng.normal(size=(len(ITEMS), 4)))


def task(values: NDArray[np.float64], name: str = "exam", **measured: Any) -> TaskScores:
    labels = {"subject": tuple(f"s{item % 12}" for item in range(len(values)))}
    return TaskScores(name, "real", ITEMS[: len(values)], MODELS, values, labels, **measured)


def columns(values: NDArray[np.float64]) -> dict[str, list[float]]:
    return dict(zip(MODELS, values.T.tolist(), strict=True))


def test_two_models_are_compared_by_the_paired_t_test_of_scipy() -> None:
    """Differences without skewness, which Hall's test leaves as they are."""
    rng = np.random.default_rng(2)
    wren, spread = rng.gamma(2, 300, 60), rng.normal(0, 50, 30)
    heron = wren + 15 + np.concatenate([spread, -spread])
    (row,) = resolve({"heron": heron, "wren": wren}, kind="real").pairs.to_dict("records")
    assert row["p_single"] == pytest.approx(ttest_rel(heron, wren).pvalue, rel=1e-9)
    ends = ttest_rel(heron, wren).confidence_interval()
    found = row["gap_low_single"], row["gap_high_single"]
    assert found == pytest.approx((ends.low, ends.high), rel=1e-9)
    assert (row["model_a"], row["test"]) == ("heron", "student")
    assert row["gap"] == pytest.approx(15)
    assert 15 < row["smallest_gap"] < 30


@pytest.mark.parametrize("lacking", [0, 9])
def test_gaps_of_large_whole_numbers_are_exact(lacking: int) -> None:
    rng = np.random.default_rng(4)
    values = rng.integers(-40, 40, (200, 1)) + rng.integers(0, 4, (200, 2)) + [0, 1.0]
    values[:lacking, 0] = np.nan
    small, large = (
        resolve(dict(zip(MODELS, scores.T, strict=False)), kind="real", missing="pairwise").pairs
        for scores in (values, values + (2**53 - 100))
    )
    assert large["p_single"].item() == pytest.approx(small["p_single"].item())
    # Means of large scores are rounded, and so may order the models in another way.
    assert abs(large["delta"].item()) == pytest.approx(abs(small["delta"].item()))
    assert large["verdict"].item() == small["verdict"].item() == "different"


def test_a_sum_that_doubles_cannot_hold_may_be_rounding() -> None:
    # Added one by one, these come to -1.
    heron = [2.0**53, 1, -(2.0**53), -1]
    scores = {"heron": heron, "wren": [0.0] * 4, "kite": [np.nan, 5, 6, 9]}
    gaps = resolve(scores, kind="real", missing="pairwise", pairs="all").pairs
    pair = gaps[gaps["model_a"].isin(["heron", "wren"]) & gaps["model_b"].isin(["heron", "wren"])]
    assert pair["delta"].tolist() == [0.0]


@pytest.mark.parametrize("times", [1e-6, 1e7])
def test_another_unit_changes_the_size_of_gaps_alone(times: float) -> None:
    one, other = (
        resolve(task(x * costs() - shift, **_MEASURED), pairs="all")
        for x, shift in ((1.0, 0.0), (times, 3.0 * times))
    )
    gaps = ["delta", "gap", "gap_low_single", "gap_high_single", "mde", "gap_lowest", "gap_highest"]
    for name in [*gaps, "p_single", "n_star", "type_m"]:
        scale = times if name in gaps else 1.0
        first, second = one.pairs[name].to_numpy(float), other.pairs[name].to_numpy(float)
        np.testing.assert_allclose(second, scale * first, rtol=1e-6, err_msg=name)
    # The draws of max-T belong to the scores: these gaps move by a fifth of what is detectable.
    for name in ("gap_low", "smallest_gap"):
        near = np.abs(other.pairs[name] / times - one.pairs[name]) <= 0.2 * one.pairs["mde"]
        assert near.all()


@pytest.mark.parametrize(
    "asked",
    [
        {"pairs": "all"},
        {"pairs": "all", "cluster": "subject"},
        {"pairs": "all", "keep": "all"},
        {"pairs": "all", "missing": "pairwise"},
        {"pairs": "all", "missing": "weighted", "cluster": "subject"},
    ],
)
def test_where_lower_is_better_a_board_is_that_of_the_scores_with_their_sign_turned(
    asked: dict[str, Any],
) -> None:
    """Of two tasks with their average; scores themselves keep their sign."""
    values = [costs(1), costs(2)]
    if "missing" in asked:
        values[0][3, 1] = np.nan
    found, turned = (
        resolve(*(task(sign * x, f"exam {k}", **measured) for k, x in enumerate(values)), **asked)
        for sign, measured in ((1, {"lower_is_better": True}), (-1, {}))
    )
    tables = [(b.pairs, b.board.average.verdicts) for b in (found, turned) if b.board.average]
    for own, other in zip(*tables, strict=True):
        levels = [name for name in _LEVELS if name in own]
        pd.testing.assert_frame_equal(own.drop(columns=levels), other.drop(columns=levels))
        pd.testing.assert_frame_equal(own[levels], -other[levels])
    ranks = [(b.ranking, b.board.average.ranks) for b in (found, turned) if b.board.average]
    for own, other in zip(*ranks, strict=True):
        shown = ["score", "score_further"]
        ends = ["score_low", "score_high"]
        pd.testing.assert_frame_equal(
            own.drop(columns=shown + ends), other.drop(columns=shown + ends)
        )
        pd.testing.assert_frame_equal(own[shown], -other[shown])
        np.testing.assert_allclose(own[ends], -other[ends[::-1]])
    assert found.ranking["model"].iloc[0] == "kite"


def test_the_screen_the_page_and_the_files_name_the_unit(tmp_path: Path) -> None:
    board = resolve(columns(costs()), pairs="all", **COSTS)
    shown = str(board)
    assert "score, $" in shown
    assert "gap, $" in shown
    rare = "Rare large values may be missing from so few items"
    assert rare not in shown
    few = str(resolve(columns(costs()[:60]), pairs="all", **COSTS))
    assert rare in " ".join(few.split())
    assert "Less is better: a gap of 2 $ means that the first model has 2 $ less." in shown
    board.save(tmp_path)
    page, tables = ((tmp_path / name).read_text() for name in ("board.html", "board.md"))
    errors = (tmp_path / "error_bars.md").read_text()
    for text in (shown, tables, errors, page[page.index("<noscript>") : page.index("</noscript>")]):
        assert not {"points", "points,", "pp", "%|"} & {*text.split()}
    assert "Gap, \\$" in tables
    assert errors.count("In \\$.") == 1


def test_missing_scores_without_bounds_leave_a_lead_open() -> None:
    values = costs()
    values[0, 1] = np.nan
    board = resolve(task(values, **_MEASURED), pairs="all", missing="pairwise")
    lacking = (board.pairs[["model_a", "model_b"]] == "kite").any(axis=1)
    assert (board.pairs["gap_lowest"][lacking] == -np.inf).all()
    assert np.isfinite(board.pairs["gap_lowest"][~lacking]).all()
    assert not board.ranking["first"].any()
    assert board.ranking["rank_high"].iloc[0] == 4


def test_a_cheaper_candidate_is_better() -> None:
    found = compare(columns(costs()), baseline="heron", candidate="kite", **COSTS)
    (only,) = found.tasks
    assert found.outcome == "better"
    assert only.gap == pytest.approx(only.baseline_score - only.candidate_score)
    assert only.mended[0] == str(1 + int(np.argmax(costs()[:, 1] < costs()[:, 0])))
    assert "$ (" in str(found)
    assert "points" not in str(found)
    assert compare(columns(costs()), baseline="heron", candidate="kite", kind="real").outcome == (
        "worse"
    )


def test_scores_outside_0_and_1_are_refused_with_the_remedy() -> None:
    with pytest.raises(ScoreError, match=r"kind='real'"):
        resolve({"heron": [3.2, 1.0], "wren": [0.0, 1.0]})
    with pytest.raises(ScoreError, match=r"outside \[0, 1\].*kind='real'"):
        resolve({"heron": [3.2, 1.0], "wren": [0.0, 1.0]}, kind="graded")
    with pytest.raises(ScoreError, match=r"inf is not finite"):
        resolve({"heron": [np.inf, 1.0], "wren": [0.0, 1.0]}, kind="real")


@pytest.mark.parametrize("measured", [{"unit": "s"}, {"lower_is_better": True}])
def test_a_unit_is_of_real_scores_alone(measured: dict[str, Any]) -> None:
    with pytest.raises(ScoreError, match=r"kind='real'"):
        resolve({"heron": [1.0, 0.0], "wren": [0.0, 1.0]}, **measured)


def test_tasks_of_two_units_are_no_board() -> None:
    one, other = (task(costs(), f"in {unit}", unit=unit) for unit in ("$", "s"))
    with pytest.raises(InvalidArgument, match="different units"):
        resolve(one, other)
    with pytest.raises(InvalidArgument, match="different units"):
        compare(one, other, baseline="heron", candidate="wren")


def test_a_pilot_of_real_scores_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="those of task exam are real"):
        resolve(task(costs())).plan("heron", "kite", gap=0.001)


def test_a_canonical_file_keeps_the_unit(tmp_path: Path) -> None:
    write_task(task(costs(), **_MEASURED), tmp_path / "cost.parquet")
    found = read_task(tmp_path / "cost.parquet")
    assert (found.unit, found.lower_is_better, found.kind) == ("$", True, "real")
    assert resolve(tmp_path / "cost.parquet").ranking["model"].iloc[0] == "kite"


@pytest.mark.parametrize(("n", "covered"), [(50, 0.925), (500, 0.94)])
def test_the_interval_of_skewed_costs_by_simulation(n: int, covered: float) -> None:
    """Lognormal costs of equal mean, one more variable: skewed differences; 4,000 boards.

    Student's alone is farther off.
    """
    rng, shape = np.random.default_rng(6), (n, 4_000)
    base = np.exp(0.8 * rng.standard_normal(shape))
    first, second = (np.exp(sd * rng.standard_normal(shape) - sd**2 / 2) for sd in (0.3, 0.8))
    d = base * (first - second)
    p = graded_verdicts(d).p
    error = np.sqrt(covered * (1 - covered) / 4_000)
    assert 1 - np.mean(p <= 0.05) == pytest.approx(covered, abs=4 * error)
    assert np.mean(p <= 0.05) < np.mean(ttest_rel(d, 0 * d).pvalue <= 0.05)
