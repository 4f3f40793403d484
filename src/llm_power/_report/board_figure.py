"""The picture of any board: the items that it has, and those that each two neighbors need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullLocator

from llm_power._board.have_need import (
    HaveNeed,
    Rung,
    about_items,
    elided,
    have_need,
    items_axis,
    items_ticks,
    models_of,
    short_names,
    what_lines_mean,
)
from llm_power._board.page_data import AVERAGE, PageData
from llm_power._choices import PICTURE_FORMATS, Picture
from llm_power._errors import counted
from llm_power._provenance import Provenance
from llm_power._report.figures import (
    BLUE,
    GREEN,
    ORANGE,
    house_style,
    new_figure,
    save_figure,
    unwarned_of_glyphs,
    wrapped,
)
from llm_power._statistics.verdict import DIFFERENT, EQUIVALENT, UNDETERMINED

_COLORS: Final = {DIFFERENT: BLUE, UNDETERMINED: ORANGE, EQUIVALENT: GREEN}
_MARKERS: Final = {DIFFERENT: "o", UNDETERMINED: "^", EQUIVALENT: "s"}
#: Ranks that the picture names.
MOST_ROWS: Final = 20
_ROW_INCHES: Final = 0.2
# At 96 points an inch the width of a telephone, where a README has to be read.
_WIDTH_INCHES: Final = 4.2
_CARD_INCHES, _CARD_DPI, _CARD_ROWS = (6.0, 3.15), 200, 10
_NAME_CHARACTERS: Final = 24
# Of a line of 8 points below all panels.
_ABOUT_CHARACTERS: Final = 88


def draw_board(boards: Sequence[HaveNeed], *, power: float) -> Figure:
    """Draw have and need of each task: names down the side, between them what decides them."""
    rows = [min(len(board.rungs) + 1, MOST_ROWS) for board in boards]
    figure = new_figure(height=_ROW_INCHES * sum(rows) + 0.8 * len(boards) + 0.3)
    figure.set_size_inches(_WIDTH_INCHES, figure.get_figheight())
    axes = figure.subplots(len(boards), 1, squeeze=False, height_ratios=rows)[:, 0]
    for ax, board in zip(axes, boards, strict=True):
        _draw_task(ax, board, MOST_ROWS)
        if len(boards) > 1:
            title = "\n".join(wrapped(f"{elided(board.task, 40)}: {board.finding}", 66))
            place = {"xycoords": "axes fraction", "textcoords": "offset points"}
            ax.annotate(title, (0, 1), xytext=(-100, 2), **place)
    about = "\n".join(
        line
        for clause in what_lines_mean(boards, power)
        for line in wrap(clause, _ABOUT_CHARACTERS, subsequent_indent="    ")
    )
    _add_legend(figure, [rung for board in boards for rung in board.rungs], about)
    return figure


def save_board_figure(
    verdicts: pd.DataFrame,
    data: PageData,
    stem: str | Path,
    provenance: Sequence[Provenance],
    *,
    formats: Sequence[Picture] = PICTURE_FORMATS,
) -> list[Path]:
    """Draw a board in the house style, and write it in each format under its finding."""
    boards = boards_of(verdicts, data)
    finding = ". ".join(f"{board.task}: {board.finding}" for board in boards)
    title = data["title"]
    if len(boards) == 1:
        title = finding = boards[0].finding
    about: dict[str, Any] = {"title": title, "finding": finding, "heading": True}
    with house_style():
        figure = draw_board(boards, power=data["power"])
        return save_figure(figure, stem, provenance, **about, formats=formats)


def save_card(verdicts: pd.DataFrame, data: PageData, path: Path) -> None:
    """Write the card of the first task, of 1200 by 630 pixels, that stands beside a link."""
    board = boards_of(verdicts, data)[0]
    with house_style():
        figure = new_figure(height=_CARD_INCHES[1])
        figure.set_size_inches(_CARD_INCHES)
        figure.set_layout_engine("constrained", rect=(0.01, 0.01, 0.98, 0.75))
        _draw_task(figure.subplots(), board, _CARD_ROWS)
        title = "\n".join(wrapped(board.finding, 60))
        # Above the title there is room for two lines of 14 points.
        size = 28 / max(2, title.count("\n") + 1)
        figure.text(0.02, 0.97, title, va="top", fontsize=size, weight="bold")
        figure.text(0.02, 0.79, _plain(elided(data["title"], 70)), va="top", color="0.35")
        with unwarned_of_glyphs():
            figure.savefig(path, dpi=_CARD_DPI, metadata={"Title": board.finding})


def boards_of(verdicts: pd.DataFrame, data: PageData) -> list[HaveNeed]:
    """Return have and need of each task of a page."""
    return [
        have_need(verdicts[verdicts["task"] == task["task"]], task["task"], task["items"])
        for task in data["tasks"]
        if task["kind"] != AVERAGE
    ]


def _draw_task(ax: Axes, board: HaveNeed, most: int) -> None:
    shown = board.rungs[: most - 1]
    low, high = items_axis(board.items, shown)
    # Ranks whose pair was not kept leave gaps.
    models = {rung.rank + k: [rung.model_a, rung.model_b][k] for rung in shown for k in (0, 1)}
    places = {rank: place for place, rank in enumerate(models)}
    for rung in shown:
        _draw_rung(ax, rung, places[rung.rank] + 0.5, high)
    ax.plot([board.items] * 2, [-0.6, most], color="0.2", linewidth=1, linestyle="--")
    ax.text(board.items, -0.8, f"{counted(board.items, 'item')} at hand", ha="center", fontsize=8)
    every = models_of(board.rungs)
    names = short_names(list(models.values()), every, _NAME_CHARACTERS)
    # Marks of direction around a name keep its rank to the right, also of Hebrew.
    labels = [f"\u200e{_plain(names[model])}\u200e  {rank}" for rank, model in models.items()]
    if len(every) > len(models):
        labels.append(f"the best {len(models)} of {counted(len(every), 'model')}")
    ax.set_yticks(range(len(labels)), labels, fontsize=8)
    ax.set(xscale="log", xlim=(low, high), ylim=(len(labels) - 0.4, -1.6))
    ax.set_xticks(items_ticks(low, high, 3))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: about_items(value)))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(axis="x")


def _draw_rung(ax: Axes, rung: Rung, y: float, high: float) -> None:
    """Draw a line to the mark, or off the scale where no number is enough."""
    color = _COLORS[rung.verdict]
    if isfinite(rung.few):
        ends = [min(rung.few, high), min(rung.many, high)]
        ax.plot(ends, [y, y], color=color, linewidth=2, solid_capstyle="butt", clip_on=False)
        marker = _MARKERS[rung.verdict] if rung.many <= high else ">"
        ax.plot(ends[1], y, marker, color=color, markersize=5, clip_on=False)
    ax.annotate(
        rung.needed,
        (1, y),
        xycoords=("axes fraction", "data"),
        xytext=(7, 0),
        textcoords="offset points",
        va="center",
        color=color,
        fontsize=8,
    )


def _add_legend(figure: Figure, rungs: Sequence[Rung], about: str) -> None:
    """Add the verdicts and their numbers of pairs below all panels."""
    counts = Counter(rung.verdict for rung in rungs)
    named = [name for name in _COLORS if counts[name]]
    handles = [
        Line2D([], [], color=_COLORS[name], marker=_MARKERS[name], markersize=5, linewidth=2)
        for name in named
    ]
    labels = [f"{name} ({counts[name]:,})" for name in named]
    looks = {"ncols": 3, "borderpad": 0, "title": about, "title_fontsize": 8}
    figure.legend(handles, labels, loc="outside lower center", **looks)


def _plain(text: str) -> str:
    # A dollar sign would start mathematics.
    return text.replace("$", r"\$")
