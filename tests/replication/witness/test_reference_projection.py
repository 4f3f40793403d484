"""Projections against iterative proportional fitting, SLSQP and brute force."""

from __future__ import annotations

from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import kl_div

from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import FloatArray
from replication.witness import reference
from replication.witness.reference import information_projection, integer_projection

# A 2 x 3 table by rows: sums of both rows, then of the first two columns.
ROWS = np.array(
    [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], [1, 0, 0, 1, 0, 0], [0, 1, 0, 0, 1, 0]], dtype=float
)
SUMS = np.array([30.0, 20.0, 15.0, 25.0])
REFERENCE = np.array([4.0, 2.0, 7.0, 1.0, 6.0, 3.0])


def proportional_fitting() -> FloatArray:
    table = REFERENCE.reshape(2, 3).copy()
    for _ in range(500):
        table *= (np.array([30.0, 20.0]) / table.sum(axis=1))[:, None]
        table *= np.array([15.0, 25.0, 10.0]) / table.sum(axis=0)
    return table.ravel()


def test_margins_are_fitted_as_by_iterative_proportional_fitting() -> None:
    found = information_projection(REFERENCE, ROWS, SUMS)
    np.testing.assert_allclose(found, proportional_fitting(), rtol=1e-10)
    assert np.abs(ROWS @ found - SUMS).max() < 1e-8


def test_rows_other_than_margins_against_slsqp() -> None:
    rows = np.vstack([np.ones(6), [1, 0, -1, 2, 0, 1], [0, 1, 1, 0, 1, 0]])
    sums = np.array([24.0, 3.0, 14.0])
    solved = minimize(
        lambda x: kl_div(x, REFERENCE).sum(),
        np.full(6, 4.0),
        jac=lambda x: np.log(x / REFERENCE),
        bounds=[(1e-9, None)] * 6,
        constraints={"type": "eq", "fun": lambda x: rows @ x - sums},  # type: ignore[call-overload]
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    found = information_projection(REFERENCE, rows, sums)
    np.testing.assert_allclose(found, solved.x, rtol=1e-5)
    assert kl_div(found, REFERENCE).sum() <= solved.fun + 1e-10


def test_dependent_rows_do_no_harm() -> None:
    rows, sums = np.vstack([ROWS, ROWS[0] + ROWS[1]]), np.append(SUMS, 50.0)
    once = information_projection(REFERENCE, ROWS, SUMS)
    np.testing.assert_allclose(information_projection(REFERENCE, rows, sums), once)


def test_rows_that_no_positive_table_meets_leave_a_residual() -> None:
    rows, sums = np.vstack([np.ones(6), [1, 1, 0, 0, 0, 0]]), np.array([10.0, 12.0])
    assert np.abs(rows @ information_projection(REFERENCE, rows, sums) - sums).max() > 1


@given(
    st.lists(st.floats(0.2, 6.0), min_size=4, max_size=4),
    st.integers(3, 9),
    st.integers(0, 9),
    st.integers(1, 3),
)
def test_integer_projection_is_the_best_of_all_tables(
    center: list[float], total: int, part: int, window: int
) -> None:
    p = np.array(center)
    rows = np.array([[1.0, 1, 1, 1], [1, 0, 1, 0]])
    tables = [
        np.array(x, dtype=float)
        for x in product(range(total + 1), repeat=4)
        if sum(x) == total and x[0] + x[2] == part
    ]
    with patch.object(reference, "_NARROWEST", window):
        found = integer_projection(p, rows, np.array([total, part], dtype=float))
    if not tables:
        assert found is None
        return
    assert found is not None
    assert found.sum() == total
    best = min(kl_div(x, p).sum() for x in tables)
    assert kl_div(found, p).sum() == pytest.approx(best, abs=1e-6)


@pytest.fixture
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "_NARROWEST", 1)


@pytest.mark.usefixtures("_narrow")
def test_the_window_grows_until_the_optimum_is_inside() -> None:
    center = np.array([50.0, 50.0])
    rows = np.array([[1.0, 1.0], [1.0, 0.0]])
    found = integer_projection(center, rows, np.array([100.0, 72.0]))
    assert found is not None
    assert found.tolist() == [72, 28]


def test_arguments_are_checked() -> None:
    with pytest.raises(InvalidArgument, match="reference must be positive"):
        information_projection(np.array([0.0, 1.0]), np.ones((1, 2)), np.ones(1))


@pytest.mark.usefixtures("_narrow")
def test_an_optimum_at_the_edge_of_the_window_is_looked_for_beyond_it() -> None:
    """Of three more items the large cell takes all: the small one would have to double."""
    found = integer_projection(np.array([100.0, 1.0]), np.ones((1, 2)), np.array([104.0]))
    assert found is not None
    assert found.tolist() == [103, 1]
