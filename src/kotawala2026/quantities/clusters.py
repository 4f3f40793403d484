"""Clustered items: Tables 4, 5, 7, 8 and 9 against each other (Section 6.4, Appendices F, G)."""

# DE = 1 + (N/K - 1) ICC+ and DE = N*_cluster/N*: of three printed numbers two follow from the
# third. ``_within_rounding``: all values that the rounding of the others admits at the N of Table
# 7, certified by monotony, with the value nearest to the printed one.

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pandas as pd

from kotawala2026.adjacent_clusters import icc_of_effect
from kotawala2026.labels import dropped_subjects
from kotawala2026.quantities.grounds import QUANTITIES, PublishedNumbers
from llm_power._statistics.inversion import resolution_ratio
from llm_power._statistics.paired_binary import required_n_discordance
from llm_power_audit.printed import Printed, PrintedInterval
from replication.constraints import Interval, interval_of
from replication.findings import Finding, within

_BOUNDS: Final = {"lower": "5%", "upper": "95%"}
_TAIL: Final = 0.05
#: Unresolved pairs of a resample, where the paper prints the share of such resamples.
SHARED_COUNTS: Final = (4, 5, 6)
# No design effect is below one: a negative ICC counts as zero.
_EFFECTS: Final = Interval(1.0, math.inf)


def _n_star(published: PublishedNumbers) -> list[float]:
    pairs = published.adjacent_pairs
    return list(map(float, required_n_discordance(pairs.b, pairs.c, published.implied_n)))


def _mean_size(published: PublishedNumbers) -> float:
    return published.implied_n / int(published.settings["mmlu_pro_categories"])


@QUANTITIES.on(PublishedNumbers)
def sizes(published: PublishedNumbers) -> Iterator[Finding]:
    """Mean size of a cluster, and twice the number of clusters."""
    settings = published.settings
    n, k = float(settings["mmlu_pro_n_items"]), int(settings["mmlu_pro_categories"])
    yield Finding("mean_cluster_size", "MMLU-Pro", n / k, "N/K", unit="items")
    yield Finding("halved_clusters", "MMLU-Pro", 2 * k, "2 K")


@QUANTITIES.on(PublishedNumbers)
def verdicts(published: PublishedNumbers) -> Iterator[Finding]:
    """Pairs whose verdict changes with clusters, and cluster N* over N."""
    table, pairs = published.tables[4], published.adjacent_pairs
    n = float(published.implied_n)
    clustered = np.array(_values(table["n_star_cluster"]))
    before = resolution_ratio(n, _n_star(published)) >= 1
    after = resolution_ratio(n, clustered) >= 1
    flipped = before & ~after
    ratio = clustered / n
    items = Interval.around(n)
    for label, value, cell in zip(pairs.label, ratio, table["n_star_cluster"], strict=True):
        span, method = _whole(cell).over(items), "cluster N* of Table 4 / N"
        yield within("cluster_n_star_over_n", label, float(value), span, method)
    effect = np.array(_values(table["design_effect"]))
    smaller = min(effect[flipped], default=np.inf)
    turned = "resolved at N*, not at cluster N*"
    for quantity, which, method in (
        ("unresolved_iid", ~before, "N* of b, c and N exceeds N"),
        ("unresolved_clustered", ~after, "cluster N* of Table 4 exceeds N"),
        ("flipped_by_clusters", flipped, turned),
        ("flipped_beyond_three_n", flipped & (ratio > 3), "flipped, and cluster N* exceeds 3 N"),
        ("flipped_by_clusters_which", ", ".join(np.array(pairs.label)[flipped]), turned),
        (
            "design_effect_as_large_as_of_flipped",
            effect >= smaller,
            "pairs whose design effect is at least the smaller one of the flipped pairs",
        ),
        (
            "flipped_by_clusters_with_large_design_effect",
            flipped & (effect > np.median(effect)),
            "flipped pairs whose design effect is above the median of Table 4",
        ),
    ):
        value = which if isinstance(which, str) else int(np.count_nonzero(which))
        yield Finding(quantity, "MMLU-Pro", value, method)


