"""Figure 1: power against the difference in accuracy, simulated as in Listing 1, and summed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_args

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from llm_power._provenance import Provenance
from llm_power._report.figures import new_figure
from llm_power._statistics.mcnemar import McNemarDesign
from llm_power.simulation._tasks import BinaryClassificationTask, NamedAgreement, agreement_rate
from replication.exhibits import Drawing, Exhibit, Inputs

AGREEMENTS: Final = ("lowest", "independent", "highest")
# From the smallest N to the largest.
_SHADES: Final = ("#9CBFE0", "#6FA3D0", "#3C86BD", "#0A5F95", "#00263D")
_MARKERS: Final = ("o", "s", "^", "D", "v")


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 1."""
    settings, seed = inputs.settings, inputs.numbers["seed"]
    frame = figure_01(settings, seed)
    source = [
        Provenance.published("Listing 1"),
        Provenance.simulated(seed=seed, trials=settings["iterations"]),
    ]
    highest = frame[(frame["agreement"] == "highest") & (frame["power"] >= settings["power"])]
    reached = highest.groupby("n")["gap_pp"].min()
    caption = (
        f"Power of McNemar's asymptotic test at a base accuracy of {settings['acc_a']:g}, by N. "
        "Markers: simulated, by the call of Listing 1; lines: exact, the sum over all tables. "
        "Listing 1 does not state the agreement: the panels have the lowest that the two "
        "accuracies admit, that of independent answers, and the highest. Only the highest reaches "
        f"{settings['power']:.0%}, "
        + ", ".join(f"with N = {n} from {gap:.1f} points" for n, gap in reached.items())
        + "."
    )
    return Exhibit(
        frame,
        Drawing(
            "Power and the difference in accuracy",
            source,
            lambda: draw(frame, settings["power"]),
            caption,
            f"Only the highest possible agreement reaches {settings['power']:.0%} power, with "
            f"{' or '.join(map(str, reached.index))} items.",
        ),
    )


def figure_01(settings: Mapping[str, Any], seed: int) -> pd.DataFrame:
    """Curves of Figure 1: power of Listing 1 as the sum over all tables, and simulated."""
    first, last, number = settings["acc_b"]
    tables = []
    for agreement in get_args(NamedAgreement):
        task = BinaryClassificationTask(
            acc_a=settings["acc_a"],
            acc_b=np.linspace(first, last, int(number)),
            dataset_size=settings["dataset_size"],
            agreement=agreement,
            seed=seed,
        )
        report = task.compute_power(iterations=settings["iterations"], alpha=settings["alpha"])
        tables.append(report.table.assign(agreement=agreement))
    table = pd.concat(tables, ignore_index=True)
    rates = list(map(agreement_rate, table["agreement"], table["acc_b"], table["acc_a"]))
    sums = [
        _summed(int(n), b, a, rate, settings["alpha"])
        for n, b, a, rate in zip(
            table["dataset_size"], table["acc_b"], table["acc_a"], rates, strict=True
        )
    ]
    return pd.DataFrame(
        {
            "agreement": table["agreement"],
            "rate": rates,
            "n": table["dataset_size"],
            "acc_b": table["acc_b"],
            "gap_pp": 100 * table["gap"],
            "power": sums,
            "simulated": table["power"],
            "standard_error": table["standard_error"],
        }
    )


def _summed(n: int, p_a: float, p_b: float, rate: float, alpha: float) -> float:
    gap, discordant = p_a - p_b, 1 - rate
    if discordant < 1e-12:
        return 0.0
    only_a, only_b = (max((discordant + sign * gap) / 2, 0.0) for sign in (1, -1))
    return float(McNemarDesign(only_a, only_b, "asymptotic", alpha).power(n))


def draw(frame: pd.DataFrame, target: float) -> Figure:
    """Draw the curves of `figure_01`, a panel for each agreement."""
    figure = new_figure(height=2.6, wide=True)
    axes = figure.subplots(1, len(AGREEMENTS), sharey=True)
    for ax, agreement in zip(axes, AGREEMENTS, strict=True):
        panel = frame[frame["agreement"] == agreement]
        for shade, marker, (_, one) in zip(_SHADES, _MARKERS, panel.groupby("n"), strict=True):
            ax.plot(one["gap_pp"], one["power"], color=shade)
            ax.plot(one["gap_pp"], one["simulated"], marker, color=shade, markersize=3)
        ax.axhline(target, color="0.2", linestyle="--", linewidth=0.8)
        ax.set_title(
            {"independent": "independent answers"}.get(agreement, f"{agreement} agreement")
        )
        ax.set(xlabel="difference in accuracy (points)", ylim=(0, 1.02))
    axes[0].set_ylabel("power")
    looks = zip(sorted(frame["n"].unique()), _SHADES, _MARKERS, strict=True)
    handles = [
        Line2D([], [], color=shade, marker=marker, markersize=3, label=f"$N$ = {n}")
        for n, shade, marker in looks
    ]
    figure.legend(
        handles=handles,
        loc="outside upper center",
        ncols=len(handles),
        title="lines: exact; markers: simulated",
        title_fontsize=7,
    )
    return figure
