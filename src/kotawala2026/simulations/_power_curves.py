"""What the simulations of Figures 5 and 6 share: a chunk is the curve of a reference and a gap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from llm_power.statistics._typing import IntArray
from llm_power.statistics.power_curves import PowerCurve, Reference
from replication.simulations import Chunks

#: Sizes of the trials, as shares of N*.
RATIOS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.6, 2.0)
REFERENCES: tuple[Reference, Reference] = ("expected", "drawn")


def sizes_about(n_star: float) -> IntArray:
    """Return the sizes of the trials around a required N, in whole items."""
    return np.unique(np.rint(n_star * np.asarray(RATIOS)).astype(np.int64))


def chunks_of(
    curve_of: Callable[[Reference, float], PowerCurve],
    deltas: Sequence[float],
    *,
    n_trials: int,
    n_reference: int,
) -> Chunks:
    """Return by REFERENCE/GAP what simulates a curve's rows, each a size of the trials."""

    def rows(reference: Reference, delta: float) -> pd.DataFrame:
        curve = curve_of(reference, delta)
        return pd.DataFrame(
            {
                "reference": reference,
                "delta": curve.delta,
                "n_items": curve.n_items,
                "power": curve.power,
                "power_se": curve.standard_error,
                "n_trials": n_trials,
                "n_star": curve.n_star,
                "n_reference": n_reference,
                "reference_delta": curve.reference_delta,
                "reference_rho": curve.reference_rho,
                "reference_n_star": curve.reference_n_star,
            }
        )

    return {
        f"{reference}/{delta:g}": partial(rows, reference, delta)
        for reference, delta in product(REFERENCES, deltas)
    }
