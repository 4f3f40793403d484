"""Cluster-robust tests against clubSandwich, wildboottest, scipy and dense linear algebra.

R 4.2.2, clubSandwich 0.5.8::

    > n <- c(7, 12, 5, 20, 3); b <- c(4, 1, 2, 3, 1); c <- c(0, 5, 1, 2, 0)
    > d <- unlist(Map(function(n, b, c) rep(c(1, -1, 0), c(b, c, n - b - c)), n, b, c))
    > g <- factor(rep(seq_along(n), n)); m <- lm(d ~ 1)
    > for (t in c("CR0", "CR1", "CR2")) print(vcovCR(m, cluster = g, type = t)[1, 1], digits = 15)
    [1] 0.0165383761766394
    [1] 0.0206729702207993
    [1] 0.0211348486699324
    > r <- coef_test(m, vcov = "CR2", cluster = g, test = "Satterthwaite")
    > print(c(r$beta, r$SE, r$df, r$p_Satt), digits = 15)
    [1] 0.0638297872340425 0.1453782950441104 2.6686401771880814 0.6936988916473786
    > conf_int(m, vcov = "CR2", cluster = g)[c("CI_L", "CI_U")]
    -0.433088636978126 0.560748211446211

Python 3.11, wildboottest 0.3.2, seven clusters, null imposed; all 2^7 sign patterns enumerated::

    >>> n, b, c = [7, 12, 5, 20, 3, 9, 14], [4, 1, 2, 3, 1, 5, 2], [0, 5, 1, 2, 0, 1, 1]
    >>> d = np.concatenate([np.repeat([1., -1., 0.], [x, y, k-x-y]) for k, x, y in zip(n, b, c)])
    >>> g, m = pd.Series(np.repeat(np.arange(7), n)), OLS(d, pd.DataFrame({"const": 0 * d + 1}))
    >>> wildboottest(m, param="const", cluster=g, B=9999, weights_type="rademacher", seed=1)
    const    1.04173  0.28125

It counts the patterns whose statistic is strictly larger, so that the observed pattern and its
opposite are not counted; here they are, and p is larger by 2/128.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.linalg import fractional_matrix_power
from scipy.stats import permutation_test, skew, ttest_1samp

from llm_power._errors import InvalidArgument
from llm_power._statistics import cluster_robust
from llm_power._statistics.cluster_moments import (
    ClusterMoments,
    moments_from_counts,
    moments_from_differences,
    moments_from_sums,
)
from llm_power._statistics.cluster_robust import (
    ClusterResampling,
    ClusterRobustTest,
    Variance,
    cluster_robust_test,
    cluster_sign_flip_test,
    wild_cluster_bootstrap,
)
from llm_power._statistics.t_test import asymmetry
from llm_power._statistics.verdict import mean_p

FIVE = moments_from_counts([7, 12, 5, 20, 3], [4, 1, 2, 3, 1], [0, 5, 1, 2, 0])
SEVEN = moments_from_counts([7, 12, 5, 20, 3, 9, 14], [4, 1, 2, 3, 1, 5, 2], [0, 5, 1, 2, 0, 1, 1])
UNKNOWN: Any = "unknown"
#: Items of MMLU-Pro's subjects.
MMLU_PRO = [1351, 1299, 1132, 1101, 969, 924, 844, 818, 798, 789, 717, 499, 410, 381]


def of_items(groups: list[np.ndarray]) -> ClusterMoments:
    return moments_from_sums(
        [g.size for g in groups], [g.sum() for g in groups], [np.square(g).sum() for g in groups]
    )


def test_all_variances_equal_clubsandwich() -> None:
    found = [
        cluster_robust_test(FIVE, variance=v).standard_error ** 2 for v in ("CR0", "CR1", "CR2")
    ]
    expected = [0.0165383761766394, 0.0206729702207993, 0.0211348486699324]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_satterthwaite_test_and_interval_equal_clubsandwich() -> None:
    test = cluster_robust_test(FIVE)
    found = [test.delta, test.standard_error, test.df, test.p, test.low, test.high]
    expected = [
        0.0638297872340425,
        0.1453782950441104,
        2.6686401771880814,
        0.6936988916473786,
        -0.433088636978126,
        0.560748211446211,
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_cr2_equals_dense_linear_algebra(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, size=6)
    label, y = np.repeat(np.arange(6), sizes), rng.normal(size=sizes.sum())
    n = y.size
    hat = np.full((n, n), 1 / n)
    residual_maker = np.eye(n) - hat
    rows = []
    for k in range(6):
        own = label == k
        adjust = fractional_matrix_power(residual_maker[np.ix_(own, own)], -0.5).real
        rows.append(np.ones(own.sum()) @ adjust @ residual_maker[own] / n)
    g = np.stack(rows)
    gram = g @ g.T
    test = cluster_robust_test(of_items([y[label == k] for k in range(6)]))
    np.testing.assert_allclose(test.standard_error**2, np.square(g @ y).sum(), rtol=1e-10)
    np.testing.assert_allclose(test.df, np.trace(gram) ** 2 / np.trace(gram @ gram), rtol=1e-10)


def test_clusters_of_equal_size_are_a_t_test_of_their_means() -> None:
    y = np.random.default_rng(2).normal(0.3, size=(9, 5))
    test = cluster_robust_test(of_items([*y]), confidence=0.9)
    expected = ttest_1samp(y.mean(axis=1), 0)
    np.testing.assert_allclose(test.p, expected.pvalue, rtol=1e-12)
    np.testing.assert_allclose(test.df, 8, rtol=1e-12)
    limits = expected.confidence_interval(0.9)
    np.testing.assert_allclose(test.low, limits.low, rtol=1e-12)
    np.testing.assert_allclose(test.high, limits.high, rtol=1e-12)


def test_an_empty_cluster_of_one_pair_is_no_cluster_of_it() -> None:
    n = [[7, 7], [12, 12], [0, 5], [20, 20], [3, 3]]
    b = [[4, 4], [1, 1], [0, 2], [3, 3], [1, 1]]
    c = [[0, 0], [5, 5], [0, 1], [2, 2], [0, 0]]
    both = moments_from_counts(n, b, c)
    without = moments_from_counts([7, 12, 20, 3], [4, 1, 3, 1], [0, 5, 2, 0])
    for pair, alone in ((0, without), (1, FIVE)):
        for variance in ("CR0", "CR1", "CR2"):
            joint = cluster_robust_test(both, variance=variance)
            single = cluster_robust_test(alone, variance=variance)
            for field in ("delta", "standard_error", "df", "p", "low", "n_clusters"):
                np.testing.assert_allclose(getattr(joint, field)[pair], getattr(single, field))
        assert wild_cluster_bootstrap(both).p[pair] == wild_cluster_bootstrap(alone).p
        assert cluster_sign_flip_test(both).p[pair] == cluster_sign_flip_test(alone).p


@pytest.mark.parametrize(
    "moments",
    [
        moments_from_counts([40], [9], [3]),
        moments_from_counts([10, 20], [1, 2], [0, 0]),
        moments_from_sums([3, 7], [0.3, 0.7], [0.03, 0.07]),
        moments_from_counts([10, 20, 5], [0, 0, 0], [0, 0, 0]),
    ],
)
def test_no_variance_between_clusters_is_no_verdict(moments: ClusterMoments) -> None:
    test = cluster_robust_test(moments)
    assert np.isnan(test.p)
    assert np.isnan(test.low)
    assert not test.p <= 0.05


def test_items_within_clusters_add_nothing_to_the_precision() -> None:
    """Fourteen cluster means are what they are with a hundred times the items."""
    rng = np.random.default_rng(4)
    sizes, means = np.array(MMLU_PRO), rng.normal(0.01, 0.05, size=14)
    tests: list[ClusterRobustTest] = [
        cluster_robust_test(ClusterMoments(times * sizes, times * sizes * means, 0 * means))
        for times in (1.0, 100.0)
    ]
    np.testing.assert_allclose(tests[0].standard_error, tests[1].standard_error, rtol=1e-10)


def test_wild_bootstrap_equals_wildboottest() -> None:
    result = wild_cluster_bootstrap(SEVEN)
    assert result.enumerated
    assert result.p == 0.28125 + 2 / 128


def test_wild_bootstrap_equals_regressions_on_items() -> None:
    rng = np.random.default_rng(6)
    groups = [rng.normal(0.2, size=size) for size in (4, 9, 2, 6, 3)]
    label, y = np.repeat(np.arange(5), [g.size for g in groups]), np.concatenate(groups)

    def squared_t(values: np.ndarray) -> float:
        centred = values - values.mean()
        scores = np.bincount(label, centred)
        return float(values.mean() ** 2 / np.square(scores).sum())

    observed, larger = squared_t(y), 0
    for pattern in np.ndindex(*[2] * 5):
        signs = 2.0 * np.array(pattern) - 1
        larger += squared_t(signs[label] * y) >= observed * (1 - 1e-9)
    result = wild_cluster_bootstrap(of_items(groups))
    assert result.p == larger / 32


def test_sign_flips_equal_scipy() -> None:
    sums = SEVEN.sum_d
    expected = permutation_test(
        (sums,), lambda x: abs(x.sum()), permutation_type="samples", alternative="greater"
    )
    assert cluster_sign_flip_test(SEVEN).p == expected.pvalue
    flat = moments_from_counts([5, 5], [1, 1], [1, 1])
    assert cluster_sign_flip_test(flat).p == 1


def test_random_signs_agree_with_enumeration_within_their_error() -> None:
    exact = wild_cluster_bootstrap(SEVEN)
    drawn = wild_cluster_bootstrap(SEVEN, n_resamples=60)
    assert not drawn.enumerated
    assert abs(drawn.p - exact.p) < 4 * np.sqrt(drawn.p * (1 - drawn.p) / 60)
    assert drawn.p == wild_cluster_bootstrap(SEVEN, n_resamples=60).p


@pytest.mark.parametrize("n_resamples", [9_999, 50])
def test_blocks_change_nothing(n_resamples: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = wild_cluster_bootstrap(SEVEN, n_resamples=n_resamples)
    monkeypatch.setattr(cluster_robust, "_BLOCK", 5)
    blocks = wild_cluster_bootstrap(SEVEN, n_resamples=n_resamples)
    assert whole.n_resamples == blocks.n_resamples
    assert whole.p == blocks.p


def test_clusters_of_one_item_are_the_t_test_of_items() -> None:
    y = np.random.default_rng(12).normal(0.2, size=11)
    test = cluster_robust_test(of_items([*y[:, np.newaxis]]))
    assert test.n_clusters == 11
    np.testing.assert_allclose(test.p, ttest_1samp(y, 0).pvalue, rtol=1e-12)
    cr1 = cluster_robust_test(of_items([*y[:, np.newaxis]]), variance="CR1")
    np.testing.assert_allclose(cr1.p, test.p, rtol=1e-12)


@pytest.mark.parametrize("test", [wild_cluster_bootstrap, cluster_sign_flip_test])
def test_thousands_of_clusters_are_resampled(
    test: Callable[..., ClusterResampling],
) -> None:
    """They have more sign patterns than the largest float."""
    rng = np.random.default_rng(0)
    b = rng.integers(0, 4, size=1_100)
    found = test(moments_from_counts(np.full(1_100, 6), b, 3 - b), n_resamples=99)
    assert (found.enumerated, found.n_resamples) == (False, 99)
    assert 0 < float(found.p) <= 1


def test_no_resampled_p_is_0() -> None:
    sure = moments_from_counts([50] * 20, [40] * 19 + [39], [0] * 20)
    assert wild_cluster_bootstrap(sure, n_resamples=99).p == 0.01
    assert cluster_sign_flip_test(sure, n_resamples=99).p == 0.01


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cluster_robust_test(FIVE, variance=UNKNOWN), "variance must be"),
        (lambda: cluster_robust_test(FIVE, confidence=2), "confidence"),
        (lambda: wild_cluster_bootstrap(FIVE, n_resamples=0), "at least 1"),
    ],
)
def test_faults_are_named(call, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument, match=said):
        call()


def null_boards(icc: float, n_boards: int) -> ClusterMoments:
    """Cluster sums with no mean gap; clusters of MMLU-Pro's sizes, one column a board."""
    rng = np.random.default_rng([14, int(100 * icc)])
    sizes = np.array(MMLU_PRO, dtype=np.float64)[:, np.newaxis]
    means = np.sqrt(icc) * rng.standard_normal((14, n_boards))
    noise = np.sqrt(sizes * (1 - icc)) * rng.standard_normal((14, n_boards))
    sums = sizes * means + noise
    return ClusterMoments(sizes, sums, np.square(sums))


