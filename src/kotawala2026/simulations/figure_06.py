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
    """Return what simulates each curve of Figure 6, against an expected or a drawn reference.

    Parameters
    ----------
    settings : mapping
        ``figure_6_deltas``, how much lower model B's mean score is than A's;
        ``figure_5_rho``, for the latent correlation, which the paper does not state; and
        ``figure_5_population``, the items of the reference.
    numbers : mapping
        ``n_trials`` a size, ``n_resamples`` a trial, and ``seed``: each reference and size has
        its stream by name.

    Returns
    -------
    mapping of str to callable
        As of `kotawala2026.simulations._power_curves.chunks_of`, with ``n_star`` of eq. (3).
    """
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
