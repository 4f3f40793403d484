"""The boards that everyone is timed on: drawn from a seed, the same in each process."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray

# As many as MMLU-Pro has subjects.
N_CLUSTERS: Final = 14
_SEED: Final = 20260528


@dataclass(frozen=True, slots=True)
class Size:
    """Size of a board.

    Attributes
    ----------
    models, items : int
        Columns and rows of its scores.
    """

    models: int
    items: int

    @property
    def pairs(self) -> int:
        """Number of pairs of models."""
        return self.models * (self.models - 1) // 2

    @property
    def work(self) -> int:
        """What the time of most work grows with."""
        return self.pairs * self.items

    def small(self) -> Size:
        """Return the size at which a smoke run does the same."""
        return Size(min(self.models, 5), min(self.items, 700))

    @property
    def columns(self) -> list[tuple[int, int]]:
        """Columns of both models of each pair, in the order of everyone's answers."""
        return list(combinations(range(self.models), 2))


def draw_scores(size: Size, *, missing: float = 0.0, spread: float = 1.5) -> FloatArray:
    """Return 0/1 scores of shape (items, models) with a common item difficulty.

    Parameters
    ----------
    size : Size
        Size of the board.
    missing : float
        Share of the scores that are missing, as NaN.
    spread : float
        Difference in ability between the best model and the worst; 0 for equal models.
    """
    difficulty = np.random.default_rng(_SEED).normal(size=size.items) - 0.5
    scores = np.empty((size.items, size.models))
    for model, ability in enumerate(np.linspace(spread, 0.0, size.models)):
        # A model at a time: the memory that is measured is the work's.
        rng = np.random.default_rng([_SEED, 1 + model])  # a zero would be the stream above
        scores[:, model] = rng.normal(size=size.items) + ability > difficulty
        if missing:
            scores[rng.random(size.items) < missing, model] = np.nan
    return scores


def discordant(x: BoolArray, y: BoolArray) -> tuple[int, int]:
    """Return b and c: how many items the first of two models alone solves, and the second alone."""
    return int((x & ~y).sum()), int((~x & y).sum())


def cluster_codes(size: Size, n_clusters: int = N_CLUSTERS) -> IntArray:
    """Return the cluster of each item: so many blocks of equal size."""
    return np.arange(size.items, dtype=np.int64) * n_clusters // size.items
