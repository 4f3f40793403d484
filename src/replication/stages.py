"""Tables between jobs: the same table gives the same bytes."""

from __future__ import annotations

from pathlib import Path

import pandas as pd


def read_stage(path: str) -> pd.DataFrame:
    """Read a stage's table, in one thread: Arrow's pools can abort at exit (apache/arrow#34314)."""
    return pd.read_parquet(path, use_threads=False, pre_buffer=False)


def write_stage(table: pd.DataFrame, path: str) -> None:
    """Write a stage's table as Parquet."""
    table.to_parquet(path, index=False, compression="zstd")


def csv_text(table: pd.DataFrame) -> str:
    """Return a table as CSV at full precision."""
    return str(table.to_csv(index=False, lineterminator="\n"))


def write_csv(table: pd.DataFrame, path: str) -> None:
    """Write a table as CSV at full precision."""
    Path(path).write_text(csv_text(table), encoding="utf-8")
