r"""The table nearest to a reference in relative entropy, among those that meet linear rows.

:math:`\min_x \sum_j x_j \log(x_j/q_j) - x_j + q_j` subject to :math:`Ax = b`: over real tables by
Newton's method on the dual, over whole tables by integer programming.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from llm_power._statistics.argument_checks import positive
from llm_power._statistics.arrays import FloatArray, IntArray

_NEWTON_STEPS = 200
_LARGEST_EXPONENT = 300.0
_WIDEST = 64


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
    center: FloatArray, rows: FloatArray, targets: FloatArray, *, window: int = 4
) -> IntArray | None:
    """Return the whole table with ``rows @ table == targets`` nearest to `center`."""
    # The cost of a cell is convex, so it is a sum of growing increments of one item each: with a
    # binary an item, an optimal solution takes them in order, and the program is linear. An
    # optimum that touches no edge of the window is global, again by convexity.
    p = positive("center", center)
    reach = max(float(p.sum()), float(np.abs(targets).max()))
    while True:
        base = np.maximum(np.floor(p) - window, 0.0)
        units = _solve_units(p, base, 2 * window + 1, rows, targets)
        everything = window > reach
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
    solution = milp(
        price.ravel(),
        constraints=LinearConstraint(np.repeat(rows, n_units, axis=1), left, left),
        integrality=np.ones(price.size, dtype=np.int64),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0},
    )
    return None if solution.x is None else np.rint(solution.x).reshape(price.shape).sum(axis=1)


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
