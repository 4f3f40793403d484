"""Planned items against integrals, closed forms, and runs drawn from the prior."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr, ndtri
from scipy.stats import norm

from llm_power._statistics.mcnemar import mcnemar_exact
from llm_power._statistics.paired_equivalence import score_equivalence_test
from llm_power._statistics.predictive_power import (
    USUAL_GAP,
    ObservedGap,
    binary_gap_seen,
    mean_gap_seen,
    spread_of_gaps,
)
from llm_power._statistics.random_streams import named_rng
from llm_power._statistics.t_test import asymmetry, shift_of_power
from llm_power._statistics.verdict import binary_verdicts, mean_p, mean_verdicts

LEVEL, CHANCE = 0.05, 0.8
C, Q = -ndtri(LEVEL / 2), ndtri(CHANCE)


def seen(z: float, n: float = 1e12) -> ObservedGap:
    return ObservedGap(np.array(z), np.array(0.01), np.array(n))


@pytest.mark.parametrize(("z", "n"), [(0.4, 9), (1.5, 30), (1.9, 400), (6.0, 60)])
def test_the_moments_are_those_of_the_posterior(z: float, n: float) -> None:
    def moment(k: int) -> float:
        def density(t: float) -> float:
            return float(t**k * norm.pdf(z - t) * norm.pdf(t, scale=USUAL_GAP * n**0.5))

        return float(quad(density, -40, 60, points=[0, z], limit=200)[0])

    mean = moment(1) / moment(0)
    found = seen(z, n)._posterior()
    np.testing.assert_allclose(found, [mean, moment(2) / moment(0) - mean**2], rtol=1e-6)


@pytest.mark.parametrize("z", [1.0, 1.5, 1.95, 4.0])
def test_a_flat_prior_has_closed_forms(z: float) -> None:
    """Roots of z s - c = q sqrt(1 + s^2), s^2 = r, and z u - c = q sqrt(u^2 - 1), u^2 = 1 + r."""
    s = (z * C + Q * np.sqrt(z**2 + C**2 - Q**2)) / (z**2 - Q**2)
    np.testing.assert_allclose(seen(z).items(LEVEL, CHANCE), 1e12 * s**2, rtol=1e-6)
    np.testing.assert_allclose(seen(z).items(LEVEL, 0.5), 1e12 * (C / z) ** 2, rtol=1e-6)
    if z < C:
        u = (z * C + Q * np.sqrt(C**2 + Q**2 - z**2)) / (z**2 - Q**2)
        further = seen(z).items(LEVEL, CHANCE, further=True)
        np.testing.assert_allclose(further, 1e12 * (u**2 - 1), rtol=1e-6)


def test_where_the_sign_is_too_uncertain_there_is_no_number_and_elsewhere_one() -> None:
    """With a thousand times the items, m r = sqrt(r) C + Q sqrt(r + r^2): m = .9042."""
    assert seen(0.904).items(LEVEL, CHANCE) == np.inf
    assert seen(0.905).items(LEVEL, CHANCE) < np.inf
    assert seen(0.1).items(LEVEL, 0.5) < np.inf
    assert seen(0.0).items(LEVEL, 0.5) == np.inf
    np.testing.assert_allclose(seen(1.0).smallest(LEVEL, CHANCE), (C + Q) * 0.01)


def test_a_gap_of_more_items_than_are_tabulated_is_the_normal_one() -> None:
    seen = shift_of_power(np.array([1e6, 1e7]), 0.05, 0.8)
    np.testing.assert_allclose(seen, ndtri(0.975) + ndtri(0.8), rtol=1e-5)


@pytest.mark.parametrize("further", [False, True])
def test_a_run_that_is_to_show_equivalence_has_its_chance(further: bool) -> None:
    """Against the two one-sided tests of 400,000 runs from the posterior, flat; 4 errors."""
    rng, n, error = np.random.default_rng(5), 400.0, 0.01
    gap = ObservedGap(np.array(0.5), np.array(error), np.array(n * 1e9))
    m = float(gap.items_within(0.018, LEVEL, CHANCE, further=further)) / 1e9
    true = rng.normal(0.5 * error, error, 400_000)
    later = rng.normal(true, error * np.sqrt(n / m))
    if further:
        later = (later * m + 0.5 * error * n) / (m + n)
    reach = -ndtri(LEVEL) * error * np.sqrt(n / (m + n * further))
    within = np.abs(later) + reach < 0.018
    assert abs(within.mean() - CHANCE) < 4 * np.sqrt(0.16 / within.size)


@pytest.mark.parametrize(
    ("n", "psi", "level"), [(60, 0.5, 0.05), (100, 0.3, 0.05), (400, 0.2, 0.05), (1000, 0.1, 0.05)]
)
def test_runs_on_the_planned_items_find_the_gap_as_often_as_promised(
    n: int, psi: float, level: float
) -> None:
    """True gaps from the prior, a run, and where it is undetermined another; within .012."""
    rng = np.random.default_rng(11)
    effect = rng.normal(0, USUAL_GAP, 300_000)
    gap = effect * np.sqrt(psi / (1 + effect**2))
    # At its ends the share of one model rounds to 0 or less.
    gap = gap[np.abs(gap) < psi * (1 - 1e-9)]
    b, c = draw(rng, np.full(gap.size, n), psi, gap)
    found = binary_verdicts(b, c, n, alpha=level)
    for items, chance, before in (
        (found.even_items, 0.5, 0),
        (found.assured_items, CHANCE, 0),
        (found.further_items, CHANCE, 1),
    ):
        run = (found.verdict == "undetermined") & (b != c) & (items < 1e6)
        b_run, c_run = draw(rng, items[run].astype(int), psi, gap[run])
        b_run, c_run = b_run + before * b[run], c_run + before * c[run]
        same = (b_run > c_run) == (b[run] > c[run])
        assert abs(((mcnemar_exact(b_run, c_run) <= level) & same).mean() - chance) < 0.012


def draw(
    rng: np.random.Generator, n: np.ndarray, psi: float, gap: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    b = rng.binomial(n, (psi + gap) / 2)
    return b, rng.binomial(n - b, (psi - gap) / (2 - psi - gap))


@pytest.mark.parametrize(("n", "psi", "margin"), [(2_000, 0.03, 0.02), (500, 0.1, 0.05)])
def test_right_and_wrong_answers_are_shown_equivalent_as_often_as_promised(
    n: int, psi: float, margin: float
) -> None:
    """True gaps from the prior, a run, and one for the score test of the margin; within .04."""
    rng, prior = named_rng(0, f"equivalent/{n}"), 0.1
    effect = rng.normal(0, prior, 200_000)
    gap = effect * np.sqrt(psi / (1 + effect**2))
    gap = gap[np.abs(gap) < 0.99 * psi]
    b, c = draw(rng, np.full(gap.size, n), psi, gap)
    found = replace(binary_gap_seen(b, c, np.full(b.shape, n), exact=True), prior=np.array(prior))
    items = found.items_within(margin, LEVEL, CHANCE)
    run = (b + c > 0) & (items < 1e6) & (np.abs(b - c) > np.sqrt(b + c))
    m = items[run].astype(int)
    test = score_equivalence_test(*draw(rng, m, psi, gap[run]), m, margin=margin)
    assert abs((test.p <= LEVEL).mean() - CHANCE) < 0.04


@pytest.mark.parametrize("n", [10, 40])
def test_means_of_a_few_clusters_keep_the_promise(n: int) -> None:
    rng = np.random.default_rng(3)
    effect = rng.normal(0, USUAL_GAP, 100_000)
    mean = rng.normal(effect, n**-0.5)
    deviation = np.sqrt(rng.chisquare(n - 1, effect.size) / (n - 1))
    found = mean_verdicts(mean, deviation / n**0.5, n - 1, n, test="cluster")
    items = found.assured_items
    run = (found.verdict == "undetermined") & (items < 1e6)
    k = np.maximum(items[run], 2)
    later = rng.normal(effect[run], k**-0.5)
    spread = np.sqrt(rng.chisquare(k - 1) / (k - 1))
    kept = mean_verdicts(later, spread / np.sqrt(k), k - 1, k).direction == np.sign(mean[run])
    assert -0.02 < kept.mean() - CHANCE < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.05, 0.0005])
@pytest.mark.parametrize("n", [5, 9, 14, 23])
def test_new_clusters_decide_by_both_tests_slightly_more_often(n: int, level: float) -> None:
    """By Student's and Hall's tests of normal cluster means; standard error at most .01."""
    rng = named_rng(0, f"new clusters/{n}/{level}")

    def drawn(effect: np.ndarray, k: int) -> tuple[np.ndarray, ...]:
        x = rng.normal(effect, 1.0, (k, effect.size))
        mean = x.mean(axis=0)
        return (
            mean,
            x.std(axis=0, ddof=1) / k**0.5,
            np.full(effect.size, k - 1.0),
            asymmetry(x - mean),
        )

    effect = rng.normal(0, USUAL_GAP, 15_000)
    gap, error, df, skew = drawn(effect, n)
    found = mean_verdicts(gap, error, df, n, skew=skew, test="cluster", alpha=level)
    run = (found.verdict == "undetermined") & (found.assured_items < 3_000)
    effect, side, items = effect[run], np.sign(gap[run]), found.assured_items[run]
    kept = np.zeros(effect.size)
    for k in np.unique(items):
        mean, error, df, skew = drawn(effect[items == k], int(k))
        p = mean_p(mean, error, df, skew)
        kept[items == k] = (p <= level) & (np.sign(mean) == side[items == k])
    assert 0.78 < kept.mean() < 0.86


@pytest.mark.parametrize("level", [0.05, 0.0005])
@pytest.mark.parametrize("n", [5, 9, 23, 60])
def test_few_units_find_the_smallest_gap_by_both_tests(n: int, level: float) -> None:
    """By Student's and Hall's tests of 20,000 normal samples; 4 errors."""
    law = {"z": np.array(1.0), "error": np.array(n**-0.5), "n": np.array(float(n))}
    gap = float(ObservedGap(**law, freedom=np.array(n - 1.0)).smallest(level, CHANCE))
    x = named_rng(0, f"smallest/{n}/{level}").normal(gap, 1.0, (n, 20_000))
    error, skew = x.std(axis=0, ddof=1) / n**0.5, asymmetry(x - x.mean(axis=0))
    p = mean_p(x.mean(axis=0), error, np.full(20_000, n - 1.0), skew)
    assert abs(((p <= level) & (x.mean(axis=0) > 0)).mean() - CHANCE) < 0.012


def test_many_degrees_of_freedom_are_looked_up_between_others() -> None:
    freedom = np.arange(4.0, 400.0)
    many = ObservedGap(freedom, np.ones(freedom.size), freedom, freedom=freedom)
    few = many.of(np.isin(freedom, [7, 31, 250]))
    at = np.isin(freedom, [7, 31, 250])
    np.testing.assert_allclose(many.smallest(0.01, 0.8)[at], few.smallest(0.01, 0.8), rtol=0.02)


def test_the_p_value_is_the_chance_of_the_other_sign() -> None:
    gap = mean_gap_seen(np.array([1.0, 0.05, 0.0]), np.full(3, 0.1), np.full(3, 10))
    np.testing.assert_allclose(ndtr(-gap.z[:2]), [0.5, 0.025])
    assert np.isfinite(gap.items(LEVEL, CHANCE)[1:]).all()


def test_the_spread_of_gaps_is_that_of_all_pairs() -> None:
    """Mean squared gap less mean squared error, over the mean variance, of 15 models' pairs."""
    rng = named_rng(0, "spread/pairs")
    x = (rng.uniform(size=(90, 15)) < rng.uniform(0.2, 0.9, 15)).astype(float)
    first, second = np.triu_indices(15, k=1)
    d = x[:, first] - x[:, second]
    variance = d.var(axis=0, ddof=1).mean()
    square = (np.square(d.mean(axis=0)).mean() - variance / 90) / variance
    expected = 2 / 15 * USUAL_GAP + 13 / 15 * np.sqrt(square)
    np.testing.assert_allclose(spread_of_gaps([x], [1.0]), expected, rtol=1e-12)
    whatever = x[rng.permutation(90)][:, rng.permutation(15)]
    np.testing.assert_allclose(spread_of_gaps([whatever], [1.0]), expected, rtol=1e-12)
    np.testing.assert_allclose(spread_of_gaps([-7 * x], [1.0]), expected, rtol=1e-12)


