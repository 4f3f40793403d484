"""Figure 4: paths of the mixture e-process, eq. (24), under both hypotheses (Section 6.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from kotawala2026.operating_point import ALPHA
from kotawala2026.simulations import (
    e_process_calibration,
    e_process_trajectories,
    hypotheses,
)
from llm_power._provenance import Provenance
from llm_power._report.figures import BLUE, new_figure
from llm_power._report.tables import Column, Table, as_fixed, as_integer, as_percent, as_text
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.e_process import UNIFORM_98
from llm_power._statistics.random_streams import named_rng
from replication.exhibits import Drawing, Exhibit, Inputs
from replication.stages import csv_text

#: The two hypotheses as drawn and as simulated, in drawing order.
HYPOTHESES = {"H0": "null", "H1": "gap"}
# The paper states no horizon; three times the required N of the pair shows the crossings.
HORIZON = 3
_percent = as_percent(1)
_BLACK: Final[dict[str, Any]] = {"color": "black", "zorder": 3}


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 4, the table of the shares that cross, and the trajectories it draws."""
    settings, numbers = inputs.settings, inputs.numbers
    alpha, window = settings["figure_4_alpha"], settings["figure_4_first_crossing"]
    pair: dict[str, Any] = {
        "delta": settings["figure_4_delta"],
        "n_star": settings["figure_4_n_star"],
        "horizon": HORIZON * settings["figure_4_n_star"],
        "seed": numbers["seed"],
    }
    p10, p01 = hypotheses(pair["delta"], pair["n_star"])["gap"]
    trajectories = compute(**pair, n_trajectories=numbers["n_trajectories"])
    calibration = calibrate(**pair, n_trials=numbers["n_trials"], window=window, alpha=alpha)
    drawn = first_crossings(trajectories, numbers["n_trajectories"], alpha)
    sources = [
        Provenance.simulated(
            seed=numbers["seed"],
            trials=numbers["n_trials"],
            unit=f"trials a hypothesis, and {numbers['n_trajectories']} trajectories",
        )
    ]
    return Exhibit(
        build(calibration, sources, settings["figure_4_stopping"]),
        Drawing(
            "Mixture e-process trajectories",
            sources,
            lambda: draw(trajectories, calibration, drawn, window=window, alpha=alpha),
            "The pair is one of ARC that the paper does not name; it has gap δ = "
            f"{pair['delta']:g}, correlation ρ = {settings['e_process_rho']:g} and N* = "
            f"{pair['n_star']:,} at two-sided α = {alpha:g} and power {settings['power']:g}; "
            "probably Mistral-7B-Instruct-v0.2 and Llama-3-8B-Instruct, the only pair of "
            "ARC-Challenge whose displayed scores differ by this gap. Simulated from δ and N*: "
            f"{_percent(p10 + p01)}% discordant items, {_percent(p10 / (p10 + p01))}% of them for "
            "the better model (H1), or half for each (H0). Log of the mixture e-process, eq. (24): "
            "the mean over θ = 0.01, 0.02, ..., 0.99 without 0.50 of (2θ)ᵇ(2 − 2θ)ᶜ, b and c being "
            "the items so far that the first model alone and that the second alone solves; dashed: "
            "the threshold log(1/α). " + caption(calibration, drawn, window, settings),
            finding(calibration, alpha, settings["figure_4_stopping"]),
        ),
        files={"_trajectories.csv": csv_text(trajectories)},
    )


