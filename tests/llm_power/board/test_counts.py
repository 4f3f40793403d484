"""The counts of all pairs against a loop over items."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from board_examples import task_of
from llm_power._board import counts
from llm_power._board.counts import (
    ScoreCounts,
    ScoreMoments,
    count_cells,
)
from llm_power._board.evidence import TaskEvidence
from llm_power._board.operating_point import pair_indices
from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.cluster_requirement import icc_interval
from llm_power._statistics.cluster_robust import cluster_robust_test
from llm_power._statistics.t_test import asymmetry

seeds = st.integers(0, 10_000)


def draw_scores(seed: int, *, graded: bool = False, missing: float = 0.2) -> FloatArray:
    rng = np.random.default_rng(seed)
    scores = rng.uniform(size=(30, 5))
    scores = scores if graded else np.rint(scores)
    scores[rng.uniform(size=scores.shape) < missing] = np.nan
    return scores


def loop(x: FloatArray, y: FloatArray) -> tuple[int, int, int, int]:
    cells = {(1.0, 1.0): 0, (1.0, 0.0): 0, (0.0, 1.0): 0, (0.0, 0.0): 0}
    for a, b in zip(x, y, strict=True):
        if not (np.isnan(a) or np.isnan(b)):
            cells[a, b] += 1
    return cells[1.0, 1.0], cells[1.0, 0.0], cells[0.0, 1.0], cells[0.0, 0.0]


@given(seeds)
def test_cells_equal_a_loop_over_items(seed: int) -> None:
    scores = draw_scores(seed)
    first, second = pair_indices(5, "all")
    cells = count_cells(scores, first, second)
    for k, (i, j) in enumerate(zip(first, second, strict=True)):
        expected = loop(scores[:, i], scores[:, j])
        assert (cells.n11[k], cells.b[k], cells.c[k], cells.n00[k]) == expected


@given(seeds)
def test_clusters_add_up_to_the_whole(seed: int) -> None:
    scores = draw_scores(seed)
    codes = np.arange(30) % 4
    first, second = pair_indices(5, "all")
    whole = count_cells(scores, first, second)
    parts = ScoreCounts(scores, codes).tables(first, second)
    assert parts.counts.shape == (4, 4, 10)
    for table, name in zip(parts.counts, ("n11", "b", "c", "n00"), strict=True):
        np.testing.assert_array_equal(table.sum(axis=0), getattr(whole, name))
    one = count_cells(scores[codes == 2], first, second)
    np.testing.assert_array_equal(parts.counts[2, 2], one.c)


@given(seeds)
def test_moments_of_binary_scores_are_the_counts(seed: int) -> None:
    scores = draw_scores(seed)
    first, second = pair_indices(5, "adjacent")
    cells = count_cells(scores, first, second)
    moments = ScoreMoments(scores).moments(first, second)
    np.testing.assert_array_equal(moments.n_items, cells.n_items)
    np.testing.assert_array_equal(moments.sum_d, cells.b - cells.c)
    squares = moments.ss_d + np.square(moments.sum_d) / moments.n_items
    np.testing.assert_allclose(squares, cells.b + cells.c, rtol=1e-12)


@given(seeds)
def test_moments_equal_numpy_on_the_shared_items(seed: int) -> None:
    scores = draw_scores(seed, graded=True)
    first, second = pair_indices(5, "all")
    moments = ScoreMoments(scores).moments(first, second)
    for k, (i, j) in enumerate(zip(first, second, strict=True)):
        x, y = scores[:, i], scores[:, j]
        shared = ~np.isnan(x) & ~np.isnan(y)
        np.testing.assert_allclose(moments.sum_a[k], x[shared].sum(), rtol=1e-12)
        n = np.count_nonzero(shared)
        np.testing.assert_allclose(moments.ss_b[k], n * y[shared].var(), rtol=1e-12)
        np.testing.assert_allclose(moments.ss_d[k], n * (x - y)[shared].var(), rtol=1e-12)
    by_cluster = ScoreMoments(scores, np.arange(30) % 3).by_cluster(first, second)
    np.testing.assert_allclose(by_cluster.origin * moments.n_items, moments.sum_d, atol=1e-12)
    np.testing.assert_allclose(by_cluster.sum_d.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(by_cluster.sum_d2.sum(axis=0), moments.ss_d, rtol=1e-12)


def test_a_small_variance_beside_a_large_gap_keeps_its_digits() -> None:
    wobble = 1e-7 * np.arange(11.0)
    scores = np.stack([0.75 + wobble, np.zeros(11), np.full(11, 0.1)], axis=1)
    moments = ScoreMoments(scores).moments(*pair_indices(3, "adjacent"))
    assert moments.ss_d[0] == pytest.approx(110e-14, rel=1e-8)
    assert moments.ss_d[1] == 0


def test_block_size_does_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = draw_scores(3, graded=True)
    first, second = pair_indices(5, "all")
    whole = ScoreMoments(scores).moments(first, second)
    monkeypatch.setattr(counts, "_PAIR_ITEMS", 3)
    np.testing.assert_array_equal(ScoreMoments(scores).moments(first, second).ss_d, whole.ss_d)


def test_graded_scores_cannot_be_counted() -> None:
    with pytest.raises(InvalidArgument, match="scores must be 0, 1 or missing"):
        count_cells(draw_scores(1, graded=True), *pair_indices(5, "all"))


def test_families_are_the_declared_ones() -> None:
    first, second = pair_indices(4, "adjacent")
    np.testing.assert_array_equal(np.c_[first, second], [[0, 1], [1, 2], [2, 3]])
    first, second = pair_indices(4, "all")
    assert len(first) == 6
    assert np.all(first < second)
    with pytest.raises(InvalidArgument, match="n_models must be at least 2, got 1"):
        pair_indices(1, "all")


@pytest.mark.parametrize("n_clusters", [1, 7, 90])
def test_products_of_graded_scores_are_the_moments_of_their_differences(n_clusters: int) -> None:
    """Near-equal, equal and constant models among them, and scores of one decimal."""
    rng = np.random.default_rng(n_clusters)
    x = np.round(0.6 * rng.uniform(size=(500, 1)) + 0.4 * rng.uniform(size=(500, 90)), 6)
    x[:, 1] = np.clip(x[:, 0] + 1e-7 * rng.normal(size=500), 0, 1)
    x[:, 2], x[:, 3], x[:, 4] = x[:, 0], 0.5, np.round(x[:, 5], 1)
    codes = np.concatenate([np.arange(n_clusters), rng.integers(0, n_clusters, 500 - n_clusters)])
    first, second = pair_indices(90, "all")
    found = ScoreMoments(x).moments(first, second)
    d = x[:, first] - x[:, second]
    deviation = d - d.mean(axis=0)
    expected = {
        "sum_d": d.sum(axis=0),
        "ss_a": x.var(axis=0)[first] * 500,
        "ss_d": np.square(deviation).sum(axis=0),
        "n_differing": np.count_nonzero(d, axis=0),
        "skew_d": asymmetry(deviation),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(getattr(found, name), values, rtol=1e-9, atol=2e-13)
    equal = (first == 0) & (second == 2)
    assert (found.ss_d[equal], found.sum_d[equal], found.n_differing[equal]) == (0, 0, 0)
    near = (first == 0) & (second == 1)
    assert found.ss_d[near] == pytest.approx(expected["ss_d"][near], rel=1e-12)
    clusters = ScoreMoments(x, codes).within_clusters(first, second, found)
    summed = np.stack([deviation[codes == k].sum(axis=0) for k in range(n_clusters)])
    np.testing.assert_allclose(clusters.sum_d, summed, rtol=1e-9, atol=2e-13)
    np.testing.assert_allclose(clusters.origin, d.mean(axis=0), atol=1e-15)
    np.testing.assert_allclose(clusters.sum_d2.sum(axis=0), expected["ss_d"], rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_many_small_clusters_are_counted_as_few_large_ones_are(
    missing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    scores = np.rint(rng.uniform(size=(400, 9)))
    scores[rng.uniform(size=scores.shape) < missing] = np.nan
    codes = np.concatenate([np.arange(90), rng.integers(0, 90, 310)])
    pairs = pair_indices(9, "all")
    found = counts.ScoreCounts(scores, codes).tables(*pairs).counts
    monkeypatch.setattr(counts, "_FEWEST_ITEMS", 0)
    np.testing.assert_array_equal(found, counts.ScoreCounts(scores, codes).tables(*pairs).counts)


@pytest.mark.parametrize("kind", ["binary", "graded"])
@pytest.mark.parametrize("n_clusters", [2, 14, 300])
def test_sums_of_models_within_clusters_say_what_the_items_do(kind: str, n_clusters: int) -> None:
    rng = np.random.default_rng(n_clusters)
    x = 0.5 * rng.uniform(size=(900, 1)) + 0.5 * rng.uniform(size=(900, 20))
    x = np.rint(x) if kind == "binary" else np.round(x, 2)
    x[:, 1], x[:, 2], x[:, 3] = x[:, 0], 1.0, np.where(np.arange(900) == 7, 0.0, x[:, 0])
    codes = np.concatenate([np.arange(n_clusters), rng.integers(0, n_clusters, 900 - n_clusters)])
    first, second = pair_indices(20, "all")
    evidence = TaskEvidence(task_of(x), codes)
    (pooled,) = evidence.of(first, second)
    assert pooled.of_clusters is not None
    apart = evidence.by_cluster(first, second)
    for name in ("icc", "sum_d2", "sum_d", "n_clusters"):
        mine, theirs = getattr(pooled.of_clusters.anova, name), getattr(apart.anova, name)
        np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-12)
    test = cluster_robust_test(apart)
    for name in ("delta", "standard_error", "df", "skew", "p"):
        mine, theirs = getattr(pooled.cluster_test, name), getattr(test, name)
        np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-13)
    limits = [icc_interval(moments) for moments in (pooled.of_clusters, apart)]
    np.testing.assert_allclose(limits[0], limits[1], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("missing", [False, True])
def test_no_gap_between_scores_of_one_decimal_is_none(missing: bool) -> None:
    a, b = np.array([0.7, 0.1, 0.8, 0.2, 0.9, 0.4]), np.array([0.6, 0.3, 0.7, 0.2, 0.8, 0.5])
    scores = np.stack([a, b, np.where(missing & (np.arange(6) == 3), np.nan, 0.1)], axis=1)
    (evidence,) = TaskEvidence(task_of(scores), np.arange(6) % 2).of(*pair_indices(3, "adjacent"))
    assert evidence.of_items.gap.delta[0] == 0
    assert evidence.cluster_test.delta[0] == 0


def test_sums_within_clusters_of_large_scores_are_those_of_the_items() -> None:
    """Costs of a million and some, whole numbers: their sums are known exactly."""
    rng = np.random.default_rng(5)
    scores, codes = 1e6 + rng.integers(0, 9, size=(300, 12)).astype(float), np.arange(300) % 40
    first, second = pair_indices(12, "all")
    (evidence,) = TaskEvidence(task_of(scores, kind="real"), codes).of(first, second)
    moments = evidence.of_clusters
    assert moments is not None
    d = scores[:, first] - scores[:, second]
    exact = np.stack([d[codes == k].sum(axis=0) for k in range(40)])
    sums = moments.sum_d + moments.n_items * moments.origin
    np.testing.assert_allclose(sums, exact, atol=1e-11)


def test_an_outlier_of_another_model_hides_no_gap() -> None:
    rng = np.random.default_rng(1)
    scores = 10 + rng.normal(size=(400, 3)) + [0.32, 0.0, 0.0]
    scores[7, 2], scores[9, 2] = 1e17, np.nan
    task = task_of(scores, kind="real")
    (evidence,) = TaskEvidence(task, None).of(*pair_indices(3, "adjacent"))
    difference = (scores[:, 0] - scores[:, 1]).mean()
    np.testing.assert_allclose(evidence.of_items.gap.delta[0], difference, rtol=1e-12)