def test_tasks_of_equal_weight_per_item_spread_as_one() -> None:
    x = named_rng(0, "spread/tasks").normal(np.linspace(0, 1, 6), 1.0, (4_000, 6))
    parts = [x[:1000], x[1000:]]
    np.testing.assert_allclose(
        spread_of_gaps(parts, [0.25, 0.75]), spread_of_gaps([x], [1.0]), rtol=2e-3
    )


def test_two_models_and_models_alike_have_the_usual_spread() -> None:
    x = named_rng(0, "spread/few").integers(0, 2, (50, 2)).astype(float)
    assert spread_of_gaps([x], [1.0]) == USUAL_GAP
    assert spread_of_gaps([x[:, [0, 0, 0]]], [1.0]) == USUAL_GAP
    noise = named_rng(0, "spread/noise").normal(0, 1, (400, 400))
    assert spread_of_gaps([noise], [1.0]) < 0.05


def test_missing_scores_leave_the_spread() -> None:
    """A third of the scores of 60 models missing at random, and an item that none has."""
    rng = named_rng(0, "spread/missing")
    x = rng.normal(rng.normal(0, 0.3, 60), 1.0, (2_000, 60))
    lacking = np.where(rng.uniform(size=x.shape) < 1 / 3, np.nan, x)
    lacking[7] = np.nan
    np.testing.assert_allclose(
        spread_of_gaps([lacking], [1.0]), spread_of_gaps([x], [1.0]), rtol=0.03
    )


