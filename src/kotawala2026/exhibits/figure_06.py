"""Figure 6: power of the paired bootstrap on graded pairs from Beta(4, 2) (Appendix B)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from kotawala2026.exhibits import _power_curves
from kotawala2026.exhibits._power_curves import REFERENCES, sizes_about
from llm_power.report.tables import Table
from llm_power.statistics.graded_pairs import graded_difference_variance
from llm_power.statistics.inversion import required_n
from llm_power.statistics.power_curves import graded_power_curve
from replication.exhibits import Drawing, Exhibit, Inputs
from replication.stages import csv_text


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 6, the table of its curves, and their points."""
    settings, seed = inputs.settings, inputs.numbers["seed"]
    tolerance = settings["figure_6_tolerance"]
    frame = compute(
        settings["figure_6_deltas"],
        settings["figure_5_rho"],
        n_reference=settings["figure_5_population"],
        n_trials=inputs.numbers["n_trials"],
        n_resamples=inputs.numbers["n_resamples"],
        tolerance=tolerance,
        seed=seed,
        **inputs.point,
    )
    table = build(frame, tolerance=tolerance, seed=seed)
    drawing = Drawing(
        "Bootstrap power, graded scores",
        table.provenance,
        lambda: draw(frame, power=inputs.point["power"]),
    )
    return Exhibit(table, drawing, files={"_points.csv": csv_text(frame)})


def compute(
    deltas: Sequence[float],
    rho_z: float,
    *,
    n_reference: int,
    n_trials: int,
    n_resamples: int,
    tolerance: float,
    alpha: float = 0.05,
    power: float = 0.80,
    seed: int,
) -> pd.DataFrame:
    """Simulate the curves of Figure 6, against an expected and against a drawn reference.

    Parameters
    ----------
    deltas : sequence of float
        How much lower model B's mean score is than A's.
    rho_z : float
        Latent correlation of the two scores, which the paper does not state.
    n_reference : int
        Items of the reference score matrix.
    n_trials, n_resamples : int
        Trials a size and resamples a trial.
    tolerance : float
        Largest relative distance from N* that the paper states, for ``drawn_within``.
    alpha, power : float
        Two-sided level and target power.
    seed : int
        Seed; each reference and size has its stream by name.

    Returns
    -------
    DataFrame
        As of `kotawala2026.exhibits.figure_05.compute`, with ``n_star`` of eq. (3).

    Raises
    ------
    InvalidArgument
        As `llm_power.statistics.power_curves.graded_power_curve`.
    """
    curves = [
        (
            reference,
            graded_power_curve(
                delta,
                rho_z,
                sizes_about(_population_n_star(delta, rho_z, alpha, power)),
                reference=reference,
                n_reference=n_reference,
                n_trials=n_trials,
                n_resamples=n_resamples,
                alpha=alpha,
                power=power,
                seed=seed,
            ),
        )
        for reference in REFERENCES
        for delta in deltas
    ]
    frame = _power_curves.tabulate(
        curves,
        n_trials=n_trials,
        n_reference=n_reference,
        tolerance=tolerance,
        alpha=alpha,
        power=power,
    )
    return frame.assign(rho_z=rho_z, n_resamples=n_resamples)


def build(frame: pd.DataFrame, *, tolerance: float, seed: int) -> Table:
    """Dress the curves of `compute`, one row each; the arguments are those it was made with."""
    return _power_curves.present(
        frame,
        caption="Behind Figure 6: where the bootstrap reaches its target power on graded pairs.",
        gap="Δμ",
        claim="Figure 6: the bootstrap tracks the paired-t required N within "
        f"±{100 * tolerance:g}%.",
        notes=[
            "The figure shows the expected reference: equidistributed quantiles of the two "
            "scores. The paper states neither the correlation nor how the means differ: here "
            f"the latent correlation is {frame['rho_z'].iloc[0]:g}, and B keeps A's concentration "
            f"of 6 at a lower mean. {frame['n_resamples'].iloc[0]:,} resamples a trial."
        ],
        tolerance=tolerance,
        seed=seed,
    )


def draw(frame: pd.DataFrame, *, power: float = 0.80) -> Figure:
    """Draw the curves of `compute` against the expected reference.

    Parameters
    ----------
    frame : DataFrame
        From `compute`.
    power : float, default 0.80
        Target power.

    Returns
    -------
    Figure
        One column wide. Dashed verticals are N* of eq. (3); the standard errors of the
        points are smaller than their markers.
    """
    return _power_curves.draw(frame, symbol=r"\Delta\mu", power=power)


def _population_n_star(delta: float, rho_z: float, alpha: float, power: float) -> float:
    sigma_d = graded_difference_variance(delta, rho_z) ** 0.5
    return float(required_n(delta, sigma_d, alpha=alpha, power=power))
