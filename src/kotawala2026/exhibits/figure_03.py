"""Figure 3: r = N*/N of the nine adjacent-rank pairs of MMLU-Pro's top ten."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from kotawala2026.exhibits._counts_table import counted_pairs, items_of
from kotawala2026.exhibits._marks import (
    PRINTED,
    as_ratio,
    handle,
    legend_above,
    note,
    style_bars,
)
from kotawala2026.exhibits.item_count import implied_item_count
from kotawala2026.operating_point import COUNTS, DECLARED
from llm_power._provenance import Provenance
from llm_power._report.figures import new_figure
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.mcnemar import connor_required_n
from llm_power_audit.printed_tables import PublishedCounts
from replication.exhibits import Drawing, Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 3."""
    counts = inputs.counts(7, n_items=inputs.settings["mmlu_pro_n_items"])
    items = items_of(inputs, counts, "mmlu_pro_top10")
    # r = K((b+c)/(b-c)^2 - 1/N): the 12,031 items that Table 7 implies move a bar by 5e-8 from the
    # r at the caption's N = 12,032.
    pairs = counted_pairs(counts, items, counts.n_items)
    frame, second, printed = figure_03(counts, pairs), connor_r(pairs), counts.printed_r
    source = [*inputs.provenance(), Provenance.published("Table 7")]
    n_items, printed_n = int(frame["n_items"][0]), int(counts.n_items[0])
    of_caption = "the number" if n_items == printed_n else f"where {printed_n:,} is the number"
    unresolved, n_printed = int((~frame["resolved"]).sum()), inputs.settings["figure_3_unresolved"]
    implied = implied_item_count(counts).n_items
    apart, within = np.abs(second / frame["r"] - 1), inputs.settings["figure_3_forms_within"]
    farthest = frame["label"].iloc[int(apart.argmax())]
    caption = (
        f"r = N*/N at N = {n_items:,}, {of_caption} of the paper's caption, by eq. (6), N* = (z_α "
        "+ z_β)²(ψ − δ²)/δ²; bars begin at r = 1 (dashed), beyond which a pair is unresolved; "
        "ticks: by Connor's formula, N* = (z_α √ψ + z_β √(ψ − δ²))²/δ² with ψ = (b + c)/N, δ = (b "
        "− c)/N and the normal quantiles z_α of 1 − α/2 and z_β of the power, at most "
        f"{100 * apart.max():.2f}% apart, at {farthest} (printed: within {100 * within:g}%, of a "
        "formula that the paper does not write down); diamonds: from the N* that Table 7 prints. "
        f"Table 7 names the models; its N* need N = {implied:,}, at which each r is the same to "
        f"three digits. {COUNTS} {DECLARED}"
    )
    return Exhibit(
        frame,
        Drawing(
            "MMLU-Pro, adjacent ranks of the top ten",
            source,
            lambda: draw(frame, second, printed, n_printed),
            caption,
            f"{unresolved} of {len(frame)} adjacent pairs need more than the {n_items:,} items, up "
            f"to {frame['r'].max():,.0f} times as many.",
        ),
    )


def figure_03(counts: PublishedCounts, pairs: pd.DataFrame) -> pd.DataFrame:
    """Bars of Figure 3: r = N*/N of `counted_pairs`, as Table 7 names them."""
    names = {"label": counts.label, "model_a": counts.model_a, "model_b": counts.model_b}
    bars = pd.DataFrame(names).join(pairs[["n_items", "n_star", "q"]])
    return bars.assign(r=bars["n_star"] / bars["n_items"], resolved=pairs["resolved"])


def connor_r(pairs: pd.DataFrame) -> FloatArray:
    """Return r of each pair by the second formula that Section 6.2 names but does not write."""
    n_items, b, c = (pairs[name].to_numpy() for name in ("n_items", "b", "c"))
    ratio: FloatArray = connor_required_n(b / n_items, c / n_items) / n_items
    return ratio


def draw(frame: pd.DataFrame, second: FloatArray, printed: FloatArray, n_printed: int) -> Figure:
    """Draw the bars of `figure_03` from a dashed line at r = 1, with the value of r at each end."""
    figure = new_figure(height=2.7)
    ax = figure.subplots()
    place = np.arange(len(frame))
    style_bars(ax.bar(place, frame["r"] - 1, bottom=1, width=0.7, zorder=2), frame["resolved"])
    ax.axhline(1, color="0.2", linestyle="--", linewidth=0.8, zorder=3)
    ax.plot(place, printed, zorder=4, **PRINTED)
    ax.plot(place, second, zorder=5, **_TICK)
    for at, r in enumerate(frame["r"]):
        by, va = ((0, 3.5), "bottom") if r > 1 else ((0, -4.5), "top")
        note(ax, as_ratio(r), (at, r), by, ha="center", va=va, bbox=_WHITE, zorder=3.5)
    n_items = int(frame["n_items"].iloc[0])
    ax.set(yscale="log", ylabel=r"$r = N^{\ast}/N$")
    ax.set_xlabel(f"adjacent ranks, $N$ = {n_items:,}")
    ax.set_ylim(frame["r"].min() / 3, frame["r"].max() * 4)
    ax.set_xticks(place, [label.replace(" vs ", "–") for label in frame["label"]])
    ax.tick_params(axis="x", length=0)
    ax.tick_params(axis="y", which="minor", left=False)
    ax.grid(axis="y", which="major")
    marks = handle("Connor's formula", **_TICK), handle("printed (Table 7)", **PRINTED)
    legend_above(figure, frame["resolved"], n_printed, *marks)
    return figure


_WHITE: Final = {"facecolor": "white", "linewidth": 0, "pad": 0.2}
_TICK: Final[dict[str, Any]] = {
    "marker": "_",
    "markersize": 13,
    "markeredgewidth": 1.0,
    "color": "black",
    "linestyle": "",
}
