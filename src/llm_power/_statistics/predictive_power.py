r"""Items of a next run, by the chance that it decides: what a gap leaves open is integrated out.

The required number at an observed gap takes that gap for the true one. It is not, and of runs on
that number fewer find the difference than its power says. Here the gap in standard deviations of
an item's difference has a normal prior around 0. Its standard deviation :math:`\tau` is that of
the gaps of the board's models, an empirical Bayes estimate; few models, and a pair by itself, have
the usual one. With :math:`z` the gap over its standard error on n items (of 0/1 scores the test's
statistic over its standard deviation), the posterior is

.. math:: m = z v, \qquad v = \frac{\tau^2 n}{1 + \tau^2 n}

A new run of r n items then has its z at :math:`N(m\sqrt r, 1 + v r)`; with r n further items, the
z of all is at :math:`(z + m r)/\sqrt{1 + r}`, with the variance :math:`(r + v r^2)/(1 + r)`.
However many items there are, the chance stays below :math:`\Phi(m/\sqrt v)`, that of the sign. No
run of more than a thousand times the items at hand is named: its chance is within .04 of that one,
and what decides between a million items and none is then the prior.

References
----------
Spiegelhalter, Freedman and Blackburn (1986), doi:10.1016/0197-2456(86)90003-6, for the predictive
power of a trial; Efron and Morris (1973), doi:10.1080/01621459.1973.10481350, for a prior from
the other cases; Henderson (1953), doi:10.2307/3001853, for the variance of the models.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from scipy.special import ndtr, ndtri

from llm_power._statistics._numerics import thresholds
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray
from llm_power._statistics.t_test import shift_of_power, upper_t_quantile

#: Usual standard deviation of gaps, in standard deviations of an item's difference.
USUAL_GAP: Final = 0.4
# Models that the usual one counts for beside those of a board: a board of two has it alone.
_USUAL_MODELS: Final = 2
#: How many times the items at hand a run is planned for at most.
FARTHEST: Final = 1_000
# Logarithms of the smallest and largest run, as a multiple of the items at hand, and halvings.
_RUNS: Final = (-10.0, float(np.log(FARTHEST)))
_HALVINGS: Final = 34


@dataclass(frozen=True, slots=True)
class ObservedGap:
    """A gap as its test sees it; arrays of shape (n_pairs,)."""

    #: The test's statistic at the gap, over its standard deviation there.
    z: FloatArray
    #: Standard error that the test takes were the gap zero; ``inf`` where unknown.
    error: FloatArray
    #: Items at hand.
    n: FloatArray
    #: Standard deviation of the test's statistic at the gap, over that at zero.
    spread: FloatArray | float = 1.0
    #: Standard error of the gap itself over `error`.
    width: FloatArray | float = 1.0
    #: What the test adds to its critical value for whole counts.
    continuity: FloatArray | float = 0.0
    #: Degrees of freedom, and whether Hall's test must reject beside Student's.
    freedom: FloatArray | float = np.inf
    hall: BoolArray | bool = True
    #: Standard deviation of the prior, in those of an item's difference, as z counts them.
    prior: FloatArray | float = USUAL_GAP

    def of(self, rows: BoolArray) -> ObservedGap:
        """Return some of the gaps."""
        return ObservedGap(
            *(np.broadcast_to(getattr(self, f.name), self.z.shape)[rows] for f in fields(self))
        )

    def smallest(self, level: float, power: float) -> FloatArray:
        """Return the smallest gap that so many items find with the power."""
        shift = self._critical(level)[0] + self.continuity + ndtri(power)
        if not np.all(np.isinf(self.freedom)):
            shift = shift_of_power(self.freedom + 1, level, power, hall=bool(np.all(self.hall)))
        return np.asarray(shift * self.error)

    def items(self, level: float, chance: float, *, further: bool = False) -> FloatArray:
        """Return the items of a run that has the chance to find the gap on the side it is on.

        Those of a new run, or with `further` of one that is tested together with the items at
        hand; ``inf`` where a thousand times the items at hand are not enough.
        """
        (m, v), q = self._posterior(), ndtri(chance)
        some = (m > q * np.sqrt(v)) & np.isfinite(self.error)
        gap, m, v = self.of(some), m[some], v[some]
        critical, beyond = gap._critical(level)
        at_hand = gap.z * further

        def enough(r: FloatArray) -> BoolArray:
            of = r + further
            root = np.sqrt(of)
            mean = m * r + at_hand - q * np.sqrt(r + v * r * r)
            at = critical + gap.continuity / root + beyond / of
            return np.asarray(mean * gap.spread >= at * root)

        return self._smallest(enough, some)

    def items_within(
        self, margin: float, level: float, chance: float, *, further: bool = False
    ) -> FloatArray:
        """Return those of a run that finds the gap within a margin, by two one-sided tests."""
        (m, v), critical = self._posterior(), -ndtri(level)
        bound = margin / (self.error * self.width)
        # The test of a margin is one of the gap itself.
        z, m = (np.asarray(x * (self.spread / self.width)) for x in (self.z, m))

        def chances(
            mean: FloatArray, error: FloatArray | float, deviation: FloatArray, bound: FloatArray
        ) -> FloatArray:
            room = bound - critical * error
            return np.asarray(ndtr((room - mean) / deviation) + ndtr((room + mean) / deviation) - 1)

        some = (chances(m, 0.0, np.sqrt(v), bound) > chance) & np.isfinite(self.error)
        z, m, v, bound = z[some], m[some], v[some], bound[some]

        def enough(r: FloatArray) -> BoolArray:
            of = r + further
            law = (m * r + z * further) / of, 1 / np.sqrt(of), np.sqrt(r + v * r * r) / of
            return np.asarray(chances(*law, bound) >= chance)

        return self._smallest(enough, some)

    def _posterior(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of the gap, in the standard error that it has."""
        gain = self.prior**2 * self.n
        known = gain / (1 + gain)
        return self.z * known, known

    def _critical(self, level: float) -> tuple[float, FloatArray | float]:
        """Critical value of many items, and what the degrees of freedom at hand add to it."""
        critical = float(-ndtri(level / 2))
        if np.all(np.isinf(self.freedom)):
            return critical, 0.0
        return critical, upper_t_quantile(self.freedom, level / 2) - critical

    def _smallest(self, enough: Callable[[FloatArray], BoolArray], some: BoolArray) -> FloatArray:
        """Return the items from which on `enough` holds for some of the gaps, ``inf`` of others."""
        at_hand = np.broadcast_to(self.n, np.shape(self.z))[some]
        # Down to one item, however many are at hand.
        low = np.minimum(_RUNS[0], -np.log(at_hand))
        ends = low, np.full(at_hand.shape, _RUNS[1])
        high = thresholds(lambda r: enough(np.exp(r)), *ends, halvings=_HALVINGS)
        smallest = np.full(np.shape(self.z), np.inf)
        items = np.ceil(at_hand * np.exp(high))
        smallest[some] = np.where(high < _RUNS[1], items, np.inf)
        return smallest


