"""Power and required N over clusters: closed forms, simulation and stated numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from clustered_items import R_B, R_C, R_N, RTOL, random_counts
from scipy.stats import f, nct, t

from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import ArrayLike
from llm_power._statistics.cluster_moments import (
    ClusterMoments,
    moments_from_counts,
    moments_from_differences,
)
from llm_power._statistics.cluster_requirement import (
    ClusterDesign,
    ClusterItemsDesign,
    MeanDesign,
    cluster_power,
    cluster_requirement,
    icc_interval,
)
from llm_power._statistics.cluster_robust import cluster_robust_test
from llm_power._statistics.design_effect import cluster_resolution, design_effect
from llm_power._statistics.designs import required_units
from llm_power._statistics.inversion import wald_power, z_sum
from llm_power._statistics.pilot_design import ClusterPilot, cluster_items_design
from llm_power._statistics.random_streams import named_rng
from llm_power._statistics.t_test import asymmetry, critical_values, shift_of_power
from llm_power._statistics.verdict import binary_verdicts, mean_p, mean_verdicts

# The 14 subjects of MMLU-Pro.
SUBJECTS = np.array(
    [789, 1101, 798, 717, 1132, 381, 924, 818, 844, 1351, 1299, 410, 499, 969], dtype=float
)


def kish(sizes: ArrayLike, icc: float) -> float:
    """Design effect at the sizes at hand, of a pair whose ICC is known."""
    n = np.asarray(sizes, dtype=float)
    fit = replace(moments_from_counts(n, n // 2, n // 4).anova, icc=np.asarray(icc))
    return float(cluster_requirement(fit).design_effect)


def test_kish_effect_is_the_variance_of_the_mean_of_correlated_items() -> None:
    sizes, icc = [3, 1, 7, 0, 12], 0.13
    labels = np.repeat(np.arange(5), sizes)
    correlation = np.where(labels[:, np.newaxis] == labels, icc, 0.0)
    np.fill_diagonal(correlation, 1.0)
    n = labels.size
    np.testing.assert_allclose(kish(sizes, icc), correlation.sum() / n, rtol=RTOL)


def test_the_mean_size_is_lenient_by_a_tenth_on_real_subjects() -> None:
    """An ICC of .0255: 22.9 at the mean size and 25.4 by Kish."""
    mean = float(design_effect(SUBJECTS.mean(), 0.0255))
    assert mean == pytest.approx(22.9, abs=0.05)
    assert kish(SUBJECTS, 0.0255) == pytest.approx(25.4, abs=0.5)
    equal = kish(np.full(14, 859.0), 0.0255)
    np.testing.assert_allclose(equal, design_effect(859, 0.0255), rtol=RTOL)


def test_power_of_14_subjects_does_not_rise_with_their_items() -> None:
    """Rank 5 against 6 of Table 7, with the ICC of Table 4, two printed decimals."""
    delta, discordant = 226 / 12_032, 3134 / 12_032
    sigma = np.sqrt(discordant - delta**2)
    power = cluster_power(delta, sigma, 0.0067, [14, 14, 46], [2785, 1e6, 859.4], hall=False)
    np.testing.assert_allclose(power, [0.33, 0.344, 0.79], atol=0.005)


def test_power_equals_scipys_noncentral_t_and_wald_power() -> None:
    shift = 0.1 / 0.5 * np.sqrt(12 / (0.9 / 20 + 0.1))
    expected = nct.sf(t.isf(0.025, 11), 11, shift)
    found = cluster_power(-0.1, 0.5, 0.1, 12, 20, hall=False)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    # Of very many clusters it is the normal law's.
    many = cluster_power(0.1, 15.0, 0.0, 10**5, 2)
    np.testing.assert_allclose(many, wald_power(0.1, 15.0, 2 * 10**5), rtol=1e-4)


def test_power_by_simulation() -> None:
    """40,000 trials of 8 clusters: the t test of the cluster means."""
    k, size, icc, delta, trials = 8, 5, 0.2, 0.6, 40_000
    rng = named_rng(1, "clusters")
    means = rng.normal(delta, np.sqrt(icc + (1 - icc) / size), (trials, k))
    statistic = means.mean(axis=1) / (means.std(axis=1, ddof=1) / np.sqrt(k))
    share = float((statistic > t.isf(0.025, k - 1)).mean())
    power = float(cluster_power(delta, 1.0, icc, k, size, hall=False))
    assert abs(share - power) < 4 * np.sqrt(power * (1 - power) / trials)  # 4 SE


def at(pair: int, clusters: float, size: float, cv: float) -> float:
    """Power of one pair of the test below at other numbers of clusters and items."""
    fit = cluster_resolution(MOMENTS)
    delta = float(MOMENTS.sum_d[:, pair].sum() / fit.n_items[pair])
    sigma = np.sqrt(MOMENTS.sum_d2[:, pair].sum() / fit.n_items[pair] - delta**2)
    icc = max(float(fit.icc[pair]), 0.0)
    shift = abs(delta) / sigma * np.sqrt(clusters / ((1 - icc) / size + (1 + cv**2) * icc))
    return both_tests_find(shift, clusters)


def both_tests_find(shift: float, clusters: float) -> float:
    """Power of Student's and Hall's tests by SciPy's noncentral t."""
    return float(nct.sf(critical_values(int(clusters), 0.05), clusters - 1, shift).mean())


