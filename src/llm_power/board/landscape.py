"""What all pairs of a task show together, counted without ever holding the pairs.

A board of thousands of models has millions of pairs. They come in blocks, and of each block stay
counts, smallest and largest values alone: the same numbers whatever the blocks and their order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from llm_power.choices import Family
from llm_power.errors import InvalidArgument
from llm_power.statistics._typing import BoolArray, FloatArray, IntArray
from llm_power.statistics.multiplicity import family_size
from llm_power.statistics.verdict import DIFFERENT, EQUIVALENT, UNDETERMINED

Block = Mapping[str, Any] | pd.DataFrame

VERDICTS: Final = (DIFFERENT, EQUIVALENT, UNDETERMINED)
# Of fewer models the list of pairs shows as much.
FEWEST_MODELS: Final = 20
# Shares of the pairs at a gap that are different, of which the smallest such gap is told.
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
# How each array takes up that of another block.
_JOINED: Final[Mapping[str, np.ufunc]] = {
    "distances": np.add,
    "accuracies": np.add,
    "items": np.add,
    "ahead": np.add,
    "behind": np.add,
    "undetermined": np.add,
    "first_different": np.minimum,
    "last_open": np.maximum,
}


class Landscape:
    """Counts of all pairs of one task.

    Parameters
    ----------
    task : str
        Name of the task.
    n_models : int
        Number of its models.

    Examples
    --------
    >>> from llm_power import resolve_board
    >>> from llm_power.board.landscape import Landscape
    >>> from llm_power.example import example_task
    >>> pairs = resolve_board([example_task()], family="all").verdicts
    >>> first, second = Landscape("exam", 4), Landscape("exam", 4)
    >>> first.add(pairs[:2])
    >>> second.add(pairs[2:])
    >>> first.merge(second)
    >>> first.n_pairs, first.by_distance()["different"].tolist()
    (6, [2, 2, 1])
    """

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
        return {
            "distances": np.zeros((len(VERDICTS), len(self._steps), _N_GAPS), dtype=np.int64),
            "accuracies": np.zeros((len(VERDICTS), _N_ACCURACIES + 1, _N_GAPS), dtype=np.int64),
            "items": np.zeros(len(_MULTIPLES) + 2, dtype=np.int64),
            "ahead": np.zeros(ranks, dtype=np.int64),
            "behind": np.zeros(ranks, dtype=np.int64),
            "undetermined": np.zeros(ranks, dtype=np.int64),
            "first_different": np.full(ranks, ranks, dtype=np.int64),
            "last_open": np.zeros(ranks, dtype=np.int64),
        }

    @property
    def n_pairs(self) -> int:
        """Number of the pairs so far.

        Examples
        --------
        >>> from llm_power.board.landscape import Landscape
        >>> Landscape("exam", 4).n_pairs
        0
        """
        return int(self._arrays["distances"].sum())

    @property
    def complete(self) -> bool:
        """Whether all pairs of the models are in it.

        Examples
        --------
        >>> from llm_power.board.landscape import Landscape
        >>> Landscape("exam", 4).complete
        False
        """
        return self.n_pairs == family_size(self.n_models, "all")

    def add(self, block: Block) -> None:
        """Count further pairs.

        Parameters
        ----------
        block : mapping of str to array_like, or DataFrame
            Columns ``rank_a``, ``rank_b``, ``n_items``, ``p_a``, ``p_b``, ``gap``, ``verdict`` and
            ``items_needed`` of the verdict table, for pairs that are not in it yet. The last one
            may be left out.

        Raises
        ------
        InvalidArgument
            If a rank is beyond the models.

        Examples
        --------
        >>> from llm_power.board.landscape import Landscape
        >>> seen = Landscape("exam", 4)
        >>> seen.add(
        ...     {
        ...         "rank_a": [1],
        ...         "rank_b": [2],
        ...         "n_items": [400],
        ...         "p_a": [0.73],
        ...         "p_b": [0.7],
        ...         "gap": [0.03],
        ...         "verdict": ["undetermined"],
        ...         "items_needed": [2652.0],
        ...     }
        ... )
        >>> seen.n_pairs
        1
        """
        a, b = (np.asarray(block[name], dtype=np.int64) for name in ("rank_a", "rank_b"))
        if not a.size:
            return
        if a.min() < 1 or b.max() > self.n_models or (a >= b).any():
            raise InvalidArgument(
                f"ranks of pairs of task {self.task!r} must have 1 <= rank_a < rank_b <= "
                f"{self.n_models}"
            )
        gap, p_a, p_b, items = (
            np.asarray(block[name], dtype=np.float64) for name in ("gap", "p_a", "p_b", "n_items")
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
        if "items_needed" in block:
            needed = np.asarray(block["items_needed"], dtype=np.float64)[open_]
            part["items"] = _multiples(needed, items[open_])
        for name, over, under in (("ahead", loses, wins), ("behind", wins, loses)):
            part[name] = _count(a[over], n_ranks) + _count(b[under], n_ranks)
        part["undetermined"] = _count(a[open_], n_ranks) + _count(b[open_], n_ranks)
        _extreme(np.minimum, part["first_different"], a[different], b[different])
        _extreme(np.maximum, part["last_open"], a[~different], b[~different])
        self._join(part)

    def merge(self, other: Landscape) -> None:
        """Count the pairs of another part of the same task.

        Parameters
        ----------
        other : Landscape
            Of none of the pairs that are in it already.

        Raises
        ------
        InvalidArgument
            If it is of another task.

        Examples
        --------
        >>> from llm_power.board.landscape import Landscape
        >>> Landscape("exam", 4).merge(Landscape("exam", 4))
        """
        if (other.task, other.n_models) != (self.task, self.n_models):
            raise InvalidArgument(
                f"a landscape of task {self.task!r} with {self.n_models} models cannot take up "
                f"one of task {other.task!r} with {other.n_models}"
            )
        self._join(other._arrays)

    def _join(self, part: _Arrays) -> None:
        for name, joined in _JOINED.items():
            joined(self._arrays[name], part[name], out=self._arrays[name])

    def to_json(self) -> str:
        """Return all of it as text, for `from_json`.

        Examples
        --------
        >>> from llm_power.board.landscape import Landscape
        >>> Landscape.from_json(Landscape("exam", 4).to_json()).n_models
        4
        """
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
        """Return what `to_json` wrote.

        Parameters
        ----------
        text : str
            JSON.

        Returns
        -------
        Landscape
            With the same counts.

        Examples
        --------
        >>> from llm_power.board.landscape import Landscape
        >>> Landscape.from_json(Landscape("exam", 4).to_json()).task
        'exam'
        """
        told = json.loads(text)
        read = cls(told["task"], told["n_models"])
        for name, array in read._arrays.items():
            where, values = told[name]
            array.reshape(-1)[where] = values
        return read

    def by_distance(self) -> pd.DataFrame:
        """Pairs by their distance in rank.

        Returns
        -------
        DataFrame
            One row a step: ``from_distance`` and ``to_distance``, both within; ``pairs`` and how
            many of them are ``different``, ``equivalent`` and ``undetermined``; ``median_gap``, in
            score units, rounded down to .0005.

        Examples
        --------
        >>> from llm_power import resolve_board
        >>> from llm_power.board.landscape import Landscape
        >>> from llm_power.example import example_task
        >>> seen = Landscape("exam", 4)
        >>> seen.add(resolve_board([example_task()], family="all").verdicts)
        >>> seen.by_distance().drop(columns="equivalent")
           from_distance  to_distance  pairs  different  undetermined  median_gap
        0              1            1      3          2             1      0.0775
        1              2            2      2          2             0      0.1025
        2              3            3      1          1             0      0.3225
        """
        ends = np.minimum(self._steps, self.n_models - 1)
        counts = self._arrays["distances"]
        table = pd.DataFrame(
            {"from_distance": [1, *(ends[:-1] + 1)], "to_distance": ends}
            | _by_verdict(counts.sum(axis=2))
        )
        return table.assign(median_gap=[_median(row) for row in counts.sum(axis=0)])

    def by_gap(self) -> pd.DataFrame:
        """Pairs by the size of their gap.

        Returns
        -------
        DataFrame
            One row a bin: ``from_gap``, within, and ``to_gap``, not within unless it is 1, in score
            units; ``pairs`` and how many have each verdict. The last row is that of pairs without
            an item in common, with null for both.

        Examples
        --------
        >>> from llm_power import resolve_board
        >>> from llm_power.board.landscape import Landscape
        >>> from llm_power.example import example_task
        >>> seen = Landscape("exam", 4)
        >>> seen.add(resolve_board([example_task()], family="all").verdicts)
        >>> table = seen.by_gap()
        >>> table[table["pairs"] > 0].drop(columns="equivalent")
            from_gap  to_gap  pairs  different  undetermined
        5      0.025    0.03      1          0             1
        11     0.075    0.10      1          1             0
        12     0.100    0.15      1          1             0
        14     0.200    0.30      2          2             0
        15     0.300    0.50      1          1             0
        """
        edges = np.array([0, *_GAP_ENDS]) / 100
        begins = np.rint([*(edges[:-1] * _PER_UNIT), _UNKNOWN]).astype(int)
        counts = np.add.reduceat(self._arrays["distances"].sum(axis=1), begins, axis=1)
        ends = {"from_gap": [*edges[:-1], np.nan], "to_gap": [*edges[1:], np.nan]}
        return pd.DataFrame(ends | _by_verdict(counts))

    def by_accuracy(self) -> pd.DataFrame:
        """Smallest gaps that are decided, by the mean accuracy of a pair.

        Returns
        -------
        DataFrame
            One row a bin that has pairs: ``from_accuracy``, within, and ``to_accuracy``, not
            within; ``pairs`` and how many have each verdict; ``smallest_different`` and
            ``largest_undetermined``, the gaps of these pairs; ``gap_80`` and ``gap_95``, the gap
            from which on at least so many per cent of the pairs are different. Gaps are rounded
            down to .0005, and null where there is none.

        Notes
        -----
        The share of pairs that are different, taken as one that does not fall with the gap, is the
        isotonic regression on the gap; ``gap_80`` is where it reaches .8. From there to any larger
        gap at least 80 % of the pairs are different, and from any smaller gap to there fewer are.

        References
        ----------
        Barlow, Bartholomew, Bremner and Brunk (1972), Statistical Inference under Order
        Restrictions.

        Examples
        --------
        >>> from llm_power import resolve_board
        >>> from llm_power.board.landscape import Landscape
        >>> from llm_power.example import example_task
        >>> seen = Landscape("exam", 4)
        >>> seen.add(resolve_board([example_task()], family="all").verdicts)
        >>> seen.by_accuracy()[["from_accuracy", "pairs", "smallest_different", "gap_80"]].round(4)
           from_accuracy  pairs  smallest_different  gap_80
        0           0.50      1              0.2200  0.2200
        1           0.55      2              0.2975  0.2975
        2           0.65      2              0.0775  0.0775
        3           0.70      1                 NaN     NaN
        """
        counts = self._arrays["accuracies"][:, :_N_ACCURACIES]
        edges = np.arange(_N_ACCURACIES + 1) / _N_ACCURACIES
        table = pd.DataFrame(
            {"from_accuracy": edges[:-1], "to_accuracy": edges[1:]}
            | _by_verdict(counts.sum(axis=2))
            | {
                "smallest_different": [_smallest(row) for row in counts[0]],
                "largest_undetermined": [_largest(row) for row in counts[2]],
            }
        )
        for share in SHARES:
            table[f"gap_{share}"] = [
                _decided_from(different, every, share)
                for different, every in zip(counts[0], counts.sum(axis=0), strict=True)
            ]
        return table[table["pairs"] > 0].reset_index(drop=True)

    def decided_from(self, share: int) -> float:
        """Return the gap from which on at least `share` per cent of all pairs are different.

        Parameters
        ----------
        share : int
            Per cent.

        Returns
        -------
        float
            As in `by_accuracy`; NaN where there is no such gap.

        Examples
        --------
        >>> from llm_power import resolve_board
        >>> from llm_power.board.landscape import Landscape
        >>> from llm_power.example import example_task
        >>> seen = Landscape("exam", 4)
        >>> seen.add(resolve_board([example_task()], family="all").verdicts)
        >>> seen.decided_from(80)
        0.0775
        """
        counts = self._arrays["distances"].sum(axis=1)
        return _decided_from(counts[0], counts.sum(axis=0), share)

    def by_items(self) -> pd.DataFrame:
        """Pairs that more of the same items would decide.

        Returns
        -------
        DataFrame
            One row a multiple of the items at hand: ``items``, and the ``pairs`` that are decided
            now, at 1, or need no more than so many. The last row, at infinity, is that of all
            pairs that some number of items decides. What a pair needs is its ``items_needed``, for
            the level and power that it was computed for, at the observed rates.

        Examples
        --------
        >>> from llm_power import resolve_board
        >>> from llm_power.board.landscape import Landscape
        >>> from llm_power.example import example_task
        >>> seen = Landscape("exam", 4)
        >>> seen.add(resolve_board([example_task()], family="all").verdicts)
        >>> seen.by_items().set_index("items")["pairs"].to_dict()
        {1.0: 5, 2.0: 5, 5.0: 5, 10.0: 6, 20.0: 6, 50.0: 6, 100.0: 6, inf: 6}
        """
        further = self._arrays["items"]
        n_open = int(self._arrays["distances"][VERDICTS.index(UNDETERMINED)].sum())
        decided = self.n_pairs - n_open
        table = pd.DataFrame(
            {
                "items": [1.0, *map(float, _MULTIPLES), np.inf],
                "pairs": decided + np.array([0, *np.cumsum(further[:-1])]),
            }
        )
        # Of pairs that came without `items_needed` only the first row is known.
        return table if further.sum() == n_open else table[:1]

    def models(self) -> pd.DataFrame:
        """How each model stands to those below it and above it.

        Returns
        -------
        DataFrame
            One row a model: ``rank``; ``first_different``, the first rank below it that is
            different; ``all_different_from``, the rank from which on every further one is; both
            null where there is none; ``ahead`` and ``behind``, how many models are different and
            better or worse; ``undetermined``, with how many it is; ``cut_below``, whether all
            models down to it are different from all further ones.

        Examples
        --------
        >>> from llm_power import resolve_board
        >>> from llm_power.board.landscape import Landscape
        >>> from llm_power.example import example_task
        >>> seen = Landscape("exam", 4)
        >>> seen.add(resolve_board([example_task()], family="all").verdicts)
        >>> seen.models()[["rank", "first_different", "ahead", "behind", "cut_below"]]
           rank  first_different  ahead  behind  cut_below
        0     1                3      0       2      False
        1     2                3      0       2       True
        2     3                4      2       1       True
        3     4             <NA>      3       0      False
        """
        rank = np.arange(1, self.n_models + 1)
        first, last_open = (self._arrays[name][1:] for name in ("first_different", "last_open"))
        beyond = np.maximum(last_open, rank) + 1
        reach = np.maximum.accumulate(beyond) - 1
        return pd.DataFrame(
            {
                "rank": rank,
                "first_different": _rank_or_null(first, first <= self.n_models),
                "all_different_from": _rank_or_null(beyond, beyond <= self.n_models),
                **{name: self._arrays[name][1:] for name in ("ahead", "behind", "undetermined")},
                "cut_below": (reach <= rank) & (rank < self.n_models),
            }
        )

    def tiers(self) -> pd.DataFrame:
        """Cut the ranking into the fewest groups of ranks within which no two are different.

        Returns
        -------
        DataFrame
            One row a group, from the top: ``first_rank``, ``last_rank`` and ``models``. Each group
            is as long as it can be.

        Examples
        --------
        >>> from llm_power import resolve_board
        >>> from llm_power.board.landscape import Landscape
        >>> from llm_power.example import example_task
        >>> seen = Landscape("exam", 4)
        >>> seen.add(resolve_board([example_task()], family="all").verdicts)
        >>> seen.tiers()
           first_rank  last_rank  models
        0           1          2       2
        1           3          3       1
        2           4          4       1
        """
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
    """Return the landscape of each task of a board, if all pairs were compared.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    family : {"adjacent", "all"}
        Which pairs were compared: neighbors alone show none.

    Returns
    -------
    dict of str to Landscape
        Of the tasks with at least `FEWEST_MODELS` models.

    Examples
    --------
    >>> from llm_power import resolve_board
    >>> from llm_power.board.landscape import board_landscapes
    >>> from llm_power.example import example_task
    >>> board_landscapes(resolve_board([example_task()], family="all").verdicts, "all")
    {}
    """
    made: dict[str, Landscape] = {}
    if family == "all":
        for task, pairs in verdicts.groupby("task", sort=False):
            n_models = int(pairs["rank_b"].max())
            if n_models >= FEWEST_MODELS:
                made[str(task)] = Landscape(str(task), n_models)
                made[str(task)].add(pairs)
    return made


def describe_landscape(landscape: Landscape) -> dict[str, Any]:
    """Say what all pairs of a task show, in tables by bin.

    Parameters
    ----------
    landscape : Landscape
        With all pairs of the task.

    Returns
    -------
    dict
        JSON-ready: ``task``, ``n_models``, ``n_pairs``, how many have each of the ``verdicts``,
        the rows of ``by_distance``, ``by_gap``, ``by_accuracy`` and ``by_items``, ``gap_80`` and
        ``gap_95`` of all pairs, the rows of `Landscape.models` ``by_rank`` at ranks 1, 2, 5, 10,
        ..., ``tiers`` as first and last ranks, and ``n_cuts``, the number of ranks with all models
        down to it different from all further ones. What is unknown or infinite is None.

    Raises
    ------
    InvalidArgument
        If pairs are lacking.

    Examples
    --------
    >>> from llm_power import resolve_board
    >>> from llm_power.board.landscape import Landscape, describe_landscape
    >>> from llm_power.example import example_task
    >>> seen = Landscape("exam", 4)
    >>> seen.add(resolve_board([example_task()], family="all").verdicts)
    >>> told = describe_landscape(seen)
    >>> told["tiers"], told["gap_80"], told["verdicts"]["different"]
    ([[1, 2], [3, 3], [4, 4]], 0.0775, 5)
    """
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
        "by_distance": _records(distances),
        "by_gap": _records(landscape.by_gap()),
        "by_accuracy": _records(landscape.by_accuracy()),
        "by_items": _records(landscape.by_items()),
        **{name: None if np.isnan(gap) else gap for name, gap in decided.items()},
        "by_rank": _records(models[models["rank"].isin(shown)].drop(columns="cut_below")),
        "tiers": landscape.tiers()[["first_rank", "last_rank"]].to_numpy().tolist(),
        "n_cuts": int(models["cut_below"].sum()),
    }


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(table.to_json(orient="records", double_precision=15))
    return rows


def _bins(values: FloatArray, per_unit: int) -> IntArray:
    return (np.nan_to_num(values) * per_unit + _ROUNDING).astype(np.int64)


def _multiples(needed: FloatArray, items: FloatArray) -> IntArray:
    """Pairs by the multiple of their items that they need; the last two are more, and none."""
    ratio = np.divide(needed, items, out=np.full(len(items), np.inf), where=items > 0)
    ends = [*_MULTIPLES, np.finfo(np.float64).max]
    return np.bincount(np.searchsorted(ends, ratio), minlength=len(ends) + 1)


def _count(ranks: IntArray, n_ranks: int) -> IntArray:
    return np.bincount(ranks, minlength=n_ranks)


def _extreme(ufunc: np.ufunc, of: IntArray, ranks: IntArray, values: IntArray) -> None:
    """Take the smallest or largest value of each rank into `of`."""
    if ranks.size:
        # Runs of one rank first: pairs mostly come in order, and `at` is slow.
        begins = np.flatnonzero(np.diff(ranks, prepend=0))
        ufunc.at(of, ranks[begins], ufunc.reduceat(values, begins))


def _smallest(counts: IntArray) -> float:
    held = np.flatnonzero(counts[:_UNKNOWN])
    return float(held[0]) / _PER_UNIT if held.size else float("nan")


def _largest(counts: IntArray) -> float:
    held = np.flatnonzero(counts[:_UNKNOWN])
    return float(held[-1]) / _PER_UNIT if held.size else float("nan")


def _by_verdict(counts: IntArray) -> dict[str, IntArray]:
    return {"pairs": counts.sum(axis=0), **dict(zip(VERDICTS, counts, strict=True))}


def _median(counts: IntArray) -> float:
    """Return the lower median of gaps that are counted by bin, without those that are unknown."""
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
