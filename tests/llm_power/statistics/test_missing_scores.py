"""Bounds against all fillings, and the missingness statistic against all choices of items."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from llm_power._errors import InvalidArgument
from llm_power._statistics.cluster_moments import (
    ClusterMoments,
    moments_from_counts,
    moments_from_differences,
)
from llm_power._statistics.cluster_robust import cluster_robust_test
from llm_power._statistics.missing_scores import (
    missing_gap_bounds,
    missingness_by_difficulty,
    weighted_gap,
    weighted_moments,
)

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


def test_one_missing_item_is_no_stronger_evidence_than_one_of_all() -> None:
    x = np.ones((40, 5))
    x[7] = [NAN, 0, 0, 0, 0]
    assert missingness_by_difficulty(x).p[0] == pytest.approx(1 / 40)


def test_items_that_no_other_model_has_say_nothing() -> None:
    x = np.array([[NAN, NAN], [1, NAN], [1, 0], [NAN, 1], [0, 0]])
    found = missingness_by_difficulty(x)
    assert found.n_missing.tolist() == [2, 2]


def test_p_is_undefined_without_missing_items_or_without_variance() -> None:
    found = missingness_by_difficulty([[1.0, 1.0, 1.0], [NAN, 1.0, 1.0], [0.0, 1.0, 1.0]])
    assert np.isnan(found.p).all()
    assert np.isnan(missingness_by_difficulty([[1.0], [NAN]]).p[0])


def test_scores_that_are_equal_have_no_variance_from_rounding() -> None:
    x = np.full((40, 6), 0.1)
    x[:10, :3] = NAN
    found = missingness_by_difficulty(x)
    assert np.isnan([found.z, found.p]).all()


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


SIZES = np.array([40, 25, 60, 10, 30])
LABELS = np.repeat(list("vwxyz"), SIZES)


def board(rng: np.random.Generator, trials: int) -> tuple[np.ndarray, np.ndarray]:
    """Differences with a gap that goes with the cluster, whole and with scores missing by it."""
    lean = np.repeat([0.3, 0.1, -0.2, 0.4, 0.0], SIZES)[:, np.newaxis]
    whole = rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.8, 0.1], size=(165, trials)) + lean
    answered = np.repeat([0.9, 0.6, 0.3, 0.8, 0.5], SIZES)[:, np.newaxis]
    return whole, np.where(rng.random(whole.shape) < answered, whole, np.nan)


def test_the_gap_is_that_of_the_weights_written_out() -> None:
    _, d = board(np.random.default_rng(1), 1)
    d = d[:, 0]
    present = ~np.isnan(d)
    codes = np.unique(LABELS, return_inverse=True)[1]
    weight = 1 / (np.bincount(codes, present) / SIZES)[codes]
    delta = np.average(d[present], weights=weight[present])
    means = np.bincount(codes[present], d[present]) / np.bincount(codes[present])
    # The influence of each item, answered or not; within clusters the divisor is one less.
    m = np.bincount(codes[present])
    influence = means[codes] - delta
    influence[present] += (
        weight[present]
        * np.sqrt(m / (m - 1))[codes[present]]
        * (d[present] - means[codes[present]])
    )
    for pairs in (d, d[:, np.newaxis]):
        found = weighted_gap(moments_from_differences(pairs, LABELS), SIZES)
        np.testing.assert_allclose(found.delta, delta)
        np.testing.assert_allclose(found.standard_error, np.sqrt(np.square(influence).sum()) / 165)


def test_complete_scores_have_the_error_of_the_mean() -> None:
    whole, _ = board(np.random.default_rng(2), 3)
    found = weighted_gap(moments_from_differences(whole, LABELS), SIZES)
    np.testing.assert_allclose(found.delta, whole.mean(axis=0))
    # The divisor is n_k - 1 in each cluster and not n - 1 over all.
    error = whole.std(axis=0, ddof=1) / np.sqrt(len(whole))
    np.testing.assert_allclose(found.standard_error, error, rtol=0.02)
    moments = moments_from_differences(whole, LABELS)
    robust, same = (cluster_robust_test(x) for x in (moments, weighted_moments(moments, SIZES)))
    np.testing.assert_array_equal(robust.p, same.p)


def test_sizes_that_all_pairs_share_are_those_of_each_pair() -> None:
    b, c = [[4, 1], [2, 2]], [[1, 0], [0, 3]]
    shared = weighted_gap(moments_from_counts([[8], [6]], b, c), [10, 20])
    own = weighted_gap(moments_from_counts([[8, 8], [6, 6]], b, c), [10, 20])
    for name in ("standard_error", "p"):
        np.testing.assert_array_equal(getattr(shared, name), getattr(own, name))


def test_a_cluster_without_answers_is_left_out() -> None:
    counts = [90, 0, 30], [9, 0, 2], [4, 0, 8]
    found = weighted_gap(moments_from_counts(*counts), [100, 70, 100])
    without = weighted_gap(moments_from_counts([90, 30], [9, 2], [4, 8]), [100, 100])
    for name in ("delta", "standard_error", "p"):
        np.testing.assert_array_equal(getattr(found, name), getattr(without, name))


def test_a_cluster_with_one_answer_takes_the_variance_of_the_others() -> None:
    found = weighted_gap(moments_from_counts([5, 1], [3, 1], [0, 0]), [5, 5])
    within = 0.25 * 0.3 / 5 + 0.25 * 0.3
    between = (0.5 * 0.2**2 + 0.5 * 0.2**2) / 10
    np.testing.assert_allclose(found.standard_error, np.sqrt(within + between))
    assert np.isnan(weighted_gap(moments_from_counts([1, 1], [1, 1], [0, 0]), [5, 5]).p)


def test_weights_take_out_what_deleting_items_leaves_in() -> None:
    """Missing by cluster: no bias, its error that of the trials; deletion is off by 4 points."""
    rng, trials = np.random.default_rng(3), 4_000
    _, d = board(rng, trials)
    truth = float(SIZES @ [0.3, 0.1, -0.2, 0.4, 0.0]) / 165
    found = weighted_gap(moments_from_differences(d, LABELS), SIZES)
    spread = found.delta.std()
    assert abs(found.delta.mean() - truth) < 4 * spread / np.sqrt(trials)
    assert np.nanmean(d, axis=0).mean() - truth > 0.04
    # Sizes of clusters are fixed in these trials: the second term of the variance is not there.
    lean = np.array([0.3, 0.1, -0.2, 0.4, 0.0])
    strata = float(SIZES @ np.square(lean - truth)) / 165**2
    assert abs(np.square(found.standard_error).mean() - strata - spread**2) < 0.06 * spread**2


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ([10, 20], "one number a cluster"),
        ([5, 1, 1], "at least the answered items"),
        ([-1, 2, 3], "negative"),
    ],
)
def test_faults_of_cluster_sizes_are_named(sizes: list[int], said: str) -> None:
    moments: ClusterMoments = moments_from_counts([5, 2, 1], [1, 0, 0], [0, 1, 1])
    with pytest.raises(InvalidArgument, match=said):
        weighted_gap(moments, sizes)
