"""How many pairs of a board are held at once."""

from collections.abc import Sequence

from llm_power.board.families import HELD_UP_TO, number_of_pairs
from llm_power.choices import Family
from llm_power.errors import InvalidArgument
from llm_power.scores.store import TaskScores


def require_held(tasks: Sequence[TaskScores], family: Family) -> None:
    """Refuse to hold a board whose pairs are too many."""
    n_pairs = number_of_pairs(tasks)
    if family == "all" and n_pairs > HELD_UP_TO:
        names = ", ".join(task.task for task in tasks)
        raise InvalidArgument(
            f"all pairs of {names} are {n_pairs:,}, and at most {HELD_UP_TO:,} are held. Remedy: "
            f"give the board `parts: {-(-n_pairs // 2**20)}` in config.yaml, or `families: "
            "[adjacent]`."
        )
