"""What the scattered jobs of a board have in common."""

from collections.abc import Mapping, Sequence
from typing import Any

from llm_power.board.all_pairs import BoardPairs
from llm_power.board.operating_point import Declared, OperatingPoint
from llm_power.scores.store import read_task


def board_pairs(scores: Sequence[str], settings: Mapping[str, Any]) -> BoardPairs:
    """Return all pairs of a board, compared by the settings of its jobs."""
    point, declared = OperatingPoint(**settings["point"]), Declared(**settings["declared"])
    tasks = [read_task(path) for path in scores]
    return BoardPairs(tasks, "all", settings["cluster"], point, declared)
