"""How many items each model solves, and the interval of each pair's overlap n11."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kotawala2026.witness._oll_v1_rows import rows_by_task
from kotawala2026.witness.oll_v1_board import Board
from llm_power.statistics._typing import BoolArray, FloatArray, IntArray
from replication.constraints import Constraint, select
from replication.printed import PublishedError
from replication.witness.infeasible import LinearRow
from replication.witness.one_factor import cell_patterns, model_pairs


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
    scores = [nominal.locate(c.subject) for c in select(tuple(dropped), "board_score")]
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


def solved_items(
    board: Board, task: str, rows: Sequence[LinearRow], *, displayed: frozenset[int] = frozenset()
) -> IntArray:
    """Return how many items each model solves by the rows, nearest to its displayed score."""
    n_models = len(board.models)
    low, high = np.zeros(n_models), np.full(n_models, float(board.n_items[task]))
    known = np.isin(np.arange(n_models), list(displayed))
    for m, row in _accuracies(board, rows):
        low[m], high[m], known[m] = max(low[m], row.lower), min(high[m], row.upper), True
    differences = _differences(board, rows)
    # Each round passes the bounds of a model on to those that it is compared with.
    for _ in range(n_models):
        for i, j, least, most in differences:
            by_other = (i, low[j] + least, high[j] + most), (j, low[i] - most, high[i] - least)
            for m, least_m, most_m in by_other:
                _narrow(low, high, m, least_m, most_m)
            known[i] = known[j] = known[i] or known[j]
    if not known.all():
        model = board.models[int(np.argmin(known))]
        raise PublishedError(
            f"oll_v1: nothing fitted says how many items of {task} {model} solves: "
            "give its board score the role input"
        )
    return np.clip(board.solved[task], low, high).astype(np.int64)


def _accuracies(board: Board, rows: Sequence[LinearRow]) -> list[tuple[int, LinearRow]]:
    """Return the rows that bound the accuracy of one model, with that model."""
    found = []
    for row in rows:
        if row.constraint.quantity in ("board_score", "p_a", "p_b"):
            _, i, j = board.locate(row.constraint.subject)
            found.append((j if row.constraint.quantity == "p_b" else i, row))
    return found


def _narrow(low: FloatArray, high: FloatArray, model: int, least: float, most: float) -> None:
    """Narrow the interval of `model`, in place."""
    least, most = max(low[model], least), min(high[model], most)
    # An empty interval is a contradiction, which is reported elsewhere.
    if least <= most:
        low[model], high[model] = least, most


def _differences(board: Board, rows: Sequence[LinearRow]) -> list[tuple[int, int, float, float]]:
    """Return bounds on m_a - m_b: by b and c of a pair, and by its gap."""
    found = []
    b = {r.constraint.subject: r for r in rows if r.constraint.quantity == "b"}
    for row in rows:
        if row.constraint.quantity not in ("c", "gap", "gap_pp"):
            continue
        task, i, j = board.locate(row.constraint.subject)
        if row.constraint.quantity == "c" and row.constraint.subject in b:
            other = b[row.constraint.subject]
            found.append((i, j, other.lower - row.upper, other.upper - row.lower))
        elif row.constraint.quantity in ("gap", "gap_pp"):
            swap = board.solved[task][i] < board.solved[task][j]
            first, second = (j, i) if swap else (i, j)
            found.append((first, second, row.lower, row.upper))
    return found


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
