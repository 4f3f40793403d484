"""How often a pair of a real board is found different at the items that its verdict names.

The items are split at random into a small first part, which gives every pair a verdict and, if it
is undetermined, the items of a new run and the further items. Where the other items are as many,
the pair is run on them. Both numbers promise the same chance to find it different on the same side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from half_leaders import board_scores
from half_samples import ALPHA, SEED

from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray
from llm_power._statistics.max_t import GapDraws, centred_scores, max_t_family
from llm_power._statistics.multiplicity import FamilyTest
from llm_power._statistics.predictive_power import USUAL_GAP, spread_of_gaps
from llm_power._statistics.random_streams import content_digest, keys_of, named_rng
from llm_power._statistics.verdict import Verdicts, binary_verdicts, mean_verdicts

# Share of a board's items in the first part, and the fewest that it is made with.
_SHARE: Final = 1 / 6
_FEWEST: Final = 16
_MODELS: Final = 40
# Splits, at least and at most, and new runs before they end.
_SPLITS: Final = (100, 1_000)
_RUNS: Final = 600

Level = Literal["pair by pair", "all pairs, max-T"]


@dataclass(frozen=True, slots=True)
class Kept:
    """How often a number was kept: share, its standard error, and pair-splits that were run."""

    share: float
    error: float
    number: int


@dataclass(frozen=True, slots=True)
class HalfPlan:
    """Undetermined pair-splits of a board, their share with a number, and how it was kept."""

    board: str
    level: Level
    n_items: int
    first_part: int
    undetermined: int
    with_number: float
    new_run: Kept
    further: Kept


@dataclass(frozen=True, slots=True)
class _Runs:
    """Runs of one split: the models of each pair, and whether its number was kept."""

    models: IntArray
    kept: BoolArray


def half_plans(folder: Path) -> Iterator[HalfPlan]:
    """Yield the study of each board with items enough, pair by pair and as a family.

    All pairs of up to `_MODELS` models, drawn at random for each split, are looked at.
    """
    for board, scores in board_scores(folder):
        if len(scores) * _SHARE >= _FEWEST:
            for level in ("pair by pair", "all pairs, max-T"):
                yield _study(board, scores, level)


def _study(board: str, scores: FloatArray, level: Level) -> HalfPlan:
    rng = named_rng(SEED, f"half_plans/{board}/{level}")
    part = int(_SHARE * len(scores))
    models = min(_MODELS, scores.shape[1])
    first, second = np.triu_indices(models, k=1)
    undetermined, numbers = 0, 0
    runs: dict[bool, list[_Runs]] = {False: [], True: []}
    for split in range(_SPLITS[1]):
        if split >= _SPLITS[0] and sum(run.kept.size for run in runs[False]) >= _RUNS:
            break
        who = rng.choice(scores.shape[1], models, replace=False)
        x = scores[rng.permutation(len(scores))][:, who]
        gaps = x[:, first] - x[:, second]
        family = None if level == "pair by pair" else _family(x[:part], gaps[:part])
        # A pair named beforehand has no board to learn the spread of gaps from.
        prior = USUAL_GAP if family is None else spread_of_gaps([x[:part]], [1.0])
        whole = np.full(first.size, part)
        verdicts = _verdicts(gaps, whole, start=0, family=family, prior=prior)
        open_ = verdicts.verdict == "undetermined"
        undetermined += int(open_.sum())
        numbers += int(np.isfinite(verdicts.assured_items[open_]).sum())
        for further, kept in runs.items():
            more = verdicts.further_items if further else verdicts.assured_items
            pairs = np.flatnonzero(open_ & (more <= len(x) - part))
            ends = part + more[pairs].astype(np.int64)
            start = 0 if further else part
            single = ALPHA if family is None else family.level
            later = _verdicts(gaps[:, pairs], ends, start=start, alpha=single)
            same = later.direction == np.sign(verdicts.interval.delta[pairs])
            kept.append(_Runs(np.stack([who[first[pairs]], who[second[pairs]]]), same))
    return HalfPlan(
        board=board,
        level=level,
        n_items=len(scores),
        first_part=part,
        undetermined=undetermined,
        with_number=numbers / undetermined,
        new_run=_kept(runs[False]),
        further=_kept(runs[True]),
    )


def _family(x: FloatArray, gaps: FloatArray) -> FamilyTest:
    ids = [str(number) for number in range(len(x))]
    draws = GapDraws(centred_scores(x), keys_of(ids, content_digest(ids, x)))
    alone = _verdicts(gaps, np.full(gaps.shape[1], len(x)), start=0)
    return max_t_family(alone.p, draws.largest, alpha=ALPHA)


def _verdicts(
    gaps: FloatArray,
    ends: IntArray,
    *,
    start: int,
    alpha: float = ALPHA,
    family: FamilyTest | None = None,
    prior: float = USUAL_GAP,
) -> Verdicts:
    """Verdicts of the items from `start` to the end of each pair."""
    n, pairs = ends - start, np.arange(gaps.shape[1])

    def total(values: FloatArray) -> FloatArray:
        sums = np.cumsum(values[start:], axis=0)
        return np.asarray(sums[n - 1, pairs], dtype=np.float64)

    if np.isin(gaps, (-1.0, 0.0, 1.0)).all():
        b, c = (total(gaps == sign).astype(np.int64) for sign in (1, -1))
        return binary_verdicts(b, c, n, alpha=alpha, family=family, prior=prior)
    d, squares, cubes = (total(gaps**power) / n for power in (1, 2, 3))
    variance = np.maximum(squares - d**2, 1e-12)
    skew = (cubes - 3 * d * squares + 2 * d**3) / variance**1.5 / np.sqrt(n)
    error = np.sqrt(variance / np.maximum(n - 1, 1))
    df = np.maximum(total(gaps != 0) - 1, 1)
    law: dict[str, Any] = {"skew": skew, "hall_df": n - 1, "alpha": alpha, "prior": prior}
    return mean_verdicts(d, error, df, n, family=family, **law)


def _kept(runs: list[_Runs]) -> Kept:
    """Share that was kept; splits or models are the sample, whichever vary more."""
    kept = np.concatenate([run.kept for run in runs]).astype(float)
    if not kept.size:
        return Kept(np.nan, np.nan, 0)
    models = np.concatenate([run.models for run in runs], axis=1)
    split = np.repeat(np.arange(len(runs)), [len(run.kept) for run in runs])
    residual = kept - kept.mean()
    by_split = np.bincount(split, residual)
    by_model = np.bincount(models.ravel(), np.tile(residual, 2))
    variance = max(float(np.square(by_split).sum()), float(np.square(by_model).sum()))
    return Kept(float(kept.mean()), variance**0.5 / len(kept), len(kept))
