"""The figure of any board: its ranking, every pair, and each rank against the next, by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from llm_power._board.measure import Measure
from llm_power._board.page_data import AVERAGE, Model, PageData, Task
from llm_power._choices import PICTURE_FORMATS, Picture
from llm_power._provenance import Provenance
from llm_power._report.figures import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    house_style,
    new_figure,
    save_figure,
)
from llm_power._report.text_tables import confidence
from llm_power._statistics.verdict import DIFFERENT, EQUIVALENT, UNDETERMINED

_COLORS: Final = {DIFFERENT: BLUE, UNDETERMINED: ORANGE, EQUIVALENT: GREEN}
_MARKERS: Final = {DIFFERENT: "o", UNDETERMINED: "^", EQUIVALENT: "s"}
# q in steps that double, from below 1/32 to above 32: orange below 1, blue above.
_STEPS: Final = ListedColormap(
    [
        *("#7f3b00", "#b05806", "#d6802b", "#efa65c", "#f8ca94", "#fce5cb"),
        *("#dbe9f4", "#b1d1e9", "#80b4d9", "#4b90c1", "#2a6fa8", "#0e4a82"),
    ]
)
_NORM: Final = BoundaryNorm(range(-6, 7), 12)
_STEP_LABELS: Final = {-5: "1/32", -3: "1/8", -1: "1/2", 0: "1", 1: "2", 3: "8", 5: "32"}
_SHADES: Final = {DIFFERENT: BLUE, UNDETERMINED: "#F3E3D3", EQUIVALENT: GREEN}
_VERDICTS: Final = ListedColormap([*_SHADES.values()])
_CODES: Final = {DIFFERENT: 0, UNDETERMINED: 1, EQUIVALENT: 2}
#: Ranks that a figure names.
MOST_ROWS: Final = 20
# Of a larger board the numbers in the cells would be too small to read.
_MOST_WITH_NUMBERS: Final = 10
# All pairs that are held at most are those of fewer models; a map of more ranks takes a minute.
_MOST_IN_MAP: Final = 450
# Without the mathematics of the default one, which takes longer than all else.
_NUMBER: Final = FuncFormatter(lambda value, _: f"{value:,g}".replace("-", "−"))
# Ends of the scale of q of adjacent ranks; what is beyond stands at the end.
_LEAST, _GREATEST = 1e-3, 1e3
# Of a bar that has room for the word of its verdict.
_WORD_PERCENT: Final = 40
_ROW_INCHES: Final = 0.21
_AROUND_INCHES: Final = 0.5
_NAME_CHARACTERS: Final = 24


def draw_board(verdicts: pd.DataFrame, data: PageData) -> Figure:
    """Draw ranking, q and verdict of every pair, and q of each rank against the next.

    With pairs that are not held, verdicts by distance in rank. Tasks stand side by side in two
    columns that share their axes; a single task has the page's width.
    """
    tasks = [task for task in data["tasks"] if task["kind"] != AVERAGE]
    # Of pairs that are held the best models' are all there is to draw.
    streamed = bool(data["shown"]) and all(task["landscape"] for task in tasks)
    mapped = data["family"] == "all" and not streamed
    figure, panels = _lay_out(tasks, wide=1.6 if mapped else 1.2)
    for (scores, pairs, ladder), task in zip(panels, tasks, strict=True):
        of_task = verdicts[verdicts["task"] == task["task"]]
        names = _short_names([model["name"] for model in task["models"]])
        name = f"{_plain(_elided(task['task'], 16))}: " if len(tasks) > 1 else ""
        measure = Measure(**data["measure"])
        scored = name + _plain(measure.named("score", "%"))
        _draw_ranking(scores, task, names, scored, measure.factor)
        if streamed:
            _draw_distances(pairs, task)
        elif mapped:
            _draw_pairs(pairs, of_task, len(task["models"]))
        else:
            _draw_ratios(pairs, of_task)
        to_next = name + _plain(measure.named("gap to the next", "pp"))
        _draw_ladder(ladder, of_task, names, to_next, measure.factor)
    if mapped:
        _add_scale(figure)
    _add_legend(figure, _counts(verdicts, data), data)
    return figure


def save_board_figure(
    verdicts: pd.DataFrame,
    data: PageData,
    stem: str | Path,
    provenance: Sequence[Provenance],
    *,
    formats: Sequence[Picture] = PICTURE_FORMATS,
) -> list[Path]:
    """Draw a board in the house style, and write it in each format under its title."""
    with house_style():
        figure = draw_board(verdicts, data)
        title = _title(data)
        return save_figure(figure, stem, provenance, title=title, heading=True, formats=formats)


def _title(data: PageData) -> str:
    alone = data["family"] == "adjacent" and not data["shown"]
    return f"{data['title']}, adjacent ranks" if alone else data["title"]


def _counts(verdicts: pd.DataFrame, data: PageData) -> dict[str, int]:
    """Return the pairs by verdict, all of them."""
    landscapes = [task["landscape"] for task in data["tasks"] if task["landscape"]]
    if not data["shown"] or not landscapes:
        return {str(name): int(n) for name, n in verdicts["verdict"].value_counts().items()}
    return {name: sum(each["verdicts"][name] for each in landscapes) for name in _COLORS}


def _lay_out(tasks: Sequence[Task], *, wide: float) -> tuple[Figure, list[list[Axes]]]:
    """Return an empty figure, and for each task the axes of its ranking, pairs and ladder."""
    most = max(min(len(task["models"]), MOST_ROWS) for task in tasks)
    height = max(1.5, _ROW_INCHES * most + _AROUND_INCHES)
    if len(tasks) == 1:
        figure = new_figure(height=height + 0.7, wide=True)
        return figure, [[*figure.subplots(1, 3, width_ratios=[1, wide, 1.1])]]
    n_rows = -(-len(tasks) // 2)
    figure = new_figure(height=2 * n_rows * height + 0.7, wide=True)
    grid = figure.add_gridspec(2 * n_rows, 4, width_ratios=[1.2, 1, 1.2, 1])
    panels: list[list[Axes]] = []
    for k in range(len(tasks)):
        row, column = 2 * (k // 2), 2 * (k % 2)
        first = panels[0] if panels else [None, None, None]
        places = (grid[row, column], grid[row, column + 1], grid[row + 1, column : column + 2])
        shared = (first[0], None, first[2])
        panels.append(
            [figure.add_subplot(at, sharex=x) for at, x in zip(places, shared, strict=True)]
        )
    return figure, panels


def _draw_ranking(
    ax: Axes, task: Task, names: Mapping[str, str], title: str, factor: float
) -> None:
    shown = task["models"][:MOST_ROWS]
    for row, model in enumerate(shown):
        if model["score_low"] is not None and model["score_high"] is not None:
            ends = [factor * model["score_low"], factor * model["score_high"]]
            ax.plot(ends, [row, row], color="0.3", linewidth=1)
        ax.plot(factor * model["score"], row, "o", color="black", markersize=2.5)
    labels = [
        f"{rank}. {names[model['name']]}{_ranks(model)}" for rank, model in enumerate(shown, 1)
    ]
    _label_rows(ax, labels, hidden=len(task["models"]) - len(shown), what="models")
    ax.set_title(title, fontsize=8, loc="left")


def _ranks(model: Model) -> str:
    low, high = model["low"], model["high"]
    return "" if low is None else f" ({low})" if low == high else f" ({low}–{high})"


def _draw_pairs(ax: Axes, rows: pd.DataFrame, n_models: int) -> None:
    """Color the upper triangle by q and the lower one by verdict, in line with the ranking."""
    whole = len(rows) == n_models * (n_models - 1) // 2
    title = "all pairs" if whole else "pairs"
    if n_models > _MOST_IN_MAP:
        n_models, title = _MOST_IN_MAP, f"pairs of the best {_MOST_IN_MAP} models"
        rows = rows[rows["rank_b"] <= n_models]
    i, j = (rows[name].to_numpy(int) - 1 for name in ("rank_a", "rank_b"))
    q = rows["q"].to_numpy(float)
    above, below = np.full((2, n_models, n_models), np.nan)
    with np.errstate(divide="ignore"):
        above[i, j] = np.nan_to_num(np.clip(np.log2(q), -5.5, 5.5), nan=-5.5)
    below[j, i] = rows["verdict"].map(_CODES)
    small = n_models <= _MOST_WITH_NUMBERS
    looks: dict[str, Any] = {"cbar": False, "ax": ax, "rasterized": not small}
    text: dict[str, Any] = {}
    if small:
        numbers = np.full((n_models, n_models), "", dtype=object)
        # A cell has no room for a leading zero.
        numbers[i, j] = [_number(value).replace("0.0", ".0") for value in q]
        text = {"annot": numbers, "fmt": "", "annot_kws": {"size": 6}}
    # It loads scipy.stats, which takes a second.
    import seaborn as sns  # noqa: PLC0415

    sns.heatmap(above, cmap=_STEPS, norm=_NORM, **looks, **text)
    sns.heatmap(below, cmap=_VERDICTS, vmin=-0.5, vmax=2.5, **looks)
    if n_models <= MOST_ROWS:
        for verdict, marker in _MARKERS.items():
            these = (rows["verdict"] == verdict).to_numpy()
            color = ORANGE if verdict == UNDETERMINED else "white"
            ax.plot(i[these] + 0.5, j[these] + 0.5, marker, color=color, markersize=2.5)
        ax.set_ylim(n_models + 0.1, -0.1)
    else:
        ax.set_xlabel("rank", fontsize=6.5)
        ax.set_ylabel("rank", fontsize=6.5)
    ax.set_title(title, fontsize=8, loc="left")
    ranks = _some_ranks(n_models)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks([rank - 0.5 for rank in ranks], [f"{rank:,}" for rank in ranks])
    ax.tick_params(labelsize=6.5, rotation=0, length=0)


def _some_ranks(last: int) -> list[int]:
    if last <= MOST_ROWS:
        return [*range(1, last + 1)]
    ticks = MaxNLocator(6, integer=True).tick_values(1, last)
    return [int(rank) for rank in ticks if 1 <= rank <= last]


def _draw_ratios(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw q of each rank and the next, by rank."""
    near = _adjacent(rows)
    q = near["q"].fillna(0).to_numpy(float)
    places, shown = np.arange(len(near)), np.clip(q, _LEAST, _GREATEST)
    few = len(near) < MOST_ROWS
    for verdict, marker in _MARKERS.items():
        these = (near["verdict"] == verdict).to_numpy()
        size, color = 3.5 if few else 2.5, _COLORS[verdict]
        ax.plot(shown[these], places[these], marker, color=color, markersize=size)
    labels = [f"{rank}–{rank + 1}" for rank in near["rank_a"]] if few else []
    _label_rows(ax, labels, hidden=0, what="")
    if few:
        for place, at, value in zip(places, shown, q, strict=True):
            # Away from the line at 1.
            side = 1 if value >= 1 else -1
            ax.annotate(
                _number(value),
                (at, place),
                xytext=(4 * side, 0),
                textcoords="offset points",
                ha="left" if side > 0 else "right",
                va="center",
                fontsize=6,
            )
    else:
        ranks = _some_ranks(len(near))
        ax.set_yticks([rank - 1 for rank in ranks], [f"{rank:,}" for rank in ranks], fontsize=6.5)
        ax.set_ylim(len(near) - 0.4, -0.6)
        ax.set_xlabel(f"all {len(near):,} pairs, by rank", fontsize=6.5)
    ax.axvline(1, color=GREY, linewidth=0.6, linestyle=":")
    ax.set(xscale="log", xlim=(_LEAST / 8, _GREATEST * 8))
    ax.set_xticks(
        [_LEAST, 0.01, 0.1, 1, 10, 100, _GREATEST],
        ["≤ 0.001", "", "0.1", "1", "10", "", "≥ 1,000"],
    )
    ax.minorticks_off()
    ax.set_title(r"$q = N/N^{\ast}$ to the next", fontsize=8, loc="left")


