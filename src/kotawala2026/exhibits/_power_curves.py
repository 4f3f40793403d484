"""What Figures 5 and 6 share: curves of power against n, and where they meet the target."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import NullFormatter
from scipy.special import ndtr, ndtri

from kotawala2026.exhibits._marks import handle, note
from kotawala2026.operating_point import DECLARED, POWER, K
from llm_power._errors import InvalidArgument
from llm_power._provenance import Provenance
from llm_power._report.figures import LINE_COLORS, new_figure
from llm_power._report.tables import Column, Table, as_fixed, as_integer, as_text
from llm_power._statistics.arrays import FloatArray, IntArray
from replication.exhibits import Drawing, Exhibit
from replication.stages import csv_text

_SHOWN_AS: Final = {"expected": "exact pool", "drawn": "random pool"}
_MARKERS: Final = ("o", "s", "^")
_CROSS: Final[dict[str, Any]] = {
    "marker": "x",
    "markersize": 4.5,
    "color": "black",
    "linestyle": "",
    "zorder": 4,
}
_POINTS: Final[dict[str, Any]] = {
    "markersize": 3.0,
    "linewidth": 0.9,
    "elinewidth": 0.7,
    "capsize": 2.2,
    "capthick": 0.7,
}


def tabulate(curves: Iterable[pd.DataFrame], *, tolerance: float) -> pd.DataFrame:
    """Return the points of all curves, and where each meets the target."""
    return pd.concat([_with_crossing(curve, tolerance) for curve in curves], ignore_index=True)


def crossing_point(
    n_items: IntArray, power: FloatArray, target: float, n_trials: int
) -> tuple[float, float]:
    """Return where a curve of shape (n_sizes,) reaches the target power, and its standard error."""
    # By eq. (2) the normal quantile of the power is linear in the root of n: interpolated on that
    # scale. The error is the delta method's.
    below = np.flatnonzero(power < target)
    if below.size in (0, power.size) or below[-1] == power.size - 1:
        raise InvalidArgument(f"power must cross {target!r} inside the sizes, got {power!r}")
    ends = slice(below[-1], below[-1] + 2)
    roots = np.sqrt(n_items[ends])
    # A share of 1 has no normal quantile: half a trial short of it.
    shares = np.clip(power[ends], 0.5 / n_trials, 1 - 0.5 / n_trials)
    quantiles = ndtri(shares)
    density = np.exp(-np.square(quantiles) / 2) / np.sqrt(2 * np.pi)
    errors = np.sqrt(shares * (1 - shares) / n_trials) / density
    slope = (quantiles[1] - quantiles[0]) / (roots[1] - roots[0])
    weight = (ndtri(target) - quantiles[0]) / (quantiles[1] - quantiles[0])
    root = roots[0] + weight * (roots[1] - roots[0])
    error = np.hypot((1 - weight) * errors[0], weight * errors[1]) / slope
    return float(root**2), float(2 * root * error)


def curves_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return one row a curve of `tabulate`: the columns that its points share."""
    repeated = [name for name in frame if name not in ("n_items", "power", "power_se")]
    return frame[repeated].drop_duplicates().reset_index(drop=True)


