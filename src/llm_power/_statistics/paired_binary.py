r"""Two models scored 0 or 1 on the same items: variance, required N and admissible correlation.

Section 4 of the paper. A pair is described either by its two accuracies and the
correlation :math:`\rho` of the two scores, or by the four cells of its 2 x 2 table:

========  ==========  ==========
..        B right     B wrong
========  ==========  ==========
A right   ``n11``     ``b``
A wrong   ``c``       ``n00``
========  ==========  ==========

The unpaired shortcut :math:`n_h` falls short of :math:`N^*`: taking the per-arm sample size of an
unpaired calculator times :math:`1-\rho` gives about half of the paired requirement when the gap is
small (Lemma 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import (
    broadcast,
    finite,
    numbers,
    open_unit,
    pair_counts,
    proportions,
    refuse,
    table_counts,
)
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray, ratio
from llm_power._statistics.inversion import (
    minimum_detectable_effect,
    required_n,
    resolution_ratio,
)
from llm_power._statistics.mcnemar import smallest_exact_p

# Printed accuracies and correlations are rounded, so a pair on the edge of the admissible
# region may lie outside of it by an error of representation.
_EDGE = 1e-12


def paired_difference_variance(p_a: ArrayLike, p_b: ArrayLike, rho: ArrayLike) -> FloatArray:
    r"""Variance of the paired difference of one item, eq. (5).

    .. math:: \sigma_D^2 = p_A q_A + p_B q_B - 2\rho\sqrt{p_A q_A p_B q_B}, \quad q = 1 - p
    """
    a, b, r = broadcast(
        p_a=proportions("p_a", p_a), p_b=proportions("p_b", p_b), rho=finite("rho", rho)
    )
    lower, upper = admissible_rho(a, b)
    outside = (r < lower - _EDGE) | (r > upper + _EDGE)
    if np.any(outside):
        at = tuple(np.argwhere(outside)[0])
        raise InvalidArgument(
            f"rho must lie in [{lower[at]:.6g}, {upper[at]:.6g}] for p_a={a[at]:.6g} and "
            f"p_b={b[at]:.6g} (eqs. 7 and 8), got {float(r[at])!r}"
        )
    u_a, u_b = a * (1 - a), b * (1 - b)
    return np.asarray(np.maximum(u_a + u_b - 2 * r * np.sqrt(u_a * u_b), 0.0))


def required_n_paired_binary(
    p_a: ArrayLike,
    p_b: ArrayLike,
    rho: ArrayLike,
    *,
    alpha: ArrayLike = 0.05,
    power: float = 0.80,
) -> FloatArray:
    r"""McNemar-Connor required number of paired items, eq. (6).

    Parameters
    ----------
    p_a, p_b, rho : array_like
        As in `paired_difference_variance`.
    alpha, power
        As in `llm_power._statistics.inversion.required_n`.

    Returns
    -------
    ndarray
        Broadcast shape; items, not rounded; ``inf`` where the accuracies are equal.

    Raises
    ------
    InvalidArgument
        As `paired_difference_variance`.

    Notes
    -----
    Connor (1987), doi:10.2307/2531961, uses the variance under the null hypothesis for the
    level term; eq. (6) uses the one under the alternative in both terms. The two agree to
    order :math:`\delta^2`.

    Examples
    --------
    >>> from llm_power import required_n_paired_binary
    >>> round(float(required_n_paired_binary(0.65, 0.60, 0.30)), 1)
    1027.6
    """
    variance = paired_difference_variance(p_a, p_b, rho)
    delta = np.subtract(proportions("p_a", p_a), proportions("p_b", p_b))
    return required_n(delta, np.sqrt(variance), alpha=alpha, power=power)


def admissible_rho(p_a: ArrayLike, p_b: ArrayLike) -> tuple[FloatArray, FloatArray]:
    r"""Interval of correlations that two Bernoulli scores can have, eqs. (7) and (8).

    Hoeffding (1940); Fréchet (1951). The bounds are those of the joint probability :math:`\max(0,
    p_A + p_B - 1) \le p_{11} \le \min(p_A, p_B)`.
    """
    a, b = broadcast(p_a=proportions("p_a", p_a), p_b=proportions("p_b", p_b))
    upper = _root_of_ratio(a * (1 - b), (1 - a) * b)  # eq. (7)
    lower = 0.0 - _root_of_ratio(a * b, (1 - a) * (1 - b))  # eq. (8), and never -0.0
    return lower, upper


@dataclass(frozen=True, slots=True)
class PairSummary:
    """What the four cells of each pair say, at one level and power.

    Attributes
    ----------
    n_items : ndarray of int
        Items that both models were scored on.
    p_a, p_b, delta : ndarray
        Accuracies and their difference, A minus B.
    rho : ndarray
        Phi coefficient; NaN where a model solved all items or none.
    var_d : ndarray
        Variance of the paired difference, divisor N: eq. (5) at the observed rho.
    n_star, q, mde : ndarray
        Required items (not rounded), resolution ratio and minimum detectable effect.
    resolved : ndarray of bool
        Whether q is at least 1.
    attainable : ndarray of bool
        Whether so many items are discordant that an exact test could reach `alpha` at all.
    alpha, power : float
        The operating point.

    Examples
    --------
    >>> from llm_power import summarize_counts
    >>> pair = summarize_counts(n11=7987, b=295, c=249, n00=1511)
    >>> round(float(pair.delta), 4), round(float(pair.mde), 4)
    (0.0046, 0.0065)
    """

    n_items: IntArray
    p_a: FloatArray
    p_b: FloatArray
    delta: FloatArray
    rho: FloatArray
    var_d: FloatArray
    n_star: FloatArray
    q: FloatArray
    mde: FloatArray
    resolved: BoolArray
    attainable: BoolArray
    alpha: float
    power: float


def summarize_counts(
    n11: ArrayLike,
    b: ArrayLike,
    c: ArrayLike,
    n00: ArrayLike,
    *,
    alpha: float = 0.05,
    power: float = 0.80,
) -> PairSummary:
    """Resolution of each pair from the four cells of its 2 x 2 table.

    Parameters
    ----------
    n11, b, c, n00 : array_like of int
        Items solved by both, only by A, only by B, and by neither.
    alpha, power : float
        Two-sided level and target power.

    Returns
    -------
    PairSummary
        Arrays of the broadcast shape.

    Raises
    ------
    InvalidArgument
        If a cell is negative or not whole, or a pair has no item.

    Examples
    --------
    >>> from llm_power import summarize_counts
    >>> pair = summarize_counts(n11=7987, b=295, c=249, n00=1511)
    >>> float(pair.n_star.round(1)), float(pair.q.round(3)), bool(pair.resolved)
    (20255.5, 0.496, False)
    """
    both, only_a, only_b, neither, n = table_counts(n11, b, c, n00)
    p_a, p_b = (both + only_a) / n, (both + only_b) / n
    delta = (only_a - only_b) / n
    var_d = observed_difference_variance(only_a, only_b, n)
    sigma_d = np.sqrt(var_d)
    n_star = required_n(delta, sigma_d, alpha=alpha, power=power)
    q = resolution_ratio(n, n_star)
    return PairSummary(
        n_items=n,
        p_a=p_a,
        p_b=p_b,
        delta=delta,
        rho=_phi(both, only_a, only_b, neither),
        var_d=var_d,
        n_star=n_star,
        q=q,
        mde=minimum_detectable_effect(n, sigma_d, alpha=alpha, power=power),
        resolved=q >= 1,
        attainable=attainable(only_a + only_b, alpha=alpha),
        alpha=alpha,
        power=power,
    )


def required_n_discordance(
    b: ArrayLike,
    c: ArrayLike,
    n_items: ArrayLike,
    *,
    alpha: ArrayLike = 0.05,
    power: float = 0.80,
) -> FloatArray:
    r"""Required N from the discordant counts alone, the discordance form of eq. (6).

    .. math:: N^* = (z_{1-\alpha/2}+z_{1-\beta})^2 \left(\frac{N(b+c)}{(b-c)^2} - 1\right)

    Parameters
    ----------
    b, c : array_like of int
        Discordant counts.
    n_items : array_like of int
        Items that both models were scored on, at least b + c.
    alpha, power
        As in `llm_power._statistics.inversion.required_n`.

    Returns
    -------
    ndarray
        Broadcast shape; items, not rounded; ``inf`` where b = c.

    Raises
    ------
    InvalidArgument
        If a count is not whole, negative, or b + c exceeds `n_items`.

    Examples
    --------
    >>> from llm_power import required_n_discordance
    >>> required_n_discordance(b=[295, 831], c=[249, 195], n_items=10042).round()
    array([20255.,   192.])
    """
    first, second, n = pair_counts(b, c, n_items)
    sigma_d = np.sqrt(observed_difference_variance(first, second, n))
    return required_n((first - second) / n, sigma_d, alpha=alpha, power=power)


def observed_difference_variance(b: IntArray, c: IntArray, n_items: IntArray) -> FloatArray:
    r"""Variance of the paired difference over the items at hand, divisor N.

    .. math:: \sigma_D^2 = \frac{b+c}{N} - \frac{(b-c)^2}{N^2}
        = \frac{(b+c)(N-b-c) + 4bc}{N^2}
    """
    first, second, n = (np.asarray(x, dtype=np.float64) for x in (b, c, n_items))
    discordant = (first + second) / n
    return np.asarray(discordant * ((n - first - second) / n) + 4 * (first / n) * (second / n))


def attainable(n_discordant: ArrayLike, *, alpha: float = 0.05) -> BoolArray:
    """Whether an exact verdict at `alpha` is possible with so few discordant items.

    False where even a clean sweep (c = 0) stays above `alpha`: fewer than 6 items at 0.05.
    """
    return smallest_exact_p(n_discordant) <= open_unit("alpha", alpha)


def _phi(n11: IntArray, b: IntArray, c: IntArray, n00: IntArray) -> FloatArray:
    margins = (n11 + b) * 1.0 * (c + n00) * (n11 + c) * (b + n00)
    return ratio(n11 * 1.0 * n00 - b * 1.0 * c, np.sqrt(margins))


def _root_of_ratio(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.sqrt(ratio(np.minimum(first, second), np.maximum(first, second), 0.0))


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

    Parameters
    ----------
    p_a, p_b : array_like
        Accuracies, in [0, 1].
    rho : array_like
        Correlation of the two models' scores, in [-1, 1].
    alpha, power : float
        Two-sided level and target power, in (0, 1).

    Returns
    -------
    ndarray
        Items, broadcast shape.

    Raises
    ------
    InvalidArgument
        If a number is outside its domain.

    Examples
    --------
    >>> from llm_power import shortcut_required_n
    >>> round(float(shortcut_required_n(0.65, 0.60, 0.3)), 1)
    514.5
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
    refuse("rho", r, np.abs(r) > 1, "lie in [-1, 1]")
    return r
