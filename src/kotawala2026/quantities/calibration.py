"""The distribution of Table 2 over runs of Section 5's simulation, by enumeration."""

# Cells are independent and their rejections binomial; the largest of several noisy deviations is
# biased upwards.

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations, product
from typing import Any, Final, TypedDict

import numpy as np
import scipy  # its part stats, slow to load, is loaded when it is first used

from kotawala2026.quantities.grounds import QUANTITIES, PublishedNumbers
from kotawala2026.simulations import (
    TESTS,
    discordance_at,
    exact_rates,
    gap_at_required_n,
    likely_tables,
)
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.mcnemar import mcnemar_exact
from llm_power._statistics.paired_bootstrap import bootstrap_tails
from llm_power_audit.agreement import MONTE_CARLO_LEVEL, agrees
from replication.constraints import Interval
from replication.findings import Finding, derived

# Table 2's caption has sizes among its coordinates, and prints none. At this one each of its
# deviations of power is within chance.
_SMALLER_N: Final = 100
# Discordant items up to which every assignment of signs is gone through.
_MOST_SIGNS = 12
# The tests that Section 5 calls the asymptotic trio.
_ASYMPTOTIC: Final = ("mcnemar_chi2", "mid_p", "paired_bootstrap")
# The cells of Table 2's caption, and half a unit of Section 5's percentage points.
_N_CELLS: Final = 5
_HALF_UNIT_PP: Final = 0.05
_ENUMERATED: Final = "nine cells of Section 5, by enumeration of (b, c); independent binomials"


class Law(TypedDict):
    """What a run of M trials shows: mean, standard deviation, and ends at the level."""

    value: float
    standard_error: float
    lower: float
    upper: float


@QUANTITIES.on(PublishedNumbers)
def calibration(published: PublishedNumbers) -> Iterator[Finding]:
    """Type-I error and power that Table 2 can have, over any five of its cells and all nine."""
    settings = published.settings
    grid = list(product(settings["calibration_p"], settings["calibration_rho_z"]))
    n, resamples = settings["calibration_n"], settings["oll_v1_bootstrap_resamples"]
    yield from _setup(published, len(grid))
    alpha = {"alpha": settings["alpha"]}
    type1 = np.stack([exact_rates(*discordance_at(*cell, 0.0), n, **alpha) for cell in grid])
    tuned, small_tuned = (
        [_tuned(*cell, size, published.point) for cell in grid] for size in (n, _SMALLER_N)
    )
    powers = np.stack([exact_rates(*cell, n, **alpha) for cell in tuned])
    small = np.stack([exact_rates(*cell, _SMALLER_N, **alpha) for cell in small_tuned])
    for i, test in enumerate(TESTS):
        yield _of_runs(test, powers[:, i], settings, _ENUMERATED)
        yield from _of_any_five(test, type1[:, i], powers[:, i], settings)
        yield from _exactly(test, type1[:, i], powers[:, i], powers[:, 0], settings)
        printed = published.tables[2]["power_max_dev_pp"][i].value
        yield _beyond_chance(test, powers[:, i], printed, settings)
        yield _beyond_chance(f"{test}, {_SMALLER_N} items", small[:, i], printed, settings)
    yield _displaying_printed_medians(published, powers)
    of_bootstrap = [bootstrap_rejection(*cell, n, n_resamples=resamples, **alpha) for cell in tuned]
    how = f"{resamples} resamples a trial, nine cells"
    test = f"paired_bootstrap, {resamples} resamples"
    yield _of_runs(test, np.array(of_bootstrap), settings, how)


def _tuned(p: float, rho_z: float, n_items: int, point: Mapping[str, float]) -> tuple[float, float]:
    """Discordance probabilities at the gap whose N* is `n_items`."""
    return discordance_at(p, rho_z, gap_at_required_n(p, rho_z, n_items, **point))


def bootstrap_rejection(
    p10: float, p01: float, n_items: int, *, n_resamples: int, alpha: float = 0.05
) -> float:
    """Probability that the bootstrap of Definition 2 rejects."""
    # The interval's lower end, the k-th smallest resampled gap, exceeds zero where fewer than k
    # resamples have a gap of at most zero: a binomial event.
    b, c, mass = likely_tables(p10, p01, n_items)
    rank = int(np.ceil(n_resamples * alpha / 2 - 1e-9))
    tails = bootstrap_tails(b, c, n_items)
    rejects = sum(scipy.stats.binom.cdf(rank - 1, n_resamples, tail) for tail in tails)
    # BLAS adds up in an order of its own, by the number of cores.
    return math.fsum(mass * rejects)


