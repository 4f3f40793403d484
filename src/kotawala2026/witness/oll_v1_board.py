"""The Open LLM Leaderboard v1: its tasks, its models, and how many items each solves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from llm_power.statistics._typing import FloatArray, IntArray
from replication.constraints import BoardScore
from replication.printed import PublishedError
from replication.witness.one_factor import model_pairs


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """Tasks and models of a board, and how many items each model solves."""

    tasks: tuple[str, ...]
    models: tuple[str, ...]
    n_items: Mapping[str, int]
    solved: Mapping[str, IntArray]

    @property
    def pairs(self) -> list[tuple[str, int, int]]:
        """Task and both models of every pair; all arrays of pairs have this order."""
        return [(task, i, j) for task in self.tasks for i, j in model_pairs(len(self.models))]

    def per_pair(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return for each pair the items of its task, and those that each model solves."""
        rows = [
            (self.n_items[task], self.solved[task][i], self.solved[task][j])
            for task, i, j in self.pairs
        ]
        n, first, second = np.array(rows, dtype=np.float64).T
        return n, first, second

    def locate(self, subject: Sequence[str]) -> tuple[str, int, int]:
        """Return the task and the models that a constraint's subject names, in its order."""
        task, *models = subject
        unknown = [name for name in models if name not in self.models]
        if task not in self.tasks or unknown or len(models) not in (1, 2):
            raise PublishedError(f"oll_v1: {', '.join(subject)!r} is no model or pair of the board")
        places = [self.models.index(name) for name in models]
        return task, places[0], places[-1]


def nominal_board(scores: Sequence[BoardScore]) -> Board:
    """Return the board with the items behind each displayed score."""
    tasks = tuple(dict.fromkeys(s.task for s in scores))
    n_items = {s.task: s.n_items for s in scores}
    solved = {
        task: np.array([s.correct for s in scores if s.task == task], dtype=np.int64)
        for task in tasks
    }
    return Board(tasks, tuple(dict.fromkeys(s.model for s in scores)), n_items, solved)
