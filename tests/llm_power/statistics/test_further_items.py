"""The leader on further items: brute force, simulation, and what must not change it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.random_streams import named_rng
from llm_power._statistics.selection_bias import LeaderOnFurtherItems, leader_on_further_items


def _one(scores: FloatArray, labels: np.ndarray | None = None) -> LeaderOnFurtherItems:
    found = leader_on_further_items([scores], [1.0], rng=named_rng(0, "test"), clusters=[labels])
    assert found is not None
    return found


def _leave_one_out(x: FloatArray, labels: np.ndarray) -> Sequence[Any]:
    """Scores of the leader and the second of all clusters but one, on that one."""
    held: list[list[FloatArray]] = [[], []]
    for name in np.unique(labels):
        others = np.nanmean(x[labels != name], axis=0)
        for place, model in enumerate(np.argsort(-others, kind="stable")[:2]):
            held[place].append(x[labels == name, model])
    return [np.nanmean(np.concatenate(each)) for each in held]


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_with_few_clusters_each_is_left_out_once(missing: float) -> None:
    rng = named_rng(0, "clusters left out")
    labels = np.repeat(list("abcd"), [5, 9, 12, 7])
    x = (rng.random((33, 6)) < 0.6).astype(float)
    x[rng.random(x.shape) < missing] = np.nan
    found = _one(x, labels)
    first, second = _leave_one_out(x, labels)
    assert found.score == pytest.approx(first)
    assert found.lead == pytest.approx(first - second)


def test_a_single_cluster_or_item_says_nothing() -> None:
    x, rng = np.eye(4), named_rng(0, "one")
    one = [np.array(list("aaaa"))]
    assert leader_on_further_items([x], [1.0], rng=rng, clusters=one) is None
    assert leader_on_further_items([x[:1]], [1.0], rng=rng) is None


def test_models_that_cannot_lead_change_nothing() -> None:
    rng = named_rng(0, "hopeless models")
    x = (rng.random((60, 5)) < 0.8).astype(float)
    hopeless = (rng.random((60, 200)) < 0.2).astype(float)
    assert _one(np.hstack([x, hopeless])) == _one(x)


@pytest.mark.parametrize("times", [1e-13, 1e-9, 1e9])
def test_another_unit_of_the_scores_changes_the_unit_alone(times: float) -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(0.3, 1, (60, 6)) + rng.normal(size=(60, 1))
    one, other = _one(x), _one(times * x)
    found = [other.score / times, other.lead / times]
    assert found == pytest.approx([one.score, one.lead], rel=1e-9)


@pytest.mark.parametrize("far", [-1e9, -1e11, -1e13])
def test_a_far_score_of_another_model_changes_nothing(far: float) -> None:
    x = named_rng(0, "one far score").random((60, 6))
    worst = int(x.mean(axis=0).argmin())
    without = _one(np.delete(x, worst, axis=1))
    x[0, worst] = far
    assert _one(x) == without


def test_a_clear_leader_keeps_its_score() -> None:
    rng = named_rng(0, "clear leader")
    x = (rng.random((200, 4)) < [0.9, 0.5, 0.4, 0.3]).astype(float)
    assert _one(x).score == pytest.approx(x[:, 0].mean())


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.0, 0.04])
@pytest.mark.parametrize("shared", [0.0, 0.7])
def test_the_mean_is_that_of_further_items(spread: float, shared: float) -> None:
    """Models tied or near one another, by themselves or by shared difficulty of the items."""
    models, items = 40, 60
    excess: list[list[float]] = []
    naive: list[float] = []
    rng = named_rng(0, f"further items/{spread}/{shared}")
    for _ in range(300):
        ability = spread * rng.standard_normal(models)
        difficulty = rng.standard_normal((2 * items, 1))
        own = rng.standard_normal((2 * items, models))
        scores = np.sqrt(shared) * difficulty + np.sqrt(1 - shared) * own + ability > 0
        here, there = np.split(scores.astype(float), 2)
        leader, second = np.argsort(-here.mean(axis=0), kind="stable")[:2]
        found = _one(here)
        later = there[:, [leader, second]].mean(axis=0)
        excess.append([found.score - later[0], found.lead - (later[0] - later[1])])
        naive.append(here[:, leader].mean() - later[0])
    error = np.std(excess, axis=0, ddof=1) / np.sqrt(len(excess))
    assert np.all(np.abs(np.mean(excess, axis=0)) < 3 * error)
    assert np.mean(naive) > 0.03
