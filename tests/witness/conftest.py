"""The witness of the Open LLM Leaderboard v1, built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from llm_power.scores.store import TaskScores
from llm_power.witness.constraints import (
    BoardScore,
    Constraint,
    load_board_scores,
    load_constraints,
)
from llm_power.witness.oll_v1 import OllV1Witness, build_witness, witness_scores

PUBLISHED = Path(__file__).resolve().parents[2] / "data" / "published"


@pytest.fixture(scope="session")
def board_scores() -> tuple[BoardScore, ...]:
    """The displayed scores."""
    return load_board_scores(PUBLISHED / "board_scores.csv")


@pytest.fixture(scope="session")
def oll_v1_constraints() -> tuple[Constraint, ...]:
    """The panel's part of the register."""
    return load_constraints(PUBLISHED / "constraints.yaml")["oll_v1"]


@pytest.fixture(scope="session")
def oll_v1_witness(
    board_scores: tuple[BoardScore, ...], oll_v1_constraints: tuple[Constraint, ...]
) -> OllV1Witness:
    """The witness of the register as it stands."""
    return build_witness(board_scores, oll_v1_constraints)


@pytest.fixture(scope="session")
def oll_v1_tasks(oll_v1_witness: OllV1Witness) -> tuple[TaskScores, ...]:
    """Its items."""
    return witness_scores(oll_v1_witness, {"constraints.yaml": "0" * 64})
