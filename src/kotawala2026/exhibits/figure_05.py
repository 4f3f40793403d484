"""Figure 5: power of the paired bootstrap on synthetic 0/1 pairs (Appendix B)."""

from __future__ import annotations

from kotawala2026.exhibits._power_curves import power_figure, tabulate
from kotawala2026.simulations import figure_05
from replication.exhibits import Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 5, the table of its curves, and their points."""
    tolerance = inputs.settings["figure_5_tolerance"]
    curves = inputs.simulated(figure_05(inputs.settings, inputs.numbers))
    return power_figure(
        tabulate(curves.values(), tolerance=tolerance),
        title="Bootstrap power, 0/1 scores",
        gap="δ",
        symbol=r"\delta",
        behind="Behind Figure 5: where the bootstrap reaches its target power on 0/1 pairs.",
        formula="eq. (6)",
        notes=[
            "The exact pool: four cells with the counts expected at these "
            "parameters, rounded to whole items."
        ],
        population="Pairs of 0/1 scores: "
        f"p_A = {inputs.settings['figure_5_p_a']:g}, p_B lower by δ, "
        f"correlation of the scores ρ = {inputs.settings['figure_5_rho']:g} (printed: about that, "
        "by a latent Gaussian copula).",
        resamples="infinitely many",
        tolerance=tolerance,
        seed=inputs.numbers["seed"],
    )
