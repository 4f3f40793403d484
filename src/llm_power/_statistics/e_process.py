r"""Anytime-valid testing of a pair: the mixture e-process of eq. (24) and Appendix C.

Given that an item is discordant, model A is the one that solved it with probability
:math:`\theta`; :math:`\theta = 1/2` under the null hypothesis. A mixture :math:`\nu` of
alternatives turns the counts :math:`b_n, c_n` of the first :math:`n` items into

.. math:: e_n = \int \frac{\theta^{b_n}(1-\theta)^{c_n}}{(1/2)^{b_n+c_n}}\,d\nu(\theta),

a non-negative martingale of mean 1 under the null, so that by Ville's inequality
:math:`\Pr(\sup_n e_n \ge 1/\alpha) \le \alpha`. Concordant items leave it unchanged.

References
----------
Ville (1939), Étude critique de la notion de collectif; Robbins (1970),
doi:10.1214/aoms/1177696786, for the method of mixtures; Howard, Ramdas, McAuliffe and
Sekhon (2021), doi:10.1214/20-AOS1991, for time-uniform boundaries.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtri

from llm_power._errors import InvalidArgument
from llm_power._statistics._numerics import find_roots, scaled_log_beta
from llm_power._statistics.argument_checks import (
    broadcast,
    counts,
    finite,
    non_negative,
    open_unit,
    pair_counts,
    positive,
)
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, ratio
from llm_power._statistics.inversion import resolution_ratio, z_sum
from llm_power._statistics.paired_binary import observed_difference_variance

# Elements evaluated at once: keeps the (elements x points) work arrays in the cache.
_BLOCK = 512
# Logarithm of a share of a sum that no rounding of the sum shows.
_NEGLIGIBLE = -50.0


@dataclass(frozen=True, slots=True)
class DiscreteMixture:
    r"""A mixture of finitely many alternatives.

    Appendix C calls its 98-point mixture conjugate. A finite sum needs no conjugacy: eq. (24)
    is a weighted sum of likelihood ratios for any points. `BetaMixture` is the conjugate one.

    Attributes
    ----------
    name : str
        What to call it in tables and messages.
    points : tuple of float
        Values of :math:`\theta` in (0, 1).
    weights : tuple of float
        Their positive weights, which sum to 1.

    Examples
    --------
    >>> from llm_power import DiscreteMixture, log_e_value
    >>> two_points = DiscreteMixture.uniform("two points", [0.4, 0.6])
    >>> round(float(log_e_value(60, 40, two_points)), 2)
    1.32
    """

    name: str
    points: tuple[float, ...] = field(repr=False)
    weights: tuple[float, ...] = field(repr=False)

    def __post_init__(self) -> None:
        theta = finite("points", self.points)
        if theta.size == 0 or np.any((theta <= 0) | (theta >= 1)):
            raise InvalidArgument(f"points must lie strictly in (0, 1), got {self.points!r}")
        weights = positive("weights", self.weights)
        if weights.shape != theta.shape or abs(weights.sum() - 1) > 1e-12:
            raise InvalidArgument("weights must be as many as the points and sum to 1")

    @classmethod
    def uniform(cls, name: str, points: ArrayLike) -> DiscreteMixture:
        """Return the mixture of `points` with equal weights."""
        theta = tuple(float(point) for point in np.ravel(points))
        return cls(name, theta, (1 / max(len(theta), 1),) * len(theta))

    @property
    def is_symmetric(self) -> bool:
        r"""Whether :math:`\theta` and :math:`1-\theta` have the same weight."""
        order = np.argsort(self.points)
        theta, weights = np.take(self.points, order), np.take(self.weights, order)
        mirrored = np.abs(theta - (1 - theta[::-1])) + np.abs(weights - weights[::-1])
        return bool(np.all(mirrored <= 1e-12))

    def log_e(self, b: FloatArray, c: FloatArray) -> FloatArray:
        """Return log e of two arrays of one shape; see `log_e_value`."""
        theta = np.asarray(self.points)
        up, down, log_weights = np.log(2 * theta), np.log(2 - 2 * theta), np.log(self.weights)
        first, second, result = b.reshape(-1, 1), c.reshape(-1, 1), np.empty(b.size)
        for start in range(0, b.size, _BLOCK):
            block = slice(start, start + _BLOCK)
            terms = first[block] * up
            terms += second[block] * down
            terms += log_weights
            largest = terms.max(axis=1)
            terms -= largest[:, np.newaxis]
            # What is left out is most of them, and lost in a sum of at least 1.
            shares = np.exp(terms, out=np.zeros(terms.shape), where=terms > _NEGLIGIBLE)
            result[block] = largest + np.log(shares.sum(axis=1))
        return result.reshape(b.shape)


@dataclass(frozen=True, slots=True)
class BetaMixture:
    r"""The continuous mixture :math:`\theta \sim` Beta(`a`, `b`), conjugate to eq. (24).

    :math:`\log e = \log B(a+b_n, b+c_n) - \log B(a, b) + (b_n+c_n)\log 2`, by
    `scaled_log_beta`: the large terms never meet, and log e keeps twelve digits at ten million
    discordant items.

    The density is positive on all of (0, 1), so the e-process is consistent: whatever the gap,
    log e tends to infinity. A discrete mixture is so only for gaps near one of its points.

    Attributes
    ----------
    a, b : float
        Positive shape parameters.

    Examples
    --------
    >>> from llm_power import BetaMixture, log_e_value
    >>> round(float(log_e_value(60, 40, BetaMixture(2, 2))), 2)
    0.27
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        positive("a", self.a)
        positive("b", self.b)

    @property
    def name(self) -> str:
        """What to call it in tables and messages."""
        return f"Beta({self.a:g}, {self.b:g})"

    @property
    def is_symmetric(self) -> bool:
        r"""Whether :math:`\theta` and :math:`1-\theta` have the same density."""
        return self.a == self.b

    def log_e(self, b: FloatArray, c: FloatArray) -> FloatArray:
        """Return log e of two arrays of one shape; see `log_e_value`."""
        prior = scaled_log_beta(np.asarray(self.a), np.asarray(self.b), self.a - self.b)
        shift = (b - c) + (self.a - self.b)
        return np.asarray(scaled_log_beta(self.a + b, self.b + c, shift) - prior)


