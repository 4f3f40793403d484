"""The Open LLM Leaderboard v1 in whole items."""

from __future__ import annotations

from kotawala2026.witness.oll_v1_board import nominal_board
from replication.constraints import BoardScore


def test_the_nominal_board_prints_every_displayed_score(
    board_scores: tuple[BoardScore, ...],
) -> None:
    board = nominal_board(board_scores)
    for s in board_scores:
        solved = board.solved[s.task][board.models.index(s.model)]
        assert abs(100 * solved / s.n_items - s.score.value) <= s.score.half_unit
