r"""Pairs of scores under a latent Gaussian copula (Section 5 and Appendix B).

A population of 0/1 scores is four cell probabilities, from two accuracies and the latent
correlation :math:`\rho_z`; graded scores have Beta marginals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri, owens_t

from llm_power._statistics.argument_checks import broadcast, positive_count, strictly_between
from llm_power._statistics.arrays import ArrayLike, FloatArray, RandomSource


@dataclass(frozen=True, slots=True)
class PairedCells:
    """Cell probabilities of a pair of 0/1 scores."""

    #: `p11`, `p10`, `p01`, `p00`: Probability that both, only A, only B, and neither solve an item.
    p11: FloatArray
    p10: FloatArray
    p01: FloatArray
    p00: FloatArray
    #: Correlation of the two 0/1 scores, the rho of eq. (5).
    rho: FloatArray


def paired_bernoulli_cells(p_a: ArrayLike, p_b: ArrayLike, rho_z: ArrayLike) -> PairedCells:
    """Cells of a pair under a latent Gaussian copula (Section 5).

    :math:`p_{11}` is the bivariate normal distribution function at the two normal quantiles,
    by Owen's T function (Owen 1956, doi:10.1214/aoms/1177728074).
    """
    a, b, r = broadcast(
        p_a=strictly_between("p_a", p_a, 0.0, 1.0),
        p_b=strictly_between("p_b", p_b, 0.0, 1.0),
        rho_z=strictly_between("rho_z", rho_z, -1.0, 1.0),
    )
    return copula_cells(a, b, r)


def copula_cells(p_a: ArrayLike, p_b: ArrayLike, rho_z: FloatArray) -> PairedCells:
    a, b = np.asarray(p_a, dtype=np.float64), np.asarray(p_b, dtype=np.float64)
    p11 = np.clip(
        _bivariate_normal_cdf(ndtri(a), ndtri(b), rho_z),
        np.maximum(a + b - 1, 0),
        np.minimum(a, b),
    )
    covariance = p11 - a * b
    rho = covariance / np.sqrt(a * (1 - a) * b * (1 - b))
    return PairedCells(p11, a - p11, b - p11, 1 - a - b + p11, rho)


def _bivariate_normal_cdf(h: FloatArray, k: FloatArray, rho: FloatArray) -> FloatArray:
    """P(X <= h, Y <= k) by Owen's T (Owen 1956, eq. 2.1); |rho| < 1."""
    # The formula divides by h and k; 1e-300 in place of 0 takes its limit.
    h, k = np.where(h == 0, 1e-300, h), np.where(k == 0, 1e-300, k)
    root = np.sqrt((1 - rho) * (1 + rho))
    towards_k, towards_h = (k / h - rho) / root, (h / k - rho) / root
    opposite = np.where(np.sign(h) != np.sign(k), 0.5, 0.0)
    total = (ndtr(h) + ndtr(k)) / 2 - owens_t(h, towards_k) - owens_t(k, towards_h) - opposite
    return np.asarray(total, dtype=np.float64)


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
    nodes, weights = np.polynomial.hermite_e.hermegauss(64)
    weights = weights / weights.sum()
    grid = np.stack(np.meshgrid(nodes, nodes, indexing="ij"), axis=-1)
    first, second = _graded_scores(grid, mean_shift, rho_z)
    return float(weights @ np.square(first - second - mean_shift) @ weights)


def _graded_scores(z: FloatArray, mean_shift: float, rho_z: float) -> tuple[FloatArray, FloatArray]:
    """Scores of A and B at independent normal variables of shape (..., 2)."""
    latent = float(strictly_between("rho_z", rho_z, -1.0, 1.0))
    mean_b = _MEAN_A - float(strictly_between("mean_shift", mean_shift, _MEAN_A - 1, _MEAN_A))
    z_a, other = z[..., 0], z[..., 1]
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
