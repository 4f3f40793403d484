"""What Figures 2 and 3 share: the colors of the three answers, and shares over the agreements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd
from matplotlib.lines import Line2D

from llm_power._report.figures import BLUE
from replication.findings import Finding

# The least and the most that a number can be.
Range = tuple[float, float]

# At which agreements a comparison has the target power. In grey they are dark, light and between.
COLORS: Final[Mapping[str, str]] = {"none": "0.1", "depends": "#E69F00", "every": BLUE}
_MARKERS: Final = {"none": "X", "depends": "^", "every": "o"}
_LABELS: Final = {
    "none": "at no level of agreement",
    "depends": "at some levels",
    "every": "at every level",
}


def handles(power: float, **look: Any) -> list[Line2D]:
    """Return what stands in a legend for the three answers."""
    return [
        Line2D([], [], label=f"{power:.0%} power {_LABELS[word]}", **(dot(word) | look))
        for word in COLORS
    ]


def dot(word: str) -> dict[str, Any]:
    """Return how a comparison of one of the three answers is drawn."""
    return {"marker": _MARKERS[word], "linestyle": "", "color": COLORS[word], "markersize": 4}


def decided(answers: pd.Series) -> pd.DataFrame:
    """Return of each comparison whether a property is sure, and whether it may be."""
    return pd.DataFrame({"least": answers == "every", "most": answers != "none"})


def mean_range(ends: pd.DataFrame) -> Range:
    """Return the mean of the least, and that of the most."""
    return float(ends["least"].mean()), float(ends["most"].mean())


def ranges_by(groups: pd.Series, ends: pd.DataFrame) -> dict[str, Range]:
    """Return `mean_range` of each group."""
    return {str(name): mean_range(one) for name, one in ends.groupby(groups)}


def above(own: Range, other: Range) -> Range:
    """Return the least and the most by which a number is above another."""
    return own[0] - other[1], own[1] - other[0]


def displayed(quantity: str, subject: str, ends: Range, method: str) -> Finding:
    """Return a finding that displayed scores leave between two values."""
    return Finding(quantity, subject, ends[0], method, "displayed", lower=ends[0], upper=ends[1])
