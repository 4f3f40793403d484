"""Table 2's bounds, derived a second time with nothing but the standard library.

The oracle draws nothing and shares nothing with the package: the latent normal pair is
integrated by Simpson's rule, the gap solved by bisection, and every table (b, c) of 500 items
is enumerated. Only the bootstrap with finitely many resamples is held against a simulation.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from statistics import NormalDist, median

import numpy as np
import pytest
from evidence_values import PUBLISHED, Errors, Values, errors_of, values_of

from llm_power.audit.evidence.calibration import bootstrap_rejection, calibration
from llm_power.audit.evidence.published_numbers import load_published
from llm_power.audit.evidence.rows import EvidenceRow

N, M = 500, 1500
Z = NormalDist()
CRITICAL = Z.inv_cdf(0.975)
K = (CRITICAL + Z.inv_cdf(0.8)) ** 2
CELLS = tuple(product((0.5, 0.7, 0.9), (0.0, 0.4, 0.8)))
FIVE = ((0.5, 0.0), (0.5, 0.8), (0.7, 0.4), (0.9, 0.0), (0.9, 0.8))
# Table 2, columns |alpha - alpha|max and max. dev. from 0.80, by test.
PRINTED = {
    "mcnemar_chi2": (0.9, 5.3),
    "exact": (1.1, 10.2),
    "mid_p": (0.8, 5.9),
    "continuity_corrected": (1.1, 10.6),
    "paired_bootstrap": (0.9, 5.2),
}


@pytest.fixture(scope="module")
def rows() -> list[EvidenceRow]:
    return calibration(load_published(PUBLISHED))


@pytest.fixture(scope="module")
def found(rows: list[EvidenceRow]) -> Values:
    return values_of(rows)


@pytest.fixture(scope="module")
def errors(rows: list[EvidenceRow]) -> Errors:
    return errors_of(rows)


def discordance(p: float, rho: float, gap: float) -> tuple[float, float]:
    """P(only A) and P(only B): A below its threshold, B above it, by Simpson's rule."""
    p_a, p_b = p + gap / 2, p - gap / 2
    top, cut = Z.inv_cdf(p_a), Z.inv_cdf(p_b)
    steps, low = 2000, -9.0
    width = (top - low) / steps
    both = 0.0
    for i in range(steps + 1):
        x = low + i * width
        weight = 1 if i in (0, steps) else 4 if i % 2 else 2
        both += weight * Z.pdf(x) * Z.cdf((cut - rho * x) / math.sqrt(1 - rho * rho))
    both *= width / 3
    return p_a - both, p_b - both


@cache
def alternative(p: float, rho: float) -> tuple[float, float]:
    """Discordance at the gap with N* = 500, by bisection on eq. (6)."""
    low, high = 0.001, 0.19
    for _ in range(40):
        gap = (low + high) / 2
        only_a, only_b = discordance(p, rho, gap)
        low, high = (gap, high) if K * (only_a + only_b - gap**2) > N * gap**2 else (low, gap)
    return discordance(p, rho, low)


