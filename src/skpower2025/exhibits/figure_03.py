"""Figure 3: medium models over time, and which new best scores have 80 % power."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from llm_power._report.figures import new_figure
from replication.exhibits import Drawing, Exhibit, Inputs
from replication.findings import Finding, evidence_view
from replication.stages import csv_text
from skpower2025.comparisons import DATASETS, SOURCE, over_time, read_board
from skpower2025.exhibits._verdicts import (
    COLORS,
    Range,
    above,
    decided,
    displayed,
    dot,
    handles,
    mean_range,
)

_CLOUD = "0.75"


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 3."""
    board = read_board(inputs.data_root("board"))
    medium = board[(board["group"] == "medium") & board["date"].notna()]
    frame, power = over_time(board, **inputs.point), inputs.settings["power"]
    counts = frame["powered"].value_counts()
    caption = (
        f"Scores of {len(medium):,} medium models by day of submission. Of {len(frame)} new best "
        f"scores {counts['every']} have {power:.0%} power against the best before at every "
        f"agreement that the displayed scores admit, {counts['none']} at none, and "
        f"{counts['depends']} depend on the agreement. The line joins those with it at every one."
    )
    return Exhibit(
        frame,
        Drawing(
            "Medium models over time",
            [SOURCE],
            lambda: draw(frame, medium, power),
            caption,
            f"{counts['every']} of {len(frame)} new best scores have {power:.0%} power against the "
            "best before, at every agreement of the two models.",
        ),
        {"_findings.csv": csv_text(evidence_view(findings(frame, medium)))},
    )


def findings(frame: pd.DataFrame, medium: pd.DataFrame) -> Iterator[Finding]:
    """Compute what Section 4 says of Figure 3."""
    for name, day in (("first day", medium["date"].min()), ("last day", medium["date"].max())):
        yield Finding(name, "", f"{day:%Y-%m-%d}", "submissions of medium models", "displayed")
    powered, entries = decided(frame["powered"]), len(medium) * len(DATASETS)
    for name, answers in (("", powered), (" significant", decided(frame["significant"]))):
        method = f"of {len(frame)} new best scores"
        yield displayed(f"share of new bests{name}", "", mean_range(answers), method)
        least, most = (float(answers[end].sum()) / entries for end in answers)
        method = f"new best scores, of {entries:,} scores of submissions"
        yield displayed(f"share of submissions{name}", "", (least, most), method)
    gains = {dataset.name: _sums(frame, powered, dataset.name) for dataset in DATASETS}
    for dataset, one in gains.items():
        yield displayed("gains", dataset, one, "new best scores with 80% power")
        more = above(one, gains["IFEval"])
        yield displayed("gains more than IFEval", dataset, more, "new best scores with 80% power")


def _sums(frame: pd.DataFrame, ends: pd.DataFrame, dataset: str) -> Range:
    here = ends[frame["dataset"] == dataset]
    return float(here["least"].sum()), float(here["most"].sum())


def draw(frame: pd.DataFrame, medium: pd.DataFrame, power: float) -> Figure:
    """Draw a panel for each dataset: all models in grey, and the new best scores."""
    figure = new_figure(height=3.8, wide=True)
    axes = figure.subplots(2, 3, sharex=True).ravel()
    days = pd.to_datetime(frame["date"])
    quarters = pd.date_range(medium["date"].min(), medium["date"].max(), freq="QS")
    for ax, dataset in zip(axes, DATASETS, strict=False):
        ax.scatter(
            medium["date"], 100 * medium[dataset.column], s=1.2, color=_CLOUD, linewidths=0,
            rasterized=True,
        )  # fmt: skip
        here = frame["dataset"] == dataset.name
        sure = here & decided(frame["powered"])["least"]
        ax.plot(days[sure], 100 * frame.loc[sure, "score"], color=COLORS["every"])
        for word in COLORS:
            one = here & (frame["powered"] == word)
            ax.plot(days[one], 100 * frame.loc[one, "score"], **dot(word))
        ax.set_title(f"{dataset.name}, {dataset.items:,} items")
        ax.set_xticks(quarters, [f"{day:%Y-%m}" for day in quarters])
        ax.tick_params(labelbottom=True)
    for ax in axes[::3]:
        ax.set_ylabel("score (%)")
    axes[-1].set_axis_off()
    cloud = Line2D([], [], marker=".", linestyle="", color=_CLOUD, markersize=3, label="others")
    axes[-1].legend(handles=[*handles(power), cloud], loc="center left", title="New best scores")
    return figure
