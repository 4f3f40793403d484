"""The curves of Figure 6: power of the paired bootstrap on graded pairs (Appendix B)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kotawala2026.simulations._power_curves import chunks_of, graded_pairs
from replication.simulations import Chunks


def chunks(settings: Mapping[str, Any], numbers: Mapping[str, int]) -> Chunks:
    """Return what simulates each curve of Figure 6, with N* of eq. (3)."""
    # The paper does not state the latent correlation: that of Figure 5.
    rho_z, n_reference = settings["figure_5_rho"], settings["figure_5_population"]
    populations = [graded_pairs(delta, rho_z) for delta in settings["figure_6_deltas"]]
    return chunks_of(
        populations, numbers, n_reference=n_reference, n_resamples=numbers["n_resamples"]
    )
