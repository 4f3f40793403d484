"""Graded pairs: marginals, latent correlation, and the variance of their difference."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from llm_power._errors import InvalidArgument
from llm_power._statistics.graded_pairs import (
    draw_graded_pairs,
    graded_difference_variance,
    lattice_graded_pairs,
)
from llm_power._statistics.random_streams import named_rng


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
