"""Figure 5: power of the paired bootstrap on synthetic 0/1 pairs (Appendix B)."""

from __future__ import annotations

import pandas as pd

from kotawala2026.exhibits._power_curves import exhibit, present, tabulate
from kotawala2026.simulations.figure_05 import chunks
from llm_power._report.tables import Table
from replication.exhibits import Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 5, the table of its curves, and their points."""
    settings, seed = inputs.settings, inputs.numbers["seed"]
    tolerance = settings["figure_5_tolerance"]
    curves = inputs.simulated(chunks(settings, inputs.numbers))
    frame = tabulate(curves.values(), tolerance=tolerance)
    table = build(frame, tolerance=tolerance, seed=seed)
    title = "Bootstrap power, 0/1 scores"
    return exhibit(table, frame, title=title, symbol=r"\delta", tolerance=tolerance)


def build(frame: pd.DataFrame, *, tolerance: float, seed: int) -> Table:
    """Dress the curves of `tabulate`, one row each; the arguments are those they were made with."""
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
