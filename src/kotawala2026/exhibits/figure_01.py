"""Figure 1: what pairing gains over the unpaired formula, against the correlation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kotawala2026.exhibits._marks import note
from kotawala2026.labels import pair_label, task_label
from kotawala2026.operating_point import DECLARED, OF_K
from kotawala2026.quantities.displayed_scores import gain_of
from llm_power._report.figures import BLUE, GREY, ORANGE, new_figure
from llm_power._report.tables import as_fixed
from replication.exhibits import Drawing, Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 1."""
    frame = figure_01(inputs.stage("oll_v1", "required_n"))
    compared = summarize(frame, inputs.settings)
    caption = (
        f"Circles: unpaired over paired N* of {len(frame)} pairs of the Open LLM Leaderboard v1; "
        "unpaired: K[p_A(1 − p_A) + p_B(1 − p_B)]/δ², which the paper calls Miller's (his own eq. "
        f"(9) is paired), K being the {OF_K}; paired: Kσ²/δ² (eq. (6)), σ² being the variance of "
        "an item's difference; p_A, p_B: accuracies, δ: their difference; dashed: 1/(1 − ρ); "
        "below: gain minus 1/(1 − ρ), by algebra never above 0 for ρ > 0, and the printed maximum, "
        "read as an absolute value and drawn below 0. Median, quartiles and range were fitted; the "
        "residuals were not: the printed maximum differs (≠), but is not contradicted, as a fit to "
        f"other numbers does not settle it. {DECLARED}"
    )
    title = "Gain of the paired over the unpaired formula"
    gain = frame["gain"]
    finding = (
        f"The unpaired formula requires more items than the paired one in {int((gain > 1).sum())} "
        f"of {len(frame)} pairs: {gain.min():.2f} to {gain.max():.2f} times as many, "
        f"{gain.median():.2f} times at the median; the gain is 1/(1 − ρ) to within "
        f"{frame['residual'].abs().max():.3f}."
    )
    return Exhibit(
        frame, Drawing(title, inputs.provenance(), lambda: draw(frame, compared), caption, finding)
    )


def figure_01(pairs: pd.DataFrame) -> pd.DataFrame:
    """Circles of Figure 1: the gain of each pair beside 1/(1 - rho), its value at equal p q."""
    gain, rho = gain_of(pairs), pairs["rho"].to_numpy()
    return pd.DataFrame(
        {
            "task": [task_label(task) for task in pairs["task"]],
            "pair": list(map(pair_label, pairs["model_a"], pairs["model_b"])),
            "rho": rho,
            "gain": gain,
            "textbook": 1 / (1 - rho),
            "residual": gain - 1 / (1 - rho),
        }
    )


def summarize(frame: pd.DataFrame, settings: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return name, printed number and ours of each number that the paper prints of the circles."""
    lower, median, upper = frame["gain"].quantile([0.25, 0.5, 0.75])
    residual = frame["residual"]
    ours = (median, lower, upper, residual.mean(), residual.abs().max())
    low, middle, high = settings["figure_1_gain"]
    printed = (middle, low, high, *settings["figure_1_residual"])
    names = ("median", "lower quartile", "upper quartile", "mean residual", "largest abs. residual")
    shown = [
        tuple(map(as_fixed(digits), numbers))
        for digits, *numbers in zip((2, 2, 2, 3, 3), printed, ours, strict=True)
    ]
    return [
        (name, of_paper if of_paper == value else f"≠ {of_paper}", value)
        for name, (of_paper, value) in zip(names, shown, strict=True)
    ]


def draw(frame: pd.DataFrame, compared: Sequence[tuple[str, str, str]]) -> Figure:
    """Draw the circles, the textbook curve, and in a strip below how far they are apart."""
    figure = new_figure(height=3.25)
    ax, strip = figure.subplots(2, sharex=True, height_ratios=[3.4, 1])
    low, high = float(frame["rho"].min()), float(frame["rho"].max())
    margin = 0.05 * (high - low)
    rho = np.linspace(low - margin, min(high + margin, 0.995), 200)
    circles: dict[str, Any] = {"facecolors": "none", "edgecolors": BLUE, "linewidths": 0.8}
    ax.plot(rho, 1 / (1 - rho), color="0.2", linestyle="--", label=r"$1/(1-\rho)$", zorder=1)
    ax.scatter(frame["rho"], frame["gain"], s=16, label=f"{len(frame)} pairs", zorder=2, **circles)
    lower, median, upper = frame["gain"].quantile([0.25, 0.5, 0.75])
    ax.axhspan(lower, upper, color="0.93", zorder=0)
    ax.axhline(median, color=GREY, linewidth=0.7, zorder=0)
    small: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "fontsize": 6.5}
    note(ax, "quartiles and median", (0.03, upper), (0, -2), va="top", color="0.35", **small)
    ax.set_ylabel(r"$N^{\ast}_{\mathrm{unpaired}} \,/\, N^{\ast}_{\mathrm{paired}}$")
    figure.legend(loc="outside upper center", ncols=2)
    _print_beside(ax, compared)
    strip.axhline(0, color="0.2", linestyle="--", linewidth=0.8)
    strip.scatter(frame["rho"], frame["residual"], s=9, **circles)
    printed = -float(compared[-1][1].removeprefix("≠ "))
    strip.axhline(printed, color=ORANGE, linestyle=":", linewidth=1.0)
    note(strip, "printed max.", (0.0, printed), (3, 2), **small)
    strip.set(ylabel="residual", xlabel=r"correlation $\hat\rho$ of the pair")
    strip.set_ylim(min(printed, float(frame["residual"].min())) * 1.25, 0.012)
    figure.align_ylabels()
    return figure


def _print_beside(ax: Axes, compared: Sequence[tuple[str, str, str]]) -> None:
    places = ((0.03, "left"), (0.52, "right"), (0.68, "right"))
    for row, cells in enumerate([("", "printed", "ours"), *compared]):
        for (place, align), cell in zip(places, cells, strict=True):
            note(ax, cell, (place, 0.94 - 0.078 * row), xycoords="axes fraction", ha=align)
