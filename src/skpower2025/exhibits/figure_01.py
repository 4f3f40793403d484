"""Figure 1: power against the difference in accuracy, over every admissible agreement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from llm_power.provenance import Provenance
from llm_power.report.figures import new_figure
from llm_power.statistics.exact_required_n import mcnemar_power
from replication.exhibits import Drawing, Exhibit, Inputs

_SHADES = ("#B3CDE3", "#8CB3D6", "#5F98C6", "#0072B2", "#003A5C")


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 1."""
    frame = figure_01(inputs.settings)
    reached = frame[frame["power_highest"] >= inputs.settings["power"]]
    first = reached.groupby("n")["gap_pp"].min().to_dict()
    caption = (
        "Exact McNemar power of Listing 1 at accuracy 0.70 and a difference of up to 5 points, by "
        "N. Lines: the lowest and the highest agreement that the accuracies admit; the paper does "
        "not say which it takes. At the highest, 80% is reached "
        + ", ".join(f"with N = {n} from {gap:.1f} points" for n, gap in first.items())
        + "; at the lowest by no N."
    )
    source = [Provenance.published("Listing 1")]
    return Exhibit(
        frame,
        Drawing(
            "Power and the difference in accuracy",
            source,
            lambda: draw(frame, inputs.settings["power"]),
            caption,
        ),
    )


def figure_01(settings: Mapping[str, Any]) -> pd.DataFrame:
    """Curves of Figure 1.

    Parameters
    ----------
    settings : mapping
        ``acc_a``, ``acc_b`` (first, last, number), ``dataset_size`` and ``alpha`` of Listing 1.

    Returns
    -------
    DataFrame
        One row an N and a difference: ``n``, ``acc_b``, ``gap_pp``, the ends of the admissible
        agreement, ``agreement_lowest`` and ``agreement_highest``, and the exact power of
        McNemar's test there.
    """
    first, last, number = settings["acc_b"]
    a, rows = settings["acc_a"], []
    for n in settings["dataset_size"]:
        for b in np.linspace(first, last, int(number)):
            # Both right, at least and at most; both wrong follow.
            ends = (max(0.0, a + b - 1), min(a, b))
            powers = [
                mcnemar_power(n, a - both, b - both, alpha=settings["alpha"])
                if a + b > 2 * both
                else 0.0
                for both in ends
            ]
            agreements = [1 - a - b + 2 * both for both in ends]
            rows.append((n, b, 100 * (b - a), *agreements, *powers))
    names = ["agreement_lowest", "agreement_highest", "power_lowest", "power_highest"]
    return pd.DataFrame(rows, columns=["n", "acc_b", "gap_pp", *names])


def draw(frame: pd.DataFrame, target: float) -> Figure:
    """Draw the curves of `figure_01`.

    Parameters
    ----------
    frame : DataFrame
        From `figure_01`.
    target : float
        Power of the dashed line.

    Returns
    -------
    Figure
        One column wide.
    """
    figure = new_figure(height=2.7)
    ax = figure.subplots()
    for shade, (n, one) in zip(_SHADES, frame.groupby("n"), strict=True):
        ax.plot(one["gap_pp"], one["power_highest"], color=shade, label=f"$N$ = {n}")
        ax.plot(one["gap_pp"], one["power_lowest"], color=shade, linestyle=":")
    ax.axhline(target, color="0.2", linestyle="--", linewidth=0.8)
    ax.set(xlabel="difference in accuracy (points)", ylabel="power", ylim=(0, 1.02))
    ax.plot([], [], color="0.4", label="highest agreement")
    ax.plot([], [], color="0.4", linestyle=":", label="lowest agreement")
    figure.legend(loc="outside upper center", ncols=3, columnspacing=1.2, handlelength=1.6)
    return figure
