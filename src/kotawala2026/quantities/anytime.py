"""Anytime validity of the e-process, Sections 3 and 6.5 and Appendix C: printed and simulated."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from math import sqrt
from typing import Any, Final

import numpy as np
import scipy  # its part stats, slow to load, is loaded when it is first used
from scipy.special import ndtri

from kotawala2026.labels import pair_names
from kotawala2026.operating_point import ALPHA
from kotawala2026.quantities.grounds import QUANTITIES, PublishedNumbers, Simulation
from kotawala2026.simulations import chunk_name
from llm_power._statistics.e_process import UNIFORM_98, anytime_required_n
from llm_power._statistics.inversion import z_sum
from llm_power._statistics.paired_binary import required_n_discordance
from replication.findings import Finding, derived

_Z_ALPHA: Final = float(z_sum(ALPHA, 0.5))  # the quantile of a power of one half is 0


@QUANTITIES.on(PublishedNumbers)
def at_printed_counts(published: PublishedNumbers) -> Iterator[Finding]:
    """Evidence, threshold and inflation of each pair, and their range over a table."""
    for table, counts in published.counted.items():
        anytime = anytime_required_n(counts.b, counts.c, counts.n_items, mixture=UNIFORM_98)
        for quantity, values, method in (
            ("log_e", anytime.log_e, "log of eq. (24) at b and c, 98-point mixture"),
            ("anytime_threshold", anytime.threshold, "smallest z that crosses at b + c"),
            ("anytime_inflation", anytime.inflation, "((u + z_β)/(z_α + z_β))² at b + c"),
        ):
            for name, value in zip(pair_names(counts), values, strict=True):
                yield Finding(quantity, name, float(value), method)
        method = f"over the rows of {table}, at their own b + c"
        ratio = anytime.threshold / _Z_ALPHA
        for quantity, value in (
            ("anytime_inflation_min", anytime.inflation.min()),
            ("anytime_inflation_median", np.median(anytime.inflation)),
            ("anytime_inflation_max", anytime.inflation.max()),
            ("anytime_threshold_ratio_min", ratio.min()),
            ("anytime_threshold_ratio_median", np.median(ratio)),
        ):
            yield Finding(quantity, table, float(value), method)
    printed = published.settings["mmlu_pro_anytime_inflation"]
    # The pairs of Table 7 are the last ones.
    nearest = float(min(anytime.inflation, key=lambda value: abs(value - printed)))
    method = "of the nine inflations of Table 7 the one nearest to Section 6.5's"
    yield Finding("anytime_inflation_nearest", "Table 7", nearest, method)
    n_items = int(published.adjacent_pairs.n_items[0])
    everywhere = anytime_required_n(n_items, 0, n_items, mixture=UNIFORM_98).inflation
    method = f"((u + z_β)/(z_α + z_β))² at b + c = N = {n_items:,}"
    yield Finding("anytime_inflation", "every item discordant", float(everywhere), method)


@QUANTITIES.on(PublishedNumbers)
def verdicts_of_table_7(published: PublishedNumbers) -> Iterator[Finding]:
    """Pairs of Table 7 that are unresolved under anytime validity alone."""
    counts = published.adjacent_pairs
    anytime = anytime_required_n(counts.b, counts.c, counts.n_items, mixture=UNIFORM_98)
    at_fixed_n = required_n_discordance(counts.b, counts.c, counts.n_items) <= counts.n_items
    alone = ~anytime.resolved_anytime & at_fixed_n
    for quantity, which, method in (
        ("unresolved_anytime", ~anytime.resolved_anytime, "N over N* with u for z_α is below 1"),
        ("unresolved_by_anytime_alone", alone, "unresolved so, resolved at fixed n"),
        (
            "not_crossed_by_anytime_alone",
            ~anytime.crossed & at_fixed_n,
            "not crossed, resolved at fixed n",
        ),
    ):
        yield Finding(quantity, "Table 7", int(np.count_nonzero(which)), method)
    names = "; ".join(np.array(pair_names(counts))[alone])
    method = "unresolved so, resolved at fixed n"
    yield Finding("unresolved_by_anytime_alone_which", "Table 7", names, method)


@QUANTITIES.on(PublishedNumbers)
def one_inflation(published: PublishedNumbers) -> Iterator[Finding]:
    """Section 6.5's inflation, one for all pairs: read as a factor of N*, or of the threshold."""
    inflation, point = float(published.settings["mmlu_pro_anytime_inflation"]), published.point
    critical, total = float(-ndtri(point["alpha"] / 2)), float(z_sum(**point))
    yield Finding("anytime_inflation_of", "N*", inflation, "Section 6.5 as printed")
    # N* goes with the square of the sum of the threshold and the quantile of the power.
    threshold = float(total * np.sqrt(inflation) - (total - critical)) / critical
    method = "u/z with ((u + z_b)/(z + z_b))^2 as printed"
    yield Finding("anytime_inflation_of", "the threshold", threshold, method)


