"""The figure of a plan: power, assurance and detectable gap against its size."""

from __future__ import annotations

from math import isfinite
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from llm_power._errors import grouped
from llm_power._planning.curves import Curves, PlanCurves
from llm_power._report.figures import BLUE, GREEN, GREY, LINE_COLORS, ORANGE, new_figure

_COUNT = FuncFormatter(lambda value, _: grouped(value))
_GAPS = (1, 1.5, 2, 3, 5, 7)
_NUMBER = FuncFormatter(lambda value, _: f"{value:g}")


def draw_plan(curves: PlanCurves) -> Figure:
    """Draw what `llm_power._planning.curves.plan_curves` computed."""
    figure = new_figure(height=2.9, wide=True)
    chances, gaps = figure.subplots(1, 2, width_ratios=[1.35, 1])
    _draw_chances(chances, curves)
    _draw_gaps(gaps, curves)
    figure.legend(loc="outside upper center", ncols=3, fontsize=7, borderpad=0)
    return figure


def _draw_chances(ax: Axes, curves: PlanCurves) -> None:
    _draw_lines(ax, curves.power, LINE_COLORS, linewidth=0.8)
    _draw_lines(ax, curves.assurance, (GREEN,), linestyle="--", linewidth=1)
    right = max(n[-1] for n, _ in (curves.power | curves.assurance).values())
    if curves.interval is not None:
        low, high = curves.interval
        ax.axvspan(low, min(high, right), color="0.92", linewidth=0, label="interval of the size")
    ax.axhline(curves.target, color=GREY, linewidth=0.6, linestyle=":")
    for name, size in curves.planned.items():
        if isfinite(size):
            ax.axvline(size, color="0.3", linewidth=0.6)
            ax.annotate(
                f"{name}: {grouped(size)}",
                (size, 0.02),
                rotation=90,
                fontsize=6.5,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.75},
                ha="left" if size < right / 8 else "right",
                va="bottom",
            )
    ax.set_xlim(0, right)
    ax.set_ylim(0, 1.01)
    ax.set_title("power, and its mean over what a pilot leaves open", fontsize=8, loc="left")
    if not curves.assurance:
        ax.set_title("power", fontsize=8, loc="left")
    ax.set_xlabel(curves.unit)
    ax.xaxis.set_major_formatter(_COUNT)
    ax.yaxis.set_major_formatter(_NUMBER)
    ax.grid(axis="y")


def _draw_gaps(ax: Axes, curves: PlanCurves) -> None:
    shown = {f"_{name}": (n, 100 * gap) for name, (n, gap) in curves.gap.items()}
    _draw_lines(ax, shown, (BLUE, ORANGE))
    for size in curves.planned.values():
        if isfinite(size):
            ax.axvline(size, color="0.3", linewidth=0.6)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_title(f"detectable gap at power {curves.target:g}, points", fontsize=8, loc="left")
    ax.set_xlabel(curves.unit)
    for axis, form, subs in ((ax.xaxis, _COUNT, (1, 2, 5)), (ax.yaxis, _NUMBER, _GAPS)):
        axis.set_major_locator(LogLocator(subs=subs))
        axis.set_major_formatter(form)
        axis.set_minor_formatter(NullFormatter())
    ax.grid()


def _draw_lines(
    ax: Axes,
    lines: Curves,
    colors: tuple[str, ...],
    **looks: Any,
) -> None:
    for (name, (n, value)), color in zip(lines.items(), colors, strict=False):
        ax.plot(n, value, color=color, label=name, **looks)
