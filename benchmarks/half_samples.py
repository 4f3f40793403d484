"""How often one half of a real board's items gives the verdict of the other half.

The items of a board are split at random; each half gives every pair a verdict at its own p-value.
What `chance_of_turning` states of the first half is held against what the second half says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from llm_power._board.counts import ScoreMoments, count_cells
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray
from llm_power._statistics.inversion import z_sum
from llm_power._statistics.mcnemar import mcnemar_exact
from llm_power._statistics.random_streams import named_rng
from llm_power._statistics.verdict import mean_verdicts
from llm_power._statistics.verdict_stability import chance_of_turning, exact_chance_of_turning

SEED: Final = 20260528
ALPHA: Final = 0.05
_POWER: Final = 0.80
# Models of a board, at most; a larger one gives a random sample of them.
_MODELS: Final = 320
# Verdicts of a board, at least, before the splits end.
_VERDICTS: Final = 100_000
_SPLITS: Final = (40, 400)

BOARDS: Final = {
    "MMLU-Pro, 15 models": "mmlu_pro/correctness.parquet",
    "ARC, one family": "olv1_subset/arc_mixtral_family.parquet",
    "ARC": "olv1_items/arc.parquet",
    "GSM8K": "olv1_items/gsm8k.parquet",
    "Winogrande": "olv1_items/winogrande.parquet",
    "AlpacaEval 2, graded": "alpaca_eval2/preference.parquet",
}


@dataclass(frozen=True, slots=True)
class HalfSample:
    """Verdicts of both halves of a board, and how well their turning was foretold.

    Attributes
    ----------
    board : str
        Its name.
    n_items, n_pairs, n_splits : int
        Items of the board, its pairs, and splits.
    different : float
        Share of verdicts of the first half that are "different".
    mean_stated : float
        Mean stated chance of turning.
    turned : float
        Share of verdicts that turned.
    unresolved : float
        Share of first halves whose q of eq. (6) is below 1 at a power of .8.
    resolved_next : float
        Share of those that the other half resolves, in either direction.
    unresolved_next : float
        Share of resolved first halves that the other half leaves unresolved.
    farthest, farthest_error : float
        Largest difference of stated and turned, by decile of the stated chance, and the standard
        error of that decile's with the pairs as the sample. Pairs share models and items: the
        true error is larger.
    """

    board: str
    n_items: int
    n_pairs: int
    n_splits: int
    different: float
    mean_stated: float
    turned: float
    unresolved: float
    resolved_next: float
    unresolved_next: float
    farthest: float
    farthest_error: float


def half_samples(folder: Path) -> Iterator[HalfSample]:
    """Yield the study of each board whose file is in `folder`."""
    for board, file in BOARDS.items():
        if (folder / file).is_file():
            yield _study(board, read_board(folder / file, board))


def read_board(path: Path, board: str) -> FloatArray:
    """Return scores of shape (items, models), NaN where missing, of at most `_MODELS` models."""
    table = pd.read_parquet(path)
    names = table.columns.drop(["category", "form", "subset", "item_row"], errors="ignore")
    if len(names) > _MODELS:
        rng = named_rng(SEED, f"half_samples/models/{board}")
        names = names[np.sort(rng.choice(len(names), _MODELS, replace=False))]
    return table[names].to_numpy(dtype=np.float64, na_value=np.nan)


def _study(board: str, scores: FloatArray) -> HalfSample:
    first, second = np.triu_indices(scores.shape[1], k=1)
    rng = named_rng(SEED, f"half_samples/{board}")
    splits = int(np.clip(_VERDICTS // first.size, *_SPLITS))
    half = len(scores) // 2
    stated, before, after, resolved = [], [], [], []
    for _ in range(splits):
        order = rng.permutation(len(scores))
        halves = scores[order[:half]], scores[order[half : 2 * half]]
        direction, chance = _verdicts(halves[0], first, second)
        stated.append(chance)
        before.append(direction)
        after.append(_verdicts(halves[1], first, second)[0])
        resolved.append([_resolved(part, first, second) for part in halves])
    chance, was = np.stack(stated), np.stack(before)
    turned = was != np.stack(after)
    is_resolved, resolves = np.moveaxis(np.array(resolved), 1, 0)
    farthest, error = _farthest_decile(chance, turned)
    return HalfSample(
        board=board,
        n_items=len(scores),
        n_pairs=first.size,
        n_splits=splits,
        different=float((was != 0).mean()),
        mean_stated=float(chance.mean()),
        turned=float(turned.mean()),
        unresolved=float((~is_resolved).mean()),
        resolved_next=float(resolves[~is_resolved].mean()),
        unresolved_next=float((~resolves[is_resolved]).mean()),
        farthest=farthest,
        farthest_error=error,
    )


def _farthest_decile(chance: FloatArray, turned: BoolArray) -> tuple[float, float]:
    """Largest difference by decile of the chance, arrays of shape (splits, pairs)."""
    edges = np.unique(np.quantile(chance, np.arange(1, 10) / 10))
    decile, excess = np.searchsorted(edges, chance), chance - turned
    differences = []
    for inside in (decile == k for k in np.unique(decile)):
        mean = float(excess[inside].mean())
        by_pair = np.where(inside, excess - mean, 0.0).sum(axis=0)
        differences.append((abs(mean), float(np.sqrt(np.square(by_pair).sum()) / inside.sum())))
    return max(differences)


def _resolved(scores: FloatArray, first: IntArray, second: IntArray) -> BoolArray:
    """Return where q = N delta^2 / (K sigma_D^2) is at least 1, eqs. (3) and (6)."""
    of = ScoreMoments(scores).moments(first, second)
    k = z_sum(alpha=ALPHA, power=_POWER) ** 2
    return np.asarray((of.sum_d != 0) & (np.square(of.sum_d) >= k * of.ss_d))


def _verdicts(scores: FloatArray, first: IntArray, second: IntArray) -> tuple[IntArray, FloatArray]:
    """Direction in which each pair is different, and its stated chance of turning."""
    known = scores[~np.isnan(scores)]
    if np.isin(known, (0.0, 1.0)).all():
        cells = count_cells(scores, first, second)
        p = mcnemar_exact(cells.b, cells.c)
        direction = np.where(p <= ALPHA, np.sign(cells.b - cells.c), 0)
        return direction, exact_chance_of_turning(cells.b, cells.c, direction, level=ALPHA)
    of = ScoreMoments(scores).moments(first, second)
    n = of.n_items
    verdicts = mean_verdicts(
        of.sum_d / n,
        np.sqrt(of.ss_d / (n - 1) / n),
        of.n_differing - 1,
        n,
        skew=of.skew_d,
        hall_df=n - 1,
    )
    return verdicts.direction, chance_of_turning(verdicts.p, verdicts.direction, level=ALPHA)
