"""What real answers to some items of Open LLM Leaderboard v1 show of the paper's pairs."""

# The items were chosen for their information, not at random: an estimate has an unknown bias beside
# its standard error. However they were chosen, the task has at least the sample's b, c, n11 and
# n00; with the displayed margins these bound every number of a pair.

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from kotawala2026.operating_point import K
from kotawala2026.quantities.displayed_scores import PairBounds, between, displayed_pairs
from kotawala2026.quantities.gap_buckets import over_correlations
from kotawala2026.quantities.grounds import QUANTITIES, ResolvedBoard
from llm_power._errors import ScoreError
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.paired_binary import summarize_counts
from replication.constraints import BoardScore
from replication.findings import Basis, Finding


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


# The modules whose quantities of a whole board are set beside the witness's.
_OF_BOARD: Final = ("gap_buckets", "multiplicity", "pairs", "unpaired")
# Standard errors from which on a pair is counted.
_FAR: Final = 2.5
# A label of the paper that a sentence spells out.
_SPELLED: Final = {"Wino": "Winogrande"}


@dataclass(frozen=True, eq=False)
class SampledItems:
    """Real answers to some items; `seen`, shape (4, n_pairs): n11, b, c and n00 of each pair."""

    name: ClassVar[str] = "sample"
    panel: ClassVar[str] = "oll_v1"
    basis: ClassVar[Basis] = "raw_sample"

    scores: Sequence[BoardScore]
    seen: IntArray

    @property
    def board(self) -> PairBounds:
        """The board over all tables that hold what was seen."""
        return PairBounds.of(displayed_pairs(self.scores), self.seen)


def sampled_items(
    scores: Sequence[BoardScore], samples: Mapping[str, pd.DataFrame]
) -> SampledItems:
    """Count the items of each pair in the samples of the tasks, columns by identifier."""
    seen = [seen_cells(samples[a.task], a.hub_id, b.hub_id) for a, b in displayed_pairs(scores)]
    return SampledItems(scores, np.array(seen).T)


def estimates(items: SampledItems) -> pd.DataFrame:
    """Estimate each pair from its sample and the displayed gap; NaN without items."""
    # As of a random sample without replacement: binomial for the discordance, the delta method for
    # phi, whose influence function is z_a z_b - phi (z_a^2 + z_b^2)/2 in standardized scores.
    n_items = np.array([a.n_items for a, _ in items.board.pairs], dtype=np.float64)
    n = items.seen.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = items.seen / n
        finite = (n_items - n) / (n_items - 1) / n
        discordance = share[1] + share[2]
        discordance_se = np.sqrt(discordance * (1 - discordance) * finite)
        rho, influence = _phi_with_influence(share)
        rho_se = np.sqrt((share * influence**2).sum(axis=0) * finite)
        scale = K / items.board.gaps**2
    n_star = discordance * scale - K
    return pd.DataFrame(
        {
            "n_sample": n,
            "discordance_sample": discordance,
            "discordance_sample_se": discordance_se,
            "rho_sample": rho,
            "rho_sample_se": rho_se,
            "n_star_sample": n_star,
            "n_star_sample_se": discordance_se * scale,
        }
    )


