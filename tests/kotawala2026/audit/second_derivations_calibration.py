"""Second derivations: the calibration grid of Table 2, exactly, with no simulated trial."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from statistics import NormalDist

from second_derivations_paper import (
    ALPHA,
    MONTE_CARLO_ERRORS,
    POWER,
    Z_ALPHA,
    Derivation,
    Derived,
    K,
    exact,
    half_unit,
    table,
)

# Section 5, first paragraph; the trials: Table 2, caption
ACCURACIES = [0.5, 0.7, 0.9]
LATENT_RHOS = [0.0, 0.4, 0.8]
SIZES = [500]
TRIALS = 1500


def data_of_the_bootstrap() -> Derived:
    """The bootstrap's row says binary/graded where the note says graded data only."""
    (row,) = [row for row in table(2) if row["variant"].startswith("Paired bootstrap")]
    return Derived(row["data"], row["data"] != "graded")


def both_solved(p_a: float, p_b: float, rho_z: float) -> float:
    """P(Z_A <= x, Z_B <= y) of two normals with correlation ρ_z, by Plackett's identity.

    Its derivative in the correlation r is the bivariate density at (x, y); with r = sin t the
    integrand exp(-(x² - 2xy sin t + y²)/(2 cos² t))/(2π) is smooth, for Simpson's rule.
    """
    x, y = NormalDist().inv_cdf(p_a), NormalDist().inv_cdf(p_b)
    end, steps = math.asin(rho_z), 200

    def integrand(t: float) -> float:
        return math.exp(-(x * x - 2 * x * y * math.sin(t) + y * y) / (2 * math.cos(t) ** 2))

    ends = integrand(0) + integrand(end)
    inner = sum((4 if i % 2 else 2) * integrand(end * i / steps) for i in range(1, steps))
    return p_a * p_b + (ends + inner) * end / steps / 3 / (2 * math.pi)


def discordance(p: float, delta: float, rho_z: float) -> tuple[float, float]:
    """Chances that only A and that only B solves an item, at accuracies p ± δ/2."""
    p_a, p_b = p + delta / 2, p - delta / 2
    both = both_solved(p_a, p_b, rho_z)
    return p_a - both, p_b - both


def tuned_gap(p: float, rho_z: float, n_items: int) -> float:
    """The gap with N* = n: eq. (6) with σ_D² = b/n + c/n - δ², by bisection."""

    def short(delta: float) -> bool:
        only_a, only_b = discordance(p, delta, rho_z)
        return K * (only_a + only_b - delta**2) / delta**2 > n_items

    low, high = 1e-6, 2 * min(p, 1 - p) - 1e-6
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if short(middle) else (low, middle)
    return (low + high) / 2


def rejects_chi2(m: int, larger: int) -> bool:
    """McNemar: (b-c)²/(b+c) against the square of the normal quantile."""
    return (2 * larger - m) ** 2 > Z_ALPHA**2 * m


def rejects_corrected(m: int, larger: int) -> bool:
    """The same after |b-c| is lessened by one."""
    return 2 * larger - m > 1 and (2 * larger - m - 1) ** 2 > Z_ALPHA**2 * m


def tail(m: int, larger: int) -> int:
    """2^m times the chance that a fair coin shows `larger` or more heads in m throws."""
    return sum(math.comb(m, k) for k in range(larger, m + 1))


def rejects_exact(m: int, larger: int) -> bool:
    """Both tails of Binomial(m, 1/2) together at most α, in whole numbers."""
    return 2 * larger > m and 2 * tail(m, larger) * round(1 / ALPHA) <= 2**m


def rejects_mid_p(m: int, larger: int) -> bool:
    """The same with half of the observed count's chance."""
    twice = 2 * tail(m, larger) - math.comb(m, larger)
    return 2 * larger > m and twice * round(1 / ALPHA) <= 2**m


