"""Overlaps n11 of all pairs: a one-factor reference is fitted, projected and tilted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.linalg import block_diag
from scipy.optimize import least_squares

from kotawala2026.witness._oll_v1_limits import PairLimits
from kotawala2026.witness.oll_v1_summaries import PairPanel, is_summary
from llm_power.statistics._typing import FloatArray
from replication.constraints import Constraint
from replication.witness.one_factor import product_loadings, reference_cells, reference_overlaps
from replication.witness.projection import information_projection
from replication.witness.tilt import smallest_tilt

# Least squares: an error of 0.02 in a correlation weighs as much as one of 2% in a gain.
_RHO_SCALE, _GAIN_SCALE = 0.02, 0.02
_START: Final = np.array([3.0, 4.0, 2.0, 1.0, 0.05, 0.03, 0.03, 0.01, 0.15])
_LOGIT_LIMITS, _DISCOUNT_LIMITS = (-4.0, 7.0), (0.0, 1.0)
# Penalty in nats for half a printed unit outside of the interval: inputs are met before targets.
_WEIGHT: Final = {"input": 1000.0, "target": 100.0}


def fit_loadings(panel: PairPanel, limits: PairLimits, fitted: Sequence[Constraint]) -> FloatArray:
    """Fit the loadings of every task and model by least squares on fixed overlaps and on gains."""
    # Gains are compared after the projection; fixed overlaps before it, as it makes them exact.
    board, fixed = limits.board, limits.fixed
    n_tasks = len(board.tasks)
    gains = [c for c in fitted if is_summary(c) and c.quantity.startswith("miller_gain")]
    printed_gains = np.array([c.printed.value for c in gains])
    accuracies = [board.solved[task] / board.n_items[task] for task in board.tasks]

    def loadings(theta: FloatArray) -> FloatArray:
        return product_loadings(theta[:n_tasks], theta[n_tasks:])

    def residuals(theta: FloatArray) -> FloatArray:
        lam = loadings(theta)
        free = np.concatenate(
            [reference_overlaps(p, row) for p, row in zip(accuracies, lam, strict=True)]
        )
        rho_off = (panel.rho(free * panel.n) - panel.rho(limits.middle))[fixed] / _RHO_SCALE
        overlaps = np.concatenate(
            [_Fiber.of(limits, task, lam[k]).overlaps for k, task in enumerate(board.tasks)]
        )
        gain_off = np.log(panel.summaries(gains, overlaps) / printed_gains) / _GAIN_SCALE
        return np.concatenate([rho_off, gain_off])

    start = _start(n_tasks, len(board.models))
    if not gains and not fixed.any():
        return loadings(start)
    lower, upper = np.array([_LOGIT_LIMITS] * n_tasks + [_DISCOUNT_LIMITS] * len(board.models)).T
    solution = least_squares(residuals, start, diff_step=[1e-3], max_nfev=40, bounds=(lower, upper))
    # Six decimals: what follows must not depend on the last bit of a decomposition.
    return loadings(np.round(solution.x, 6))


def reference_table(limits: PairLimits, task: str, loadings: FloatArray) -> FloatArray:
    """Return the items that the one-factor model expects in each cell, at the task's accuracies."""
    n = limits.board.n_items[task]
    return n * reference_cells(limits.board.solved[task] / n, loadings)


def _start(n_tasks: int, n_models: int) -> FloatArray:
    if (n_tasks, n_models) == (4, 5):
        return _START
    return np.concatenate([np.full(n_tasks, 2.0), np.full(n_models, 0.05)])


@dataclass(frozen=True, slots=True, eq=False)
class _Fiber:
    """One task's reference, projected onto its marginals and fixed overlaps."""

    cells: FloatArray
    overlaps: FloatArray
    precision: FloatArray

    @classmethod
    def of(cls, limits: PairLimits, task: str, loadings: FloatArray) -> _Fiber:
        rows, sums = limits.fixed_sums(task)
        cells = information_projection(reference_table(limits, task, loadings), rows, sums)
        fixed = limits.fixed[limits.of_task(task)]
        every = limits.overlap_rows(np.ones(len(fixed), dtype=np.bool_))
        free = every[~fixed]
        # Curvature of the relative entropy in the free overlaps: inverse Schur complement.
        within = (rows * cells) @ rows.T
        across = (free * cells) @ rows.T
        schur = (free * cells) @ free.T - across @ np.linalg.pinv(within) @ across.T
        return cls(cells, np.asarray(every @ cells), np.asarray(np.linalg.inv(schur)))


def tilt_overlaps(
    panel: PairPanel, limits: PairLimits, loadings: FloatArray, fitted: Sequence[Constraint]
) -> tuple[FloatArray, float, list[FloatArray]]:
    """Return the overlaps of all pairs, the cost of the tilt, and the real tables before it."""
    board, free = limits.board, ~limits.fixed
    fibers = [_Fiber.of(limits, task, loadings[k]) for k, task in enumerate(board.tasks)]
    untilted = [fiber.cells for fiber in fibers]
    wanted = [c for c in fitted if is_summary(c)]
    overlaps = np.where(
        limits.fixed, limits.middle, np.concatenate([fiber.overlaps for fiber in fibers])
    )

    def complete(values: FloatArray) -> FloatArray:
        every = np.broadcast_to(overlaps, (*values.shape[:-1], len(overlaps))).copy()
        every[..., free] = values
        return every

    def summaries(values: FloatArray) -> FloatArray:
        return panel.summaries(wanted, complete(values))

    if not wanted or not free.any():
        return complete(np.rint(overlaps[free])), 0.0, untilted
    tilt = smallest_tilt(
        overlaps[free],
        block_diag(*(fiber.precision for fiber in fibers)),
        bounds=(limits.lower[free] + 1, limits.upper[free] - 1),
        summaries=summaries,
        printed=(
            np.array([c.interval[0] for c in wanted]),
            np.array([c.interval[1] for c in wanted]),
        ),
        weights=np.array([_WEIGHT[c.role] for c in wanted]),
    )
    return complete(tilt.values.astype(np.float64)), tilt.cost, untilted
