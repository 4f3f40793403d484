r"""A reference table, one latent Gaussian factor, and its smallest change that makes numbers true.

Model m solves an item of easiness :math:`F \sim N(0, 1)` with probability

.. math:: \Phi\!\left(\frac{\Phi^{-1}(p_m) + \lambda_m F}{\sqrt{1-\lambda_m^2}}\right),

independently of the other models given F. Its accuracy is :math:`p_m` for any loading
:math:`\lambda_m`, and the latent correlation of two models is :math:`\lambda_m\lambda_k`.

A table :math:`x` that meets linear rows :math:`Ax = b` is nearest to the reference :math:`q` in
relative entropy, :math:`\min_x \sum_j x_j \log(x_j/q_j) - x_j + q_j`: over real tables by Newton's
method on the dual, over whole tables by integer programming.

Printed summaries (medians, quartiles, extremes) are functions of free quantities :math:`v`, of
which the reference expects :math:`v_0`; rounding gives each summary an interval. Moving them costs
:math:`\tfrac12 (v-v_0)^\top Q (v-v_0)`, the relative entropy to second order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from scipy.optimize import Bounds, LinearConstraint
from scipy.special import expit, ndtr, ndtri

from llm_power._statistics.argument_checks import finite, non_negative, positive, refuse
from llm_power._statistics.arrays import ArrayLike, FloatArray, IntArray
from replication.whole_numbers import whole_solution

# The trapezoid rule on a fine grid: spectrally accurate for a Gaussian-weighted smooth integrand.
_GRID = np.linspace(-7.0, 7.0, 281)
_WEIGHTS = np.exp(-np.square(_GRID) / 2) / np.exp(-np.square(_GRID) / 2).sum()

Summaries = Callable[[FloatArray], FloatArray]

_NEWTON_STEPS = 200
_LARGEST_EXPONENT = 300.0
# Half the width of the window around each cell's center, at first and at most.
_NARROWEST, _WIDEST = 4, 64

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


def cell_patterns(n_models: int) -> IntArray:
    """Return the patterns of solving models, sorted; 0/1, shape (2**n_models, n_models)."""
    return np.array(list(product((0, 1), repeat=n_models)), dtype=np.int64)


def model_pairs(n_models: int) -> tuple[tuple[int, int], ...]:
    """Return all pairs of models, the first before the second."""
    return tuple(combinations(range(n_models), 2))


def reference_cells(p: ArrayLike, loadings: ArrayLike) -> FloatArray:
    """Return the probability of every pattern of solving models, shape (2**n_models,)."""
    curves = _item_curves(p, loadings)
    patterns = cell_patterns(curves.shape[1])
    of_pattern = np.where(patterns[None] == 1, curves[:, None, :], 1 - curves[:, None, :])
    cells: FloatArray = (_WEIGHTS[:, None] * of_pattern.prod(axis=2)).sum(axis=0)
    return cells


def reference_overlaps(p: ArrayLike, loadings: ArrayLike) -> FloatArray:
    """Return the probability that both models of a pair solve an item, shape (n_pairs,)."""
    curves = _item_curves(p, loadings)
    first, second = np.array(model_pairs(curves.shape[1])).T
    overlaps: FloatArray = (_WEIGHTS[:, None] * curves[:, first] * curves[:, second]).sum(axis=0)
    return overlaps


def product_loadings(task_logits: ArrayLike, model_discounts: ArrayLike) -> FloatArray:
    r"""Loadings :math:`\lambda_{tm} = \mathrm{expit}(a_t)\,e^{-u_m}` of every task and model."""
    tasks = finite("task_logits", task_logits)
    models = non_negative("model_discounts", model_discounts)
    return np.asarray(expit(tasks)[:, None] * np.exp(-models)[None, :])


def _item_curves(p: ArrayLike, loadings: ArrayLike) -> FloatArray:
    accuracy, loading = np.broadcast_arrays(finite("p", p), finite("loadings", loadings))
    for name, values, low in (("p", accuracy, 0.0), ("loadings", loading, -1.0)):
        outside = (values <= low) | (values >= 1)
        refuse(name, values, outside, f"lie strictly between {low:g} and 1")
    location = ndtri(accuracy)[None, :] + loading[None, :] * _GRID[:, None]
    return np.asarray(ndtr(location / np.sqrt(1 - np.square(loading))[None, :]))


def information_projection(
    reference: FloatArray, rows: FloatArray, targets: FloatArray
) -> FloatArray:
    r"""Project `reference`, shape (n_cells,), onto the tables with ``rows @ table == targets``."""
    # The solution is `q\exp(A^\top\mu)`; `\mu` minimizes the convex dual `\sum q\exp(A^\top\mu) -
    # \mu^\top b`. Csiszár (1975), doi:10.1214/aop/1176996454.
    q = positive("reference", reference)
    mu = np.zeros(len(targets))
    cells = q
    tolerance = 1e-10 * max(1.0, float(np.abs(targets).max()))
    for _ in range(_NEWTON_STEPS):
        gradient = rows @ cells - targets
        if np.abs(gradient).max() < tolerance:
            break
        step = np.asarray(np.linalg.lstsq((rows * cells) @ rows.T, gradient, rcond=None)[0])
        mu = _line_search(q, rows, targets, mu, step)
        cells = q * np.exp(rows.T @ mu)
    return np.asarray(cells)


def integer_projection(
    center: FloatArray, rows: FloatArray, targets: FloatArray
) -> IntArray | None:
    """Return the whole table with ``rows @ table == targets`` nearest to `center`."""
    # The cost of a cell is convex, so it is a sum of growing increments of one item each: with a
    # binary an item, an optimal solution takes them in order, and the program is linear. An
    # optimum that touches no edge of the window is global, again by convexity.
    p = positive("center", center)
    largest = max(float(p.sum()), float(np.abs(targets).max()))
    window = _NARROWEST
    while True:
        base = np.maximum(np.floor(p) - window, 0.0)
        units = _solve_units(p, base, 2 * window + 1, rows, targets)
        everything = window > largest
        if units is not None:
            inside = (units < 2 * window + 1) & ((units > 0) | (base == 0))
            if everything or bool(np.all(inside)):
                return np.asarray(base + units, dtype=np.int64)
        elif everything or window >= _WIDEST:
            return None
        window *= 2


def _solve_units(
    p: FloatArray, base: FloatArray, n_units: int, rows: FloatArray, targets: FloatArray
) -> FloatArray | None:
    levels = base[:, None] + np.arange(n_units + 1)
    price = np.diff(_cost(levels, p[:, None]), axis=1)
    left = targets - rows @ base
    meets = LinearConstraint(np.repeat(rows, n_units, axis=1), left, left)
    solution = whole_solution(price.ravel(), [meets], Bounds(0, 1))
    return None if solution is None else np.rint(solution).reshape(price.shape).sum(axis=1)


def _cost(x: FloatArray, q: FloatArray) -> FloatArray:
    x, q = np.broadcast_arrays(x, q)
    log_ratio = np.zeros(x.shape)
    np.log(x / q, out=log_ratio, where=x > 0)
    return np.asarray(x * log_ratio - x + q)


def _line_search(
    q: FloatArray, rows: FloatArray, targets: FloatArray, mu: FloatArray, step: FloatArray
) -> FloatArray:
    """Armijo backtracking on the dual."""

    def dual(at: FloatArray) -> float:
        exponent = rows.T @ at
        if exponent.max() > _LARGEST_EXPONENT:
            return np.inf
        return float((q * np.exp(exponent)).sum() - at @ targets)

    before = dual(mu)
    decrease = float((rows @ (q * np.exp(rows.T @ mu)) - targets) @ step)
    size = 1.0
    while size > 1e-12:
        trial = np.asarray(mu - size * step)
        # Near the optimum the decrease drowns in the rounding of the dual's own value.
        if dual(trial) <= before - 1e-4 * size * decrease + 1e-12 * abs(before):
            return trial
        size /= 2
    return mu


def smallest_tilt(
    center: FloatArray,
    precision: FloatArray,
    *,
    bounds: tuple[FloatArray, FloatArray],
    summaries: Summaries,
    printed: tuple[FloatArray, FloatArray],
    weights: FloatArray,
) -> IntArray:
    """Move the free quantities as little as possible until the summaries are as printed."""
    # The objective is the cost plus an exact penalty (Nocedal and Wright 2006, section 17.2,
    # doi:10.1007/978-0-387-40065-5), searched over whole values by the best move of one or two
    # quantities at a time, from coarse to fine. Order statistics have kinks where two pairs change
    # places; there, a gradient method depends on the last bit of a sum. A search over whole values
    # does not, but it is local: the solution is not proved to be the cheapest.
    lower, upper = printed
    middle, half = (lower + upper) / 2, (upper - lower) / 2

    # In half widths: a summary is met if that is at most 1 in magnitude.
    def residuals(values: FloatArray) -> FloatArray:
        return np.asarray((summaries(values) - middle) / half)

    problem = _Problem(center, precision, bounds, residuals, weights)
    results = [_search(problem, coarsest) for coarsest in _COARSEST]
    return min(results, key=lambda v: float(problem.score(v, 1.0))).astype(np.int64)


@dataclass(frozen=True, slots=True)
class _Problem:
    center: FloatArray
    precision: FloatArray
    bounds: tuple[FloatArray, FloatArray]
    residuals: Summaries
    weights: FloatArray

    def cost(self, values: FloatArray) -> FloatArray:
        moved = values - self.center
        # einsum, not BLAS: the same sum in the same order with any number of threads.
        return np.asarray((np.einsum("...i,ij->...j", moved, self.precision) * moved).sum(-1) / 2)

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
