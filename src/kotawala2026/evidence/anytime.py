"""What the printed counts decide of Section 6.5, Section 3 and Appendix C: anytime validity.

The e-process of eq. (24) is evaluated at the counts of Tables 6 and 7. Whether they have crossed
the threshold, and whether such a gap is resolvable under it, are two questions.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log, sqrt

import numpy as np
from scipy.stats import multivariate_normal

from kotawala2026.evidence.published_numbers import PublishedNumbers, pair_names
from llm_power.statistics.e_process import (
    UNIFORM_98,
    AnytimeResolution,
    anytime_boundary,
    anytime_required_n,
)
from llm_power.statistics.inversion import z_sum
from llm_power.statistics.paired_binary import required_n_discordance
from replication.evidence.rows import EvidenceRow
from replication.printed import (
    PublishedCounts,
)

_TABLES = {"Table 6": "close_pairs", "Table 7": "adjacent_pairs"}


def anytime(published: PublishedNumbers) -> list[EvidenceRow]:
    """Evaluate the e-process of Appendix C at the printed counts.

    Parameters
    ----------
    published : PublishedNumbers
        Tables 6 and 7, and the settings of Section 6.5 and Appendix C.

    Returns
    -------
    list of EvidenceRow
        A pair of Table 7 is named by its ranks, a pair of Table 6 by task and models.
    """
    rows = [
        EvidenceRow("log_threshold", "α = 0.05", log(20), "log(1/α)", "derived"),
        EvidenceRow(
            "type1_of_two_looks",
            "α = 0.05",
            _type1_of_two_looks(),
            "P(|Z| > 1.96 at half or at all of the items), bivariate normal",
            "derived",
        ),
        *_mixture(),
        *_calibration(published),
    ]
    for table, attribute in _TABLES.items():
        rows += _pairs(table, getattr(published, attribute))
    rows += _one_factor(published)
    return rows


def _type1_of_two_looks() -> float:
    """Level of a test at 0.05 that may stop at either of two equally spaced looks."""
    z, rho = float(z_sum(0.05, 0.5)), sqrt(0.5)
    both = multivariate_normal(cov=[[1, rho], [rho, 1]])
    return float(1 - both.cdf([z, z], lower_limit=[-z, -z]))


def _pairs(table: str, counts: PublishedCounts) -> Iterator[EvidenceRow]:
    found = anytime_required_n(counts.b, counts.c, counts.n_items)
    fixed = required_n_discordance(counts.b, counts.c, counts.n_items)
    z_alpha = float(z_sum(0.05, 0.5))  # the quantile of a power of one half is 0
    z = np.abs(counts.b - counts.c) / np.sqrt(counts.b + counts.c)
    for quantity, values, method in (
        ("log_e", found.log_e, "log of eq. (24) at b and c, 98-point mixture"),
        ("mcnemar_z", z, "|b - c| / sqrt(b + c)"),
        ("anytime_threshold", found.threshold, "smallest z that crosses at b + c"),
        ("anytime_inflation", found.inflation, "((u + z_β)/(z_α + z_β))² at b + c"),
        ("anytime_n_star", found.n_star_anytime, "eq. (3) with u for z_α"),
        ("anytime_q", found.q_anytime, "N over that"),
    ):
        for name, value in zip(pair_names(counts), values, strict=True):
            yield EvidenceRow(quantity, name, float(value), method)
    for quantity, values in (
        ("anytime_inflation", found.inflation),
        ("anytime_threshold_ratio", found.threshold / z_alpha),
    ):
        for which, value in (
            ("min", values.min()),
            ("median", np.median(values)),
            ("max", values.max()),
        ):
            method = f"over the rows of {table}, at their own b + c"
            yield EvidenceRow(f"{quantity}_{which}", table, float(value), method)
    yield from _verdicts(table, counts, found, fixed > counts.n_items)


def _verdicts(
    table: str, counts: PublishedCounts, found: AnytimeResolution, fixed: np.ndarray
) -> Iterator[EvidenceRow]:
    names = np.array(pair_names(counts))
    for quantity, which, method in (
        ("unresolved_anytime", ~found.resolved_anytime, "N over N* with u for z_α is below 1"),
        (
            "unresolved_by_anytime_alone",
            ~found.resolved_anytime & ~fixed,
            "unresolved so, resolved at fixed n",
        ),
        ("not_crossed", ~found.crossed, "log e at b and c is below log 20"),
        (
            "not_crossed_by_anytime_alone",
            ~found.crossed & ~fixed,
            "not crossed, resolved at fixed n",
        ),
    ):
        yield EvidenceRow(quantity, table, int(np.count_nonzero(which)), method)
        yield EvidenceRow(f"{quantity}_which", table, "; ".join(names[which]), method)


def _one_factor(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """Section 6.5's one inflation for all pairs of Table 7."""
    counts, factor = (
        published.adjacent_pairs,
        float(published.settings["mmlu_pro_anytime_inflation"]),
    )
    needed = factor * required_n_discordance(counts.b, counts.c, counts.n_items)
    which = needed > counts.n_items
    method = f"{factor:g} N* exceeds N"
    yield EvidenceRow(
        "unresolved_at_one_inflation", "Table 7", int(np.count_nonzero(which)), method
    )
    yield EvidenceRow(
        "unresolved_at_one_inflation_which",
        "Table 7",
        "; ".join(np.array(counts.label)[which]),
        method,
    )
    discordant = np.arange(10, 5001)
    z_beta = float(z_sum(0.05, 0.80) - z_sum(0.05, 0.5))
    u = anytime_boundary(discordant).threshold
    inflation = ((u + z_beta) / float(z_sum(0.05, 0.80))) ** 2
    yield EvidenceRow(
        "n_discordant_of_one_inflation",
        "Table 7",
        int(discordant[np.argmin(np.abs(inflation - factor))]),
        f"discordant items at which the inflation is nearest to {factor:g}",
        "derived",
        unit="items",
    )


def _mixture() -> Iterator[EvidenceRow]:
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
        yield EvidenceRow(name, "98-point mixture", float(value), method, "derived")


def _calibration(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """Appendix C's error of its own rates, and whether its pairs are resolved."""
    settings = published.settings
    trials = int(settings["e_process_trials"])
    rates = {"nominal": settings["alpha"]}
    rates |= {f"{rate:g}": rate for rate in settings["e_process_type1"]}
    for subject, rate in rates.items():
        yield EvidenceRow(
            "type1_mc_se",
            subject,
            100 * sqrt(rate * (1 - rate) / trials),
            "sqrt(x(1-x)/M)",
            "derived",
            unit="pp",
        )
    needed = np.array(settings["e_process_n_stars"])
    n_items = int(settings["oll_v1_arc_n_items"])
    yield EvidenceRow(
        "calibration_pairs_resolved",
        "Appendix C",
        int(np.count_nonzero(needed <= n_items)),
        f"N* of Figure 4 and of Table 10's ARC row against the {n_items:,} items of ARC",
    )
