"""How often the five tests of Table 2 reject: simulated, and exactly.

Counts are sufficient, so that cells are drawn, never items, and the rejection probability of a
test is also known exactly, by summing over the tables (b, c).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from kotawala2026.populations import gap_at_required_n
from llm_power._statistics._numerics import binomial_pmf, likely_counts
from llm_power._statistics.argument_checks import discordance, open_unit, positive_count
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray, RandomSource
from llm_power._statistics.copula_pairs import paired_bernoulli_cells
from llm_power._statistics.mcnemar import (
    mcnemar_asymptotic,
    mcnemar_continuity_corrected,
    mcnemar_exact,
    mcnemar_mid_p,
)
from llm_power._statistics.paired_bootstrap import percentile_bootstrap_rejects
from llm_power._statistics.random_streams import named_rng

#: The five tests of Table 2, in its order.
TESTS = ("mcnemar_chi2", "exact", "mid_p", "continuity_corrected", "paired_bootstrap")

# Probability left out on each side of a binomial range.
_OUTSIDE = 1e-14


@dataclass(frozen=True, slots=True)
class RejectionRates:
    """How often the five tests of Table 2 reject, arrays of shape (5,) in the order of `TESTS`."""

    simulated: FloatArray
    standard_error: FloatArray  # of `simulated`, at the exact probability
    exact: FloatArray


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

    The paired bootstrap enters by its exact decision: infinitely many resamples.
    """
    rng = np.random.default_rng(rng)
    level = open_unit("alpha", alpha)
    n, trials = positive_count("n_items", n_items), positive_count("n_trials", n_trials)
    exact = exact_rates(p10, p01, n, alpha=level)
    drawn = rng.multinomial(n, [p10, p01, 1 - p10 - p01], size=trials)
    simulated = _rejects(drawn[:, 0], drawn[:, 1], n, level).mean(axis=1)
    return RejectionRates(
        simulated=simulated,
        standard_error=np.sqrt(exact * (1 - exact) / trials),
        exact=exact,
    )


def exact_rates(p10: float, p01: float, n_items: int, *, alpha: float = 0.05) -> FloatArray:
    """Probability that each of the five tests rejects, in the order of `TESTS`."""
    b, c, mass = likely_tables(p10, p01, n_items)
    return np.asarray(_rejects(b, c, n_items, alpha) @ mass)


def calibration_cell(
    p: float,
    rho_z: float,
    n_items: int = 500,
    *,
    n_trials: int = 1_500,
    seed: int,
) -> pd.DataFrame:
    r"""Return the rates under :math:`p_A = p_B = p`, and at the gap with this :math:`N^*`.

    A row a test, in one cell of Section 5's grid; the streams are
    ``calibration/p/rho_z/n/hypothesis``.
    """
    delta = gap_at_required_n(p, rho_z, n_items)
    rhos: dict[str, float] = {}
    rates: dict[str, FloatArray] = {}
    for name, rate, gap in (("null", "type1", 0.0), ("alternative", "power", delta)):
        of_tests = rejection_rates(
            *discordance_at(p, rho_z, gap),
            n_items,
            n_trials=n_trials,
            rng=named_rng(seed, f"calibration/{p:g}/{rho_z:g}/{n_items}/{name}"),
        )
        rhos[f"rho_{name}"] = float(paired_bernoulli_cells(p + gap / 2, p - gap / 2, rho_z).rho)
        rates |= {
            rate: of_tests.simulated,
            f"{rate}_se": of_tests.standard_error,
            f"{rate}_exact": of_tests.exact,
        }
    cell = {"n_items": n_items, "n_trials": n_trials, "delta": delta}
    return pd.DataFrame({"p": p, "rho_z": rho_z, "test": TESTS, **cell, **rhos, **rates})


def discordance_at(p: float, rho_z: float, gap: float) -> tuple[float, float]:
    """Return the discordance probabilities of accuracies p ± gap/2 at a latent correlation."""
    cells = paired_bernoulli_cells(p + gap / 2, p - gap / 2, rho_z)
    return float(cells.p10), float(cells.p01)


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


def likely_tables(p10: float, p01: float, n: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the tables (b, c) that hold all but a trace of the trinomial mass, and their mass."""
    discordance(p10, p01)
    likely = (likely_counts(n, n, p, outside=_OUTSIDE) for p in (p10, p01))
    b, c = (grid.ravel() for grid in np.meshgrid(*likely))
    inside = b + c <= n
    b, c = b[inside], c[inside]
    # P(c) P(b | c): given c, the other n - c items favor A with probability p10 / (1 - p01).
    favored = p10 / (1 - p01) if p01 < 1 else 0.0
    mass = binomial_pmf(c, n, p01) * binomial_pmf(b, n - c, favored)
    return b, c, mass
