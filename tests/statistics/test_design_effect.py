"""Clustered resolution against R, scipy, statsmodels, item-level loops and Tables 4 and 9.

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

from dataclasses import FrozenInstanceError, fields

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f_oneway
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from llm_power.errors import InvalidArgument
from llm_power.statistics._typing import FloatArray, IntArray
from llm_power.statistics.design_effect import (
    CategoryBootstrap,
    ClusterResolution,
    category_bootstrap,
    cluster_resolution,
    design_effect,
    intraclass_correlation,
    leave_one_cluster_out,
    moments_from_counts,
    moments_from_sums,
    resample_clusters,
)
from llm_power.statistics.inversion import required_n
from llm_power.statistics.paired_binary import summarize_counts

RTOL = 1e-10
R_N, R_B, R_C = [7, 12, 5, 20], [4, 1, 2, 3], [0, 5, 1, 2]


def items_of(n: IntArray, b: IntArray, c: IntArray) -> list[FloatArray]:
    """Rebuild the paired differences of each non-empty cluster of one pair."""
    return [
        np.repeat([1.0, -1.0, 0.0], [only_a, only_b, size - only_a - only_b])
        for size, only_a, only_b in zip(n, b, c, strict=True)
        if size > 0
    ]


def icc_of_items(groups: list[FloatArray]) -> float:
    """ICC by its definition, from items; NaN where undefined."""
    everything = np.concatenate(groups)
    n, k = everything.size, len(groups)
    if k < 2 or n == k or np.ptp(everything) == 0:
        return np.nan
    between = sum(g.size * (g.mean() - everything.mean()) ** 2 for g in groups) / (k - 1)
    within = sum(float(np.sum((g - g.mean()) ** 2)) for g in groups) / (n - k)
    n0 = (n - sum(g.size**2 for g in groups) / n) / (k - 1)
    return float((between - within) / (between + (n0 - 1) * within))


def effect_of_items(groups: list[FloatArray]) -> float:
    icc = icc_of_items(groups)
    mean_size = sum(g.size for g in groups) / len(groups)
    return 1 + (mean_size - 1) * (0.0 if icc < 0 else icc)


def random_counts(
    seed: int, n_clusters: int, n_pairs: int, *, missing: bool = False
) -> tuple[IntArray, IntArray, IntArray]:
    rng = np.random.default_rng(seed)
    n = rng.integers(5, 40, (n_clusters, n_pairs))
    if missing:
        n[rng.random(n.shape) < 0.2] = 0
    rate = rng.uniform(0.05, 0.3, n.shape)
    b = rng.binomial(n, rate)
    return n, b, rng.binomial(n - b, rng.uniform(0.05, 0.3, n.shape))


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
    np.testing.assert_allclose(intraclass_correlation(moments), expected, rtol=RTOL)
    assert cluster_resolution(moments).design_effect == 1


def test_icc_equals_scipy_and_statsmodels_on_items() -> None:
    n, b, c = random_counts(1, 6, 5)
    icc = intraclass_correlation(moments_from_counts(n, b, c))
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
    draws = [category_bootstrap(m, rng=np.random.default_rng(3)) for m in (shared, repeated)]
    assert_same(*draws)


def test_single_pair_as_vectors_equals_one_column() -> None:
    vector = moments_from_counts(R_N, R_B, R_C)
    column = moments_from_counts(*(np.reshape(x, (4, 1)) for x in (R_N, R_B, R_C)))
    one, table = (category_bootstrap(m, rng=np.random.default_rng(3)) for m in (vector, column))
    assert one.icc_interval.shape == (2,)
    assert one.probability_unresolved.shape == ()
    np.testing.assert_array_equal(one.icc_interval, table.icc_interval[:, 0])
    np.testing.assert_array_equal(one.n_star_interval, table.n_star_interval[:, 0])
    dropped = leave_one_cluster_out(vector)
    assert dropped.q.shape == (4,)
    np.testing.assert_array_equal(dropped.q, leave_one_cluster_out(column).q[:, 0])


# Tables 4, 7 and 9: ICC(D), DE, the IID N* and the cluster N* of the nine MMLU-Pro pairs.
TABLE_4 = [
    ("1 vs 2", 0.0004, 4, 1.37, 1_697, 2_327),
    ("2 vs 3", -0.0003, 4, 1.00, 778, 778),
    ("3 vs 4", 0.0002, 4, 1.19, 34_092, 40_660),
    ("4 vs 5", 0.036, 3, 31.5, 433, 13_621),
    ("5 vs 6", 0.0067, 4, 6.74, 5_787, 39_009),
    ("6 vs 7", 0.012, 3, 11.5, 2_727_127, 31.4e6),
    ("7 vs 8", -0.0002, 4, 1.00, 4_628, 4_628),
    ("8 vs 9", 0.0010, 4, 1.88, 13_086, 24_632),
    ("9 vs 10", 0.0029, 4, 3.52, 314_370, 1.11e6),
]


def half_unit(value: float) -> float:
    """Half a unit of the last printed digit of a design effect: three significant digits."""
    return 0.05 if value >= 10 else 0.005


@pytest.mark.parametrize("row", TABLE_4, ids=lambda row: row[0])
def test_table_4_uses_the_mean_cluster_size(
    row: tuple[str, float, int, float, float, float],
) -> None:
    """Table 4: the printed ICC gives the printed DE within the rounding of both."""
    _, icc, digits, effect, iid, cluster = row
    ends = design_effect(12_032 / 14, icc + np.array([-0.5, 0.5]) * 10.0**-digits)
    assert ends[0] <= effect + half_unit(effect)
    assert ends[1] >= effect - half_unit(effect)
    # Tables 7 and 9: the cluster N* is the IID one times DE; 31.4M and 1.11M have 3 digits, and
    # both the IID and the cluster N* are printed as whole items.
    rounding = 1.0 if cluster < 1e6 else 0.005e6 if cluster < 1e7 else 0.05e6
    assert (iid - 1) * (effect - half_unit(effect)) - rounding <= cluster
    assert (iid + 1) * (effect + half_unit(effect)) + rounding >= cluster


def test_table_4_does_not_use_kish_sizes() -> None:
    """With sum n_k^2 / N of the 14 subjects, row 4 vs 5 would print a DE of at least 34."""
    sizes = np.array(
        [789, 1101, 798, 717, 1132, 381, 924, 818, 844, 1351, 1299, 410, 499, 969], dtype=float
    )
    assert sizes.sum() == 12_032
    assert design_effect(np.sum(sizes**2) / sizes.sum(), 0.0355) > 34


def test_icc_at_its_two_ends() -> None:
    # All variance between clusters, and none of it: b = c in each of two equal clusters.
    assert intraclass_correlation(moments_from_counts([6, 4], [6, 0], [0, 0])) == 1
    lowest = intraclass_correlation(moments_from_counts([8, 8], [4, 4], [4, 4]))
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


def test_pair_without_discordant_items_is_unresolved_in_every_resample() -> None:
    moments = moments_from_counts([[20], [30]], [[0], [0]], [[0], [0]])
    boot = category_bootstrap(moments, rng=np.random.default_rng(0), n_resamples=20)
    assert boot.n_undefined[0] == 20
    assert np.isnan(boot.icc_interval).all()
    assert np.isinf(boot.n_star_interval).all()
    assert boot.probability_unresolved[0] == 1
    assert boot.count_distribution.tolist() == [0, 1]


def test_constant_graded_difference_is_undefined_despite_rounding() -> None:
    n = np.array([7, 11, 13])
    assert np.isnan(intraclass_correlation(moments_from_sums(n, n * 0.1, n * 0.1**2)))


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


def test_resampled_clusters_are_draws_with_replacement() -> None:
    draws = resample_clusters(14, 20_000, np.random.default_rng(11))
    assert draws.shape == (20_000, 14)
    assert np.all(draws.sum(axis=1) == 14)
    # Each count is binomial(14, 1/14): mean 1, variance 13/14; two counts covary by -1/14.
    # Bounds of 5 standard errors; the variance of a squared count is below 4.
    error = 5 / np.sqrt(20_000)
    assert np.all(np.abs(draws.mean(axis=0) - 1) < error * np.sqrt(13 / 14))
    covariance = np.cov(draws.T)
    assert np.all(np.abs(np.diag(covariance) - 13 / 14) < error * 2)
    assert abs(covariance[0, 1] + 1 / 14) < error * 2


def bootstrap_by_loop(
    n: IntArray, b: IntArray, c: IntArray, draws: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """ICC, DE and cluster N* of every resample from items, one pair and resample at a time."""
    shape = (draws.shape[0], n.shape[1])
    icc, effect, need = np.empty(shape), np.empty(shape), np.empty(shape)
    for pair in range(n.shape[1]):
        d = np.concatenate(items_of(n[:, pair], b[:, pair], c[:, pair]))
        iid = float(required_n(d.mean(), d.std()))
        for row, multiplicity in enumerate(draws):
            chosen = np.repeat(np.arange(n.shape[0]), multiplicity)
            groups = items_of(n[chosen, pair], b[chosen, pair], c[chosen, pair])
            icc[row, pair] = icc_of_items(groups)
            effect[row, pair] = effect_of_items(groups)
            need[row, pair] = iid * effect[row, pair]
    return icc, effect, need


def test_bootstrap_equals_a_loop_over_items() -> None:
    n, b, c = random_counts(6, 5, 7)
    b[:, :3] += (n - b - c)[:, :3] // 2  # three pairs with a wide gap, so that verdicts differ
    boot = category_bootstrap(
        moments_from_counts(n, b, c), rng=np.random.default_rng(42), n_resamples=60, block_size=3
    )
    draws = resample_clusters(5, 60, np.random.default_rng(42))
    icc, effect, need = bootstrap_by_loop(n, b, c, draws)
    assert not np.isnan(icc).any()
    ends = [0.05, 0.95]
    np.testing.assert_allclose(boot.icc_interval, np.quantile(icc, ends, axis=0), rtol=1e-9)
    np.testing.assert_allclose(
        boot.design_effect_interval, np.quantile(effect, ends, axis=0), rtol=RTOL
    )
    np.testing.assert_allclose(boot.n_star_interval, np.quantile(need, ends, axis=0), rtol=RTOL)
    unresolved = need > n.sum(axis=0)
    assert 0 < unresolved.mean() < 1
    np.testing.assert_array_equal(boot.probability_unresolved, unresolved.mean(axis=0))
    np.testing.assert_array_equal(boot.unresolved_counts, unresolved.sum(axis=1))
    shares = [np.mean(unresolved.sum(axis=1) == k) for k in range(8)]
    np.testing.assert_array_equal(boot.count_distribution, shares)


def test_bootstrap_with_undefined_resamples_uses_the_defined_ones() -> None:
    # Of two clusters one has no discordant item: a resample of it alone has no ICC.
    n, b, c = np.array([[20], [30]]), np.array([[9], [0]]), np.array([[1], [0]])
    boot = category_bootstrap(
        moments_from_counts(n, b, c), rng=np.random.default_rng(2), n_resamples=200
    )
    draws = resample_clusters(2, 200, np.random.default_rng(2))
    icc = bootstrap_by_loop(n, b, c, draws)[0]
    assert boot.n_undefined.tolist() == [np.isnan(icc).sum()]
    assert 0 < boot.n_undefined[0] < 200
    np.testing.assert_allclose(
        boot.icc_interval, np.nanquantile(icc, [0.05, 0.95], axis=0), rtol=1e-9
    )
    assert boot.probability_unresolved[0] >= boot.n_undefined[0] / 200


@pytest.mark.parametrize("block_size", [1, 2, 7, 64])
def test_bootstrap_does_not_depend_on_block_size(block_size: int) -> None:
    n, b, c = random_counts(9, 14, 29, missing=True)
    rng = np.random.default_rng(1)
    graded = moments_from_sums(n, (b - c) / 3, (b + c) / 7 + rng.random(n.shape) * (n > 0))
    results = [
        category_bootstrap(graded, rng=np.random.default_rng(7), n_resamples=50, block_size=size)
        for size in (256, block_size)
    ]
    assert_same(*results)


def test_bootstrap_keeps_the_full_data_required_items() -> None:
    """Appendix G holds the IID N* fixed: negative ICC gives an interval of that N* alone."""
    n, b, c = np.full((14, 1), 50), np.full((14, 1), 12), np.full((14, 1), 4)
    moments = moments_from_counts(n, b, c)
    boot = category_bootstrap(moments, rng=np.random.default_rng(5), n_resamples=100)
    iid = cluster_resolution(moments).n_star_iid
    np.testing.assert_array_equal(boot.n_star_interval, [iid, iid])
    np.testing.assert_array_equal(boot.design_effect_interval, [[1.0], [1.0]])


def test_results_carry_their_settings_and_are_frozen() -> None:
    moments = moments_from_counts(R_N, R_B, R_C)
    rng = np.random.default_rng(np.random.SeedSequence([42, 7]))
    boot = category_bootstrap(moments, rng=rng, n_resamples=30, alpha=0.01, power=0.9)
    assert (boot.n_resamples, boot.seed, boot.alpha, boot.power) == (30, (42, 7), 0.01, 0.9)
    assert category_bootstrap(moments, rng=np.random.default_rng(42)).seed == (42,)
    result = cluster_resolution(moments, alpha=0.01, power=0.9)
    assert (result.alpha, result.power) == (0.01, 0.9)
    with pytest.raises(FrozenInstanceError):
        result.alpha = 0.05  # type: ignore[misc]


def test_bad_moments_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="n_items must hold whole numbers, got 2.5"):
        moments_from_counts([2.5, 3], [1, 1], [0, 0])
    with pytest.raises(InvalidArgument, match=r"b and c must share a shape, got \(2,\), \(1,\)"):
        moments_from_counts([2, 3], [1, 1], [0])
    with pytest.raises(InvalidArgument, match=r"b \+ c must not exceed n_items, got 4"):
        moments_from_counts([2, 3], [1, 2], [0, 2])
    with pytest.raises(InvalidArgument, match=r"n_items must fit sum_d of \(2, 3\), got shape"):
        moments_from_counts([2, 3], np.ones((2, 3)), np.zeros((2, 3)))
    with pytest.raises(InvalidArgument, match="sum_d and sum_d2 must share a shape"):
        moments_from_sums([2], [0.5], [0.5, 0.5])
    with pytest.raises(InvalidArgument, match="sum_d2 must be at least"):
        moments_from_sums([2, 2], [1.0, 1.0], [0.5, 0.4])
    with pytest.raises(InvalidArgument, match="sum_d2 must be at least"):
        moments_from_sums([2, 0], [1.0, 0.0], [0.5, 0.4])


def test_bad_bootstrap_arguments_are_refused() -> None:
    moments = moments_from_counts(R_N, R_B, R_C)
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidArgument, match="n_resamples must be at least 1, got 0"):
        category_bootstrap(moments, rng=rng, n_resamples=0)
    with pytest.raises(InvalidArgument, match="block_size must be at least 1, got 0"):
        category_bootstrap(moments, rng=rng, block_size=0)
    with pytest.raises(InvalidArgument, match="n_clusters must be at least 1, got 0"):
        resample_clusters(0, 5, rng)


def assert_same(
    first: ClusterResolution | CategoryBootstrap, second: ClusterResolution | CategoryBootstrap
) -> None:
    for field in fields(first):
        np.testing.assert_array_equal(
            getattr(first, field.name), getattr(second, field.name), err_msg=field.name
        )
