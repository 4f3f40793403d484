"""Cells of the Gaussian copula against integrals, and pairs found from what is asked of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from llm_power._errors import InvalidArgument
from llm_power._statistics.copula_pairs import (
    draw_graded_pairs,
    graded_difference_variance,
    lattice_graded_pairs,
    paired_bernoulli_cells,
)
from llm_power._statistics.random_streams import named_rng


@pytest.mark.parametrize("rho_z", [-0.99, -0.4, 0.0, 0.4, 0.8, 0.999])
@pytest.mark.parametrize(("p_a", "p_b"), [(0.5, 0.5), (0.5, 0.3), (0.65, 0.6), (0.9, 0.02)])
def test_cells_equal_plackett_s_integral(p_a: float, p_b: float, rho_z: float) -> None:
    """The derivative of p11 in rho_z is the bivariate normal density (Plackett 1954)."""
    h, k = float(stats.norm.ppf(p_a)), float(stats.norm.ppf(p_b))

    def density(angle: float) -> float:  # rho = sin(angle) takes the root out of the density
        exponent = (h * h + k * k - 2 * h * k * np.sin(angle)) / (2 * np.cos(angle) ** 2)
        return float(np.exp(-exponent) / (2 * np.pi))

    expected = p_a * p_b + quad(density, 0, np.arcsin(rho_z), epsabs=1e-14, epsrel=1e-12)[0]
    cells = paired_bernoulli_cells(p_a, p_b, rho_z)
    assert cells.p11 == pytest.approx(expected, abs=1e-12)
    total = cells.p11 + cells.p10 + cells.p01 + cells.p00
    assert total == pytest.approx(1, rel=1e-14)
    assert cells.p11 + cells.p10 == pytest.approx(p_a, rel=1e-14)


def test_cells_equal_scipy() -> None:
    normal = stats.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]])
    expected = normal.cdf(stats.norm.ppf([0.7, 0.55]))
    assert paired_bernoulli_cells(0.7, 0.55, 0.6).p11 == pytest.approx(expected, rel=1e-10)


def test_even_odds_have_the_arcsine_law() -> None:
    """Sheppard (1899): p11 = 1/4 + arcsin(rho_z) / (2 pi), hence rho = 2 arcsin(rho_z) / pi."""
    rho_z = np.linspace(-0.95, 0.95, 9)
    rho = paired_bernoulli_cells(0.5, 0.5, rho_z).rho
    np.testing.assert_allclose(rho, 2 * np.arcsin(rho_z) / np.pi, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize(
    "call",
    [
        lambda: paired_bernoulli_cells(0.0, 0.5, 0.0),
        lambda: paired_bernoulli_cells(0.5, 0.5, 1.0),
    ],
)
def test_arguments_outside_the_domain_are_refused(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument):
        call()


def test_graded_pairs_have_beta_marginals_and_the_latent_correlation() -> None:
    a, b = draw_graded_pairs(20_000, 0.08, 0.3, rng=named_rng(2, "graded"))
    mean_b = 2 / 3 - 0.08
    # Kolmogorov-Smirnov p-values of a fixed stream; 1e-4 is about 4 SE.
    assert stats.kstest(a, stats.beta(4, 2).cdf).pvalue > 1e-4
    assert stats.kstest(b, stats.beta(6 * mean_b, 6 - 6 * mean_b).cdf).pvalue > 1e-4
    # Spearman's rho of a Gaussian copula is (6 / pi) arcsin(rho_z / 2); SE about 1 / sqrt(n).
    spearman = stats.spearmanr(a, b).statistic
    assert spearman == pytest.approx(6 / np.pi * np.arcsin(0.15), abs=4 / np.sqrt(20_000))


@pytest.mark.parametrize("rho_z", [-0.5, 0.0, 0.3, 0.9])
def test_graded_variance_equals_the_sample_variance(rho_z: float) -> None:
    a, b = draw_graded_pairs(50_000, 0.04, rho_z, rng=named_rng(3, "variance"))
    squares = np.square(a - b - 0.04)
    error = squares.std() / np.sqrt(50_000)
    assert abs(graded_difference_variance(0.04, rho_z) - squares.mean()) < 4 * error


def test_independent_graded_scores_have_the_sum_of_the_beta_variances() -> None:
    mean_b = 2 / 3 - 0.04
    expected = stats.beta(4, 2).var() + stats.beta(6 * mean_b, 6 - 6 * mean_b).var()
    assert graded_difference_variance(0.04, 0.0) == pytest.approx(expected, rel=1e-6)


def test_the_lattice_has_the_moments_of_the_population() -> None:
    """Mean gap and variance to about five digits, as `lattice_graded_pairs` says."""
    a, b = lattice_graded_pairs(30_000, 0.04, 0.3)
    assert (a - b).mean() == pytest.approx(0.04, abs=1e-5)
    assert (a - b).var() == pytest.approx(graded_difference_variance(0.04, 0.3), abs=1e-5)


def test_a_mean_below_0_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="mean_shift must lie strictly in"):
        draw_graded_pairs(10, 0.7, 0.3, rng=named_rng(0, "refused"))
