"""Witness of the Open LLM Leaderboard v1: five models, four tasks."""
# As few printed numbers as possible are dropped, so that the rest can hold. Each task is then a
# table of 32 whole cells, one a pattern of solving models:
# 1. reference: one factor, loadings by least squares on the fitted overlaps and gains;
# 2. projection onto the fitted margins and overlaps (kept too: nothing of Table 3 is in it);
# 3. smallest change of all other overlaps that makes fitted percentiles true;
# 4. projection onto all overlaps, then the nearest table of whole items.

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import pandas as pd
from scipy.linalg import block_diag
from scipy.optimize import least_squares

from kotawala2026.labels import FIVE_NUMBERS, bucket_mask
from kotawala2026.operating_point import K
from kotawala2026.witness.oll_v1_board import (
    LINEAR,
    Board,
    find_contradictions,
    nominal_board,
    rows_by_task,
    solved_items,
)
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray
from llm_power._statistics.paired_binary import cohens_h
from llm_power_audit.printed_tables import PublishedError
from replication.constraints import BoardScore, Constraint, select, witness_task
from replication.contradictions import Contradiction, LinearRow
from replication.witness.reference import (
    cell_patterns,
    information_projection,
    integer_projection,
    model_pairs,
    product_loadings,
    reference_cells,
    reference_overlaps,
    smallest_tilt,
)

Moment = Literal["gain", "r", "shortcut"]

# By the last word of a quantity; "worst" is the largest r.
_QUANTILES: Final = FIVE_NUMBERS | {"worst": 1.0}
_SUMMARY: Final = re.compile(
    r"(?P<moment>miller_gain|shortcut_ratio|r)_(?P<statistic>min|q1|median|q3|max|worst)"
)
_MOMENT: Final[dict[str, Moment]] = {
    "miller_gain": "gain",
    "shortcut_ratio": "shortcut",
    "r": "r",
}


def is_summary(c: Constraint) -> bool:
    """Whether the number is a percentile of the gain, of r or of n_h/N* over pairs."""
    return _SUMMARY.fullmatch(c.quantity) is not None


class PairPanel:
    """Gain, r and n_h/N* of all pairs as functions of their overlaps, shape (..., n_pairs)."""

    def __init__(self, board: Board) -> None:
        self.n, self.m_a, self.m_b = board.per_pair()
        p_a, p_b = self.m_a / self.n, self.m_b / self.n
        self.gap = p_a - p_b
        self.spread = p_a * (1 - p_a) + p_b * (1 - p_b)
        self.scale = np.sqrt(p_a * (1 - p_a) * p_b * (1 - p_b))
        self.independent = p_a * p_b
        self.h = cohens_h(p_a, p_b)

    def rho(self, overlaps: FloatArray) -> FloatArray:
        """Correlation of the two models' scores."""
        return np.asarray((overlaps / self.n - self.independent) / self.scale)

    def var_d(self, overlaps: FloatArray) -> FloatArray:
        """Variance of the paired difference."""
        discordant = (self.m_a + self.m_b - 2 * overlaps) / self.n
        return np.asarray(discordant - np.square(self.gap))

    def moment(self, name: Moment, overlaps: FloatArray) -> FloatArray:
        """Gain over the unpaired formula, r = N*/N, or n_h/N*."""
        var_d = self.var_d(overlaps)
        if name == "gain":
            return np.asarray(self.spread / var_d)
        if name == "r":
            return np.asarray(K * var_d / np.square(self.gap) / self.n)
        return np.asarray((1 - self.rho(overlaps)) * np.square(self.gap / self.h) / var_d)

    def summaries(self, wanted: Sequence[Constraint], overlaps: FloatArray) -> FloatArray:
        """Return the percentiles that `wanted` name, each over its own pairs."""
        groups: dict[tuple[Moment, tuple[str, ...]], dict[int, float]] = {}
        for place, c in enumerate(wanted):
            match = _SUMMARY.fullmatch(c.quantity)
            if match is None:
                raise PublishedError(f"oll_v1: {c.quantity!r} is no summary of pairs")
            group = groups.setdefault((_MOMENT[match["moment"]], c.subject), {})
            group[place] = 100 * _QUANTILES[match["statistic"]]
        moments = {name: self.moment(name, overlaps) for name, _ in groups}
        values = np.empty((*overlaps.shape[:-1], len(wanted)))
        for (name, subject), group in groups.items():
            members = bucket_mask(subject[0], self.gap) if subject else slice(None)
            percentiles = np.percentile(moments[name][..., members], [*group.values()], axis=-1)
            values[..., [*group]] = np.moveaxis(percentiles, 0, -1)
        return values


