r"""The discordant items of one pair, cluster by cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from llm_power._statistics.arrays import FloatArray, IntArray, ordered_product
from replication.witness.gap_misfit import (
    Misfit,
    PairTargets,
    Score,
    explained_interval,
)
from replication.witness.whole_gaps import SHORTLIST, integer_gaps, split_discordant

# The search: number of starts, steps of each, starts kept, their further steps. The result depends
# on them, so they are fixed: nothing stops early, nothing depends on time.
_STARTS: Final = 24
_STEPS: Final = 14
_KEPT: Final = 4
_LAST_STEPS: Final = 30
_WIDTHS: Final = (3, 5)


@dataclass(frozen=True, slots=True)
class ClusterGaps:
    """Discordant counts of one pair in each cluster."""

    # Items of each cluster that only the first, and only the second, model solves.
    b: IntArray
    c: IntArray
    # Half the sum of squared residuals on Tables 8 and 9.
    misfit: float
    # Number of whole gaps with Q in the interval. If it is 0, the gaps returned are those with Q
    # nearest to the interval.
    n_solutions: int


def fit_gaps(targets: PairTargets, resamples: IntArray, rng: np.random.Generator) -> FloatArray:
    """Fit real-valued gaps: Table 4 is met, Tables 8 and 9 as nearly as possible."""
    # Levenberg-Marquardt on the sphere of gaps with this D and Q, from many points at once. The
    # gradient of a percentile is the mean gradient of the resamples around it. Nothing here is a
    # global optimum: other starts give other gaps of about the same misfit.
    lower, upper = explained_interval(targets)
    n = targets.n_items.astype(np.float64)
    total = n.sum()
    radius = np.sqrt(max((lower + upper) / 2 - targets.difference**2 / total, 0.0))
    # d = D n/N + radius sqrt(n) (basis v) has sum D for every v, and this Q for |v| = 1.
    basis = np.sqrt(n)[:, None] * _complement(np.sqrt(n / total)) * radius
    center = targets.difference * n / total
    misfit = Misfit(targets, resamples)

    points = _unit(_starting_points(targets, rng) @ _complement(np.sqrt(n / total)))
    points, costs = _descend(misfit, center, basis, points, _STEPS)
    best = np.argsort(costs, kind="stable")[:_KEPT]
    points, _ = _descend(misfit, center, basis, points[best], _LAST_STEPS)
    return np.asarray(center + _times(basis, points))


def fit_pair(targets: PairTargets, resamples: IntArray, rng: np.random.Generator) -> ClusterGaps:
    """Find the discordant counts of one pair in each cluster: all three steps."""
    misfit = Misfit(targets, resamples).score
    solutions = [
        _whole_solution(targets, real, misfit) for real in fit_gaps(targets, resamples, rng)
    ]
    costs = misfit(np.stack([gaps for gaps, _ in solutions]).astype(np.float64))
    # A solution comes before the nearest miss; then the smaller misfit.
    unsolved = np.array([n_solutions == 0 for _, n_solutions in solutions])
    best = int(np.lexsort((costs, unsolved))[0])
    gaps, n_solutions = solutions[best]
    b, c = split_discordant(targets, gaps)
    return ClusterGaps(b, c, float(costs[best]), n_solutions)


def _whole_solution(targets: PairTargets, real: FloatArray, misfit: Score) -> tuple[IntArray, int]:
    """Search a narrow window; if that has too few solutions, a wider one."""
    for width in _WIDTHS:
        gaps, n_solutions = integer_gaps(targets, real, misfit, width=width)
        if n_solutions >= SHORTLIST:
            break
    return gaps, n_solutions


def _times(matrix: FloatArray, vectors: FloatArray) -> FloatArray:
    """Matrix (n, m) times each row of `vectors` (n_candidates, m)."""
    return ordered_product(vectors, np.ascontiguousarray(matrix.T))


def _complement(direction: FloatArray) -> FloatArray:
    """Orthonormal columns that complete the unit vector `direction`: a Householder reflection."""
    axis = np.zeros_like(direction)
    axis[0] = 1.0
    mirror = direction + axis
    reflection = np.eye(len(direction)) - 2 * np.outer(mirror, mirror) / np.square(mirror).sum()
    return np.asarray(reflection[:, 1:])


def _unit(vectors: FloatArray) -> FloatArray:
    return np.asarray(vectors / np.sqrt(np.square(vectors).sum(axis=1, keepdims=True)))


def _starting_points(targets: PairTargets, rng: np.random.Generator) -> FloatArray:
    """Return starts: half are Gaussian, half have gaps of similar size and random sign."""
    k = len(targets.n_items)
    gaussian = rng.normal(size=(_STARTS // 2, k))
    signs = rng.choice([-1.0, 1.0], size=(_STARTS - _STARTS // 2, k))
    points = np.concatenate([gaussian, signs * rng.uniform(0.7, 1.3, size=signs.shape)])
    if targets.unresolved_without is not None:
        # Dropping a category whose gap has the opposite sign helps to resolve the pair.
        against = ~targets.unresolved_without
        points[:, against] = -np.sign(targets.difference) * np.abs(points[:, against])
    return np.asarray(points * np.sqrt(targets.n_items))


def _descend(
    misfit: Misfit, center: FloatArray, basis: FloatArray, points: FloatArray, steps: int
) -> tuple[FloatArray, FloatArray]:
    """Levenberg-Marquardt from each of `points` on the unit sphere, a fixed number of steps."""

    def evaluate(at: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        value, gradient = misfit.residuals(center + _times(basis, at))
        return value, gradient, 0.5 * np.square(value).sum(axis=1)

    value, gradient, cost = evaluate(points)
    damping = np.full(len(points), 1.0)
    for _ in range(steps):
        slope = np.einsum("smk,kj->smj", gradient, basis)
        normal = np.einsum("smi,smj->sij", slope, slope)
        size = np.maximum(np.trace(normal, axis1=1, axis2=2) / normal.shape[1], 1e-12)
        normal += (damping * size)[:, None, None] * np.eye(normal.shape[1])
        downhill = np.einsum("smj,sm->sj", slope, value)
        step = np.linalg.solve(normal, -downhill[..., None])[..., 0]
        step -= points * (points * step).sum(axis=1, keepdims=True)
        trial = _unit(points + step)
        new_value, new_gradient, new_cost = evaluate(trial)
        better = new_cost < cost
        damping = np.where(better, damping / 4, damping * 4)
        points = np.where(better[:, None], trial, points)
        value = np.where(better[:, None], new_value, value)
        gradient = np.where(better[:, None, None], new_gradient, gradient)
        cost = np.where(better, new_cost, cost)
    return points, cost
