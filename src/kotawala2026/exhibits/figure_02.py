"""Figure 2: r = N*/N of every pair of the Open LLM Leaderboard v1, one panel a task."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from kotawala2026.exhibits._beside import of_witness
from kotawala2026.exhibits._marks import (
    PRINTED,
    as_ratio,
    handle,
    legend_above,
    note,
    style_bars,
)
from kotawala2026.labels import pair_label, spelled_out, task_label
from kotawala2026.operating_point import DECLARED
from llm_power._report.figures import new_figure
from llm_power_audit.printed_tables import PublishedCounts
from replication.exhibits import Drawing, Exhibit, Inputs

_COLUMNS = 2
# Of Table 3, the gaps of the unresolved pairs that Table 6 has not.
_OTHERS = "2%–5%"
_PANEL_INCHES = 2.25


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 2."""
    frame = figure_02(inputs.panel("oll_v1", "discordance", "required_n"))
    printed, n_printed = printed_r(inputs.counts(6)), inputs.settings["figure_2_unresolved"]
    title = f"Resolution of {len(frame)} pairs of the Open LLM Leaderboard v1"
    unresolved = int((~frame["resolved"]).sum())
    finding = (
        f"{unresolved} of {len(frame)} pairs need more items than their task has, up to "
        f"{frame['r'].max():,.0f} times as many."
    )
    sources = inputs.provenance()
    others, n_star = unresolved - len(printed), inputs.settings["figure_4_n_star"]
    buckets = inputs.printed(3)
    worst = dict(zip(buckets["gap_bucket"], buckets["r_worst"], strict=True))[_OTHERS].text
    chosen = (
        f"Of the {others} others unresolved the paper prints how many, their largest r, {worst} "
        f"(Table 3), and N* = {n_star:,} of one (Figure 4, ARC-C): the witness chose how the other "
        f"{others - 1} divide between ARC-C and Wino, and which has {worst}, so that the "
        "counts in the titles of these two panels are no evidence. "
    )
    caption = (
        "r = N*/N of every pair, the better model first, ascending within its task. Bars begin at "
        "r = 1 (dashed), beyond which a pair is unresolved. Diamonds: r from the "
        f"{len(printed)} required numbers that Table 6 prints. "
        f"{''.join(of_witness(sources, chosen))}{DECLARED} "
        + spelled_out("ARC-C", "HS", "Wino", "Mistral-I", "Llama-I", "gemma", "gemma-it")
    )
    return Exhibit(
        frame,
        Drawing(
            title,
            sources,
            lambda: draw(
                frame,
                printed,
                n_printed,
                bare="".join(of_witness(sources, "; bar without it: witness")),
            ),
            caption,
            finding,
        ),
    )


def figure_02(pairs: pd.DataFrame) -> pd.DataFrame:
    """Bars of Figure 2: r = N*/N of each pair, ascending within its task."""
    frame = pairs[["task", "n_items", "delta", "n_star"]].assign(
        task=pairs["task"].map(task_label),
        r=pairs["n_star"] / pairs["n_items"],
        resolved=pairs["resolved"].astype(bool),
    )
    frame.insert(1, "pair", list(map(pair_label, pairs["model_a"], pairs["model_b"])))
    tasks = frame.groupby("task", sort=False)
    return pd.concat([rows.sort_values("r", kind="stable") for _, rows in tasks], ignore_index=True)


def printed_r(counts: PublishedCounts) -> dict[tuple[str, str], float]:
    """Return the printed N* over N of each pair of Table 6, by task and pair."""
    pairs = map(pair_label, counts.model_a, counts.model_b)
    return dict(zip(zip(counts.label, pairs, strict=True), counts.printed_r, strict=True))


def draw(
    frame: pd.DataFrame,
    printed: dict[tuple[str, str], float],
    n_printed: int,
    *,
    bare: str = "",
) -> Figure:
    """Draw the bars from a dashed line at r = 1; `bare` says what a bar without a diamond is."""
    finite = frame.loc[np.isfinite(frame["r"]) & (frame["r"] > 0), "r"]
    bottom, top = min(float(finite.min()), 1.0) / 2, max(float(finite.max()), 1.0) * 8
    # A pair without a gap has no finite r: its bar runs off the axis.
    shown = frame.assign(r=frame["r"].clip(bottom, 10 * top))
    n_rows = -(-frame["task"].nunique() // _COLUMNS)
    figure = new_figure(height=n_rows * _PANEL_INCHES + 0.4, wide=True)
    panels = figure.subplots(n_rows, _COLUMNS, sharex=True, squeeze=False)
    for (task, rows), ax in zip(shown.groupby("task", sort=False), panels.flat, strict=False):
        place = np.arange(len(rows))
        style_bars(ax.barh(place, rows["r"] - 1, left=1, height=0.72), rows["resolved"])
        theirs = [printed.get((str(task), pair), np.nan) for pair in rows["pair"]]
        ax.plot(theirs, place, zorder=4, **PRINTED)
        for at, r in enumerate(rows["r"]):
            if 1 < r < top:
                note(ax, as_ratio(r), (r, at), (4, 0), va="center")
        ax.axvline(1, color="0.2", linestyle="--", linewidth=0.8, zorder=3)
        ax.set(xscale="log", xlim=(bottom, top), ylim=(len(rows) - 0.4, -0.6))
        ax.set_yticks(place, rows["pair"], fontsize=8)
        ax.tick_params(axis="y", length=0)
        ax.minorticks_off()
        ax.grid(axis="x", which="major")
        unresolved = int((~rows["resolved"]).sum())
        ax.set_title(
            f"{task}, $N$ = {int(rows['n_items'].max()):,}: {unresolved} of {len(rows)} unresolved",
            fontsize=8.5,
        )
    for ax in panels.flat[frame["task"].nunique() :]:
        ax.set_axis_off()
    for ax in panels[-1]:
        ax.set_xlabel(r"$r = N^{\ast}/N$")
    table_6 = handle(rf"printed $N^{{\ast}}/N$ (Table 6){bare}", **PRINTED)
    legend_above(figure, frame["resolved"], n_printed, table_6)
    return figure
