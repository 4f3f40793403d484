"""Numbers of single pairs of the Open LLM Leaderboard v1."""

from __future__ import annotations

import pytest

from kotawala2026.quantities.grounds import ResolvedBoard
from kotawala2026.quantities.pairs import of_each_model, of_each_pair
from llm_power._scores.store import TaskScores
from replication.constraints import Constraint, select


@pytest.fixture(scope="module")
def board(oll_v1_tasks: tuple[TaskScores, ...]) -> ResolvedBoard:
    return ResolvedBoard.of("oll_v1", oll_v1_tasks, seed=0)


def test_a_pair_is_read_in_either_order_of_its_models(
    board: ResolvedBoard, oll_v1_constraints: tuple[Constraint, ...]
) -> None:
    found = {(f.quantity, f.subject): f.value for f in of_each_pair(board)}
    task, a, b = select(oll_v1_constraints, "b")[0].subject
    # Table 6, row 1
    assert found["b", f"{task}, {a}, {b}"] == found["c", f"{task}, {b}, {a}"] == 98
    assert found["p_a", f"{task}, {a}, {b}"] == found["p_b", f"{task}, {b}, {a}"]
    assert found["n_star", f"{task}, {a}, {b}"] == found["n_star", f"{task}, {b}, {a}"]


def test_every_model_has_a_score_on_every_task(board: ResolvedBoard) -> None:
    assert len(list(of_each_model(board))) == 4 * 5
