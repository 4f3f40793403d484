"""Pairs of a board: how many are held at once, and what its jobs have in common."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from llm_power._board.all_pairs import BoardPairs, pairs_of_board
from llm_power._board.operating_point import HELD_UP_TO, Declared, number_of_pairs
from llm_power._choices import Family
from llm_power._errors import InvalidArgument
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray
from replication.stages import operating_point, read_stage


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


def board_pairs(tasks: Sequence[TaskScores], settings: Mapping[str, Any]) -> BoardPairs:
    """Return the pairs of a board, compared by the settings of its jobs."""
    point, declared = operating_point(settings["point"]), Declared(**settings["declared"])
    return pairs_of_board(tasks, settings["family"], settings["cluster"], point, declared)


def read_p_values(parts: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Return the p-values, and those of the test that the paper adjusts, of consecutive parts."""
    tables = [read_stage(path) for path in parts]
    p, unadjusted = (
        np.concatenate([table[name].to_numpy() for table in tables]) for name in tables[0]
    )
    return p, unadjusted
