"""Intervals of N*, and the chance of turning against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from llm_power._statistics.mcnemar import mcnemar_exact
from llm_power._statistics.paired_binary import required_n_discordance
from llm_power._statistics.random_streams import named_rng
from llm_power._statistics.verdict_stability import (
    chance_of_turning,
    exact_chance_of_turning,
    required_n_interval,
)


def test_limits_are_n_star_at_the_ends_of_the_gap() -> None:
    low, high = required_n_interval([-0.05, 0.01], [-0.01, 0.05], 0.1)
    ends = [float(required_n_discordance(50 + d, 50 - d, 1_000)) for d in (25, 5)]
    np.testing.assert_allclose(low, ends[0], rtol=1e-12)
    np.testing.assert_allclose(high, ends[1], rtol=1e-12)


def test_an_interval_that_holds_zero_leaves_n_star_open() -> None:
    low, high = required_n_interval([-0.02, 0.0, -np.inf], [0.05, 0.03, np.inf], 0.1)
    assert np.isinf(high).all()
    assert (low[:2] > 0).all()
    assert low[2] == 0


def test_the_border_turns_as_often_as_not() -> None:
    assert chance_of_turning(0.01, 1, level=0.01) == pytest.approx(0.5)
    assert chance_of_turning(1.0, 0, level=0.05) == pytest.approx(
        2 * ndtr(-1.96 / 2**0.5), abs=1e-4
    )


def test_the_stated_chance_is_that_of_new_samples() -> None:
    """True gaps spread widely, both samples err: by deciles of the stated chance, within .05."""
    rng = named_rng(0, "turning")
    true = rng.uniform(-8, 8, size=200_000)
    first, second = true + rng.normal(size=(2, true.size))
    critical = -ndtri(0.025)
    verdict, again = (np.sign(z) * (np.abs(z) >= critical) for z in (first, second))
    inside = np.abs(first) < 5  # away from the ends of what is true
    stated = chance_of_turning(2 * ndtr(-np.abs(first)), verdict, level=0.05)[inside]
    turned = (verdict != again)[inside]
    for part in np.array_split(np.argsort(stated), 10):
        assert turned[part].mean() == pytest.approx(stated[part].mean(), abs=0.02)


def test_the_exact_test_states_the_chance_of_few_discordant_items() -> None:
    """Between samples of 50 items: by deciles of the stated chance, within .05."""
    rng = named_rng(0, "turning/exact")
    psi, lean = rng.uniform(0.05, 0.5, size=60_000), rng.uniform(0.0, 1.0, size=60_000)
    found = []
    for _ in range(2):
        discordant = rng.binomial(50, psi)
        b = rng.binomial(discordant, lean)
        c = discordant - b
        found.append((b, c, np.where(mcnemar_exact(b, c) <= 0.05, np.sign(b - c), 0)))
    (b, c, verdict), (_, _, again) = found
    stated = exact_chance_of_turning(b, c, verdict, level=0.05)
    edges = np.unique(np.quantile(stated, np.arange(1, 10) / 10))
    decile, turned = np.searchsorted(edges, stated), verdict != again
    for k in np.unique(decile):
        assert turned[decile == k].mean() == pytest.approx(stated[decile == k].mean(), abs=0.05)


def test_no_discordant_item_turns_nothing() -> None:
    assert exact_chance_of_turning(0, 0, 0, level=0.05) == 0