def log_binomial(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


@cache
def boundary(test: str, m: int) -> int:
    """Smallest |b - c| among m discordant items at which a test rejects."""
    for d in range(m % 2, m + 1, 2):
        if test == "mcnemar_chi2":
            rejects = d * d > CRITICAL**2 * m
        elif test == "continuity_corrected":
            rejects = max(d - 1, 0) ** 2 > CRITICAL**2 * m
        else:
            k = (m - d) // 2
            tail = sum(math.exp(log_binomial(m, i) - m * math.log(2)) for i in range(k + 1))
            last = math.exp(log_binomial(m, k) - m * math.log(2))
            p = min(1.0, 2 * tail) if test == "exact" else (2 * tail - last if d else 1.0)
            rejects = p <= 0.05
        if rejects:
            return d
    return m + 1


def walk_tail(b: int, c: int) -> float:
    """P(b* <= c*) of a resample of 500 items, by the number m of discordant ones in it."""
    theta, share = b / (b + c), (b + c) / N
    at_most, mass = 1.0, 1.0  # P(Bin(m, theta) <= m/2), P(Bin(m, theta) = m // 2) at m = 0
    total = 0.0
    for m in range(N + 1):
        log_m = log_binomial(N, m) + m * math.log(share) + (N - m) * math.log1p(-share)
        total += math.exp(log_m) * at_most
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
    b = c + max(1, round(CRITICAL * math.sqrt(2 * c + 4)))
    while walk_tail(b, c) >= 0.025:
        b += 1
    while b > c + 1 and walk_tail(b - 1, c) < 0.025:
        b -= 1
    return b


def rejection(test: str, only_a: float, only_b: float) -> float:
    total, share = 0.0, only_a / (only_a + only_b)
    discordant = only_a + only_b
    spread = math.sqrt(N * discordant * (1 - discordant))
    for m in range(
        max(1, int(N * discordant - 8 * spread)), min(N, int(N * discordant + 8 * spread)) + 1
    ):
        weight = math.exp(
            log_binomial(N, m) + m * math.log(discordant) + (N - m) * math.log1p(-discordant)
        )
        inner = 0.0
        for b in range(m + 1):
            c = m - b
            if test == "paired_bootstrap":
                small, large = min(b, c), max(b, c)
                # Far from significance, where no boundary lies, none is computed.
                far = large - small < 1.5 * math.sqrt(m)
                rejects = not far and large >= bootstrap_boundary(small)
            else:
                rejects = abs(b - c) >= boundary(test, m)
            if rejects:
                inner += math.exp(log_binomial(m, b) + b * math.log(share) + c * math.log1p(-share))
        total += weight * inner
    return total


def largest_deviation(rates: list[float], target: float) -> tuple[float, float]:
    """Mean and standard deviation of the largest deviation of M trials a cell."""
    center = round(M * target)
    within = [1.0] * (M + 1)
    for rate in rates:
        mass = [
            math.exp(log_binomial(M, x) + x * math.log(rate) + (M - x) * math.log1p(-rate))
            for x in range(M + 1)
        ]
        inside = 0.0
        for k in range(M + 1):
            inside += mass[center - k] if k and center - k >= 0 else 0.0
            inside += mass[center + k] if center + k <= M else 0.0
            within[k] *= inside
    mass = [high - low for high, low in zip(within, [0.0, *within], strict=False)]
    mean = sum(k * w for k, w in enumerate(mass))
    variance = sum((k - mean) ** 2 * w for k, w in enumerate(mass))
    return 100 * mean / M, 100 * math.sqrt(variance) / M


@pytest.mark.parametrize("test", PRINTED)
def test_no_five_cells_of_section_5_have_the_power_deviations_of_table_2(
    found: Values, errors: Errors, test: str
) -> None:
    rates = [rejection(test, *alternative(p, rho)) for p, rho in CELLS]
    mean, spread = largest_deviation(rates, 0.8)
    assert found["power_max_dev_nine", test] == pytest.approx(mean, abs=1e-6)
    assert errors["power_max_dev_nine", test] == pytest.approx(spread, abs=1e-6)
    exact = found["power_max_dev_exact_nine", test]
    assert exact == pytest.approx(100 * max(abs(rate - 0.8) for rate in rates), abs=1e-6)
    middle = found["power_median_exact_nine", test]
    assert middle == pytest.approx(median(rates), abs=1e-8)
    printed = PRINTED[test][1]
    assert printed - 0.05 - mean > 4 * spread


@pytest.mark.parametrize("test", [name for name in PRINTED if name != "paired_bootstrap"])
def test_type_1_deviations_of_table_2_are_within_the_noise(
    found: Values, errors: Errors, test: str
) -> None:
    rates = {cell: rejection(test, *discordance(*cell, 0.0)) for cell in CELLS}
    for name, cells in (("five", FIVE), ("nine", CELLS)):
        mean, spread = largest_deviation([rates[cell] for cell in cells], 0.05)
        assert found[f"type1_max_dev_{name}", test] == pytest.approx(mean, abs=1e-6)
        assert errors[f"type1_max_dev_{name}", test] == pytest.approx(spread, abs=1e-6)
        assert abs(PRINTED[test][0] - mean) <= 0.05 + 4 * spread
    largest = 100 * max(abs(rate - 0.05) for rate in rates.values())
    value = found["type1_max_dev_exact_nine", test]
    assert value == pytest.approx(largest, abs=1e-6)
    # Section 5: within 1.1 pp. The two conservative tests are not, over the whole grid.
    assert (largest > 1.15) == (test in ("exact", "continuity_corrected"))


def test_median_of_five_binomial_shares_by_order_statistics(found: Values) -> None:
    rates = [rejection("mcnemar_chi2", *alternative(p, rho)) for p, rho in FIVE]
    below = [0.0] * 5
    previous, mean = 0.0, 0.0
    for k in range(M + 1):
        for i, rate in enumerate(rates):
            below[i] += math.exp(
                log_binomial(M, k) + k * math.log(rate) + (M - k) * math.log1p(-rate)
            )
        reached = sum(
            math.prod(x if hit else 1 - x for x, hit in zip(below, hits, strict=True))
            for hits in product((True, False), repeat=5)
            if sum(hits) >= 3
        )
        mean += k / M * (reached - previous)
        previous = reached
    assert found["power_median_five", "mcnemar_chi2"] == pytest.approx(mean, abs=1e-8)


def test_setup(found: Values) -> None:
    assert found["calibration_cells", ""] == 3 * 3 * 1
    assert found["calibration_cells_through_the_center", ""] == 3 + 3 - 1
    assert found["calibration_tests", ""] == 5
    assert found["calibration_mc_se", "type1"] == pytest.approx(100 * math.sqrt(0.05 * 0.95 / 1500))
    assert found["calibration_mc_se", "power"] == pytest.approx(100 * math.sqrt(0.8 * 0.2 / 1500))
    assert found["calibration_target", ""] == pytest.approx(0.8, abs=1e-9)
    assert found["randomization_differs_from_exact", ""] < 1e-12
    assert found["table_2_max", "type1_max_dev_pp"] == 1.1
    assert found["table_2_max", "power_max_dev_pp"] == 10.6


def test_the_note_on_the_bootstrap_row_contradicts_the_row(found: Values) -> None:
    table = (PUBLISHED / "table_02.csv").read_text(encoding="utf-8").splitlines()
    assert table[-1].split(",")[2] == "binary/graded"
    assert found["table_2_data", "Paired bootstrap (Definition 2)"] == "binary/graded"


def test_bootstrap_with_500_resamples_by_resampling() -> None:
    # 8,000 trials of 500 resamples each, drawn; the bound is 4.5 standard errors.
    only_a, only_b = alternative(0.7, 0.4)
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


def test_bootstrap_row_of_table_2_hangs_on_the_number_of_resamples(
    found: Values, errors: Errors
) -> None:
    printed = PRINTED["paired_bootstrap"][1]
    far = [
        (printed - 0.05 - found["power_max_dev_nine", test]) / errors["power_max_dev_nine", test]
        for test in ("paired_bootstrap", "paired_bootstrap, 500 resamples")
    ]
    assert far[0] > 4 > far[1]


def test_many_resamples_come_to_the_exact_bootstrap() -> None:
    only_a, only_b = alternative(0.5, 0.0)
    exact = rejection("paired_bootstrap", only_a, only_b)
    approached = bootstrap_rejection(only_a, only_b, N, n_resamples=10**10)
    assert approached == pytest.approx(exact, abs=1e-6)
