"""Figure 1: r = N*/N of two pairs."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from llm_power._provenance import Provenance
from llm_power._report.figures import new_figure
from replication.exhibits import Drawing, Exhibit, Inputs
from toy.pairs import resolved_pairs


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 1."""
    frame = resolved_pairs(inputs.printed(1), **inputs.point)[["pair", "r"]]
    source = [Provenance.published("Table 1")]
    return Exhibit(frame, Drawing("Two pairs", source, lambda: draw(frame)))


def draw(frame: pd.DataFrame) -> Figure:
    """Draw a bar for each pair, and the line below which a pair is resolved."""
    figure = new_figure(height=2.0)
    ax = figure.subplots()
    ax.bar(frame["pair"], frame["r"])
    ax.axhline(1, color="0.2", linestyle="--")
    ax.set(ylabel="$r = N^*/N$")
    return figure
