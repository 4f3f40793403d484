"""Items that several logs share: each id one item, repeats one score, and displayed scores checked.

The reducers of epochs are those of Inspect (its module scorer/_reducer/reducer.py).
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean, median, mode
from typing import Any, Final

import numpy as np
import orjson

from llm_power._errors import ScoreError, listed
from llm_power._scores._source import LogFile, NoClusterColumn
from llm_power._statistics.arrays import FloatArray

# Relative: tools add in another order, and JSON keeps every digit.
_ROUNDING: Final = 1e-9


@dataclass(slots=True)
class Items:
    """What the logs read so far say about the items, by id."""

    clusters: Sequence[str]
    may_lack_parts: bool = False  # what two logs both say of an item has to be the same
    whole: dict[str, int] = field(default_factory=dict)
    contents: dict[str, Mapping[str, int]] = field(default_factory=dict)
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    first: dict[str, Path] = field(default_factory=dict)

    def admit(self, item: str, content: Mapping[str, Any], labelled: object, log: LogFile) -> None:
        """Check that an item is what other logs have under its id, and note its labels."""
        try:
            whole = _digest(content)
            is_known = self.whole.setdefault(item, whole) == whole and item in self.contents
            if is_known and not self.clusters:
                return
            digests = (
                self.contents[item]
                if is_known
                else {name: _digest(part) for name, part in content.items()}
            )
        except RecursionError as error:
            problem = "what says which item it is is nested too deeply"
            raise log.fault(problem, "leave the item out", item) from error
        is_first = not self.labels
        labels = tuple(_label(item, labelled, name, log, is_first) for name in self.clusters)
        if item not in self.contents:
            self.contents[item], self.labels[item], self.first[item] = digests, labels, log.path
            return
        known = self.contents[item]
        both = {**digests, **known}
        if self.may_lack_parts:
            digests, known = {**known, **digests}, both
        if digests != known:
            differing = [name for name in both if known.get(name) != digests.get(name)]
            raise log.fault(
                f"another item than in {self.first[item]}; what differs is {listed(differing)}",
                "use runs on one version of the data set, or exclude the model",
                item,
            )
        if self.labels[item] != labels:
            raise log.fault(
                f"its labels are {listed(labels)}, in {self.first[item]} "
                f"{listed(self.labels[item])}",
                "use runs on one version of the data set, or name another field",
                item,
            )
        if len(self.contents[item]) < len(both):  # the log says more than those before
            self.contents[item] = both
            self.first[item] = log.path

    def columns(self, items: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the labels of `items` by field."""
        unknown = [item for item in items if item not in self.labels]
        if self.clusters and unknown:
            raise ScoreError(
                f"no log has this item, to take {listed(self.clusters)} of",
                remedy="complete the runs, or name no cluster column",
                item=unknown[0],
            )
        return {
            name: tuple(self.labels[item][k] for item in items)
            for k, name in enumerate(self.clusters)
        }


def over_repeats(
    statistic: Callable[[Sequence[float]], float],
    scores: Mapping[str, Mapping[int, float]],
    repeats: Collection[int],
) -> dict[str, float]:
    """Return a statistic of each item's repeats, NaN unless it has a score in each of them."""
    # A mean over fewer varies more, and is biased where repeats fail for a reason.
    by_item = {}
    for item, of_item in scores.items():
        values = [of_item.get(repeat, math.nan) for repeat in repeats]
        by_item[item] = math.nan if any(map(math.isnan, values)) else statistic(values)
    return by_item


def variance_of_repeats(
    scores: Mapping[str, Mapping[int, float]], repeats: Collection[int]
) -> dict[str, float]:
    """Return the sample variance of each item's `repeats`, of the items that have them all."""
    return over_repeats(_variance, scores, repeats) if len(repeats) > 1 else {}


