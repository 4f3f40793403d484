"""The curves of Figure 5: power of the paired bootstrap on synthetic 0/1 pairs (Appendix B)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kotawala2026.simulations._power_curves import bernoulli_pairs, chunks_of
from replication.simulations import Chunks


def chunks(settings: Mapping[str, Any], numbers: Mapping[str, int]) -> Chunks:
    """Return what simulates each curve of Figure 5, against an expected or a drawn reference."""
    p_a, rho = settings["figure_5_p_a"], settings["figure_5_rho"]
    populations = [bernoulli_pairs(p_a, delta, rho) for delta in settings["figure_5_deltas"]]
    # Decided as with infinitely many resamples, whose number the paper does not state.
    return chunks_of(
        populations, numbers, n_reference=settings["figure_5_population"], n_resamples=None
    )