MOMENTS = moments_from_counts(*random_counts(12, 9, 40))


def test_power_at_the_required_items_and_clusters_is_the_target() -> None:
    need = cluster_requirement(MOMENTS.anova)
    finite = np.isfinite(need.items_per_cluster)
    assert 0 < finite.sum() < 40
    for pair in range(40):
        sizes = MOMENTS.n_items[:, pair]
        cv = float(sizes.std() / sizes.mean())
        if finite[pair]:
            power = at(pair, 9, need.items_per_cluster[pair], cv)
            assert power == pytest.approx(0.8, abs=1e-6)
            np.testing.assert_allclose(need.n_star[pair], 9 * need.items_per_cluster[pair])
        elif np.isfinite(need.n_clusters[pair]):
            assert at(pair, 9, 1e12, cv) < 0.8
        k = need.n_clusters[pair]
        if np.isfinite(k):
            assert at(pair, k, sizes.mean(), cv) >= 0.8 - 1e-9
            assert k == 2 or at(pair, k - 1, sizes.mean(), cv) < 0.8
        assert (need.n_star[pair] <= sizes.sum()) == (k <= 9)


@pytest.mark.parametrize("clusters", [4, 5, 6, 10, 30])
def test_the_verdict_finds_the_gap_of_the_required_clusters(clusters: int) -> None:
    """Student's and Hall's tests of 40,000 normal samples, and of one item or cluster; 4 SE."""
    gap = float(shift_of_power(clusters, 0.05, 0.8)) / clusters**0.5
    x = named_rng(0, f"required/{clusters}").normal(gap, 1.0, (clusters, 40_000))
    mean, error = x.mean(axis=0), x.std(axis=0, ddof=1) / clusters**0.5
    p = mean_p(mean, error, np.full(mean.shape, clusters - 1.0), asymmetry(x - mean))
    assert abs(((p <= 0.05) & (mean > 0)).mean() - 0.8) < 4 * 0.002


def test_columns_and_plans_agree_on_clusters_and_items() -> None:
    """Student's test alone asked these five clusters for 158.4 items each, or for six clusters."""
    rng = np.random.default_rng(11)
    d = 0.35 + np.repeat(rng.normal(size=5), 40) * 0.25 + rng.normal(size=200)
    moments = moments_from_differences(d, np.repeat([*"abcde"], 40))
    fit, need = moments.anova, cluster_requirement(moments.anova)
    law = float(d.mean()), float(d.std()), float(fit.icc)
    assert need.n_star == required_units(ClusterItemsDesign(*law, 5), 0.8) == np.inf
    assert need.n_clusters == required_units(ClusterDesign(*law, 40), 0.8) == 7
    pilot = ClusterPilot(moments)
    items = cluster_items_design(pilot, 1.5 * pilot.delta).n_star
    variance = pilot.between + pilot.within
    of_pilot = 1.5 * pilot.delta, variance**0.5, pilot.between / variance
    each = required_units(ClusterItemsDesign(*of_pilot, 5), 0.8)
    assert 5 * (each - 1) < items <= 5 * each
    gap = float(shift_of_power(200, 0.05, 0.8)) / 200**0.5
    assert required_units(MeanDesign(gap * (1 + 1e-5), 1.0), 0.8) == 200


