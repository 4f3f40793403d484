"""Assurance against SciPy's beta-binomial, R's integrals, O'Hagan's closed form and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import betabinom, binomtest

from llm_power._choices import McNemarTest
from llm_power._errors import InvalidArgument
from llm_power._statistics.assurance import McNemarAssurance, MeanAssurance
from llm_power._statistics.designs import assured_units, required_units
from llm_power._statistics.exact_required_n import McNemarDesign
from llm_power._statistics.mcnemar import mcnemar_exact

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
    n = int(assured_units(McNemarAssurance(b, c, n_0, test=test), 0.7).n_star)
    around = McNemarAssurance(b, c, n_0, test=test).power(np.arange(n - 1, n + 40))
    assert around[0] < 0.7 <= around[1:].min()


def test_no_number_exceeds_the_chance_that_the_leader_is_better() -> None:
    found = assured_units(McNemarAssurance(14, 8, 100), 0.95)
    assert found.n_star == np.inf
    at_many = McNemarAssurance(14, 8, 100).power([2_000, 200_000])
    assert at_many[0] < at_many[1] < found.largest < 0.95
    np.testing.assert_allclose(at_many[1], found.largest, atol=0.02)
    tied = assured_units(McNemarAssurance(8, 8, 100), 0.6)
    assert tied.largest == pytest.approx(0.5)


def test_a_large_pilot_leaves_power_alone() -> None:
    assurance = McNemarAssurance(1_200_000, 800_000, 10_000_000).power(1_000)
    np.testing.assert_allclose(assurance, float(McNemarDesign(0.12, 0.08).power(1_000)), atol=2e-4)


def test_means_agree_with_r() -> None:
    """R 4: integrate(pt(qt(.975, N-1)/w, N-1, sqrt(N)*d/s*u/w, FALSE) * dchisq(x, n-1), 0, Inf)."""
    found = [
        MeanAssurance(delta, sigma, n_0).power(n)
        for n, delta, sigma, n_0 in ((400, 0.05, 0.36, 100), (50, 0.3, 0.5, 12))
    ]
    np.testing.assert_allclose(found, [0.640171000727, 0.809501487462], atol=5e-6)


def test_of_large_samples_they_are_in_closed_form() -> None:
    """O'Hagan, Stevens and Campbell (2005): both samples normal, with a flat prior."""
    n, n_0, delta, sigma = 90_000, 50_000, 0.004, 0.5
    error = sigma / np.sqrt(n)
    closed = ndtr((delta - 1.959964 * error) / np.hypot(error, sigma / np.sqrt(n_0)))
    np.testing.assert_allclose(MeanAssurance(delta, sigma, n_0).power(n), closed, atol=1e-4)
    q, shift = float(ndtri(0.8)), delta / sigma
    # (shift - z x)^2 = q^2 (x^2 + 1 / n_0), x = n^(-1/2)
    z = float(ndtri(0.975))
    a, half, c = z**2 - q**2, -shift * z, shift**2 - q**2 / n_0
    x = (-half - np.sqrt(half**2 - a * c)) / a
    found = assured_units(MeanAssurance(delta, sigma, n_0), 0.8)
    np.testing.assert_allclose(found.n_star, 1 / x**2, rtol=1e-3)


def test_the_required_number_of_means_is_the_first() -> None:
    n = int(assured_units(MeanAssurance(0.05, 0.36, 100), 0.8).n_star)
    below, at = MeanAssurance(0.05, 0.36, 100).power([n - 1, n])
    assert below < 0.8 <= at
    assert assured_units(MeanAssurance(0.0, 0.36, 100), 0.8).n_star == np.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: McNemarAssurance(3, 2, 10).power(0), r"n_items must lie in \[1, 1048576\], got 0"),
        (lambda: McNemarAssurance(8, 4, 10).power(10), "n_items must be positive and at least b"),
        (lambda: MeanAssurance(0.1, 0.5, 10).power(1), "n_items must be at least 2, got 1"),
        (lambda: MeanAssurance(0.1, 0.5, 1).power(10), "pilot_items must be at least 2, got 1"),
        (lambda: assured_units(McNemarAssurance(3, 2, 10), 1), "assurance must lie strictly"),
    ],
)
def test_arguments_outside_their_domain_are_named(call: object, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        call()  # type: ignore[operator]


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
    assert abs(found.mean() - MeanAssurance(0.05, 0.36, 100).power(400)) < 4 * error
