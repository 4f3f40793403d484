"""Power against the gap, drawn."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from llm_power._report.figures import GREY, house_style, new_figure

# What is commonly asked of a design.
_ASKED = 0.80


def draw_power(table: pd.DataFrame, *, gap_label: str) -> Figure:
    """Draw power against the gap: a line a size with its Monte Carlo band, a panel an ``acc_a``."""
    panels = [*table.groupby("acc_a")] if "acc_a" in table else [(None, table)]
    sizes = sorted(table["dataset_size"].unique())
    colors = mpl.colormaps["viridis"](np.linspace(0.0, 0.85, len(sizes)))
    with house_style():
        # By name: "serif" would be whatever the settings say when the figure is drawn.
        mpl.rcParams["font.family"] = mpl.rcParams["font.serif"]
        figure = new_figure(height=2.6, wide=len(panels) > 1)
        figure.set_layout_engine("constrained")
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for ax, (base, part) in zip(axes, panels, strict=True):
            ax.axhline(_ASKED, color=GREY, linestyle="--", linewidth=0.8)
            for size, color in zip(sizes, colors, strict=True):
                line = part[part["dataset_size"] == size].sort_values("gap")
                ax.plot(line["gap"], line["power"], color=color, label=f"{size:,}")
                ax.fill_between(
                    line["gap"], line["power_low"], line["power_high"], color=color, alpha=0.2, lw=0
                )
            ax.set(xlabel=gap_label, ylim=(0, 1))
            if len(panels) > 1:
                ax.set_title(f"base accuracy {base:g}")
        axes[0].set_ylabel("Power")
        axes[-1].legend(title="Items")
        # Ticks are made when a figure is laid out first.
        figure.draw_without_rendering()
    return figure
