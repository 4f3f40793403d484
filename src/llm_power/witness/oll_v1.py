"""A witness of the Open LLM Leaderboard v1: five models, four tasks, who solves what.

`build_witness` checks that the printed numbers can hold together, drops as few as possible where
they cannot, and builds for each task the table of 32 whole cells that meets the fitted ones and is
near a one-factor model:

1. reference: `one_factor`, loadings by least squares on the fitted overlaps and gains;
2. projection of the reference onto the fitted marginals and overlaps (`projection`);
3. the least move of all other overlaps that makes fitted medians and extremes true (`tilt`);
4. projection onto all overlaps, then the nearest table of whole items.

What stops after step 2 is kept beside it: there, nothing of Table 3 has been put in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import pandas as pd
from scipy.optimize import least_squares

from llm_power.published import PublishedError
from llm_power.scores.store import Provenance, TaskScores
from llm_power.statistics._typing import BoolArray, FloatArray, IntArray
from llm_power.statistics.inversion import z_sum
from llm_power.statistics.shortcut import cohens_h
from llm_power.witness.constraints import BoardScore, Constraint, select
from llm_power.witness.infeasible import (
    Contradiction,
    LinearRow,
    find_contradiction,
    linear_row,
)
from llm_power.witness.one_factor import (
    cell_patterns,
    model_pairs,
    product_loadings,
    reference_cells,
    reference_overlaps,
)
from llm_power.witness.projection import (
    IntegerProjection,
    information_projection,
    integer_projection,
)
from llm_power.witness.tilt import Tilt, smallest_tilt

Moment = Literal["gain", "r", "shortcut"]

# Quantities of one pair, or one model, that are linear in the cells once the board is known.
LINEAR: Final = ("n_items", "board_score", "b", "c", "p_a", "p_b", "gap", "gap_pp", "rho", "n_star")
_PERCENTILE: Final = {
    "min": 0.0, "q1": 25.0, "median": 50.0, "q3": 75.0, "max": 100.0, "worst": 100.0,
}  # fmt: skip
_SUMMARY: Final = re.compile(
    r"(?P<moment>miller_gain|shortcut_ratio|r)_(?P<statistic>min|q1|median|q3|max|worst)"
)
_MOMENT: Final[dict[str, Moment]] = {
    "miller_gain": "gain",
    "shortcut_ratio": "shortcut",
    "r": "r",
}
_BUCKET: Final = re.compile(r"≤(?P<to>\d+)%|(?P<low>\d+)%–(?P<high>\d+)%|>(?P<above>\d+)%|all")

# Least squares: a correlation off by 0.02 weighs as much as a gain off by 2%.
_RHO_SCALE, _GAIN_SCALE = 0.02, 0.02
_START: Final = np.array([3.0, 4.0, 2.0, 1.0, 0.05, 0.03, 0.03, 0.01, 0.15])
_LOGIT_LIMITS, _DISCOUNT_LIMITS = (-4.0, 7.0), (0.0, 1.0)
# Nats that half a printed unit outside of the interval costs: inputs are met before targets.
_WEIGHT: Final = {"input": 1000.0, "target": 100.0}


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """The pairs of a board and what the displayed scores say about them.

    Attributes
    ----------
    tasks, models : tuple of str
        In the order of the file of board scores.
    n_items : mapping of str to int
        Items of each task.
    solved : mapping of str to ndarray of int, shape (n_models,)
        Items that each model solves.
    """

    tasks: tuple[str, ...]
    models: tuple[str, ...]
    n_items: Mapping[str, int]
    solved: Mapping[str, IntArray]

    @property
    def pairs(self) -> list[tuple[str, int, int]]:
        """Task and both models of every pair, in the order of every array of pairs."""
        return [(task, i, j) for task in self.tasks for i, j in model_pairs(len(self.models))]

    def per_pair(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Items of the task, and items that the first and the second model solve."""
        rows = [
            (self.n_items[task], self.solved[task][i], self.solved[task][j])
            for task, i, j in self.pairs
        ]
        n, first, second = np.array(rows, dtype=np.float64).T
        return n, first, second

    def locate(self, subject: Sequence[str]) -> tuple[str, int, int]:
        """Task and models (in the subject's order) of a constraint's subject."""
        task, *models = subject
        unknown = [name for name in models if name not in self.models]
        if task not in self.tasks or unknown or len(models) not in (1, 2):
            raise PublishedError(f"oll_v1: {', '.join(subject)!r} is no model or pair of the board")
        places = [self.models.index(name) for name in models]
        return task, places[0], places[-1]


