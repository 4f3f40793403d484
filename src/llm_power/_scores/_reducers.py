"""How Inspect makes one score of an item's epochs (its module scorer/_reducer/reducer.py)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median
from typing import Final

_BY_NAME: Final[Mapping[str, Callable[[Sequence[float]], float]]] = {
    "mean": fmean,
    "median": median,
    "max": max,
    # The first of those that are as frequent.
    "mode": lambda scores: Counter(scores).most_common(1)[0][0],
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