def _adjacent(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["rank_b"] == rows["rank_a"] + 1]


def _draw_distances(ax: Axes, task: Task) -> None:
    """Stack the shares of the verdicts, a bar for each distance in rank."""
    landscape = task["landscape"]
    assert landscape is not None  # all pairs were compared
    bins = pd.DataFrame(landscape["by_distance"])
    left = np.zeros(len(bins))
    for verdict, color in _SHADES.items():
        share = 100 * (bins[verdict] / bins["pairs"]).to_numpy(float)
        ax.barh(np.arange(len(bins)), share, left=left, height=0.8, color=color)
        most = int(share.argmax())
        if share[most] > _WORD_PERCENT:
            middle = left[most] + share[most] / 2
            ink = "black" if verdict == UNDETERMINED else "white"
            ax.text(middle, most, verdict, ha="center", va="center", fontsize=6.5, color=ink)
        left += share
    ends = zip(bins["from_distance"], bins["to_distance"], strict=True)
    labels = [f"{low:,}" if low == high else f"{low:,}–{high:,}" for low, high in ends]
    _label_rows(ax, labels, hidden=0, what="")
    ax.set_xlim(0, 100)
    ax.set_xlabel("% of these pairs", fontsize=6.5)
    ax.set_title("all pairs, by ranks apart", fontsize=8, loc="left")


