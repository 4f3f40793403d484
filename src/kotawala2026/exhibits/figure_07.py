"""Figure 7: required items of the frontier panel's adjacent ranks against its N."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from kotawala2026.exhibits._marks import bar_style, note, style_bars
from kotawala2026.labels import model_label, rank_labels, spelled_out
from kotawala2026.operating_point import DECLARED
from llm_power._report.figures import new_figure
from llm_power._report.tables import as_integer
from replication.exhibits import Drawing, Exhibit, Inputs

# Half of the last digit of the printed gap.
_HALF_DIGIT = 0.0005


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 7."""
    frame = figure_07(inputs.panel("frontier", "discordance", "required_n"))
    _, n_items, gap = inputs.settings["frontier_items_and_gap"]
    rho = inputs.settings["frontier_rho"]
    beside = [
        (
            f"gap {100 * row['delta']:.1f} pp (printed {100 * gap:.1f})\n"
            rf"$\rho$ {row['rho']:.2f} (printed {rho:.2f})"
            if abs(row["delta"] - gap) <= _HALF_DIGIT
            else ""
        )
        for row in frame.to_dict("records")
    ]
    caption = (
        "Required items of adjacent ranks on MMLU-Pro; dashed: the N = "
        f"{frame['n_items'].max():,} at hand (printed: {n_items:,}). The paper prints gap and "
        f"correlation of one pair, {100 * gap:.1f} pp and {rho:.2f}; for pairs with hollow bars "
        "it prints neither, and the witness chose both freely. N* also depends on the accuracies, "
        "which are not printed. Which pairs are resolved is the paper's own statement, given to "
        f"the witness. {DECLARED} {spelled_out('pp')}"
    )
    unresolved = [
        f"{model_label(row['model_a'])} vs {model_label(row['model_b'])} needs "
        f"{as_integer(row['n_star'])}"
        for row in frame[~frame["resolved"]].to_dict("records")
    ]
    finding = (
        f"In the witness {frame['n_items'].max():,} items are too few for {len(unresolved)} of "
        f"{len(frame)} adjacent pairs: {', '.join(unresolved)}."
    )
    return Exhibit(
        frame,
        Drawing(
            "Frontier panel", inputs.provenance(), lambda: draw(frame, beside), caption, finding
        ),
    )


def figure_07(pairs: pd.DataFrame) -> pd.DataFrame:
    """Bars of Figure 7: r = N*/N of the adjacent frontier pairs."""
    rows = pairs.sort_values("rank_a").reset_index(drop=True)
    return pd.DataFrame(
        {
            "label": rank_labels(rows),
            "model_a": rows["model_a"],
            "model_b": rows["model_b"],
            "n_items": rows["n_items"],
            "delta": rows["delta"],
            "rho": rows["rho"],
            "n_star": rows["n_star"],
            "r": rows["n_star"] / rows["n_items"],
            "resolved": rows["resolved"].astype(bool),
        }
    )


def draw(frame: pd.DataFrame, beside: Sequence[str]) -> Figure:
    """Draw r = N*/N of each pair, hollow where the paper prints nothing `beside` it."""
    figure = new_figure(height=0.5 * len(frame) + 1.05)
    ax = figure.subplots()
    place = np.arange(len(frame))[::-1]
    n = float(frame["n_items"].max())
    finite = frame.loc[np.isfinite(frame["n_star"]), "n_star"]
    right = 1.25 * max(n, float(finite.max()) if len(finite) else n)
    bars = ax.barh(place, frame["n_star"].clip(upper=right), height=0.5)
    style_bars(bars, frame["resolved"])
    names = zip(frame["model_a"], frame["model_b"], strict=True)
    labels = [f"{model_label(a)}\nvs {model_label(b)}" for a, b in names]
    for at, bar, n_star, text in zip(place, bars, frame["n_star"], beside, strict=True):
        if not text:
            bar.set(**_FREE)
        required = f"{n_star:,.0f}" if np.isfinite(n_star) else "∞"
        shown = required if text else f"{required} (free)"
        note(ax, shown, (min(n_star, right), at), (3, 0), va="center")
        note(ax, text, (0, at - 0.31), (2, 0), fontsize=6.5, va="top")
    ax.axvline(n, color="0.2", linestyle="--", linewidth=0.8, zorder=2)
    note(ax, f"$N$ = {n:,.0f}", (n, 1.0), (3, 0), xycoords=("data", "axes fraction"), va="top")
    ax.set(xlim=(0, right), ylim=(-0.95, len(frame) - 0.55))
    ax.set_yticks(place, labels, fontsize=7)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(r"required items $N^{\ast}$")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    kinds = dict.fromkeys(zip(frame["resolved"], map(bool, beside), strict=True))
    figure.legend(
        handles=[
            Patch(
                label=f"{'resolved' if resolved else 'unresolved'}; gap and $\\rho$ "
                + ("as printed" if printed else "free to the witness"),
                **(bar_style(resolved) | ({} if printed else _FREE)),
            )
            for resolved, printed in kinds
        ],
        loc="outside upper center",
        handlelength=1.6,
    )
    return figure


_FREE: Final[dict[str, Any]] = {"facecolor": "white", "hatch": "", "linestyle": "--"}