@pytest.mark.parametrize(
    ("law", "spread", "low", "high"),
    [
        ("normal", 0.1, 0.77, 0.83),
        ("normal", 0.3, 0.77, 0.83),
        ("normal", 1.0, 0.77, 0.83),
        ("heavy", 0.2, 0.72, 0.83),
        ("half equal", 0.3, 0.52, 0.60),
    ],
)
def test_boards_keep_the_promise_by_the_spread_of_their_models(
    law: str, spread: float, low: float, high: float
) -> None:
    """Of 60 boards of 40 models on 100 items; a gap's error is 1 of an item's difference."""
    rng, kept = named_rng(0, f"boards/{law}/{spread}"), []
    first, second = np.triu_indices(40, k=1)
    for _ in range(60):
        effect = rng.normal(0, spread, 40)
        if law == "heavy":
            effect = spread * rng.standard_t(3, 40)
        elif law == "half equal":
            effect[:20] = 0
        scores = rng.normal(effect, 2**-0.5, (100, 40))
        prior = spread_of_gaps([scores], [1.0])
        gap, true = (x[first] - x[second] for x in (scores.mean(axis=0), effect))
        found = mean_verdicts(gap, np.full(gap.size, 0.1), np.inf, 100, prior=prior)
        items = found.assured_items
        run = (found.verdict == "undetermined") & np.isfinite(items)
        later = rng.normal(true[run], items[run] ** -0.5)
        kept.append(later * np.sign(gap[run]) >= C * items[run] ** -0.5)
    assert low < np.concatenate(kept).mean() < high


