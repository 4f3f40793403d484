r"""Inverting a level-:math:`\alpha`, power-:math:`1-\beta` test of a mean paired difference.

Section 3 of the paper: how many items a gap needs (eq. (3)), which gap a benchmark
can see (eq. (4)), and how the benchmark at hand compares with the need (Definition 1).
Everything here takes the standard deviation of the paired difference as given.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import (
    broadcast,
    finite,
    non_negative,
    open_unit,
    positive,
    refuse,
)
from llm_power._statistics.arrays import ArrayLike, FloatArray, ratio


def z_sum(alpha: ArrayLike, power: float) -> FloatArray:
    r"""Sum of the two normal quantiles, :math:`z_{1-\alpha/2} + z_{1-\beta}`; 2.80 at .05, .80."""
    levels = _levels(alpha)
    # -ndtri(a/2), not ndtri(1 - a/2): no cancellation at the tiny levels of large families.
    total = -ndtri(levels / 2) + ndtri(open_unit("power", power))
    if np.any(total <= 0):
        raise InvalidArgument(
            f"power must exceed alpha / 2, got power={power!r} at alpha={alpha!r}"
        )
    return np.asarray(total, dtype=np.float64)


def required_n(
    delta: ArrayLike, sigma_d: ArrayLike, *, alpha: ArrayLike = 0.05, power: float = 0.80
) -> FloatArray:
    r"""Required number of paired items :math:`N^*`, eq. (3).

    .. math:: N^* = \left(\frac{(z_{1-\alpha/2}+z_{1-\beta})\,\sigma_D}{|\delta|}\right)^2

    Parameters
    ----------
    delta : array_like
        Gap in mean score, in score units (0.01 is one percentage point); the sign is ignored.
    sigma_d : array_like
        Standard deviation of the paired difference of one item, in score units.
    alpha : array_like, default 0.05
        Two-sided level; broadcast, so that each hypothesis of a family can have its own.
    power : float, default 0.80
        Target power.

    Returns
    -------
    ndarray
        Broadcast shape; items, not rounded. ``inf`` where the gap is zero.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.

    Notes
    -----
    The far rejection region is left out, as in the paper; `exact_two_sided_power` has both.

    Examples
    --------
    >>> from llm_power import required_n
    >>> round(float(required_n(delta=0.05, sigma_d=0.572)), 1)
    1027.2
    >>> required_n([0.05, 0.02, 0.0], sigma_d=0.572).round()
    array([1027., 6420.,   inf])
    """
    gap, sigma, total = broadcast(
        delta=np.abs(finite("delta", delta)),
        sigma_d=non_negative("sigma_d", sigma_d),
        alpha=z_sum(alpha, power),
    )
    return np.asarray(np.square(ratio(total * sigma, gap, np.inf)))


def minimum_detectable_effect(
    n_items: ArrayLike, sigma_d: ArrayLike, *, alpha: ArrayLike = 0.05, power: float = 0.80
) -> FloatArray:
    r"""Smallest gap that `n_items` items resolve, eq. (4).

    .. math:: \delta_{MDE} = (z_{1-\alpha/2}+z_{1-\beta})\,\sigma_D / \sqrt{N}

    Parameters
    ----------
    n_items : array_like
        Number of paired items.
    sigma_d : array_like
        Standard deviation of the paired difference of one item, in score units.
    alpha, power
        As in `required_n`.

    Returns
    -------
    ndarray
        Broadcast shape; a gap in score units.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.

    Examples
    --------
    >>> from llm_power import minimum_detectable_effect
    >>> round(float(minimum_detectable_effect(n_items=1000, sigma_d=0.572)), 4)
    0.0507
    """
    n, sigma, total = broadcast(
        n_items=positive("n_items", n_items),
        sigma_d=non_negative("sigma_d", sigma_d),
        alpha=z_sum(alpha, power),
    )
    return np.asarray(total * sigma / np.sqrt(n))


def resolution_ratio(n_items: ArrayLike, n_star: ArrayLike) -> FloatArray:
    r"""Resolution ratio :math:`q = N/N^*` of Definition 1; resolvable where :math:`q \ge 1`.

    Parameters
    ----------
    n_items : array_like
        Number of paired items at hand.
    n_star : array_like
        Required number of paired items, possibly ``inf``; NaN stays NaN.

    Returns
    -------
    ndarray
        Broadcast shape; 0 where `n_star` is infinite, ``inf`` where it is 0.

    Raises
    ------
    InvalidArgument
        If `n_items` is not positive or `n_star` is negative.

    Examples
    --------
    >>> from llm_power import resolution_ratio
    >>> resolution_ratio(n_items=1000, n_star=[500, 2000])
    array([2. , 0.5])
    """
    need = np.asarray(n_star, dtype=np.float64)
    refuse("n_star", need, need < 0, "not be negative")
    n, need = broadcast(n_items=positive("n_items", n_items), n_star=need)
    return ratio(n, need, np.inf)


def wald_power(
    delta: ArrayLike, sigma_d: ArrayLike, n_items: ArrayLike, *, alpha: ArrayLike = 0.05
) -> FloatArray:
    r"""Power of the two-sided Wald test, near rejection region only, eq. (2).

    .. math:: \Phi\!\left(|\delta|\sqrt{N}/\sigma_D - z_{1-\alpha/2}\right)

    Parameters
    ----------
    delta, sigma_d : array_like
        Gap and standard deviation of the paired difference, in score units; `sigma_d` positive.
    n_items : array_like
        Number of paired items.
    alpha : array_like, default 0.05
        Two-sided level.

    Returns
    -------
    ndarray
        Broadcast shape; a probability. Its inverse in `n_items` is `required_n`.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.

    Examples
    --------
    >>> from llm_power import wald_power
    >>> round(float(wald_power(delta=0.05, sigma_d=0.572, n_items=1028)), 3)
    0.8
    """
    mu, critical = _noncentrality_and_critical(delta, sigma_d, n_items, alpha)
    return np.asarray(ndtr(mu - critical))


def exact_two_sided_power(
    delta: ArrayLike, sigma_d: ArrayLike, n_items: ArrayLike, *, alpha: ArrayLike = 0.05
) -> FloatArray:
    r"""Power of the two-sided z test with both rejection regions (the paper's footnote 1).

    .. math::
        \pi_N = \Phi(-z_{1-\alpha/2}-\mu) + 1 - \Phi(z_{1-\alpha/2}-\mu),
        \quad \mu = |\delta|\sqrt{N}/\sigma_D

    Parameters
    ----------
    delta, sigma_d, n_items, alpha
        As in `wald_power`.

    Returns
    -------
    ndarray
        Broadcast shape; a probability, `alpha` itself at a zero gap.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.

    Examples
    --------
    >>> from llm_power import exact_two_sided_power
    >>> round(float(exact_two_sided_power(delta=0.0, sigma_d=0.572, n_items=1028)), 3)
    0.05
    """
    mu, critical = _noncentrality_and_critical(delta, sigma_d, n_items, alpha)
    return np.asarray(ndtr(-critical - mu) + ndtr(mu - critical))


def _noncentrality_and_critical(
    delta: ArrayLike, sigma_d: ArrayLike, n_items: ArrayLike, alpha: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    gap, sigma, n, levels = broadcast(
        delta=np.abs(finite("delta", delta)),
        sigma_d=positive("sigma_d", sigma_d),
        n_items=positive("n_items", n_items),
        alpha=_levels(alpha),
    )
    return gap * np.sqrt(n) / sigma, np.asarray(-ndtri(levels / 2))


def _levels(alpha: ArrayLike) -> FloatArray:
    levels = finite("alpha", alpha)
    refuse("alpha", levels, (levels <= 0) | (levels >= 1), "lie strictly between 0 and 1")
    return levels
