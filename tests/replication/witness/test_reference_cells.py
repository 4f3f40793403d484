"""Cells of the one-factor model against multivariate normal probabilities and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import multivariate_normal

from llm_power._errors import InvalidArgument
from llm_power._statistics.copula_pairs import paired_bernoulli_cells
from replication.witness.reference import (
    cell_patterns,
    model_pairs,
    reference_cells,
    reference_overlaps,
)

P = np.array([0.85, 0.6, 0.3, 0.72, 0.5])
LOADINGS = np.array([0.9, 0.7, 0.5, 0.95, 0.2])


def test_margins_are_the_accuracies_at_any_loading() -> None:
    cells = reference_cells(P, LOADINGS)
    assert cells.sum() == pytest.approx(1, rel=1e-12)
    np.testing.assert_allclose(cells @ cell_patterns(5), P, rtol=1e-10)


def test_overlaps_are_sums_of_cells() -> None:
    cells, patterns = reference_cells(P, LOADINGS), cell_patterns(5)
    expected = [cells @ (patterns[:, i] * patterns[:, j]) for i, j in model_pairs(5)]
    np.testing.assert_allclose(reference_overlaps(P, LOADINGS), expected, rtol=1e-12)


def test_two_models_are_the_bivariate_normal_of_the_copula() -> None:
    """The latent correlation is the product of the loadings (scipy's Owen-T based cells)."""
    cells = paired_bernoulli_cells(P[0], P[1], LOADINGS[0] * LOADINGS[1])
    expected = [cells.p00, cells.p01, cells.p10, cells.p11]
    np.testing.assert_allclose(reference_cells(P[:2], LOADINGS[:2]), expected, rtol=1e-10)


def test_three_models_are_a_trivariate_normal_orthant() -> None:
    """By quasi Monte Carlo in scipy, to an absolute error of 1e-5 by default."""
    loadings = LOADINGS[:3]
    covariance = np.outer(loadings, loadings)
    np.fill_diagonal(covariance, 1)
    normal = multivariate_normal(cov=covariance, seed=1)
    assert reference_cells(P[:3], loadings)[-1] == pytest.approx(normal.cdf(ndtri(P[:3])), abs=1e-5)


def test_five_models_against_simulation() -> None:
    rng = np.random.default_rng(20260528)
    n = 200_000
    factor, own = rng.standard_normal((n, 1)), rng.standard_normal((n, 5))
    solved = LOADINGS * factor + np.sqrt(1 - LOADINGS**2) * own < ndtri(P)
    counted = np.bincount(solved @ (2 ** np.arange(5)[::-1]), minlength=32) / n
    cells = reference_cells(P, LOADINGS)
    assert np.all(np.abs(counted - cells) < 4.5 * np.sqrt(cells * (1 - cells) / n))


@pytest.mark.parametrize(
    ("p", "loadings", "message"),
    [
        ([0.5, 1.0], [0.5, 0.5], "p must lie strictly between 0 and 1, got 1.0"),
        ([0.5, 0.5], [0.5, -1.0], "loadings must lie strictly between -1 and 1, got -1.0"),
        ([0.5, np.nan], [0.5, 0.5], "p must be finite"),
    ],
)
def test_arguments_are_checked(p: list[float], loadings: list[float], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        reference_cells(p, loadings)
