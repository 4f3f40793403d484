"""The Open LLM Leaderboard v1: its items solved, printed numbers as rows, and contradictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from kotawala2026.operating_point import K
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.paired_binary import cohens_h
from llm_power_audit.printed_tables import PublishedError
from replication.constraints import BoardScore, Constraint, select
from replication.contradictions import Contradiction, LinearRow, find_contradiction, linear_row
from replication.witness.reference import cell_patterns, model_pairs


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """Tasks and models of a board, and how many items each model solves."""

    tasks: tuple[str, ...]
    models: tuple[str, ...]
    n_items: Mapping[str, int]
    solved: Mapping[str, IntArray]

    @property
    def pairs(self) -> list[tuple[str, int, int]]:
        """Task and both models of every pair; all arrays of pairs have this order."""
        return [(task, i, j) for task in self.tasks for i, j in model_pairs(len(self.models))]

    def per_pair(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return for each pair the items of its task, and those that each model solves."""
        rows = [
            (self.n_items[task], self.solved[task][i], self.solved[task][j])
            for task, i, j in self.pairs
        ]
        n, first, second = np.array(rows, dtype=np.float64).T
        return n, first, second

    def locate(self, subject: Sequence[str]) -> tuple[str, int, int]:
        """Return the task and the models that a constraint's subject names, in its order."""
        task, *models = subject
        unknown = [name for name in models if name not in self.models]
        if task not in self.tasks or unknown or len(models) not in (1, 2):
            raise PublishedError(f"oll_v1: {', '.join(subject)!r} is no model or pair of the board")
        places = [self.models.index(name) for name in models]
        return task, places[0], places[-1]


def nominal_board(scores: Sequence[BoardScore]) -> Board:
    """Return the board with the items behind each displayed score."""
    tasks = tuple(dict.fromkeys(s.task for s in scores))
    n_items = {s.task: s.n_items for s in scores}
    solved = {
        task: np.array([s.correct for s in scores if s.task == task], dtype=np.int64)
        for task in tasks
    }
    return Board(tasks, tuple(dict.fromkeys(s.model for s in scores)), n_items, solved)


# A cell counts the items of one pattern of solving models. rho, N* and the largest n_h/N* are
# linear once the items that each model solves are known.
LINEAR: Final = ("n_items", "board_score", "b", "c", "p_a", "p_b", "gap", "gap_pp", "rho", "n_star")


def rows_by_task(board: Board, constraints: Sequence[Constraint]) -> dict[str, list[LinearRow]]:
    """Rows of every task: what `LINEAR` names, and Section 4's largest n_h/N*."""
    displayed = {c.subject: c for c in select(constraints, "board_score")}
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
    ends = select(constraints, "miller_gain_min", "miller_gain_max")
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
    bounds = []
    for row in rows:
        if row.constraint.quantity in ("board_score", "p_a", "p_b"):
            _, i, j = board.locate(row.constraint.subject)
            bounds.append((j if row.constraint.quantity == "p_b" else i, row))
    return bounds


def _narrow(low: FloatArray, high: FloatArray, model: int, least: float, most: float) -> None:
    """Narrow the interval of `model`, in place."""
    least, most = max(low[model], least), min(high[model], most)
    # An empty interval is a contradiction, which is reported elsewhere.
    if least <= most:
        low[model], high[model] = least, most


def _differences(board: Board, rows: Sequence[LinearRow]) -> list[tuple[int, int, float, float]]:
    """Return bounds on m_a - m_b: by b and c of a pair, and by its gap."""
    bounds = []
    b = {r.constraint.subject: r for r in rows if r.constraint.quantity == "b"}
    for row in rows:
        if row.constraint.quantity not in ("c", "gap", "gap_pp"):
            continue
        task, i, j = board.locate(row.constraint.subject)
        if row.constraint.quantity == "c" and row.constraint.subject in b:
            other = b[row.constraint.subject]
            bounds.append((i, j, other.lower - row.upper, other.upper - row.lower))
        elif row.constraint.quantity in ("gap", "gap_pp"):
            swap = board.solved[task][i] < board.solved[task][j]
            first, second = (j, i) if swap else (i, j)
            bounds.append((first, second, row.lower, row.upper))
    return bounds


def find_contradictions(
    board: Board, constraints: Sequence[Constraint]
) -> tuple[Contradiction, ...]:
    """Find the printed numbers that no whole cells satisfy together, at most one set a task."""
    rows = rows_by_task(board, constraints)
    contradictions: list[Contradiction] = []
    for task in board.tasks:
        one = find_contradiction(task, rows[task], board.n_items[task])
        if one is None:
            continue
        for suspect in _suspects(board, one):
            # Rows that were derived from a wrong score are wrong too: derive them without it.
            other = _without_score(board, task, suspect, rows[task])
            again = rows_by_task(other, constraints)[task]
            reread = find_contradiction(task, again, board.n_items[task])
            if reread is not None and len(reread.correction) < len(one.correction):
                one = reread
        contradictions.append(one)
    return tuple(contradictions)


def _suspects(board: Board, contradiction: Contradiction) -> list[int]:
    scores = {
        row.constraint.subject: None
        for row in (*contradiction.smallest, *contradiction.correction)
        if row.constraint.quantity == "board_score"
    }
    return [board.locate(subject)[1] for subject in scores]


def _without_score(board: Board, task: str, model: int, rows: Sequence[LinearRow]) -> Board:
    """Return the board with the items that `model` solves by all other numbers."""
    subject = (task, board.models[model])
    others = [r for r in rows if r.constraint.subject != subject]
    solved = solved_items(board, task, others, displayed=frozenset({model}))
    return Board(board.tasks, board.models, board.n_items, {**board.solved, task: solved})
