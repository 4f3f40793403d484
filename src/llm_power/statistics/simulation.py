r"""Simulated pairs and how often each test rejects: Section 5, Appendices B and C.

Pairs of 0/1 scores are two thresholded normal variables of latent correlation
:math:`\rho_z`. Counts are sufficient, so that cells are drawn, never items, and the rejection
probability of a test is also known exactly, by summing over the tables (b, c).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import elementwise
from scipy.special import betaincinv, ndtr, ndtri, owens_t
from scipy.stats import binom

from llm_power.errors import InvalidArgument
from llm_power.statistics._checks import counts, finite, open_unit
from llm_power.statistics._seeds import named_rng
from llm_power.statistics._typing import ArrayLike, BoolArray, FloatArray, IntArray
from llm_power.statistics.e_process import (
    UNIFORM_98,
    Mixture,
    anytime_boundary,
    log_e_trajectory,
)
from llm_power.statistics.inversion import required_n, z_sum
from llm_power.statistics.mcnemar import (
    mcnemar_asymptotic,
    mcnemar_continuity_corrected,
    mcnemar_exact,
    mcnemar_mid_p,
)
from llm_power.statistics.paired_binary import admissible_rho
from llm_power.statistics.paired_bootstrap import bootstrap_power, percentile_bootstrap_rejects

# Probability left out on each side of a binomial range.
_OUTSIDE = 1e-14
# Concentration a + b of the graded scores, Beta(4, 2) for model A.
_CONCENTRATION = 6.0
_MEAN_A = 4.0 / 6.0
# Signs held at once by the e-process simulation; results do not depend on it.
_BLOCK = 2**22

Reference = Literal["drawn", "expected"]

#: The five tests of Table 2, in its order.
TESTS = ("mcnemar_chi2", "exact", "mid_p", "continuity_corrected", "paired_bootstrap")


@dataclass(frozen=True, slots=True)
class PairedCells:
    """Cell probabilities of a pair of 0/1 scores.

    Attributes
    ----------
    p11, p10, p01, p00 : ndarray
        Probability that both, only A, only B, and neither solve an item.
    rho : ndarray
        Correlation of the two 0/1 scores, the rho of eq. (5).
    """

    p11: FloatArray
    p10: FloatArray
    p01: FloatArray
    p00: FloatArray
    rho: FloatArray


def paired_bernoulli_cells(p_a: ArrayLike, p_b: ArrayLike, rho_z: ArrayLike) -> PairedCells:
    r"""Cells of a pair under a latent Gaussian copula (Section 5).

    Parameters
    ----------
    p_a, p_b : array_like
        Accuracies, strictly between 0 and 1.
    rho_z : array_like
        Correlation of the latent normal variables, strictly between -1 and 1.

    Returns
    -------
    PairedCells
        Arrays of the broadcast shape.

    Raises
    ------
    InvalidArgument
        If an argument is outside its open interval.

    Notes
    -----
    :math:`p_{11}` is the bivariate normal distribution function at the two normal quantiles,
    by Owen's T function (Owen 1956, doi:10.1214/aoms/1177728074).
    """
    a, b, r = np.broadcast_arrays(
        _open_interval("p_a", p_a, 0.0),
        _open_interval("p_b", p_b, 0.0),
        _open_interval("rho_z", rho_z, -1.0),
    )
    return _cells(a, b, r)


def latent_correlation(p_a: ArrayLike, p_b: ArrayLike, rho: ArrayLike) -> FloatArray:
    r"""Latent correlation :math:`\rho_z` that gives two 0/1 scores the correlation `rho`.

    Parameters
    ----------
    p_a, p_b : array_like
        Accuracies, strictly between 0 and 1.
    rho : array_like
        Correlation of the scores, inside the admissible interval of eqs. (7) and (8).

    Returns
    -------
    ndarray
        Broadcast shape; the inverse of the ``rho`` of `paired_bernoulli_cells`.

    Raises
    ------
    InvalidArgument
        If `rho` does not lie inside its admissible interval.
    """
    a, b, r = np.broadcast_arrays(
        _open_interval("p_a", p_a, 0.0), _open_interval("p_b", p_b, 0.0), finite("rho", rho)
    )

    def excess(rho_z: FloatArray, a: FloatArray, b: FloatArray, r: FloatArray) -> FloatArray:
        return _cells(a, b, rho_z).rho - r

    edge = np.full(r.shape, 1 - 1e-12)
    root = elementwise.find_root(excess, (-edge, edge), args=(a, b, r))
    if not np.all(root.success):
        lower, upper = admissible_rho(a, b)
        at = tuple(np.argwhere(~np.asarray(root.success))[0])
        raise InvalidArgument(
            f"rho must lie inside ({lower[at]:.6g}, {upper[at]:.6g}) for p_a={a[at]:.6g} and "
            f"p_b={b[at]:.6g} (eqs. 7 and 8), got {float(r[at])!r}"
        )
    rho_z: FloatArray = np.asarray(root.x, dtype=np.float64)
    return rho_z


def gap_at_required_n(
    p: float, rho_z: float, n_items: int, *, alpha: float = 0.05, power: float = 0.80
) -> float:
    r"""Gap whose required N is exactly `n_items` (the alternative of Section 5).

    Parameters
    ----------
    p : float
        Mid accuracy: the models have :math:`p \pm \delta/2`.
    rho_z : float
        Latent correlation, held fixed.
    n_items : int
        Number of items.
    alpha, power : float
        Two-sided level and target power.

    Returns
    -------
    float
        The gap :math:`\delta > 0`.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain, or the widest gap around `p` needs more items.
    """
    mid, latent = open_unit("p", p), float(_open_interval("rho_z", rho_z, -1.0))
    n, k = int(counts("n_items", n_items)), float(z_sum(alpha, power)) ** 2

    def surplus(delta: FloatArray) -> FloatArray:
        cells = _cells(mid + delta / 2, mid - delta / 2, np.full(np.shape(delta), latent))
        # N* <= n without dividing by the gap: K (b + c - delta^2) <= n delta^2.
        return (n + k) * np.square(delta) - k * (cells.p10 + cells.p01)

    widest = 2 * min(mid, 1 - mid) * (1 - 1e-9)
    root = elementwise.find_root(surplus, (np.asarray(1e-9), np.asarray(widest)))
    if not np.all(root.success):
        raise InvalidArgument(
            f"n_items is too small for any gap around p={p!r} to have N* = n, got {n_items!r}"
        )
    return float(root.x)


@dataclass(frozen=True, slots=True)
class RejectionRates:
    """How often the five tests of Table 2 reject, simulated and exactly.

    Attributes
    ----------
    tests : tuple of str
        Names of the tests, `TESTS`.
    simulated : ndarray, shape (5,)
        Share of the trials that reject.
    standard_error : ndarray, shape (5,)
        Monte Carlo standard error of `simulated`, at the exact probability.
    exact : ndarray, shape (5,)
        Probability of rejection, summed over the tables (b, c).
    truncated_mass : float
        Probability of the tables left out of that sum, a bound on its error.
    n_items, n_trials : int
        Items a trial and number of trials.
    alpha : float
        Two-sided level.
    """

    tests: tuple[str, ...]
    simulated: FloatArray
    standard_error: FloatArray
    exact: FloatArray
    truncated_mass: float
    n_items: int
    n_trials: int
    alpha: float


def rejection_rates(
    p10: float,
    p01: float,
    n_items: int,
    *,
    alpha: float = 0.05,
    n_trials: int = 1_500,
    rng: np.random.Generator,
) -> RejectionRates:
    """Rejection rates of the five tests at given discordance probabilities (Section 5).

    Parameters
    ----------
    p10, p01 : float
        Probability that only A, and only B, solves an item.
    n_items : int
        Items a trial.
    alpha : float, default 0.05
        Two-sided level.
    n_trials : int, default 1,500
        Number of trials (M of Table 2).
    rng : numpy.random.Generator
        Stream of random numbers.

    Returns
    -------
    RejectionRates
        Simulated and exact rates.

    Raises
    ------
    InvalidArgument
        If a probability or setting is outside its domain.

    Notes
    -----
    The paired bootstrap enters by its exact decision: infinitely many resamples.
    """
    level = open_unit("alpha", alpha)
    n, trials = _positive_count("n_items", n_items), _positive_count("n_trials", n_trials)
    b, c, mass = _table_probabilities(p10, p01, n)
    exact = _rejects(b, c, n, level) @ mass
    drawn = rng.multinomial(n, [p10, p01, 1 - p10 - p01], size=trials)
    simulated = _rejects(drawn[:, 0], drawn[:, 1], n, level).mean(axis=1)
    return RejectionRates(
        tests=TESTS,
        simulated=simulated,
        standard_error=np.sqrt(exact * (1 - exact) / trials),
        exact=exact,
        truncated_mass=max(0.0, float(1 - mass.sum())),
        n_items=n,
        n_trials=trials,
        alpha=level,
    )


@dataclass(frozen=True, slots=True)
class CalibrationCell:
    """One cell of the calibration grid of Section 5.

    Attributes
    ----------
    p, rho_z : float
        Mid accuracy and latent correlation.
    rho_null, rho_alternative : float
        Correlation of the 0/1 scores under either hypothesis.
    delta : float
        Gap under the alternative.
    null, alternative : RejectionRates
        Type-I error and power of the five tests.
    power : float
        Target power at which N* equals the number of items.
    """

    p: float
    rho_z: float
    rho_null: float
    rho_alternative: float
    delta: float
    null: RejectionRates
    alternative: RejectionRates
    power: float


def calibration_cell(
    p: float,
    rho_z: float,
    n_items: int = 500,
    *,
    alpha: float = 0.05,
    power: float = 0.80,
    n_trials: int = 1_500,
    seed: int,
) -> CalibrationCell:
    r"""Type-I error and power of the five tests in one cell of Section 5's grid.

    Parameters
    ----------
    p, rho_z : float
        Mid accuracy and latent correlation.
    n_items : int, default 500
        Items a trial.
    alpha, power : float
        Two-sided level, and the power that the alternative's N* is solved for.
    n_trials : int, default 1,500
        Trials under each hypothesis.
    seed : int
        Seed of the streams ``calibration/p/rho_z/n/hypothesis``.

    Returns
    -------
    CalibrationCell
        Rates under :math:`p_A = p_B = p` and under :math:`p \pm \delta/2` with
        :math:`N^*(\delta) =` `n_items`.

    Raises
    ------
    InvalidArgument
        As `rejection_rates` and `gap_at_required_n`.
    """
    delta = gap_at_required_n(p, rho_z, n_items, alpha=alpha, power=power)
    rates, rhos = [], []
    for name, gap in (("null", 0.0), ("alternative", delta)):
        cells = paired_bernoulli_cells(p + gap / 2, p - gap / 2, rho_z)
        stream = named_rng(seed, f"calibration/{p:g}/{rho_z:g}/{n_items}/{name}")
        p10, p01 = float(cells.p10), float(cells.p01)
        rates.append(rejection_rates(p10, p01, n_items, alpha=alpha, n_trials=n_trials, rng=stream))
        rhos.append(float(cells.rho))
    return CalibrationCell(p, rho_z, rhos[0], rhos[1], delta, rates[0], rates[1], power)


def draw_graded_pairs(
    n_items: int, mean_shift: float, rho_z: float, *, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    r"""Graded scores with Beta marginals and a latent Gaussian copula (Appendix B).

    Parameters
    ----------
    n_items : int
        Number of items.
    mean_shift : float
        How much lower model B's mean score is, below 2/3.
    rho_z : float
        Latent correlation, strictly between -1 and 1.
    rng : numpy.random.Generator
        Stream of random numbers.

    Returns
    -------
    scores_a, scores_b : ndarray, shape (n_items,)
        Scores in [0, 1]; A's are Beta(4, 2).

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.

    Notes
    -----
    The paper names Beta(4, 2) marginals and a gap in their means, and not how the gap comes
    about. Here B keeps A's concentration, 4 + 2 = 6, and has the mean 2/3 - `mean_shift`.
    """
    z = rng.standard_normal((_positive_count("n_items", n_items), 2))
    return _graded_scores(z, mean_shift, rho_z)


def graded_difference_variance(mean_shift: float, rho_z: float) -> float:
    r"""Variance of the paired difference of `draw_graded_pairs`.

    Parameters
    ----------
    mean_shift, rho_z : float
        As in `draw_graded_pairs`.

    Returns
    -------
    float
        :math:`\sigma_D^2` in squared score units.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.

    Notes
    -----
    The covariance under the copula has no closed form; Gauss-Hermite quadrature over the two
    independent normal variables gives it to about six digits.
    """
    latent = float(_open_interval("rho_z", rho_z, -1.0))
    mean_b = open_unit("2/3 - mean_shift", _MEAN_A - mean_shift)
    nodes, weights = np.polynomial.hermite_e.hermegauss(64)
    weights = weights / weights.sum()
    z_b = latent * nodes[:, np.newaxis] + np.sqrt(1 - latent**2) * nodes
    gap = _beta_quantile(_MEAN_A, nodes)[:, np.newaxis] - _beta_quantile(mean_b, z_b)
    return float(weights @ np.square(gap - mean_shift) @ weights)


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
    """
    p_b = p_a - delta
    cells = paired_bernoulli_cells(p_a, p_b, latent_correlation(p_a, p_b, rho))
    name = _stream_name(f"bernoulli_power/{p_a:g}/{delta:g}/{rho:g}", reference)
    shares = np.array([cells.p11, cells.p10, cells.p01, cells.p00])
    size = _positive_count("n_reference", n_reference)
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
    """
    name = _stream_name(f"graded_power/{delta:g}/{rho_z:g}", reference)
    if reference == "drawn":
        stream = named_rng(seed, f"{name}/reference")
        scores_a, scores_b = draw_graded_pairs(n_reference, delta, rho_z, rng=stream)
    else:
        lattice = _normal_lattice(_positive_count("n_reference", n_reference))
        scores_a, scores_b = _graded_scores(lattice, delta, rho_z)
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


def discordance_from_required_n(
    delta: float, n_star: float, *, alpha: float = 0.05, power: float = 0.80
) -> tuple[float, float]:
    r"""Discordance probabilities of a pair known by its gap and required N alone.

    Parameters
    ----------
    delta : float
        Gap, A minus B.
    n_star : float
        Required number of items at that gap.
    alpha, power : float
        Two-sided level and target power of `n_star`.

    Returns
    -------
    p10, p01 : float
        Probability that only A, and only B, solves an item.

    Raises
    ------
    InvalidArgument
        If no pair has this gap and required N.

    Notes
    -----
    Eq. (3) gives :math:`\sigma_D^2`, and :math:`p_{10} + p_{01} = \sigma_D^2 + \delta^2`.
    Figure 4's pair is (0.024, 2362).
    """
    variance = n_star * delta**2 / float(z_sum(alpha, power)) ** 2
    total = variance + delta**2
    p10, p01 = (total + delta) / 2, (total - delta) / 2
    if n_star <= 0 or min(p10, p01) < 0 or total > 1:
        raise InvalidArgument(f"no pair has delta={delta!r} and n_star={n_star!r}")
    return p10, p01


def e_process_trajectories(
    p10: float,
    p01: float,
    n_items: int,
    n_trajectories: int,
    *,
    mixture: Mixture = UNIFORM_98,
    rng: np.random.Generator,
) -> FloatArray:
    """Log e after each item of simulated pairs (Figure 4).

    Parameters
    ----------
    p10, p01 : float
        Probability that only A, and only B, solves an item; equal under the null.
    n_items, n_trajectories : int
        Items a trajectory and number of trajectories.
    mixture : DiscreteMixture or BetaMixture, default `UNIFORM_98`
        The mixture of alternatives.
    rng : numpy.random.Generator
        Stream of random numbers.

    Returns
    -------
    ndarray, shape (n_trajectories, n_items)
        Log e; column k holds the value after k + 1 items.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.
    """
    _discordance("p10 and p01", p10, p01)
    shape = (_positive_count("n_trajectories", n_trajectories), _positive_count("n_items", n_items))
    uniform = rng.random(shape)
    only_a, only_b = uniform < p10, uniform >= 1 - p01
    return log_e_trajectory(only_a.astype(np.int8) - only_b.astype(np.int8), mixture)


@dataclass(frozen=True, slots=True)
class EProcessCalibration:
    """Stopping times of the e-process on simulated pairs.

    Attributes
    ----------
    stopping_items : ndarray, shape (n_trials,)
        Items until the e-process crosses; ``inf`` where it does not within the horizon.
    rejection_rate, standard_error : float
        Share of trials that cross, and its Monte Carlo standard error.
    mean_stopping : float
        Mean stopping time of the trials that cross, in items; NaN where none does.
    mean_stopping_error : float
        Its Monte Carlo standard error.
    restricted_mean : float
        Mean of the stopping time cut at the horizon, in items, over all trials.
    horizon, n_trials : int
        Items at which a trial ends, and number of trials.
    alpha : float
        Level.
    mixture : DiscreteMixture or BetaMixture
        The mixture of alternatives.
    """

    stopping_items: FloatArray
    rejection_rate: float
    standard_error: float
    mean_stopping: float
    mean_stopping_error: float
    restricted_mean: float
    horizon: int
    n_trials: int
    alpha: float
    mixture: Mixture


def e_process_calibration(
    p10: float,
    p01: float,
    horizon: int,
    *,
    alpha: float = 0.05,
    n_trials: int = 600,
    mixture: Mixture = UNIFORM_98,
    rng: np.random.Generator,
) -> EProcessCalibration:
    """Type-I error or stopping times of the mixture e-process (Appendix C, Calibration).

    Parameters
    ----------
    p10, p01 : float
        Probability that only A, and only B, solves an item; equal under the null.
    horizon : int
        Items at which a trial ends. The paper does not say where its trials end.
    alpha : float, default 0.05
        Level.
    n_trials : int, default 600
        Number of trials (M of Appendix C).
    mixture : DiscreteMixture or BetaMixture, default `UNIFORM_98`
        A mixture that is symmetric about 1/2.
    rng : numpy.random.Generator
        Stream of random numbers.

    Returns
    -------
    EProcessCalibration
        Stopping times in items, and their summary.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain, or the mixture is not symmetric.

    Notes
    -----
    Only discordant items move the process: their signs are simulated against the boundary of
    `anytime_boundary`, and the item at which the M-th of them arrives is M plus a negative
    binomial number of concordant ones, independent of the signs.

    Appendix C reports type-I errors of 0.035 and 0.043 on its two pairs, as found here, and
    expected stopping times of 1.84 to 2.32 N*. The construction it describes stops sooner: at
    1.30 N* in the mean on the pair of gap 2.4% (N* = 2362) and 1.15 N* on that of 7.8%
    (N* = 294). The paper's range is nearer the 80th percentile, the items at which the power
    is 0.80: 2.0 N* and 1.8 N*.
    """
    total = _discordance("p10 and p01", p10, p01)
    end, trials = _positive_count("horizon", horizon), _positive_count("n_trials", n_trials)
    signs_rng, items_rng = rng.spawn(2)
    steps = max(1, int(binom.isf(_OUTSIDE, end, total)))
    gap = anytime_boundary(np.arange(1, steps + 1), alpha=alpha, mixture=mixture).gap
    crossing = _first_discordant_crossing(gap, p10 / total, trials, signs_rng)
    # Drawn for every trial, so that the stream does not depend on which ones cross.
    arrival = np.where(crossing > 0, crossing, 1)
    items = arrival + items_rng.negative_binomial(arrival, total)
    crossed = (crossing > 0) & (items <= end)
    stopping = np.where(crossed, items, np.inf)
    rate = float(crossed.mean())
    return EProcessCalibration(
        stopping_items=stopping,
        rejection_rate=rate,
        standard_error=float(np.sqrt(rate * (1 - rate) / trials)),
        mean_stopping=float(items[crossed].mean()) if crossed.any() else np.nan,
        mean_stopping_error=(
            float(items[crossed].std() / np.sqrt(crossed.sum())) if crossed.any() else np.nan
        ),
        restricted_mean=float(np.minimum(stopping, end).mean()),
        horizon=end,
        n_trials=trials,
        alpha=alpha,
        mixture=mixture,
    )


def _first_discordant_crossing(
    gap: FloatArray, theta: float, trials: int, rng: np.random.Generator
) -> IntArray:
    """Discordant items until |b - c| reaches the boundary, 0 where it does not."""
    # |b - c| is a whole number: a root a rounding error above one belongs to it.
    limit = gap - 1e-9
    crossing = np.zeros(trials, dtype=np.int64)
    rows = max(1, _BLOCK // gap.size)
    for start in range(0, trials, rows):
        ups = rng.random((min(rows, trials - start), gap.size)) < theta
        walk = np.cumsum(2 * ups.astype(np.int8) - 1, axis=1, dtype=np.int32)
        beyond = np.abs(walk) >= limit
        first = beyond.argmax(axis=1) + 1
        crossing[start : start + rows] = np.where(beyond.any(axis=1), first, 0)
    return crossing


def _stream_name(name: str, reference: Reference) -> str:
    if reference not in ("drawn", "expected"):
        raise InvalidArgument(f"reference must be 'drawn' or 'expected', got {reference!r}")
    return name if reference == "drawn" else f"{name}/expected"


def _normal_lattice(n: int) -> FloatArray:
    """Equidistributed points of two independent standard normal variables, shape (n, 2)."""
    rank = np.arange(n) + 0.5
    golden = (np.sqrt(5.0) - 1) / 2
    return np.asarray(ndtri(np.stack([rank / n, (rank * golden) % 1.0], axis=1)))


def _graded_scores(z: FloatArray, mean_shift: float, rho_z: float) -> tuple[FloatArray, FloatArray]:
    """Scores of A and B at independent normal variables of shape (n_items, 2)."""
    latent = float(_open_interval("rho_z", rho_z, -1.0))
    mean_b = open_unit("2/3 - mean_shift", _MEAN_A - mean_shift)
    z_a, other = z.T
    z_b = latent * z_a + np.sqrt(1 - latent**2) * other
    return _beta_quantile(_MEAN_A, z_a), _beta_quantile(mean_b, z_b)


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


def _rejects(b: IntArray, c: IntArray, n: int, alpha: float) -> BoolArray:
    """Decisions of the five tests, shape (5, number of tables), in the order of `TESTS`."""
    by_p_value = [
        test(b, c) <= alpha
        for test in (
            mcnemar_asymptotic,
            mcnemar_exact,
            mcnemar_mid_p,
            mcnemar_continuity_corrected,
        )
    ]
    return np.stack([*by_p_value, percentile_bootstrap_rejects(b, c, n, alpha=alpha)])


def _table_probabilities(p10: float, p01: float, n: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Tables (b, c) that hold all but a trace of the trinomial mass, with their mass."""
    _discordance("p10 and p01", p10, p01)
    b_range, c_range = _binomial_range(n, p10), _binomial_range(n, p01)
    b, c = (grid.ravel() for grid in np.meshgrid(b_range, c_range))
    inside = b + c <= n
    b, c = b[inside], c[inside]
    # P(c) P(b | c): given c, the other n - c items favor A with probability p10 / (1 - p01).
    mass = binom.pmf(c, n, p01) * binom.pmf(b, n - c, p10 / (1 - p01))
    return b, c, mass


