"""Marks that figures share: bars that differ in hatch too, for print without color, and notes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from llm_power._report.figures import BLUE, ORANGE

_RESOLVED: Final[dict[str, Any]] = {"facecolor": BLUE, "edgecolor": BLUE, "linewidth": 0.7}
_UNRESOLVED: Final[dict[str, Any]] = {
    "facecolor": "#FBE3D2",
    "edgecolor": ORANGE,
    "linewidth": 0.7,
    "hatch": "//////",
}
#: A number of items or of r that the paper prints.
PRINTED: Final[dict[str, Any]] = {
    "marker": "D",
    "markersize": 3.2,
    "markerfacecolor": "white",
    "markeredgecolor": "black",
    "markeredgewidth": 0.7,
    "linestyle": "",
}


def note(
    ax: Axes, text: str, at: tuple[float, float], by: tuple[float, float] = (0, 0), **look: Any
) -> None:
    """Write beside a point, so many typographic points from it."""
    ax.annotate(text, at, by, textcoords="offset points", **({"fontsize": 7} | look))


def as_ratio(r: float) -> str:
    """Format r = N*/N at the end of its bar."""
    return f"{r:,.0f}" if r >= 100 else f"{r:#.2g}" if r < 1 else f"{r:#.3g}"


def bar_style(resolved: bool) -> dict[str, Any]:
    """Return the style of the bar of a resolved or of an unresolved pair."""
    return _RESOLVED if resolved else _UNRESOLVED


def style_bars(bars: Iterable[Artist], resolved: Iterable[bool]) -> None:
    """Give each bar the style of a resolved or of an unresolved pair."""
    for bar, is_resolved in zip(bars, resolved, strict=True):
        bar.set(**bar_style(is_resolved))


def legend_above(figure: Figure, resolved: pd.Series, n_printed: int, *others: Artist) -> None:
    """Put one legend above all panels, with the computed and the printed number unresolved."""
    n_resolved = int(resolved.sum())
    labels = {
        False: f"unresolved: {len(resolved) - n_resolved} (printed: {n_printed})",
        True: f"resolved: {n_resolved}",
    }
    handles = [Patch(label=label, **bar_style(kind)) for kind, label in labels.items()]
    figure.legend(
        handles=[*handles, *others],
        loc="outside upper center",
        ncols=2 if figure.get_figwidth() < 5 else 4,
        handlelength=1.6,
        columnspacing=1.4,
    )


def handle(label: str, **look: Any) -> Line2D:
    """Return what stands in a legend for points or lines of this look."""
    return Line2D([], [], label=label, **look)
