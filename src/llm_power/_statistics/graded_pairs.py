"""Pairs of graded scores: Beta marginals under a latent Gaussian copula (Appendix B)."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri

from llm_power._statistics.argument_checks import positive_count, strictly_between
from llm_power._statistics.arrays import FloatArray, RandomSource

# Concentration a + b of the graded scores, Beta(4, 2) for model A.
_CONCENTRATION = 6.0
_MEAN_A = 4.0 / 6.0


def draw_graded_pairs(
    n_items: int, mean_shift: float, rho_z: float, *, rng: RandomSource = None
) -> tuple[FloatArray, FloatArray]:
    """Graded scores with Beta marginals and a latent Gaussian copula (Appendix B).

    The paper names Beta(4, 2) marginals and a gap in their means, and not how the gap comes
    about. Here B keeps A's concentration, 4 + 2 = 6, and has the mean 2/3 - `mean_shift`.
    """
    rng = np.random.default_rng(rng)
    z = rng.standard_normal((positive_count("n_items", n_items), 2))
    return _graded_scores(z, mean_shift, rho_z)


def lattice_graded_pairs(
    n_items: int, mean_shift: float, rho_z: float
) -> tuple[FloatArray, FloatArray]:
    """Graded scores whose moments are those of `draw_graded_pairs` to about five digits."""
    lattice = _normal_lattice(positive_count("n_items", n_items))
    return _graded_scores(lattice, mean_shift, rho_z)


def graded_difference_variance(mean_shift: float, rho_z: float) -> float:
    """Variance of the paired difference of `draw_graded_pairs`.

    The covariance under the copula has no closed form; Gauss-Hermite quadrature over the two
    independent normal variables gives it to about six digits.
    """
    latent = float(strictly_between("rho_z", rho_z, -1.0, 1.0))
    mean_b = _mean_b(mean_shift)
    nodes, weights = np.polynomial.hermite_e.hermegauss(64)
    weights = weights / weights.sum()
    z_b = latent * nodes[:, np.newaxis] + np.sqrt(1 - latent**2) * nodes
    gap = _beta_quantile(_MEAN_A, nodes)[:, np.newaxis] - _beta_quantile(mean_b, z_b)
    return float(weights @ np.square(gap - mean_shift) @ weights)


def _mean_b(mean_shift: float) -> float:
    return _MEAN_A - float(strictly_between("mean_shift", mean_shift, _MEAN_A - 1, _MEAN_A))


def _graded_scores(z: FloatArray, mean_shift: float, rho_z: float) -> tuple[FloatArray, FloatArray]:
    """Scores of A and B at independent normal variables of shape (n_items, 2)."""
    latent = float(strictly_between("rho_z", rho_z, -1.0, 1.0))
    mean_b = _mean_b(mean_shift)
    z_a, other = z.T
    z_b = latent * z_a + np.sqrt(1 - latent**2) * other
    return _beta_quantile(_MEAN_A, z_a), _beta_quantile(mean_b, z_b)


def _normal_lattice(n: int) -> FloatArray:
    """Equidistributed points of two independent standard normal variables, shape (n, 2)."""
    rank = np.arange(n) + 0.5
    golden = (np.sqrt(5.0) - 1) / 2
    return np.asarray(ndtri(np.stack([rank / n, (rank * golden) % 1.0], axis=1)))


def _beta_quantile(mean: float, z: FloatArray) -> FloatArray:
    quantile = betaincinv(_CONCENTRATION * mean, _CONCENTRATION * (1 - mean), ndtr(z))
    return np.asarray(quantile, dtype=np.float64)