@QUANTITIES.on(PublishedNumbers)
def triples(published: PublishedNumbers) -> Iterator[Finding]:
    """ICC, design effect and cluster N* of Tables 4 and 9, each from the other two."""
    table, fine, size = published.tables[4], published.tables[9], _mean_size(published)
    for i, n_star in enumerate(map(Interval.around, _n_star(published))):
        label, icc, effect = table["pair"][i], table["icc"][i], table["design_effect"][i]
        clustered = fine["n_star_cluster"][i].point
        of_icc = _effect_of(interval_of(icc), size)
        of_n_star = _whole(clustered).over(n_star).within(_EFFECTS)
        product = n_star.times(interval_of(effect))
        known = of_n_star.within(interval_of(effect))
        for quantity, printed, span, method in (
            ("design_effect_of_icc", effect, of_icc, "1 + (N/K - 1) max(ICC, 0)"),
            (
                "design_effect_of_cluster_n_star",
                effect,
                of_n_star.within(of_icc),
                "cluster N* / N* of b, c, N, and 1 + (N/K - 1) max(ICC, 0)",
            ),
            (
                "cluster_n_star_of_design_effect",
                clustered,
                product,
                "N* of b, c, N times DE",
            ),
            (
                "icc_of_cluster_n_star",
                icc,
                icc_of_effect(known, size),
                "(DE - 1) / (N/K - 1), DE as printed and as cluster N* / N*",
            ),
            (
                "design_effect_of_icc_without_positive_part",
                effect,
                _linear_effect(interval_of(icc), size),
                "1 + (N/K - 1) ICC",
            ),
        ):
            yield _nearest(quantity, label, printed, span, method)
        yield _clustered(label, clustered, n_star, interval_of(effect).within(of_icc))


def _clustered(subject: str, printed: Printed, n_star: Interval, effect: Interval) -> Finding:
    span = n_star.times(effect)
    method = "N* of b, c, N times DE, which is 1 where the ICC is not above 0"
    return within("cluster_n_star_of_icc", subject, printed.value, span, method)


@QUANTITIES.on(PublishedNumbers)
def bootstrap_bounds(published: PublishedNumbers) -> Iterator[Finding]:
    """Bounds of Table 9, checked against each other and against its shares Pr(unr.)."""
    table, size = published.tables[9], _mean_size(published)
    n_items = published.implied_n
    sizes = Interval.around(*published.subject_sizes)
    n_denying = n_denying_any = n_tested = 0
    for i, n_star in enumerate(map(Interval.around, _n_star(published))):
        label = table["pair"][i]
        for part, percentile in _BOUNDS.items():
            icc, effect, clustered = (
                getattr(table[name][i], part) for name in ("icc", "design_effect", "n_star_cluster")
            )
            subject = f"{label}, {percentile}"
            of_n_star = _whole(clustered).over(n_star).within(_EFFECTS)
            method = "bound of cluster N* / N* of b, c, N"
            yield _nearest("design_effect_of_cluster_n_star", subject, effect, of_n_star, method)
            none = interval_of(icc).upper <= 0
            yield _clustered(
                subject, clustered, n_star, Interval(1.0, 1.0) if none else interval_of(effect)
            )
            of_any_size = _icc_of_resample(of_n_star.within(interval_of(effect)), sizes)
            if not _overlap(of_n_star, interval_of(effect)):
                # Which of the two is wrong says nothing of the ICC.
                why = "the bounds of design effect and cluster N* contradict each other"
                yield Finding("icc_of_resample", subject, math.nan, why, basis="none")
                continue
            yield within(
                "icc_of_resample",
                subject,
                icc.value,
                of_any_size,
                f"(DE - 1) / (m - 1), m of a resample from {sizes.lower:,} to {sizes.upper:,}",
            )
            if icc.value > 0:
                n_tested += 1
                n_denying_any += not _overlap(of_any_size, interval_of(icc))
                n_denying += not _overlap(icc_of_effect(of_n_star, size), interval_of(icc))
        share = table["pr_unresolved"][i]
        by_bounds = _share_of(table["n_star_cluster"][i], n_items)
        yield _nearest(
            "pr_unresolved_of_bounds",
            label,
            share,
            by_bounds,
            "at most 5% if the 95% bound is below N, at least 95% if the 5% bound is above it",
        )
        always = n_star.lower > n_items
        span = Interval(1.0, 1.0) if always else by_bounds
        method = "N* exceeds N and no design effect is below 1" if always else "by the bounds"
        yield within("pr_unresolved_of_n_star", label, share.value, span, method)
    yield _tail_of_brackets(table, n_items)
    of = f"of {n_tested} positive ICC bounds:"
    for which, count, at in (
        ("fixed", n_denying, "no value that rounds to it gives the DE at N/K"),
        ("any", n_denying_any, "none that rounds to it gives the DE at any mean size"),
    ):
        yield Finding(f"bounds_denying_{which}_mean_size", "Table 9", count, f"{of} {at}")
    lowest = {table["pair"][i]: interval_of(table["icc"][i].lower).lower for i in range(len(table))}
    for label, value in lowest.items():
        yield Finding("least_icc_lower", label, value, "5% bound of Table 9 less half a unit")
    above = sum(x > 0 for x in lowest.values())
    yield Finding("icc_lower_above_zero", "Table 9", above, "5% bounds of the ICC above zero")


