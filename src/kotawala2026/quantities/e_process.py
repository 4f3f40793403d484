"""Stopping times and type-I error of the e-process in simulation, Appendix C."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from kotawala2026.quantities.grounds import QUANTITIES, Simulation
from llm_power.statistics._seeds import named_rng
from llm_power.statistics.bernoulli_pairs import discordance_from_required_n
from llm_power.statistics.e_process import BETA_2_2, TWO_POINT, UNIFORM_98, Mixture
from llm_power.statistics.e_process_simulation import EProcessCalibration, e_process_calibration
from replication.findings import Finding

_MIXTURES: Final[tuple[Mixture, ...]] = (UNIFORM_98, BETA_2_2, TWO_POINT)
_HORIZON: Final = 10  # in N*: nearly every trial under the alternative has crossed by then


@QUANTITIES.on(Simulation)
def e_process(simulation: Simulation) -> Iterator[Finding]:
    """Calibrate the e-process on the two ARC pairs, with three mixtures.

    Each is done with the paper's number of trials and with one whose error does not matter. Gap
    and N* decide the discordance probabilities; under the null both are their mean. The streams
    are named by pair, hypothesis and trials; the mixtures share them.

    The paper does not say where its trials end; here, at 10 N*. The printed 1.84 to 2.32 N* are
    not the mean stopping times, which are about 1.3 and 1.2 N* here, but are near the 80th
    percentiles.
    """
    settings = simulation.settings
    sizes = (settings["e_process_trials"], simulation.n_trials_large)
    pairs = zip(settings["e_process_deltas"], settings["e_process_n_stars"], strict=True)
    for delta, n_star in pairs:
        for n_trials in sizes:
            reference = None
            for mixture in _MIXTURES:
                null, gap = _calibrations(simulation, mixture, delta, n_star, n_trials)
                yield from _findings(null, gap, delta, n_star, reference)
                reference = reference or gap


def _calibrations(
    simulation: Simulation, mixture: Mixture, delta: float, n_star: float, n_trials: int
) -> tuple[EProcessCalibration, EProcessCalibration]:
    alpha, power = simulation.settings["alpha"], simulation.settings["power"]
    p10, p01 = discordance_from_required_n(delta, n_star, alpha=alpha, power=power)
    even = (p10 + p01) / 2
    null, gap = (
        e_process_calibration(
            *cells,
            horizon=round(_HORIZON * n_star),
            alpha=alpha,
            n_trials=n_trials,
            mixture=mixture,
            rng=named_rng(simulation.seed, f"e_process/{delta:g}/{hypothesis}/{n_trials}"),
        )
        for hypothesis, cells in (("null", (even, even)), ("gap", (p10, p01)))
    )
    return null, gap


def _findings(
    null: EProcessCalibration,
    gap: EProcessCalibration,
    delta: float,
    n_star: float,
    reference: EProcessCalibration | None,
) -> Iterator[Finding]:
    trials = f"M = {null.n_trials:,}"
    late = float(np.quantile(gap.stopping_items, 0.8, method="inverted_cdf"))
    rows = [
        ("type1_error", null.rejection_rate, null.standard_error, trials),
        ("rejection_rate", gap.rejection_rate, gap.standard_error, trials),
        ("stopping_ratio", gap.mean_stopping / n_star, gap.mean_stopping_error / n_star, trials),
        ("stopping_ratio_p80", late / n_star, math.nan, trials),
    ]
    if reference is not None:
        change = gap.mean_stopping / reference.mean_stopping - 1
        both = math.sqrt(2) * gap.mean_stopping_error / reference.mean_stopping
        note = f"{trials}; the SE is an upper bound, the mixtures share trials"
        rows.append(("stopping_change", change, both, note))
    subject = f"δ = {delta:g}, {gap.mixture.name}"
    for quantity, value, error, method in rows:
        yield Finding(quantity, subject, float(value), method, "simulated", error)
