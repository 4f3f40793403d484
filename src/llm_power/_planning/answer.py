"""How many items a plan takes: of every test, and which number to go by; of means of repeats too.

These are of several answers to an item (Miller 2024, eqs. 9 and 10).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, isfinite, nan, sqrt
from typing import Any, Final, Literal

from llm_power._choices import MCNEMAR_TESTS
from llm_power._errors import InvalidArgument
from llm_power._planning.question import EDGE, STANDARD, AssumedPair, Question, pair_from_gap
from llm_power._statistics.anytime_horizon import monitored_required_n
from llm_power._statistics.argument_checks import positive_count
from llm_power._statistics.cluster_requirement import ClusterDesign, ClusterItemsDesign, MeanDesign
from llm_power._statistics.designs import ENDLESS, detectable_gap, required_units
from llm_power._statistics.inversion import required_n
from llm_power._statistics.mcnemar import (
    MOST_COUNTED,
    DesignErrors,
    McNemarDesign,
    mcnemar_design_errors,
    mcnemar_detectable_gap,
    normal_design_errors,
)
from llm_power._statistics.paired_equivalence import (
    score_equivalence_power,
    score_equivalence_required_n,
)
from llm_power._statistics.repeats import repeats_variance

Decided = Literal["different", "equivalent", "undetermined"]
#: What a range leaves open.
Open = Literal["correlation", "discordance"]

# Shares of the planned items at which errors of a significant gap are given.
_SHARES: Final = (0.25, 0.5, 1.0)
# Numbers of clusters that are shown, in multiples of the fewest.
_MULTIPLES: Final = (1, 1.5, 2, 4)

# Numbers of repeats that are shown beside those asked for.
_REPEATS: Final = (1.0, 2.0, 5.0, 10.0, inf)


@dataclass(frozen=True, slots=True)
class AtSize:
    """Power and design errors of the declared test at one sample size."""

    n_items: int
    power: float
    type_s: float
    type_m: float


@dataclass(frozen=True, slots=True)
class MonitoredItems:
    """What a sequential test of the pair takes, watched after every item."""

    items: float  # at which it has crossed with the target power
    expected: float  # mean of a run that ends at its crossing or there
    by_90: float  # by which nine of ten runs have crossed, were they to go on


@dataclass(frozen=True, slots=True)
class ClusterItems:
    """What a sample of clusters takes for the test by clusters and that of the items."""

    n_clusters: int
    per_cluster: float  # inf where no number is enough
    fewest: float  # clusters that some number of items makes enough
    size: int  # items a cluster, as they are or would be if items were independent
    n_clusters_needed: float  # at that size
    ways: tuple[tuple[int, float], ...]  # numbers of clusters, and the items each then needs


@dataclass(frozen=True, slots=True)
class AtHand:
    """What the items at hand can see."""

    n_items: int
    power: float  # at the assumed gap; NaN where that is zero
    detectable: float  # smallest gap with the target power; inf where there is none


@dataclass(frozen=True, slots=True)
class Plan:
    """How many items to take, and what else is known before they are run."""

    question: Question
    pair: AssumedPair
    items: float  # the number to take, whole; inf where no number is enough
    # What these items show with the target power; "undetermined" where no number does.
    decided_as: Decided
    # Items from which each form of McNemar's test has the power for good.
    exact: float
    mid_p: float
    asymptotic: float
    n_star: float  # of the paper, eq. (6), not rounded
    # Of the declared test at N*, rounded up, or of that by clusters where it is smaller; NaN where
    # N* is infinite.
    power_at_n_star: float
    equivalence: float | None  # items for two one-sided score tests at a margin, by the normal law
    # Of these tests there, summed over all tables; NaN where no number is enough, and beyond a
    # million items.
    power_at_equivalence: float | None
    holm: float | None  # items at Holm's first level, where the level is by max-T
    # None for clusters, whose items do not come one by one, and beyond a million items.
    monitored: MonitoredItems | None
    clusters: ClusterItems | None
    # At a quarter, half and all of the items of the declared test, and at those whose detectable
    # gap is asked for; empty for clusters.
    sizes: tuple[AtSize, ...]
    at_hand: AtHand | None


@dataclass(frozen=True, slots=True)
class PlanRange:
    """Plans at both ends of what two accuracies, or a gap alone, leave open."""

    # At the highest correlation of the scores, or the least discordance, but for gaps near 1, where
    # an item more or less decides.
    fewest: Plan
    most: Plan
    open: Open


@dataclass(frozen=True, slots=True)
class DetectableGap:
    """The smallest gap that a number of items finds."""

    n_items: int
    gap: float  # in score units; inf where no gap is found
    plan: Plan  # of a pair with this gap, or the largest that the discordance admits


def plan_range(
    ends: tuple[AssumedPair, AssumedPair],
    *,
    of: Open,
    n_items: int | None = None,
    question: Question = STANDARD,
) -> PlanRange:
    """Plan at both ends of what is known, the one that takes fewer items first."""
    plans = (plan_pair(pair, n_items=n_items, question=question) for pair in ends)
    fewest, most = sorted(plans, key=lambda plan: plan.items)
    return PlanRange(fewest, most, of)


def plan_detectable(
    n_items: int, discordance: float, *, question: Question = STANDARD
) -> DetectableGap:
    """Plan the other way round: the smallest gap that so many items find."""
    if question.margin is not None:
        raise InvalidArgument("margin must come with a gap: give --gap in place of --n")
    gap = _detectable(n_items, discordance, question)
    pair = pair_from_gap(min(gap, discordance), discordance)
    plan = plan_pair(pair, n_items=n_items, question=question, detectable=gap)
    return DetectableGap(n_items, gap, plan)


def plan_pair(
    pair: AssumedPair,
    *,
    n_items: int | None = None,
    question: Question = STANDARD,
    detectable: float | None = None,
) -> Plan:
    """Plan for a pair, beside items at hand, of which the detectable gap may be known."""
    if n_items is not None and n_items < (question.clusters or 0):
        raise InvalidArgument(
            f"clusters must be at most the items at hand, {n_items:,}, got {question.clusters!r}"
        )
    settings: dict[str, Any] = {"alpha": question.level, "power": question.power}
    needed = {
        test: required_units(
            McNemarDesign(pair.p10, pair.p01, test, question.level), question.power
        )
        for test in MCNEMAR_TESTS
    }
    own = needed[question.test]
    n_star = float(required_n(pair.gap, pair.sigma_d, **settings))
    clusters = _clusters(pair, question, own, n_items) if isfinite(own) else None
    items = own if clusters is None else clusters.n_clusters * clusters.per_cluster
    decided_as: Decided = "different" if isfinite(items) else "undetermined"
    equivalence, shown = _equivalence(pair, question)
    if equivalence is not None and isfinite(equivalence):
        items, decided_as = equivalence, "equivalent"
    given = () if n_items is None or detectable is None else (n_items,)
    return Plan(
        question=question,
        pair=pair,
        items=items,
        decided_as=decided_as,
        **needed,
        n_star=n_star,
        power_at_n_star=_power(pair, max(ceil(n_star), 1), question) if isfinite(own) else nan,
        equivalence=equivalence,
        power_at_equivalence=shown,
        holm=_holm(pair, question),
        monitored=None if question.clusters else _monitored(pair, own, settings),
        clusters=clusters,
        sizes=() if question.clusters else _sizes(pair, own, question, *given),
        at_hand=None if n_items is None else _at_hand(pair, n_items, question, detectable),
    )


def _equivalence(pair: AssumedPair, asked: Question) -> tuple[float | None, float | None]:
    """Items of the two one-sided tests, and their power there."""
    if asked.margin is None:
        return None, None
    if abs(pair.gap) > asked.margin - EDGE:
        return inf, nan
    law: dict[str, Any] = {"margin": asked.margin, "alpha": asked.level}
    n = float(score_equivalence_required_n(pair.p10, pair.p01, power=asked.power, **law))
    if not isfinite(n):
        return inf, nan
    items = max(ceil(n), 1)
    if items > MOST_COUNTED or pair.discordance == 0:
        return float(items), nan
    return float(items), score_equivalence_power(items, pair.p10, pair.p01, **law)


def _holm(pair: AssumedPair, asked: Question) -> float | None:
    if asked.models is None:
        return None
    level = asked.alpha / asked.family_size
    return required_units(McNemarDesign(pair.p10, pair.p01, asked.test, level), asked.power)


def _monitored(pair: AssumedPair, own: float, settings: dict[str, Any]) -> MonitoredItems | None:
    if own > MOST_COUNTED:
        return None
    return MonitoredItems(*monitored_required_n(pair.p10, pair.p01, **settings))


def _sizes(pair: AssumedPair, own: float, asked: Question, *given: int) -> tuple[AtSize, ...]:
    if not isfinite(own):
        return ()
    sizes = []
    for n in sorted({*given, *(ceil(share * own) for share in _SHARES)}):
        errors = _errors(pair, n, asked)
        sizes.append(AtSize(n, *(float(x) for x in (errors.power, errors.type_s, errors.type_m))))
    return tuple(sizes)


def _at_hand(pair: AssumedPair, n_items: int, asked: Question, detectable: float | None) -> AtHand:
    if detectable is None:
        detectable = _detectable(n_items, pair.discordance, asked)
    return AtHand(
        n_items=positive_count("n_items", n_items),
        power=_power(pair, n_items, asked),
        detectable=detectable,
    )


def _errors(pair: AssumedPair, n_items: int, asked: Question) -> DesignErrors:
    if n_items > MOST_COUNTED:
        return normal_design_errors(pair.gap, pair.sigma_d / sqrt(n_items), alpha=asked.level)
    return mcnemar_design_errors(n_items, pair.p10, pair.p01, test=asked.test, alpha=asked.level)


def _power(pair: AssumedPair, n_items: int, asked: Question) -> float:
    """Power of the declared test, or of that by clusters where it is smaller; NaN without a gap."""
    if pair.gap == 0:
        return nan
    power, design = float(_errors(pair, n_items, asked).power), _by_clusters(pair, asked)
    return power if design is None else min(power, float(design.power(n_items / design.n_clusters)))


def _by_clusters(pair: AssumedPair, asked: Question) -> ClusterItemsDesign | None:
    """Return the test by clusters of a pair; None of independent items, and where none vary."""
    if asked.clusters is None or asked.icc is None or pair.sigma_d == 0:
        return None
    law = pair.gap, pair.sigma_d, asked.icc, asked.clusters
    return ClusterItemsDesign(*law, alpha=asked.level)


def _detectable(n_items: int, discordance: float, asked: Question) -> float:
    """Smallest gap that both the items' own test and that by clusters find."""
    n = positive_count("n_items", n_items)
    low = mcnemar_detectable_gap(n, discordance, asked.test, asked.level, asked.power)
    if asked.clusters is None or not isfinite(low):
        return low

    def by_clusters(gap: float) -> ClusterItemsDesign | None:
        return _by_clusters(pair_from_gap(gap, discordance), asked)

    each = n / asked.clusters
    return detectable_gap(by_clusters, each, asked.power, least=low, widest=discordance)


