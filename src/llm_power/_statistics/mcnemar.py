r"""McNemar's test on the discordant counts, in its four usual forms, its power and required items.

Given the number :math:`b + c` of items that exactly one of two models solves, the number
:math:`b` that the first one solves is Binomial(:math:`b + c`, 1/2) under the null
hypothesis of equal accuracy. The tests are vectorised over pairs and two-sided.

An item is solved by A alone with probability :math:`p_{10}` and by B alone with
:math:`p_{01}`. The number of discordant items is Binomial(:math:`n, \psi`) with
:math:`\psi = p_{10} + p_{01}`; of these, A's are Binomial with :math:`\theta = p_{10}/\psi`.
Power is summed over both. It is not monotone in :math:`n`: a saw-tooth, because counts are whole.

At a nominal .05 the largest type I error, summed in the same way over discordances of .02 to .9
and n = 50, 500 and 5,000, is .048 for the exact, .050 for the mid-p and .053 for the asymptotic
test.

References
----------
McNemar (1947), doi:10.1007/BF02295996; Edwards (1948), doi:10.1007/BF02289261, for the
continuity correction; Fagerland, Lydersen and Laake (2013), doi:10.1186/1471-2288-13-91,
for a comparison that recommends the asymptotic and the mid-p form.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from scipy.special import bdtr, bdtrc, betainc, erfc, ndtr, ndtri

from llm_power._choices import McNemarTest
from llm_power._errors import InvalidArgument
from llm_power._statistics._numerics import (
    binomial_pmf,
    likely_counts,
    scaled_log_beta,
    smallest_that,
)
from llm_power._statistics.argument_checks import (
    broadcast,
    counts,
    discordance,
    discordant_rates,
    one_of,
    open_unit,
    positive_count,
)
from llm_power._statistics.arrays import ArrayLike, FloatArray, IntArray, ratio
from llm_power._statistics.designs import ENDLESS, Design, detectable_gap
from llm_power._statistics.inversion import minimum_detectable_effect, z_sum

# Below it the incomplete beta function comes near the smallest float.
_FAR_TAIL = 1e-290

# Probability left out on each side of a binomial range.
_OUTSIDE = 1e-16
#: Of more items sums over tables for many sizes take too long.
MOST_SUMMED: Final = 30_000
#: Of more items sums over tables take too long, and the normal law is within one in a thousand.
MOST_COUNTED: Final = 1_000_000
# SciPy's binomial tails end at 2^31; here the errors of the normal law have power within .00001.
_MOST_DISCORDANT: Final = 1_000_000_000


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
    smaller, total = _smaller_and_total(b, c)
    return _chi2_p(total - 2.0 * smaller, total)


def mcnemar_continuity_corrected(b: ArrayLike, c: ArrayLike) -> FloatArray:
    r"""p-value of :math:`(\max(|b-c|-1, 0))^2/(b+c)` against :math:`\chi^2_1` (Edwards).

    Parameters
    ----------
    b, c : array_like of int
        Items that only the first, and only the second, model solves.

    Returns
    -------
    ndarray
        Broadcast shape; 1 where the counts differ by at most 1.

    Raises
    ------
    InvalidArgument
        If a count is negative or not whole.

    Notes
    -----
    The correction never turns :math:`b = c` into evidence: :math:`|b-c|-1` is cut at zero, as in
    R's ``mcnemar.test`` (which skips the correction there) and unlike ``statsmodels`` (which
    squares the -1).

    Examples
    --------
    >>> from llm_power import mcnemar_continuity_corrected
    >>> mcnemar_continuity_corrected(b=[295, 63], c=[249, 62]).round(4)
    array([0.0537, 1.    ])
    """
    smaller, total = _smaller_and_total(b, c)
    return _chi2_p(np.maximum(total - 2.0 * smaller - 1.0, 0.0), total)


def mcnemar_exact(b: ArrayLike, c: ArrayLike) -> FloatArray:
    """Two-sided exact conditional binomial p-value.

    Parameters
    ----------
    b, c : array_like of int
        Items that only the first, and only the second, model solves.

    Returns
    -------
    ndarray
        Broadcast shape; 1 where the counts differ by at most 1.

    Raises
    ------
    InvalidArgument
        If a count is negative or not whole.

    Notes
    -----
    Twice the smaller tail, at most 1; for a binomial at 1/2 this is also R's ``binom.test``.

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

    Parameters
    ----------
    b, c : array_like of int
        Items that only the first, and only the second, model solves.

    Returns
    -------
    ndarray
        Broadcast shape; 1 where b = c.

    Raises
    ------
    InvalidArgument
        If a count is negative or not whole.

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


