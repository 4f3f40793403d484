"""Chains of models: exact counts in every cluster, whatever kappa."""

from __future__ import annotations

import numpy as np
import pytest

from llm_power._board.counts import ScoreCounts
from llm_power._errors import InvalidArgument
from replication.witness.chain import chain_scores, start_counts

SIZES = np.array([40, 25, 60], dtype=np.int64)
B = np.array([[9, 4, 12], [3, 2, 5], [6, 6, 1]], dtype=np.int64)
C = np.array([[4, 6, 2], [3, 1, 9], [8, 2, 7]], dtype=np.int64)


@pytest.mark.parametrize("kappa", [0.0, 1.5, 6.0])
def test_counts_of_every_neighbor_pair_are_exact_in_every_cluster(kappa: float) -> None:
    start = start_counts(SIZES, B, C, 70)
    values = chain_scores(SIZES, B, C, start, kappa=kappa, rng=np.random.default_rng(3))
    first = np.arange(3, dtype=np.int64)
    codes = np.repeat(np.arange(3, dtype=np.int64), SIZES)
    _, b, c, _ = ScoreCounts(values, codes).tables(first, first + 1).counts
    np.testing.assert_array_equal(b, B.T)
    np.testing.assert_array_equal(c, C.T)
    behind = np.concatenate([[0], np.cumsum((B - C).sum(axis=1))])
    np.testing.assert_array_equal(values.sum(axis=0), 70 - behind)


def test_easiness_ties_the_ends_of_the_chain_together() -> None:
    sizes = np.array([4000], dtype=np.int64)
    b = np.full((8, 1), 700, dtype=np.int64)
    ends = []
    for kappa in (0.0, 1.0, 4.0):
        rng = np.random.default_rng(3)
        values = chain_scores(sizes, b, b, np.array([2400]), kappa=kappa, rng=rng)
        ends.append(float(np.corrcoef(values[:, 0], values[:, -1])[0, 1]))
    # A Markov chain keeps (1 - 700/2400 - 700/1600)^8 = 3e-5 of its correlation: SE 0.016.
    assert abs(ends[0]) < 4 * 0.016
    assert ends[0] + 0.1 < ends[1] < ends[2] - 0.1


def test_starts_keep_every_model_within_its_clusters() -> None:
    drops = np.array([[20, 0, 0], [15, 0, 0]], dtype=np.int64)
    start = start_counts(SIZES, drops, np.zeros_like(drops), 60)
    assert start.sum() == 60
    assert start[0] >= 35
    assert np.all(start <= SIZES)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="no start of 124"):
        start_counts(SIZES, B, C, 124)
    with pytest.raises(InvalidArgument, match="kappa must be at least 0"):
        chain_scores(SIZES, B, C, SIZES // 2, kappa=-1.0, rng=np.random.default_rng(3))
    with pytest.raises(InvalidArgument, match="cannot flip"):
        chain_scores(SIZES, B, C, SIZES * 0, kappa=0.0, rng=np.random.default_rng(3))
