r"""McNemar's test on the discordant counts, in its four usual forms.

Given the number :math:`b + c` of items that exactly one of two models solves, the number
:math:`b` that the first one solves is Binomial(:math:`b + c`, 1/2) under the null
hypothesis of equal accuracy. All four functions are vectorised over pairs and two-sided.

References
----------
McNemar (1947), doi:10.1007/BF02295996; Edwards (1948), doi:10.1007/BF02289261, for the
continuity correction; Fagerland, Lydersen and Laake (2013), doi:10.1186/1471-2288-13-91,
for a comparison that recommends the asymptotic and the mid-p form.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, erfc

from llm_power._statistics._numerics import scaled_log_beta
from llm_power._statistics.argument_checks import broadcast, counts
from llm_power._statistics.arrays import ArrayLike, FloatArray, IntArray, ratio

# Below it the incomplete beta function comes near the smallest float.
_FAR_TAIL = 1e-290


def mcnemar_asymptotic(b: ArrayLike, c: ArrayLike) -> FloatArray:
    r"""p-value of :math:`(b-c)^2/(b+c)` against :math:`\chi^2_1`.

    Parameters
    ----------
    b, c : array_like of int
        Items that only the first, and only the second, model solves.

    Returns
    -------
    ndarray
        Broadcast shape; 1 where no item is discordant.

    Raises
    ------
    InvalidArgument
        If a count is negative or not whole.

    Examples
    --------
    >>> from llm_power import mcnemar_asymptotic
    >>> mcnemar_asymptotic(b=[295, 63], c=[249, 62]).round(4)
    array([0.0486, 0.9287])
    """
    difference, total = _difference_and_total(b, c)
    return _chi2_p(difference.astype(np.float64), total)


def mcnemar_continuity_corrected(b: ArrayLike, c: ArrayLike) -> FloatArray:
    r"""p-value of :math:`(\max(|b-c|-1, 0))^2/(b+c)` against :math:`\chi^2_1` (Edwards).

    Parameters, returns and errors as in `mcnemar_asymptotic`. The correction never turns
    :math:`b = c` into evidence: :math:`|b-c|-1` is cut at zero, as in R's ``mcnemar.test``
    (which skips the correction there) and unlike ``statsmodels`` (which squares the -1).

    Examples
    --------
    >>> from llm_power import mcnemar_continuity_corrected
    >>> mcnemar_continuity_corrected(b=[295, 63], c=[249, 62]).round(4)
    array([0.0537, 1.    ])
    """
    difference, total = _difference_and_total(b, c)
    return _chi2_p(np.maximum(difference - 1.0, 0.0), total)


def mcnemar_exact(b: ArrayLike, c: ArrayLike) -> FloatArray:
    """Two-sided exact conditional binomial p-value.

    Parameters, returns and errors as in `mcnemar_asymptotic`. Twice the smaller tail, at
    most 1; for a binomial at 1/2 this is also R's ``binom.test``.

    Examples
    --------
    >>> from llm_power import mcnemar_exact
    >>> mcnemar_exact(b=[295, 63], c=[249, 62]).round(4)
    array([0.0536, 1.    ])
    """
    smaller, total = _smaller_and_total(b, c)
    return np.minimum(1.0, 2.0 * _binomial_cdf(smaller, total))


def log_mcnemar_exact(
    b: ArrayLike, c: ArrayLike, *, known_p: FloatArray | None = None
) -> FloatArray:
    r"""Natural logarithm of `mcnemar_exact`, finite where that is below the smallest float.

    Below 1e-290 the tail :math:`P(Y \le m)` is the probability of :math:`m`, by Stirling's series,
    times :math:`1 + \frac{m}{n-m+1}\left(1 + \frac{m-1}{n-m+2}(1 + \ldots)\right)`. Beside mpmath
    the relative error of p is below 1e-12 to 100,000 discordant items, and so is that of its
    logarithm beyond the smallest float.
    """
    smaller, total = _smaller_and_total(b, c)
    p = mcnemar_exact(b, c) if known_p is None else known_p
    far = p < _FAR_TAIL
    log_p = np.asarray(np.log(np.where(far, 1.0, p)))
    if far.any():
        log_p[far] = np.log(2.0) + _log_far_tail(smaller[far], total[far])
    return log_p


def mcnemar_mid_p(b: ArrayLike, c: ArrayLike) -> FloatArray:
    """Two-sided mid-p value: the exact one with half the weight on the observed table.

    Parameters, returns and errors as in `mcnemar_asymptotic`; 1 where b = c.

    References
    ----------
    Lancaster (1961), doi:10.1080/01621459.1961.10482105. The paper credits Liddell (1983),
    doi:10.1136/jech.37.1.82, whose proposal is an exact test with an F quantile.

    Examples
    --------
    >>> from llm_power import mcnemar_mid_p
    >>> mcnemar_mid_p(b=[295, 63], c=[249, 62]).round(4)
    array([0.0487, 0.9291])
    """
    smaller, total = _smaller_and_total(b, c)
    # 2 (P(Y <= m) - P(Y = m)/2) without the subtraction, so that small tails keep their digits.
    p = _binomial_cdf(smaller, total) + _binomial_cdf(smaller - 1, total)
    return np.asarray(np.where(2 * smaller == total, 1.0, p))


def smallest_exact_p(n_discordant: ArrayLike) -> FloatArray:
    """Smallest p-value that `mcnemar_exact` can reach, :math:`2^{1-(b+c)}`, at most 1.

    Shape of `n_discordant`; above 0.05 for fewer than 6 discordant items.
    """
    return np.asarray(np.minimum(1.0, np.exp2(1.0 - counts("n_discordant", n_discordant))))


def _binomial_cdf(k: IntArray, n: IntArray) -> FloatArray:
    """P(Y <= k) of Y ~ Binomial(n, 1/2), as an incomplete beta function; k from -1 to n."""
    inside = (k >= 0) & (k < n)
    tail = betainc(np.where(inside, n - k, 1), np.where(inside, k + 1.0, 1.0), 0.5)
    return np.where(inside, tail, np.where(k < 0, 0.0, 1.0))


def _log_far_tail(k: IntArray, n: IntArray) -> FloatArray:
    """Logarithm of P(Y <= k) of Y ~ Binomial(n, 1/2), for k far below n / 2."""
    below, above = k.astype(np.float64), (n - k).astype(np.float64)
    scaled = scaled_log_beta(below + 1, above + 1, below - above)
    log_probability = 2 * np.log(2.0) - np.log(below + above + 1) - scaled
    total, term, step = np.ones(k.shape), np.ones(k.shape), 0
    # Terms fall; one that adds nothing to a sum never does again, whatever the sums beside it.
    while np.any(term > 1e-17 * total):
        step += 1
        term *= np.maximum(below - step + 1, 0.0) / (above + step)
        total += term
    return np.asarray(log_probability + np.log(total))


def _chi2_p(difference: FloatArray, total: IntArray) -> FloatArray:
    statistic = ratio(np.square(difference), total, 0.0)
    return np.asarray(erfc(np.sqrt(statistic / 2)))


def _difference_and_total(b: ArrayLike, c: ArrayLike) -> tuple[IntArray, IntArray]:
    first, second = broadcast(b=counts("b", b), c=counts("c", c))
    return np.abs(first - second), first + second


def _smaller_and_total(b: ArrayLike, c: ArrayLike) -> tuple[IntArray, IntArray]:
    first, second = broadcast(b=counts("b", b), c=counts("c", c))
    return np.minimum(first, second), first + second