@dataclass(frozen=True, slots=True, eq=False)
class PairLimits:
    """Items solved, and the interval of n11 that the fitted numbers leave to each pair."""

    board: Board
    lower: FloatArray
    upper: FloatArray
    fixed: BoolArray

    @classmethod
    def of(
        cls, nominal: Board, fitted: Sequence[Constraint], dropped: Sequence[Constraint]
    ) -> PairLimits:
        """Derive the limits from the fitted numbers; `dropped` are the minimum corrections."""
        rows = rows_by_task(nominal, fitted)
        board = _fitted_board(nominal, rows, dropped)
        rows = rows_by_task(board, fitted)
        n, m_a, m_b = board.per_pair()
        lower, upper = np.maximum(0.0, m_a + m_b - n), np.minimum(m_a, m_b)
        fixed = np.zeros(len(n), dtype=np.bool_)
        for task in board.tasks:
            for row in rows[task]:
                k, low, high = _overlap_interval(board, row, task)
                if k is not None:
                    lower[k], upper[k], fixed[k] = max(lower[k], low), min(upper[k], high), True
        return cls(board, lower, upper, fixed)

    @property
    def middle(self) -> FloatArray:
        """Middle of each pair's interval, a whole number."""
        return np.floor((self.lower + self.upper) / 2)

    def of_task(self, task: str) -> slice:
        """Return the slice of the task's pairs in an array of all pairs."""
        per_task = len(self.lower) // len(self.board.tasks)
        return slice(*(per_task * (self.board.tasks.index(task) + step) for step in (0, 1)))

    def fixed_sums(self, task: str) -> tuple[FloatArray, FloatArray]:
        """Return rows and their sums: of the total, of every model, of fixed overlaps."""
        return self.sums(task, self.middle, self.fixed[self.of_task(task)])

    def sums(
        self, task: str, overlaps: FloatArray, which: BoolArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return rows and their sums: of the total, of every model, of chosen or all `overlaps`."""
        here = overlaps[self.of_task(task)]
        chosen = np.ones(len(here), dtype=np.bool_) if which is None else which
        patterns = cell_patterns(len(self.board.models)).astype(np.float64)
        rows = np.vstack([np.ones(len(patterns)), patterns.T, self.overlap_rows(chosen)])
        items = np.array([self.board.n_items[task], *self.board.solved[task]], np.float64)
        return rows, np.concatenate([items, here[chosen]])

    def overlap_rows(self, which: BoolArray) -> FloatArray:
        """Return the rows that add up to the overlaps of a task's chosen pairs."""
        patterns = cell_patterns(len(self.board.models))
        pairs = np.array(model_pairs(len(self.board.models)))[which]
        return (patterns[:, pairs[:, 0]] * patterns[:, pairs[:, 1]]).T.astype(np.float64)


def _fitted_board(
    nominal: Board, rows: Mapping[str, Sequence[LinearRow]], dropped: Sequence[Constraint]
) -> Board:
    """Return the board with the numbers of solved items that meet the fitted rows."""
    scores = [nominal.locate(c.subject) for c in select(dropped, "board_score")]
    solved = {
        task: solved_items(
            nominal,
            task,
            rows[task],
            displayed=frozenset(m for where, m, _ in scores if where == task),
        )
        for task in nominal.tasks
    }
    return Board(nominal.tasks, nominal.models, nominal.n_items, solved)


def _overlap_interval(board: Board, row: LinearRow, task: str) -> tuple[int | None, float, float]:
    """Return the pair of a row, and the interval of n11 that the row leaves to it."""
    c = row.constraint
    if c.quantity not in ("b", "c", "rho", "n_star"):
        return None, 0.0, 0.0
    _, i, j = board.locate(c.subject)
    k = board.pairs.index((task, min(i, j), max(i, j)))
    m_a, m_b = (float(board.solved[task][m]) for m in (i, j))
    if c.quantity == "rho":
        return k, row.lower, row.upper
    if c.quantity == "n_star":
        return k, float(np.ceil((m_a + m_b - row.upper) / 2)), (m_a + m_b - row.lower) // 2
    solved = m_a if c.quantity == "b" else m_b
    return k, solved - row.upper, solved - row.lower


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
) -> tuple[FloatArray, list[FloatArray]]:
    """Return the overlaps of all pairs, and the real tables before the tilt."""
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
        return complete(np.rint(overlaps[free])), untilted
    tilted = smallest_tilt(
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
    return complete(tilted.astype(np.float64)), untilted


@dataclass(frozen=True, slots=True, eq=False)
class TaskWitness:
    """Items of each pattern of solving models, shape (2**n_models,), with and without the tilt."""

    task: str
    cells: IntArray
    untilted: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class OllV1Witness:
    """The witness of the board, and the printed numbers that contradict each other."""

    board: Board
    tasks: tuple[TaskWitness, ...]
    fixed: tuple[bool, ...]
    contradictions: tuple[Contradiction, ...]
    dropped: tuple[Constraint, ...]


def build_witness(scores: Sequence[BoardScore], constraints: Sequence[Constraint]) -> OllV1Witness:
    """Build the witness from the displayed scores and the fitted printed numbers."""
    # The check for contradictions reads held-out rows too: only the others tell which number is
    # wrong.
    _check_fittable(constraints)
    board = nominal_board(scores)
    contradictions = find_contradictions(board, constraints)
    dropped = tuple(row.constraint for one in contradictions for row in one.correction)
    out = {c.id for c in dropped}
    fitted = tuple(c for c in constraints if c.is_fitted and c.id not in out)
    limits = PairLimits.of(board, fitted, dropped)
    panel = PairPanel(limits.board)
    loadings = fit_loadings(panel, limits, fitted)
    tilted, untilted = tilt_overlaps(panel, limits, loadings, fitted)
    return OllV1Witness(
        board=limits.board,
        tasks=tuple(
            _task_witness(limits, task, loadings[k], tilted, untilted[k])
            for k, task in enumerate(board.tasks)
        ),
        fixed=tuple(bool(x) for x in limits.fixed),
        contradictions=contradictions,
        dropped=dropped,
    )


def witness_scores(
    witness: OllV1Witness, files: Mapping[str, str], *, tilted: bool = True
) -> tuple[TaskScores, ...]:
    """Return each task's scores, `tilted` or with the numbers alone linear in the cells."""
    patterns = cell_patterns(len(witness.board.models))
    cells = {task.task: task.cells if tilted else task.untilted for task in witness.tasks}
    n_scores = len(cells) * len(witness.board.models)
    return tuple(
        witness_task(
            task,
            witness.board.models,
            np.repeat(patterns, items, axis=0).astype(np.float64),
            files,
            source="witness",
            besides=f"the {n_scores} displayed scores",
            digits=6,
        )
        for task, items in cells.items()
    )


def pair_freedom(witness: OllV1Witness) -> pd.DataFrame:
    """List the pairs, and whether printed numbers fix their overlap."""
    board = witness.board
    pairs = [(task, board.models[i], board.models[j]) for task, i, j in board.pairs]
    table = pd.DataFrame(pairs, columns=["task", "model_a", "model_b"])
    return table.assign(fixed=list(witness.fixed))


def _check_fittable(constraints: Sequence[Constraint]) -> None:
    for c in constraints:
        if c.is_fitted and c.quantity not in LINEAR and not is_summary(c):
            raise PublishedError(
                f"oll_v1: {c.quantity!r} cannot be fitted; give it the role held_out ({c.where})"
            )


def _task_witness(
    limits: PairLimits, task: str, loadings: FloatArray, tilted: FloatArray, untilted: FloatArray
) -> TaskWitness:
    rows, sums = limits.sums(task, tilted)
    real = information_projection(reference_table(limits, task, loadings), rows, sums)
    before = _whole(task, untilted, *limits.fixed_sums(task))
    return TaskWitness(task, _whole(task, real, rows, sums), before)


def _whole(task: str, center: FloatArray, rows: FloatArray, sums: FloatArray) -> IntArray:
    cells = integer_projection(center, rows, sums)
    if cells is None:
        raise PublishedError(f"oll_v1: no whole table of {task} has the overlaps that were chosen")
    return cells