@dataclass(frozen=True, slots=True, eq=False)
class TaskWitness:
    """Who solves what in one task.

    Attributes
    ----------
    task : str
        Name of the task.
    cells, untilted : ndarray of int, shape (2**n_models,)
        Items of each pattern of solving models, in the order of `cell_patterns`; with all
        fitted numbers, and with those alone that are linear in the cells.
    loadings : ndarray, shape (n_models,)
        Loadings of the reference.
    divergence_from_reference, divergence_of_rounding : float
        Relative entropy, in nats, of the real table to the reference, and of the whole table
        to the real one.
    """

    task: str
    cells: IntArray
    untilted: IntArray
    loadings: FloatArray
    divergence_from_reference: float
    divergence_of_rounding: float


@dataclass(frozen=True, slots=True, eq=False)
class OllV1Witness:
    """The witness of the board.

    Attributes
    ----------
    board : Board
        Tasks, models and items solved.
    tasks : tuple of TaskWitness
        One a task.
    fixed : tuple of bool, one a pair
        Whether printed numbers fix the pair's overlap; the others are free.
    tilt_cost : float
        Quadratic relative entropy of the tilt, in nats.
    contradictions : tuple of Contradiction
        Printed numbers that cannot hold together.
    dropped : tuple of Constraint
        The minimum corrections: left out of the fit, reported as residuals.
    alpha, power : float
        Operating point of the printed required N.
    """

    board: Board
    tasks: tuple[TaskWitness, ...]
    fixed: tuple[bool, ...]
    tilt_cost: float
    contradictions: tuple[Contradiction, ...]
    dropped: tuple[Constraint, ...]
    alpha: float
    power: float


def build_witness(
    scores: Sequence[BoardScore],
    constraints: Sequence[Constraint],
    *,
    alpha: float = 0.05,
    power: float = 0.80,
) -> OllV1Witness:
    """Build a board that agrees with the fitted printed numbers.

    Parameters
    ----------
    scores : sequence of BoardScore
        Scores the board displayed: the tasks, the models and their items.
    constraints : sequence of Constraint
        The panel ``oll_v1`` of the register. Only rows with role input or target reach the fit;
        the check for contradictions reads the held-out ones too, because which of several
        numbers is out of line only the others can tell.
    alpha, power : float
        Operating point of the printed required N.

    Returns
    -------
    OllV1Witness
        A table for each task. Numbers that cannot be met are dropped or keep a residual; they
        are never adjusted.

    Raises
    ------
    PublishedError
        If a quantity is to be fitted that this witness cannot be fitted to, a subject is not on
        the board, or nothing fitted says how many items a model solves.
    """
    _check_fittable(constraints)
    board = nominal_board(scores)
    contradictions = find_contradictions(board, constraints, alpha=alpha, power=power)
    dropped = tuple(row.constraint for found in contradictions for row in found.correction)
    out = {c.id for c in dropped}
    fitted = tuple(c for c in constraints if c.is_fitted and c.id not in out)
    limits = _Limits.of(board, fitted, dropped, alpha=alpha, power=power)
    panel = _PairPanel(limits.board, alpha=alpha, power=power)
    loadings = _fit_loadings(panel, limits, fitted)
    tilted, tilt_cost, untilted = _tilt_overlaps(panel, limits, loadings, fitted)
    return OllV1Witness(
        board=limits.board,
        tasks=tuple(
            _task_witness(limits, task, loadings[k], tilted, untilted)
            for k, task in enumerate(board.tasks)
        ),
        fixed=tuple(bool(x) for x in limits.fixed),
        tilt_cost=tilt_cost,
        contradictions=contradictions,
        dropped=dropped,
        alpha=alpha,
        power=power,
    )