@pytest.mark.slow
@pytest.mark.parametrize("icc", [0.0, 0.02, 0.2])
def test_type_1_error_with_fourteen_unequal_clusters(icc: float) -> None:
    """40,000 boards, Monte Carlo standard error .0011; the ranges are those of the docstring."""
    boards = null_boards(icc, 40_000)
    error = 4 * np.sqrt(0.05 * 0.95 / 40_000)
    ranges: tuple[tuple[Variance, float, float], ...] = (
        ("CR2", 0.050, 0.054),
        ("CR1", 0.054, 0.058),
        ("CR0", 0.061, 0.066),
    )
    for variance, low, high in ranges:
        rate = float(np.mean(cluster_robust_test(boards, variance=variance).p <= 0.05))
        assert low - error < rate < high + error


def test_the_asymmetry_of_equal_clusters_is_that_of_their_means() -> None:
    means = np.random.default_rng(3).exponential(size=(12, 2))
    groups = means + np.array([-1, 0, 1])[:, np.newaxis, np.newaxis]
    moments = ClusterMoments(np.full((12, 1), 3.0), groups.sum(axis=0), (groups**2).sum(axis=0))
    found = cluster_robust_test(moments).skew
    np.testing.assert_allclose(found, skew(means) / np.sqrt(12), rtol=1e-10)