def _number(q: float) -> str:
    if q < 0.095:
        return "<0.01" if q < 0.005 else f"{q:.2f}"
    return f"{q:.1f}" if q < 9.95 else f"{min(q, 999):.0f}"


def _draw_ladder(
    ax: Axes, rows: pd.DataFrame, names: Mapping[str, str], title: str, factor: float
) -> None:
    near = _adjacent(rows)
    shown = near[near["rank_b"] <= MOST_ROWS]
    labels = []
    for at, row in enumerate(shown.to_dict("records")):
        color, marker = _COLORS[row["verdict"]], _MARKERS[row["verdict"]]
        ax.barh(at, factor * row["mde"], height=0.7, color="0.87")
        ends = [factor * row["gap_low"], factor * row["gap_high"]]
        ax.plot(ends, [at, at], color=color, linewidth=1)
        ax.plot(factor * row["delta"], at, marker, color=color, markersize=3.5)
        labels.append(f"{names[row['model_a']]} –\n{names[row['model_b']]}")
    _label_rows(ax, labels, hidden=len(near) - len(shown), what="pairs", size=6)
    ax.axvline(0, color=GREY, linewidth=0.6, linestyle=":")
    ax.set_title(title, fontsize=8, loc="left")


def _label_rows(
    ax: Axes, labels: Sequence[str], *, hidden: int, what: str, size: float = 6.5
) -> None:
    ax.set_yticks(range(len(labels)), labels=labels, fontsize=size, linespacing=1.05)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.tick_params(axis="x", labelsize=6.5)
    ax.tick_params(axis="y", length=0)
    ax.xaxis.set_major_formatter(_NUMBER)
    ax.grid(axis="x")
    if hidden:
        ax.set_xlabel(f"and {hidden:,} more {what}", fontsize=6.5)