def witness_scores(
    witness: OllV1Witness, files: Mapping[str, str], *, tilted: bool = True
) -> tuple[TaskScores, ...]:
    """Spread the cells over items, as scores that the pairs' engine reads.

    Parameters
    ----------
    witness : OllV1Witness
        What `build_witness` returned.
    files : mapping of str to str
        SHA-256 of each file of printed numbers, by name: the provenance.
    tilted : bool, default True
        With all fitted numbers, or with those alone that are linear in the cells.

    Returns
    -------
    tuple of TaskScores
        One a task; items in the order of the cells, from solved by none to solved by all.
    """
    patterns = cell_patterns(len(witness.board.models))
    return tuple(
        _spread(task.task, patterns, task.cells if tilted else task.untilted, witness.board, files)
        for task in witness.tasks
    )


def pair_freedom(witness: OllV1Witness) -> pd.DataFrame:
    """List the pairs, and whether printed numbers fix what their models solve together.

    Parameters
    ----------
    witness : OllV1Witness
        What `build_witness` returned.

    Returns
    -------
    DataFrame
        ``task``, ``model_a``, ``model_b``, ``fixed``; one row a pair.
    """
    board = witness.board
    pairs = [
        (task, board.models[i], board.models[j])
        for task in board.tasks
        for i, j in model_pairs(len(board.models))
    ]
    table = pd.DataFrame(pairs, columns=["task", "model_a", "model_b"])
    return table.assign(fixed=list(witness.fixed))


def nominal_board(scores: Sequence[BoardScore]) -> Board:
    """Return the board with the whole number of items nearest to each displayed score."""
    tasks = tuple(dict.fromkeys(s.task for s in scores))
    n_items = {s.task: s.n_items for s in scores}
    solved = {
        task: np.array(
            [round(s.score.value / 100 * s.n_items) for s in scores if s.task == task],
            dtype=np.int64,
        )
        for task in tasks
    }
    return Board(tasks, tuple(dict.fromkeys(s.model for s in scores)), n_items, solved)


def find_contradictions(
    board: Board, constraints: Sequence[Constraint], *, alpha: float = 0.05, power: float = 0.80
) -> tuple[Contradiction, ...]:
    """Check that whole cells meet every printed number that is linear in them, task by task.

    Parameters
    ----------
    board : Board
        What `nominal_board` returned; makes rho, N* and the largest n_h/N* linear.
    constraints : sequence of Constraint
        Of any role.
    alpha, power : float
        Operating point of the printed required N.

    Returns
    -------
    tuple of Contradiction
        At most one a task.

    Notes
    -----
    Where a displayed score is in a contradiction, the rows that rest on it are also read with
    the items that the other numbers leave, and the reading with the smaller correction counts.
    """
    rows = _rows_by_task(board, constraints, alpha=alpha, power=power)
    found: list[Contradiction] = []
    for task in board.tasks:
        one = find_contradiction(task, rows[task], board.n_items[task])
        if one is None:
            continue
        for suspect in _suspects(board, one):
            # Rows that rest on a wrong score are wrong with it: read them without the score.
            other = _without_score(board, task, suspect, rows[task])
            again = _rows_by_task(other, constraints, alpha=alpha, power=power)[task]
            reread = find_contradiction(task, again, board.n_items[task])
            if reread is not None and len(reread.correction) < len(one.correction):
                one = reread
        found.append(one)
    return tuple(found)


def bucket_mask(label: str, gap: FloatArray) -> BoolArray:
    """Return which absolute gaps are in the bucket that Table 3 labels so.

    Raises
    ------
    PublishedError
        If the label is no bucket.
    """
    match = _BUCKET.fullmatch(label)
    if match is None:
        raise PublishedError(f"not a bucket of gaps: {label!r}")
    low = float(match["low"] or match["above"] or "-inf") / 100
    high = float(match["to"] or match["high"] or "inf") / 100
    size = np.abs(gap)
    return np.asarray((size > low) & (size <= high))


