"""Figure 1: what pairing gains over the unpaired formula, against the correlation."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from kotawala2026.exhibits._gain import gain_of_pairing
from kotawala2026.labels import pair_labels, task_label
from llm_power.report.figures import BLUE, new_figure
from replication.exhibits import Drawing, Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 1."""
    frame = figure_01(inputs.verdicts("oll_v1"))
    title = "Gain of the paired over the unpaired formula"
    return Exhibit(frame, Drawing(title, inputs.provenance(), lambda: draw(frame)))


def figure_01(verdicts: pd.DataFrame) -> pd.DataFrame:
    r"""Circles of Figure 1.

    Parameters
    ----------
    verdicts : DataFrame
        Verdict table of the board, all pairs of all tasks.

    Returns
    -------
    DataFrame
        One row a pair: ``task``, ``pair``, ``rho``, ``gain`` = N*_Miller / N*, ``textbook`` =
        1/(1 - rho) and ``residual`` = gain - textbook.

    Notes
    -----
    The gain is 1/(1 - rho) where :math:`p_A q_A = p_B q_B`.
    """
    gain, rho = gain_of_pairing(verdicts), verdicts["rho"].to_numpy()
    return pd.DataFrame(
        {
            "task": [task_label(task) for task in verdicts["task"]],
            "pair": pair_labels(verdicts),
            "rho": rho,
            "gain": gain,
            "textbook": 1 / (1 - rho),
            "residual": gain - 1 / (1 - rho),
        }
    )


def draw(frame: pd.DataFrame) -> Figure:
    """Draw the frame of `figure_01`: open circles, and the textbook curve dashed."""
    figure = new_figure(height=2.5)
    ax = figure.subplots()
    low, high = float(frame["rho"].min()), float(frame["rho"].max())
    margin = 0.05 * (high - low)
    rho = np.linspace(low - margin, min(high + margin, 0.995), 200)
    ax.plot(rho, 1 / (1 - rho), color="0.2", linestyle="--", label=r"$1/(1-\rho)$", zorder=1)
    ax.scatter(
        frame["rho"],
        frame["gain"],
        s=20,
        facecolors="none",
        edgecolors=BLUE,
        linewidths=0.9,
        label=f"{len(frame)} pairs",
        zorder=2,
    )
    median = float(frame["gain"].median())
    ax.axhline(median, color="0.6", linewidth=0.7, linestyle=":", zorder=0)
    ax.annotate(
        f"median {median:.2f}×",
        (0.0, median),
        xycoords=("axes fraction", "data"),
        xytext=(3, 2),
        textcoords="offset points",
        fontsize=7,
        color="0.35",
    )
    ax.set_xlabel(r"correlation $\hat\rho$ of the pair")
    ax.set_ylabel(r"$N^*_{\mathrm{Miller}} \,/\, N^*_{\mathrm{paired}}$")
    ax.grid(which="major")
    ax.legend(loc="upper left", handletextpad=0.5)
    return figure
