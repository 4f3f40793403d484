"""Power of the paired bootstrap against the number of items (Figures 5 and 6, Appendix B)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from llm_power.errors import InvalidArgument
from llm_power.statistics._checks import counts, positive_count
from llm_power.statistics._seeds import named_rng
from llm_power.statistics._typing import ArrayLike, FloatArray, IntArray
from llm_power.statistics.bernoulli_pairs import latent_correlation, paired_bernoulli_cells
from llm_power.statistics.graded_pairs import (
    draw_graded_pairs,
    graded_difference_variance,
    lattice_graded_pairs,
)
from llm_power.statistics.inversion import required_n
from llm_power.statistics.paired_bootstrap import bootstrap_power

Reference = Literal["drawn", "expected"]


@dataclass(frozen=True, slots=True)
class PowerCurve:
    """Empirical power of the paired bootstrap against the number of items.

    Attributes
    ----------
    n_items : ndarray of int, shape (n_sizes,)
        Items a trial.
    power, standard_error : ndarray, shape (n_sizes,)
        Share of the trials that reject and its Monte Carlo standard error.
    delta : float
        Gap of the population that the reference stands for.
    n_star : float
        Required N at the population's gap and variance, eq. (3).
    reference_delta, reference_rho, reference_n_star : float
        Gap, correlation and required N of the reference itself, which the trials draw from.

    Examples
    --------
    >>> from llm_power.statistics.power_curves import bernoulli_power_curve
    >>> curve = bernoulli_power_curve(0.65, 0.05, 0.3, [500], n_trials=20, n_resamples=None, seed=1)
    >>> round(curve.n_star, 1)
    1027.6
    """

    n_items: IntArray
    power: FloatArray
    standard_error: FloatArray
    delta: float
    n_star: float
    reference_delta: float
    reference_rho: float
    reference_n_star: float


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
    alpha: float = 0.05,
    power: float = 0.80,
    seed: int,
) -> PowerCurve:
    """Power of the paired bootstrap on synthetic 0/1 pairs (Figure 5).

    Parameters
    ----------
    p_a, delta, rho : float
        Accuracy of A, gap to B, and correlation of the 0/1 scores.
    sizes : array_like of int, shape (n_sizes,)
        Items a trial.
    reference : {"drawn", "expected"}, default "drawn"
        A reference score matrix drawn once, or one whose four cells hold the expected counts,
        rounded to whole items.
    n_reference : int, default 30,000
        Items of the reference score matrix.
    n_trials, n_resamples : int
        Trials a size, and resamples a trial; None resamples take the exact decision.
    alpha, power : float
        Two-sided level and the target power of the required N.
    seed : int
        Seed of the streams; each size has its own.

    Returns
    -------
    PowerCurve
        One entry a size.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.

    Notes
    -----
    The gap of a drawn reference of 30,000 items has a standard error of about 0.3 points, so
    that its own required N can lie a third off the population's at a gap of 2 points. The curve
    meets the target power at `reference_n_star`, hence both are returned.

    Examples
    --------
    >>> from llm_power.statistics.power_curves import bernoulli_power_curve
    >>> curve = bernoulli_power_curve(
    ...     0.65, 0.05, 0.3, [100, 2000], n_trials=100, n_resamples=None, seed=1
    ... )
    >>> bool(curve.power[0] < 0.5 < curve.power[1])
    True
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
        alpha=alpha,
        power=power,
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
    alpha: float = 0.05,
    power: float = 0.80,
    seed: int,
) -> PowerCurve:
    """Power of the paired bootstrap on synthetic Beta(4, 2) pairs (Figure 6).

    Parameters
    ----------
    delta : float
        How much lower model B's mean score is.
    rho_z : float
        Latent correlation.
    reference : {"drawn", "expected"}, default "drawn"
        A reference score matrix drawn once, or one at equidistributed quantiles of the two
        independent normal variables (a golden-ratio lattice), whose moments are the
        population's to about five digits.
    sizes, n_reference, n_trials, n_resamples, alpha, power, seed
        As in `bernoulli_power_curve`.

    Returns
    -------
    PowerCurve
        One entry a size.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.

    Examples
    --------
    >>> from llm_power.statistics.power_curves import graded_power_curve
    >>> curve = graded_power_curve(0.1, 0.6, [20, 400], n_trials=50, n_resamples=100, seed=1)
    >>> bool(curve.power[0] < curve.power[1])
    True
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
        alpha=alpha,
        power=power,
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
    alpha: float,
    power: float,
    seed: int,
) -> PowerCurve:
    n_items = np.atleast_1d(counts("sizes", sizes))
    estimates = [
        bootstrap_power(
            scores_a,
            scores_b,
            int(n),
            alpha=alpha,
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
        n_star=float(required_n(delta, np.sqrt(variance), alpha=alpha, power=power)),
        reference_delta=observed,
        reference_rho=float(np.corrcoef(scores_a, scores_b)[0, 1]),
        reference_n_star=float(required_n(observed, spread, alpha=alpha, power=power)),
    )