def _check_fittable(constraints: Sequence[Constraint]) -> None:
    for c in constraints:
        if c.is_fitted and c.quantity not in LINEAR and _SUMMARY.fullmatch(c.quantity) is None:
            raise PublishedError(
                f"oll_v1: {c.quantity!r} cannot be fitted; give it the role held_out ({c.where})"
            )


# --- printed numbers as rows over the cells ------------------------------------------------


def _rows_by_task(
    board: Board, constraints: Sequence[Constraint], *, alpha: float, power: float
) -> dict[str, list[LinearRow]]:
    k = float(z_sum(alpha, power)) ** 2
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
            rows[task].append(_linear_row(board, c, (task, i, j), rests_on, k))
        elif c.quantity == "shortcut_ratio_max":
            for task, row in _largest_ratio_row(board, c, constraints):
                rows[task].append(row)
    return rows


def _linear_row(
    board: Board, c: Constraint, pair: tuple[str, int, int], rests_on: list[Constraint], k: float
) -> LinearRow:
    task, i, j = pair
    n = board.n_items[task]
    first, second = cell_patterns(len(board.models))[:, [i, j]].T.astype(np.float64)
    m_a, m_b = (float(board.solved[task][m]) for m in (i, j))
    lower, upper = c.interval
    ahead = first - second if m_a >= m_b else second - first
    direct = {
        "n_items": (np.ones_like(first), 1.0),
        "board_score": (first, n / 100),
        "p_a": (first, float(n)),
        "p_b": (second, float(n)),
        "b": (first * (1 - second), 1.0),
        "c": (second * (1 - first), 1.0),
        "gap": (ahead, float(n)),
        "gap_pp": (ahead, n / 100),
    }
    if c.quantity in direct:
        coefficients, scale = direct[c.quantity]
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
        (lower / k + 1) * square,
        (upper / k + 1) * square,
        c,
        rests_on,
    )


def _largest_ratio_row(
    board: Board, c: Constraint, constraints: Sequence[Constraint]
) -> list[tuple[str, LinearRow]]:
    """Section 4's largest n_h/N*, where the board leaves one pair that can be it.

    The ratio of a pair depends on its gap, and weakly on rho, which the printed range of gains
    bounds; so the printed maximum is an interval of gaps of that pair, its mean accuracy given.
    """
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
    first, second = cell_patterns(len(board.models))[:, [i, j]].T.astype(np.float64)
    ahead = first - second if m_a[k] >= m_b[k] else second - first
    low, high = (hits.min(), hits.max()) if hits.size else (1.0, 0.0)
    return [(task, linear_row(ahead, float(low), float(high), c, ends))]


def _ratio_at_gain(p_a: FloatArray, p_b: FloatArray, gains: FloatArray) -> FloatArray:
    """n_h/N* of pairs (columns) at gains over the unpaired formula (rows); eqs. (6) and (9)."""
    u_a, u_b = p_a * (1 - p_a), p_b * (1 - p_b)
    var_d = (u_a + u_b) / gains[:, None]
    rho = (u_a + u_b - var_d) / (2 * np.sqrt(u_a * u_b))
    return np.asarray((1 - rho) * np.square((p_a - p_b) / cohens_h(p_a, p_b)) / var_d)


def _suspects(board: Board, found: Contradiction) -> list[int]:
    scores = {
        row.constraint.subject: None
        for row in (*found.smallest, *found.correction)
        if row.constraint.quantity == "board_score"
    }
    return [board.locate(subject)[1] for subject in scores]


def _without_score(board: Board, task: str, model: int, rows: Sequence[LinearRow]) -> Board:
    """The board with the items that `model` solves according to all other numbers."""
    subject = (task, board.models[model])
    others = [r for r in rows if r.constraint.subject != subject]
    solved = _solved_items(board, task, others, displayed=frozenset({model}))
    return Board(board.tasks, board.models, board.n_items, {**board.solved, task: solved})


