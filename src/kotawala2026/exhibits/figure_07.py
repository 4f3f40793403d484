"""Figure 7: required items of the frontier panel's adjacent ranks against its N."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerLine2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from kotawala2026.exhibits._marks import bar_style, handle, note
from kotawala2026.labels import model_label, rank_labels
from kotawala2026.operating_point import DECLARED
from kotawala2026.quantities.displayed_scores import both_ratios
from llm_power._provenance import Provenance
from llm_power._report.figures import new_figure
from llm_power._report.tables import as_integer
from llm_power._statistics.paired_binary import shortcut_required_n, summarize_counts
from replication.exhibits import Drawing, Exhibit, Inputs

# Ends of the ranges in which N* can be, of a resolved and of an unresolved pair.
_ENDS: Final = (("n_star_lower", "n_star_at_most"), ("n_star_at_least", "n_star_upper"))
# Half of the last digit of the printed gap, correlation, and n_h/N*.
_HALF_DIGITS: Final = (0.0005, 0.005, 0.0005)


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 7."""
    drawn, n_items, gap = inputs.settings["frontier_items_and_gap"]
    rho = inputs.settings["frontier_rho"]
    ratios = inputs.settings["frontier_shortcut_ratios"]
    possible = possible_pairs(n_items, gap, rho, ratios)
    pairs = inputs.panel("frontier", "discordance", "required_n")
    frame = figure_07(pairs, gap, possible["n_star"])
    caption = (
        f"Required items N* of adjacent ranks on MMLU-Pro; dashed: N = {n_items:,}, the items that "
        f"all four models answered of {drawn:,} drawn. The paper prints gap and correlation of one "
        f"pair, {gap:.3f} and {rho:.2f}, and no accuracy; and three values of n_h/N*, "
        f"{', '.join(f'{ratio:.3f}' for ratio in ratios)} (least, median, largest), of which one "
        "is this pair's; n_h: Cohen's K/h² (Table 1) times 1 − ρ. Whiskers: range of N* over all "
        "counts of these items that round to these numbers, black where the pair is unresolved, as "
        "printed, grey where it is resolved; circle: the witness, one of them. The other pairs are "
        "printed as resolved, that is, as needing at most N items; which GPT model leads the text "
        f"does not say, and the order here is the witness's. {DECLARED}"
    )
    return Exhibit(
        frame,
        Drawing(
            "Frontier panel",
            [*inputs.provenance(), Provenance.published("Appendix D, for the whiskers")],
            lambda: draw(frame),
            caption,
            find(frame, possible, n_items),
        ),
    )


def possible_pairs(n_items: int, gap: float, rho: float, shortcut: Sequence[float]) -> pd.DataFrame:
    """Return N* and the lower accuracy of all counts that display a printed gap and correlation.

    Their n_h/N* displays one of `shortcut`: of three pairs least, median and largest are all.
    """
    half_gap, half_rho, half_ratio = _HALF_DIGITS
    ends = (n_items * (gap + side * half_gap) for side in (-1, 1))
    first, last = (round_(end) for round_, end in zip((math.ceil, math.floor), ends, strict=True))
    frames = []
    for ahead in range(first, last + 1):
        # Columns: what both solve, what the second solves alone.
        both, c = np.indices((n_items + 1, n_items + 1 - ahead))
        fits = both + 2 * c + ahead <= n_items
        n11, c = both[fits], c[fits]
        summary = summarize_counts(n11, c + ahead, c, n_items - n11 - 2 * c - ahead)
        # Of millions of tables few display the correlation: the ratio is that of these.
        displays = np.flatnonzero(np.abs(summary.rho - rho) <= half_rho)
        p_a, p_b, phi = (x[displays] for x in (summary.p_a, summary.p_b, summary.rho))
        n_star = summary.n_star[displays]
        ratio, _ = both_ratios(shortcut_required_n(p_a, p_b, phi), n_star)
        within = (np.abs(ratio[:, np.newaxis] - shortcut) <= half_ratio).any(axis=1)
        frames.append(pd.DataFrame({"accuracy": p_b[within], "n_star": n_star[within]}))
    return pd.concat(frames, ignore_index=True)


def find(frame: pd.DataFrame, possible: pd.DataFrame, n_items: int) -> str:
    """Return what the printed numbers decide of the pair whose gap and correlation they give."""
    (row,) = frame[frame["is_printed"]].to_dict("records")
    better, worse = (model_label(row[name]) for name in ("model_a", "model_b"))
    pair = f"{better} vs {worse}"
    if possible.empty:
        return f"No counts of {n_items:,} items display the numbers that are printed of {pair}."
    leave = f"The printed numbers leave N* of {pair} at {_ranges(row)}"
    unresolved = possible[possible["n_star"] > n_items]
    if unresolved.empty:
        return f"{leave}: the {n_items:,} items are enough, where it is printed as unresolved."
    accuracy = unresolved["accuracy"]
    if len(unresolved) == len(possible):
        return f"{leave}: it is unresolved, as printed."
    return (
        f"{leave}; that it is unresolved (N* above {n_items:,}) does not follow from them, and "
        f"needs an accuracy of {worse} between {accuracy.min():.0%} and {accuracy.max():.0%}."
    )