def test_the_asymmetry_of_unequal_clusters_counts_every_mean_alike() -> None:
    """Without variance within clusters all means are alike, and the sizes are weights."""
    sizes, means = np.array([40.0, 10, 5, 5, 1]), np.array([0.1, -0.2, 0.7, 0.3, -0.4])
    moments = ClusterMoments(sizes, sizes * means, sizes * means**2)
    weights = (sizes**3).sum() / np.square(sizes).sum() ** 1.5
    np.testing.assert_allclose(cluster_robust_test(moments).skew, skew(means) * weights, rtol=1e-9)


@pytest.mark.parametrize(
    ("sizes", "icc"), [(np.linspace(1000, 100, 12), 0.05), (np.geomspace(1000, 5, 23), 0.1)]
)
def test_skewed_effects_of_unequal_clusters_keep_the_level(sizes: Any, icc: float) -> None:
    """Exponential effects: .07 and .10 by the sums of the clusters' own cubes; 30,000 boards.

    Where effects are normal the power is no less than with that asymmetry.
    """
    rng, n = np.random.default_rng(5), np.rint(sizes)[:, np.newaxis]
    shape = (len(n), 30_000)

    def p_values(effects: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        means = np.sqrt(icc) * effects + np.sqrt((1 - icc) / n) * rng.standard_normal(shape)
        squares = n * means**2 + (1 - icc) * rng.chisquare(n - 1, shape)
        robust = cluster_robust_test(ClusterMoments(n, n * means, squares))
        law = robust.delta, robust.standard_error, robust.df
        own = asymmetry(n * (means - robust.delta))
        return mean_p(*law, robust.skew), mean_p(*law, own)

    null, crude = (np.mean(p <= 0.05) for p in p_values(rng.exponential(size=shape) - 1))
    assert null <= 0.055
    assert crude > 0.065
    share = n / n.sum()
    gap = 3 * np.sqrt(np.square(share).sum() + (1 - icc) / icc / n.sum())
    power, before = (np.mean(p <= 0.05) for p in p_values(rng.standard_normal(shape) + gap))
    assert power >= before


@pytest.mark.slow
@pytest.mark.parametrize("icc", [0.0, 0.2])
def test_type_1_error_of_resampling_with_fourteen_unequal_clusters(icc: float) -> None:
    """2,000 boards, all 8,192 patterns; Monte Carlo standard error .005."""
    boards = null_boards(icc, 2_000)
    for result in (wild_cluster_bootstrap(boards), cluster_sign_flip_test(boards)):
        assert result.enumerated
        assert 0.03 < float(np.mean(result.p <= 0.05)) < 0.07


@pytest.mark.parametrize("seed", range(20))
def test_clusters_with_one_mean_have_no_verdict_where_scores_are_decimals(seed: int) -> None:
    """Their sums differ by rounding, which is no variance between clusters."""
    rng = np.random.default_rng(seed)
    first, second = (np.round(rng.uniform(size=5), 1) for _ in range(2))
    differences = np.concatenate(
        [0.7 * rng.permutation(first) - 0.3 * rng.permutation(second) for _ in range(4)]
    )
    test = cluster_robust_test(moments_from_differences(differences, np.repeat(np.arange(4), 5)))
    assert np.isnan(test.standard_error)
    assert np.isnan(test.p)
