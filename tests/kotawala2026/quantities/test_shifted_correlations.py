"""Verdicts at a shifted correlation, against eq. (6) pair by pair."""

from __future__ import annotations

import numpy as np
import pytest

from kotawala2026.quantities.pairs import required_n_at_shifted_rho, unresolved_at_shifts
from llm_power._errors import InvalidArgument
from llm_power._statistics.paired_binary import admissible_rho, required_n_paired_binary

P_A = np.array([0.65, 0.8247, 0.7303])
P_B = np.array([0.60, 0.8202, 0.7185])
RHO = np.array([0.30, 0.8146, 0.92])
N = np.array([950, 10_042, 12_032])


def test_moved_correlations_enter_eq_6() -> None:
    moved = required_n_at_shifted_rho(P_A, P_B, RHO, 0.10)
    for i in range(2):
        expected = required_n_paired_binary(P_A[i], P_B[i], RHO[i] + 0.10)
        np.testing.assert_allclose(moved[i], expected, rtol=1e-12)
    upper = admissible_rho(P_A[2], P_B[2])[1]
    assert RHO[2] + 0.10 > upper
    expected = required_n_paired_binary(P_A[2], P_B[2], upper)
    np.testing.assert_allclose(moved[2], expected, rtol=1e-12)


def test_verdicts_at_both_shifts() -> None:
    # Table 1's pair needs 1,028 items at 0.30, 881 at 0.40 and 1,174 at 0.20.
    assert unresolved_at_shifts(P_A, P_B, RHO, N)[:, 0].tolist() == [True, True, False]


def test_undefined_correlation_is_named() -> None:
    with pytest.raises(InvalidArgument, match="rho must be finite"):
        required_n_at_shifted_rho(0.6, 0.5, np.nan, 0.1)
