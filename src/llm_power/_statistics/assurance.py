r"""Assurance: the power of a plan, expected over what a pilot leaves open.

A pilot's gap is an estimate. Power at that estimate is a promise on a condition; its mean over the
posterior of the true values is the chance that the planned run finds the pilot's better model
significantly better. However many items there are, it stays below the chance that this model is the
better one.

The priors are the usual ones for no information: Jeffreys' for the three cells of a pair of 0/1
scores, :math:`1/\sigma` for the mean and standard deviation of graded differences.

References
----------
O'Hagan, Stevens and Campbell (2005), doi:10.1002/pst.175; Spiegelhalter and Freedman (1986),
doi:10.1002/sim.4780050103, for the expected power of a pilot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import betainc, betaln, chdtri, stdtr, stdtrit

from llm_power._choices import McNemarTest
from llm_power._errors import InvalidArgument
from llm_power._statistics._t_power import below
from llm_power._statistics.argument_checks import (
    at_least_two,
    counts,
    finite,
    open_unit,
    pair_counts,
    positive,
)
from llm_power._statistics.arrays import ArrayLike, FloatArray, IntArray
from llm_power._statistics.designs import LARGEST_PLAN, AssuranceDesign
from llm_power._statistics.exact_required_n import critical_count

# Jeffreys' prior of each of the three cells.
_PRIOR: Final = 0.5

# Numbers of items that are looked at for a saw-tooth: it is left only where a pilot's models differ
# on all items, nearly.
_TEETH: Final = 32

# Gauss-Legendre nodes over the quantiles of the standard deviation.
_NODES: Final = 64


class McNemarAssurance(AssuranceDesign):
    """Assurance of McNemar's test on new items, from the counts of a pilot.

    That is the chance of a rejection in favor of the model that leads in the pilot, of A in a tie.
    Of a Dirichlet posterior the discordance and A's share of it are independent Betas. Both counts
    of the plan are then beta-binomial, and the chance is a sum over them, without simulation.
    """

    def __init__(
        self,
        b: int,
        c: int,
        pilot_items: int,
        *,
        test: McNemarTest = "exact",
        alpha: float = 0.05,
    ) -> None:
        self._posterior = _posterior(b, c, pilot_items)
        self.test, self.alpha = test, open_unit("alpha", alpha)
        self._path = np.zeros(0)

    @property
    def largest(self) -> float:
        """Chance that the leader is the better model."""
        return float(betainc(self._posterior.behind, self._posterior.ahead, 0.5))

    def power(self, n: ArrayLike) -> FloatArray:
        """Assurance of each number of items, up to `LARGEST_PLAN`."""
        sizes = counts("n_items", n)
        if sizes.size == 0 or sizes.min() < 1 or sizes.max() > LARGEST_PLAN:
            raise InvalidArgument(f"n_items must lie in [1, {LARGEST_PLAN}], got {n!r}")
        given = self._given(int(sizes.max()))
        means = [
            _mean_over_discordance(given, size, self._posterior) for size in sizes.ravel().tolist()
        ]
        return np.reshape(means, sizes.shape)

    def last_below(self, target: float, n: int) -> int:
        """Look at a few numbers of items more, for a saw-tooth."""
        sizes = np.arange(n, min(n + _TEETH, LARGEST_PLAN + 1))
        below = sizes[self.power(sizes) < target]
        return int(below.max(initial=n - 1))

    def _given(self, most: int) -> FloatArray:
        if self._path.size <= most:
            self._path = _rejection_path(
                min(2 * most, LARGEST_PLAN), self._posterior, self.test, self.alpha
            )
        return self._path


class MeanAssurance(AssuranceDesign):
    r"""Assurance of the paired t test on new items, from the mean and deviation of a pilot.

    Given the true standard deviation, the plan's mean less 0 has the pilot's mean and the variance
    :math:`\sigma^2(1/n + 1/n_0)`, so that its t statistic over :math:`\sqrt{1 + n/n_0}` is
    noncentral t. What is left is one integral over the scaled chi-square of the pilot's variance.
    Items may be clusters of equal size as well, with the means of these as their differences.
    """

    least = 2

    def __init__(
        self, delta: float, sigma_d: float, pilot_items: int, *, alpha: float = 0.05
    ) -> None:
        self.n_0, self.alpha = at_least_two("pilot_items", pilot_items), open_unit("alpha", alpha)
        self.delta = abs(float(finite("delta", delta)))
        self.sigma_d = float(positive("sigma_d", sigma_d))

    @property
    def largest(self) -> float:
        """Chance that the true gap has the sign of the pilot's."""
        return float(stdtr(self.n_0 - 1, np.sqrt(self.n_0) * self.delta / self.sigma_d))

    def power(self, n: ArrayLike) -> FloatArray:
        """Chance of a rejection on the side of the pilot's gap."""
        sizes = counts("n_items", n)
        if np.any(sizes < 2):
            raise InvalidArgument(f"n_items must be at least 2, got {int(sizes.min())!r}")
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        # Of the pilot's deviation over the true one.
        ratio = np.sqrt(chdtri(self.n_0 - 1, (1 - nodes) / 2) / (self.n_0 - 1))
        spread = np.sqrt(1 + sizes / self.n_0)
        critical = -stdtrit(sizes - 1, self.alpha / 2)
        center = np.sqrt(sizes) * (self.delta / self.sigma_d) / spread
        power = 1 - below(sizes - 1, np.multiply.outer(ratio, center), critical / spread)
        return np.asarray(np.tensordot(weights / 2, power, axes=1))