Mixture = DiscreteMixture | BetaMixture


def require_symmetric(mixture: Mixture) -> None:
    """Refuse a mixture whose boundary depends on who leads."""
    if not mixture.is_symmetric:
        raise InvalidArgument(f"mixture must be symmetric about 1/2, got {mixture.name}")


#: The paper's mixture, Appendix C: 0.01, ..., 0.49, 0.51, ..., 0.99 with equal weights.
UNIFORM_98 = DiscreteMixture.uniform("uniform-98", [k / 100 for k in range(1, 100) if k != 50])
#: The two-point mixture of Appendix C.
TWO_POINT = DiscreteMixture.uniform("two-point", [0.4, 0.6])
#: The continuous mixture of Appendix C.
BETA_2_2 = BetaMixture(2.0, 2.0)
#: The default wherever the paper prescribes none. Among the symmetric Beta(a, a), a = 4 loses
#: least where it is worst: it needs at most 15 % more discordant items for power 0.8 than the a
#: best suited to the gap, for gaps that take 10 to 5,000 of them at a fixed n.
BETA_4_4 = BetaMixture(4.0, 4.0)


def log_e_value(b: ArrayLike, c: ArrayLike, mixture: Mixture = BETA_4_4) -> FloatArray:
    """Logarithm of the mixture e-value, eq. (24).

    Parameters
    ----------
    b, c : array_like
        Items that A alone solved, and B alone.
    mixture : DiscreteMixture or BetaMixture, default ``BetaMixture(4, 4)``
        Weights of the alternatives.

    Returns
    -------
    ndarray
        Natural logarithm, broadcast shape; the pair is different at any time where it reaches
        ``log(1 / alpha)``.

    Raises
    ------
    InvalidArgument
        If a count is negative.

    Examples
    --------
    >>> from llm_power import log_e_value
    >>> round(float(log_e_value(1680, 1454)), 2)
    5.12
    """
    first, second = broadcast(b=non_negative("b", b), c=non_negative("c", c))
    return mixture.log_e(first, second)


