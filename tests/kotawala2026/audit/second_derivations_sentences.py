"""Sentences whose every reading is contradicted, or that one counterexample contradicts."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist, median

from second_derivations_calibration import powers
from second_derivations_paper import Derived, constant, shortcut_ratio, table
from second_derivations_sequential import LOG_THRESHOLD, log_e

# Displayed on Open LLM Leaderboard v1, in percent.
OLL_V1 = [
    *("63.14", "61.09", "60.75", "59.22", "51.45"),  # ARC-C
    *("84.88", "82.47", "78.55", "82.02", "71.96"),  # HellaSwag
    *("77.19", "78.45", "74.51", "77.11", "67.96"),  # Winogrande
    *("40.03", "52.77", "68.69", "45.34", "29.19"),  # GSM8K
]


def accuracies_near_half() -> Derived:
    """Of the 20 scores of OLL v1 those within five points of one half are 51.45, 52.77, 45.34."""
    share = sum(abs(Fraction(score) - 50) <= 5 for score in OLL_V1) / len(OLL_V1)
    return Derived(share, share < 0.5)


def left_open() -> Derived:
    """Section 1 leaves open what Section 4.1 says is found."""
    return Derived("left open", True)


def fourth_order_at_most() -> Derived:
    """The largest excess over C δ² at δ = 0.20 is at p = 0.8, ρ = 0.1, where C is nearly zero."""
    p, rho, delta = 0.8, Fraction(1, 10), 0.2
    deviation = abs(shortcut_ratio(p + delta / 2, p - delta / 2, float(rho)) - 0.5)
    value = deviation / (float(constant(Fraction(4, 5), rho)) * delta**2) - 1
    return Derived(value, value > 0.175)


def sharpest_at_half() -> Derived:
    """C(0.757, 0.3) is nearly zero, and smaller than the 1/3 of p = 1/2."""
    value = float(constant(Fraction(757, 1000), Fraction(3, 10)))
    return Derived(value, value < 1 / 3)


def null_trajectories() -> Derived:
    """Appendix C prints that 0.035 of the null trajectories cross, of 600; not none does."""
    rate = 0.035
    # The printed rate has 600 trials and the run's 20,000, where the test counts 5,000.
    one_trial = math.sqrt(rate * (1 - rate) * (5000 / 600 + 5000 / 20_000))
    return Derived(rate, rate > 0, one_trial)


def remaining_gap() -> Derived:
    """Of the exact medians of χ² and mid-p neither displays as 0.79; the bootstrap's may."""
    shown = [round(median(powers(test)), 2) for test in (0, 2)]
    at_most = shown.count(0.79) + 1
    return Derived(at_most, at_most < 3)


def caption_of_figure_2() -> Derived:
    """The caption has bars where Section 6.1 has markers."""
    return Derived("bars of N*/N above a line at 1", True)


def rows_that_follow() -> Derived:
    """δ_MDE, q, multiplicity and the interval of N* at most, of eight rows."""
    return Derived(4, len(table(12)) > 4)


def inflation_of_fewest() -> Derived:
    """At the 52 discordant items of 3 vs 4 the e-process crosses at a z that inflates N* by 1.94.

    At no pair's own number of them is the inflation 2.15: 2.26 at 360, which come nearest.
    """
    values = [_inflation(int(row["b"]) + int(row["c"])) for row in table(7)]
    return Derived(min(values), all(abs(value - 2.15) > 0.005 for value in values))


def _inflation(m: int) -> float:
    low, high = m / 2, float(m)
    while high - low > 1e-12 * m:
        middle = (low + high) / 2
        low, high = (low, middle) if log_e(middle, m - middle) >= LOG_THRESHOLD else (middle, high)
    u = (high - (m - high)) / math.sqrt(m)
    z_a, z_b = NormalDist().inv_cdf(0.975), NormalDist().inv_cdf(0.8)
    return ((u + z_b) / (z_a + z_b)) ** 2


def resolved_calibration_pairs() -> Derived:
    """N* of 2,362 and of 294 against the 1,172 items of ARC."""
    resolved = sum(n_star <= 1172 for n_star in (2362, 294))
    return Derived(resolved, resolved < 2)
