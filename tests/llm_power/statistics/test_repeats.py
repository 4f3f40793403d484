"""Variance components against simulated ones, Miller's printed numbers, and costs by search."""

from __future__ import annotations

import numpy as np
import pytest

from llm_power.errors import InvalidArgument
from llm_power.statistics.inversion import minimum_detectable_effect, required_n
from llm_power.statistics.repeats import (
    clustered_repeat_variances,
    expected_scores,
    items_or_repeats,
    repeat_variances,
    repeats_variance,
    variance_removed,
)
from llm_power.statistics.standard_errors import difference_errors, error_of_difference


def test_miller_section_5() -> None:
    """N = 969 for a gap of .03; at n = 198 the detectable gap falls from 13.2 % to 7.5 %."""
    without = repeats_variance(1 / 9, 0.0, 0.0)
    assert round(float(required_n(0.03, np.sqrt(without)))) == 969
    gaps = minimum_detectable_effect(
        198, np.sqrt(repeats_variance(1 / 9, 1 / 6, 1 / 6, repeats_a=[1, 10]))
    )
    np.testing.assert_array_equal(np.floor(gaps * 1000) / 10, [13.2, 7.5])


def test_miller_section_3_1() -> None:
    """One model, item means uniform: two repeats save 1/3, four 1/2, six 5/9, all of them 2/3."""
    removed = variance_removed(1 / 12, 1 / 6, [1, 2, 4, 6, np.inf])
    np.testing.assert_allclose(removed, [0, 1 / 3, 1 / 2, 5 / 9, 2 / 3], atol=1e-15)
    assert np.isnan(variance_removed(0.0, 0.0, 2))


def of_certainty(low: float, temperature: float) -> tuple[np.ndarray, np.ndarray]:
    """Scores and variances of two choices, the right one's probability uniform above `low`."""
    p = low + (1 - low) * (np.arange(60_000) + 0.5) / 60_000
    logs = np.log(np.stack([p, 1 - p], axis=1))
    values = np.tile([1.0, 0.0], (p.size, 1))
    found = expected_scores(logs / temperature, values, normalize=True)
    return found.score, found.variance


def test_miller_section_3_2() -> None:
    """Next-token probabilities of uniform difficulty remove 2/3: 1/12 stays, 1/6 goes."""
    score, variance = of_certainty(0.0, 1.0)
    np.testing.assert_allclose([score.var(), variance.mean()], [1 / 12, 1 / 6], rtol=1e-8)
    np.testing.assert_allclose(variance_removed(score.var(), variance.mean()), 2 / 3, rtol=1e-8)


@pytest.mark.parametrize(
    ("low", "means", "variances", "grows"),
    [(0.0, (1 / 2, 1 / 2), (1 / 12, 1 / 4), 3), (1 / 3, (2 / 3, 3 / 4), (1 / 27, 3 / 16), 5.0625)],
)
def test_miller_section_3_3(
    low: float, means: tuple[float, float], variances: tuple[float, float], grows: float
) -> None:
    """No temperature triples the variance between items, or biases the score besides."""
    warm, cold = (of_certainty(low, temperature)[0] for temperature in (1.0, 1e-7))
    np.testing.assert_allclose([warm.mean(), cold.mean()], means, rtol=1e-4)
    np.testing.assert_allclose([warm.var(), cold.var()], variances, rtol=1e-4)
    assert cold.var() / warm.var() == pytest.approx(grows, rel=1e-4)


def test_expected_scores_of_several_models() -> None:
    logs = np.log([[0.5, 0.25, 0.125], [0.25, 0.5, 0.25]])
    values = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.0]])
    one = expected_scores(logs, values)
    np.testing.assert_allclose(one.score, [0.625, 0.5])
    np.testing.assert_allclose(one.variance, [0.5 + 0.0625 - 0.625**2, 0.25])
    several = expected_scores(np.stack([logs, logs], axis=2), values)
    np.testing.assert_array_equal(several.score, np.stack([one.score] * 2, axis=1))
    # The choices' own probabilities, where an answer is one of them.
    whole = expected_scores(logs, values, normalize=True)
    np.testing.assert_allclose(whole.score, [0.625 / 0.875, 0.5])


@pytest.mark.parametrize("logs", [[[0.1, -1.0]], [[-np.inf, -np.inf]], [[np.nan, -1.0]]])
def test_what_is_no_probability_is_refused(logs: list[list[float]]) -> None:
    with pytest.raises(InvalidArgument, match="for item 0"):
        expected_scores(logs, [[1.0, 0.0]])
    with pytest.raises(InvalidArgument, match="must have shape"):
        expected_scores(logs, [[1.0]])


def test_clusters_of_one_item_are_no_clusters() -> None:
    rng = np.random.default_rng(8)
    a, b = rng.random((30, 4)) + rng.random((30, 1)), rng.random((30, 3))
    one, other = clustered_repeat_variances(a, b, np.arange(30)), repeat_variances(a, b)
    for name in ("delta", "between", "within_a", "within_b", "standard_error"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-10)


def test_clustered_within_is_the_printed_triple_sum() -> None:
    """Appendix C; and eq. (9) at the repeats at hand gives back the clustered standard error."""
    rng = np.random.default_rng(9)
    labels = np.repeat(np.arange(8), [1, 2, 3, 4, 5, 6, 7, 2])
    a, b = rng.random((30, 3, 2)), rng.random((30, 3, 2))
    found = clustered_repeat_variances(a, b, labels)
    deviation = a - a.mean(axis=1, keepdims=True)
    same = (labels[:, np.newaxis] == labels).astype(float)
    printed = np.einsum("ikp,jkp,ij->p", deviation, deviation, same) / (30 * 2)
    np.testing.assert_allclose(found.within_a, printed)
    error = difference_errors(a.mean(axis=1), b.mean(axis=1), labels).standard_error
    total = found.between + (found.within_a + found.within_b) / 3
    np.testing.assert_allclose(np.sqrt(total / 30), error)