def _smaller_and_total(b: ArrayLike, c: ArrayLike) -> tuple[IntArray, IntArray]:
    first, second = broadcast(b=counts("b", b), c=counts("c", c))
    return np.minimum(first, second), first + second


P_VALUES = {
    "exact": mcnemar_exact,
    "mid_p": mcnemar_mid_p,
    "asymptotic": mcnemar_asymptotic,
}


@dataclass(frozen=True, slots=True)
class DesignErrors:
    """What a significant gap says at one true gap and size."""

    #: Chance that the test rejects.
    power: FloatArray
    #: Chance that a significant gap has the wrong sign.
    type_s: FloatArray
    #: Expected size of a significant gap over the true one, the exaggeration ratio.
    type_m: FloatArray


def connor_required_n(
    p10: ArrayLike, p01: ArrayLike, *, alpha: ArrayLike = 0.05, power: float = 0.80
) -> FloatArray:
    r"""Required items of the asymptotic McNemar test, with one variance a hypothesis.

    .. math:: n = \frac{\left(z_{1-\alpha/2}\sqrt{\psi}
        + z_{1-\beta}\sqrt{\psi-\delta^2}\right)^2}{\delta^2}

    ``inf`` where the probabilities are equal.

    The variance of one item's difference is :math:`\psi` if the gap is zero and
    :math:`\psi-\delta^2` at the gap :math:`\delta`. Eq. (6) has the second in both terms.

    Connor (1987), doi:10.2307/2531961; Miettinen (1968), doi:10.2307/2528042.
    """
    first, second = discordant_rates(p10, p01)
    psi, delta = first + second, np.abs(first - second)
    z_power = ndtri(open_unit("power", power))
    z_level = z_sum(alpha, power) - z_power
    reach = z_level * np.sqrt(psi) + z_power * np.sqrt(np.maximum(psi - np.square(delta), 0.0))
    return np.asarray(np.square(ratio(reach, delta, np.inf)))


def continuity_corrected(n_items: FloatArray, delta: FloatArray) -> FloatArray:
    """Items at which :math:`|b - c| - 1` reaches what :math:`|b - c|` reaches at `n_items`."""
    n, gap = np.broadcast_arrays(n_items, np.abs(delta))
    corrected = np.full(n.shape, np.inf)
    where = np.isfinite(n)
    safe = np.where(where, n, 1.0)
    root = 1 + np.sqrt(1 + 4 / (safe * np.where(where, gap, 1.0)))
    np.copyto(corrected, safe / 4 * np.square(root), where=where)
    return corrected