def _clusters(
    pair: AssumedPair, asked: Question, own: float, n_items: int | None
) -> ClusterItems | None:
    if asked.clusters is None or asked.icc is None:
        return None
    if pair.sigma_d == 0:
        raise InvalidArgument("icc must be left out: it is undefined where all gaps are alike")
    law = pair.gap, pair.sigma_d, asked.icc

    def per_cluster(k: int) -> float:
        by_clusters = required_units(ClusterItemsDesign(*law, k, alpha=asked.level), asked.power)
        return max(by_clusters, float(ceil(own / k)))

    size = ceil((own if n_items is None else n_items) / asked.clusters)
    needed = _some_units(ClusterDesign(*law, size, alpha=asked.level), asked.power)
    fewest = required_units(ClusterDesign(*law, alpha=asked.level), asked.power)
    numbers = {asked.clusters, int(max(needed, ceil(own / size)))}
    numbers |= {ceil(fewest * more) for more in _MULTIPLES}
    return ClusterItems(
        n_clusters=asked.clusters,
        per_cluster=per_cluster(asked.clusters),
        fewest=fewest,
        size=size,
        n_clusters_needed=max(needed, float(ceil(own / size))),
        ways=tuple((k, per_cluster(k)) for k in sorted(numbers)),
    )


def _some_units(design: ClusterDesign | MeanDesign, power: float) -> float:
    """`required_units` of a test that some number makes enough, unless the gap is zero."""
    units = required_units(design, power)
    if design.delta and not isfinite(units):
        raise InvalidArgument(
            f"gap must be 0, or farther from it: {design.delta:.3g} takes more than "
            f"{ENDLESS:.0e} units"
        )
    return units


