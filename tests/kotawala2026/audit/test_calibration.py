"""Table 2's bootstrap row against its exact law, which is written with the standard library alone.

That oracle draws nothing and shares nothing with the package: the latent normal pair is
integrated by Simpson's rule, the gap solved by bisection, and every table (b, c) of 500 items
is enumerated; the second derivations have the other four rows by it. Only the bootstrap with
finitely many resamples is held against a simulation.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import product

import numpy as np
import pytest
from second_derivations_calibration import (
    ACCURACIES,
    LATENT_RHOS,
    binomial,
    discordance,
    largest_deviation,
    rejection,
    tuned_gap,
)
from second_derivations_paper import Z_ALPHA

from findings_by_name import Sets, Values
from kotawala2026.quantities.calibration import bootstrap_rejection
from replication.findings import Finding

N = 500
# Table 2, columns |alpha - alpha|max, by test.
PRINTED = {
    "mcnemar_chi2": 0.9,
    "exact": 1.1,
    "mid_p": 0.8,
    "continuity_corrected": 1.1,
    "paired_bootstrap": 0.9,
}


def walk_tail(b: int, c: int) -> float:
    """P(b* <= c*) of a resample of 500 items, by the number m of discordant ones in it."""
    theta, discordant = b / (b + c), dict(binomial(N, (b + c) / N))
    at_most, mass = 1.0, 1.0  # P(Bin(m, theta) <= m/2), P(Bin(m, theta) = m // 2) at m = 0
    total = 0.0
    for m in range(N + 1):
        total += discordant.get(m, 0.0) * at_most
        if m % 2 == 0:  # m + 1 is odd, the threshold stays m/2
            at_most -= theta * mass
            mass *= (m + 1) / (m // 2 + 1) * (1 - theta)
        else:  # m + 1 is even, the threshold rises by one
            at_most -= theta * mass
            mass *= (m + 1) / ((m + 1) // 2) * theta
            at_most += mass
    return total


@cache
def bootstrap_boundary(c: int) -> int:
    """Smallest b above c at which the percentile bootstrap rejects, from a normal guess on."""
    b = c + max(1, round(Z_ALPHA * math.sqrt(2 * c + 4)))
    while walk_tail(b, c) >= 0.025:
        b += 1
    while b > c + 1 and walk_tail(b - 1, c) < 0.025:
        b -= 1
    return b


@cache
def bootstrap_critical(m: int) -> int:
    """Smallest of the larger of b and c at which the bootstrap rejects with b + c = m."""
    larger = range(m // 2 + 1, m + 1)
    return next((b for b in larger if b >= bootstrap_boundary(m - b)), m + 1)


def test_the_bootstrap_row_hangs_on_the_number_of_resamples(evidence: list[Finding]) -> None:
    """Table 2 prints 5.2 pp: beyond chance with infinitely many resamples, within it with 500."""
    rows = {f.subject: f for f in evidence if f.quantity == "power_max_dev_nine"}
    powers = [
        rejection(bootstrap_critical, *discordance(p, tuned_gap(p, rho, N), rho), n_items=N)
        for p, rho in product(ACCURACIES, LATENT_RHOS)
    ]
    mean, spread = (100 * x for x in largest_deviation(powers, 0.8))
    infinitely_many = rows["paired_bootstrap"]
    assert infinitely_many.value == pytest.approx(mean, abs=1e-6)
    assert infinitely_many.standard_error == pytest.approx(spread, abs=1e-6)
    far = [
        (5.15 - float(row.value)) / row.standard_error
        for row in (infinitely_many, rows["paired_bootstrap, 500 resamples"])
    ]
    assert far[0] > 4 > far[1]


def test_deviations_of_any_five_cells_are_at_most_what_section_5_says(
    sets: Sets,
) -> None:
    for test, printed in PRINTED.items():
        low, high = sets["type1_max_dev_any_five", test]
        assert low < printed <= high
        assert high == (0.95 if test == "paired_bootstrap" else 1.15)


def test_bootstrap_with_500_resamples_by_resampling() -> None:
    # 8,000 trials of 500 resamples each, drawn; the bound is 4.5 standard errors.
    only_a, only_b = discordance(0.7, tuned_gap(0.7, 0.4, N), 0.4)
    rng = np.random.default_rng(20260528)
    trials, resamples = 8_000, 500
    counts = rng.multinomial(N, [only_a, only_b, 1 - only_a - only_b], size=trials)
    rejects = 0
    for b, c, rest in counts:
        drawn = rng.multinomial(N, np.array([b, c, rest]) / N, size=resamples)
        ranked = np.sort(drawn[:, 0] - drawn[:, 1])
        rejects += ranked[12] > 0 or ranked[-13] < 0  # the 13th of 500 is the 2.5th percentile
    exact = bootstrap_rejection(only_a, only_b, N, n_resamples=resamples)
    assert abs(rejects / trials - exact) < 4.5 * math.sqrt(exact * (1 - exact) / trials)


def test_many_resamples_come_to_the_exact_bootstrap() -> None:
    only_a, only_b = discordance(0.5, tuned_gap(0.5, 0.0, N), 0.0)
    exact = rejection(bootstrap_critical, only_a, only_b, N)
    approached = bootstrap_rejection(only_a, only_b, N, n_resamples=10**10)
    assert approached == pytest.approx(exact, abs=1e-6)


def test_a_test_is_as_far_below_the_asymptotic_one_as_the_target_says(found: Values) -> None:
    what = "power_below_target_nine"
    below = {test: value for (quantity, test), value in found.items() if quantity == what}
    for name, value in below.items():
        apart = found["power_below_chi2_nine", name]
        assert apart == pytest.approx(value - below["mcnemar_chi2"], abs=1e-9)
    assert len(below) == 5
