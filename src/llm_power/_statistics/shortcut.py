r"""The unpaired shortcut :math:`n_h` and how far it falls short of :math:`N^*`.

Section 4 of the paper: taking the per-arm sample size of an unpaired calculator times
:math:`1-\rho` gives about half of the paired requirement when the gap is small (Lemma 1).
Beside it stands the unpaired requirement that the paper compares with.
"""

from __future__ import annotations

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import broadcast, numbers, proportions
from llm_power._statistics.arrays import ArrayLike, FloatArray
from llm_power._statistics.inversion import required_n


def cohens_h(p1: ArrayLike, p2: ArrayLike) -> FloatArray:
    r"""Cohen's effect size of two proportions, :math:`2\arcsin\sqrt{p_1} - 2\arcsin\sqrt{p_2}`.

    Parameters
    ----------
    p1, p2 : array_like
        Proportions in [0, 1].

    Returns
    -------
    ndarray
        Broadcast shape; radians, positive where `p1` is the larger.

    Raises
    ------
    InvalidArgument
        If a proportion is outside [0, 1].

    References
    ----------
    Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, eq. 6.2.1,
    doi:10.4324/9780203771587.

    Examples
    --------
    >>> from llm_power import cohens_h
    >>> round(float(cohens_h(0.65, 0.60)), 4)
    0.1033
    """
    first, second = broadcast(p1=proportions("p1", p1), p2=proportions("p2", p2))
    return np.asarray(2 * np.arcsin(np.sqrt(first)) - 2 * np.arcsin(np.sqrt(second)))


def unpaired_required_n_per_arm(
    p_a: ArrayLike, p_b: ArrayLike, *, alpha: ArrayLike = 0.05, power: float = 0.80
) -> FloatArray:
    r"""Per-arm value :math:`(z_{1-\alpha/2}+z_{1-\beta})^2/h^2` as the paper prints it.

    ``inf`` where the proportions are equal.

    Cohen's table for two independent samples needs :math:`2K/h^2` an arm, because the
    difference of two arcsine-transformed proportions has variance :math:`2/n`;
    :math:`K/h^2` is the one-sample form (his h' against a known proportion). The paper
    calls the latter the per-arm value of three calculators, see its Table 1.
    """
    return required_n(cohens_h(p_a, p_b), 1.0, alpha=alpha, power=power)


def shortcut_required_n(
    p_a: ArrayLike,
    p_b: ArrayLike,
    rho: ArrayLike,
    *,
    alpha: ArrayLike = 0.05,
    power: float = 0.80,
) -> FloatArray:
    r"""Shortcut :math:`n_h = (1-\rho)\,(z_{1-\alpha/2}+z_{1-\beta})^2/h^2`, eq. (9).

    ``inf`` where the accuracies are equal.
    """
    n, r = broadcast(
        p_a=unpaired_required_n_per_arm(p_a, p_b, alpha=alpha, power=power), rho=_correlation(rho)
    )
    # Equal accuracies need inf items at any rho, also at rho = 1 where the product is 0 * inf.
    return np.where(np.isinf(n), np.inf, (1 - r) * np.where(np.isinf(n), 0.0, n))


def miller_unpaired_required_n(
    p_a: ArrayLike, p_b: ArrayLike, *, alpha: ArrayLike = 0.05, power: float = 0.80
) -> FloatArray:
    r"""Items a model needs when the two models answer independent items.

    .. math:: (z_{1-\alpha/2}+z_{1-\beta})^2\,\frac{p_A q_A + p_B q_B}{(p_A-p_B)^2}

    ``inf`` where the accuracies are equal.

    The paper calls this "the unpaired Gaussian formula of Miller (2024)". Miller's eq. (9),
    arXiv 2411.00640, is a *paired* formula: its :math:`\omega^2 = \mathrm{Var}(x_A) +
    \mathrm{Var}(x_B) - 2\,\mathrm{Cov}(x_A, x_B)` holds the covariance, and the text says
    "We assume a paired analysis". What is computed here is that formula with the covariance
    set to zero, which is what the paper's ratio :math:`1/(1-\rho)` shows it used.
    """
    a, b = broadcast(p_a=proportions("p_a", p_a), p_b=proportions("p_b", p_b))
    return required_n(a - b, np.sqrt(a * (1 - a) + b * (1 - b)), alpha=alpha, power=power)


def _correlation(rho: ArrayLike) -> FloatArray:
    r = numbers("rho", rho)
    if np.any(np.abs(r) > 1):
        value = float(r[np.abs(r) > 1].flat[0])
        raise InvalidArgument(f"rho must lie in [-1, 1], got {value!r}")
    return r