@pytest.mark.parametrize(("n", "spread"), [(40, 0.9), (100, 0.9), (100, 0.4)])
def test_boards_of_right_and_wrong_answers_keep_the_promise(n: int, spread: float) -> None:
    """Of 20 boards of 40 models; runs of at most five times the items, error about .01."""
    rng, kept = named_rng(0, f"boards of answers/{n}/{spread}"), []
    first, second = np.triu_indices(40, k=1)
    for _ in range(20):
        model = rng.normal(0.3, spread, 40)

        def answers(items: int, model: np.ndarray = model) -> np.ndarray:
            difficulty = rng.normal(0, 1, (items, 1))
            return (model > difficulty + rng.normal(0, 1, (items, 40))).astype(float)

        scores = answers(n)
        b, c = counts(scores[:, first], scores[:, second])
        prior = spread_of_gaps([scores], [1.0])
        found = binary_verdicts(b[-1], c[-1], n, alpha=2e-4, prior=prior)
        run = (found.verdict == "undetermined") & (found.assured_items <= 5 * n)
        further = answers(5 * n)
        later = counts(further[:, first[run]], further[:, second[run]])
        last = found.assured_items[run].astype(int) - 1
        b_run, c_run = (count[last, np.arange(last.size)] for count in later)
        same = (b_run > c_run) == (b[-1] > c[-1])[run]
        kept.append((mcnemar_exact(b_run, c_run) <= 2e-4) & same)
    assert abs(np.concatenate(kept).mean() - CHANCE) < 0.04


def counts(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.cumsum(x > y, axis=0), np.cumsum(x < y, axis=0)