@dataclass(frozen=True, slots=True)
class _Posterior:
    """Parameters of the Betas of the discordance, and of the leader's share of it."""

    discordant: float
    concordant: float
    ahead: float
    behind: float


def _posterior(b: int, c: int, pilot_items: int) -> _Posterior:
    first, second, n = (int(x) for x in pair_counts(b, c, pilot_items))
    return _Posterior(
        discordant=first + second + 2 * _PRIOR,
        concordant=n - first - second + _PRIOR,
        ahead=max(first, second) + _PRIOR,
        behind=min(first, second) + _PRIOR,
    )


def _rejection_path(
    most: int, posterior: _Posterior, test: McNemarTest, alpha: float
) -> FloatArray:
    """Chance of a rejection for the leader given m discordant items, m = 0, ..., most.

    The leader loses C of m items, C beta-binomial, and wins where C is at most k(m). One more item
    is Polya's draw: P(C' <= k) = P(C <= k) - P(C = k) (behind + k) / (ahead + behind + m); and k
    rises by 1 at most.
    """
    m = np.arange(most + 1)
    k = critical_count(m, test, alpha)
    ahead, behind = posterior.ahead, posterior.behind
    # Where none rejects the product has no k to lose.
    lost = _beta_binomial(k, m, behind, ahead) * (behind + k) / (ahead + behind + m)
    rises = np.diff(k) > 0
    gained = np.where(rises, _beta_binomial(k[1:], m[1:], behind, ahead), 0.0)
    return np.concatenate([[0.0], np.cumsum(gained - lost[:-1])])


def _mean_over_discordance(given: FloatArray, n: int, posterior: _Posterior) -> float:
    """Mean over the beta-binomial number of discordant items of n."""
    m = np.arange(n + 1)
    return float(
        _beta_binomial(m, m * 0 + n, posterior.discordant, posterior.concordant) @ given[: n + 1]
    )


def _beta_binomial(k: IntArray, m: IntArray, first: float, second: float) -> FloatArray:
    """P(C = k) of m, with parameters of success and failure; 0 where k is negative."""
    inside = k >= 0
    at = np.where(inside, k, 0)
    log_mass = betaln(at + first, m - at + second) - betaln(first, second)
    log_choose = -np.log1p(m) - betaln(m - at + 1, at + 1)
    return np.where(inside, np.exp(log_mass + log_choose), 0.0)