def power_figure(
    frame: pd.DataFrame,
    *,
    title: str,
    gap: str,
    symbol: str,
    behind: str,
    formula: str,
    notes: Sequence[str],
    population: str,
    resamples: str,
    tolerance: float,
    seed: int,
) -> Exhibit:
    """Return the figure of the curves of `tabulate`, the table of where each meets the target.

    `behind` says what the table is of, `formula` what N* is.
    """
    curves = curves_of(frame)
    expected, drawn = (
        curves[curves["reference"] == kind].sort_values("delta") for kind in ("expected", "drawn")
    )
    # In units of N* the curves have one slope, by eq. (2), and so one error; those of single curves
    # follow the luck of the two points next to the crossing.
    pooled = float(np.sqrt(np.square(expected["crossing_to_n_star_se"]).mean()))
    by_little, own_by_little = (
        _by_little(curve["delta"], curve[name], error, tolerance, gap)
        for curve, name, error in (
            (expected, "crossing_to_n_star", pooled),
            (drawn, "crossing_to_reference", drawn["crossing_se"] / drawn["reference_n_star"]),
        )
    )
    error = float(np.abs(expected["reference_delta"] / expected["delta"] - 1).max())
    off = f" to within {100 * error:.1g}%" if error else ""
    within, of_drawn, of_own = (
        int(np.count_nonzero(np.abs(ratio - 1) <= tolerance))
        for ratio in (
            expected["crossing_to_n_star"],
            drawn["crossing_to_n_star"],
            drawn["crossing_to_reference"],
        )
    )
    every = float(np.prod(expected["drawn_within"].to_numpy()))
    n_reference, n_trials = (int(curves[name].iloc[0]) for name in ("n_reference", "n_trials"))
    table = Table(
        frame=curves,
        columns=[
            Column("reference", "Pool", _SHOWN_AS.__getitem__),
            Column("delta", gap, as_text, "right"),
            Column("n_star", "N*", as_fixed(1), "right", "$N^{*}$"),
            Column("reference_n_star", "Pool's N*", as_fixed(1), "right"),
            Column("crossing", f"Items at power {POWER:g}", as_fixed(1), "right"),
            Column("crossing_se", "SE", as_integer, "right"),
            Column("crossing_to_n_star", "Ratio to N*", as_fixed(3), "right", "Ratio to $N^{*}$"),
            Column("crossing_to_n_star_se", "SE", as_fixed(3), "right"),
            Column("crossing_to_reference", "Ratio to pool's N*", as_fixed(3), "right"),
        ],
        caption=behind,
        provenance=[Provenance.simulated(seed=seed, trials=n_trials, unit="trials a point")],
        notes=[
            f"An exact pool has this gap{off}; a random one is drawn itself, and has a gap and an "
            "N* of its own.",
            *notes,
            "SE: Monte Carlo error, by the slope between the two sizes about the target, which is "
            "noisy: of one curve it can be half or twice the right one. The figure's caption pools "
            "it over the gaps.",
        ],
    )
    caption = (
        f"{population} Power of the paired bootstrap against the number of items, with standard "
        f"errors; {n_trials:,} trials a point, resamples: {resamples}. Printed: the crossings of "
        f"{POWER:g} are within {100 * tolerance:g}% of N* (dashed, shaded; {formula}). Curves "
        f"and rings: a pool with the exact gap (pooled Monte Carlo SE of a ring {pooled:.3f} N*); "
        "crosses: a random pool, whose curve is not drawn. The paper does not say which pool it "
        "uses. Share of random pools: gap assumed normal, crossings at the pool's own N*. "
        "Crossings are interpolated linearly in √n and the normal quantile of the power. "
        f"{DECLARED}"
    )
    finding = (
        f"Whether power reaches {POWER:g} within {100 * tolerance:g}% of N*, as printed, depends "
        f"on the pool of {n_reference:,} items from which each trial draws. Pools with exactly the "
        f"stated gap do at {within} of {len(expected)} gaps{by_little}. Of random pools, one for "
        f"each gap, all {len(expected)} do in about {100 * every:.0f}% of cases; those drawn here "
        f"(crosses) do at {of_drawn}, but at {of_own} of {len(expected)} are within "
        f"{100 * tolerance:g}% of their own N*{own_by_little}."
        if within != of_drawn
        else f"Power reaches {POWER:g} within {100 * tolerance:g}% of N* at {within} of "
        f"{len(expected)} gaps{by_little}, whether the pool of {n_reference:,} items has the "
        "stated gap or is a random sample."
    )
    return Exhibit(
        table,
        Drawing(title, table.provenance, lambda: draw(frame, symbol, tolerance), caption, finding),
        files={"_points.csv": csv_text(frame)},
    )