@QUANTITIES.on(PublishedNumbers)
def two_looks(_: PublishedNumbers) -> Iterator[Finding]:
    """Type-I error of a test at 0.05 that is done at two equally spaced looks."""
    both = scipy.stats.multivariate_normal(cov=[[1, sqrt(0.5)], [sqrt(0.5), 1]])
    ends = np.full(2, _Z_ALPHA)
    error = float(1 - both.cdf(ends, lower_limit=-ends))
    method = "P(|Z| > 1.96 at half or at all of the items), bivariate normal"
    yield derived("type1_of_two_looks", "α = 0.05", error, method)


@QUANTITIES.on(PublishedNumbers)
def mixture(_: PublishedNumbers) -> Iterator[Finding]:
    """Appendix C's mixture and its claim of conjugacy."""
    points, weights = np.array(UNIFORM_98.points), np.array(UNIFORM_98.weights)
    posterior = weights * points / np.sum(weights * points)
    for name, value, method in (
        ("mixture_points", points.size, "points listed in Appendix C"),
        (
            "posterior_weight_ratio",
            posterior.max() / posterior.min(),
            "largest over smallest posterior weight after one item that only A solves",
        ),
        (
            "posterior_mass_on_points",
            posterior.sum(),
            "posterior weight of the 98 points together after that item",
        ),
    ):
        yield derived(name, "98-point mixture", float(value), method)


@QUANTITIES.on(PublishedNumbers)
def calibration(published: PublishedNumbers) -> Iterator[Finding]:
    """Appendix C's standard errors of its rates, and whether its pairs are resolved."""
    settings = published.settings
    rate, trials = settings["alpha"], int(settings["e_process_trials"])
    error = 100 * sqrt(rate * (1 - rate) / trials)
    yield derived("type1_mc_se", "nominal", error, "sqrt(x(1-x)/M)", "pp")
    n_items = int(settings["oll_v1_arc_n_items"])
    resolved = sum(needed <= n_items for needed in settings["e_process_n_stars"])
    method = f"N* of Figure 4 and of Table 10's ARC row against the {n_items:,} items of ARC"
    yield Finding("calibration_pairs_resolved", "Appendix C", resolved, method)


@QUANTITIES.on(Simulation)
def e_process(simulation: Simulation) -> Iterator[Finding]:
    """Calibration of the e-process on the two ARC pairs, with three mixtures."""
    # The printed 1.84 to 2.32 N* are near the 80th percentiles; mean stopping times are about 1.3
    # and 1.2 N* here.
    settings = simulation.settings
    sizes = (settings["e_process_trials"], simulation.n_trials_large)
    # Named by their order: their gaps can be misprinted.
    names = ("first pair", "second pair")
    pairs = zip(settings["e_process_deltas"], settings["e_process_n_stars"], strict=True)
    for name, (delta, n_star) in zip(names, pairs, strict=False):
        for n_trials in sizes:
            nulls, gaps = (
                simulation.chunks[chunk_name(delta, hypothesis, n_trials)].to_dict("records")
                for hypothesis in ("null", "gap")
            )
            for null, gap in zip(nulls, gaps, strict=True):
                yield from _findings(null, gap, n_star, f"M = {n_trials:,}", name)
                if gap is not gaps[0]:
                    yield _change(gap, gaps[0], f"M = {n_trials:,}", name)


def _findings(
    null: Mapping[Any, Any], gap: Mapping[Any, Any], n_star: float, trials: str, pair: str
) -> Iterator[Finding]:
    for quantity, value, error in (
        ("type1_error", null["rejection_rate"], null["standard_error"]),
        ("rejection_rate", gap["rejection_rate"], gap["standard_error"]),
        ("stopping_ratio", gap["mean_stopping"] / n_star, gap["mean_stopping_error"] / n_star),
        ("stopping_ratio_p80", gap["stopping_p80"] / n_star, math.nan),
    ):
        subject = f"{pair}, {gap['mixture']}"
        yield Finding(quantity, subject, float(value), trials, "simulated", error)


def _change(
    gap: Mapping[Any, Any], reference: Mapping[Any, Any], trials: str, pair: str
) -> Finding:
    """Mean stopping time with another mixture, against that with the first."""
    mean = reference["mean_stopping"]
    both = math.sqrt(2) * gap["mean_stopping_error"] / mean
    note = f"{trials}; the SE is an upper bound, the mixtures share trials"
    subject, change = f"{pair}, {gap['mixture']}", gap["mean_stopping"] / mean - 1
    return Finding("stopping_change", subject, float(change), note, "simulated", both)