def spread_of_gaps(tasks: Sequence[FloatArray], weights: Sequence[float]) -> float:
    r"""Return the standard deviation of gaps, in those of an item's difference, of all models.

    Shapes: scores (n_items, n_models), NaN where missing. With each item's mean taken off, the mean
    :math:`d_i` of model i over N items has the variance :math:`\tau^2` of its class and its own
    :math:`s_i^2`:

    .. math:: \hat\tau^2 = \frac1N \left(\frac{\sum_i d_i^2}{\sum_i s_i^2} - 1\right)

    Of all pairs these are the mean squared gap and the mean squared error. The result is the mean
    of :math:`\hat\tau` and the usual spread, which counts for two models: in a mean of variances it
    would outweigh the models of a board where they are close.
    """
    n_models = tasks[0].shape[1]
    effect, square, n = np.zeros(n_models), np.zeros(n_models), 0.0
    for scores, weight in zip(tasks, weights, strict=True):
        scored = ~np.isnan(scores)
        models, answered = (np.count_nonzero(scored, axis=k) for k in (1, 0))
        own = np.where(scored, scores, 0.0)
        own -= (own.sum(axis=1) / np.maximum(models, 1))[:, np.newaxis]
        own *= scored
        mean = own.sum(axis=0) / answered
        own -= mean
        own *= scored
        squares = np.square(own, out=own).sum(axis=0)
        effect += weight * mean
        square += weight**2 * squares / (np.maximum(answered - 1, 1) * answered)
        n += answered.mean()
    if not square.any():
        return USUAL_GAP
    excess = max(float(np.square(effect).sum() / square.sum()) - 1, 0.0) / n
    usual = _USUAL_MODELS / max(n_models, _USUAL_MODELS)
    return float(usual * USUAL_GAP + (1 - usual) * np.sqrt(excess))


def binary_gap_seen(b: IntArray, c: IntArray, n: IntArray, *, exact: bool) -> ObservedGap:
    r"""Return the gap as McNemar's test sees it, by the variance of discordant items.

    With the discordance :math:`\psi` and the share :math:`\pi` of discordant items that one model
    has, :math:`(b - c)/\sqrt{b + c}` has the variance, by the delta method,

    .. math:: 1 - (2\pi - 1)^2 \, \frac{3 + \psi}{4}

    where :math:`\psi` is that of the items at hand and :math:`(2\pi - 1)^2` is its mean by
    Jeffreys' prior: few items that all go one way do not show that all others would. The gap itself
    has Connor's variance, :math:`\psi - \psi^2 (2\pi - 1)^2` an item.

    Miettinen (1968), doi:10.2307/2528042; Connor (1987), doi:10.2307/2531961.
    """
    discordant = np.asarray(b + c, dtype=np.float64)
    some = np.maximum(discordant, 1.0)
    lean = np.square((b - c) / (discordant + 1))
    lean += (1 - lean) / (discordant + 2)
    spread = np.sqrt(1 - lean * (3 + discordant / n) / 4)
    # Connor's two variances.
    width = np.sqrt(1 - lean * discordant / n)
    return ObservedGap(
        z=np.abs(b - c) / np.sqrt(some) / spread,
        error=np.where(discordant > 0, np.sqrt(some) / n, np.inf),
        n=np.asarray(n, dtype=np.float64),
        spread=spread,
        width=width,
        continuity=1 / np.sqrt(some) if exact else 0.0,
    )


def mean_gap_seen(
    p: FloatArray,
    error: FloatArray,
    n: ArrayLike,
    freedom: FloatArray | float = np.inf,
    *,
    hall: bool = True,
) -> ObservedGap:
    """Return the gap as a test of a mean sees it: with a flat prior p/2 is that of the other sign.

    Where clusters are the sample, more items are more clusters of the size at hand.
    """
    z = -ndtri(np.maximum(p, np.finfo(float).tiny) / 2)
    items = np.asarray(n, dtype=np.float64)
    return ObservedGap(np.asarray(z), error, items, freedom=freedom, hall=hall)
