"""The scores that Open LLM Leaderboard v2 displayed, and the items that they are counts of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from llm_power._errors import ScoreError
from llm_power._provenance import Provenance
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray

SOURCE: Final = Provenance.published("scores that Open LLM Leaderboard v2 displayed")
# Boundaries in billions of parameters: "fewer than 1", "between 1 and 10", "more than 10".
GROUPS: Final = ("small", "medium", "large")
# A displayed score is a double; its product with some thousand items is whole to this, with very
# many units to the rounding of a sum of 24 accuracies.
_WHOLE: Final = 1e-6
_ROUNDING: Final = 2e-15


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset of the board, as lm-evaluation-harness scores it: a plain mean over its parts."""

    # Parts: 24 subtasks of BBH; of IFEval the strict accuracies over prompts and over instructions.

    name: str
    column: str
    items: int
    parts: tuple[int, ...]

    def solved(self, scores: FloatArray) -> IntArray:
        """Return the numbers of solved items: of a mean of several parts the nearest."""
        return np.rint(scores * self.items).astype(np.int64)

    def counts_of(self, scores: FloatArray) -> BoolArray:
        """Return which scores the dataset can give: means of whole counts of its parts."""
        return are_counts(scores, *self.parts)


DATASETS: Final = (
    Dataset("IFEval", "ifeval", 541, (541, 834)),
    Dataset("BBH", "bbh", 5761, (*[250] * 21, 187, 146, 178)),
    Dataset("Math Lvl 5", "math", 1324, (1324,)),
    Dataset("MMLU-PRO", "mmlu_pro", 12032, (12032,)),
    Dataset("GPQA", "gpqa", 1192, (1192,)),
)
# On the board, and not in the paper.
MUSR: Final = Dataset("MuSR", "musr", 756, (250, 256, 250))


def are_counts(scores: FloatArray, *parts: int) -> BoolArray:
    """Return which scores are plain means of whole counts over items of the given parts."""
    # A mean of m shares k_j/n_j is a multiple of one over m times the least common multiple of the
    # n_j: 7e9 for BBH, which doubles still tell apart.
    units = scores * (len(parts) * int(np.lcm.reduce(np.array(parts, dtype=np.int64))))
    return np.asarray(np.abs(units - np.rint(units)) <= np.maximum(_WHOLE, _ROUNDING * units))


def read_board(path: Path) -> pd.DataFrame:
    """Read the displayed scores, and add the size group of each model; None where unknown."""
    scores = [dataset.column for dataset in (*DATASETS, MUSR)]
    try:
        board = pd.read_csv(path)[["model", "params_billions", "submission_date", *scores]]
    except (OSError, ValueError, KeyError) as error:
        raise ScoreError(
            f"cannot be read: {error}", file=str(path), remedy="get the file again"
        ) from error
    outside = ~board[scores].apply(lambda column: column.between(0, 1))
    if outside.any(axis=None):
        raise ScoreError(
            f"scores must be in [0, 1], and {outside.columns[outside.any()][0]} is not",
            file=str(path),
            model=str(board["model"][outside.any(axis=1)].iloc[0]),
            remedy="get the file again",
        )
    size = board.pop("params_billions")
    known = [(size > 0) & (size < 1), (size >= 1) & (size <= 10), size > 10]
    board["group"] = np.select(known, GROUPS, "unknown")
    board["date"] = pd.to_datetime(board.pop("submission_date"))
    return board
