"""The figure of any board: required over available items against the size of the gap."""

from __future__ import annotations

import textwrap

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from llm_power.report.figures import BLUE, GREY, ORANGE, new_figure

_ROW_INCHES = 2.5
_MOST_POINTS_AS_VECTORS = 500
# Leaves room at the right for the mark of scores that are no finding.
_TITLE_CHARACTERS = 48


def draw_board(verdicts: pd.DataFrame, *, title: str) -> Figure:
    """Draw r = N*/N of every pair against its gap, one panel a task.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    title : str
        What the board is.

    Returns
    -------
    Figure
        Pairs above the dashed line are unresolved; those with equal scores need infinitely
        many items and are counted in the panel instead.

    Examples
    --------
    >>> from llm_power import resolve_board
    >>> from llm_power.example import example_task
    >>> from llm_power.report.board_figure import draw_board
    >>> figure = draw_board(resolve_board([example_task()]).verdicts, title="The example board")
    >>> len(figure.axes)
    1
    """
    tasks = list(dict.fromkeys(verdicts["task"]))
    figure = new_figure(height=_ROW_INCHES * len(tasks) + 0.2)
    axes = figure.subplots(len(tasks), 1, squeeze=False)
    for ax, task in zip(axes[:, 0], tasks, strict=True):
        _draw_task(ax, verdicts[verdicts["task"] == task])
        ax.set_ylabel(r"$r = N^{*}\!/N$")
        if len(tasks) > 1:
            ax.set_title(task.replace("$", r"\$"), loc="left")
    axes[-1, 0].set_xlabel("gap in score, percentage points")
    figure.suptitle(
        "\n".join(textwrap.wrap(title.replace("$", r"\$"), _TITLE_CHARACTERS)), fontsize=9
    )
    return figure


def _draw_task(ax: Axes, rows: pd.DataFrame) -> None:
    shown = rows[np.isfinite(rows["n_star"]) & (rows["n_star"] > 0)]
    gap, r = 100 * shown["delta"].abs(), shown["n_star"] / shown["n_items"]
    resolved = shown["resolved"].astype(bool)
    many = len(shown) > _MOST_POINTS_AS_VECTORS
    for keep, color, marker, label in (
        (resolved, BLUE, "o", "resolved"),
        (~resolved, ORANGE, "^", "unresolved"),
    ):
        ax.scatter(
            gap[keep],
            r[keep],
            s=2 if many else 14,
            color=color,
            marker="." if many else marker,
            alpha=0.25 if many else 0.9,
            linewidths=0,
            rasterized=many,
            label=f"{label} ({int(keep.sum()):,})",
        )
    ax.set(xscale="log", yscale="log")
    if shown.empty:
        ax.set(xlim=(0.1, 100), ylim=(0.1, 10))  # no pair to take them from
    ax.axhline(1, color="0.2", linestyle="--", linewidth=0.8)
    ax.grid(which="major")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    legend = ax.legend(loc="lower left", handletextpad=0.2, markerscale=3 if many else 1)
    for handle in legend.legend_handles:
        if handle is not None:
            handle.set_alpha(1)
    hidden = len(rows) - len(shown)
    if hidden:
        text = f"{hidden:,} with equal scores not shown"
        ax.annotate(
            text, (1, 1), xycoords="axes fraction", ha="right", va="top", fontsize=7, color=GREY
        )
