"""Intervals of required numbers: what they are made of, and how often they hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import beta, betabinom, binomtest, chi2, nct, t

from llm_power._choices import McNemarTest
from llm_power._errors import InvalidArgument
from llm_power._statistics import pilot_design as module
from llm_power._statistics.cluster_moments import moments_from_counts, moments_from_differences
from llm_power._statistics.cluster_requirement import MeanDesign, cluster_requirement
from llm_power._statistics.copula_pairs import draw_graded_pairs, graded_difference_variance
from llm_power._statistics.designs import Design, required_units
from llm_power._statistics.intervals import wilson_interval
from llm_power._statistics.mcnemar import McNemarDesign, mcnemar_exact
from llm_power._statistics.pilot_design import (
    BinaryPilot,
    ClusterPilot,
    McNemarAssurance,
    MeanPilot,
    cluster_items_design,
    pilot_design,
)
from llm_power._statistics.t_test import critical_values


def clustered(
    rng: np.random.Generator, sizes: np.ndarray, between: float, within: float, delta: float = 0.03
) -> tuple[np.ndarray, np.ndarray]:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    effects = rng.normal(0, np.sqrt(between), len(sizes))
    return delta + effects[labels] + rng.normal(0, np.sqrt(within), len(labels)), labels


def mean_pilot(delta: float, sigma: float, n_items: int) -> MeanPilot:
    d = np.random.default_rng(0).normal(size=n_items)
    return MeanPilot(delta + sigma * (d - d.mean()) / d.std(ddof=1))


def mean_assurance(delta: float, sigma: float, n_items: int) -> Design:
    return mean_pilot(delta, sigma, n_items).assurance()


def test_the_interval_is_that_of_the_discordance() -> None:
    design = pilot_design(BinaryPilot(36, 18, 300, test="mid_p"), -0.02)
    low, high = wilson_interval(54, 300, confidence=0.9)
    for found, psi in ((design.n_star, 0.18), (design.low, low), (design.high, high)):
        p10, p01 = float((psi + 0.02) / 2), float((psi - 0.02) / 2)
        assert found == required_units(McNemarDesign(p10, p01, "mid_p"), 0.8)


def test_expected_power_is_the_mean_over_the_posterior_of_the_discordance() -> None:
    levels = (np.arange(2_000) + 0.5) / 2_000
    drawn = beta(54.5, 246.5).ppf(levels[::20])
    mean = np.mean(
        [float(McNemarDesign((p + 0.03) / 2, (p - 0.03) / 2).power(2_000)) for p in drawn]
    )
    np.testing.assert_allclose(
        BinaryPilot(36, 18, 300).expected(0.03).power(2_000), mean, atol=2e-3
    )


def test_expected_power_averages_what_each_pilot_leaves_open() -> None:
    graded = MeanPilot(np.random.default_rng(1).normal(0.02, 0.3, 200)).expected(0.05)
    np.testing.assert_allclose(graded.power([245, 298]), [0.794, 0.866], atol=0.005)
    moments = moments_from_counts([90] * 4, [9, 14, 3, 8], [4, 2, 5, 3])
    clustered = ClusterPilot(moments).expected(0.05)
    np.testing.assert_allclose(clustered.power([15, 112]), [0.629, 0.97], atol=0.005)


def test_a_discordance_below_the_gap_is_none() -> None:
    """Of 2 in 30 items the lower limit is .02, and the gap .05."""
    design = pilot_design(BinaryPilot(2, 0, 30), 0.05)
    assert design.low == required_units(McNemarDesign(0.05, 0.0), 0.8)


def test_required_items_of_means_are_those_of_r() -> None:
    """R: power.t.test(delta = .05, sd = .3, power = .8, type = "paired")$n is 284.5.

    Hall's test takes one more.
    """
    assert required_units(MeanDesign(0.05, 0.3, hall=False), 0.8) == 285
    assert pilot_design(mean_pilot(0.0, 0.3, 200), 0.05).n_star == 286


def test_equal_clusters_have_the_interval_of_their_mean_square() -> None:
    """Their number rests on one mean square, whose chi-square has K - 1 degrees of freedom."""
    rng = np.random.default_rng(4)
    d, labels = clustered(rng, np.full(12, 40), 0.02, 0.2)
    pilot = ClusterPilot(moments_from_differences(d, labels))
    means = d.reshape(12, 40).mean(axis=1)
    variance = means.var(ddof=1)
    assert pilot.n_clusters == 12
    np.testing.assert_allclose(pilot.variance(pilot.between, pilot.within, 40), variance)
    np.testing.assert_allclose(pilot.standard_error, np.sqrt(variance / 12))
    drawn = pilot.variance(pilot.drawn_between, pilot.drawn_within, 40)
    exact = 11 * variance / chi2(11).ppf([0.95, 0.5, 0.05])
    np.testing.assert_allclose(np.quantile(drawn, [0.05, 0.5, 0.95]), exact, rtol=6e-3)
    # The points of the gap have Student's t; 4,096 of them leave four in 10,000 at the ends.
    levels = [0.1, 0.5, 0.9]
    limits = pilot.delta + pilot.standard_error * t(11).ppf(levels)
    np.testing.assert_allclose(np.quantile(pilot.drawn_delta, levels), limits, atol=5e-4)


def test_the_fewest_clusters_and_items_have_the_power() -> None:
    rng = np.random.default_rng(5)
    sizes = rng.integers(20, 90, 14)
    d, labels = clustered(rng, sizes, 0.004, 0.2)
    moments = moments_from_differences(d, labels)
    pilot = ClusterPilot(moments)

    def power(gap: float, clusters: float, size: float) -> float:
        error = np.sqrt(pilot.variance(pilot.between, pilot.within, size) / clusters)
        critical = critical_values(int(clusters), 0.05)
        return float(nct(clusters - 1, gap / error).sf(critical).mean())

    number = pilot_design(pilot, 0.05)
    needed = number.n_star
    assert power(0.05, needed - 1, sizes.mean()) < 0.8 <= power(0.05, needed, sizes.mean())
    items = cluster_items_design(pilot, 0.1).n_star
    assert power(0.1, 14, (items - 1) / 14) < 0.8 <= power(0.1, 14, items / 14)
    assert number.low < needed < number.high
    assert number.assurance < 0.8 + 0.01
    # The paper's definitions differ by the divisor of the variance alone.
    asked = cluster_requirement(moments.anova)
    found = cluster_items_design(pilot, pilot.delta).n_star
    if np.isfinite(asked.n_star):
        np.testing.assert_allclose(found, asked.n_star, rtol=0.2)


def test_too_few_clusters_for_any_number_of_items() -> None:
    d, labels = clustered(np.random.default_rng(6), np.full(5, 60), 0.03, 0.2)
    design = cluster_items_design(ClusterPilot(moments_from_differences(d, labels)), 0.05)
    assert design.n_star == design.high == np.inf
    assert np.isnan(design.assurance)


def test_assured_clusters() -> None:
    d, labels = clustered(np.random.default_rng(7), np.full(20, 50), 0.01, 0.2, delta=0.12)
    pilot = ClusterPilot(moments_from_differences(d, labels))
    n = int(required_units(pilot.assurance(), 0.7))
    below, at = pilot.assurance().power([n - 1, n])
    assert below < 0.7 <= at
    assert required_units(pilot.assurance(), 0.9999) == np.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: pilot_design(BinaryPilot(36, 18, 300), 0.3),
            r"gap must lie in \(0, 0.18\], at most the share of items that the models differ on",
        ),
        (lambda: pilot_design(MeanPilot([1, 2, 3, 4, 5, 6]), 0), "gap must be positive"),
        (
            lambda: ClusterPilot(moments_from_differences([1.0, 2.0, 4.0], ["a"] * 3)),
            "must have two clusters, and two items in one, got 1 clusters of 3 items",
        ),
        (lambda: McNemarAssurance(8, 4, 10).power(10), "n_items must be positive and at least b"),
    ],
)
def test_arguments_outside_their_domain_are_named(call: object, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        call()  # type: ignore[operator]


TRIALS = 1_500
# Four standard errors of a share near .05.
LEEWAY = 4 * np.sqrt(0.05 * 0.95 / TRIALS)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "psi"), [(50, 0.1), (200, 0.1), (200, 0.3), (1_000, 0.05)])
def test_upper_ends_of_the_discordance_hold(n: int, psi: float) -> None:
    rng = np.random.default_rng(n)
    low, high = wilson_interval(rng.binomial(n, psi, 100_000), n, confidence=0.9)
    assert np.mean((low > psi) | (high < psi)) < 0.13
    assert np.mean(high < psi) < 0.075


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 200, 800])
def test_intervals_of_graded_items_hold(n: int) -> None:
    rng = np.random.default_rng(n)
    truth = np.sqrt(graded_difference_variance(0.1, 0.6))
    needed = pilot_design(mean_pilot(0.0, truth, 50), 0.03).n_star
    missed = np.zeros(2)
    for _ in range(TRIALS):
        first, second = draw_graded_pairs(n, 0.1, 0.6, rng=rng)
        design = pilot_design(MeanPilot(first - second), 0.03)
        missed += [design.low > needed, design.high < needed]
    assert np.all(np.abs(missed / TRIALS - 0.05) < LEEWAY + 0.02)


@pytest.mark.slow
@pytest.mark.parametrize("unequal", [False, True])
@pytest.mark.parametrize(("clusters", "between"), [(14, 0.002), (14, 0.02), (40, 0.01)])
def test_intervals_of_clusters_hold(clusters: int, between: float, unequal: bool) -> None:
    rng = np.random.default_rng(clusters)
    sizes = rng.integers(20, 150, clusters) if unequal else np.full(clusters, 50)
    spread = 1 + (sizes.std() / sizes.mean()) ** 2
    truth = 0.2 / sizes.mean() + spread * between
    missed = np.zeros(2)
    for _ in range(TRIALS):
        d, labels = clustered(rng, sizes, between, 0.2)
        pilot = ClusterPilot(moments_from_differences(d, labels))
        drawn = np.sort(pilot.variance(pilot.drawn_between, pilot.drawn_within, sizes.mean()))
        # Their number rises with this variance.
        missed += [drawn[204] > truth, drawn[3891] < truth]
    assert np.all(np.abs(missed / TRIALS - 0.05) < LEEWAY + 0.015)


PILOTS = [(36, 18, 300), (12, 3, 20), (8, 0, 8), (60, 41, 1000)]


@pytest.mark.parametrize(("b", "c", "n_0"), PILOTS)
def test_the_sum_is_that_of_two_beta_binomials(b: int, c: int, n_0: int) -> None:
    n = 40
    expected = 0.0
    for m in range(n + 1):
        rejects = [k for k in range(m + 1) if 2 * k < m and binomtest(k, m).pvalue <= 0.05]
        lost = betabinom(m, c + 0.5, b + 0.5).pmf(rejects).sum() if rejects else 0.0
        expected += lost * betabinom(n, b + c + 1, n_0 - b - c + 0.5).pmf(m)
    np.testing.assert_allclose(McNemarAssurance(b, c, n_0).power(n), expected, rtol=1e-10)
    # The roles of A and B are alike.
    assert McNemarAssurance(b, c, n_0).power(n) == McNemarAssurance(c, b, n_0).power(n)


@pytest.mark.parametrize("test", ["exact", "mid_p", "asymptotic"])
@pytest.mark.parametrize(("b", "c", "n_0"), [*PILOTS, (30, 10, 40)])
def test_the_number_has_the_assurance_for_good(b: int, c: int, n_0: int, test: McNemarTest) -> None:
    """Also where models differ on all items, which leaves the saw-tooth."""
    n = int(required_units(McNemarAssurance(b, c, n_0, test=test), 0.7))
    around = McNemarAssurance(b, c, n_0, test=test).power(np.arange(n - 1, n + 40))
    assert around[0] < 0.7 <= around[1:].min()


def test_no_number_exceeds_the_chance_that_the_leader_is_better() -> None:
    assurance = McNemarAssurance(14, 8, 100)
    assert required_units(assurance, 0.95) == np.inf
    at_many = assurance.power([2_000, 200_000])
    assert at_many[0] < at_many[1] < assurance.largest < 0.95
    np.testing.assert_allclose(at_many[1], assurance.largest, atol=0.02)
    assert McNemarAssurance(8, 8, 100).largest == pytest.approx(0.5)


def test_a_large_pilot_leaves_power_alone() -> None:
    assurance = McNemarAssurance(1_200_000, 800_000, 10_000_000).power(1_000)
    np.testing.assert_allclose(assurance, float(McNemarDesign(0.12, 0.08).power(1_000)), atol=2e-4)


def test_means_agree_with_r(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of Student's test alone, whose critical value R has.

    R 4: integrate(pt(qt(.975, N-1)/w, N-1, sqrt(N)*d/s*u/w, FALSE) * dchisq(x, n-1), 0, Inf).
    """
    monkeypatch.setattr(module, "critical_values", lambda n, a: t(n - 1).isf([a / 2]))
    found = [
        mean_assurance(delta, sigma, n_0).power(n)
        for n, delta, sigma, n_0 in ((400, 0.05, 0.36, 100), (50, 0.3, 0.5, 12))
    ]
    np.testing.assert_allclose(found, [0.640171000727, 0.809501487462], atol=5e-6)


