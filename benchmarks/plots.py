"""Draw time and memory against models and items, from the last run of the benchmarks."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from contests import CONTESTS, US, Contest
from matplotlib.axes import Axes
from results import LATEST, ROOT, Measured, read_results

from llm_power._report.figures import BLUE, ORANGE, house_style, new_figure

_DRAWN: Final = ("counts", "core")
_MARKERS: Final = "osD^v<>pX"
Axis = Literal["models", "items"]
_AXES: Final[tuple[Axis, Axis]] = ("models", "items")


def lines_of(contest: Contest, rows: Sequence[Measured], axis: Axis) -> dict[str, list[Measured]]:
    """Return the rows of each side along an axis, the other size held."""
    sizes = contest.more_items if axis == "items" else contest.sizes
    lines = {
        side.who: [x for x in rows if x.who == side.who and x.size in sizes]
        for side in (contest.ours, *contest.peers)
    }
    return {who: line for who, line in lines.items() if line}


def draw_lines(ax: Axes, lines: dict[str, list[Measured]], axis: Axis, contest: Contest) -> None:
    """Draw one contest, time or memory by the label of the y axis."""
    for (who, line), marker in zip(lines.items(), _MARKERS, strict=False):
        own = who == US
        ax.plot(
            [row.size.models if axis == "models" else row.size.items for row in line],
            [row.seconds[0] if ax.get_ylabel() == "seconds" else row.gigabytes for row in line],
            color=(BLUE if contest.name == "core" else ORANGE) if own else "0.55",
            marker=marker,
            markersize=3,
            linewidth=1.6 if own else 0.7,
            linestyle="-" if contest.name == "core" else "--",
            label=f"{who}: {contest.work}" if own or contest.name != "core" else who,
            zorder=3 if own else 2,
        )


def main() -> None:
    """Draw the four panels."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--results", type=Path, default=LATEST, help="what was measured")
    parser.add_argument(
        "--output", type=Path, default=ROOT / "docs" / "images" / "benchmarks.png", help="picture"
    )
    options = parser.parse_args()
    results = read_results(options.results)
    drawn = [contest for contest in CONTESTS if contest.name in _DRAWN]
    with house_style():
        figure = new_figure(height=5.6, wide=True)
        figure.set_layout_engine("constrained")
        panels = figure.subplots(2, 2, sharex="col", sharey="row")
        for row, unit in zip(panels, ("seconds", "GB at the peak"), strict=True):
            for ax, axis in zip(row, _AXES, strict=True):
                ax.set(xscale="log", yscale="log", ylabel=unit)
                ax.grid(visible=True)
                for contest in drawn:
                    rows = results.of(contest.name, in_turn=False)
                    draw_lines(ax, lines_of(contest, rows, axis), axis, contest)
        held = drawn[0]
        panels[1, 0].set_xlabel(f"models, all pairs on {held.sizes[0].items:,} items")
        panels[1, 1].set_xlabel(f"items, all pairs of {held.more_items[0].models} models")
        handles, labels = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
        figure.savefig(options.output)


if __name__ == "__main__":
    main()