# --- what the fitted rows leave open ---------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Limits:
    """Items solved, and for every pair the overlaps n11 that its printed numbers admit."""

    board: Board
    lower: FloatArray
    upper: FloatArray
    fixed: BoolArray

    @classmethod
    def of(
        cls,
        nominal: Board,
        fitted: Sequence[Constraint],
        dropped: Sequence[Constraint],
        *,
        alpha: float,
        power: float,
    ) -> _Limits:
        rows = _rows_by_task(nominal, fitted, alpha=alpha, power=power)
        scores = [nominal.locate(c.subject) for c in select(tuple(dropped), "board_score")]
        solved = {
            task: _solved_items(
                nominal,
                task,
                rows[task],
                displayed=frozenset(m for where, m, _ in scores if where == task),
            )
            for task in nominal.tasks
        }
        board = Board(nominal.tasks, nominal.models, nominal.n_items, solved)
        rows = _rows_by_task(board, fitted, alpha=alpha, power=power)
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
        return np.floor((self.lower + self.upper) / 2)

    def of_task(self, task: str) -> slice:
        per_task = len(self.lower) // len(self.board.tasks)
        return slice(*(per_task * (self.board.tasks.index(task) + step) for step in (0, 1)))

    def marginal_rows(self, task: str) -> tuple[FloatArray, FloatArray]:
        """Rows of the total and of every model, with what they add up to."""
        patterns = cell_patterns(len(self.board.models)).astype(np.float64)
        rows = np.vstack([np.ones(len(patterns)), patterns.T])
        return rows, np.array([self.board.n_items[task], *self.board.solved[task]], np.float64)

    def overlap_rows(self, which: BoolArray) -> FloatArray:
        """Rows of the overlaps of a task's chosen pairs."""
        patterns = cell_patterns(len(self.board.models))
        pairs = np.array(model_pairs(len(self.board.models)))[which]
        return (patterns[:, pairs[:, 0]] * patterns[:, pairs[:, 1]]).T.astype(np.float64)


def _solved_items(
    board: Board, task: str, rows: Sequence[LinearRow], *, displayed: frozenset[int] = frozenset()
) -> IntArray:
    """Items each model solves: what the rows leave, nearest to the displayed score.

    The models in `displayed` need no row: their score is out of line, and all there is.
    """
    n_models = len(board.models)
    low, high = np.zeros(n_models), np.full(n_models, float(board.n_items[task]))
    known = np.isin(np.arange(n_models), list(displayed))
    for row in rows:
        if row.constraint.quantity in ("board_score", "p_a", "p_b"):
            _, i, j = board.locate(row.constraint.subject)
            m = j if row.constraint.quantity == "p_b" else i
            low[m], high[m] = max(low[m], row.lower), min(high[m], row.upper)
            known[m] = True
    for _ in range(n_models):
        for i, j, least, most in _differences(board, rows):
            for m, least_m, most_m in (
                (i, low[j] + least, high[j] + most),
                (j, low[i] - most, high[i] - least),
            ):
                # A row that leaves nothing is a contradiction, which is reported elsewhere.
                if max(low[m], least_m) <= min(high[m], most_m):
                    low[m], high[m] = max(low[m], least_m), min(high[m], most_m)
            known[i] = known[j] = known[i] or known[j]
    if not known.all():
        model = board.models[int(np.argmin(known))]
        raise PublishedError(
            f"oll_v1: nothing fitted says how many items of {task} {model} solves: "
            "give its board score the role input"
        )
    return np.clip(board.solved[task], low, high).astype(np.int64)


def _differences(board: Board, rows: Sequence[LinearRow]) -> list[tuple[int, int, float, float]]:
    """Bounds on m_a - m_b: from b and c of a pair, and from its gap."""
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
    """Pair and interval of n11 that one row admits, the items solved being known."""
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


# --- statistics of all pairs as functions of the overlaps --------------------------------------


