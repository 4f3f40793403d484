"""Power of the paired bootstrap against the number of items (Figures 5 and 6, Appendix B).

The trials draw items from one reference score matrix. The gap of a drawn reference of 30,000 items
has a standard error of about 0.3 points, so that its own required N can lie a third off the
population's at a gap of 2 points. The curve meets the target power at the reference's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Literal

import numpy as np
import pandas as pd

from llm_power.errors import InvalidArgument
from llm_power.statistics.argument_checks import counts, positive_count
from llm_power.statistics.arrays import ArrayLike, FloatArray, IntArray
from llm_power.statistics.bernoulli_pairs import latent_correlation, paired_bernoulli_cells
from llm_power.statistics.graded_pairs import (
    draw_graded_pairs,
    graded_difference_variance,
    lattice_graded_pairs,
)
from llm_power.statistics.inversion import required_n
from llm_power.statistics.paired_bootstrap import bootstrap_power
from llm_power.statistics.random_streams import named_rng
from replication.simulations import Chunks

#: A score matrix that is drawn once, or one that has the population's moments.
Reference = Literal["drawn", "expected"]

#: Sizes of the trials, as shares of N*.
RATIOS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.6, 2.0)
REFERENCES: tuple[Reference, Reference] = ("expected", "drawn")


@dataclass(frozen=True, slots=True)
class PowerCurve:
    """Power of the paired bootstrap at each of several numbers of items."""

    n_items: IntArray  # shape (n_sizes,), as the next two
    power: FloatArray
    standard_error: FloatArray
    delta: float  # gap of the population that the reference stands for
    n_star: float  # at that gap and the population's variance, eq. (3)
    # Gap, correlation and required N of the reference itself, which the trials draw from.
    reference_delta: float
    reference_rho: float
    reference_n_star: float


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


def bernoulli_power_curve(
    p_a: float,
    delta: float,
    rho: float,
    sizes: ArrayLike,
    *,
    reference: Reference = "drawn",
    n_reference: int = 30_000,
    n_trials: int = 1_000,
    n_resamples: int | None = 1_000,
    seed: int,
) -> PowerCurve:
    """Power on 0/1 pairs by A's accuracy, the gap to B and the correlation (Figure 5).

    Without `n_resamples` the decision is that of infinitely many. An expected reference holds the
    expected counts of its four cells, rounded to whole items.
    """
    p_b = p_a - delta
    cells = paired_bernoulli_cells(p_a, p_b, latent_correlation(p_a, p_b, rho))
    name = _stream_name(f"bernoulli_power/{p_a:g}/{delta:g}/{rho:g}", reference)
    shares = np.array([cells.p11, cells.p10, cells.p01, cells.p00])
    size = positive_count("n_reference", n_reference)
    if reference == "drawn":
        n11, b, c, n00 = named_rng(seed, f"{name}/reference").multinomial(size, shares)
    else:
        n11, b, c, _ = np.rint(size * shares).astype(np.int64)
        n00 = size - n11 - b - c
    scores_a = np.repeat([1.0, 1.0, 0.0, 0.0], [n11, b, c, n00])
    scores_b = np.repeat([1.0, 0.0, 1.0, 0.0], [n11, b, c, n00])
    variance = float(cells.p10 + cells.p01) - delta**2
    return _power_curve(
        scores_a,
        scores_b,
        sizes,
        delta=delta,
        variance=variance,
        name=name,
        n_trials=n_trials,
        n_resamples=n_resamples,
        seed=seed,
    )


def graded_power_curve(
    delta: float,
    rho_z: float,
    sizes: ArrayLike,
    *,
    reference: Reference = "drawn",
    n_reference: int = 30_000,
    n_trials: int = 1_000,
    n_resamples: int = 1_000,
    seed: int,
) -> PowerCurve:
    """Power on Beta(4, 2) pairs of which B's mean is `delta` lower (Figure 6).

    An expected reference holds equidistributed quantiles of the two independent normal variables, a
    golden-ratio lattice, whose moments are the population's to about five digits.
    """
    name = _stream_name(f"graded_power/{delta:g}/{rho_z:g}", reference)
    if reference == "drawn":
        stream = named_rng(seed, f"{name}/reference")
        scores_a, scores_b = draw_graded_pairs(n_reference, delta, rho_z, rng=stream)
    else:
        scores_a, scores_b = lattice_graded_pairs(
            positive_count("n_reference", n_reference), delta, rho_z
        )
    variance = graded_difference_variance(delta, rho_z)
    return _power_curve(
        scores_a,
        scores_b,
        sizes,
        delta=delta,
        variance=variance,
        name=name,
        n_trials=n_trials,
        n_resamples=n_resamples,
        seed=seed,
    )


def _stream_name(name: str, reference: Reference) -> str:
    if reference not in ("drawn", "expected"):
        raise InvalidArgument(f"reference must be 'drawn' or 'expected', got {reference!r}")
    return name if reference == "drawn" else f"{name}/expected"


def _power_curve(
    scores_a: FloatArray,
    scores_b: FloatArray,
    sizes: ArrayLike,
    *,
    delta: float,
    variance: float,
    name: str,
    n_trials: int,
    n_resamples: int | None,
    seed: int,
) -> PowerCurve:
    n_items = np.atleast_1d(counts("sizes", sizes))
    estimates = [
        bootstrap_power(
            scores_a,
            scores_b,
            int(n),
            n_trials=n_trials,
            n_resamples=n_resamples,
            rng=named_rng(seed, f"{name}/{n}"),
        )
        for n in n_items
    ]
    difference = scores_a - scores_b
    observed = float(difference.mean())
    spread = float(difference.std())
    return PowerCurve(
        n_items=n_items,
        power=np.array([estimate.power for estimate in estimates]),
        standard_error=np.array([estimate.standard_error for estimate in estimates]),
        delta=delta,
        n_star=float(required_n(delta, np.sqrt(variance))),
        reference_delta=observed,
        reference_rho=float(np.corrcoef(scores_a, scores_b)[0, 1]),
        reference_n_star=float(required_n(observed, spread)),
    )
