"""Quantities of the Open LLM Leaderboard v1, read off a verdict table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kotawala2026.witness.oll_v1_values import OllV1Values
from llm_power.errors import InvalidArgument
from llm_power.scores.store import TaskScores
from replication.constraints import Constraint, select


def test_an_unknown_quantity_is_refused(
    oll_v1_tasks: tuple[TaskScores, ...], oll_v1_constraints: tuple[Constraint, ...]
) -> None:
    values = OllV1Values.of(oll_v1_tasks)
    with pytest.raises(InvalidArgument, match="no quantity of the panel oll_v1 is named 'iq'"):
        values(replace(oll_v1_constraints[0], quantity="iq"))


def test_a_pair_is_read_in_the_order_of_its_subject(
    oll_v1_tasks: tuple[TaskScores, ...], oll_v1_constraints: tuple[Constraint, ...]
) -> None:
    values = OllV1Values.of(oll_v1_tasks)
    c = select(oll_v1_constraints, "b")[0]
    task, a, b = c.subject
    assert values(replace(c, quantity="c", subject=(task, b, a))) == values(c) == 98