class _PairPanel:
    """Gain, r and n_h/N* of all pairs as functions of their overlaps, shape (..., n_pairs)."""

    def __init__(self, board: Board, *, alpha: float, power: float) -> None:
        self.n, self.m_a, self.m_b = board.per_pair()
        p_a, p_b = self.m_a / self.n, self.m_b / self.n
        self.gap = p_a - p_b
        self.spread = p_a * (1 - p_a) + p_b * (1 - p_b)
        self.scale = np.sqrt(p_a * (1 - p_a) * p_b * (1 - p_b))
        self.independent = p_a * p_b
        self.h = cohens_h(p_a, p_b)
        self.k = float(z_sum(alpha, power)) ** 2

    def rho(self, overlaps: FloatArray) -> FloatArray:
        return np.asarray((overlaps / self.n - self.independent) / self.scale)

    def var_d(self, overlaps: FloatArray) -> FloatArray:
        discordant = (self.m_a + self.m_b - 2 * overlaps) / self.n
        return np.asarray(discordant - np.square(self.gap))

    def moment(self, name: Moment, overlaps: FloatArray) -> FloatArray:
        var_d = self.var_d(overlaps)
        if name == "gain":
            return np.asarray(self.spread / var_d)
        if name == "r":
            return np.asarray(self.k * var_d / np.square(self.gap) / self.n)
        return np.asarray((1 - self.rho(overlaps)) * np.square(self.gap / self.h) / var_d)

    def summaries(self, wanted: Sequence[Constraint], overlaps: FloatArray) -> FloatArray:
        """The printed percentiles of `wanted`, each over the pairs that it is about."""
        groups: dict[tuple[Moment, tuple[str, ...]], dict[int, float]] = {}
        for place, c in enumerate(wanted):
            match = _SUMMARY.fullmatch(c.quantity)
            if match is None:
                raise PublishedError(f"oll_v1: {c.quantity!r} is no summary of pairs")
            group = groups.setdefault((_MOMENT[match["moment"]], c.subject), {})
            group[place] = _PERCENTILE[match["statistic"]]
        moments = {name: self.moment(name, overlaps) for name, _ in groups}
        found = np.empty((*overlaps.shape[:-1], len(wanted)))
        for (name, subject), group in groups.items():
            members = bucket_mask(subject[0], self.gap) if subject else slice(None)
            percentiles = np.percentile(moments[name][..., members], [*group.values()], axis=-1)
            found[..., [*group]] = np.moveaxis(percentiles, 0, -1)
        return found


def _summaries(fitted: Sequence[Constraint]) -> list[Constraint]:
    return [c for c in fitted if _SUMMARY.fullmatch(c.quantity) is not None]


# --- reference, tilt, whole items ---------------------------------------------------------------


def _fit_loadings(panel: _PairPanel, limits: _Limits, fitted: Sequence[Constraint]) -> FloatArray:
    """Loadings of every task and model: least squares on fixed overlaps and on gains.

    The gains are those of the projected table, in which fixed overlaps are what they are; their
    correlations are compared before the projection.
    """
    board, fixed = limits.board, limits.fixed
    n_tasks = len(board.tasks)
    gains = [c for c in _summaries(fitted) if c.quantity.startswith("miller_gain")]
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
    limits_of = np.array([_LOGIT_LIMITS] * n_tasks + [_DISCOUNT_LIMITS] * len(board.models)).T
    if not gains and not fixed.any():
        return loadings(start)
    solution = least_squares(
        residuals, start, diff_step=[1e-3], max_nfev=40, bounds=(limits_of[0], limits_of[1])
    )
    # Six decimals: what follows cannot hang on the last bit of a decomposition.
    return loadings(np.round(solution.x, 6))


def _start(n_tasks: int, n_models: int) -> FloatArray:
    if (n_tasks, n_models) == (4, 5):
        return _START
    return np.concatenate([np.full(n_tasks, 2.0), np.full(n_models, 0.05)])


@dataclass(frozen=True, slots=True, eq=False)
class _Fiber:
    """The projection of the reference that meets marginals and fixed overlaps of one task."""

    cells: FloatArray
    overlaps: FloatArray
    precision: FloatArray

    @classmethod
    def of(cls, limits: _Limits, task: str, loadings: FloatArray) -> _Fiber:
        n, here = limits.board.n_items[task], limits.of_task(task)
        reference = n * reference_cells(limits.board.solved[task] / n, loadings)
        rows, sums = limits.marginal_rows(task)
        fixed = limits.fixed[here]
        rows = np.vstack([rows, limits.overlap_rows(fixed)])
        sums = np.concatenate([sums, limits.middle[here][fixed]])
        cells = information_projection(reference, rows, sums).cells
        every = limits.overlap_rows(np.ones(len(fixed), dtype=np.bool_))
        free = every[~fixed]
        # Curvature of the relative entropy in the free overlaps: inverse Schur complement.
        within = (rows * cells) @ rows.T
        across = (free * cells) @ rows.T
        schur = (free * cells) @ free.T - across @ np.linalg.pinv(within) @ across.T
        return cls(cells, np.asarray(every @ cells), np.asarray(np.linalg.inv(schur)))


