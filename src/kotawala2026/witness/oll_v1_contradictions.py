"""Printed numbers of the Open LLM Leaderboard v1 that contradict each other, task by task."""

from __future__ import annotations

from collections.abc import Sequence

from kotawala2026.witness._oll_v1_limits import solved_items
from kotawala2026.witness._oll_v1_rows import rows_by_task
from kotawala2026.witness.oll_v1_board import Board
from replication.constraints import Constraint
from replication.witness.infeasible import Contradiction, LinearRow, find_contradiction


def find_contradictions(
    board: Board, constraints: Sequence[Constraint]
) -> tuple[Contradiction, ...]:
    """Find the printed numbers that no whole cells satisfy together, at most one set a task."""
    rows = rows_by_task(board, constraints)
    found: list[Contradiction] = []
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
        found.append(one)
    return tuple(found)


def _suspects(board: Board, found: Contradiction) -> list[int]:
    scores = {
        row.constraint.subject: None
        for row in (*found.smallest, *found.correction)
        if row.constraint.quantity == "board_score"
    }
    return [board.locate(subject)[1] for subject in scores]


def _without_score(board: Board, task: str, model: int, rows: Sequence[LinearRow]) -> Board:
    """Return the board with the items that `model` solves by all other numbers."""
    subject = (task, board.models[model])
    others = [r for r in rows if r.constraint.subject != subject]
    solved = solved_items(board, task, others, displayed=frozenset({model}))
    return Board(board.tasks, board.models, board.n_items, {**board.solved, task: solved})
