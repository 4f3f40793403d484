"""Figure 2: each model against the median of its size group, and the power of the comparison."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from llm_power._report.figures import new_figure
from replication.exhibits import Drawing, Exhibit, Inputs
from replication.findings import Finding, evidence_view
from replication.stages import csv_text
from skpower2025.comparisons import DATASETS, GROUPS, SOURCE, read_board, with_the_median
from skpower2025.exhibits._verdicts import COLORS, above, decided, displayed, handles, ranges_by


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 2."""
    frame = with_the_median(read_board(inputs.data_root("board")), **inputs.point)
    counts = frame["powered"].value_counts()
    caption = (
        "Each point is a model, at its difference to the median model of its size group (small: "
        "below 1 billion parameters; medium: 1 to 10; large: more). Post-hoc power of the exact "
        "McNemar test over every agreement that the displayed scores admit, because the paper does "
        f"not state its own: of {len(frame):,} comparisons {counts['every']:,} have it at every "
        f"agreement, {counts['none']:,} at none, and {counts['depends']:,} depend on the agreement."
    )
    power = inputs.settings["power"]
    return Exhibit(
        frame,
        Drawing(
            "Models and the median of their size group",
            [SOURCE],
            lambda: draw(frame, power),
            caption,
            f"{counts['every']:,} of {len(frame):,} comparisons have {power:.0%} power at every "
            "agreement of the two models.",
        ),
        {"_findings.csv": csv_text(evidence_view(findings(frame)))},
    )


def findings(frame: pd.DataFrame) -> Iterator[Finding]:
    """Compute what Section 4 says of Figure 2."""
    n = len(frame)
    method = "models of known size but the baselines, by dataset"
    yield displayed("comparisons", "", (n, n), method)
    # Of next to no gap there is less power at the highest agreement.
    powers = frame[["power_lowest", "power_highest"]]
    ends = pd.DataFrame({"least": powers.min(axis=1), "most": powers.max(axis=1)})
    power = ranges_by(frame["dataset"], ends)
    for name, one in power.items():
        yield displayed("mean power", name, one, "over all models and size groups")
    others = ranges_by(frame["dataset"] == "IFEval", ends)["False"]
    yield displayed(
        "mean power above the others'", "IFEval", above(power["IFEval"], others),
        "mean power on IFEval minus that on the other four datasets",
    )  # fmt: skip
    better = frame[frame["gap_pp"] > 0]
    shares = ranges_by(better["group"], decided(better["significant"]))
    for group, one in shares.items():
        yield displayed("share significant", group, one, "of the models above the median")
    rest = [one for group, one in shares.items() if group != "small"]
    next_group = min(least for least, _ in rest), min(most for _, most in rest)
    yield displayed(
        "share significant above the others'", "small", above(shares["small"], next_group),
        "of the models above the median, minus the share of the next group",
    )  # fmt: skip


def draw(frame: pd.DataFrame, power: float) -> Figure:
    """Draw a panel for each size group, and in it a strip of points for each dataset."""
    figure = new_figure(height=3.2, wide=True)
    axes = figure.subplots(1, len(GROUPS), sharey=True)
    names = [dataset.name for dataset in DATASETS]
    # Spread over the strip in the order of the rows: the same in each run.
    spread = 0.7 * (np.arange(len(frame)) * 0.618034 % 1 - 0.5)
    for ax, group in zip(axes, GROUPS, strict=True):
        shown = frame["group"] == group
        for word, color in COLORS.items():
            one = frame[shown & (frame["powered"] == word)]
            place = one["dataset"].map(names.index) + spread[one.index]
            ax.scatter(place, one["gap_pp"], s=1.2, color=color, linewidths=0, rasterized=True)
        ax.axhline(0, color="0.2", linestyle=":", linewidth=0.8)
        ax.set_xticks(range(len(names)), names, rotation=35, ha="right")
        ax.tick_params(axis="x", length=0)
        ax.set_title(f"{group}, {shown.sum() // len(names) + 1:,} models")
    axes[0].set_ylabel("score minus the median (points)")
    figure.legend(handles=handles(power, marker="o"), loc="outside upper center", ncols=3)
    return figure