def draw(frame: pd.DataFrame, symbol: str, tolerance: float) -> Figure:
    """Draw power against n, with N* of each gap and a band of `tolerance` around it."""
    figure = new_figure(height=2.9)
    ax = figure.subplots()
    shown = frame[frame["reference"] == "expected"]
    gaps = sorted(shown["delta"].unique(), reverse=True)
    handles: list[Any] = []
    for gap, color, marker in zip(gaps, LINE_COLORS, _MARKERS, strict=False):
        curve = shown[shown["delta"] == gap]
        n_star, crossing, multiple = (
            float(curve[name].iloc[0]) for name in ("n_star", "crossing", "crossing_to_n_star")
        )
        label = f"${symbol} = {gap:.2f}$"
        looks: dict[str, Any] = {"color": color, "label": label, "marker": marker} | _POINTS
        points = (curve["n_items"], curve["power"], curve["power_se"])
        handles.append(ax.errorbar(*points, **looks))
        ax.axvspan(
            n_star * (1 - tolerance), n_star * (1 + tolerance), color=color, alpha=0.2, linewidth=0
        )
        ax.axvline(n_star, color=color, linestyle="--", linewidth=0.7)
        ax.plot(crossing, POWER, "o", markersize=6, fillstyle="none", color="black", zorder=4)
        note(ax, rf"${multiple:.3f}\,N^{{\ast}}$", (crossing, POWER), (-5, 4), ha="right")
        mark = rf"$N^{{\ast}} = {n_star:,.0f}$".replace(",", "{,}")
        note(ax, mark, (n_star * (1 + tolerance), 0.03), (2, 0), rotation=90, va="bottom")
    ax.axhline(POWER, color="0.3", linestyle=":", linewidth=0.8)
    drawn = frame.loc[frame["reference"] == "drawn", "crossing"].unique()
    (cross,) = ax.plot(drawn, [POWER] * len(drawn), label=_SHOWN_AS["drawn"], **_CROSS)
    ax.set(xscale="log", ylim=(0, 1.03), xlabel="items $n$", ylabel="power of the bootstrap")
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_yticks(np.linspace(0, 1, 6))
    hollow = {"color": "black", "marker": "o", "fillstyle": "none", "linestyle": ""}
    ring = handle(_SHOWN_AS["expected"], **hollow)
    band = Patch(color="0.8", label=f"printed ±{100 * tolerance:g}%")
    # Column by column: the first two curves stand above what marks every curve.
    figure.legend(
        handles=[*handles[:1], ring, *handles[1:2], cross, *handles[2:], band],
        loc="outside upper center",
        ncols=3,
        handlelength=1.6,
        columnspacing=1.2,
    )
    return figure


def _by_little(
    gaps: pd.Series, ratio: pd.Series, error: pd.Series | float, tolerance: float, gap: str
) -> str:
    """Name the gaps at which a crossing is within the tolerance by less than its error."""
    spare = tolerance - np.abs(ratio - 1)
    barely = gaps[(spare >= 0) & (spare < error)]
    listed = " and ".join(f"{x:g}" for x in barely)
    return f" (at {gap} = {listed} with less than a standard error to spare)" if listed else ""


def _with_crossing(curve: pd.DataFrame, tolerance: float) -> pd.DataFrame:
    shared = curve.iloc[0]
    n_star = shared["n_star"]
    sizes, power = curve["n_items"].to_numpy(), curve["power"].to_numpy()
    crossing, error = crossing_point(sizes, power, POWER, shared["n_trials"])
    return curve.assign(
        crossing=crossing,
        crossing_se=error,
        crossing_to_n_star=crossing / n_star,
        crossing_to_n_star_se=error / n_star,
        crossing_to_reference=crossing / shared["reference_n_star"],
        drawn_within=_share_of_references(
            shared["delta"], n_star, shared["n_reference"], tolerance
        ),
    )


def _share_of_references(delta: float, n_star: float, n_reference: int, tolerance: float) -> float:
    """Probability that a drawn reference's N* is within `tolerance` of the population's."""
    variance = n_star * delta**2 / K
    error = np.sqrt(variance / n_reference)
    # N* goes with 1/gap^2, its variance being known much better than the gap.
    edges = delta / np.sqrt(1 + np.array([-tolerance, tolerance]))
    return float(np.subtract(*ndtr((edges - delta) / error)))
