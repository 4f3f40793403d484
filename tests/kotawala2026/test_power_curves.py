"""Power of the paired bootstrap against the number of items (Appendix B)."""

from __future__ import annotations

import numpy as np
import pytest

from kotawala2026.simulations import bernoulli_pairs, power_curve


def test_bernoulli_power_curve_meets_the_target_at_the_reference_s_own_need() -> None:
    """Appendix B: the bootstrap crosses 0.8 within 5% of N*; a 5% change of n moves 0.02."""
    pairs = bernoulli_pairs(0.65, 0.08, 0.3)
    plain = power_curve(pairs, [50], n_trials=10, seed=6).iloc[0]
    n = round(plain["reference_n_star"])
    curve = power_curve(pairs, [50, n], n_trials=4_000, seed=6).iloc[1]
    assert abs(curve["power"] - 0.80) < 0.02 + 4 * curve["power_se"]
    assert curve["reference_rho"] == pytest.approx(0.3, abs=4 / np.sqrt(30_000))


def test_sizes_have_their_own_streams() -> None:
    pairs = bernoulli_pairs(0.65, 0.08, 0.3)
    both = power_curve(pairs, [100, 300], n_trials=200, seed=6)
    one = power_curve(pairs, [300], n_trials=200, seed=6)
    assert both["power"][1] == one["power"][0]
