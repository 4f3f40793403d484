"""The measure of Table 4 in closed form, and the misfit resample by resample."""

from __future__ import annotations

import numpy as np
import pytest
from gap_examples import SIZES, proportional, targets_at

from llm_power._errors import InvalidArgument
from llm_power._statistics.cluster_moments import ClusterMoments
from llm_power._statistics.design_effect import cluster_resolution, resample_clusters
from llm_power._statistics.design_effect import design_effect as effect_of
from replication.witness.cluster_gaps import Misfit, PairTargets, explained_interval


def test_the_closed_form_inverts_the_intraclass_correlation() -> None:
    gaps = np.array([9, -4, 3, 8, -2, 6], dtype=np.int64)
    lower, upper = explained_interval(targets_at(gaps, 100))
    assert lower == pytest.approx(np.sum(gaps**2 / SIZES), rel=1e-12)
    assert upper == pytest.approx(lower, rel=1e-12)


def test_the_misfit_is_that_of_the_resamples_taken_one_by_one() -> None:
    resamples = resample_clusters(len(SIZES), 41, np.random.default_rng(5))
    gaps = np.array([9.0, -4.0, 3.0, 8.0, -2.0, 6.0])
    icc_aim = np.array([[-0.01, 0.05], [0.002, 0.004]])
    effect_aim = np.array([[1.0, 3.0], [0.1, 0.2]])
    targets = PairTargets(SIZES, 60, 40, (0.01, 0.02), icc_aim, effect_aim)
    icc, effect = [], []
    for drawn in resamples:
        rows = np.repeat(np.arange(len(SIZES)), drawn)
        whole = proportional(gaps, 100)
        sums = [np.asarray(x)[rows] for x in (whole.n_items, whole.sum_d, whole.sum_d2)]
        icc.append(float(cluster_resolution(ClusterMoments(*sums)).icc))
        effect.append(float(effect_of(SIZES[rows].mean(), icc[-1])))
    residuals = [
        (np.percentile(values, [5, 95]) - aim[0]) / aim[1]
        for values, aim in ((icc, icc_aim), (effect, effect_aim))
    ]
    expected = 0.5 * np.square(np.concatenate(residuals)).sum()
    assert Misfit(targets, resamples).score(gaps[None])[0] == pytest.approx(expected, rel=1e-10)


def test_targets_that_cannot_be() -> None:
    with pytest.raises(InvalidArgument, match="icc must be an interval below 1"):
        PairTargets(SIZES, 3, 2, (0.2, 0.1))
    with pytest.raises(InvalidArgument, match=r"b \+ c must not exceed"):
        PairTargets(SIZES, 300, 200, (0.1, 0.2))
