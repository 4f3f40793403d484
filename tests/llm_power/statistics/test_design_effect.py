"""Clustered resolution against R, scipy, statsmodels and item-level loops.

R session (R version 4.2.2 Patched (2022-11-10 r83330))::

    > n <- c(7, 12, 5, 20); b <- c(4, 1, 2, 3); c <- c(0, 5, 1, 2)
    > d <- unlist(Map(function(n, b, c) rep(c(1, -1, 0), c(b, c, n - b - c)), n, b, c))
    > g <- factor(rep(seq_along(n), n))
    > ms <- anova(aov(d ~ g))[["Mean Sq"]]
    > print(ms, digits = 15)
    [1] 1.25937950937951 0.35327380952381
    > n0 <- (sum(n) - sum(n^2) / sum(n)) / (length(n) - 1)
    > print(n0, digits = 15)
    [1] 9.98484848484848
    > icc <- (ms[1] - ms[2]) / (ms[1] + (n0 - 1) * ms[2])
    > print(icc, digits = 15)
    [1] 0.204377468415973
    > print(1 + (mean(n) - 1) * max(icc, 0), digits = 15)
    [1] 3.04377468415973
    > x <- c(0.25, 0.5, -0.125, 0.75, 0.1, -0.2, 0.3, 0.6, 0.55)
    > h <- factor(c(1, 1, 1, 2, 2, 3, 3, 3, 3))
    > print(anova(aov(x ~ h))[["Mean Sq"]], digits = 15)
    [1] 0.0285069444444445 0.1351736111111111
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from clustered_items import (
    R_B,
    R_C,
    R_N,
    RTOL,
    assert_same,
    effect_of_items,
    icc_of_items,
    items_of,
    random_counts,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f_oneway
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from llm_power._statistics.cluster_moments import moments_from_counts, moments_from_sums
from llm_power._statistics.design_effect import (
    category_bootstrap,
    cluster_resolution,
    leave_one_cluster_out,
)
from llm_power._statistics.inversion import required_n
from llm_power._statistics.paired_binary import summarize_counts


def test_icc_and_design_effect_equal_r() -> None:
    result = cluster_resolution(moments_from_counts(R_N, R_B, R_C))
    np.testing.assert_allclose(result.icc, 0.204377468415973, rtol=RTOL)
    np.testing.assert_allclose(result.design_effect, 3.04377468415973, rtol=RTOL)
    assert result.icc.shape == result.n_star.shape == result.resolved.shape == ()


def test_graded_icc_equals_r() -> None:
    groups = [[0.25, 0.5, -0.125], [0.75, 0.1], [-0.2, 0.3, 0.6, 0.55]]
    moments = moments_from_sums(
        [3, 2, 4], [sum(g) for g in groups], [sum(x * x for x in g) for g in groups]
    )
    between, within, n0 = 0.0285069444444445, 0.1351736111111111, (9 - 29 / 9) / 2
    expected = (between - within) / (between + (n0 - 1) * within)
    assert expected < 0
    np.testing.assert_allclose(cluster_resolution(moments).icc, expected, rtol=RTOL)
    assert cluster_resolution(moments).design_effect == 1


def test_icc_equals_scipy_and_statsmodels_on_items() -> None:
    n, b, c = random_counts(1, 6, 5)
    icc = cluster_resolution(moments_from_counts(n, b, c)).icc
    for pair in range(5):
        groups = items_of(n[:, pair], b[:, pair], c[:, pair])
        sizes = np.array([g.size for g in groups])
        n0 = (sizes.sum() - np.sum(sizes**2) / sizes.sum()) / 5
        ratio = f_oneway(*groups).statistic
        np.testing.assert_allclose(icc[pair], (ratio - 1) / (ratio + n0 - 1), rtol=RTOL)
        frame = pd.DataFrame({"d": np.concatenate(groups), "g": np.repeat(np.arange(6), sizes)})
        between, within = anova_lm(ols("d ~ C(g)", frame).fit())["mean_sq"]
        expected = (between - within) / (between + (n0 - 1) * within)
        np.testing.assert_allclose(icc[pair], expected, rtol=1e-9)


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 7))
def test_resolution_with_missing_clusters_equals_items(seed: int, n_clusters: int) -> None:
    n, b, c = random_counts(seed, n_clusters, 3, missing=True)
    n[0], b[0], c[0] = np.maximum(n[0], 1), np.minimum(b[0], 1), 0
    result = cluster_resolution(moments_from_counts(n, b, c))
    for pair in range(3):
        groups = items_of(n[:, pair], b[:, pair], c[:, pair])
        d = np.concatenate(groups)
        assert result.n_clusters[pair] == len(groups)
        assert result.n_items[pair] == d.size
        np.testing.assert_allclose(result.icc[pair], icc_of_items(groups), rtol=1e-9, atol=1e-13)
        effect = effect_of_items(groups)
        np.testing.assert_allclose(result.design_effect[pair], effect, rtol=RTOL)
        iid = required_n(d.mean(), d.std())
        np.testing.assert_allclose(result.n_star_iid[pair], iid, rtol=RTOL, atol=1e-10)
        need = np.inf if np.isinf(iid) else iid * effect
        np.testing.assert_allclose(result.n_star[pair], need, rtol=RTOL, atol=1e-10)
        assert result.resolved[pair] == (d.size >= need)


def test_required_items_without_clusters_are_those_of_the_pair() -> None:
    n, b, c = random_counts(8, 5, 4)
    pair = summarize_counts(0 * n.sum(0), b.sum(0), c.sum(0), (n - b - c).sum(0))
    result = cluster_resolution(moments_from_counts(n, b, c))
    np.testing.assert_allclose(result.n_star_iid, pair.n_star, rtol=RTOL)
    np.testing.assert_allclose(result.q * result.design_effect, pair.q, rtol=RTOL)


def test_one_column_of_items_stands_for_all_pairs() -> None:
    n, b, c = random_counts(2, 6, 4)
    column = (b + c).max(axis=1, keepdims=True) + 3
    shared = moments_from_counts(column, b, c)
    repeated = moments_from_counts(np.repeat(column, 4, axis=1), b, c)
    for run in (cluster_resolution, leave_one_cluster_out):
        assert_same(run(shared), run(repeated))
    draws = [category_bootstrap(x, rng=np.random.default_rng(3)) for x in (shared, repeated)]
    assert_same(*draws)


def test_single_pair_as_vectors_equals_one_column() -> None:
    vector = moments_from_counts(R_N, R_B, R_C)
    column = moments_from_counts(*(np.reshape(x, (4, 1)) for x in (R_N, R_B, R_C)))
    dropped = leave_one_cluster_out(vector)
    assert dropped.q.shape == (4,)
    np.testing.assert_array_equal(dropped.q, leave_one_cluster_out(column).q[:, 0])


def test_icc_at_its_two_ends() -> None:
    # All variance between clusters, and none of it: b = c in each of two equal clusters.
    assert cluster_resolution(moments_from_counts([6, 4], [6, 0], [0, 0])).icc == 1
    lowest = cluster_resolution(moments_from_counts([8, 8], [4, 4], [4, 4])).icc
    np.testing.assert_allclose(lowest, -1 / 7, rtol=RTOL)


@pytest.mark.parametrize(
    ("n", "b", "c", "n_star"),
    [
        pytest.param([20, 0], [5, 0], [2, 0], np.nan, id="one non-empty cluster"),
        pytest.param([20, 20], [0, 0], [0, 0], np.inf, id="no discordant item"),
        pytest.param([20, 30], [20, 30], [0, 0], np.nan, id="every item discordant alike"),
        pytest.param([1, 1, 1], [1, 0, 1], [0, 0, 0], np.nan, id="one item a cluster"),
        pytest.param([0, 0], [0, 0], [0, 0], np.nan, id="no items"),
    ],
)
def test_undefined_icc_is_nan(n: list[int], b: list[int], c: list[int], n_star: float) -> None:
    # The second pair is sound: an undefined neighbor must not disturb it.
    sound = np.arange(len(n)) % 2
    moments = moments_from_counts(
        np.column_stack([n, np.full(len(n), 9)]),
        np.column_stack([b, 3 + 2 * sound]),
        np.column_stack([c, 1 + 0 * sound]),
    )
    result = cluster_resolution(moments)
    assert np.isnan(result.icc[0])
    assert np.isnan(result.design_effect[0])
    np.testing.assert_equal(result.n_star[0], n_star)
    assert not result.resolved[0]
    assert np.isfinite(result.icc[1])


def test_constant_graded_difference_is_undefined_despite_rounding() -> None:
    n = np.array([7, 11, 13])
    assert np.isnan(cluster_resolution(moments_from_sums(n, n * 0.1, n * 0.1**2)).icc)


def test_zero_gap_needs_infinitely_many_items() -> None:
    result = cluster_resolution(moments_from_counts([10, 10], [5, 1], [1, 5]))
    assert result.icc > 0
    assert result.n_star == np.inf
    assert result.q == 0
    assert not result.resolved


def test_leave_one_out_equals_dropping_the_cluster() -> None:
    n, b, c = random_counts(4, 6, 8, missing=True)
    result = leave_one_cluster_out(moments_from_counts(n, b, c), alpha=0.01, power=0.9)
    assert result.n_star.shape == (6, 8)
    for k in range(6):
        rest = [np.delete(x, k, axis=0) for x in (n, b, c)]
        expected = cluster_resolution(moments_from_counts(*rest), alpha=0.01, power=0.9)
        for field in fields(expected):
            ours = getattr(result, field.name)
            ours = ours if isinstance(ours, float) else ours[k]
            np.testing.assert_allclose(
                ours, getattr(expected, field.name), rtol=RTOL, err_msg=field.name
            )


def test_leave_one_out_leaves_no_rounding_of_the_dropped_cluster_behind() -> None:
    # Without the first cluster no item is discordant; its sums must vanish, not cancel.
    result = leave_one_cluster_out(moments_from_counts([7, 9, 11], [3, 0, 0], [1, 0, 0]))
    assert np.isnan(result.icc[0])
    assert result.n_star[0] == np.inf
    assert np.isfinite(result.icc[1:]).all()


def test_leave_one_out_of_a_single_cluster_leaves_nothing() -> None:
    result = leave_one_cluster_out(moments_from_counts([20], [5], [2]))
    assert result.n_items.tolist() == [0]
    assert np.isnan(result.n_star_iid).all()
    assert np.isnan(result.q).all()
    assert not result.resolved.any()


def test_a_result_carries_its_settings() -> None:
    moments = moments_from_counts(R_N, R_B, R_C)
    result = cluster_resolution(moments, alpha=0.01, power=0.9)
    assert (result.alpha, result.power) == (0.01, 0.9)
