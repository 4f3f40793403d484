"""Populations of the simulations against the cells that they are made from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kotawala2026.simulations import (
    discordance_from_required_n,
    gap_at_required_n,
    latent_correlation,
)
from llm_power import InvalidArgument
from llm_power._statistics.copula_pairs import paired_bernoulli_cells
from llm_power._statistics.inversion import required_n
from llm_power._statistics.paired_binary import required_n_paired_binary


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
        lambda: latent_correlation(0.9, 0.2, 0.9),
        lambda: latent_correlation([0.5] * 2, [0.5] * 3, 0),
        lambda: gap_at_required_n(0.9, 0.0, 5),
        lambda: discordance_from_required_n(0.5, 2),
    ],
)
def test_arguments_outside_the_domain_are_refused(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument):
        call()