class McNemarDesign(Design):
    """McNemar's test of new items, at given probabilities that only A, and only B, solves one.

    Tables are summed for up to `summed` items; beyond, the power is the normal one, near rejection
    region only, with one variance a hypothesis as in `connor_required_n`, for the exact test with
    the continuity correction. Beyond 30,000 items that is .003 too low at most, with 300 discordant
    items, and .0005 with 3,000.
    """

    def __init__(
        self,
        p10: float,
        p01: float,
        test: McNemarTest = "exact",
        alpha: float = 0.05,
        *,
        summed: int = ENDLESS,
    ) -> None:
        # Models that never differ on an item are never told apart.
        self.p10, self.p01, self.psi = p10, p01, float(p10) + float(p01)
        self.test, self.alpha, self.summed = test, alpha, summed
        # Chances of a rejection by the number of discordant items, from `_known` on.
        self._known, self._rejection = 0, np.zeros(0)

    def power(self, n: ArrayLike) -> FloatArray:
        """Exact unconditional power, of all numbers in the normal law if one exceeds `summed`."""
        sizes = counts("n_items", n)
        if self.psi == 0:
            return np.zeros(sizes.shape)
        if sizes.max() > self.summed:
            return self._normal_power(sizes)
        m, given = self._given(int(sizes.min()), int(sizes.max()))
        powers = [self._mean(given, m, size) for size in sizes.ravel().tolist()]
        return np.reshape(powers, sizes.shape)

    def quick(self) -> McNemarDesign:
        """Take the normal law of sizes whose tables take too long to sum."""
        return McNemarDesign(self.p10, self.p01, self.test, self.alpha, summed=MOST_SUMMED)

    def closed_form(self, target: float) -> float | None:
        """No number at no gap; beyond a million items `connor_required_n`, corrected.

        That is within an item in 1,000 where some 2,000 of them are discordant, in 100 where 200
        are, up to a tenth too many where 20 are, and up to half where ten are.
        """
        if target <= self.alpha:
            raise InvalidArgument(
                f"power must exceed alpha, got power={target!r} at alpha={self.alpha!r}"
            )
        connor = connor_required_n(self.p10, self.p01, alpha=self.alpha, power=target)
        if connor <= MOST_COUNTED:
            return None
        if self.test == "exact":
            connor = continuity_corrected(connor, np.asarray(self.p10 - self.p01))
        return float(np.ceil(connor))

    def start(self, target: float) -> int:
        """Whole part of `connor_required_n`."""
        power = max(target, 0.5)
        return int(connor_required_n(self.p10, self.p01, alpha=self.alpha, power=power))

    def last_below(self, target: float, n: int) -> int:
        """Largest number without the power, of those that the saw-tooth leaves open.

        The chance of a rejection given the number of discordant items is at least its largest
        non-decreasing minorant, whose mean rises with the number of items: from where that has the
        target all numbers have it, and those before are checked one by one.
        """
        span = 4 / np.sqrt(n * self.psi)
        while True:
            most = int(n * (1 + span)) + 20
            # The last dips of a range are seen from as far beyond it.
            m, given = self._given(n, 2 * most - n)
            minorant = np.minimum.accumulate(given[::-1])[::-1]
            if self._mean(minorant, m, most) >= target:
                break
            span *= 2
        last = smallest_that(lambda size: self._mean(minorant, m, size) >= target, n, most)
        mass, below = binomial_pmf(m, n, self.psi), n - 1
        for size in range(n, last + 1):
            if mass @ given < target:
                below = size
            mass[1:] = (1 - self.psi) * mass[1:] + self.psi * mass[:-1]
            mass[0] *= 1 - self.psi
        return below

    def _given(self, least: int, most: int) -> tuple[IntArray, FloatArray]:
        """Numbers of discordant items of `least` to `most`, and the chances of a rejection."""
        m = _likely_discordant(least, most, self.psi)
        first, last = int(m[0]), int(m[-1])
        if first < self._known or last >= self._known + self._rejection.size:
            # Wider than asked for, since the next number that a search asks for is not far.
            self._known = max(first - m.size // 2, 0)
            wide = np.arange(self._known, last + m.size // 2 + 1)
            k = _critical_counts(self._known, int(wide[-1]), self.test, self.alpha)
            theta = self.p10 / self.psi
            self._rejection = _lower_tail(k, wide, theta) + _upper_tail(wide - k, wide, theta)
        return m, self._rejection[first - self._known : last - self._known + 1]

    def _mean(self, values: FloatArray, m: IntArray, n: int) -> float:
        """Mean of a function of the number of discordant items, given on the range m."""
        likely = _likely_discordant(n, n, self.psi)
        return float(binomial_pmf(likely, n, self.psi) @ values[likely - m[0]])

    def _normal_power(self, n: IntArray) -> FloatArray:
        gap, root = abs(self.p10 - self.p01), np.sqrt(n)
        shift = np.maximum(gap * root - (1 / root if self.test == "exact" else 0), 0)
        critical = -ndtri(self.alpha / 2) * np.sqrt(self.psi)
        spread = np.sqrt(max(self.psi - gap**2, 0.0))
        if spread == 0:  # every item differs the same way
            return np.asarray(shift >= critical, dtype=np.float64)
        return np.asarray(ndtr((shift - critical) / spread))


def mcnemar_detectable_gap(
    n_items: int,
    p_discordant: float,
    test: McNemarTest = "exact",
    alpha: float = 0.05,
    power: float = 0.80,
) -> float:
    """Smallest gap that McNemar's test detects at a discordance that does not depend on it."""
    if p_discordant == 0:
        return np.inf
    n, psi = positive_count("n_items", n_items), discordance(p_discordant, 0.0)

    def at(gap: float) -> McNemarDesign:
        cells = (psi + gap) / 2, (psi - gap) / 2
        return McNemarDesign(*cells, test, alpha, summed=MOST_COUNTED)

    return detectable_gap(at, n, power, widest=psi)


def mcnemar_detectable_gaps(
    sizes: IntArray, discordance: float, test: McNemarTest, alpha: float, power: float
) -> FloatArray:
    """Smallest gap that McNemar's test finds with each number of items; eq. (4) beyond 30,000."""
    if sizes.max() > MOST_SUMMED:
        return minimum_detectable_effect(sizes, discordance**0.5, alpha=alpha, power=power)
    law = discordance, test, alpha, power
    return np.array([mcnemar_detectable_gap(n, *law) for n in sizes.tolist()])


def normal_design_errors(
    delta: ArrayLike, standard_error: ArrayLike, *, alpha: float = 0.05
) -> DesignErrors:
    """Type S and type M errors of a two-sided z test at a gap other than 0 (Gelman, Carlin 2014).

    The exaggeration has a closed form (Lu, Qiu and Deng 2019). The observed gap in place of
    the true one makes both errors look smaller where it was selected for its size.

    Gelman and Carlin (2014), doi:10.1177/1745691614551642; Lu, Qiu and Deng (2019),
    doi:10.1111/bmsp.12132.
    """
    mu, z = ratio(np.abs(delta), standard_error, np.inf), -ndtri(alpha / 2)
    wrong, right = ndtr(-z - mu), ndtr(mu - z)
    power = wrong + right
    density = np.exp(-np.square([mu - z, mu + z]) / 2).sum(axis=0) / np.sqrt(2 * np.pi)
    return DesignErrors(
        power=np.asarray(power),
        type_s=np.asarray(wrong / power),
        type_m=np.asarray((density / mu + right - wrong) / power),
    )


def mcnemar_design_errors(
    n_items: int, p10: float, p01: float, *, test: McNemarTest = "exact", alpha: float = 0.05
) -> DesignErrors:
    """Type S and type M errors of McNemar's test at a gap, from all tables; NaN at no power.

    With more than a billion discordant items they are those of the normal law.
    """
    n, psi = n_items, float(p10) + float(p01)
    if n * psi > _MOST_DISCORDANT:
        delta = p10 - p01
        return normal_design_errors(delta, np.sqrt((psi - delta**2) / n), alpha=alpha)
    theta = max(p10, p01) / psi
    m = _likely_discordant(n, n, psi)
    mass = binomial_pmf(m, n, psi)
    k = critical_count(m, test, alpha)
    wrong, right = _lower_tail(k, m, theta), _upper_tail(m - k, m, theta)
    # E[B; B <= k] = m theta P(B' <= k - 1) with B' ~ Binomial(m - 1, theta).
    solved_wrong = m * theta * _lower_tail(k - 1, m - 1, theta)
    solved_right = m * theta * _upper_tail(m - k - 1, m - 1, theta)
    # Where nothing rejects (k = -1) the second tail is empty as well.
    solved_right = np.where(k < 0, 0.0, solved_right)
    size = m * wrong - 2 * solved_wrong + 2 * solved_right - m * right
    power = float(mass @ (wrong + right))
    return DesignErrors(
        power=np.asarray(power),
        type_s=ratio(mass @ wrong, power),
        type_m=ratio(mass @ size, power * n * abs(p10 - p01)),
    )


def critical_count(m: IntArray, test: McNemarTest, alpha: float) -> IntArray:
    """Largest smaller count that rejects, of m discordant items; -1 where none does."""
    one_of("test", test, P_VALUES)
    p_value = P_VALUES[test]

    def rejects(k: IntArray) -> np.ndarray:
        smaller = np.maximum(k, 0)
        return (k >= 0) & (2 * k < m) & (p_value(smaller, np.maximum(m - smaller, 0)) <= alpha)

    k = np.floor((m + ndtri(alpha / 2) * np.sqrt(m)) / 2).astype(np.int64)
    k = np.clip(k, -1, (m - 1) // 2)
    while np.any(too_many := (k >= 0) & ~rejects(k)):
        k = k - too_many
    while np.any(more := rejects(k + 1)):
        k = k + more
    return k


@lru_cache(maxsize=16)
def _critical_counts(first: int, last: int, test: McNemarTest, alpha: float) -> IntArray:
    """`critical_count` of a range, which does not depend on the gap: a search asks for it again."""
    return critical_count(np.arange(first, last + 1), test, alpha)


def _lower_tail(k: IntArray, m: IntArray, theta: float) -> FloatArray:
    """P(B <= k) of B ~ Binomial(m, theta); 0 where k is negative."""
    inside = (k >= 0) & (m >= 0)
    return np.where(inside, bdtr(np.where(inside, k, 0), np.where(inside, m, 1), theta), 0.0)


def _upper_tail(k: IntArray, m: IntArray, theta: float) -> FloatArray:
    """P(B >= k) of B ~ Binomial(m, theta); 0 where k exceeds m."""
    inside = (k <= m) & (m >= 0)
    tail = bdtrc(np.where(inside, k - 1, 0), np.where(inside, m, 1), theta)
    return np.where(inside, np.where(k <= 0, 1.0, tail), 0.0)


def _likely_discordant(least: int, most: int, psi: float) -> IntArray:
    """Numbers of discordant items that occur among `least` to `most` items."""
    return likely_counts(least, most, psi, outside=_OUTSIDE)
