"""Counts of all pairs of a task, made without ever holding the pairs.

A board of thousands of models has millions of pairs. They come in blocks, and of each block stay
counts, smallest and largest values alone: the same numbers whatever the blocks and their order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np
import orjson
import pandas as pd
from numpy.typing import NDArray

from llm_power._choices import Family
from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray
from llm_power._statistics.multiplicity import family_size
from llm_power._statistics.verdict import DIFFERENT, EQUIVALENT, UNDETERMINED

Block = Mapping[str, Any] | pd.DataFrame

VERDICTS: Final = (DIFFERENT, EQUIVALENT, UNDETERMINED)
# Of fewer models the list of pairs shows as much.
FEWEST_MODELS: Final = 20
# Per cent of the pairs that are different, from some gap on.
SHARES: Final = (80, 95)
# Gaps are counted in bins of .05 points; the last bin is that of pairs without an item in common.
_PER_UNIT: Final = 2_000
_UNKNOWN: Final = _PER_UNIT + 1
_N_GAPS: Final = _UNKNOWN + 1
# Mean accuracies of a pair, .05 wide, 1 in the last one; and a bin for the same pairs as before.
_N_ACCURACIES: Final = 20
# A gap of .03 is 59.999... bins of .0005.
_ROUNDING: Final = 1e-6
# In points: halves to 5, then wider.
_GAP_ENDS: Final = (*(k / 2 for k in range(1, 11)), 7.5, 10, 15, 20, 30, 50, 100)
# Multiples of the items at hand.
_MULTIPLES: Final = (2, 5, 10, 20, 50, 100)

_Arrays = dict[str, NDArray[Any]]
# How an array takes up that of another block; the others are added.
_EXTREMES: Final[Mapping[str, np.ufunc]] = {"first_different": np.minimum, "last_open": np.maximum}


class Landscape:
    """Counts of the pairs of one task."""

    def __init__(self, task: str, n_models: int) -> None:
        self.task = task
        self.n_models = n_models
        # Largest distances of the steps; and of each distance, which step it is in.
        self._steps = [first * 10**power for power in range(9) for first in (1, 2, 5)]
        self._steps = self._steps[: 1 + int(np.searchsorted(self._steps, n_models - 1))]
        self._step_of = np.searchsorted(self._steps, np.arange(n_models))
        self._arrays = self._empty()

    def _empty(self) -> _Arrays:
        ranks = self.n_models + 1
        shapes = {
            "distances": (len(VERDICTS), len(self._steps), _N_GAPS),
            "accuracies": (len(VERDICTS), _N_ACCURACIES + 1, _N_GAPS),
            "items": (len(_MULTIPLES) + 2,),
            **dict.fromkeys(("ahead", "behind", "undetermined"), (ranks,)),
            **dict.fromkeys(_EXTREMES, (ranks,)),
        }
        arrays: _Arrays = {name: np.zeros(shape, dtype=np.int64) for name, shape in shapes.items()}
        arrays["first_different"] += ranks
        return arrays

    @property
    def n_pairs(self) -> int:
        """Return the number of pairs counted."""
        return int(self._arrays["distances"].sum())

    @property
    def complete(self) -> bool:
        """Return whether all pairs of the models are counted."""
        return self.n_pairs == family_size(self.n_models, "all")

    def add(self, block: Block) -> None:
        """Count further pairs by their columns of the verdict table."""
        a, b = (np.asarray(block[name], dtype=np.int64) for name in ("rank_a", "rank_b"))
        gap, p_a, p_b, items, needed = (
            np.asarray(block[name], dtype=np.float64)
            for name in ("gap", "p_a", "p_b", "n_items", "items_needed")
        )
        verdict = np.asarray(block["verdict"])
        different = verdict == DIFFERENT
        open_ = ~different & (verdict != EQUIVALENT)
        code = 2 - 2 * different.astype(np.int64) - (~different & ~open_)
        known = ~np.isnan(gap)
        at = np.where(known, _bins(np.abs(gap), _PER_UNIT), _UNKNOWN)
        accuracy = np.minimum(_bins((p_a + p_b) / 2, _N_ACCURACIES), _N_ACCURACIES - 1)
        accuracy = np.where(known, accuracy, _N_ACCURACIES)
        step = self._step_of[b - a]
        wins, n_ranks = different & (gap > 0), self.n_models + 1
        loses = different & ~wins

        part = self._empty()
        for name, bins in (("distances", step), ("accuracies", accuracy)):
            shape = part[name].shape
            cells = (code * shape[1] + bins) * _N_GAPS + at
            part[name] = np.bincount(cells, minlength=part[name].size).reshape(shape)
        part["items"] = _multiples(needed[open_], items[open_])
        for name, over, under in (("ahead", loses, wins), ("behind", wins, loses)):
            part[name] = _count([a[over], b[under]], n_ranks)
        part["undetermined"] = _count([a[open_], b[open_]], n_ranks)
        np.minimum.at(part["first_different"], a[different], b[different])
        np.maximum.at(part["last_open"], a[~different], b[~different])
        self._join(part)

    def merge(self, other: Landscape) -> None:
        """Add the counts of other pairs of the same task."""
        if (other.task, other.n_models) != (self.task, self.n_models):
            raise InvalidArgument(
                f"a landscape of task {self.task!r} with {self.n_models} models cannot take up "
                f"one of task {other.task!r} with {other.n_models}"
            )
        self._join(other._arrays)

    def _join(self, part: _Arrays) -> None:
        for name, array in self._arrays.items():
            _EXTREMES.get(name, np.add)(array, part[name], out=array)

    def to_json(self) -> str:
        """Return the counts as JSON."""
        arrays = {}
        for name, empty in self._empty().items():
            values = self._arrays[name].ravel()
            where = np.flatnonzero(values != empty.ravel())
            arrays[name] = [where.tolist(), values[where].tolist()]
        return json.dumps(
            {"task": self.task, "n_models": self.n_models, **arrays},
            ensure_ascii=False,
            allow_nan=False,
            separators=(",", ":"),
        )

    @classmethod
    def from_json(cls, text: str) -> Landscape:
        """Return the landscape that `to_json` wrote."""
        counts = json.loads(text)
        landscape = cls(counts["task"], counts["n_models"])
        for name, array in landscape._arrays.items():
            where, values = counts[name]
            array.reshape(-1)[where] = values
        return landscape

    def by_distance(self) -> pd.DataFrame:
        """Return pairs, verdicts and the median gap, rounded down to .0005, by distance in rank."""
        ends = np.minimum(self._steps, self.n_models - 1)
        counts = self._arrays["distances"]
        table = pd.DataFrame(
            {"from_distance": [1, *(ends[:-1] + 1)], "to_distance": ends}
            | _by_verdict(counts.sum(axis=2))
        )
        return table.assign(median_gap=[_median(row) for row in counts.sum(axis=0)])

    def by_gap(self) -> pd.DataFrame:
        """Return pairs and verdicts by size of gap; the last row is of pairs without an item."""
        edges = np.array([0, *_GAP_ENDS]) / 100
        begins = np.rint([*(edges[:-1] * _PER_UNIT), _UNKNOWN]).astype(int)
        counts = np.add.reduceat(self._arrays["distances"].sum(axis=1), begins, axis=1)
        ends = {"from_gap": [*edges[:-1], np.nan], "to_gap": [*edges[1:], np.nan]}
        return pd.DataFrame(ends | _by_verdict(counts))

    def by_accuracy(self) -> pd.DataFrame:
        """Return the gaps from which 80 and 95 % of pairs are different, by mean accuracy.

        The share of different pairs, taken as one that does not fall with the gap, is the isotonic
        regression on the gap (Barlow, Bartholomew, Bremner and Brunk 1972, Statistical Inference
        under Order Restrictions); ``gap_80`` is where it reaches .8. Gaps are rounded down to
        .0005.
        """
        counts = self._arrays["accuracies"][:, :_N_ACCURACIES]
        edges = np.arange(_N_ACCURACIES + 1) / _N_ACCURACIES
        table = pd.DataFrame(
            {"from_accuracy": edges[:-1], "to_accuracy": edges[1:]}
            | _by_verdict(counts.sum(axis=2))
            | {
                "smallest_different": [_extreme_gap(row, 0) for row in counts[0]],
                "largest_undetermined": [_extreme_gap(row, -1) for row in counts[2]],
            }
        )
        for share in SHARES:
            table[f"gap_{share}"] = [
                _decided_from(different, every, share)
                for different, every in zip(counts[0], counts.sum(axis=0), strict=True)
            ]
        return table[table["pairs"] > 0].reset_index(drop=True)

    def decided_from(self, share: int) -> float:
        """Return the gap from which at least `share` per cent of pairs are different, or NaN."""
        counts = self._arrays["distances"].sum(axis=1)
        return _decided_from(counts[0], counts.sum(axis=0), share)

    def by_items(self) -> pd.DataFrame:
        """Return the number of pairs that each multiple of the same items would decide."""
        further = self._arrays["items"]
        decided = self.n_pairs - int(further.sum())
        return pd.DataFrame(
            {
                "items": [1.0, *map(float, _MULTIPLES), np.inf],
                "pairs": decided + np.array([0, *np.cumsum(further[:-1])]),
            }
        )

    def models(self) -> pd.DataFrame:
        """Return, for each model, its different and undetermined pairs above and below in rank."""
        rank = np.arange(1, self.n_models + 1)
        first, last_open = (self._arrays[name][1:] for name in ("first_different", "last_open"))
        beyond = np.maximum(last_open, rank) + 1
        last_of_any = np.maximum.accumulate(beyond) - 1
        return pd.DataFrame(
            {
                "rank": rank,
                "first_different": _rank_or_null(first, first <= self.n_models),
                "all_different_from": _rank_or_null(beyond, beyond <= self.n_models),
                **{name: self._arrays[name][1:] for name in ("ahead", "behind", "undetermined")},
                "cut_below": (last_of_any <= rank) & (rank < self.n_models),
            }
        )

    def tiers(self) -> pd.DataFrame:
        """Return the fewest groups of ranks within which no two models are different."""
        # Two are different between a rank and `ends`, but not before it.
        ends = np.minimum.accumulate(self._arrays["first_different"][:0:-1])[::-1] - 1
        firsts, lasts, rank = [], [], 1
        while rank <= self.n_models:
            firsts.append(rank)
            lasts.append(int(ends[rank - 1]))
            rank = lasts[-1] + 1
        table = pd.DataFrame({"first_rank": firsts, "last_rank": lasts})
        return table.assign(models=table["last_rank"] - table["first_rank"] + 1)


def board_landscapes(verdicts: pd.DataFrame, family: Family) -> dict[str, Landscape]:
    """Return the landscape of each task of at least `FEWEST_MODELS` models, of all pairs."""
    landscapes: dict[str, Landscape] = {}
    if family == "all":
        for name, pairs in verdicts.groupby("task", sort=False):
            task, n_models = str(name), int(pairs["rank_b"].max())
            if n_models >= FEWEST_MODELS:
                landscapes[task] = Landscape(task, n_models)
                landscapes[task].add(pairs)
    return landscapes


def count_verdicts(verdicts: pd.DataFrame) -> dict[str, int]:
    """Return how many pairs of a verdict table have each verdict."""
    return {name: int((verdicts["verdict"] == name).sum()) for name in VERDICTS}


def describe_landscape(landscape: Landscape) -> dict[str, Any]:
    """Return the tables of a complete landscape, JSON-ready; None where unknown or infinite."""
    if not landscape.complete:
        raise InvalidArgument(
            f"the landscape of task {landscape.task!r} has {landscape.n_pairs:,} of the "
            f"{family_size(landscape.n_models, 'all'):,} pairs of {landscape.n_models:,} models. "
            "Remedy: add each block once, and merge all parts."
        )
    distances, models = landscape.by_distance(), landscape.models()
    shown = {*distances["to_distance"][:-1], landscape.n_models}
    decided = {f"gap_{share}": landscape.decided_from(share) for share in SHARES}
    return {
        "task": landscape.task,
        "n_models": landscape.n_models,
        "n_pairs": landscape.n_pairs,
        "verdicts": {name: int(distances[name].sum()) for name in VERDICTS},
        "by_distance": json_rows(distances),
        "by_gap": json_rows(landscape.by_gap()),
        "by_accuracy": json_rows(landscape.by_accuracy()),
        "by_items": json_rows(landscape.by_items()),
        **{name: None if np.isnan(gap) else gap for name, gap in decided.items()},
        "by_rank": json_rows(models[models["rank"].isin(shown)].drop(columns="cut_below")),
        "tiers": landscape.tiers()[["first_rank", "last_rank"]].to_numpy().tolist(),
        # Ranks at which all models down to it differ from all further ones.
        "n_cuts": int(models["cut_below"].sum()),
    }


def json_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table, JSON-ready; None where unknown or infinite."""
    written = orjson.dumps(table.to_dict(orient="records"), default=lambda _: None)  # of pandas' NA
    rows: list[dict[str, Any]] = orjson.loads(written)
    return rows


