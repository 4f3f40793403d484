"""Figure 6: power of the paired bootstrap on graded pairs from Beta(4, 2) (Appendix B)."""

from __future__ import annotations

from kotawala2026.exhibits._power_curves import power_figure, tabulate
from kotawala2026.simulations import figure_06, graded_pairs
from llm_power._statistics.paired_bootstrap import bootstrap_power
from llm_power._statistics.random_streams import named_rng
from replication.exhibits import Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Make Figure 6, the table of its curves, and their points."""
    tolerance, rho_z = (inputs.settings[name] for name in ("figure_6_tolerance", "figure_5_rho"))
    n_resamples, seed = inputs.numbers["n_resamples"], inputs.numbers["seed"]
    curves = inputs.simulated(figure_06(inputs.settings, inputs.numbers))
    frame = tabulate(curves.values(), tolerance=tolerance)
    steepest, few = frame["delta"].max(), int(frame["n_items"].min())
    no_gap = bootstrap_power(
        *graded_pairs(0.0, rho_z).expected(int(frame["n_reference"].iloc[0])),
        few,
        n_trials=int(frame["n_trials"].iloc[0]),
        n_resamples=n_resamples,
        rng=named_rng(seed, f"figure_06/no_gap/{few}"),
    )
    return power_figure(
        frame.assign(rho_z=rho_z, n_resamples=n_resamples),
        title="Bootstrap power, graded scores",
        gap="Δμ",
        symbol=r"\Delta\mu",
        behind="Behind Figure 6: where the bootstrap reaches its target power on graded pairs.",
        formula="paired t, eq. (3); the bound is the caption's, the text has a range up to it",
        notes=[
            "The exact pool: equidistributed quantiles of the two scores. At "
            f"{few} items the percentile bootstrap rejects {100 * no_gap.power:.0f}% without a "
            f"gap, which is why the curve of Δμ = {steepest:g} starts flat."
        ],
        population="Graded pairs: A's scores are Beta(4, 2), B's a beta distribution with the same "
        f"concentration and a mean lower by Δμ; latent correlation {rho_z:g} (the paper repeats "
        "Figure 5's exercise, and does not print B's distribution).",
        resamples=f"{n_resamples:,}",
        tolerance=tolerance,
        seed=seed,
    )