def test_clustered_estimates_hit_what_they_estimate() -> None:
    """Rates and runs share a part in each cluster; Miller's omega^2 has the noise of K in it."""
    rng, trials, k, m, clusters = np.random.default_rng(10), 2_000, 4, 5, 20
    labels = np.repeat(np.arange(clusters), m)
    shape = (clusters, 1, 1, trials)

    def answers(scale: float) -> np.ndarray:
        rate = rng.normal(size=shape) + rng.normal(size=(clusters, m, 1, trials))
        noise = rng.normal(size=(clusters, 1, k, trials)) + rng.normal(
            size=(clusters, m, k, trials)
        )
        return (rate + scale * noise).reshape(clusters * m, k, trials)

    found = clustered_repeat_variances(answers(1.0), answers(2.0), labels)
    # A cluster's sum of m items has m * m times the shared part, m times the items' own.
    for estimate, truth in (
        (found.between, 2 * (m + 1)),
        (found.within_a, m + 1),
        (found.within_b, 4 * (m + 1)),
    ):
        assert abs(estimate.mean() - truth) < 4 * estimate.std() / np.sqrt(trials)
    # Without what is taken off, the estimate is too large by the noise of four answers.
    excess = (found.within_a + found.within_b).mean() / k / found.between.mean()
    assert excess > 0.5


def test_clustered_variances_need_whole_runs() -> None:
    whole = np.ones((4, 2))
    lacking = np.array([[1.0, np.nan], [1, 0], [0, 1], [1, 1]])
    for scores in (lacking, np.ones((4, 1))):
        with pytest.raises(InvalidArgument, match="two answers to every item"):
            clustered_repeat_variances(whole, scores, [0, 0, 1, 1])
    with pytest.raises(InvalidArgument, match="same items"):
        clustered_repeat_variances(whole, np.ones((5, 2)), [0, 0, 1, 1])


def test_miller_section_4_2_is_of_a_correlation_of_one_third() -> None:
    """Uniform scores correlated by one half: pairing halves 1/6. His 1/9 has a third for it."""
    error = (1 / 12) ** 0.5
    squares = error_of_difference(error, error, [0.5, 1 / 3]) ** 2
    np.testing.assert_allclose(squares, [1 / 12, 1 / 9])


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
    found = repeat_variances(*simulated(trials, rng, np.array(repeats)))
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
    found = repeat_variances(a, b)
    within = a.var(axis=1, ddof=1).mean(), b.var(axis=1, ddof=1).mean()
    d = a.mean(axis=1) - b.mean(axis=1)
    np.testing.assert_allclose([found.within_a, found.within_b], within)
    np.testing.assert_allclose(found.between, d.var(ddof=1) - within[0] / 4 - within[1] / 3)
    np.testing.assert_allclose(found.standard_error, d.std(ddof=1) / np.sqrt(12))
    # The variance that eq. (9) predicts at the repeats at hand is the one observed.
    total = repeats_variance(found.between, *within, repeats_a=4, repeats_b=3)
    np.testing.assert_allclose(np.sqrt(total / 12), found.standard_error)


def test_single_answers_show_no_variance_within() -> None:
    found = repeat_variances([[1.0], [0.0], [1.0]], [[0.0], [0.0], [1.0]])
    assert np.isnan(found.within_a)
    assert np.isnan(found.between)
    np.testing.assert_allclose(found.standard_error, np.std([1, 0, 0], ddof=1) / np.sqrt(3))


def test_an_item_that_a_model_lacks_counts_for_neither() -> None:
    a = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [np.nan, np.nan]])
    b = np.array([[0.0, 0.0], [1.0, 0.0], [np.nan, 1.0], [1.0, 0.0]])
    found, without = repeat_variances(a, b), repeat_variances(a[:3], b[:3])
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
    if between:
        anew = [(item_cost + 2 * x) * (between + within / x) for x in range(1, 200)]
        assert way.best_repeats == 1 + np.argmin(anew)
    else:
        assert way.best_repeats == (1 if item_cost == 0 else np.inf)


def test_nothing_to_find_and_nothing_to_add() -> None:
    way = items_or_repeats([0.0, 0.3], 0.02, 0.3, n_items=150)
    assert way.cheaper.tolist() == ["neither", "enough"]
    assert way.n_star[0] == way.n_star_limit[0] == np.inf
    assert way.repeats_cost[1] == way.items_cost[1] == 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: repeat_variances([1, 0], [0, 1]), "scores_a must have shape"),
        (lambda: repeat_variances([[1, 0]], [[0, 1], [1, 1]]), "the same items and pairs"),
        (lambda: repeat_variances([[np.inf]], [[0.0]]), "scores_a must be finite"),
        (lambda: repeats_variance(0.1, 0.1, 0.1, repeats_a=0.5), "repeats_a must be at least 1"),
        (lambda: items_or_repeats(0.1, 0.1, np.nan, n_items=5), "within must be finite"),
        (lambda: items_or_repeats(0.1, [0.1, 0.2], [0.1] * 3, n_items=5), "fit together"),
    ],
)
def test_faults_are_named(call, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument, match=said):
        call()