def _tail_of_brackets(table: pd.DataFrame, n_items: float) -> Finding:
    """Which percentile the lower bounds of cluster N* can be, by the shares beside them."""
    least, most = 0.0, 0.5
    for interval, share in zip(table["n_star_cluster"], table["pr_unresolved"], strict=True):
        below, above = (Interval(*x) for x in _shares_around(share))
        if interval.lower.value > n_items:
            least = max(least, below.lower)
        elif interval.upper.value < n_items:
            least = max(least, above.lower)
        else:
            most = min(most, below.upper, above.upper)
    span = Interval(least, most)
    method = (
        "N lies outside a bracket with at most a tail beyond it, and inside with at least a tail"
    )
    return within("tail_of_brackets", "Table 9", _TAIL, span, method)


def _shares_around(unresolved: Printed) -> tuple[tuple[float, float], tuple[float, float]]:
    """Shares of resamples with a cluster N* of at most N, and above it, given their rounding."""
    share = interval_of(unresolved)
    low, high = (min(max(x, 0.0), 1.0) for x in (share.lower, share.upper))
    return (1 - high, 1 - low), (low, high)


@QUANTITIES.on(PublishedNumbers)
def bootstrap_shares(published: PublishedNumbers) -> Iterator[Finding]:
    """Distribution of the number of unresolved pairs, from the share of each pair."""
    # Where all pairs but two are certain, one share more fixes the joint distribution of the two.
    chances = _values(published.tables[9]["pr_unresolved"])
    shares = [float(x) for x in published.settings["category_bootstrap_shares"]]
    yield Finding("mean_unresolved_of_pairs", "Table 9", sum(chances), "sum of column Pr(unr.)")
    yield Finding("sum_of_shares", "Table 9", sum(shares), "shares of 4, 5 and 6")
    fewest = math.lcm(*(Fraction(str(x)).denominator for x in (*chances, *shares)))
    method = "smallest number of resamples of which every printed share is a whole number"
    yield Finding("resamples_of_shares", "Table 9", fewest, method)
    occurring = [count for count, share in zip(SHARED_COUNTS, shares, strict=True) if share > 0]
    yield Finding("fewest_unresolved", "any resample", min(occurring), "counts of a positive share")
    # Seven are unresolved only where one of the three least often unresolved pairs is.
    most, method = sum(sorted(chances)[:-6]), "sum of the three smallest Pr(unr.)"
    yield Finding("bootstrap_share", "7 or more unresolved, at most", most, method)
    always = sum(x == 1 for x in chances)
    open_pairs = [x for x in chances if 0 < x < 1]
    if len(open_pairs) != 2:
        return
    neither = shares[0]
    both = sum(open_pairs) - 1 + neither
    method = "P(A and B) = P(A) + P(B) - 1 + P(neither), A and B the two pairs that vary"
    for count, share in ((always + 1, 1 - neither - both), (always + 2, both)):
        yield Finding("bootstrap_share", f"{count} unresolved", share, method)
    yield Finding("bootstrap_share", f"{always + 1} or more unresolved", 1 - neither, method)


