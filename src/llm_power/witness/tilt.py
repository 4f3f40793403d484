r"""The smallest change of free quantities that makes printed summaries come true.

A reference leaves some quantities :math:`v` free and expects :math:`v_0`; the cost of moving them
is quadratic, :math:`\tfrac12 (v-v_0)^\top Q (v-v_0)`, the second-order relative entropy. The
printed summaries (medians, quartiles, extremes) are functions of :math:`v` with an interval each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.optimize import Bounds, NonlinearConstraint, minimize

from llm_power.statistics._typing import FloatArray, IntArray

Summaries = Callable[[FloatArray], FloatArray]

# Share of a printed interval that the real solution may use: whole numbers move it again.
_MARGIN = 0.8
_FULL = 0.999
_STEP = 1e-4
_MOVES = 200


@dataclass(frozen=True, slots=True)
class Tilt:
    """Whole values of the free quantities.

    Attributes
    ----------
    values : ndarray of int, shape (n_free,)
        The free quantities.
    cost : float
        Quadratic cost against the reference, in nats.
    residuals : ndarray, shape (n_summaries,)
        Summary minus printed center, in half widths of the printed interval; within 1 it is met.
    """

    values: IntArray
    cost: float
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
    """Move the free quantities as little as possible until the summaries are as printed.

    Parameters
    ----------
    center : ndarray, shape (n_free,)
        What the reference expects.
    precision : ndarray, shape (n_free, n_free)
        Symmetric positive definite Q: nats for a move of one unit.
    bounds : pair of ndarray, shape (n_free,)
        Admissible values, whole numbers.
    summaries : callable
        From values of shape (..., n_free) to summaries of shape (..., n_summaries).
    printed : pair of ndarray, shape (n_summaries,)
        Lower and upper end of each printed interval.
    weights : ndarray, shape (n_summaries,)
        Nats that one half width outside of the interval costs: larger is met first.

    Returns
    -------
    Tilt
        Summaries that cannot be met keep a residual beyond 1; nothing is raised.

    Notes
    -----
    An exact penalty keeps the real problem feasible whatever is asked of it (Nocedal and Wright
    2006, section 17.2, doi:10.1007/978-0-387-40065-5); solved by SLSQP, then rounded, then
    improved by the best change of one or two quantities by one unit until none improves. Order
    statistics are not convex: a local solution.
    """
    lower, upper = printed
    middle, half = (lower + upper) / 2, (upper - lower) / 2

    def residuals(values: FloatArray) -> FloatArray:
        return np.asarray((summaries(values) - middle) / half)

    problem = _Problem(center, precision, bounds, residuals, weights)
    values = _improve(problem, np.clip(np.rint(_real_tilt(problem)), *bounds))
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

    def score(self, values: FloatArray) -> FloatArray:
        """Cost plus penalty of whole values; infinite outside of the bounds."""
        outside = np.maximum(np.abs(self.residuals(values)) - _FULL, 0.0)
        inside = np.all((values >= self.bounds[0]) & (values <= self.bounds[1]), axis=-1)
        total = (outside * self.weights).sum(axis=-1) + self.cost(values)
        return np.where(inside, total, np.inf)


def _real_tilt(problem: _Problem) -> FloatArray:
    """Minimize over u = (v - v0)/scale and a slack for each summary."""
    scale = np.sqrt(np.diag(np.linalg.inv(problem.precision)))
    scaled = problem.precision * np.outer(scale, scale)
    n_free, n_summaries = len(problem.center), len(problem.weights)
    nudges = _STEP * np.eye(n_free)

    def residuals(u: FloatArray) -> FloatArray:
        return problem.residuals(problem.center + u * scale)

    def slopes(u: FloatArray) -> FloatArray:
        return (residuals(u + nudges) - residuals(u - nudges)).T / (2 * _STEP)

    def objective(x: FloatArray) -> float:
        return float(_quadratic(x[:n_free], scaled)) / 2 + float(problem.weights @ x[n_free:])

    def gradient(x: FloatArray) -> FloatArray:
        return np.concatenate([scaled @ x[:n_free], problem.weights])

    def room(x: FloatArray) -> FloatArray:
        value, allowed = residuals(x[:n_free]), _MARGIN + x[n_free:]
        return np.concatenate([allowed - value, allowed + value])

    def room_slopes(x: FloatArray) -> FloatArray:
        by_free, by_slack = slopes(x[:n_free]), np.eye(n_summaries)
        return np.block([[-by_free, by_slack], [by_free, by_slack]])

    start = np.zeros(n_free)
    low, high = ((bound - problem.center) / scale for bound in problem.bounds)
    solution = minimize(
        objective,
        np.concatenate([start, np.abs(residuals(start))]),
        jac=gradient,
        method="SLSQP",
        bounds=Bounds(
            np.concatenate([low, np.zeros(n_summaries)]),
            np.concatenate([high, np.full(n_summaries, np.inf)]),
        ),
        constraints=NonlinearConstraint(room, 0.0, np.inf, jac=room_slopes),
        options={"maxiter": 200, "ftol": 1e-8},
    )
    return np.asarray(problem.center + solution.x[:n_free] * scale)


def _improve(problem: _Problem, values: FloatArray) -> FloatArray:
    single = [sign * row for row in np.eye(len(values)) for sign in (-1.0, 1.0)]
    moves = np.array(single + [a + b for a, b in combinations(single, 2)])
    best = float(problem.score(values))
    for _ in range(_MOVES):
        scores = problem.score(values + moves)
        k = int(scores.argmin())
        if scores[k] >= best - 1e-9:
            break
        values, best = values + moves[k], float(scores[k])
    return values


def _quadratic(x: FloatArray, matrix: FloatArray) -> FloatArray:
    # einsum, not BLAS: the same sum in the same order with any number of threads.
    return np.asarray((np.einsum("...i,ij->...j", x, matrix) * x).sum(axis=-1))
