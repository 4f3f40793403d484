"""The curves of Figure 5: power of the paired bootstrap on synthetic 0/1 pairs (Appendix B)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kotawala2026.simulations._power_curves import (
    PowerCurve,
    Reference,
    bernoulli_power_curve,
    chunks_of,
    sizes_about,
)
from llm_power.statistics.paired_binary import required_n_paired_binary
from replication.simulations import Chunks


def chunks(settings: Mapping[str, Any], numbers: Mapping[str, int]) -> Chunks:
    """Return what simulates each curve of Figure 5, against an expected or a drawn reference."""
    # Decided as with infinitely many resamples, whose number the paper does not state.
    p_a, rho = settings["figure_5_p_a"], settings["figure_5_rho"]
    n_reference, n_trials = settings["figure_5_population"], numbers["n_trials"]

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
            seed=numbers["seed"],
        )

    deltas = settings["figure_5_deltas"]
    return chunks_of(curve, deltas, n_trials=n_trials, n_reference=n_reference)
