"""Alternative clusterings of Section 6.4, against slow rewrites and hand-made cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_power._board.cluster_robustness import difficulty_bins, random_clusters, split_by_parity
from llm_power._errors import InvalidArgument

tenths = st.lists(st.integers(0, 10).map(lambda k: k / 10), min_size=1, max_size=60)


def test_random_clusters_are_a_shuffle_of_near_equal_sizes() -> None:
    labels = random_clusters(12_032, 14, np.random.default_rng(0))
    sizes = np.bincount(labels)
    assert sizes.size == 14
    assert sorted(set(sizes)) == [859, 860]  # Table 4: mean size about 859
    assert labels.dtype == np.int64
    assert not np.array_equal(labels, random_clusters(12_032, 14, np.random.default_rng(1)))
    np.testing.assert_array_equal(labels, random_clusters(12_032, 14, np.random.default_rng(0)))


@pytest.mark.parametrize("n_clusters", [0, -1, 6])
def test_random_clusters_refuses_impossible_numbers(n_clusters: int) -> None:
    with pytest.raises(InvalidArgument, match="n_clusters must lie between 1 and n_items=5"):
        random_clusters(5, n_clusters, np.random.default_rng(0))


def test_difficulty_bins_without_ties_are_equal_quartiles() -> None:
    means = np.random.default_rng(3).permutation(40) / 40
    np.testing.assert_array_equal(difficulty_bins(means), (40 * means).round() // 10)


def test_a_tied_block_moves_the_cut_to_its_nearer_end() -> None:
    # Eight items, cut between the 4th and the 5th.
    assert difficulty_bins([0, 0.1, 0.5, 0.5, 0.5, 0.8, 0.9, 1], 2).tolist() == [0] * 5 + [1] * 3
    assert difficulty_bins([0, 0.1, 0.2, 0.5, 0.5, 0.5, 0.9, 1], 2).tolist() == [0] * 3 + [1] * 5
    # A block that is cut in its middle goes up as a whole.
    assert difficulty_bins([0, 0.1, 0.2, 0.5, 0.5, 0.8, 0.9, 1], 2).tolist() == [0] * 3 + [1] * 5


def test_a_block_wider_than_a_bin_leaves_a_bin_empty() -> None:
    assert difficulty_bins([0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5]).tolist() == [0] + [2] * 6 + [0]
    assert difficulty_bins(np.ones(7)).tolist() == [2] * 7


@settings(max_examples=60)
@given(tenths, st.integers(1, 6))
def test_difficulty_bins_keep_order_and_blocks(means: list[float], n_bins: int) -> None:
    labels = difficulty_bins(means, n_bins)
    assert labels.min() >= 0
    assert labels.max() < n_bins
    order = np.argsort(means, kind="stable")
    assert np.all(np.diff(labels[order]) >= 0)
    for value in set(means):
        block = np.sort(order[np.asarray(means)[order] == value])
        assert len(set(labels[block].tolist())) == 1
        places = np.flatnonzero(np.asarray(means)[order] == value)
        middle = (places[0] + places[-1] + 1) / 2
        assert labels[block[0]] == int(n_bins * middle / len(means) + 1e-9)


@settings(max_examples=30)
@given(tenths, st.integers(0, 2**32 - 1))
def test_difficulty_bins_do_not_depend_on_item_order(means: list[float], seed: int) -> None:
    shuffle = np.random.default_rng(seed).permutation(len(means))
    np.testing.assert_array_equal(
        difficulty_bins(np.asarray(means)[shuffle]), difficulty_bins(means)[shuffle]
    )


@pytest.mark.parametrize("bad", [[], [[0.1, 0.2]], 0.5])
def test_difficulty_bins_refuses_other_shapes(bad: object) -> None:
    with pytest.raises(InvalidArgument, match="item_mean must be one-dimensional"):
        difficulty_bins(np.asarray(bad, dtype=float))


def test_difficulty_bins_refuses_nan_and_no_bins() -> None:
    with pytest.raises(InvalidArgument, match="item_mean must be finite"):
        difficulty_bins([0.1, np.nan])
    with pytest.raises(InvalidArgument, match="n_bins must be at least 1, got 0"):
        difficulty_bins([0.1, 0.2], 0)


LABELS = ["law", "math", "law", "law", "math", "art", "law"]


def test_parity_within_the_cluster() -> None:
    # art 0, law 1, math 2; law stands at places 0, 1, 2, 3 of its own.
    assert split_by_parity(LABELS).tolist() == [2, 4, 3, 2, 5, 0, 3]


@settings(max_examples=40)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=50))
def test_parity_within_the_cluster_against_a_count_by_hand(labels: list[int]) -> None:
    rank = {value: k for k, value in enumerate(sorted(set(labels)))}
    expected = [2 * rank[x] + labels[:i].count(x) % 2 for i, x in enumerate(labels)]
    assert split_by_parity(labels).tolist() == expected


def test_both_readings_give_the_same_halves_of_consecutive_clusters() -> None:
    labels = np.repeat([0, 1, 2], [5, 4, 6])
    overall = 2 * labels + np.arange(15) % 2
    assert len(set(zip(split_by_parity(labels).tolist(), overall.tolist(), strict=True))) == 6


def test_parity_refuses_other_shapes() -> None:
    with pytest.raises(InvalidArgument, match="labels must be one-dimensional"):
        split_by_parity([[1, 2]])
