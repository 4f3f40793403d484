"""Power of the paired bootstrap against the number of items (Appendix B)."""

from __future__ import annotations

import numpy as np
import pytest

from kotawala2026.simulations._power_curves import bernoulli_power_curve, graded_power_curve
from llm_power.statistics.bernoulli_pairs import latent_correlation, paired_bernoulli_cells
from llm_power.statistics.paired_binary import required_n_paired_binary


def test_bernoulli_power_curve_meets_the_target_at_the_reference_s_own_need() -> None:
    """Appendix B: the bootstrap crosses 0.8 within 5% of N*; a 5% change of n moves 0.02."""
    plain = bernoulli_power_curve(0.65, 0.08, 0.3, [50], n_trials=10, seed=6)
    n = round(plain.reference_n_star)
    curve = bernoulli_power_curve(0.65, 0.08, 0.3, [50, n], n_trials=4_000, seed=6)
    assert abs(curve.power[1] - 0.80) < 0.02 + 4 * curve.standard_error[1]
    assert curve.reference_rho == pytest.approx(0.3, abs=4 / np.sqrt(30_000))
    rho_z = latent_correlation(0.65, 0.57, 0.3)
    assert paired_bernoulli_cells(0.65, 0.57, rho_z).rho == pytest.approx(0.3, rel=1e-10)
    assert curve.n_star == pytest.approx(float(required_n_paired_binary(0.65, 0.57, 0.3)), rel=1e-9)


def test_sizes_have_their_own_streams() -> None:
    both = bernoulli_power_curve(0.65, 0.08, 0.3, [100, 300], n_trials=200, seed=6)
    one = bernoulli_power_curve(0.65, 0.08, 0.3, [300], n_trials=200, seed=6)
    assert both.power[1] == one.power[0]


@pytest.mark.slow
def test_graded_power_curve_meets_the_target_near_the_required_n() -> None:
    """Appendix B: the bootstrap tracks the paired-t required N within 6%, some 0.025 in power."""
    plain = graded_power_curve(0.04, 0.3, [10], n_trials=10, n_resamples=10, seed=7)
    n = round(plain.reference_n_star)
    curve = graded_power_curve(0.04, 0.3, [n], n_trials=4_000, seed=7)
    assert abs(curve.power[0] - 0.80) < 0.025 + 4 * curve.standard_error[0]
