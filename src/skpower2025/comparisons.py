"""The comparisons of Section 4: power and p-value of a pair over every agreement of its scores.

The scores are those that Open LLM Leaderboard v2 displayed, and are counts of items.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
from scipy.special import bdtrc, ndtr, ndtri

from llm_power._errors import ScoreError
from llm_power._provenance import Provenance
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray
from llm_power._statistics.mcnemar import McNemarDesign, mcnemar_exact

# The items that both solve are the one unknown. At the lowest agreement most items are discordant,
# with least power and the largest p-value; at the highest, all discordant items speak for one
# model.

# With fewer discordant items, or this near to the target, the sum itself decides.
_FEW = 100
_NEAR = 0.02
# Columns that both kinds of comparisons have after their own.
VERDICTS: Final = (
    *("power_lowest", "power_highest", "powered"),
    *("p_lowest", "p_highest", "significant"),
)

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


@dataclass(frozen=True, slots=True)
class Ends:
    """A number of each comparison at the lowest and at the highest agreement."""

    lowest: FloatArray
    highest: FloatArray

    def decide(self, holds: BoolArray, may_hold: BoolArray) -> list[str]:
        """Return whether each holds at every agreement, at none, or depends on it."""
        words = np.select([holds & may_hold, ~(holds | may_hold)], ["every", "none"], "depends")
        return [str(word) for word in words]

    def at_least(self, target: float) -> list[str]:
        """Return at which agreements each reaches a target: every, none, depends."""
        return self.decide(self.lowest >= target, self.highest >= target)

    def at_most(self, level: float) -> list[str]:
        """Return at which agreements each is at most a level: every, none, depends."""
        return self.decide(self.lowest <= level, self.highest <= level)


def discordant_at_ends(a: IntArray, b: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """Return the items that one model alone solves, at the lowest agreement."""
    # At the highest, the one with more solves all that the other does.
    both = np.maximum(0, a + b - n)
    return a - both, b - both


def post_hoc_power(
    a: IntArray, b: IntArray, n: int, *, alpha: float, power: float = 0.8, exact: bool = False
) -> Ends:
    """Power of the exact McNemar test at the shown counts, summed near `power` or everywhere."""
    # The normal form with continuity correction is within .008 of the sum.
    only_a, only_b = discordant_at_ends(a, b, n)
    lowest = normal_power(only_a, only_b, n, alpha=alpha)
    summed = exact | (only_a + only_b < _FEW) | (np.abs(lowest - power) < _NEAR)
    if summed.any():
        pairs = np.sort(np.stack([only_a[summed], only_b[summed]]), axis=0)
        cells, place = np.unique(pairs, axis=1, return_inverse=True)
        sums = [_summed(x, y, n, alpha) for x, y in cells.T.tolist()]
        lowest[summed] = np.array(sums)[place.reshape(-1)]
    # The fewest items that reject when all speak for one model: 2 * 2^-m <= alpha.
    fewest = int(np.ceil(1 - np.log2(alpha)))
    gap = np.abs(a - b)
    return Ends(lowest, np.asarray(bdtrc(fewest - 1, n, gap / n)))


def p_values(a: IntArray, b: IntArray, n: int) -> Ends:
    """P-values of the exact McNemar test on the counts themselves."""
    only_a, only_b = discordant_at_ends(a, b, n)
    highest = mcnemar_exact(np.abs(a - b), np.zeros_like(a))
    return Ends(mcnemar_exact(only_a, only_b), highest)


def normal_power(only_a: IntArray, only_b: IntArray, n: int, *, alpha: float) -> FloatArray:
    """Normal form of the test's power at given discordant counts, taken as rates."""
    # The gap in items has variance n psi under the null and n (psi - delta^2) else; one item is the
    # continuity correction of the exact test.
    gap, discordant = np.abs(only_a - only_b), only_a + only_b
    critical = -ndtri(alpha / 2) * np.sqrt(discordant) + 1
    spread = np.sqrt(np.maximum(discordant - gap**2 / n, 1e-12))
    return np.asarray(ndtr((gap - critical) / spread) + ndtr((-gap - critical) / spread))


def _summed(only_a: int, only_b: int, n: int, alpha: float) -> float:
    if only_a + only_b == 0:
        return 0.0
    return float(McNemarDesign(only_a / n, only_b / n, alpha=alpha).power(n))


def with_the_median(board: pd.DataFrame, *, alpha: float, power: float) -> pd.DataFrame:
    """Compare each model of known size with the lower median of its size group."""
    return pd.concat(
        [
            _of_group(board[board["group"] == group], dataset, group, alpha, power)
            for dataset in DATASETS
            for group in GROUPS
        ],
        ignore_index=True,
    )


def over_time(board: pd.DataFrame, *, alpha: float, power: float) -> pd.DataFrame:
    """Compare each new best score of the medium models with the best before it, day by day."""
    # Of several entries of a day the best counts, for nothing tells their order.
    medium = board[(board["group"] == "medium") & board["date"].notna()]
    return pd.concat(
        [_new_bests(medium, dataset, alpha, power) for dataset in DATASETS], ignore_index=True
    )


def _of_group(
    models: pd.DataFrame, dataset: Dataset, group: str, alpha: float, power: float
) -> pd.DataFrame:
    ranked = models.sort_values([dataset.column, "model"])
    middle = (len(ranked) - 1) // 2
    baseline = float(ranked[dataset.column].iloc[middle])
    others = ranked.drop(index=ranked.index[middle])
    before = np.full(len(others), baseline)
    made = _compared(others, before, dataset, alpha=alpha, power=power)
    made.insert(1, "group", group)
    return made


def _new_bests(models: pd.DataFrame, dataset: Dataset, alpha: float, power: float) -> pd.DataFrame:
    ranked = models.sort_values(["date", dataset.column, "model"])
    best = ranked.drop_duplicates("date", keep="last")
    before = best[dataset.column].cummax().shift().to_numpy()
    rose = best[dataset.column].to_numpy() > before
    made = _compared(best[rose], before[rose], dataset, alpha=alpha, power=power, exact=True)
    made.insert(1, "date", best.loc[rose, "date"].dt.strftime("%Y-%m-%d").to_numpy())
    return made


def _compared(
    models: pd.DataFrame,
    before: np.ndarray,
    dataset: Dataset,
    *,
    alpha: float,
    power: float,
    exact: bool = False,
) -> pd.DataFrame:
    scores = models[dataset.column].to_numpy()
    counts = dataset.solved(scores), dataset.solved(before), dataset.items
    powers = post_hoc_power(*counts, alpha=alpha, power=power, exact=exact)
    p = p_values(*counts)
    return pd.DataFrame(
        {
            "dataset": dataset.name,
            "model": models["model"].to_numpy(),
            "items": dataset.items,
            "score": scores,
            "gap_pp": 100 * (scores - before),
            **_columns("power", powers),
            "powered": powers.at_least(power),
            **_columns("p", p),
            "significant": p.at_most(alpha),
        }
    )


def _columns(name: str, ends: Ends) -> dict[str, np.ndarray]:
    return {f"{name}_lowest": ends.lowest, f"{name}_highest": ends.highest}
