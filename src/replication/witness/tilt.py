r"""The smallest change of a reference that makes printed summaries true.

The reference expects :math:`v_0` of the free quantities :math:`v`. Moving them costs
:math:`\tfrac12 (v-v_0)^\top Q (v-v_0)`, the relative entropy to second order. The printed
summaries (medians, quartiles, extremes) are functions of :math:`v`; rounding gives each an
interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from llm_power._statistics.arrays import FloatArray, IntArray

Summaries = Callable[[FloatArray], FloatArray]

# Share of an interval that is aimed at: a value at the very edge could round either way.
_FULL = 0.999
# Sizes of moves, in standard deviations of the reference: coarse to fine, then single units. Each
# size of the coarsest move has its own search; the best result is kept.
_COARSEST = (2.0, 1.0, 0.5)
_REFINEMENT = (1.0, 0.3, 0.1, 0.03, 0.0)
# The penalty grows in steps: first the shape of the solution, then the last digit.
_PENALTY_STEPS = (0.01, 0.1, 1.0)
# Scores are compared to this many decimals, so that a tie is a tie on every machine.
_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Tilt:
    """Whole values of the free quantities."""

    # The free quantities, shape (n_free,).
    values: IntArray
    # Quadratic cost against the reference, in nats.
    cost: float
    # Summary minus center of its interval, in half widths; met if at most 1 in magnitude.
    residuals: FloatArray


def smallest_tilt(
    center: FloatArray,
    precision: FloatArray,
    *,
    bounds: tuple[FloatArray, FloatArray],
    summaries: Summaries,
    printed: tuple[FloatArray, FloatArray],
    weights: FloatArray,
) -> Tilt:
    """Move the free quantities as little as possible until the summaries are as printed."""
    # The objective is the cost plus an exact penalty (Nocedal and Wright 2006, section 17.2,
    # doi:10.1007/978-0-387-40065-5), searched over whole values by the best move of one or two
    # quantities at a time, from coarse to fine. Order statistics have kinks where two pairs change
    # places; there, a gradient method depends on the last bit of a sum. A search over whole values
    # does not, but it is local: the solution is not proved to be the cheapest.
    lower, upper = printed
    middle, half = (lower + upper) / 2, (upper - lower) / 2

    def residuals(values: FloatArray) -> FloatArray:
        return np.asarray((summaries(values) - middle) / half)

    problem = _Problem(center, precision, bounds, residuals, weights)
    results = [_search(problem, coarsest) for coarsest in _COARSEST]
    values = min(results, key=lambda v: float(problem.score(v, 1.0)))
    return Tilt(values.astype(np.int64), float(problem.cost(values)), residuals(values))


@dataclass(frozen=True, slots=True)
class _Problem:
    center: FloatArray
    precision: FloatArray
    bounds: tuple[FloatArray, FloatArray]
    residuals: Summaries
    weights: FloatArray

    def cost(self, values: FloatArray) -> FloatArray:
        return _quadratic(values - self.center, self.precision) / 2

    def score(self, values: FloatArray, penalty: float) -> FloatArray:
        """Cost plus penalty; infinite outside of the bounds."""
        outside = np.maximum(np.abs(self.residuals(values)) - _FULL, 0.0)
        inside = np.all((values >= self.bounds[0]) & (values <= self.bounds[1]), axis=-1)
        total = penalty * (outside * self.weights).sum(axis=-1) + self.cost(values)
        return np.asarray(np.round(np.where(inside, total, np.inf), _DECIMALS), dtype=np.float64)


def _search(problem: _Problem, coarsest: float) -> FloatArray:
    n_free = len(problem.center)
    single = [sign * row for row in np.eye(n_free) for sign in (-1.0, 1.0)]
    double = [a + b for a, b in combinations(single, 2) if np.any(a + b)]
    directions = np.array(single + double)
    deviation = np.sqrt(np.diag(np.linalg.inv(problem.precision)))
    values = np.clip(np.rint(problem.center), *problem.bounds)
    for penalty in _PENALTY_STEPS:
        for refinement in _REFINEMENT:
            step = np.maximum(1.0, np.rint(coarsest * refinement * deviation))
            values = _descend(problem, values, directions * step, penalty)
    return values


def _descend(
    problem: _Problem, values: FloatArray, moves: FloatArray, penalty: float
) -> FloatArray:
    """Take the best move until none improves; it ends, as whole values in bounds are finite."""
    best = float(problem.score(values, penalty))
    while True:
        scores = problem.score(values + moves, penalty)
        k = int(scores.argmin())
        if scores[k] >= best:
            return values
        values, best = values + moves[k], float(scores[k])


def _quadratic(x: FloatArray, matrix: FloatArray) -> FloatArray:
    # einsum, not BLAS: the same sum in the same order with any number of threads.
    return np.asarray((np.einsum("...i,ij->...j", x, matrix) * x).sum(axis=-1))
