"""Pairs of graded scores: Beta marginals under a latent Gaussian copula (Appendix B)."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri

from llm_power.statistics._checks import positive_count, strictly_between
from llm_power.statistics._typing import FloatArray, RandomSource

# Concentration a + b of the graded scores, Beta(4, 2) for model A.
_CONCENTRATION = 6.0
_MEAN_A = 4.0 / 6.0


def draw_graded_pairs(
    n_items: int, mean_shift: float, rho_z: float, *, rng: RandomSource = None
) -> tuple[FloatArray, FloatArray]:
    r"""Graded scores with Beta marginals and a latent Gaussian copula (Appendix B).

    Parameters
    ----------
    n_items : int
        Number of items.
    mean_shift : float
        How much lower model B's mean score is, below 2/3.
    rho_z : float
        Latent correlation, strictly between -1 and 1.
    rng : numpy.random.Generator or int, optional
        Stream of random numbers; a seed starts one, and by default it is fresh.

    Returns
    -------
    scores_a, scores_b : ndarray, shape (n_items,)
        Scores in [0, 1]; A's are Beta(4, 2).

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.

    Notes
    -----
    The paper names Beta(4, 2) marginals and a gap in their means, and not how the gap comes
    about. Here B keeps A's concentration, 4 + 2 = 6, and has the mean 2/3 - `mean_shift`.

    Examples
    --------
    >>> from llm_power.statistics.graded_pairs import draw_graded_pairs
    >>> scores_a, scores_b = draw_graded_pairs(200, mean_shift=0.1, rho_z=0.6, rng=1)
    >>> scores_a.shape, bool(scores_a.mean() > scores_b.mean())
    ((200,), True)
    """
    rng = np.random.default_rng(rng)
    z = rng.standard_normal((positive_count("n_items", n_items), 2))
    return _graded_scores(z, mean_shift, rho_z)


def lattice_graded_pairs(
    n_items: int, mean_shift: float, rho_z: float
) -> tuple[FloatArray, FloatArray]:
    """Graded scores whose moments are those of `draw_graded_pairs` to about five digits.

    Parameters
    ----------
    n_items : int
        Number of items.
    mean_shift, rho_z : float
        As in `draw_graded_pairs`.

    Returns
    -------
    scores_a, scores_b : ndarray, shape (n_items,)
        Scores in [0, 1], at equidistributed quantiles of the two independent normal variables
        (a golden-ratio lattice).

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.

    Examples
    --------
    >>> from llm_power.statistics.graded_pairs import lattice_graded_pairs
    >>> scores_a, scores_b = lattice_graded_pairs(2000, mean_shift=0.1, rho_z=0.6)
    >>> abs(round(float((scores_a - scores_b).mean()), 3))
    0.1
    """
    lattice = _normal_lattice(positive_count("n_items", n_items))
    return _graded_scores(lattice, mean_shift, rho_z)


def graded_difference_variance(mean_shift: float, rho_z: float) -> float:
    r"""Variance of the paired difference of `draw_graded_pairs`.

    Parameters
    ----------
    mean_shift, rho_z : float
        As in `draw_graded_pairs`.

    Returns
    -------
    float
        :math:`\sigma_D^2` in squared score units.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.

    Notes
    -----
    The covariance under the copula has no closed form; Gauss-Hermite quadrature over the two
    independent normal variables gives it to about six digits.

    Examples
    --------
    >>> from llm_power.statistics.graded_pairs import graded_difference_variance
    >>> round(graded_difference_variance(mean_shift=0.1, rho_z=0.6), 4)
    0.0272
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