def _of_runs(test: str, powers: FloatArray, settings: Mapping[str, Any], how: str) -> Finding:
    """Largest deviation of power over the nine cells: mean and spread over runs of M trials."""
    trials = settings["calibration_trials"]
    law = largest_deviation(powers, settings["power"], trials)
    method = f"mean over runs of {trials:,} trials a cell, {how}"
    return _in_pp("power_max_dev_nine", test, law, method)


def _of_any_five(
    test: str, type1: FloatArray, powers: FloatArray, settings: Mapping[str, Any]
) -> Iterator[Finding]:
    """Yield what a run shows of any five cells or more (Section 5, footnote 2)."""
    # A median grows with every rate: its ends are those of the five least and the five largest.
    trials, alpha = settings["calibration_trials"], settings["alpha"]
    within = _within(type1, alpha, trials)
    of_all = _largest(within)
    fives = combinations(within, _N_CELLS)
    lower = min(_largest(np.array(five))["lower"] for five in fives)
    whose = "bootstrap_" if test == _ASYMPTOTIC[-1] else ""
    most_pp = settings[f"calibration_{whose}type1_within"]
    shown = Interval(lower, of_all["upper"]).within(Interval(0.0, (most_pp + _HALF_UNIT_PP) / 100))
    method = f"runs of {trials:,} trials a cell, any five of the nine cells of Section 5 or all"
    law: Law = {
        **of_all,
        "value": shown.nearest_to(of_all["value"]),
        "lower": shown.lower,
        "upper": shown.upper,
    }
    how = f"{method}; at most {most_pp} pp, as Section 5 says"
    yield replace(_in_pp("type1_max_dev_any_five", test, law, how), basis="counts")
    ordered = np.sort(powers)
    least, most = (median_rate(five, trials) for five in (ordered[:_N_CELLS], ordered[-_N_CELLS:]))
    median = median_rate(powers, trials) | {"lower": least["lower"], "upper": most["upper"]}
    yield Finding("power_median_any_five", test, method=method, basis="derived", **median)


def _exactly(
    test: str,
    type1: FloatArray,
    powers: FloatArray,
    asymptotic: FloatArray,
    settings: Mapping[str, Any],
) -> Iterator[Finding]:
    """Exact summaries of a test over all nine cells."""
    where = "nine cells of Section 5, by enumeration of (b, c)"
    largest = float(type1.max())
    yield derived("type1_largest_exact_nine", test, largest, f"largest over {where}")
    deviation = float(np.abs(type1 - settings["alpha"]).max())
    yield _pp("type1_max_dev_exact_nine", test, deviation, f"largest over {where}")
    median = float(np.median(powers))
    method = f"target less median, {where}"
    yield _pp("power_below_target_nine", test, settings["power"] - median, method)
    method = f"median of the asymptotic test less median, {where}"
    yield _pp("power_below_chi2_nine", test, float(np.median(asymptotic)) - median, method)


def _beyond_chance(
    test: str, powers: FloatArray, printed_pp: float, settings: Mapping[str, Any]
) -> Finding:
    """Table 2's largest deviation of power, less what chance adds to the exact powers at most."""
    trials = settings["calibration_trials"]
    most = largest_deviation(powers, settings["power"], trials)["upper"]
    method = (
        f"Table 2 less the {1 - MONTE_CARLO_LEVEL / 2:.2%} quantile of the largest deviation, "
        f"{100 * most:.2f} pp, over runs of {trials:,} trials a cell, nine cells"
    )
    return _pp("power_max_dev_beyond_chance", test, printed_pp / 100 - most, method)


def _displaying_printed_medians(published: PublishedNumbers, powers: FloatArray) -> Finding:
    """Asymptotic tests whose exact median power over the nine cells displays as Table 2 has it."""
    medians = dict(zip(TESTS, np.median(powers, axis=0), strict=True))
    printed = dict(zip(TESTS, published.tables[2]["power_median"], strict=True))
    shown = [test for test in _ASYMPTOTIC if agrees(printed[test], medians[test])]
    method = "exact medians over nine cells: " + ", ".join(
        f"{test} {medians[test]:.4f}" for test in _ASYMPTOTIC
    )
    return derived("asymptotic_tests_at_printed_median", "", len(shown), method)