@QUANTITIES.on(PublishedNumbers)
def leave_one_out(published: PublishedNumbers) -> Iterator[Finding]:
    """Table 8: number of subjects named, number of drops stated, unresolved pairs."""
    table, procedures = published.tables[8], published.tables[5]["mmlu_pro"]
    fixed, clustered = procedures.iloc[0].count, procedures.iloc[-1].count
    named: list[str] = []
    counts: list[int] = []
    for text, cell in zip(table["dropped"], table["unresolved"], strict=True):
        if names := dropped_subjects(text):
            named += names
            counts += [cell.count] * len(names)
            subject = f"{cell.count} unresolved"
            yield Finding("drops_named", subject, len(names), "subjects in the row of Table 8")
    yield Finding("drops_named", "all", len(set(named)), "different subjects in Table 8")
    below, no_more = sum(n < clustered for n in counts), sum(n <= fixed for n in counts)
    for quantity, value, method in (
        ("fewest_unresolved", min(counts), "column of Table 8"),
        (
            "drops_below_clustered_count",
            below,
            "drops that leave fewer than Table 5 has with clusters",
        ),
        (
            "drops_to_fixed_n_count",
            no_more,
            "drops that leave no more than Table 5 has without clusters",
        ),
    ):
        yield Finding(quantity, "any drop", value, method)


@QUANTITIES.on(PublishedNumbers)
def definitions(published: PublishedNumbers) -> Iterator[Finding]:
    """Unresolved pairs under each definition of a cluster but the random one."""
    settings = published.settings
    counts = [
        int(published.tables[5]["mmlu_pro"].iloc[-1].count),
        int(settings["mmlu_pro_unresolved_difficulty_quartiles"]),
        int(settings["mmlu_pro_unresolved_subject_by_parity"]),
    ]
    own = sum(name.startswith("mmlu_pro_unresolved_") for name in settings)
    method = "clusterings with a count of their own in Section 6.4"
    yield Finding("alternative_clusterings", "Section 6.4", own, method)
    drops = [cell.count for cell in published.tables[8]["unresolved"]]
    all_counted, tried = min(counts + drops), "subjects, quartiles, halved subjects"
    yield Finding("fewest_unresolved", "any drop or definition", all_counted, f"Table 8; {tried}")
    low, high = min(counts), max(counts)
    for quantity, value, method in (
        ("fewest_unresolved", low, tried),
        ("most_unresolved", high, tried),
        ("midpoint_of_unresolved", (low + high) / 2, "half the sum of the ends of the range"),
    ):
        yield Finding(quantity, "definitions that are not random", value, method)


def _values(cells: pd.Series[Any]) -> list[float]:
    return [float(cell.value) for cell in cells]


def _whole(printed: Printed) -> Interval:
    """Values of a number of items that was rounded up or to the nearest, and then to millions."""
    # A bound, ≥10^7, has one digit.
    half_unit = printed.half_unit if printed.is_number else printed.value / 2
    below = 1.0 if half_unit <= 0.5 else half_unit + 1
    return Interval(printed.value - below, printed.value + half_unit)


def _effect_of(icc: Interval, size: float) -> Interval:
    return _linear_effect(Interval(max(icc.lower, 0.0), max(icc.upper, 0.0)), size)


def _linear_effect(icc: Interval, size: float) -> Interval:
    return Interval(1 + (size - 1) * icc.lower, 1 + (size - 1) * icc.upper)


def _icc_of_resample(effect: Interval, sizes: Interval) -> Interval:
    """ICC by the design effect where the mean size is that of a resample."""
    # An ICC is at least -1/(n0 - 1), and its estimator's n0 at least the smallest size.
    lower = (effect.lower - 1) / (sizes.upper - 1) if effect.lower > 1 else -1 / (sizes.lower - 1)
    return Interval(lower, (effect.upper - 1) / (sizes.lower - 1))


def _overlap(one: Interval, other: Interval) -> bool:
    return one.lower <= other.upper and other.lower <= one.upper


def _share_of(clustered: PrintedInterval, n_items: int) -> Interval:
    lowest = 1 - _TAIL if _whole(clustered.lower).lower > n_items else 0.0
    highest = _TAIL if _whole(clustered.upper).upper < n_items else 1.0
    straddles = lowest == 0 and highest == 1
    return Interval(_TAIL, 1 - _TAIL) if straddles else Interval(lowest, highest)


def _nearest(quantity: str, subject: str, printed: Printed, span: Interval, method: str) -> Finding:
    return within(f"{quantity}_within_rounding", subject, printed.value, span, method)