@dataclass(frozen=True, slots=True)
class AnytimeBoundary:
    r"""The smallest imbalance that takes the e-process to :math:`1/\alpha`."""

    #: Smallest real :math:`s = |b-c|` of M discordant items with :math:`e \ge 1/\alpha`; ``inf``
    #: where even :math:`s = M` is not enough.
    gap: FloatArray
    #: The same as a z value, :math:`u = s/\sqrt{M}`, to be compared with McNemar's
    #: :math:`(b-c)/\sqrt{b+c}`.
    threshold: FloatArray


def anytime_boundary(
    n_discordant: ArrayLike, *, alpha: float = 0.05, mixture: Mixture = BETA_4_4
) -> AnytimeBoundary:
    r"""Invert the e-process at a given number of discordant items.

    For a symmetric mixture the root is unique. With :math:`s = b - c`, eq. (24) reads
    :math:`\int (4\theta(1-\theta))^{M/2}\cosh(\tfrac{s}{2}\log\tfrac{\theta}{1-\theta})\,d\nu`,
    which grows with :math:`|s|` and is at most 1 at :math:`s = 0`.
    """
    level = open_unit("alpha", alpha)
    require_symmetric(mixture)
    # A board has fewer numbers of discordant items than pairs.
    distinct, places = np.unique(counts("n_discordant", n_discordant), return_inverse=True)
    m = distinct.astype(np.float64)
    gap, attainable = np.full(m.shape, np.inf), mixture.log_e(m, np.zeros_like(m)) >= -np.log(level)

    def excess(s: FloatArray, m: FloatArray) -> FloatArray:
        return mixture.log_e((m + s) / 2, (m - s) / 2) + float(np.log(level))

    some = m[attainable]
    gap[attainable] = find_roots(excess, (np.zeros_like(some), some), (some,))
    threshold = ratio(gap, np.sqrt(m), np.inf, where=np.isfinite(gap))
    shape = np.shape(n_discordant)
    return AnytimeBoundary(*(each[places].reshape(shape) for each in (gap, threshold)))


@dataclass(frozen=True, slots=True)
class AnytimeResolution:
    """Two answers about a pair under continuous monitoring; see `anytime_required_n`."""

    #: Log e at the observed counts.
    log_e: FloatArray
    #: Whether these data reject: log e has reached :math:`\log(1/\alpha)`.
    crossed: BoolArray
    #: The z value :math:`u` that rejects at this number of discordant items.
    threshold: FloatArray
    #: Anytime over fixed-n required N, :math:`((u+z_{1-\beta})/(z_{1-\alpha/2}+z_{1-\beta}))^2`.
    inflation: FloatArray
    #: Required items with :math:`u` in place of :math:`z_{1-\alpha/2}`.
    n_star_anytime: FloatArray
    #: Resolution ratio with respect to `n_star_anytime`.
    q_anytime: FloatArray
    #: Whether `q_anytime` is at least 1.
    resolved_anytime: BoolArray
    #: `alpha`, `power`: The operating point.
    alpha: float
    power: float
    #: The mixture of alternatives.
    mixture: Mixture


