"""How often the five tests of Table 2 reject: simulated, and exactly.

Counts are sufficient, so that cells are drawn, never items, and the rejection probability of a
test is also known exactly, by summing over the tables (b, c).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from llm_power._errors import InvalidArgument
from llm_power._statistics._numerics import binomial_pmf, find_roots, likely_counts
from llm_power._statistics.argument_checks import (
    counts,
    discordance,
    open_unit,
    positive_count,
    strictly_between,
)
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray, RandomSource
from llm_power._statistics.copula_pairs import copula_cells, paired_bernoulli_cells
from llm_power._statistics.inversion import z_sum
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


def gap_at_required_n(
    p: float, rho_z: float, n_items: int, *, alpha: float = 0.05, power: float = 0.80
) -> float:
    """Gap whose required N is exactly `n_items` (the alternative of Section 5)."""
    mid, latent = open_unit("p", p), float(strictly_between("rho_z", rho_z, -1.0, 1.0))
    n, k = int(counts("n_items", n_items)), float(z_sum(alpha, power)) ** 2

    def surplus(delta: FloatArray) -> FloatArray:
        cells = copula_cells(mid + delta / 2, mid - delta / 2, np.full(np.shape(delta), latent))
        # N* <= n without dividing by the gap: K (b + c - delta^2) <= n delta^2.
        return (n + k) * np.square(delta) - k * (cells.p10 + cells.p01)

    widest = 2 * min(mid, 1 - mid) * (1 - 1e-9)
    root = find_roots(surplus, (np.asarray(1e-9), np.asarray(widest)))
    if not np.isfinite(root):
        raise InvalidArgument(
            f"n_items is too small for any gap around p={p!r} to have N* = n, got {n_items!r}"
        )
    return float(root)


def discordance_from_required_n(
    delta: float, n_star: float, *, alpha: float = 0.05, power: float = 0.80
) -> tuple[float, float]:
    r"""Discordance probabilities of a pair known by its gap and required N alone.

    Eq. (3) gives :math:`\sigma_D^2`, and :math:`p_{10} + p_{01} = \sigma_D^2 + \delta^2`.
    Figure 4's pair is (0.024, 2362).
    """
    variance = n_star * delta**2 / float(z_sum(alpha, power)) ** 2
    total = variance + delta**2
    p10, p01 = (total + delta) / 2, (total - delta) / 2
    if n_star <= 0 or min(p10, p01) < 0 or total > 1:
        raise InvalidArgument(f"no pair has delta={delta!r} and n_star={n_star!r}")
    return p10, p01


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