def _bins(values: FloatArray, per_unit: int) -> IntArray:
    return (np.nan_to_num(values) * per_unit + _ROUNDING).astype(np.int64)


def _multiples(needed: FloatArray, items: FloatArray) -> IntArray:
    """Count pairs by multiple of the items that they need; the last two are more, and none."""
    ratio = np.divide(needed, items, out=np.full(len(items), np.inf), where=items > 0)
    ends = [*_MULTIPLES, np.finfo(np.float64).max]
    return np.bincount(np.searchsorted(ends, ratio), minlength=len(ends) + 1)


def _count(ranks: Sequence[IntArray], n_ranks: int) -> IntArray:
    return np.bincount(np.concatenate(ranks), minlength=n_ranks)


def _extreme_gap(counts: IntArray, place: Literal[0, -1]) -> float:
    held = np.flatnonzero(counts[:_UNKNOWN])
    return float(held[place]) / _PER_UNIT if held.size else float("nan")


def _by_verdict(counts: IntArray) -> dict[str, IntArray]:
    return {"pairs": counts.sum(axis=0), **dict(zip(VERDICTS, counts, strict=True))}


def _median(counts: IntArray) -> float:
    """Return the lower median of gaps counted by bin, without the unknown ones."""
    below = np.cumsum(counts[:_UNKNOWN])
    if not below[-1]:
        return float("nan")
    return float(np.searchsorted(below, (below[-1] + 1) // 2)) / _PER_UNIT


def _decided_from(different: IntArray, pairs: IntArray, share: int) -> float:
    # Where an isotonic regression reaches a level, the sum of what lies above it is largest.
    above = (100 * different - share * pairs)[:_UNKNOWN]
    held = np.flatnonzero(pairs[:_UNKNOWN])
    excess = np.cumsum(above[::-1])[::-1][held]
    if not held.size or excess.max() < 0:
        return float("nan")
    return float(held[excess.argmax()]) / _PER_UNIT


def _rank_or_null(ranks: IntArray, known: BoolArray) -> pd.Series:
    return pd.Series(ranks, dtype="Int64").where(known)
