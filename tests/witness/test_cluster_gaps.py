"""Gaps of one pair: closed form, meet in the middle and misfit, each against another way."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_power.errors import InvalidArgument
from llm_power.statistics._typing import FloatArray, IntArray
from llm_power.statistics.design_effect import (
    ClusterMoments,
    intraclass_correlation,
    moments_from_sums,
    resample_clusters,
)
from llm_power.statistics.design_effect import design_effect as effect_of
from llm_power.witness.cluster_gaps import (
    PairTargets,
    explained_interval,
    fit_gaps,
    fit_pair,
    integer_gaps,
    pair_misfit,
    split_discordant,
)

SIZES = np.array([50, 80, 33, 61, 120, 44], dtype=np.int64)


def targets_at(gaps: IntArray, discordant: int, width: float = 0.0) -> PairTargets:
    """Targets whose interval of the ICC is around that of `gaps`."""
    total = int(gaps.sum())
    icc = float(intraclass_correlation(proportional(gaps, discordant)))
    return PairTargets(
        n_items=SIZES,
        b=(discordant + total) // 2,
        c=(discordant - total) // 2,
        icc=(icc - width, icc + width),
    )


def proportional(gaps: IntArray | FloatArray, discordant: int) -> ClusterMoments:
    return moments_from_sums(SIZES, gaps, discordant * SIZES / SIZES.sum())


def test_the_closed_form_inverts_the_intraclass_correlation() -> None:
    gaps = np.array([9, -4, 3, 8, -2, 6], dtype=np.int64)
    lower, upper = explained_interval(targets_at(gaps, 100))
    assert lower == pytest.approx(np.sum(gaps**2 / SIZES), rel=1e-12)
    assert upper == pytest.approx(lower, rel=1e-12)


@pytest.mark.parametrize("width", [3, 4])
def test_meet_in_the_middle_finds_every_solution_that_brute_force_finds(width: int) -> None:
    gaps = np.array([9, -4, 3, 8, -2, 6], dtype=np.int64)
    targets = targets_at(gaps, 100, width=0.004)
    near = gaps + np.array([0.3, -0.2, 0.4, -0.4, 0.1, -0.3])
    aim = np.array([1.0, -2.0, 0.5, 3.0, -1.0, 2.0])

    def misfit(candidates: FloatArray) -> FloatArray:
        return np.asarray(np.square(candidates - near - aim).sum(axis=1))

    base = np.rint(near).astype(np.int64) - (width - 1) // 2
    lower, upper = explained_interval(targets)
    every = np.array([base + step for step in product(range(width), repeat=len(SIZES))])
    q = (every**2 / SIZES).sum(axis=1)
    solutions = every[(every.sum(axis=1) == gaps.sum()) & (lower <= q) & (q <= upper)]
    assert len(solutions) > 3
    found, count = integer_gaps(targets, near, misfit, width=width, shortlist=10**6)
    assert count == len(solutions)
    best = solutions[np.argmin(misfit(solutions.astype(np.float64)))]
    np.testing.assert_array_equal(found, best)


def test_without_a_solution_the_nearest_miss_is_returned_and_no_solution_is_claimed() -> None:
    gaps = np.array([9, -4, 3, 8, -2, 6], dtype=np.int64)
    targets = targets_at(gaps, 100)
    elsewhere = PairTargets(SIZES, targets.b, targets.c, (0.5, 0.500001))
    found, count = integer_gaps(elsewhere, gaps.astype(np.float64), lambda x: x[:, 0])
    assert count == 0
    every = np.array([gaps + step for step in product((-1, 0, 1), repeat=len(SIZES))])
    every = every[every.sum(axis=1) == gaps.sum()]
    # The interval lies above all of them: the nearest is the one with the largest Q.
    assert np.sum(found**2 / SIZES) == pytest.approx(np.max((every**2 / SIZES).sum(axis=1)))


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
        icc.append(float(intraclass_correlation(ClusterMoments(*sums))))
        effect.append(float(effect_of(SIZES[rows].mean(), icc[-1])))
    residuals = [
        (np.percentile(values, [5, 95]) - aim[0]) / aim[1]
        for values, aim in ((icc, icc_aim), (effect, effect_aim))
    ]
    expected = 0.5 * np.square(np.concatenate(residuals)).sum()
    assert pair_misfit(targets, resamples)(gaps[None])[0] == pytest.approx(expected, rel=1e-10)


def test_fitted_gaps_keep_what_table_4_fixes_and_come_closer_than_where_they_began() -> None:
    resamples = resample_clusters(len(SIZES), 300, np.random.default_rng(5))
    icc_aim = np.array([[-0.005, 0.05], [0.0005, 0.0005]])
    targets = PairTargets(SIZES, 60, 40, (0.0199, 0.0201), icc_aim)
    lower, upper = explained_interval(targets)
    found = fit_gaps(targets, resamples, np.random.default_rng(1))
    np.testing.assert_allclose(found.sum(axis=1), 20, rtol=1e-10)
    np.testing.assert_allclose((found**2 / SIZES).sum(axis=1), (lower + upper) / 2, rtol=1e-10)
    misfit = pair_misfit(targets, resamples)
    rng = np.random.default_rng(2)
    at_random = rng.normal(size=(500, len(SIZES))) * np.sqrt(SIZES)
    at_random -= SIZES * (at_random.sum(axis=1, keepdims=True) / SIZES.sum())
    spread = np.sqrt(((lower + upper) / 2 - 400 / SIZES.sum()) / (at_random**2 / SIZES).sum(axis=1))
    at_random = at_random * spread[:, None] + 20 * SIZES / SIZES.sum()
    assert misfit(found).min() < np.quantile(misfit(at_random), 0.02)


@given(
    gaps=st.lists(st.integers(-8, 8), min_size=6, max_size=6),
    spare=st.integers(0, 60),
)
def test_every_split_has_the_pairs_counts(gaps: list[int], spare: int) -> None:
    wanted = np.array(gaps, dtype=np.int64)
    discordant = int(np.abs(wanted).sum()) + 2 * spare
    total = int(wanted.sum())
    targets = PairTargets(SIZES, (discordant + total) // 2, (discordant - total) // 2, (0.0, 0.1))
    b, c = split_discordant(targets, wanted)
    np.testing.assert_array_equal(b - c, wanted)
    assert (b.sum(), c.sum()) == (targets.b, targets.c)
    assert b.min() >= 0
    assert c.min() >= 0
    assert np.all(b + c <= SIZES)


def test_arguments_that_cannot_be() -> None:
    with pytest.raises(InvalidArgument, match="icc must be an interval below 1"):
        PairTargets(SIZES, 3, 2, (0.2, 0.1))
    with pytest.raises(InvalidArgument, match=r"b \+ c must not exceed"):
        PairTargets(SIZES, 300, 200, (0.1, 0.2))
    targets = PairTargets(SIZES, 3, 2, (0.1, 0.2))
    with pytest.raises(InvalidArgument, match="gaps must sum to 1"):
        split_discordant(targets, np.zeros(6, dtype=np.int64))
    with pytest.raises(InvalidArgument, match="at most 5 discordant"):
        split_discordant(targets, np.array([9, -8, 0, 0, 0, 0], dtype=np.int64))


def test_a_pair_is_a_function_of_its_arguments() -> None:
    resamples = resample_clusters(len(SIZES), 100, np.random.default_rng(5))
    targets = PairTargets(SIZES, 60, 40, (0.0199, 0.0201))
    first, second = (fit_pair(targets, resamples, np.random.default_rng(1)) for _ in range(2))
    np.testing.assert_array_equal(first.b, second.b)
    assert first.n_solutions == second.n_solutions > 0
