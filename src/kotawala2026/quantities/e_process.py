"""Stopping times and type-I error of the e-process in simulation, Appendix C."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from kotawala2026.quantities.grounds import QUANTITIES, Simulation
from kotawala2026.simulations.findings_simulated import chunk_name
from replication.findings import Finding


@QUANTITIES.on(Simulation)
def e_process(simulation: Simulation) -> Iterator[Finding]:
    """Calibration of the e-process on the two ARC pairs, with three mixtures."""
    # The printed 1.84 to 2.32 N* are near the 80th percentiles; mean stopping times are about 1.3
    # and 1.2 N* here.
    settings = simulation.settings
    sizes = (settings["e_process_trials"], simulation.n_trials_large)
    pairs = zip(settings["e_process_deltas"], settings["e_process_n_stars"], strict=True)
    for delta, n_star in pairs:
        for n_trials in sizes:
            nulls, gaps = (
                simulation.chunks[chunk_name(delta, hypothesis, n_trials)].to_dict("records")
                for hypothesis in ("null", "gap")
            )
            for null, gap in zip(nulls, gaps, strict=True):
                yield from _findings(null, gap, n_star, f"M = {n_trials:,}", f"δ = {delta:g}")
                if gap is not gaps[0]:
                    yield _change(gap, gaps[0], f"M = {n_trials:,}", f"δ = {delta:g}")


def _findings(
    null: Mapping[Any, Any], gap: Mapping[Any, Any], n_star: float, trials: str, pair: str
) -> Iterator[Finding]:
    for quantity, value, error in (
        ("type1_error", null["rejection_rate"], null["standard_error"]),
        ("rejection_rate", gap["rejection_rate"], gap["standard_error"]),
        ("stopping_ratio", gap["mean_stopping"] / n_star, gap["mean_stopping_error"] / n_star),
        ("stopping_ratio_p80", gap["stopping_p80"] / n_star, math.nan),
    ):
        subject = f"{pair}, {gap['mixture']}"
        yield Finding(quantity, subject, float(value), trials, "simulated", error)


def _change(
    gap: Mapping[Any, Any], reference: Mapping[Any, Any], trials: str, pair: str
) -> Finding:
    """Mean stopping time with another mixture, against that with the first."""
    mean = reference["mean_stopping"]
    both = math.sqrt(2) * gap["mean_stopping_error"] / mean
    note = f"{trials}; the SE is an upper bound, the mixtures share trials"
    subject, change = f"{pair}, {gap['mixture']}", gap["mean_stopping"] / mean - 1
    return Finding("stopping_change", subject, float(change), note, "simulated", both)
