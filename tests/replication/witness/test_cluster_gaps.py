"""Gaps of one pair, fitted to what is printed of its clusters."""

from __future__ import annotations

import numpy as np
from gap_examples import SIZES

from llm_power._statistics.design_effect import resample_clusters
from replication.witness.cluster_gaps import (
    Misfit,
    PairTargets,
    explained_interval,
    fit_gaps,
    fit_pair,
)


def test_fitted_gaps_keep_what_table_4_fixes_and_come_closer_than_where_they_began() -> None:
    resamples = resample_clusters(len(SIZES), 300, np.random.default_rng(5))
    icc_aim = np.array([[-0.005, 0.05], [0.0005, 0.0005]])
    targets = PairTargets(SIZES, 60, 40, (0.0199, 0.0201), icc_aim)
    lower, upper = explained_interval(targets)
    found = fit_gaps(targets, resamples, np.random.default_rng(1))
    np.testing.assert_allclose(found.sum(axis=1), 20, rtol=1e-10)
    np.testing.assert_allclose((found**2 / SIZES).sum(axis=1), (lower + upper) / 2, rtol=1e-10)
    misfit = Misfit(targets, resamples).score
    rng = np.random.default_rng(2)
    at_random = rng.normal(size=(500, len(SIZES))) * np.sqrt(SIZES)
    at_random -= SIZES * (at_random.sum(axis=1, keepdims=True) / SIZES.sum())
    spread = np.sqrt(((lower + upper) / 2 - 400 / SIZES.sum()) / (at_random**2 / SIZES).sum(axis=1))
    at_random = at_random * spread[:, None] + 20 * SIZES / SIZES.sum()
    assert misfit(found).min() < np.quantile(misfit(at_random), 0.02)


def test_a_pair_is_a_function_of_its_arguments() -> None:
    resamples = resample_clusters(len(SIZES), 100, np.random.default_rng(5))
    targets = PairTargets(SIZES, 60, 40, (0.0199, 0.0201))
    first, second = (fit_pair(targets, resamples, np.random.default_rng(1)) for _ in range(2))
    np.testing.assert_array_equal(first.b, second.b)
    assert first.n_solutions == second.n_solutions > 0
