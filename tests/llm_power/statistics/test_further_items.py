"""The leader on further items: brute force, simulation, and what must not change it."""

import numpy as np
import pytest

from llm_power.statistics.further_items import leader_on_further_items
from llm_power.statistics.random_streams import named_rng


def _one(scores, **settings):
    return leader_on_further_items([scores], [1.0], rng=named_rng(0, "test"), **settings)


def _leave_one_out(tasks, weights, labels):
    """Scores of the leader and the second of all clusters but one, on that one."""
    held = [[], []]
    for name in np.unique(labels[0]):
        others = sum(
            w * np.nanmean(x[own != name], axis=0)
            for x, w, own in zip(tasks, weights, labels, strict=True)
        )
        for place, model in enumerate(np.argsort(-others, kind="stable")[:2]):
            held[place].append(
                [x[own == name, model] for x, own in zip(tasks, labels, strict=True)]
            )
    return [
        sum(
            w * np.nanmean(np.concatenate(part))
            for w, part in zip(weights, zip(*h, strict=True), strict=True)
        )
        for h in held
    ]


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_with_few_clusters_each_is_left_out_once(missing):
    rng = named_rng(0, "clusters left out")
    labels = np.repeat(list("abcd"), [5, 9, 12, 7])
    x = (rng.random((33, 6)) < 0.6).astype(float)
    x[rng.random(x.shape) < missing] = np.nan
    found = _one(x, clusters=[labels])
    first, second = _leave_one_out([x], [1.0], [labels])
    assert found.score == pytest.approx(first)
    assert found.lead == pytest.approx(first - second)


def test_a_single_cluster_or_item_says_nothing():
    x = np.eye(4)
    assert _one(x, clusters=[np.array(list("aaaa"))]) is None
    assert _one(x[:1]) is None


def test_models_that_cannot_lead_change_nothing():
    rng = named_rng(0, "hopeless models")
    x = (rng.random((60, 5)) < 0.8).astype(float)
    hopeless = (rng.random((60, 200)) < 0.2).astype(float)
    assert _one(np.hstack([x, hopeless])) == _one(x)


def test_a_clear_leader_keeps_its_score():
    rng = named_rng(0, "clear leader")
    x = (rng.random((200, 4)) < [0.9, 0.5, 0.4, 0.3]).astype(float)
    assert _one(x).score == pytest.approx(x[:, 0].mean())


@pytest.mark.parametrize("spread", [0.0, 0.04])
@pytest.mark.parametrize("shared", [0.0, 0.7])
def test_the_mean_is_that_of_further_items(spread, shared):
    """Models tied or near one another, by themselves or by shared difficulty of the items."""
    models, items, excess, naive = 40, 60, [], []
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
