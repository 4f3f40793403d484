"""Second derivations: the mixture e-process of eq. (24), on printed counts and in expectation."""

from __future__ import annotations

import math
from functools import cache

from second_derivations_paper import (
    ALPHA,
    MONTE_CARLO_ERRORS,
    Derivation,
    Derived,
    K,
    table,
)

POINTS = [i / 100 for i in range(1, 100) if i != 50]  # Appendix C, mixture choice
LOG_THRESHOLD = math.log(1 / ALPHA)  # Appendix C, Ville's inequality
TRIALS = 600  # Appendix C, calibration
STOPPING_RATIO = (1.84, 2.32)  # Appendix C, calibration, last sentence
STOPPING_HALF_UNIT = 0.005

LOGS = [(math.log(2 * theta), math.log(2 * (1 - theta))) for theta in POINTS]


def log_e(b: float, c: float) -> float:
    """Log of eq. (24): the mean over the 98 θ of (2θ)^b (2(1-θ))^c."""
    exponents = [b * for_a + c * for_b for for_a, for_b in LOGS]
    top = max(exponents)
    return top + math.log(sum(math.exp(x - top) for x in exponents) / len(exponents))


def five_against_six() -> Derived:
    """At b = 1680, c = 1454 θ = 0.52 to 0.55 alone give e above 77; the threshold is 20."""
    (row,) = [row for row in table(7) if row["pair"] == "5 vs 6"]
    value = log_e(int(row["b"]), int(row["c"]))
    return Derived(value, value >= LOG_THRESHOLD)


@cache
def boundary(m: int) -> int:
    """Smallest of the larger of b and c at which the e-process has crossed with b + c = m.

    Eq. (24) is a martingale under θ = 1/2, symmetric and convex in b, so that one discordant
    item more moves the boundary by none or one.
    """
    if m == 0:
        return 1
    stays = boundary(m - 1)
    return stays if stays <= m and log_e(stays, m - stays) >= LOG_THRESHOLD else stays + 1


def discordant_items(theta: float) -> tuple[float, float]:
    """Mean and variance of the number M of discordant items at the crossing, exactly.

    One discordant item after the other moves the chances of b on to b or b + 1, and what reaches
    the boundary on either side stops there. E M = Σ P(M > m) and E M² = Σ (2m + 1) P(M > m).
    """
    chances = {0: 1.0}
    first = second = 0.0
    m = 0
    while (running := math.fsum(chances.values())) > 1e-12:
        first += running
        second += (2 * m + 1) * running
        m += 1
        upper = boundary(m)
        lower = m - upper
        moved: dict[int, float] = {}
        for b, chance in chances.items():
            moved[b] = moved.get(b, 0.0) + chance * (1 - theta)
            moved[b + 1] = chance * theta
        chances = {b: chance for b, chance in moved.items() if lower < b < upper}
    return first, second - first**2


def stopping_ratio(delta: float, n_star: int) -> Derivation:
    """Expected number of items at the crossing over N*, for a pair of gap δ.

    Eq. (6) gives the share of discordant items, ψ = N* δ²/K + δ², and θ = (1 + δ/ψ)/2. Between
    two discordant items lie geometrically many, so the items T at the crossing have E T = E M/ψ
    and Var T = E M (1-ψ)/ψ² + Var M/ψ². The printed number is a mean of 600 such T. Where the run
    ends a trajectory, at 10 N* items, less than one in a million has not crossed.
    """

    def derive() -> Derived:
        psi = n_star * delta**2 / K + delta**2
        mean, variance = discordant_items((1 + delta / psi) / 2)
        ratio = mean / psi / n_star
        deviation = math.sqrt(mean * (1 - psi) + variance) / psi / n_star
        allowed = STOPPING_HALF_UNIT + MONTE_CARLO_ERRORS * deviation / math.sqrt(TRIALS)
        low, high = STOPPING_RATIO
        outside = ratio < low - allowed or ratio > high + allowed
        return Derived(ratio, outside, one_trial=deviation)

    return derive
