"""Moments from items keep their digits; moments that no items have are refused."""

from __future__ import annotations

import numpy as np
import pytest
from clustered_items import icc_of_items

from llm_power._errors import InvalidArgument
from llm_power._statistics.cluster_moments import (
    moments_from_counts,
    moments_from_differences,
    moments_from_sums,
)
from llm_power._statistics.design_effect import (
    category_bootstrap,
    cluster_resolution,
    leave_one_cluster_out,
)
from llm_power._statistics.inversion import required_n


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
    with pytest.raises(InvalidArgument, match="sum_d and sum_d2 must share a shape"):
        moments_from_sums([], [], [])
    with pytest.raises(InvalidArgument, match="sum_d2 must be at least"):
        moments_from_sums([2, 2], [1.0, 1.0], [0.5, 0.4])
    with pytest.raises(InvalidArgument, match="sum_d2 must be at least"):
        moments_from_sums([2, 0], [1.0, 0.0], [0.5, 0.4])


def test_moments_from_items_equal_the_sums() -> None:
    d = np.array([[0.5, 1.0], [-1.0, np.nan], [0.25, 0.0], [0.75, 0.5], [0.0, 1.0]])
    labels = ["b", "a", "b", "a", "b"]
    items = moments_from_differences(d, labels)
    np.testing.assert_array_equal(items.n_items, [[2, 1], [3, 3]])
    np.testing.assert_allclose(items.origin, [0.1, 0.625], rtol=1e-15)
    sums = moments_from_sums(
        [[2, 1], [3, 3]], [[-0.25, 0.5], [0.75, 2]], [[1.5625, 0.25], [0.3125, 2]]
    )
    ours, theirs = cluster_resolution(items), cluster_resolution(sums)
    np.testing.assert_allclose(ours.icc, theirs.icc, rtol=1e-12)
    np.testing.assert_allclose(ours.n_star, theirs.n_star, rtol=1e-12)


def test_a_variance_a_millionth_of_the_gap_keeps_its_digits() -> None:
    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(8), 25)
    noise = rng.standard_normal(200) + rng.standard_normal(8)[cluster]
    d = 0.5 + 5e-7 * noise
    moments = moments_from_differences(d, cluster)
    exact = d - 0.5  # exact in floating point: the two are within a factor of two
    found = cluster_resolution(moments)
    groups = [exact[cluster == k] for k in range(8)]
    np.testing.assert_allclose(found.icc, icc_of_items(groups), rtol=1e-9)
    need = required_n(0.5 + exact.mean(), exact.std())
    np.testing.assert_allclose(found.n_star_iid, need, rtol=1e-9)
    dropped = leave_one_cluster_out(moments)
    rest = exact[cluster != 3]
    need = required_n(0.5 + rest.mean(), rest.std())
    np.testing.assert_allclose(dropped.n_star_iid[3], need, rtol=1e-9)
    boot = category_bootstrap(moments, rng=np.random.default_rng(1), n_resamples=50)
    assert np.all(np.isfinite(boot.n_star_interval))


def test_equal_differences_have_no_icc_whatever_the_rounding() -> None:
    result = cluster_resolution(moments_from_differences(np.full(31, 0.1), np.arange(31) % 3))
    assert np.isnan(result.icc)
    assert result.n_star_iid == 0


def test_bad_items_are_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"one row an item, got shapes \(2,\) and \(3,\)"):
        moments_from_differences([0.5, 0.1], ["a", "b", "c"])
    with pytest.raises(InvalidArgument, match="one row an item"):
        moments_from_differences([], [])
    with pytest.raises(InvalidArgument, match="differences must be finite, got inf"):
        moments_from_differences([0.5, np.inf], ["a", "b"])
    with pytest.raises(InvalidArgument, match="differences must not have masked entries"):
        moments_from_differences(np.ma.array([0.5, 0.1], mask=[True, False]), ["a", "b"])
