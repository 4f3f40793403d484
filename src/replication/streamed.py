"""What the scattered jobs of a board have in common."""

from collections.abc import Mapping, Sequence
from typing import Any

from llm_power.board.all_pairs import BoardPairs
from llm_power.board.operating_point import Declared, OperatingPoint
from llm_power.board.stream import HELD_UP_TO, is_streamed, number_of_pairs
from llm_power.choices import Family
from llm_power.errors import InvalidArgument
from llm_power.scores.store import TaskScores, read_task


def board_pairs(scores: Sequence[str], settings: Mapping[str, Any]) -> BoardPairs:
    """Return all pairs of a board, compared by the settings of its jobs."""
    point, declared = OperatingPoint(**settings["point"]), Declared(**settings["declared"])
    tasks = [read_task(path) for path in scores]
    return BoardPairs(tasks, "all", settings["cluster"], point, declared)


def require_held(tasks: Sequence[TaskScores], family: Family) -> None:
    """Refuse to hold a board whose pairs are too many.

    Raises
    ------
    InvalidArgument
        If they are.
    """
    if is_streamed(tasks, family, None):
        n_pairs = number_of_pairs(tasks)
        names = ", ".join(task.task for task in tasks)
        raise InvalidArgument(
            f"all pairs of {names} are {n_pairs:,}, and at most {HELD_UP_TO:,} are held. Remedy: "
            f"give the board `parts: {-(-n_pairs // 2**20)}` in config.yaml, or `families: "
            "[adjacent]`."
        )