def _phi_with_influence(share: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return phi of the shares of n11, b, c and n00, and its influence function in each cell."""
    a, b = share[0] + share[1], share[0] + share[2]
    sd_a, sd_b = np.sqrt(a * (1 - a)), np.sqrt(b * (1 - b))
    z_a = (np.array([[1.0], [1.0], [0.0], [0.0]]) - a) / sd_a
    z_b = (np.array([[1.0], [0.0], [1.0], [0.0]]) - b) / sd_b
    phi = (share[0] - a * b) / (sd_a * sd_b)
    return phi, z_a * z_b - phi * (z_a**2 + z_b**2) / 2


@QUANTITIES.on(SampledItems)
def of_sample(items: SampledItems) -> Iterator[Finding]:
    """Correlation and N* of each pair in the sample; without an item, all that they can be."""
    estimated, ends = estimates(items), items.board.bounds
    for quantity, one, other in (
        ("rho", ends.lowest.rho, ends.highest.rho),
        ("n_star", ends.highest.n_star, ends.lowest.n_star),
    ):
        values, errors = estimated[f"{quantity}_sample"], estimated[f"{quantity}_sample_se"]
        for k, (name, n) in enumerate(zip(items.board.names, estimated["n_sample"], strict=True)):
            if n == 0:
                method = "no item of the sample has both models"
                yield between(f"{quantity}_of_sample", name, one[k], other[k], method)
                continue
            yield Finding(
                f"{quantity}_of_sample",
                name,
                float(values[k]),
                f"of {n} items that were chosen and not drawn at random",
                standard_error=float(errors[k]),
            )


@QUANTITIES.on(SampledItems)
def bounds(items: SampledItems) -> Iterator[Finding]:
    """What the displayed margins and the items of the sample leave, however these were chosen."""
    board = items.board
    yield from over_correlations(board)
    yield from board.gains()
    yield from board.cells()


def sample_table(
    items: SampledItems, witness: Sequence[TaskScores], fixed: pd.DataFrame
) -> pd.DataFrame:
    """Return every pair's bounds, its sample, what the sample leaves of b, and its witness."""
    board, estimated = items.board, estimates(items)
    printed = {
        (task, frozenset(pair))
        for task, *pair, is_fixed in fixed.itertuples(index=False)
        if is_fixed
    }
    kind = [
        "printed" if (a.task, frozenset((a.model, b.model))) in printed else "free"
        for a, b in board.pairs
    ]
    by_task = {task.task: pd.DataFrame(task.values, columns=list(task.models)) for task in witness}
    cells = np.array([seen_cells(by_task[a.task], a.model, b.model) for a, b in board.pairs]).T
    summary = summarize_counts(*cells)
    discordance = (cells[1] + cells[2]) / summary.n_items
    least, most = board.bounds.b_highest, board.bounds.b_lowest
    margins = PairBounds.of(board.pairs).bounds
    return (
        board.table()
        .assign(kind=kind)
        .join(estimated)
        .assign(
            b_least=least,
            b_most=most,
            values_of_b_with_sample=most - least + 1,
            values_of_b_without=margins.b_lowest - margins.b_highest + 1,
            b_witness=cells[1],
            discordance_witness=discordance,
            discordance_z=(discordance - estimated["discordance_sample"])
            / estimated["discordance_sample_se"],
            rho_witness=summary.rho,
            rho_z=(summary.rho - estimated["rho_sample"]) / estimated["rho_sample_se"],
        )
    )


def at_sample_rates(board: PairBounds, table: pd.DataFrame, *, seed: int) -> list[Finding]:
    """Return the quantities of the whole board, its pairs at the discordance of the sample.

    A pair without an item in the sample is as in the witness.
    """
    b = (
        table["discordance_sample"] * table["n_items"] + table["correct_a"] - table["correct_b"]
    ) / 2
    b = b.clip(table["b_least"], table["b_most"]).fillna(table["b_witness"]).round().astype(int)
    tasks = [
        _with_cells(name, *pair, int(first))
        for name, pair, first in zip(board.names, board.pairs, b, strict=True)
    ]
    findings = QUANTITIES.evaluate(
        replace(ResolvedBoard.of("oll_v1", tasks, seed=seed), basis="raw_sample"),
        topics=_OF_BOARD,
    )
    # Those of a pair are in its own rows.
    return [one for one in findings if "," not in one.subject]


def _with_cells(name: str, a: BoardScore, b: BoardScore, only_a: int) -> TaskScores:
    """Return items of a pair with the displayed scores, of which A alone solves `only_a`."""
    cells = a.correct - only_a, only_a, b.correct - a.correct + only_a
    answers = np.repeat(
        [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [*cells, a.n_items - sum(cells)], axis=0
    )
    return TaskScores(
        name, "binary", tuple(map(str, range(a.n_items))), (a.model, b.model), answers
    )


def witness_beside_sample(
    table: pd.DataFrame, findings: Sequence[Finding], printed: int
) -> Finding:
    """Return what the sample says of the witness, in three sentences."""
    seen = table[table["n_sample"] > 0]
    task = str(np.square(seen["rho_z"]).groupby(seen["task"], sort=False).mean().idxmax())
    z = seen.loc[seen["task"] == task, "rho_z"]
    side = "low" if z.mean() < 0 else "high"
    sizes = seen.groupby("task")["n_sample"].max()
    sentences = [
        f"Real answers to some items of each task ({sizes.min():,} to {sizes.max():,}, chosen for "
        f"their information and not drawn at random) test the fitted data set. On {task} its "
        f"correlations are {abs(z.mean()):.1f} standard errors too {side} on average (root mean "
        f"square {np.sqrt(np.square(z).mean()):.1f}, {(z.abs() > _FAR).sum()} of {len(z)} pairs "
        f"beyond {_FAR})."
    ]
    scale = K / np.square(seen["gap_pp"] / 100)
    n_star = seen["discordance_witness"] * scale - K
    turned = seen[(n_star > seen["n_items"]) != (seen["n_star_sample"] > seen["n_items"])]
    sentences += [
        f"{row['model_a']} and {row['model_b']} on {_SPELLED.get(row['task'], row['task'])} change "
        f"their verdict: rho is {row['rho_witness']:.3f} there and {row['rho_sample']:.3f} ± "
        f"{row['rho_sample_se']:.3f} on the items, N* {n_star[k]:,.0f} and "
        f"{row['n_star_sample']:,.0f} ± {row['n_star_sample_se']:,.0f} for "
        f"{row['n_items']:,} items."
        for k, row in turned.iterrows()
    ]
    (count,) = (f.value for f in findings if f.quantity == "unresolved_fixed")
    sentences.append(
        f"If the rates on these items were the task's, {count:.0f} of {len(table)} pairs would be "
        f"unresolved, not {printed}."
        if count != printed
        else f"At the rates on these items {count:.0f} of {len(table)} pairs are unresolved too."
    )
    return Finding("witness_beside_sample", "", " ".join(sentences), basis="raw_sample")
