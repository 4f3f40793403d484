"""Printed numbers of the Open LLM Leaderboard v1 as linear rows over the cells of a task."""

# A cell counts the items of one pattern of solving models. rho, N* and the largest n_h/N* are
# linear once the items that each model solves are known.

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from kotawala2026.operating_point import K
from kotawala2026.witness.oll_v1_board import Board
from llm_power.statistics._typing import FloatArray
from llm_power.statistics.shortcut import cohens_h
from replication.constraints import Constraint, select
from replication.witness.infeasible import LinearRow, linear_row
from replication.witness.one_factor import cell_patterns

# Quantities of one pair, or one model, that are linear in the cells once the board is known.
LINEAR: Final = ("n_items", "board_score", "b", "c", "p_a", "p_b", "gap", "gap_pp", "rho", "n_star")


def rows_by_task(board: Board, constraints: Sequence[Constraint]) -> dict[str, list[LinearRow]]:
    """Rows of every task: what `LINEAR` names, and Section 4's largest n_h/N*."""
    displayed = {c.subject: c for c in select(tuple(constraints), "board_score")}
    rows: dict[str, list[LinearRow]] = {task: [] for task in board.tasks}
    for c in constraints:
        if c.quantity in LINEAR:
            task, i, j = board.locate(c.subject)
            rests_on = [
                displayed[task, board.models[m]]
                for m in (i, j)
                if c.quantity in ("rho", "n_star") and (task, board.models[m]) in displayed
            ]
            rows[task].append(_linear_row(board, c, (task, i, j), rests_on))
        elif c.quantity == "shortcut_ratio_max":
            for task, row in _largest_ratio_row(board, c, constraints):
                rows[task].append(row)
    return rows


def _linear_row(
    board: Board, c: Constraint, pair: tuple[str, int, int], rests_on: list[Constraint]
) -> LinearRow:
    task, i, j = pair
    n = board.n_items[task]
    first, second = _solved_cells(board, i, j)
    m_a, m_b = (float(board.solved[task][m]) for m in (i, j))
    lower, upper = c.interval
    if c.quantity not in ("rho", "n_star"):
        ahead = first - second if m_a >= m_b else second - first
        coefficients, scale = _scaled(first, second, ahead, n)[c.quantity]
        return linear_row(coefficients, lower * scale, upper * scale, c)
    if c.quantity == "rho":
        # n11/N = p_A p_B + rho sqrt(p_A q_A p_B q_B), with the board's accuracies.
        scale = float(np.sqrt(m_a * (n - m_a) * m_b * (n - m_b))) / n
        return linear_row(
            first * second,
            m_a * m_b / n + lower * scale,
            m_a * m_b / n + upper * scale,
            c,
            rests_on,
        )
    # Eq. (6) in its discordance form, with the board's gap: N* is linear in b + c.
    square = (m_a - m_b) ** 2 / n
    return linear_row(
        first + second - 2 * first * second,
        (lower / K + 1) * square,
        (upper / K + 1) * square,
        c,
        rests_on,
    )


def _scaled(
    first: FloatArray, second: FloatArray, ahead: FloatArray, n: int
) -> dict[str, tuple[FloatArray, float]]:
    """Coefficients of what needs no other number, and the items in one of its units."""
    return {
        "n_items": (np.ones_like(first), 1.0),
        "board_score": (first, n / 100),
        "p_a": (first, float(n)),
        "p_b": (second, float(n)),
        "b": (first * (1 - second), 1.0),
        "c": (second * (1 - first), 1.0),
        "gap": (ahead, float(n)),
        "gap_pp": (ahead, n / 100),
    }


def _solved_cells(board: Board, i: int, j: int) -> FloatArray:
    """Whether model i (first row) and model j (second) solve the items of each cell: 0 or 1."""
    return cell_patterns(len(board.models))[:, [i, j]].T.astype(np.float64)


def _largest_ratio_row(
    board: Board, c: Constraint, constraints: Sequence[Constraint]
) -> list[tuple[str, LinearRow]]:
    """Section 4's largest n_h/N*, where the board leaves one pair that can be it."""
    # The ratio depends on the gap, and weakly on rho, which the printed gains bound: so the printed
    # maximum is an interval of that pair's gaps, at its mean accuracy.
    ends = select(tuple(constraints), "miller_gain_min", "miller_gain_max")
    if len(ends) != 2:
        return []
    gains = np.linspace(min(e.interval[0] for e in ends), max(e.interval[1] for e in ends), 200)
    n, m_a, m_b = board.per_pair()
    top = _ratio_at_gain(m_a / n, m_b / n, gains).max(axis=0)
    order = np.argsort(top)
    lower, upper = c.interval
    if top[order[-2]] >= lower:
        return []
    k = int(order[-1])
    task, i, j = board.pairs[k]
    middle, gap = (m_a[k] + m_b[k]) / 2, abs(m_a[k] - m_b[k])
    gaps = np.arange(1.0, 2 * min(middle, n[k] - middle))
    ratio = _ratio_at_gain((middle + gaps / 2) / n[k], (middle - gaps / 2) / n[k], gains)
    hits = gaps[np.any((ratio >= lower) & (ratio <= upper), axis=0)]
    hits = hits[np.abs(hits - gap) < gap / 2]
    first, second = _solved_cells(board, i, j)
    ahead = first - second if m_a[k] >= m_b[k] else second - first
    low, high = (hits.min(), hits.max()) if hits.size else (1.0, 0.0)
    return [(task, linear_row(ahead, float(low), float(high), c, ends))]


def _ratio_at_gain(p_a: FloatArray, p_b: FloatArray, gains: FloatArray) -> FloatArray:
    """n_h/N* of pairs (columns) at gains over the unpaired formula (rows); eqs. (6) and (9)."""
    u_a, u_b = p_a * (1 - p_a), p_b * (1 - p_b)
    var_d = (u_a + u_b) / gains[:, None]
    rho = (u_a + u_b - var_d) / (2 * np.sqrt(u_a * u_b))
    return np.asarray((1 - rho) * np.square((p_a - p_b) / cohens_h(p_a, p_b)) / var_d)