def _setup(published: PublishedNumbers, n_cells: int) -> Iterator[Finding]:
    settings = published.settings
    trials, table = settings["calibration_trials"], published.tables[2]
    counted = "counted in Section 5 and Table 2"
    yield Finding("calibration_cells", "", n_cells, counted)
    through_center = len(settings["calibration_p"]) + len(settings["calibration_rho_z"]) - 1
    method = "values of p plus values of rho_z less the cell that they share: one varied at a time"
    yield Finding("calibration_cells_through_the_center", "", through_center, method)
    yield Finding("calibration_tests", "", len(table), counted)
    for name, rate in (("type1", settings["alpha"]), ("power", settings["power"])):
        error = 100 * float(np.sqrt(rate * (1 - rate) / trials))
        method = f"sqrt(x(1-x)/{trials}) at x = {rate:g}"
        yield derived("calibration_mc_se", name, error, method, "pp")
    largest = max(cell.value for cell in table["type1_max_dev_pp"])
    yield Finding("table_2_max", "type1_max_dev_pp", largest, "largest of the column of Table 2")
    for variant, data in zip(table["variant"], table["data"], strict=True):
        yield Finding("table_2_data", variant, data, "column of Table 2")
    method = (
        f"largest difference of p over all (b, c) of up to {_MOST_SIGNS} discordant items, "
        "every assignment of signs counted"
    )
    yield derived("randomization_differs_from_exact", "", _sign_flips_differ(), method)


def largest_deviation(rates: FloatArray, target: float, trials: int) -> Law:
    """Law of max |X/M - target| over cells, X binomial."""
    return _largest(_within(rates, target, trials))


def _within(rates: FloatArray, target: float, trials: int) -> FloatArray:
    """Chance of |X/M - target| up to each deviation, a row a cell."""
    deviation, center, rate = np.arange(trials + 1), round(target * trials), rates[:, None]
    return np.asarray(
        scipy.stats.binom.cdf(center + deviation, trials, rate)
        - scipy.stats.binom.cdf(center - deviation - 1, trials, rate)
    )


def _largest(within: FloatArray) -> Law:
    trials = within.shape[1] - 1
    return _law(within.prod(axis=0), np.arange(trials + 1) / trials)


def median_rate(rates: FloatArray, trials: int) -> Law:
    """Law of the median of X/M over an odd number of cells."""
    hits = np.arange(trials + 1)
    # chance[k, j] is the probability that j of the cells so far have at most k rejections.
    chance = np.zeros((trials + 1, rates.size + 1))
    chance[:, 0] = 1.0
    for rate in rates:
        at_most = scipy.stats.binom.cdf(hits, trials, rate)[:, None]
        one_more = np.roll(chance, 1, axis=1)
        one_more[:, 0] = 0.0
        chance = chance * (1 - at_most) + one_more * at_most
    return _law(chance[:, rates.size // 2 + 1 :].sum(axis=1), hits / trials)


def _law(distribution: FloatArray, values: FloatArray) -> Law:
    """Summarize a distribution on sorted values, with ends that leave out the level of chance."""
    mass = np.diff(distribution, prepend=0.0)
    mean = float(mass @ values)
    tails = (MONTE_CARLO_LEVEL / 2, 1 - MONTE_CARLO_LEVEL / 2)
    lower, upper = values[np.searchsorted(distribution, tails)]
    return {
        "value": mean,
        "standard_error": float(np.sqrt(mass @ np.square(values - mean))),
        "lower": float(lower),
        "upper": float(upper),
    }


def _sign_flips_differ() -> float:
    differences = [0.0]
    for n in range(1, _MOST_SIGNS + 1):
        signs = 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1) - 1
        sums = np.abs(signs.sum(axis=1))
        b = np.arange(n + 1)
        share = (sums >= np.abs(2 * b - n)[:, None]).mean(axis=1)
        differences.append(float(np.abs(share - mcnemar_exact(b, n - b)).max()))
    return max(differences)


def _pp(quantity: str, subject: str, share: float, method: str) -> Finding:
    return derived(quantity, subject, 100 * share, method, "pp")


def _as_pp(share: float) -> float:
    """Return percentage points, without what binary arithmetic adds at their bounds."""
    return round(100 * share, 10)


def _in_pp(quantity: str, subject: str, law: Law, method: str) -> Finding:
    return Finding(
        quantity,
        subject,
        value=_as_pp(law["value"]),
        method=method,
        basis="derived",
        standard_error=100 * law["standard_error"],
        lower=_as_pp(law["lower"]),
        upper=_as_pp(law["upper"]),
        unit="pp",
    )
