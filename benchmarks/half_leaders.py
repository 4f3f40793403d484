"""How far the leader of one half of a real board falls on the other half of its items.

The items are split at random. The leader of the first half, its lead over the second, and what
`leader_on_further_items` makes of both from that half alone are held against the other half.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
from half_samples import BOARDS, SEED

from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.random_streams import named_rng
from llm_power._statistics.selection_bias import leader_on_further_items

_SPLITS: Final = 200
#: Boards beside those of `half_samples`.
MORE: Final = {
    "ARC, easier items": "olv1_subset/arc.parquet",
    "HellaSwag": "olv1_subset/hellaswag.parquet",
}


@dataclass(frozen=True, slots=True)
class HalfLeader:
    """Points by which the first half puts the leader above the other half, (splits,)."""

    board: str
    n_items: int
    n_models: int
    score: FloatArray
    lead: FloatArray
    corrected_score: FloatArray
    corrected_lead: FloatArray


def half_leaders(folder: Path) -> Iterator[HalfLeader]:
    """Yield the study of each board whose file is in `folder`."""
    for board, scores in board_scores(folder):
        yield _study(board, scores)


def board_scores(folder: Path) -> Iterator[tuple[str, FloatArray]]:
    """Yield each board whose file is in `folder`, of the models that no score is missing of."""
    for board, file in (BOARDS | MORE).items():
        if (folder / file).is_file():
            table = pd.read_parquet(folder / file)
            names = table.columns.drop(["category", "form", "subset"], errors="ignore")
            scores = table[sorted(names)].to_numpy(dtype=np.float64, na_value=np.nan)
            yield board, scores[:, ~np.isnan(scores).any(axis=0)]


def _study(board: str, scores: FloatArray) -> HalfLeader:
    rng, errors = named_rng(SEED, f"half_leaders/{board}"), []
    for _ in range(_SPLITS):
        order = rng.permutation(len(scores))
        here, there = (scores[part] for part in np.array_split(order, 2))
        first, second = np.argsort(-np.round(here.mean(axis=0), 12), kind="stable")[:2]
        shown, later = (
            np.array([x[:, first].mean(), (x[:, first] - x[:, second]).mean()])
            for x in (here, there)
        )
        corrected = leader_on_further_items([here], [1.0], rng=rng)
        assert corrected is not None
        errors.append([*(shown - later), *(np.array([corrected.score, corrected.lead]) - later)])
    return HalfLeader(board, *scores.shape, *(100 * np.transpose(errors)))
