"""The curves of Figure 6: power of the paired bootstrap on graded pairs (Appendix B)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kotawala2026.simulations._power_curves import (
    PowerCurve,
    Reference,
    chunks_of,
    graded_power_curve,
    sizes_about,
)
from llm_power.statistics.graded_pairs import graded_difference_variance
from llm_power.statistics.inversion import required_n
from replication.simulations import Chunks


def chunks(settings: Mapping[str, Any], numbers: Mapping[str, int]) -> Chunks:
    """Return what simulates each curve of Figure 6, with N* of eq. (3)."""
    # The paper does not state the latent correlation: that of Figure 5.
    rho_z, n_reference = settings["figure_5_rho"], settings["figure_5_population"]
    n_trials = numbers["n_trials"]

    def curve(reference: Reference, delta: float) -> PowerCurve:
        sigma_d = graded_difference_variance(delta, rho_z) ** 0.5
        return graded_power_curve(
            delta,
            rho_z,
            sizes_about(float(required_n(delta, sigma_d))),
            reference=reference,
            n_reference=n_reference,
            n_trials=n_trials,
            n_resamples=numbers["n_resamples"],
            seed=numbers["seed"],
        )

    deltas = settings["figure_6_deltas"]
    return chunks_of(curve, deltas, n_trials=n_trials, n_reference=n_reference)
