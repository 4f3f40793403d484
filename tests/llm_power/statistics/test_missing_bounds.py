"""Bounds against all fillings, and the missingness statistic against all choices of items."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from llm_power._errors import InvalidArgument
from llm_power._statistics.missing_bounds import missing_gap_bounds, missingness_by_difficulty

NAN = float("nan")


def holed(n_items: int, n_models: int, share: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    scores = (rng.random((n_items, n_models)) < 0.6).astype(np.float64)
    scores[rng.random(scores.shape) < share] = NAN
    return scores


@pytest.mark.parametrize("seed", range(5))
def test_bounds_are_the_extremes_over_all_fillings(seed: int) -> None:
    x = holed(5, 3, 0.4, seed)
    where = np.argwhere(np.isnan(x))
    gaps = []
    for values in product([0.0, 1.0], repeat=len(where)):
        full = x.copy()
        full[tuple(where.T)] = values
        mean = full.mean(axis=0)
        gaps.append(mean[:, np.newaxis] - mean)
    bounds = missing_gap_bounds(x)
    np.testing.assert_allclose(bounds.low, np.min(gaps, axis=0), atol=1e-15)
    np.testing.assert_allclose(bounds.high, np.max(gaps, axis=0), atol=1e-15)


def test_pairwise_deletion_is_what_pandas_gives() -> None:
    x = holed(80, 4, 0.3, 9)
    bounds = missing_gap_bounds(x)
    for j, k in product(range(4), repeat=2):
        d = x[:, j] - x[:, k]
        assert bounds.n_common[j, k] == np.sum(~np.isnan(d))
        np.testing.assert_allclose(bounds.pairwise[j, k], np.nanmean(d), atol=1e-15)
    assert np.all(bounds.low <= bounds.high)


def test_complete_scores_have_no_width() -> None:
    x = holed(30, 3, 0.0, 1)
    bounds = missing_gap_bounds(x)
    np.testing.assert_array_equal(bounds.low, bounds.high)
    np.testing.assert_allclose(bounds.pairwise, bounds.low, atol=1e-15)
    assert np.all(missingness_by_difficulty(x).n_missing == 0)


def test_pairs_without_a_common_item_have_bounds_and_no_gap() -> None:
    bounds = missing_gap_bounds([[1.0, NAN], [NAN, 0.0]])
    assert np.isnan(bounds.pairwise[0, 1])
    assert (bounds.low[0, 1], bounds.high[0, 1]) == (0.0, 1.0)


def test_limits_of_graded_scores_are_the_users() -> None:
    bounds = missing_gap_bounds([[3.0, 1.0], [NAN, 5.0]], lowest=1, highest=5)
    assert (bounds.low[0, 1], bounds.high[0, 1]) == (-1.0, 1.0)


def test_z_standardizes_over_all_choices_of_the_missing_items() -> None:
    """Mean 0 and, over all C(8, 3) sets of equal size, variance 1."""
    rng = np.random.default_rng(3)
    others = rng.random((8, 3))
    z = []
    for chosen in combinations(range(8), 3):
        x = np.column_stack([np.ones(8), others])
        x[list(chosen), 0] = NAN
        z.append(missingness_by_difficulty(x).z[0])
    np.testing.assert_allclose(np.mean(z), 0, atol=1e-12)
    np.testing.assert_allclose(np.mean(np.square(z)), 1, rtol=1e-12)


def test_items_that_no_other_model_has_say_nothing() -> None:
    x = np.array([[NAN, NAN], [1, NAN], [1, 0], [NAN, 1], [0, 0]])
    found = missingness_by_difficulty(x)
    assert found.n_missing.tolist() == [2, 2]
    assert found.others_on_missing.tolist() == [1, 1]
    assert found.others_on_present.tolist() == [0, 0.5]


def test_p_is_undefined_without_missing_items_or_without_variance() -> None:
    found = missingness_by_difficulty([[1.0, 1.0, 1.0], [NAN, 1.0, 1.0], [0.0, 1.0, 1.0]])
    assert np.isnan(found.p).all()
    assert np.isnan(missingness_by_difficulty([[1.0], [NAN]]).p[0])


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([1.0, 0.0], "shape"),
        ([[np.inf]], "infinite"),
        ([[1.5]], "lie in \\[0, 1\\]"),
        (np.empty((0, 2)), "shape"),
    ],
)
def test_faults_are_named(scores: object, said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        missing_gap_bounds(scores)  # type: ignore[arg-type]


def test_a_real_board_with_hard_subjects_missing(data_root: Path) -> None:
    """Pairwise deletion puts gemini 2.17 points before DeepSeek; -4.7 to +9.4 are possible."""
    board = pd.read_parquet(data_root / "mmlu_pro" / "correctness.parquet").drop(columns="category")
    names = [str(c) for c in board.columns]
    found = missingness_by_difficulty(board.to_numpy(dtype=np.float64, na_value=np.nan))
    bounds = missing_gap_bounds(board.to_numpy(dtype=np.float64, na_value=np.nan))
    worst = int(np.nanargmax(found.z))
    assert "deepseek" in names[worst].lower()
    assert found.p[worst] < 1e-6
    gaps = [
        (100 * bounds.pairwise[j, worst], 100 * bounds.low[j, worst], 100 * bounds.high[j, worst])
        for j, name in enumerate(names)
        if "gemini" in name.lower()
    ]
    assert any(np.allclose(gap, (2.17, -4.72, 9.42), atol=0.005) for gap in gaps)
