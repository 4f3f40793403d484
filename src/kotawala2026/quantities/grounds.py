"""The registry of the paper's quantities, and the grounds that they are evaluated on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final, Self

import numpy as np
import pandas as pd

from kotawala2026.adjacent_clusters import load_categories
from kotawala2026.exhibits.item_count import implied_item_count, jointly_solved
from llm_power._board.all_pairs import BoardPairs, p_values_between
from llm_power._board.operating_point import UNDECLARED, USUAL
from llm_power._board.resolve import shown_verdicts
from llm_power._choices import Family
from llm_power._report.tables import basis_of
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import BoolArray, FloatArray
from llm_power._statistics.paired_binary import PairSummary, summarize_counts
from llm_power_audit.printed_tables import PublishedCounts, load_counts
from replication.constraints import BoardScore, load_board_scores
from replication.findings import Basis, PrintedNumbers, Quantities


@dataclass(frozen=True)
class PublishedNumbers(PrintedNumbers):
    """What the paper prints; `board_scores` and `subject_sizes` are not in it."""

    close_pairs: PublishedCounts
    adjacent_pairs: PublishedCounts
    board_scores: Mapping[str, tuple[BoardScore, ...]]
    subject_sizes: tuple[int, ...]

    @property
    def counted(self) -> dict[str, PublishedCounts]:
        """The tables that print b and c of their pairs."""
        return {"Table 6": self.close_pairs, "Table 7": self.adjacent_pairs}

    @cached_property
    def implied_n(self) -> int:
        """The N of Table 7's rows; that of its caption fits none of them."""
        return implied_item_count(self.adjacent_pairs).n_items


def load_published(folder: Path) -> PublishedNumbers:
    """Read every table and the settings from a folder of printed numbers."""
    printed = PrintedNumbers.load(folder)
    n_items = printed.settings["mmlu_pro_n_items"]
    if not isinstance(n_items, int):
        raise TypeError(f"mmlu_pro_n_items must be a whole number, got {n_items!r}")
    return PublishedNumbers(
        tables=printed.tables,
        settings=printed.settings,
        close_pairs=load_counts(folder / "printed/table_06.csv"),
        adjacent_pairs=load_counts(folder / "printed/table_07.csv", n_items=n_items),
        board_scores=load_board_scores(folder / "board_scores.csv"),
        subject_sizes=tuple(load_categories(folder / "mmlu_pro_categories.csv").values()),
    )


def summary_of(counts: PublishedCounts) -> PairSummary:
    """Return the summary of each printed pair at the N of its table."""
    n11 = jointly_solved(counts, counts.n_items)
    return summarize_counts(n11, counts.b, counts.c, counts.n_items - n11 - counts.b - counts.c)


QUANTITIES: Final = Quantities()

_FAMILY: Final[Mapping[str, Family]] = {
    "oll_v1": "all",
    "mmlu_pro": "adjacent",
    "frontier": "adjacent",
}
_CLUSTER: Final = {"mmlu_pro": "category"}
# How the paper names a pair of the panel.
_PAIR: Final = {
    "oll_v1": "{task}, {model_a}, {model_b}",
    "mmlu_pro": "{rank_a} vs {rank_b}",
    "frontier": "{model_a}, {model_b}",
}
_SWAPPED: Final = {
    **{"b": "c", "c": "b", "p_a": "p_b", "p_b": "p_a"},
    **{"model_a": "model_b", "model_b": "model_a"},
}


@dataclass(frozen=True, eq=False)
class DisplayedScores:
    """Numbers of solved items behind the scores that boards displayed."""

    name: ClassVar[str] = "displayed scores"
    panel: ClassVar[str] = "general"
    basis: ClassVar[Basis] = "displayed"

    published: PublishedNumbers

    @property
    def oll_v1(self) -> tuple[BoardScore, ...]:
        """The five models of Open LLM Leaderboard v1 on each of four tasks."""
        return self.published.board_scores["oll_v1"]

    @property
    def mmlu_pro(self) -> tuple[BoardScore, ...]:
        """The ten models of Open LLM Leaderboard v2 on MMLU-Pro, best first."""
        return self.published.board_scores["mmlu_pro"]


@dataclass(frozen=True, eq=False)
class Board:
    """A board's verdicts at the operating point of the paper."""

    name: ClassVar[str] = "verdicts"

    panel: str
    basis: Basis
    verdicts: pd.DataFrame

    def column(self, name: str) -> FloatArray:
        """Return a column of numbers of the verdict table."""
        return self.verdicts[name].to_numpy(np.float64)

    @property
    def gap(self) -> FloatArray:
        """Absolute gap of each pair."""
        return np.abs(self.column("delta"))

    @property
    def r(self) -> FloatArray:
        """N*/N of each pair."""
        return self.column("n_star") / self.column("n_items")

    def unresolved(self, column: str) -> BoolArray:
        """Return which pairs a procedure leaves unresolved."""
        return ~self.verdicts[column].to_numpy(np.bool_)


@dataclass(frozen=True, eq=False)
class ResolvedBoard(Board):
    """A board resolved here from its scores; Section 6.5 has one anytime factor for all pairs."""

    name: ClassVar[str] = "scores"

    seed: int = 0
    anytime_inflation: float | None = None

    @classmethod
    def of(
        cls,
        panel: str,
        tasks: Sequence[TaskScores],
        *,
        seed: int,
        anytime_inflation: float | None = None,
    ) -> Self:
        """Resolve the pairs of the panel's family."""
        pairs = BoardPairs(tasks, _FAMILY[panel], _CLUSTER.get(panel), USUAL, UNDECLARED)
        values = pairs.adjusted(*p_values_between(pairs, 0, pairs.n_pairs))
        verdicts = shown_verdicts(pairs, values, pairs.among_best(None))
        return cls(panel, basis_of(tasks), verdicts, seed, anytime_inflation)

    def by_pair(self) -> pd.DataFrame:
        """Return the verdict table with each named pair twice, A against B and B against A."""
        table = self.verdicts
        both = pd.concat([table, table.rename(columns=_SWAPPED)], ignore_index=True)
        name = _PAIR[self.panel]
        named = [name.format(**dict(row)) for _, row in both.iterrows()]
        return both.set_index(pd.Index(named)).groupby(level=0, sort=False).head(1)


@dataclass(frozen=True, eq=False)
class ClusterStages:
    """The workflow's stages about the clusters of MMLU-Pro's top ten."""

    name: ClassVar[str] = "stages"
    panel: ClassVar[str] = "mmlu_pro"

    basis: Basis
    verdicts: pd.DataFrame
    definitions: pd.DataFrame
    distribution: pd.DataFrame
    n_resamples: int


@dataclass(frozen=True, eq=False)
class ClusteredItems:
    """Item-level scores of MMLU-Pro's top ten in categories, with a seed for draws of its own."""

    name: ClassVar[str] = "items"
    panel: ClassVar[str] = "mmlu_pro"

    basis: Basis
    scores: TaskScores
    drops: Mapping[str, Sequence[str]]
    seed: int


@dataclass(frozen=True, eq=False)
class Simulation:
    """Rows simulated from the paper's settings, by chunk of `simulations.findings_simulated`."""

    name: ClassVar[str] = "simulation"
    panel: ClassVar[str] = "general"
    basis: ClassVar[Basis] = "derived"

    settings: Mapping[str, Any]
    n_trials_large: int
    chunks: Mapping[str, pd.DataFrame]
