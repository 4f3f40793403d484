"""Lemma 1 and Corollary 1 against the exact ratio at 60 digits and the printed constants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import asin, mp, mpf, sqrt
from mpmath import sin as mp_sin

from kotawala2026.quantities.shortcut import shortcut_constant
from llm_power._statistics.paired_binary import (
    admissible_rho,
    required_n_paired_binary,
    shortcut_required_n,
)


@pytest.mark.parametrize(("p", "rho"), [(0.5, 0.0), (0.65, 0.3), (0.8, 0.5), (0.3, -0.2)])
def test_constant_is_the_limit_of_the_exact_ratio(p: float, rho: float) -> None:
    with mp.workdps(60):
        delta = mpf(10) ** -8
        a, b = mpf(p) + delta / 2, mpf(p) - delta / 2
        h = 2 * asin(sqrt(a)) - 2 * asin(sqrt(b))
        assert mp_sin(h) != 0
        ua, ub = a * (1 - a), b * (1 - b)
        variance = ua + ub - 2 * mpf(rho) * sqrt(ua * ub)
        ratio = (1 - mpf(rho)) * delta**2 / (h**2 * variance)
        limit = float((ratio - mpf(1) / 2) / delta**2)
    np.testing.assert_allclose(shortcut_constant(p, rho), abs(limit), rtol=1e-10)


def test_constant_at_one_half_does_not_depend_on_rho() -> None:
    # Lemma 1: C(1/2, rho) = 1/3.
    np.testing.assert_allclose(shortcut_constant(0.5, [0.0, 0.5, 0.9]), 1 / 3, rtol=1e-12)


@given(st.floats(0.3, 0.7), st.floats(0.0, 0.7), st.floats(0.001, 0.05))
def test_shortcut_is_about_half_at_small_gaps(p: float, rho: float, delta: float) -> None:
    a, b = p + delta / 2, p - delta / 2
    if rho > admissible_rho(a, b)[1]:
        return
    ratio = shortcut_required_n(a, b, rho) / required_n_paired_binary(a, b, rho)
    # The remainder is of fourth order; its constant stays below 60 on this compact set.
    assert abs(abs(ratio - 0.5) - shortcut_constant(p, rho) * delta**2) < 60 * delta**4