def test_of_large_samples_they_are_in_closed_form() -> None:
    """O'Hagan, Stevens and Campbell (2005): both samples normal, with a flat prior."""
    n, n_0, delta, sigma = 90_000, 50_000, 0.004, 0.5
    error = sigma / np.sqrt(n)
    closed = ndtr((delta - 1.959964 * error) / np.hypot(error, sigma / np.sqrt(n_0)))
    np.testing.assert_allclose(mean_assurance(delta, sigma, n_0).power(n), closed, atol=1e-4)
    q, shift = float(ndtri(0.8)), delta / sigma
    # (shift - z x)^2 = q^2 (x^2 + 1 / n_0), x = n^(-1/2)
    z = float(ndtri(0.975))
    a, half, c = z**2 - q**2, -shift * z, shift**2 - q**2 / n_0
    x = (-half - np.sqrt(half**2 - a * c)) / a
    found = required_units(mean_assurance(delta, sigma, n_0), 0.8)
    np.testing.assert_allclose(found, 1 / x**2, rtol=1e-3)


def test_the_required_number_of_means_is_the_first() -> None:
    assurance = mean_assurance(0.05, 0.36, 100)
    n = int(required_units(assurance, 0.8))
    below, at = assurance.power([n - 1, n])
    assert below < 0.8 <= at
    assert required_units(mean_assurance(0.0, 0.36, 100), 0.8) == np.inf


@pytest.mark.slow
def test_simulated_runs_have_the_assurance() -> None:
    """True values from the posterior, then a run; 200,000 of each, so that 4 errors are .004."""
    rng, trials = np.random.default_rng(11), 200_000
    cells = rng.dirichlet([36.5, 18.5, 246.5], trials)
    m = rng.binomial(415, 1 - cells[:, 2])
    b = rng.binomial(m, cells[:, 0] / (1 - cells[:, 2]))
    wins = (mcnemar_exact(b, m - b) <= 0.05) & (2 * b > m)
    assert required_units(McNemarDesign(0.12, 0.06), 0.8) == 415
    error = wins.std() / np.sqrt(trials)
    assert abs(wins.mean() - McNemarAssurance(36, 18, 300).power(415)) < 4 * error

    sigma = 0.36 * np.sqrt(99 / rng.chisquare(99, trials))
    delta = rng.normal(0.05, sigma / 10)
    mean = rng.normal(delta, sigma / 20)
    deviation = sigma * np.sqrt(rng.chisquare(399, trials) / 399)
    found = mean / deviation * 20 > 1.965927
    error = found.std() / np.sqrt(trials)
    assert abs(found.mean() - mean_assurance(0.05, 0.36, 100).power(400)) < 4 * error
