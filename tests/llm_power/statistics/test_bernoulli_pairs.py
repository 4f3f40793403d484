"""Cells of the Gaussian copula against integrals, and pairs found from what is asked of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from llm_power._errors import InvalidArgument
from llm_power._statistics.bernoulli_pairs import (
    discordance_from_required_n,
    gap_at_required_n,
    latent_correlation,
    paired_bernoulli_cells,
)
from llm_power._statistics.inversion import required_n
from llm_power._statistics.paired_binary import required_n_paired_binary


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


@given(p_a=st.floats(0.05, 0.95), p_b=st.floats(0.05, 0.95), rho_z=st.floats(-0.9, 0.9))
def test_latent_correlation_inverts_the_cells(p_a: float, p_b: float, rho_z: float) -> None:
    rho = paired_bernoulli_cells(p_a, p_b, rho_z).rho
    back = paired_bernoulli_cells(p_a, p_b, latent_correlation(p_a, p_b, rho)).rho
    assert back == pytest.approx(float(rho), abs=1e-12)


@pytest.mark.parametrize("p", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("rho_z", [0.0, 0.4, 0.8])
def test_the_alternative_needs_exactly_the_items_at_hand(p: float, rho_z: float) -> None:
    delta = gap_at_required_n(p, rho_z, 500)
    rho = paired_bernoulli_cells(p + delta / 2, p - delta / 2, rho_z).rho
    n_star = required_n_paired_binary(p + delta / 2, p - delta / 2, rho)
    assert n_star == pytest.approx(500, rel=1e-10)


def test_discordance_is_recovered_from_the_required_n() -> None:
    p10, p01 = discordance_from_required_n(0.024, 2362)
    assert p10 - p01 == pytest.approx(0.024, rel=1e-12)
    sigma_d = np.sqrt(p10 + p01 - 0.024**2)
    assert required_n(0.024, sigma_d) == pytest.approx(2362, rel=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        lambda: paired_bernoulli_cells(0.0, 0.5, 0.0),
        lambda: paired_bernoulli_cells(0.5, 0.5, 1.0),
        lambda: latent_correlation(0.9, 0.2, 0.9),
        lambda: gap_at_required_n(0.9, 0.0, 5),
        lambda: discordance_from_required_n(0.5, 2),
    ],
)
def test_arguments_outside_the_domain_are_refused(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument):
        call()