def _variance(values: Sequence[float]) -> float:
    mean = fmean(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def score_matrix(columns: Sequence[Mapping[str, float]], items: Sequence[str]) -> FloatArray:
    """Return one column a model, NaN where it has no score; shape (n_items, n_models)."""
    rows = [[column.get(item, math.nan) for column in columns] for item in items]
    return np.array(rows, dtype=np.float64).reshape(len(items), len(columns))


def in_order(items: Collection[str]) -> list[str]:
    """Return ids in one order whatever the order of the logs: numbers by value, then text."""
    return sorted(
        items, key=lambda item: (not item.isdecimal(), len(item) * item.isdecimal(), item)
    )


def _digest(part: object) -> int:
    if type(part) is str:
        return hash(part)
    try:
        written = orjson.dumps(part, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # a whole number beyond 64 bits, half of a surrogate pair
        written = json.dumps(part, sort_keys=True).encode()
    return hash(written)


def _label(item: str, labelled: object, name: str, log: LogFile, is_first: bool) -> str:
    fields = labelled if isinstance(labelled, dict) else {}
    label = fields.get(name)
    if type(label) in {str, int}:
        return str(label)
    problem = (
        f"it has no text and no whole number as {name!r}, only {listed(fields)}"
        if fields
        else f"it has nothing to take {name!r} of"
    )
    fault = log.fault(problem, "name a field that labels every item", item)
    if is_first and name not in fields:
        where = {"file": fault.file, "model": fault.model, "item": item}
        raise NoClusterColumn(name, problem, remedy=fault.remedy, **where)
    raise fault


_BY_NAME: Final[Mapping[str, Callable[[Sequence[float]], float]]] = {
    "mean": fmean,
    "median": median,
    "max": max,
    "mode": mode,  # the first of those that are as frequent
}
_OF_K: Final = re.compile(r"(?P<name>at_least|pass_at|pass_k)_(?P<k>[1-9]\d*)")
_SOLVED: Final = 1.0


def is_reducer(name: str) -> bool:
    """Return whether a reducer of that name is known."""
    return name in _BY_NAME or name == "majority" or _OF_K.fullmatch(name) is not None


def makes_grades(name: str) -> bool:
    """Return whether it makes other scores than 0 and 1 of those."""
    return name not in {"max", "mode", "majority"} and not name.startswith("at_least_")


def reduced(name: str, scores: Sequence[float]) -> float:
    """Return the one score of some; NaN where the reducer has none."""
    if name in _BY_NAME:
        return float(_BY_NAME[name](scores))
    n, solved = len(scores), sum(score >= _SOLVED for score in scores)
    if name == "majority":
        score, votes = Counter(scores).most_common(1)[0]
        return score if 2 * votes > n else math.nan
    match = _OF_K.fullmatch(name)
    if match is None:
        raise ValueError(f"no reducer {name!r}")
    k = int(match["k"])
    if match["name"] == "at_least":
        return float(solved >= k)
    if n < k:
        return math.nan
    # Chen et al. 2021, arXiv 2107.03374: k of the n attempts, drawn without replacement.
    if match["name"] == "pass_at":
        return 1.0 - math.comb(n - solved, k) / math.comb(n, k)
    return math.comb(solved, k) / math.comb(n, k)


@dataclass(frozen=True, slots=True)
class Displayed:
    """A score that is displayed, from 0 to `scale`, and what the items come to."""

    name: str
    value: float
    scale: float = 1.0
    half_unit: float = 0.0  # of its last digit, where not every digit is displayed
    is_exact: bool = False  # made of these very items, so that not one may differ
    counted: float = math.nan
    n_items: int = 0

    def of(self, scores: Iterable[float]) -> Displayed:
        """Return it with the mean of those items that have a score."""
        scored = [score for score in scores if not math.isnan(score)]
        counted = self.scale * fmean(scored) if scored else math.nan
        return replace(self, counted=counted, n_items=len(scored))

    @property
    def items_off(self) -> int:
        """By how many items it is missed, 0 up to one of them or the rounding."""
        if not self.n_items:
            return 0
        off, of_item = abs(self.value - self.counted), self.scale / self.n_items
        allowed = max(0.0 if self.is_exact else of_item, self.half_unit)
        is_near = off <= allowed + _ROUNDING * max(1.0, abs(self.value))
        return 0 if is_near else max(1, round(off / of_item))


def displayed(
    name: str, value: object, scores: Iterable[float] = (), scale: float = 1.0, **precision: Any
) -> list[Displayed]:
    """Return what is displayed of some scores, or nothing where it is no number."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return []
    return [Displayed(name, float(value), scale, **precision).of(scores)]
