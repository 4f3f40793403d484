"""What the paper prints, as a ground of quantities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import pandas as pd

from kotawala2026.exhibits.item_count import jointly_solved
from llm_power.statistics.paired_binary import PairSummary, summarize_counts
from replication.constraints import BoardScore, load_board_scores
from replication.findings import Basis
from replication.printed import PublishedCounts, load_counts, load_table
from replication.settings import load_settings

N_TABLES: Final = 12


@dataclass(frozen=True, slots=True)
class PublishedNumbers:
    """What the paper prints; `board_scores` and `subject_sizes` are not in it."""

    name: ClassVar[str] = "printed numbers"
    panel: ClassVar[str] = "general"
    basis: ClassVar[Basis] = "counts"

    tables: Mapping[int, pd.DataFrame]
    settings: Mapping[str, Any]
    close_pairs: PublishedCounts
    adjacent_pairs: PublishedCounts
    board_scores: Mapping[str, tuple[BoardScore, ...]]
    subject_sizes: tuple[int, ...]


def load_published(folder: Path) -> PublishedNumbers:
    """Read every table and the settings from a folder of printed numbers."""
    paths = {
        number: folder / "printed" / f"table_{number:02d}.csv" for number in range(1, N_TABLES + 1)
    }
    settings = load_settings(folder / "settings.yaml")
    n_items = settings["mmlu_pro_n_items"]
    if not isinstance(n_items, int):
        raise TypeError(f"mmlu_pro_n_items must be a whole number, got {n_items!r}")
    return PublishedNumbers(
        tables={number: load_table(path) for number, path in paths.items()},
        settings=settings,
        close_pairs=load_counts(paths[6]),
        adjacent_pairs=load_counts(paths[7], n_items=n_items),
        board_scores=load_board_scores(folder / "board_scores.csv"),
        subject_sizes=tuple(pd.read_csv(folder / "mmlu_pro_categories.csv")["n_items"]),
    )


def summary_of(counts: PublishedCounts) -> PairSummary:
    """Return the summary of each printed pair at the N of its table."""
    n11 = jointly_solved(counts, counts.n_items)
    return summarize_counts(n11, counts.b, counts.c, counts.n_items - n11 - counts.b - counts.c)
