"""Variance components against simulated ones, Miller's printed numbers, and costs by search."""

from __future__ import annotations

import numpy as np
import pytest

from llm_power._errors import InvalidArgument
from llm_power._statistics.inversion import required_n
from llm_power._statistics.repeats import (
    items_or_repeats,
    repeats_variance,
)
from repeated_answers import variances_of_answers


def simulated(
    trials: int, rng: np.random.Generator, repeats: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """0/1 answers of two models whose item means are correlated; NaN beyond an item's repeats."""
    ease = rng.beta(2, 2, size=(repeats.size, 1, trials))
    drawn = []
    for own in (0.7, 0.5):
        mean = own * ease + (1 - own) * rng.random((repeats.size, 1, trials))
        answers = (rng.random((repeats.size, repeats.max(), trials)) < mean).astype(float)
        answers[np.arange(repeats.max()) >= repeats[:, np.newaxis]] = np.nan
        drawn.append(answers)
    return drawn[0], drawn[1]


@pytest.mark.parametrize("repeats", [[3] * 30, [1, 2, 5] * 10])
def test_estimates_are_unbiased_whatever_the_numbers_of_repeats(repeats: list[int]) -> None:
    rng, trials = np.random.default_rng(len(set(repeats))), 3_000
    found = variances_of_answers(*simulated(trials, rng, np.array(repeats)))
    # Closed form: E[x(1 - x)] of each mixture, and the variance of the difference of the means.
    variances = [own**2 * 0.05 + (1 - own) ** 2 / 12 for own in (0.7, 0.5)]
    within = [0.25 - v for v in variances]
    between = (0.7 - 0.5) ** 2 * 0.05 + (0.3**2 + 0.5**2) / 12
    for estimate, truth in (
        (found.within_a, within[0]),
        (found.within_b, within[1]),
        (found.between, between),
        (found.delta, 0.0),
        (np.square(found.standard_error) - np.square(found.delta), 0.0),
    ):
        error = estimate.std() / np.sqrt(trials)
        assert abs(estimate.mean() - truth) < 4 * error


def test_equal_repeats_are_the_textbook_analysis_of_variance() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.random((12, 4)) + rng.random((12, 1)), rng.random((12, 3))
    found = variances_of_answers(a, b)
    within = a.var(axis=1, ddof=1).mean(), b.var(axis=1, ddof=1).mean()
    d = a.mean(axis=1) - b.mean(axis=1)
    np.testing.assert_allclose([found.within_a, found.within_b], within)
    np.testing.assert_allclose(found.between, d.var(ddof=1) - within[0] / 4 - within[1] / 3)
    np.testing.assert_allclose(found.standard_error, d.std(ddof=1) / np.sqrt(12))
    # The variance that eq. (9) predicts at the repeats at hand is the one observed.
    total = repeats_variance(found.between, *within, repeats_a=4, repeats_b=3)
    np.testing.assert_allclose(np.sqrt(total / 12), found.standard_error)


def test_single_answers_show_no_variance_within() -> None:
    found = variances_of_answers([[1.0], [0.0], [1.0]], [[0.0], [0.0], [1.0]])
    assert np.isnan(found.within_a)
    assert np.isnan(found.between)
    np.testing.assert_allclose(found.standard_error, np.std([1, 0, 0], ddof=1) / np.sqrt(3))


def test_an_item_that_a_model_lacks_counts_for_neither() -> None:
    a = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [np.nan, np.nan]])
    b = np.array([[0.0, 0.0], [1.0, 0.0], [np.nan, 1.0], [1.0, 0.0]])
    found, without = variances_of_answers(a, b), variances_of_answers(a[:3], b[:3])
    assert found.n_items == 3
    np.testing.assert_array_equal(found.between, without.between)
    np.testing.assert_array_equal(found.within_b, without.within_b)


@pytest.mark.parametrize("item_cost", [0.0, 3.0, 40.0, 900.0])
@pytest.mark.parametrize(("between", "within"), [(0.02, 0.3), (0.2, 0.1), (0.0, 0.4)])
def test_the_cheaper_way_is_that_of_a_search(
    item_cost: float, between: float, within: float
) -> None:
    gap, n, k = 0.06, 150, 2
    way = items_or_repeats(gap, between, within, n_items=n, repeats=k, item_cost=item_cost)
    unit = float(required_n(gap, 1.0))
    items = next(x for x in range(n, 10**5) if x >= unit * (between + within / k))
    more = [x for x in range(k, 2_000) if n >= unit * (between + within / x)]
    assert way.items_cost == (items - n) * (item_cost + 2 * k)
    assert way.repeats == (more[0] if more else np.inf)
    costs = {"items": (items - n) * (item_cost + 2 * k)}
    if more:
        costs["repeats"] = 2 * n * (more[0] - k)
    assert str(way.cheaper) == min(costs, key=lambda name: costs[name])


def test_nothing_to_find_and_nothing_to_add() -> None:
    way = items_or_repeats([0.0, 0.3], 0.02, 0.3, n_items=150)
    assert way.cheaper.tolist() == ["neither", "enough"]
    assert way.n_star[0] == way.n_star_limit[0] == np.inf
    assert way.repeats_cost[1] == way.items_cost[1] == 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: repeats_variance(0.1, 0.1, 0.1, repeats_a=0.5), "repeats_a must be at least 1"),
        (lambda: items_or_repeats(0.1, 0.1, np.nan, n_items=5), "within must be finite"),
        (lambda: items_or_repeats(0.1, [0.1, 0.2], [0.1] * 3, n_items=5), "fit together"),
    ],
)
def test_faults_are_named(call, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument, match=said):
        call()
