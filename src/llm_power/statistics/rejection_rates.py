"""How often the five tests of Table 2 reject: simulated, and exactly.

Counts are sufficient, so that cells are drawn, never items, and the rejection probability of a
test is also known exactly, by summing over the tables (b, c).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from llm_power.statistics._binomial import binomial_pmf, likely_counts
from llm_power.statistics._checks import discordance, open_unit, positive_count
from llm_power.statistics._seeds import named_rng
from llm_power.statistics._typing import BoolArray, FloatArray, IntArray, RandomSource
from llm_power.statistics.bernoulli_pairs import gap_at_required_n, paired_bernoulli_cells
from llm_power.statistics.bootstrap_law import percentile_bootstrap_rejects
from llm_power.statistics.mcnemar import (
    mcnemar_asymptotic,
    mcnemar_continuity_corrected,
    mcnemar_exact,
    mcnemar_mid_p,
)

#: The five tests of Table 2, in its order.
TESTS = ("mcnemar_chi2", "exact", "mid_p", "continuity_corrected", "paired_bootstrap")

# Probability left out on each side of a binomial range.
_OUTSIDE = 1e-14


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

    Examples
    --------
    >>> from llm_power.statistics.rejection_rates import rejection_rates
    >>> rates = rejection_rates(0.1, 0.1, 100, n_trials=200, rng=1)
    >>> rates.tests
    ('mcnemar_chi2', 'exact', 'mid_p', 'continuity_corrected', 'paired_bootstrap')
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
    rng: RandomSource = None,
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
    rng : numpy.random.Generator or int, optional
        Stream of random numbers; a seed starts one, and by default it is fresh.

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

    Examples
    --------
    >>> from llm_power.statistics.rejection_rates import rejection_rates
    >>> rates = rejection_rates(0.1, 0.1, 100, n_trials=200, rng=1)
    >>> rates.tests
    ('mcnemar_chi2', 'exact', 'mid_p', 'continuity_corrected', 'paired_bootstrap')
    >>> rates.exact.round(4)
    array([0.0522, 0.0294, 0.0457, 0.0266, 0.0422])
    """
    rng = np.random.default_rng(rng)
    level = open_unit("alpha", alpha)
    n, trials = positive_count("n_items", n_items), positive_count("n_trials", n_trials)
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

    Examples
    --------
    >>> from llm_power.statistics.rejection_rates import calibration_cell
    >>> cell = calibration_cell(0.6, rho_z=0.5, n_items=200, n_trials=100, seed=1)
    >>> cell.p, cell.power
    (0.6, 0.8)
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

    Examples
    --------
    >>> from llm_power.statistics.rejection_rates import calibration_cell
    >>> cell = calibration_cell(0.6, rho_z=0.5, n_items=200, n_trials=100, seed=1)
    >>> round(cell.delta, 4)
    0.1121
    >>> cell.alternative.exact.round(3)
    array([0.796, 0.762, 0.795, 0.757, 0.781])
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
    discordance(p10, p01)
    likely = (likely_counts(n, n, p, outside=_OUTSIDE) for p in (p10, p01))
    b, c = (grid.ravel() for grid in np.meshgrid(*likely))
    inside = b + c <= n
    b, c = b[inside], c[inside]
    # P(c) P(b | c): given c, the other n - c items favor A with probability p10 / (1 - p01).
    favored = p10 / (1 - p01) if p01 < 1 else 0.0
    mass = binomial_pmf(c, n, p01) * binomial_pmf(b, n - c, favored)
    return b, c, mass