def compute(
    delta: float, n_star: float, *, horizon: int, n_trajectories: int, seed: int
) -> pd.DataFrame:
    """Simulate trajectories of log e at a pair's gap and N*, a row per discordant item."""
    parts = []
    for hypothesis, name in HYPOTHESES.items():
        cells = hypotheses(delta, n_star)[name]
        rng = named_rng(seed, f"figure_04/trajectories/{hypothesis}")
        log_e = e_process_trajectories(*cells, horizon, n_trajectories, mixture=UNIFORM_98, rng=rng)
        # The first discordant item leaves log e at 0, but for a rounding error.
        moved = np.abs(np.diff(log_e, axis=1, prepend=0.0)) > 1e-12
        trajectory, item = moved.nonzero()
        parts.append(
            pd.DataFrame(
                {
                    "hypothesis": hypothesis,
                    "trajectory": trajectory + 1,
                    "n_items": item + 1,
                    "log_e": log_e[moved],
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def first_crossings(
    trajectories: pd.DataFrame, n_trajectories: int, alpha: float
) -> dict[str, FloatArray]:
    """Return where each trajectory of a hypothesis first reaches log(1/alpha); else ``inf``."""
    beyond = trajectories[trajectories["log_e"] >= np.log(1 / alpha)]
    first = beyond.groupby(["hypothesis", "trajectory"])["n_items"].min()
    return {
        hypothesis: np.array(
            [first.get((hypothesis, one + 1), np.inf) for one in range(n_trajectories)]
        )
        for hypothesis in HYPOTHESES
    }


def calibrate(
    delta: float,
    n_star: float,
    *,
    horizon: int,
    n_trials: int,
    window: tuple[float, float],
    alpha: float = ALPHA,
    seed: int,
) -> pd.DataFrame:
    """Return how often and when trajectories cross under each hypothesis; else ``inf``."""
    rows = []
    low, high = window
    for hypothesis, name in HYPOTHESES.items():
        cells = hypotheses(delta, n_star)[name]
        result = e_process_calibration(
            *cells,
            horizon,
            alpha=alpha,
            n_trials=n_trials,
            mixture=UNIFORM_98,
            rng=named_rng(seed, f"figure_04/calibration/{hypothesis}"),
        )
        items = result.stopping_items
        rows.append(
            {
                "hypothesis": hypothesis,
                "n_star": n_star,
                "horizon": horizon,
                "n_trials": n_trials,
                "crossed": result.rejection_rate,
                "crossed_se": result.standard_error,
                "before": (items < low).mean(),
                "within": ((items >= low) & (items <= high)).mean(),
                "after": ((items > high) & np.isfinite(items)).mean(),
            }
            | {
                f"stopping_{percent}": np.quantile(items, percent / 100, method="inverted_cdf")
                for percent in (10, 50, 90)
            }
            | {"stopping_mean_to_n_star": np.minimum(items, horizon).mean() / n_star}
        )
    return pd.DataFrame(rows)


def build(calibration: pd.DataFrame, sources: list[Provenance], stopping: Sequence[float]) -> Table:
    """Dress the frame of `calibrate`; `sources` is the figure's, `stopping` the printed means."""
    return Table(
        frame=calibration,
        columns=[
            Column("hypothesis", "Under", as_text),
            Column("crossed", "Crossed, %", _percent, "right"),
            Column("crossed_se", "SE", _percent, "right"),
            Column("before", "Before 1,000, %", _percent, "right"),
            Column("within", "1,000 to 5,000, %", _percent, "right"),
            Column("after", "Later, %", _percent, "right"),
            Column("stopping_10", "Stops at: 10%", as_integer, "right"),
            Column("stopping_50", "median", as_integer, "right"),
            Column("stopping_90", "90%", as_integer, "right"),
            Column("stopping_mean_to_n_star", "mean/N*", as_fixed(2), "right"),
        ],
        caption="Behind Figure 4: when the e-process crosses.",
        provenance=sources,
        notes=[
            f"{_trials(calibration)} under each hypothesis. Stops at: percentiles, in items, and "
            "mean of the stopping time; ∞: not by the last item. Such trials count in the mean as "
            f"{HORIZON} N*, so that it is a lower bound; for the printed {stopping[0]:g} those "
            "under H1 that do not cross would have to stop at "
            f"{_needed(calibration, stopping[0]):.1f} N* on average.",
        ],
    )


def _needed(calibration: pd.DataFrame, mean: float) -> float:
    """Return when, over N*, trials under H1 that do not cross would have to, for a mean."""
    row = calibration.iloc[-1]
    never = 1 - row["crossed"]
    return float(HORIZON + (mean - row["stopping_mean_to_n_star"]) / never)


def caption(
    calibration: pd.DataFrame,
    drawn: Mapping[str, FloatArray],
    window: tuple[float, float],
    printed: Mapping[str, Any],
) -> str:
    """Return the sentences of the caption that tell what is drawn, and what the paper prints."""
    type_1 = " and ".join(map(str, printed["figure_4_type_1"]))
    power = " to ".join(f"{x:.0%}" for x in printed["figure_4_power"])
    under_null, crossed = calibration["crossed"]
    n_drawn = len(drawn["H0"])
    all_below = (1 - under_null) ** n_drawn
    return (
        f"{n_drawn} trajectories under each hypothesis, not selected; shares of "
        f"{_trials(calibration)} ({HORIZON} N*). Printed in the paper's caption, without their "
        f"number or length: under H0 they stay below ({all_below:.0%} of sets of {n_drawn} would), "
        f"under H1 they cross between about {window[0]:,} and {window[1]:,} items (shaded); in its "
        f"Appendix C shares of {type_1} of two pairs' trials cross under H0, {power} under H1 "
        f"({_percent(crossed)}% here, by the last item)."
    )


def _count(crossings: FloatArray, low: float, high: float) -> int:
    """Return how many first crossings lie between two numbers of items."""
    return int(np.count_nonzero((crossings >= low) & (crossings <= high) & np.isfinite(crossings)))


def finding(calibration: pd.DataFrame, alpha: float, stopping: Sequence[float]) -> str:
    """Return what is seen of the trajectories, beside the means of Appendix C, in one sentence."""
    shares, (null, alternative) = percentages(calibration), calibration.to_dict(orient="records")
    return (
        f"Under H1, with the gap, {shares['within']} of {null['n_trials']:,} trials first cross "
        "the threshold in the shaded range, where the paper's caption has its trajectories cross; "
        f"under H0, without a gap, {shares['null']} cross by {null['horizon']:,} items, where at "
        f"most {100 * alpha:g}% may ever. Under H1 a trial stops after "
        f"{alternative['stopping_mean_to_n_star']:.2f} N* on average, at {HORIZON} N* if it has "
        f"not crossed; Appendix C has {' to '.join(map(as_fixed(2), stopping))}."
    )


def percentages(calibration: pd.DataFrame) -> dict[str, str]:
    """Return the share of null trajectories that cross, and when the others do, in per cent."""
    null, alternative = calibration.to_dict(orient="records")
    shares = {
        "null": null["crossed"],
        "never": 1 - alternative["crossed"],
        **{name: alternative[name] for name in ("before", "within", "after")},
    }
    return {name: f"{_percent(share)}%" for name, share in shares.items()}


def _trials(calibration: pd.DataFrame) -> str:
    n_trials, horizon = calibration[["n_trials", "horizon"]].iloc[0]
    return f"{n_trials:,} trials of {horizon:,} items"


def draw(
    trajectories: pd.DataFrame,
    calibration: pd.DataFrame,
    drawn: Mapping[str, FloatArray],
    *,
    window: tuple[float, float],
    alpha: float = ALPHA,
) -> Figure:
    """Draw the trajectories against the number of items, a panel a hypothesis."""
    # The trajectories are pixels in a PDF, for their corners are many.
    figure = new_figure(height=3.6)
    panels = figure.subplots(2, sharex=True, height_ratios=[1, 1.5])
    horizon, n_star = int(calibration["horizon"].iloc[0]), float(calibration["n_star"].iloc[0])
    threshold, first = float(np.log(1 / alpha)), 10
    shares = percentages(calibration)
    n_trials, all_drawn = f"{calibration['n_trials'].iloc[0]:,}", len(drawn["H0"])
    labels = {
        "H0": f"{_count(drawn['H0'], 0, np.inf)} of {all_drawn} crosses (printed: they\n"
        f"stay below); {shares['null']} of {n_trials}",
        "H1": f"{_count(drawn['H1'], *window)} of {all_drawn} first cross where shaded\n"
        f"(printed: they do); of {n_trials}:\n{shares['within']}, {shares['before']} before,\n"
        f"{shares['after']} after, {shares['never']} not",
    }
    for ax, (hypothesis, color) in zip(panels, (("H0", "0.45"), ("H1", BLUE)), strict=True):
        chosen = trajectories[trajectories["hypothesis"] == hypothesis]
        paths = [_path(path, horizon) for _, path in chosen.groupby("trajectory")]
        lines = LineCollection(paths, colors=color, linewidths=0.5, alpha=0.8, rasterized=True)
        ax.add_collection(lines)
        crossing = rf"$\log(1/\alpha) = {threshold:.3f}$"
        ax.axhline(threshold, linestyle="--", linewidth=0.9, label=crossing, **_BLACK)
        fixed = rf"fixed-$n$ $N^{{\ast}} = {n_star:,.0f}$".replace(",", "{,}")
        ax.axvline(n_star, linestyle=":", linewidth=1.0, label=fixed, **_BLACK)
        # Where the trajectories are not: those under H0 fall, those under H1 rise.
        y, va = (0.04, "bottom") if hypothesis == "H0" else (0.97, "top")
        ax.text(0.02, y, labels[hypothesis], transform=ax.transAxes, va=va, fontsize=7)
        low, high = float(chosen["log_e"].min()), float(chosen["log_e"].max())
        ax.set(xscale="log", xlim=(first, horizon), ylim=(low - 0.8, max(high, threshold) + 1.5))
        ax.set_ylabel(rf"$\log\,e_n$ under $H_{hypothesis[1]}$")
    panels[1].axvspan(*window, color="0.9", zorder=0)
    panels[1].set_xlabel("items $n$")
    panels[1].set_xticks([first, 100, *window], [f"{n:,}" for n in (first, 100, *window)])
    figure.align_ylabels()
    handles, _ = panels[0].get_legend_handles_labels()
    figure.legend(handles=handles, loc="outside upper center", ncols=2, handlelength=1.6)
    return figure


def _path(trajectory: pd.DataFrame, horizon: int) -> np.ndarray:
    """Corners of one trajectory, steps from 0 at no items to the horizon."""
    n, log_e = trajectory["n_items"].to_numpy(), trajectory["log_e"].to_numpy()
    # Between discordant items it stays where it is.
    return np.column_stack([[0, *np.repeat(n, 2), horizon], np.repeat([0.0, *log_e], 2)])
