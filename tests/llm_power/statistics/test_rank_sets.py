"""Rank sets against every pair of items held at once, closed cases and a real board."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

from llm_power._errors import InvalidArgument
from llm_power._statistics.cluster_moments import moments_from_differences
from llm_power._statistics.cluster_robust import cluster_robust_test
from llm_power._statistics.rank_sets import rank_confidence_sets


def graded_board(n_items: int = 60, n_models: int = 6, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    shared = rng.standard_normal((n_items, 1))
    return shared + rng.standard_normal((n_items, n_models)) + 0.35 * np.arange(n_models)


def sets_by_every_pair(
    x: np.ndarray, n_draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, int, float]:
    """Step-down with the differences of all ordered pairs on all items."""
    n, m = x.shape
    pairs = list(permutations(range(m), 2))
    d = np.stack([x[:, j] - x[:, k] for j, k in pairs], axis=1)
    lead = d.mean(axis=0) / d.std(axis=0, ddof=1) * np.sqrt(n)
    drawn = rng.standard_normal((n_draws, n)) @ (d - d.mean(axis=0)) / d.std(axis=0) / np.sqrt(n)
    declared, steps = np.zeros(len(pairs), dtype=bool), 0
    while True:
        steps += 1
        largest = np.sort(drawn[:, ~declared].max(axis=1))
        critical = largest[int(np.ceil(0.95 * (n_draws + 1))) - 1]
        of_t = float(t.isf(norm.sf(critical), n - 1))
        found = lead > of_t
        if not np.any(found & ~declared):
            break
        declared |= found
    better = np.zeros((m, m), dtype=bool)
    for (j, k), is_declared in zip(pairs, declared, strict=True):
        better[j, k] = is_declared
    return better, steps, of_t


@pytest.mark.parametrize("seed", range(4))
def test_sets_equal_those_of_every_pair_on_every_item(seed: int) -> None:
    x = graded_board(seed=seed)
    sets = rank_confidence_sets(x, n_draws=400, rng=np.random.default_rng(9))
    better, steps, critical = sets_by_every_pair(x, 400, np.random.default_rng(9))
    assert better.any()
    assert sets.n_steps == steps
    # The opposite of a declared lead stays in the comparison.
    assert sets.critical_value == pytest.approx(critical, rel=1e-9)
    np.testing.assert_array_equal(sets.better, better)
    np.testing.assert_array_equal(sets.low, 1 + better.sum(axis=0))
    np.testing.assert_array_equal(sets.high, 6 - better.sum(axis=1))
    assert np.all((sets.low <= sets.rank) & (sets.rank <= sets.high))


def test_two_models_have_the_quantile_of_t() -> None:
    x = np.random.default_rng(0).standard_normal((400, 2))
    sets = rank_confidence_sets(x, n_draws=40_000, step_down=False)
    assert abs(sets.critical_value - t.isf(0.025, 399)) < 4 * sets.critical_value_error
    density = 2 * norm.pdf(norm.isf(0.025))
    error = np.sqrt(0.05 * 0.95 / 40_000) / density
    assert sets.critical_value_error == pytest.approx(error, rel=0.25)


def test_two_models_in_clusters_are_the_test_of_cr2() -> None:
    """A lead is declared where the interval of CR2 excludes 0; few clusters of unequal size."""
    rng, labels = np.random.default_rng(3), np.repeat(list("abcdef"), [3, 9, 5, 20, 4, 12])
    leads = np.linspace(0, 4, 24)
    noise = rng.standard_normal((labels.size, 2)) + np.repeat(
        rng.standard_normal((6, 2)) * 0.4, [3, 9, 5, 20, 4, 12], axis=0
    )
    declared, excluded = [], []
    for lead in leads:
        x = noise + np.array([lead, 0])
        sets = rank_confidence_sets(x, clusters=labels, n_draws=40_000, step_down=False)
        robust = cluster_robust_test(moments_from_differences(x[:, 0] - x[:, 1], labels))
        critical = float(t.isf(0.025, robust.df))
        assert abs(sets.critical_value - critical) < 4 * sets.critical_value_error
        declared.append(bool(sets.better.any()))
        excluded.append(bool(robust.low > 0))
    assert 0 < sum(excluded) < leads.size
    assert declared == excluded


def test_items_that_are_each_a_cluster_are_items() -> None:
    x = graded_board()
    alone, clustered = (rank_confidence_sets(x, clusters=c) for c in (None, np.arange(len(x))))
    assert alone.critical_value == clustered.critical_value
    np.testing.assert_array_equal(alone.better, clustered.better)


def test_step_down_declares_all_leads_of_the_single_step_and_more() -> None:
    added = 0
    for seed in range(8):
        x = graded_board(n_models=9, seed=seed)
        single = rank_confidence_sets(x, n_draws=400, step_down=False)
        down = rank_confidence_sets(x, n_draws=400)
        assert np.all(down.better | ~single.better)
        assert down.critical_value < single.critical_value
        added += int(down.better.sum() - single.better.sum())
    assert added > 0


def test_the_order_of_the_models_changes_nothing() -> None:
    x, order = graded_board(), np.array([3, 0, 5, 1, 4, 2])
    one, other = rank_confidence_sets(x), rank_confidence_sets(x[:, order])
    np.testing.assert_array_equal(one.low[order], other.low)
    np.testing.assert_array_equal(one.high[order], other.high)


def test_differences_that_do_not_vary_are_never_declared() -> None:
    rng = np.random.default_rng(2)
    one = rng.random(50)
    sets = rank_confidence_sets(np.stack([one, one, one - 0.3, rng.random(50) - 5], axis=1))
    assert sets.rank.tolist() == [1, 1, 3, 4]
    assert sets.low.tolist() == [1, 1, 1, 4]
    assert sets.high.tolist() == [3, 3, 3, 4]
    nothing = rank_confidence_sets(np.array([[1.0, 0.0], [1.0, 0.0]]))
    assert nothing.high.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("scores", "setting", "said"),
    [
        ([[1.0, np.nan], [0, 1]], {}, "finite"),
        ([[1.0, 0.0]], {}, "at least two items"),
        ([[1.0], [0.0]], {}, "at least two items"),
        ([[1, 0], [0, 1]], {"n_draws": 10}, "n_draws"),
        ([[1, 0], [0, 1]], {"n_draws": 50, "confidence": 0.99}, "n_draws"),
        ([[1, 0], [0, 1]], {"confidence": 1}, "confidence"),
        ([[1, 0], [0, 1]], {"clusters": ["x", "x"]}, "clusters must have"),
        ([[1, 0], [0, 1]], {"clusters": ["x", "y", "z"]}, "clusters must have"),
    ],
)
def test_faults_are_named(scores: object, setting: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        rank_confidence_sets(scores, **setting)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_real_board_of_near_ties(data_root: Path) -> None:
    """735 ARC items, 320 models: a median width of 185 ranks, 116 could be first."""
    board = pd.read_parquet(data_root / "olv1_subset" / "arc_mixtral_family.parquet")
    scores = board.to_numpy(dtype=np.float64)
    for step_down, width, first in ((False, 185, 116), (True, 184, 115)):
        sets = rank_confidence_sets(scores, step_down=step_down)
        assert abs(np.median(sets.high - sets.low + 1) - width) <= 3
        assert abs(np.count_nonzero(sets.low == 1) - first) <= 3


@pytest.mark.slow
def test_coverage_of_all_ranks_of_equal_models() -> None:
    """Every rank is true of every equal model; 500 boards of 100 items, standard error .011."""
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(500):
        scores = rng.standard_normal((100, 1)) + rng.standard_normal((100, 5)) < 0.4
        covered += bool(np.all(rank_confidence_sets(scores, n_draws=400, rng=rng).low == 1))
    assert 0.934 - 0.044 < covered / 500 < 0.98
