"""Stopping times and type-I error of the e-process, Appendix C."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from kotawala2026.exhibits.prose import Claims, Finding, beside_claims
from llm_power.errors import InvalidArgument
from llm_power.statistics._seeds import named_rng
from llm_power.statistics.bernoulli_pairs import discordance_from_required_n
from llm_power.statistics.e_process import BETA_2_2, TWO_POINT, UNIFORM_98, Mixture
from llm_power.statistics.e_process_simulation import EProcessCalibration, e_process_calibration

_MIXTURES: Sequence[Mixture] = (UNIFORM_98, BETA_2_2, TWO_POINT)
_HORIZON = 10  # in N*: nearly every trial under the alternative has crossed by then


def e_process_stopping(
    claims: Claims,
    *,
    deltas: Sequence[float],
    n_stars: Sequence[float],
    n_trials: int,
    n_trials_large: int,
    seed: int,
    alpha: float = 0.05,
    power: float = 0.80,
) -> pd.DataFrame:
    """Calibration of the e-process on the two ARC pairs, with three mixtures.

    Parameters
    ----------
    claims : mapping
        What `kotawala2026.exhibits.prose.index_claims` returned.
    deltas, n_stars : sequence of float
        Gap and N* of each pair, as printed (Figure 4; Table 10).
    n_trials : int
        Trials of the paper, M = 600.
    n_trials_large : int
        Trials of a calibration whose error does not matter.
    seed : int
        Seed; the streams are named by pair, hypothesis and trials. Mixtures share them.
    alpha, power : float
        Two-sided level, and the power of the N*.

    Returns
    -------
    DataFrame
        `kotawala2026.exhibits.prose.PROSE_COLUMNS`. Of each pair and mixture, of both numbers of
        trials: type-I error, rejection rate, mean and 80th percentile of the stopping time
        over N*; and the change of the mean against the uniform mixture.

    Raises
    ------
    InvalidArgument
        If `deltas` and `n_stars` differ in length.

    Notes
    -----
    The paper does not say where its trials end; here, at 10 N*. Gap and N* decide the
    discordance probabilities; under the null both are their mean.

    The printed 1.84 to 2.32 N* are not the mean stopping times, which are about 1.3 and
    1.2 N* here, but are near the 80th percentiles.
    """
    if len(deltas) != len(n_stars):
        raise InvalidArgument("deltas and n_stars must be as many")
    findings = []
    for delta, n_star in zip(deltas, n_stars, strict=True):
        p10, p01 = discordance_from_required_n(delta, n_star, alpha=alpha, power=power)
        even = (p10 + p01) / 2
        for trials in (n_trials, n_trials_large):
            reference = math.nan
            for mixture in _MIXTURES:
                null, alternative = (
                    e_process_calibration(
                        *cells,
                        horizon=round(_HORIZON * n_star),
                        alpha=alpha,
                        n_trials=trials,
                        mixture=mixture,
                        rng=named_rng(seed, f"e_process/{delta:g}/{hypothesis}/{trials}"),
                    )
                    for hypothesis, cells in (("null", (even, even)), ("gap", (p10, p01)))
                )
                found = _findings(null, alternative, delta, n_star, reference)
                findings += found
                reference = alternative.mean_stopping if math.isnan(reference) else reference
    return beside_claims("general", findings, claims, basis="mathematics")


def _findings(
    null: EProcessCalibration,
    alternative: EProcessCalibration,
    delta: float,
    n_star: float,
    reference: float,
) -> list[Finding]:
    subject = (f"δ = {delta:g}", alternative.mixture.name)
    note = f"M = {null.n_trials:,}"
    error = alternative.mean_stopping_error
    findings = [
        Finding("type1_error", null.rejection_rate, subject, null.standard_error, note),
        Finding(
            "rejection_rate", alternative.rejection_rate, subject, alternative.standard_error, note
        ),
        Finding(
            "stopping_ratio", alternative.mean_stopping / n_star, subject, error / n_star, note
        ),
        Finding(
            "stopping_ratio_p80",
            float(np.quantile(alternative.stopping_items, 0.8, method="inverted_cdf")) / n_star,
            subject,
            note=note,
            simulated=True,
        ),
    ]
    if not math.isnan(reference):
        change = alternative.mean_stopping / reference - 1
        both = math.sqrt(2) * error / reference
        findings.append(
            Finding(
                "stopping_change",
                change,
                subject,
                both,
                f"{note}; the SE is an upper bound, the mixtures share trials",
            )
        )
    return findings