def _tilt_overlaps(
    panel: _PairPanel, limits: _Limits, loadings: FloatArray, fitted: Sequence[Constraint]
) -> tuple[FloatArray, float, list[FloatArray]]:
    """Overlaps of all pairs, the cost of the tilt, and the real tables before it."""
    board, free = limits.board, ~limits.fixed
    fibers = [_Fiber.of(limits, task, loadings[k]) for k, task in enumerate(board.tasks)]
    untilted = [fiber.cells for fiber in fibers]
    overlaps = np.where(
        limits.fixed, limits.middle, np.concatenate([fiber.overlaps for fiber in fibers])
    )
    wanted = _summaries(fitted)

    def complete(values: FloatArray) -> FloatArray:
        every = np.broadcast_to(overlaps, (*values.shape[:-1], len(overlaps))).copy()
        every[..., free] = values
        return every

    def summaries(values: FloatArray) -> FloatArray:
        return panel.summaries(wanted, complete(values))

    precision = np.zeros((int(free.sum()),) * 2)
    at = 0
    for fiber in fibers:
        size = len(fiber.precision)
        precision[at : at + size, at : at + size] = fiber.precision
        at += size
    if not wanted or not free.any():
        return complete(np.rint(overlaps[free])), 0.0, untilted
    tilt: Tilt = smallest_tilt(
        overlaps[free],
        precision,
        bounds=(limits.lower[free] + 1, limits.upper[free] - 1),
        summaries=summaries,
        printed=(
            np.array([c.interval[0] for c in wanted]),
            np.array([c.interval[1] for c in wanted]),
        ),
        weights=np.array([_WEIGHT[c.role] for c in wanted]),
    )
    return complete(tilt.values.astype(np.float64)), tilt.cost, untilted


def _task_witness(
    limits: _Limits,
    task: str,
    loadings: FloatArray,
    tilted: FloatArray,
    untilted: Sequence[FloatArray],
) -> TaskWitness:
    n, here = limits.board.n_items[task], limits.of_task(task)
    reference = n * reference_cells(limits.board.solved[task] / n, loadings)
    rows, sums = limits.marginal_rows(task)
    fixed = limits.fixed[here]
    before = _whole(
        task,
        untilted[limits.board.tasks.index(task)],
        np.vstack([rows, limits.overlap_rows(fixed)]),
        np.concatenate([sums, limits.middle[here][fixed]]),
    )
    every = np.vstack([rows, limits.overlap_rows(np.ones(len(fixed), dtype=np.bool_))])
    targets = np.concatenate([sums, tilted[here]])
    real = information_projection(reference, every, targets)
    after = _whole(task, real.cells, every, targets)
    return TaskWitness(task, after.cells, before.cells, loadings, real.divergence, after.divergence)


def _whole(task: str, center: FloatArray, rows: FloatArray, sums: FloatArray) -> IntegerProjection:
    found = integer_projection(center, rows, sums, sums)
    if found is None:
        raise PublishedError(f"oll_v1: no whole table of {task} has the overlaps that were chosen")
    return found


def _spread(
    task: str, patterns: IntArray, cells: IntArray, board: Board, files: Mapping[str, str]
) -> TaskScores:
    values = np.repeat(patterns, cells, axis=0).astype(np.float64)
    return TaskScores(
        task=task,
        kind="binary",
        item_ids=tuple(f"witness-{k:06d}" for k in range(1, len(values) + 1)),
        models=board.models,
        values=values,
        provenance=Provenance(source="witness", files=dict(files)),
    )