def _ranges(row: Mapping[Hashable, Any]) -> str:
    """Say in which ranges, below and above N, a printed pair's N* can be."""
    ends = [(row[low], row[high]) for low, high in _ENDS]
    return " or ".join(f"{as_integer(a)} to {as_integer(b)}" for a, b in ends if not np.isnan(a))


def figure_07(pairs: pd.DataFrame, gap: float, possible: pd.Series) -> pd.DataFrame:
    """Bars of Figure 7: r = N*/N of the adjacent pairs, and what N* `possible_pairs` have."""
    rows = pairs.sort_values("rank_a").reset_index(drop=True)
    is_printed = np.abs(rows["delta"] - gap) <= _HALF_DIGITS[0]
    is_enough = possible <= rows["n_items"].max()
    (low, at_most), (at_least, high) = (
        (some.min(), some.max()) for some in (possible[is_enough], possible[~is_enough])
    )
    ends = zip(sum(_ENDS, ()), (low, at_most, at_least, high), strict=True)
    bars = rows[["model_a", "model_b", "n_items", "delta", "rho", "n_star"]].assign(
        r=rows["n_star"] / rows["n_items"],
        resolved=rows["resolved"].astype(bool),
        is_printed=is_printed,
        **{name: np.where(is_printed, end, np.nan) for name, end in ends},
    )
    bars.insert(0, "label", rank_labels(rows))
    return bars


def draw(frame: pd.DataFrame) -> Figure:
    """Draw what is printed of N*: its range, or a hollow bar up to N where it is no more."""
    figure = new_figure(height=0.5 * len(frame) + 1.25)
    ax = figure.subplots()
    place = np.arange(len(frame))[::-1]
    n = float(frame["n_items"].max())
    printed = frame["is_printed"]
    ends = frame.loc[printed, ["n_star", *sum(_ENDS, ())]].to_numpy(dtype=np.float64)
    right = 1.25 * max(n, float(ends[np.isfinite(ends)].max(initial=n)))
    names = zip(frame["model_a"], frame["model_b"], strict=True)
    labels = [f"{model_label(a)}\nvs {model_label(b)}" for a, b in names]
    for at, row in zip(place, frame.to_dict("records"), strict=True):
        if row["is_printed"]:
            for (low, high), look in zip(_ENDS, ({"color": "0.55"}, {}), strict=True):
                ax.plot([row[low], row[high]], [at, at], **_WHISKER | look)
            ax.plot(min(row["n_star"], right), at, **_WITNESS)
            between = f"{_ranges(row)}\nwitness: {as_integer(row['n_star'])}"
            note(ax, between, (n, at - 0.2), (3, 0), fontsize=6.5, va="top")
        else:
            ax.barh(at, n, height=0.5, **_AT_MOST)
            note(ax, f"at most {n:,.0f}", (n, at), (3, 0), va="center")
    ax.axvline(n, color="0.2", linestyle="--", linewidth=0.8, zorder=2)
    note(ax, f"$N$ = {n:,.0f}", (n, 1.0), (3, 0), xycoords=("data", "axes fraction"), va="top")
    ax.set(xlim=(0, right), ylim=(-0.75, len(frame) - 0.55))
    ax.set_yticks(place, labels, fontsize=7)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(r"required items $N^{\ast}$")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    range_ = handle(r"$N^{\ast}$ that the printed numbers allow (grey: resolved)", **_WHISKER)
    figure.legend(
        handles=[
            Patch(label=r"printed as resolved: $N^{\ast}$ at most $N$", **_AT_MOST),
            range_,
            handle(r"$N^{\ast}$ of the witness, one of them", **_WITNESS),
        ],
        loc="outside upper center",
        handlelength=1.6,
        handler_map={range_: HandlerLine2D(numpoints=2)},
    )
    return figure


_WHISKER: Final[dict[str, Any]] = {
    "color": "black",
    "linewidth": 1.2,
    "marker": "|",
    "markersize": 7,
    "zorder": 4,
}
_WITNESS: Final[dict[str, Any]] = {
    "marker": "o",
    "markersize": 5,
    "markerfacecolor": "white",
    "markeredgecolor": "black",
    "linestyle": "",
    "zorder": 5,
}
_AT_MOST: Final = bar_style(True) | {"facecolor": "#D6E6F2", "linewidth": 0}
