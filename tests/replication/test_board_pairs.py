"""The pairs that the jobs of a board have in common."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest

from llm_power._board.operating_point import Declared, OperatingPoint
from llm_power._errors import InvalidArgument, ScoreError
from llm_power._example import example_task
from replication.board_pairs import board_pairs


def settings(**declared: object) -> dict[str, object]:
    """Return settings of a board's jobs as the workflow has them."""
    return {
        "family": "all",
        "cluster": None,
        "point": asdict(OperatingPoint()),
        "declared": asdict(Declared()) | declared,
    }


def test_jobs_refuse_what_the_command_refuses() -> None:
    task = example_task()
    assert board_pairs([task], settings()).n_pairs == 6
    with pytest.raises(InvalidArgument, match="both named"):
        board_pairs([task, task], settings())
    with pytest.raises(InvalidArgument, match="weighted by cluster"):
        board_pairs([task], settings(weighted=True))
    lacking = np.where(np.arange(task.n_items)[:, np.newaxis] == 0, np.nan, task.values)
    with pytest.raises(ScoreError, match="have no score"):
        board_pairs([replace(task, values=lacking)], settings())