@dataclass(frozen=True, slots=True)
class RepeatsPlan:
    """How many items means of repeats take, by the paired t test."""

    question: Question
    gap: float  # to be found; where items were given, the smallest that they find
    between: float  # variance between items
    within_a: float  # variance of the answers of A to an item
    within_b: float
    repeats_a: int
    repeats_b: int
    items: float  # from which the test has the target power, for normal differences
    n_star: float  # eq. (9), not rounded
    ways: tuple[tuple[float, float], ...]  # repeats of both models, and the items they take
    gaps: tuple[tuple[float, float], ...]  # and the gap that given items find; empty without


def plan_repeats(
    between: float,
    within_a: float,
    within_b: float | None = None,
    *,
    gap: float | None = None,
    n_items: int | None = None,
    repeats_a: int = 1,
    repeats_b: int | None = None,
    question: Question = STANDARD,
) -> RepeatsPlan:
    """Plan for means of repeats, from variances."""
    if (gap is None) == (n_items is None):
        raise InvalidArgument("give gap or n_items, one of the two")
    if question.margin is not None or question.clusters is not None:
        raise InvalidArgument("margin and clusters are not for repeats: leave them out")
    if min(between, within_a, within_a if within_b is None else within_b) < 0:
        raise InvalidArgument("between, within_a and within_b must not be negative")
    of_b = within_a if within_b is None else within_b
    k_b = repeats_a if repeats_b is None else repeats_b
    law: dict[str, Any] = {"alpha": question.level, "power": question.power}

    def sigma(k_a: float, k_b: float) -> float:
        variance = repeats_variance(between, within_a, of_b, repeats_a=k_a, repeats_b=k_b)
        return sqrt(float(variance))

    own = sigma(repeats_a, k_b)
    if own == 0:
        raise InvalidArgument("between, within_a and within_b must not all be 0")
    gaps: tuple[tuple[float, float], ...] = ()
    if n_items is not None:
        gap = _detectable_of_repeats(n_items, own, **law)
        gaps = tuple((k, _detectable_of_repeats(n_items, sigma(k, k), **law)) for k in _REPEATS)
    size = float(gap or 0.0)

    def items(sigma_d: float) -> float:
        # The paired t test alone, as the calculator's page has no skewness of samples.
        if sigma_d == 0:
            return 2.0
        design = MeanDesign(size, sigma_d, question.level, hall=False)
        return _some_units(design, question.power)

    return RepeatsPlan(
        question=question,
        gap=size,
        between=between,
        within_a=within_a,
        within_b=of_b,
        repeats_a=repeats_a,
        repeats_b=k_b,
        items=items(own),
        n_star=float(required_n(size, own, **law)),
        ways=tuple((k, items(sigma(k, k))) for k in _REPEATS),
        gaps=gaps,
    )


def _detectable_of_repeats(n_items: int, sigma_d: float, *, alpha: float, power: float) -> float:
    """Smallest gap that the paired t test finds, in steps that no digit shows."""
    if n_items < 2:
        raise InvalidArgument(f"n_items must be at least 2, got {n_items!r}")
    if sigma_d == 0:
        return 0.0

    def at(gap: float) -> MeanDesign:
        return MeanDesign(gap, sigma_d, alpha, hall=False)

    widest = sigma_d
    while at(widest).power(n_items) < power:
        widest *= 2
    return detectable_gap(at, n_items, power, widest=widest, halvings=50)
