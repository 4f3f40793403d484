"""Real answers to some items of a task, as others published them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from llm_power._errors import ScoreError
from llm_power._statistics.arrays import IntArray


def read_sample(files: Sequence[Path], models: Sequence[str]) -> pd.DataFrame:
    """Read tables of items, and join them by item."""
    joined = pd.DataFrame(columns=list(models), dtype=np.float64)
    for file in files:
        try:
            there = set(pq.read_schema(file).names)
            table = pd.read_parquet(file, columns=[name for name in models if name in there])
            table = table.astype(np.float64)
        except (OSError, ValueError) as error:
            raise ScoreError(
                f"cannot be read: {error}", file=str(file), remedy="get the file again"
            ) from error
        if not (table.index.is_unique and (table.isin([0, 1]) | table.isna()).all(axis=None)):
            raise ScoreError(
                "a sample has one row an item, and 0, 1 or nothing in each cell",
                file=str(file),
                remedy="get the file again",
            )
        both = joined.reindex_like(table)
        differs = (both != table) & both.notna() & table.notna()
        if differs.any(axis=None):
            raise ScoreError(
                "another result than in the files before it",
                file=str(file),
                model=str(differs.columns[differs.any()][0]),
                item=str(differs.index[differs.any(axis=1)][0]),
                remedy="take files of the same runs",
            )
        joined = table.combine_first(joined)
    return joined.reindex(columns=list(models)).sort_index()


def seen_cells(sample: pd.DataFrame, first: str, second: str) -> IntArray:
    """Count the items both models solve, only the first, only the second, none; shape (4,)."""
    # Items without a result of either are left out.
    answers = sample[[first, second]].dropna().to_numpy(np.int64)
    return np.bincount(3 - 2 * answers[:, 0] - answers[:, 1], minlength=4)
