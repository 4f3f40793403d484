"""Figure 5: power of the paired bootstrap on synthetic 0/1 pairs (Appendix B)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from kotawala2026.exhibits._power_curves import exhibit, present, sizes_about, tabulate
from llm_power.report.tables import Table
from llm_power.statistics.paired_binary import required_n_paired_binary
from llm_power.statistics.power_curves import PowerCurve, Reference, bernoulli_power_curve
from replication.exhibits import Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 5, the table of its curves, and their points."""
    settings, seed = inputs.settings, inputs.numbers["seed"]
    tolerance = settings["figure_5_tolerance"]
    frame = compute(
        settings["figure_5_p_a"],
        settings["figure_5_deltas"],
        settings["figure_5_rho"],
        n_reference=settings["figure_5_population"],
        n_trials=inputs.numbers["n_trials"],
        tolerance=tolerance,
        seed=seed,
    )
    table = build(frame, tolerance=tolerance, seed=seed)
    title = "Bootstrap power, 0/1 scores"
    return exhibit(table, frame, title=title, symbol=r"\delta", tolerance=tolerance)


def compute(
    p_a: float,
    deltas: Sequence[float],
    rho: float,
    *,
    n_reference: int,
    n_trials: int,
    tolerance: float,
    seed: int,
) -> pd.DataFrame:
    """Simulate the curves of Figure 5, against an expected and against a drawn reference.

    Parameters
    ----------
    p_a : float
        Accuracy of model A.
    deltas : sequence of float
        Gaps, A minus B.
    rho : float
        Correlation of the 0/1 scores.
    n_reference : int
        Items of the reference score matrix.
    n_trials : int
        Trials a size.
    tolerance : float
        Largest relative distance from N* that the paper states, for ``drawn_within``.
    seed : int
        Seed; each reference and size has its stream by name.

    Returns
    -------
    DataFrame
        One row a reference ("expected" or "drawn"), gap and size: ``n_items``, ``power``,
        ``power_se``; and the same in all rows of a curve: ``n_star`` of eq. (6),
        ``reference_delta``, ``reference_rho`` and ``reference_n_star`` of the reference
        itself, ``crossing`` (items at which the curve reaches the target power) and
        ``crossing_se``, ``crossing_to_n_star`` and its ``_se``, ``crossing_to_reference``, and
        ``drawn_within``, the probability that the N* of a drawn reference is within
        `tolerance` of ``n_star``.

    Raises
    ------
    InvalidArgument
        As `llm_power.statistics.power_curves.bernoulli_power_curve`.

    Notes
    -----
    The test decides as with infinitely many resamples, whose number the paper does not state.
    """

    def curve(reference: Reference, delta: float) -> PowerCurve:
        n_star = required_n_paired_binary(p_a, p_a - delta, rho)
        return bernoulli_power_curve(
            p_a,
            delta,
            rho,
            sizes_about(float(n_star)),
            reference=reference,
            n_reference=n_reference,
            n_trials=n_trials,
            n_resamples=None,
            seed=seed,
        )

    return tabulate(curve, deltas, n_trials=n_trials, n_reference=n_reference, tolerance=tolerance)


def build(frame: pd.DataFrame, *, tolerance: float, seed: int) -> Table:
    """Dress the curves of `compute`, one row each; the arguments are those it was made with."""
    return present(
        frame,
        caption="Behind Figure 5: where the bootstrap reaches its target power on 0/1 pairs.",
        gap="δ",
        claim=f"Appendix B: the bootstrap crosses the target within {100 * tolerance:g}% of N*.",
        notes=[
            "The figure shows the expected reference: its four cells hold the counts expected "
            "at the nominal parameters, rounded to whole items. Resamples: infinitely many."
        ],
        tolerance=tolerance,
        seed=seed,
    )