@pytest.mark.parametrize("icc", [0.0, 0.02, 0.3])
def test_columns_and_plans_agree_on_many_clusters(icc: float) -> None:
    fit, gaps = MOMENTS.anova, np.geomspace(0.002, 1.5, 40)
    one = np.ones(40)
    fit = replace(
        fit,
        n_clusters=9 * one,
        n_items=180 * one,
        squared_sizes=3600 * one,
        sum_d=180 * gaps,
        sum_d2=180 * (1 + gaps**2),
        icc=icc * one,
    )
    need = cluster_requirement(fit)
    for gap, clusters, each in zip(gaps, need.n_clusters, need.items_per_cluster, strict=True):
        assert clusters == required_units(ClusterDesign(gap, 1.0, icc, 20), 0.8)
        assert np.ceil(each) == required_units(ClusterItemsDesign(gap, 1.0, icc, 9), 0.8)


def test_equal_clusters_without_correlation_need_the_items_of_independent_ones() -> None:
    moments = moments_from_counts([20] * 6, [8, 8, 8, 8, 8, 8], [4, 4, 4, 4, 4, 4])
    need, independent = cluster_requirement(moments.anova), cluster_resolution(moments).n_star_iid
    t = shift_of_power(6, 0.05, 0.8) / z_sum(0.05, 0.8)
    np.testing.assert_allclose(need.n_star, independent * np.square(t), rtol=RTOL)
    np.testing.assert_array_equal(need.design_effect, 1)
    assert need.n_star > independent


def test_zero_gap_is_out_of_reach_and_an_undefined_icc_undefined() -> None:
    zero = cluster_requirement(moments_from_counts([10, 10], [5, 1], [1, 5]).anova)
    np.testing.assert_array_equal([zero.n_star, zero.n_clusters], [np.inf, np.inf])
    single = cluster_requirement(moments_from_counts([20, 0], [5, 0], [2, 0]).anova)
    assert np.isnan([single.n_star, single.n_clusters]).all()
    vector = cluster_requirement(moments_from_counts(R_N, R_B, R_C).anova)
    assert vector.n_star.shape == vector.n_clusters.shape == ()


def test_bad_arguments_are_named() -> None:
    with pytest.raises(InvalidArgument, match="n_clusters must be at least 2, got 1.0"):
        cluster_power(0.1, 0.4, 0.1, 1, 10)
    with pytest.raises(InvalidArgument, match="icc must not exceed 1, got 1.5"):
        cluster_power(0.1, 0.4, 1.5, 5, 10)
    with pytest.raises(InvalidArgument, match="mean_cluster_size must be at least 1, got -10.0"):
        design_effect(-10, 0.5)
    with pytest.raises(InvalidArgument, match="icc must not exceed 1, got 1.2"):
        design_effect(10, 1.2)


def test_the_interval_of_the_icc_is_that_of_the_f_ratio() -> None:
    """Twelve clusters of 30: mean squares from the items, limits from scipy's F distribution."""
    rng = np.random.default_rng(5)
    d = rng.normal(size=(12, 30)) + 0.5 * rng.normal(size=(12, 1))
    between = 30 * d.mean(axis=1).var(ddof=1)
    within = d.var(axis=1, ddof=1).mean()
    tails = f.ppf([0.95, 0.05], 11, 348)
    expected = (between / within / tails - 1) / (between / within / tails + 29)
    moments = moments_from_differences(d.ravel(), np.repeat(np.arange(12), 30))
    np.testing.assert_allclose(icc_interval(moments), expected, rtol=1e-10)


def test_an_empty_cluster_changes_no_interval_of_the_icc() -> None:
    sizes, b, c = np.array(R_N), np.array(R_B), np.array(R_C)
    without = icc_interval(moments_from_counts(sizes, b, c))
    empty = [np.append(x, 0) for x in (sizes, b, c)]
    np.testing.assert_allclose(icc_interval(moments_from_counts(*empty)), without, rtol=1e-9)


def test_icc_interval_of_a_pair_does_not_depend_on_the_sizes_of_others() -> None:
    # Clusters of two items that mostly disagree (ICC below 0), beside clusters of twice as many.
    n = np.stack([np.full(60, 2), np.full(60, 4)], axis=1)
    b = np.stack([np.repeat([0, 1, 2], [2, 56, 2]), np.arange(60) % 5], axis=1)
    both = icc_interval(moments_from_counts(n, b, n - b))
    for pair in (0, 1):
        alone = icc_interval(moments_from_counts(n[:, pair], b[:, pair], (n - b)[:, pair]))
        np.testing.assert_allclose([end[pair] for end in both], alone, rtol=1e-12)