# In the order of the rows of Table 2
TESTS: list[Callable[[int, int], bool]]
TESTS = [rejects_chi2, rejects_exact, rejects_mid_p, rejects_corrected]


@cache
def critical(test: int, m: int) -> int:
    """Smallest of the larger of b and c at which a test rejects with b + c = m; m + 1 if none."""
    # At a fixed count the tail grows with m, so that the smallest one never falls.
    start = critical(test, m - 1) if m else 0
    return next((k for k in range(start, m + 1) if TESTS[test](m, k)), m + 1)


def binomial(m: int, chance: float) -> Iterator[tuple[int, float]]:
    """The counts of Binomial(m, chance) within twelve standard deviations, and their chances."""
    spread = 12 * math.sqrt(m * chance * (1 - chance)) + 1
    first, last = max(0, int(m * chance - spread)), min(m, int(m * chance + spread))
    logs = math.log(chance), math.log1p(-chance)
    term = math.exp(math.log(math.comb(m, first)) + first * logs[0] + (m - first) * logs[1])
    for k in range(first, last + 1):
        yield k, term
        term *= (m - k) / (k + 1) * chance / (1 - chance)


def rejection(smallest: Callable[[int], int], only_a: float, only_b: float, n_items: int) -> float:
    """Chance of a rejection: b + c ~ Binomial(n, ψ), then b ~ Binomial(b+c, θ).

    With b + c = m it is rejected where the larger of b and c is at least `smallest(m)`.
    """
    total = 0.0
    for m, chance in binomial(n_items, only_a + only_b):
        larger = smallest(m)
        inner = (
            share for b, share in binomial(m, only_a / (only_a + only_b)) if max(b, m - b) >= larger
        )
        total += chance * math.fsum(inner)
    return total


@cache
def powers(test: int) -> list[float]:
    """Power of a test in each cell, at the gap whose N* is the cell's size."""
    return [
        rejection(
            partial(critical, test), *discordance(p, tuned_gap(p, rho_z, n), rho_z), n_items=n
        )
        for p, rho_z, n in product(ACCURACIES, LATENT_RHOS, SIZES)
    ]


def largest_deviation(rates: list[float], target: float) -> tuple[float, float]:
    """Mean and standard deviation, over runs, of the largest |share - target| that a run shows.

    A run's rejections in a cell are Binomial(1500, rate) and the target is T of them, so the
    largest distance J is a whole number with P(J <= j) the product over the cells of
    P(|X - T| <= j), E J = Σ P(J > j) and E J² = Σ (2j + 1) P(J > j).
    """
    expected = round(target * TRIALS)
    within = [1.0] * (TRIALS + 1)
    for rate in rates:
        at_distance = [0.0] * (TRIALS + 1)
        for rejections, chance in binomial(TRIALS, rate):
            at_distance[abs(rejections - expected)] += chance
        cumulative = 0.0
        for j, chance in enumerate(at_distance):
            cumulative += chance
            within[j] *= cumulative
    beyond = [1 - chance for chance in within]
    first = math.fsum(beyond)
    second = math.fsum((2 * j + 1) * chance for j, chance in enumerate(beyond))
    return first / TRIALS, math.sqrt(second - first**2) / TRIALS


def power_max_dev_pp(row: int) -> Derivation:
    """The largest deviation that a run of Section 5's grid is expected to show, in pp.

    The four tests' exact powers in the nine cells lie within 0.8, 3.1, 0.8 and 3.7 pp of 0.80,
    and a run of 1,500 trials adds an error of 1.03 pp to each.
    """

    def derive() -> Derived:
        mean, deviation = largest_deviation(powers(row - 1), POWER)
        printed = table(2)[row - 1]["power_max_dev_pp"]
        allowed = half_unit(printed) + MONTE_CARLO_ERRORS * 100 * deviation
        return Derived(100 * mean, abs(100 * mean - exact(printed)) > allowed)

    return derive
