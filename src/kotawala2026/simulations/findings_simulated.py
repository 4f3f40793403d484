"""Trials of the e-process on the two ARC pairs, with three mixtures (Appendix C)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from kotawala2026.e_process_simulation import e_process_calibration
from kotawala2026.populations import discordance_from_required_n
from llm_power._statistics.e_process import BETA_2_2, TWO_POINT, UNIFORM_98, Mixture
from llm_power._statistics.random_streams import named_rng
from replication.simulations import Chunks

_MIXTURES: Final[tuple[Mixture, ...]] = (UNIFORM_98, BETA_2_2, TWO_POINT)
_HORIZON: Final = 10  # in N*: nearly every trial under the alternative has crossed by then


def chunk_name(delta: float, hypothesis: str, n_trials: int) -> str:
    """Return the name of a chunk, and of its stream below ``e_process``."""
    return f"{delta:g}/{hypothesis}/{n_trials}"


def chunks(settings: Mapping[str, Any], numbers: Mapping[str, int]) -> Chunks:
    """Return by DELTA/HYPOTHESIS/TRIALS what simulates the e-process, a row per mixture."""
    # Gap and N* decide the discordance probabilities; under the null both are their mean. The paper
    # does not say where its trials end; here, at 10 N*.
    alpha, power = settings["alpha"], settings["power"]

    def rows(
        delta: float, n_star: float, hypothesis: str, cells: tuple[float, float], n_trials: int
    ) -> pd.DataFrame:
        name = f"e_process/{chunk_name(delta, hypothesis, n_trials)}"
        return pd.DataFrame(
            [
                _row(
                    cells,
                    horizon=round(_HORIZON * n_star),
                    alpha=alpha,
                    n_trials=n_trials,
                    mixture=mixture,
                    rng=named_rng(numbers["seed"], name),
                )
                for mixture in _MIXTURES
            ]
        )

    by_name = {}
    pairs = zip(settings["e_process_deltas"], settings["e_process_n_stars"], strict=True)
    for delta, n_star in pairs:
        p10, p01 = discordance_from_required_n(delta, n_star, alpha=alpha, power=power)
        even = (p10 + p01) / 2
        for n_trials in (settings["e_process_trials"], numbers["n_trials_large"]):
            for hypothesis, cells in (("null", (even, even)), ("gap", (p10, p01))):
                chunk = partial(rows, delta, n_star, hypothesis, cells, n_trials)
                by_name[chunk_name(delta, hypothesis, n_trials)] = chunk
    return by_name


def _row(cells: tuple[float, float], mixture: Mixture, **how: Any) -> dict[str, object]:
    result = e_process_calibration(*cells, mixture=mixture, **how)
    late = np.quantile(result.stopping_items, 0.8, method="inverted_cdf")
    return {
        "mixture": mixture.name,
        "rejection_rate": result.rejection_rate,
        "standard_error": result.standard_error,
        "mean_stopping": result.mean_stopping,
        "mean_stopping_error": result.mean_stopping_error,
        "stopping_p80": float(late),
    }
