"""Whole gaps: meet in the middle against brute force, and the split into b and c."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from gap_examples import SIZES, targets_at
from hypothesis import given
from hypothesis import strategies as st

from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import FloatArray
from replication.witness import cluster_gaps
from replication.witness.cluster_gaps import (
    PairTargets,
    explained_interval,
    integer_gaps,
    split_discordant,
)


@pytest.mark.parametrize("width", [3, 4])
def test_meet_in_the_middle_finds_every_solution_that_brute_force_finds(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_gaps, "SHORTLIST", 10**6)
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
    found, count = integer_gaps(targets, near, misfit, width=width)
    assert count == len(solutions)
    best = solutions[np.argmin(misfit(solutions.astype(np.float64)))]
    np.testing.assert_array_equal(found, best)


def test_without_a_solution_the_nearest_miss_is_returned_and_no_solution_is_claimed() -> None:
    gaps = np.array([9, -4, 3, 8, -2, 6], dtype=np.int64)
    targets = targets_at(gaps, 100)
    elsewhere = PairTargets(SIZES, targets.b, targets.c, (0.5, 0.500001))
    found, count = integer_gaps(elsewhere, gaps.astype(np.float64), lambda x: x[:, 0], width=3)
    assert count == 0
    every = np.array([gaps + step for step in product((-1, 0, 1), repeat=len(SIZES))])
    every = every[every.sum(axis=1) == gaps.sum()]
    # The interval lies above all of them: the nearest is the one with the largest Q.
    assert np.sum(found**2 / SIZES) == pytest.approx(np.max((every**2 / SIZES).sum(axis=1)))


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


def test_gaps_that_cannot_be_split() -> None:
    targets = PairTargets(SIZES, 3, 2, (0.1, 0.2))
    with pytest.raises(InvalidArgument, match="gaps must sum to 1"):
        split_discordant(targets, np.zeros(6, dtype=np.int64))
    with pytest.raises(InvalidArgument, match="at most 5 discordant"):
        split_discordant(targets, np.array([9, -8, 0, 0, 0, 0], dtype=np.int64))