def _add_scale(figure: Figure) -> None:
    """Add the scale of q below all panels."""
    scale = figure.colorbar(
        ScalarMappable(_NORM, _STEPS),
        ax=figure.axes,
        location="bottom",
        pad=0.1 / figure.get_figheight(),
        panchor=False,
        shrink=0.5,
        aspect=45,
        ticks=[*_STEP_LABELS],
        format=FuncFormatter(lambda step, _: _STEP_LABELS[round(step)]),
    )
    scale.ax.tick_params(labelsize=6.5, which="both", length=1.5)
    scale.set_label(
        r"$q = N/N^{\ast}$, above the diagonal; below it the verdict, pale where undetermined",
        fontsize=7,
        labelpad=2,
    )


def _read_as(n_pairs: int, data: PageData) -> str:
    """Return the text that explains lines and verdicts, which may seem to contradict each other."""
    pairs = f"all {n_pairs:,} pairs at once" if data["control"] == "max-t" else "pairs by their FCR"
    bracketed = any(model["low"] is not None for task in data["tasks"] for model in task["models"])
    sentences = [
        *(["In brackets: ranks that are possible."] if bracketed else []),
        f"Lines: {confidence(data['alpha'])} intervals, of each model by itself"
        + (f" and of {pairs}, as verdicts." if n_pairs > 1 else "."),
    ]
    if data["cluster"] is not None and not data["shown"]:
        cluster = _plain(_elided(data["cluster"], _NAME_CHARACTERS))
        sentences[-1] += (
            f"\nClusters ({cluster}) count in the lines of gaps and in verdicts, not in $q$."
        )
    return " ".join(sentences)


def _add_legend(figure: Figure, counts: Mapping[str, int], data: PageData) -> None:
    """Add the legend of the verdicts above all panels, and how they are read."""
    named = {name: color for name, color in _COLORS.items() if counts.get(name)}
    handles = [
        Line2D([], [], color=color, marker=_MARKERS[name], markersize=4, linewidth=1)
        for name, color in named.items()
    ]
    labels = [f"{name} ({counts[name]:,} pairs)" for name in named]
    legend = figure.legend(
        [*handles, Line2D([], [], color="0.87", linewidth=5)],
        [*labels, "minimum detectable effect"],
        loc="outside upper center",
        ncols=4,
        fontsize=7,
        borderpad=0,
        title=_read_as(sum(counts.values()), data),
        title_fontsize=6.5,
    )
    legend.get_title().set_multialignment("center")


def _short_names(names: Sequence[str]) -> dict[str, str]:
    """Return how the models that are named are written: short, and never two alike."""
    ends = Counter(map(_without_organization, names))
    shown = names[:MOST_ROWS]
    plain = {name: end if ends[end := _without_organization(name)] == 1 else name for name in shown}
    most = dict.fromkeys(shown, _NAME_CHARACTERS)
    while True:
        short = {name: _elided(text, most[name]) for name, text in plain.items()}
        written = Counter(short.values())
        alike = [name for name in shown if written[short[name]] > 1]
        if not alike:
            return {name: _plain(text) for name, text in short.items()}
        most |= {name: most[name] + 2 for name in alike}


def _without_organization(name: str) -> str:
    return name.partition("/")[2] if name.count("/") == 1 else name


def _elided(text: str, most: int) -> str:
    """Shorten a name in the middle: of models of a family the end tells which one."""
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[-end:]}"


def _plain(text: str) -> str:
    # A dollar sign would start mathematics.
    return text.replace("$", r"\$")