def test_many_small_clusters_have_the_interval_of_their_formula() -> None:
    """Sizes 0 to 4 of 60 clusters, of which those of one size are summed as one."""
    rng, labels = np.random.default_rng(8), np.repeat(np.arange(60), np.arange(60) % 5)
    d = rng.normal(size=60)[labels] + rng.normal(size=(2, labels.size))
    n, total, squares = (
        np.array([np.bincount(labels, x, 60) for x in values])
        for values in (np.ones(d.shape), d, np.square(d))
    )
    has = n[0] > 0
    for limit, probability in zip(
        icc_interval(ClusterMoments(n.T, total.T, squares.T)), (0.95, 0.05), strict=True
    ):
        for pair in (0, 1):
            size, mean = n[pair][has], total[pair][has] / n[pair][has]
            weight = size * (1 - limit[pair]) / (1 + (size - 1) * limit[pair])
            between = weight @ np.square(mean - np.average(mean, weights=weight))
            df = has.sum() - 1, labels.size - has.sum()
            within = (squares[pair][has] - size * np.square(mean)).sum() / df[1]
            assert between / df[0] / within == pytest.approx(f.ppf(probability, *df), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("icc", [0.0, 0.05, 0.3])
def test_the_interval_of_the_icc_covers_as_it_says(icc: float) -> None:
    """Fourteen clusters of unequal size, normal differences, nominal .90: exact for any sizes."""
    rng, labels = np.random.default_rng(6), np.repeat(np.arange(14), np.arange(20, 160, 10))
    inside = np.sqrt(icc) * rng.normal(size=(14, 4_000))[labels]
    d = inside + np.sqrt(1 - icc) * rng.normal(size=(labels.size, 4_000))
    low, high = icc_interval(moments_from_differences(d, labels))
    assert abs(np.mean((low <= icc) & (high >= icc)) - 0.9) < 4 * np.sqrt(0.09 / 4_000)


def test_single_items_without_correlation_are_rs_paired_t_test() -> None:
    """R 4.2.2: power.t.test(delta=.05, sd=.5, power=.8, type="paired")$n is 786.8109."""
    assert required_units(MeanDesign(0.05, 0.5, hall=False), 0.8) == 787


@pytest.mark.parametrize("n_clusters", [12, 14, 40])
def test_one_item_less_from_each_cluster_has_too_little_power(n_clusters: int) -> None:
    law = (0.02, 0.316, 0.004)
    size = required_units(ClusterItemsDesign(*law, n_clusters), 0.8)
    assert cluster_power(*law, n_clusters, size) >= 0.8
    assert cluster_power(*law, n_clusters, size - 1) < 0.8
    # The same question the other way round.
    assert required_units(ClusterDesign(*law, size), 0.8) == n_clusters
    assert required_units(ClusterDesign(*law, size - 1), 0.8) > n_clusters


def test_too_few_clusters_are_never_enough() -> None:
    law = (0.02, 0.316, 0.004)
    fewest = required_units(ClusterDesign(*law), 0.8)
    assert np.isfinite(required_units(ClusterItemsDesign(*law, fewest), 0.8))
    assert required_units(ClusterItemsDesign(*law, fewest - 1), 0.8) == np.inf
    assert required_units(ClusterDesign(0.0, 0.316, 0.004), 0.8) == np.inf


@pytest.mark.parametrize(("clusters", "gap"), [(6, 0.04), (9, 0.025), (14, 0.02), (23, 0.02)])
def test_the_required_items_of_clusters_by_simulation(clusters: int, gap: float) -> None:
    """Of 0/1 scores whose gap varies between clusters, by the verdict's tests; within .01."""
    psi, icc, trials = 0.1, 0.004, 40_000
    sigma, rng = (psi - gap**2) ** 0.5, named_rng(0, "cluster_items_required")
    size = int(required_units(ClusterItemsDesign(gap, sigma, icc, clusters), 0.8))
    gaps = gap + sigma * icc**0.5 * rng.standard_normal((clusters, trials))
    differ = rng.binomial(size, psi, gaps.shape)
    b = rng.binomial(differ, (1 + np.clip(gaps / psi, -1, 1)) / 2)
    sizes = np.full(gaps.shape, float(size))
    found = cluster_robust_test(ClusterMoments(sizes, 2.0 * b - differ, 1.0 * differ))
    law = found.delta, found.standard_error, found.df, clusters * size
    verdicts = mean_verdicts(*law, skew=found.skew, test="cluster")
    of_items = binary_verdicts(b.sum(axis=0), (differ - b).sum(axis=0), clusters * size)
    both = (verdicts.direction == 1) & (of_items.direction == 1)
    assert float(both.mean()) == pytest.approx(0.8, abs=0.01)