def _binomial_range(n: int, p: float) -> IntArray:
    low, high = binom.ppf(_OUTSIDE, n, p), binom.isf(_OUTSIDE, n, p)
    return np.arange(int(max(low, 0)), int(high) + 1)


def _cells(p_a: ArrayLike, p_b: ArrayLike, rho_z: FloatArray) -> PairedCells:
    a, b = np.asarray(p_a, dtype=np.float64), np.asarray(p_b, dtype=np.float64)
    p11 = np.clip(
        _bivariate_normal_cdf(ndtri(a), ndtri(b), rho_z),
        np.maximum(a + b - 1, 0),
        np.minimum(a, b),
    )
    covariance = p11 - a * b
    rho = covariance / np.sqrt(a * (1 - a) * b * (1 - b))
    return PairedCells(p11, a - p11, b - p11, 1 - a - b + p11, rho)


def _bivariate_normal_cdf(h: FloatArray, k: FloatArray, rho: FloatArray) -> FloatArray:
    """P(X <= h, Y <= k) by Owen's T (Owen 1956, eq. 2.1); |rho| < 1."""
    # The formula divides by h and k; 1e-300 in place of 0 takes its limit.
    h, k = np.where(h == 0, 1e-300, h), np.where(k == 0, 1e-300, k)
    root = np.sqrt((1 - rho) * (1 + rho))
    towards_k, towards_h = (k / h - rho) / root, (h / k - rho) / root
    opposite = np.where(np.sign(h) != np.sign(k), 0.5, 0.0)
    total = (ndtr(h) + ndtr(k)) / 2 - owens_t(h, towards_k) - owens_t(k, towards_h) - opposite
    return np.asarray(total, dtype=np.float64)


def _beta_quantile(mean: float, z: FloatArray) -> FloatArray:
    quantile = betaincinv(_CONCENTRATION * mean, _CONCENTRATION * (1 - mean), ndtr(z))
    return np.asarray(quantile, dtype=np.float64)


def _discordance(name: str, p10: float, p01: float) -> float:
    total = float(p10) + float(p01)
    if not (p10 >= 0 and p01 >= 0 and 0 < total <= 1 and p01 < 1):
        raise InvalidArgument(
            f"{name} must not be negative, with a sum in (0, 1], got {p10!r} and {p01!r}"
        )
    return total


def _open_interval(name: str, value: ArrayLike, low: float) -> FloatArray:
    array = finite(name, value)
    outside = (array <= low) | (array >= 1)
    if np.any(outside):
        first = float(np.atleast_1d(array)[np.atleast_1d(outside)][0])
        raise InvalidArgument(f"{name} must lie strictly in ({low:g}, 1), got {first!r}")
    return array


def _positive_count(name: str, value: int) -> int:
    number = int(counts(name, value))
    if number == 0:
        raise InvalidArgument(f"{name} must be at least 1, got {value!r}")
    return number
