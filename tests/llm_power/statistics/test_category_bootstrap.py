"""Bootstrap of the clusters against a loop over items and the law of the draws."""

from __future__ import annotations

import numpy as np
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

from llm_power._errors import InvalidArgument
from llm_power._statistics import design_effect
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.cluster_moments import moments_from_counts, moments_from_sums
from llm_power._statistics.design_effect import (
    category_bootstrap,
    cluster_resolution,
    resample_clusters,
)
from llm_power._statistics.inversion import required_n


def test_pair_without_discordant_items_is_unresolved_in_every_resample() -> None:
    moments = moments_from_counts([[20], [30]], [[0], [0]], [[0], [0]])
    boot = category_bootstrap(moments, rng=np.random.default_rng(0), n_resamples=20)
    assert boot.n_undefined[0] == 20
    assert np.isnan(boot.icc_interval).all()
    assert np.isinf(boot.n_star_interval).all()
    assert boot.probability_unresolved[0] == 1
    assert boot.count_distribution.tolist() == [0, 1]


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
        moments_from_counts(n, b, c), rng=np.random.default_rng(42), n_resamples=60
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
def test_bootstrap_does_not_depend_on_block_size(
    block_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    n, b, c = random_counts(9, 14, 29, missing=True)
    rng = np.random.default_rng(1)
    graded = moments_from_sums(n, (b - c) / 3, (b + c) / 7 + rng.random(n.shape) * (n > 0))
    whole = category_bootstrap(graded, rng=np.random.default_rng(7), n_resamples=50)
    monkeypatch.setattr(design_effect, "_PAIRS", block_size)
    assert_same(whole, category_bootstrap(graded, rng=np.random.default_rng(7), n_resamples=50))


def test_bootstrap_keeps_the_full_data_required_items() -> None:
    """Appendix G holds the IID N* fixed: negative ICC gives an interval of that N* alone."""
    n, b, c = np.full((14, 1), 50), np.full((14, 1), 12), np.full((14, 1), 4)
    moments = moments_from_counts(n, b, c)
    boot = category_bootstrap(moments, rng=np.random.default_rng(5), n_resamples=100)
    iid = cluster_resolution(moments).n_star_iid
    np.testing.assert_array_equal(boot.n_star_interval, [iid, iid])
    np.testing.assert_array_equal(boot.design_effect_interval, [[1.0], [1.0]])


def test_bootstrap_of_a_single_pair_as_vectors_equals_one_column() -> None:
    vector = moments_from_counts(R_N, R_B, R_C)
    column = moments_from_counts(*(np.reshape(x, (4, 1)) for x in (R_N, R_B, R_C)))
    one, table = (category_bootstrap(m, rng=np.random.default_rng(3)) for m in (vector, column))
    assert one.icc_interval.shape == (2,)
    assert one.probability_unresolved.shape == ()
    np.testing.assert_array_equal(one.icc_interval, table.icc_interval[:, 0])
    np.testing.assert_array_equal(one.n_star_interval, table.n_star_interval[:, 0])


def test_the_bootstrap_carries_its_settings() -> None:
    moments = moments_from_counts(R_N, R_B, R_C)
    boot = category_bootstrap(moments, rng=42, n_resamples=30, alpha=0.01, power=0.9)
    assert (boot.n_resamples, boot.alpha, boot.power) == (30, 0.01, 0.9)


def test_one_resample_and_one_cluster_are_enough() -> None:
    moments = moments_from_counts(R_N, R_B, R_C)
    boot = category_bootstrap(moments, rng=np.random.default_rng(0), n_resamples=1)
    assert boot.n_resamples == boot.count_distribution.sum() == 1
    assert resample_clusters(1, 1, np.random.default_rng(0)).tolist() == [[1]]


def test_bad_bootstrap_arguments_are_refused() -> None:
    moments = moments_from_counts(R_N, R_B, R_C)
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidArgument, match="n_resamples must be at least 1, got 0"):
        category_bootstrap(moments, rng=rng, n_resamples=0)
    with pytest.raises(InvalidArgument, match="n_clusters must be at least 1, got 0"):
        resample_clusters(0, 5, rng)