def anytime_required_n(
    b: ArrayLike,
    c: ArrayLike,
    n_items: ArrayLike,
    *,
    alpha: float = 0.05,
    power: float = 0.80,
    mixture: Mixture = BETA_4_4,
) -> AnytimeResolution:
    r"""Anytime-valid required N of each pair, and whether its data have crossed already.

    .. math:: N^*_{any} = \left(\frac{(u + z_{1-\beta})\,\sigma_D}{|\delta|}\right)^2,

    eq. (3) with the time-uniform threshold :math:`u` of `anytime_boundary`, at the pair's own
    :math:`b + c` discordant items, in place of :math:`z_{1-\alpha/2}`.

    Parameters
    ----------
    b, c : array_like of int
        Items that only the first, and only the second, model solves.
    n_items : array_like of int
        Items that both models were scored on, at least b + c.
    alpha, power : float
        Level and target power.
    mixture : DiscreteMixture or BetaMixture, default `BETA_4_4`
        A mixture that is symmetric about 1/2.

    Returns
    -------
    AnytimeResolution
        Arrays of the broadcast shape; ``n_star_anytime`` is ``inf`` where b = c or where so
        few items are discordant that no outcome rejects.

    Raises
    ------
    InvalidArgument
        If a count is not whole, negative, or b + c exceeds `n_items`, or as `anytime_boundary`.

    Notes
    -----
    "Has it crossed?" and "is it resolvable?" are two different questions. The first asks
    whether the data at hand reject: :math:`z \ge u` for the observed
    :math:`z = |b-c|/\sqrt{b+c}`. The second asks whether a gap of this size would be found
    with probability `power` by a benchmark of this size, which takes roughly
    :math:`z \ge u + z_{1-\beta}`. `crossed` answers the one, `resolved_anytime` the other.

    Table 7's pair of rank 5 and 6 (b = 1680, c = 1454, N = 12,032) tells them apart:
    z = 4.04 against u = 3.68, so log e = 4.37 exceeds log 20 = 3.00 and the pair has crossed,
    while u + z_{1-beta} = 4.52 leaves q_anytime = 0.80 and the pair unresolved. Section 6.5
    counts it as the one extra unresolved verdict, which is right of the second question, but
    says that "the same data fails to cross" the threshold, which is not so.

    Section 6.5 further has one threshold inflation of 2.15 for all nine pairs. The boundary
    depends on the number of discordant items: inverted at each pair's own, the inflation runs
    from 1.94 (52 discordant) to 2.61 (3,134); 2.15 belongs to 182 discordant items, which
    none of the pairs has. The count of five unresolved pairs is the same either way.

    A crossing is judged at the counts given. The e-process may have crossed before and come
    back, which is a rejection too; that takes the order of the items.

    Examples
    --------
    >>> from llm_power import anytime_required_n
    >>> required = anytime_required_n(b=[831, 295], c=[195, 249], n_items=10042)
    >>> required.crossed, required.resolved_anytime
    (array([ True, False]), array([ True, False]))
    >>> required.n_star_anytime.round()
    array([  422., 42633.])
    """
    first, second, n = pair_counts(b, c, n_items)
    level = open_unit("alpha", alpha)
    boundary = anytime_boundary(first + second, alpha=level, mixture=mixture)
    log_e = log_e_value(first, second, mixture)
    delta = np.abs(first - second) / n
    sigma_d = np.sqrt(observed_difference_variance(first, second, n))
    required_z = boundary.threshold + ndtri(power)
    inflation = np.square(required_z / z_sum(alpha, power))
    reachable = np.isfinite(required_z) & (delta > 0)
    size = required_z * np.where(reachable, sigma_d, 1.0)
    n_star = np.square(ratio(size, delta, np.inf, where=reachable))
    q = resolution_ratio(n, n_star)
    return AnytimeResolution(
        log_e=log_e,
        crossed=log_e >= -np.log(level),
        threshold=boundary.threshold,
        inflation=inflation,
        n_star_anytime=n_star,
        q_anytime=q,
        resolved_anytime=q >= 1,
        alpha=level,
        power=power,
        mixture=mixture,
    )
