r"""One verdict of three for each pair: different, equivalent or undetermined.

*Different*: the declared test rejects equal accuracy at its level; the direction is that of the
gap. *Equivalent*: two one-sided tests find the gap inside a margin that the user declared. Neither:
*undetermined*, with the number of further items after which one of the two is likely, whatever the
data leave open of the gap (`llm_power._statistics.predictive_power`). Each of the
two claims is wrong with at most the chance :math:`\alpha`, for a pair that was named beforehand.
A pair can be both, different by a gap inside the margin: it is then called different, and
`within_margin` says the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from llm_power._choices import McNemarTest
from llm_power._statistics.argument_checks import one_of, open_unit, pair_counts, positive
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray
from llm_power._statistics.average_gap import AverageGap
from llm_power._statistics.cluster_robust import ClusterResampling
from llm_power._statistics.intervals import PairedDifferenceInterval, score_interval
from llm_power._statistics.mcnemar import P_VALUES, mcnemar_asymptotic, smallest_exact_p
from llm_power._statistics.multiplicity import FamilyTest
from llm_power._statistics.paired_equivalence import score_equivalence_test
from llm_power._statistics.predictive_power import (
    USUAL_GAP,
    ObservedGap,
    binary_gap_seen,
    mean_gap_seen,
)
from llm_power._statistics.t_test import equivalence_p, interval_multipliers, two_sided_p

DIFFERENT: Final = "different"
EQUIVALENT: Final = "equivalent"
UNDETERMINED: Final = "undetermined"

_SETTINGS: Final = ("test", "margin", "alpha", "power")
# Of two tests that must both reject the larger number counts.
_LARGER: Final = ("p", "p_family", "p_equivalence", "even_items", "assured_items", "smallest_gap")
# Least share of a gap that a test-based limit leaves, where a p-value is at the level itself.
_NOT_ZERO: Final = 1e-9

#: Items that are planned: of new runs and further ones, further ones, or none.
Plan = Literal["all", "further", "none"]
ClusterTestName = Literal["cluster", "cluster_wild", "cluster_sign_flip"]
Test = Literal["exact", "mid_p", "asymptotic", "student", "weighted", "stratified", ClusterTestName]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Verdict on each pair, with what it rests on."""

    #: "different", "equivalent" or "undetermined".
    verdict: NDArray[np.str_]
    #: 1 where A is declared better, -1 where B is, 0 where the pair is not different.
    direction: IntArray
    #: Two-sided p-value of the declared test.
    p: FloatArray
    #: The same, adjusted for the family of pairs; `p` where none was declared.
    p_family: FloatArray
    #: Whether any outcome on so many discordant items could be called different.
    attainable: BoolArray
    #: The larger one-sided p-value of the equivalence test; NaN without a margin.
    p_equivalence: FloatArray
    #: Whether the equivalence test rejects, also where the pair is different.
    within_margin: BoolArray
    #: Gap and its interval at the pair's level in its family: it holds 0 exactly where the pair is
    #: not different, and lies within the margin exactly where `within_margin` says so.
    interval: PairedDifferenceInterval
    #: Items of a new run that decides the pair on the same side with a chance of one half, and with
    #: the target power, expected over what is open of the gap; ``inf`` where no number would do.
    even_items: FloatArray
    assured_items: FloatArray
    #: Further items after which the pair is decided with that chance, all items together; 0 where
    #: it is decided, ``inf`` where no number would do.
    further_items: FloatArray
    #: Smallest gap that so many items find with the target power.
    smallest_gap: FloatArray
    #: What these would decide: "different" or "equivalent"; the verdict where it is decided,
    #: "undetermined" where no number would do.
    decided_as: NDArray[np.str_]
    #: "exact", "mid_p", "asymptotic", "student", of an average "stratified", of missing scores that
    #: are weighted "weighted"; of clusters "cluster", "cluster_wild" or "cluster_sign_flip".
    test: Test
    #: Declared margin, in score units.
    margin: float | None
    #: `alpha`, `power`: Level and target power.
    alpha: float
    power: float


def binary_verdicts(
    b: ArrayLike,
    c: ArrayLike,
    n_items: ArrayLike,
    *,
    margin: float | None = None,
    test: McNemarTest = "exact",
    alpha: float = 0.05,
    power: float = 0.80,
    family: FamilyTest | None = None,
    known_p: FloatArray | None = None,
    plan: Plan = "all",
    prior: float = USUAL_GAP,
) -> Verdicts:
    r"""Verdict on pairs of 0/1 scored models, by McNemar's test and the score equivalence test.

    Parameters
    ----------
    b, c : array_like of int
        Items that only A, and only B, solves.
    n_items : array_like of int
        Items that both models were scored on, at least b + c.
    margin : float, optional
        Equivalence margin, in (0, 1). Without one no pair is equivalent.
    test : {"exact", "mid_p", "asymptotic"}, default "exact"
        Form of McNemar's test. "asymptotic" is the score test.
    alpha : float, default 0.05
        Two-sided level of the test, and level of the equivalence test; below 1/2.
    power : float, default 0.80
        Target power of `assured_items` and `further_items`.
    family : FamilyTest, optional
        Adjusted p-values that "different" is decided by, and the level of a single pair, which
        planned items and intervals are for; each side of the margin is tested at half of it, or at
        Bonferroni's level where that is larger. Without it every pair is a family of its own, named
        beforehand.
    known_p : ndarray, optional
        P-values of the test, where they have been computed already.
    plan : {"all", "further", "none"}
        Which items are planned: those of new runs and further ones, further ones alone, which
        leaves `even_items` and `assured_items` NaN, or none, which leaves `further_items` 0.
    prior : float, default 0.4
        Standard deviation of the normal prior of gaps, in standard deviations of an item's
        difference; a board has that of its models.

    Returns
    -------
    Verdicts
        Arrays of the broadcast shape.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.

    Notes
    -----
    The interval is Tango's, which belongs to the asymptotic test; its ends are moved to what the
    declared test decides, so that it holds 0 exactly where the verdict is not "different".

    Planned items are by the normal law, with two variances as in Connor's formula and the exact
    test's correction for whole counts. The items that the observed rates would take, were they the
    true ones, are `llm_power._statistics.mcnemar.McNemarDesign`'s.

    Examples
    --------
    >>> from llm_power import binary_verdicts
    >>> verdicts = binary_verdicts([5, 30, 40], [0, 8, 38], [10, 500, 2000], margin=0.02)
    >>> verdicts.verdict.tolist(), verdicts.p.round(4).tolist()
    (['undetermined', 'different', 'equivalent'], [0.0625, 0.0005, 0.9099])
    >>> float(verdicts.further_items[0]), str(verdicts.decided_as[0])
    (18.0, 'different')
    """
    one_of("test", test, P_VALUES)
    level = open_unit("alpha", alpha)
    each = level if family is None else family.level
    first, second, n = pair_counts(b, c, n_items)
    interval = score_interval(first, second, n, each)
    p = P_VALUES[test](first, second) if known_p is None else known_p
    return _verdicts(
        p=p,
        p_within=lambda m: score_equivalence_test(first, second, n, margin=m, alpha=level).p,
        interval=interval,
        attainable=_smallest_p(test, first + second) <= each,
        seen=replace(binary_gap_seen(first, second, n, exact=test == "exact"), prior=prior),
        plan=plan,
        family=family,
        settings=(test, margin, level, power),
    )


def mean_verdicts(
    delta: ArrayLike,
    standard_error: ArrayLike,
    df: ArrayLike,
    n_items: ArrayLike,
    *,
    skew: ArrayLike = 0.0,
    hall_df: ArrayLike | None = None,
    resampled: ClusterResampling | None = None,
    test: Literal["student", "weighted", ClusterTestName] = "student",
    margin: float | None = None,
    alpha: float = 0.05,
    power: float = 0.80,
    family: FamilyTest | None = None,
    known_p: FloatArray | None = None,
    plan: Plan = "all",
    prior: float = USUAL_GAP,
) -> Verdicts:
    """Verdict on pairs by the t statistic of a mean difference.

    Student's test and Hall's, which takes skewness into account, must both reject, and the interval
    is of both: `llm_power._statistics.t_test`.

    An infinite or missing standard error, and degrees of freedom below 1, decide nothing.
    P-values of `resampled` take the place of the t test's, and the interval stays its own.
    """
    level = open_unit("alpha", alpha)
    each = level if family is None else family.level
    gap, error, freedom, n, tilt, hall = np.broadcast_arrays(
        delta, standard_error, df, n_items, skew, df if hall_df is None else hall_df
    )
    varies = np.isfinite(error) & (freedom > 0)
    error, freedom = np.where(varies, error, np.inf), np.where(varies, freedom, 1.0)
    hall, tilt = np.where(varies, hall, 1.0), np.where(varies, tilt, 0.0)
    below, above = interval_multipliers(each, freedom, tilt, hall)
    law = gap, error, freedom, tilt, hall
    p = known_p
    if p is None:
        p = mean_p(gap, error, freedom, tilt, None if hall_df is None else hall)
    attainable = varies
    if resampled is not None:
        p = np.where(varies & ~np.isnan(resampled.p), resampled.p, 1.0)
        attainable = varies & (resampled.smallest_p <= each)
    return _verdicts(
        p=p,
        p_within=lambda m: equivalence_p(*law, margin=float(positive("margin", m))),
        interval=PairedDifferenceInterval(gap, gap - below * error, gap + above * error, each),
        attainable=attainable,
        seen=replace(mean_gap_seen(p, error, n, freedom), prior=prior),
        plan=plan,
        family=family,
        settings=(test, margin, level, power),
    )


def mean_p(
    delta: FloatArray,
    standard_error: FloatArray,
    df: FloatArray,
    skew: FloatArray,
    hall_df: FloatArray | None = None,
) -> FloatArray:
    """P-values of `mean_verdicts` alone; without `hall_df` it is `df`, which takes one tail."""
    varies = np.isfinite(standard_error) & (df > 0)
    error, freedom = np.where(varies, standard_error, np.inf), np.where(varies, df, 1.0)
    hall = None if hall_df is None else np.where(varies, hall_df, 1.0)
    return two_sided_p(delta / error, freedom, np.where(varies, skew, 0.0), hall)


def average_verdicts(
    average: AverageGap,
    n_items: ArrayLike,
    n_discordant: ArrayLike,
    *,
    test: Literal["stratified", "cluster"] = "stratified",
    margin: float | None = None,
    alpha: float = 0.05,
    power: float = 0.80,
    family: FamilyTest | None = None,
    prior: float = USUAL_GAP,
) -> Verdicts:
    """Verdict on pairs by the average of their gaps over tasks.

    Planned items are in the same proportions.
    """
    level = open_unit("alpha", alpha)
    each = level if family is None else family.level
    delta, error, n = average.delta, average.standard_error, np.asarray(n_items)
    varies = np.isfinite(error)
    p = average_p(average, n_discordant)
    seen = mean_gap_seen(p, error, n, np.minimum(average.df, n), hall=False)
    # Where all items go one way the error is none, and the p-value has the one that it stands for.
    certain = np.where(delta == 0, np.inf, np.abs(delta) / np.maximum(seen.z, _NOT_ZERO))
    return _verdicts(
        p=p,
        p_within=average.p_within,
        interval=average.interval(each),
        attainable=varies & (smallest_exact_p(n_discordant) <= each),
        seen=replace(seen, error=np.where(error > 0, error, certain), prior=prior),
        family=family,
        settings=(test, margin, level, power),
    )


def average_p(average: AverageGap, n_discordant: ArrayLike) -> FloatArray:
    """P-values of `average_verdicts` alone.

    None is below that of the exact test where all discordant items go one way, whatever their
    weights.
    """
    return np.asarray(np.maximum(average.p_different(), smallest_exact_p(n_discordant)))


def chosen_verdicts(where: BoolArray, first: Verdicts, second: Verdicts) -> Verdicts:
    """Return the first verdict of the pairs that are marked, the second of the others."""
    names = [field.name for field in fields(Verdicts) if field.name not in _SETTINGS]
    picked = {
        name: np.where(where, getattr(first, name), getattr(second, name))
        for name in names
        if name != "interval"
    }
    delta, low, high = (
        np.where(where, getattr(first.interval, end), getattr(second.interval, end))
        for end in ("delta", "low", "high")
    )
    interval = PairedDifferenceInterval(delta, low, high, second.interval.level)
    return replace(second, interval=interval, **picked)


def agreed_verdicts(first: Verdicts, second: Verdicts) -> Verdicts:
    """Verdict where two tests of the same pairs must both reject.

    Where clusters are a sample, the variance of a gap is that of the items and, on top of it, that
    between clusters, which is not negative. A few clusters that happen to be alike show less than
    the items alone, and a test that rests on clusters alone then rejects what the items leave
    open. Of a robust standard error and the conventional one Angrist and Pischke take the larger,
    for the same reason. Two tests that must both reject keep the level of each of them (Berger),
    and the test of the items stays the declared one. With 4 clusters of 100 items the type I error
    of a nominal .05 is .015, .044 and .054 at an ICC of 0, .02 and .1; that of CR2 alone is .047,
    .053 and .054 (8,000 simulations each, standard error .0025).

    Angrist and Pischke (2009), Mostly Harmless Econometrics, section 8.1; Berger (1982),
    doi:10.2307/1268772.
    """
    different = (first.verdict == DIFFERENT) & (second.verdict == DIFFERENT)
    within = first.within_margin & second.within_margin
    decided, verdict = different | within, _called(different, within)
    further = np.maximum(first.further_items, second.further_items)
    slower = first.further_items >= second.further_items
    coming = np.where(slower, first.decided_as, second.decided_as)
    # One says different and the other equivalent: no more of the same items reconciles them.
    opposed = ~decided & (further == 0)
    interval = replace(
        first.interval,
        low=np.minimum(first.interval.low, second.interval.low),
        high=np.maximum(first.interval.high, second.interval.high),
    )
    return replace(
        first,
        verdict=verdict,
        direction=np.where(different, first.direction, 0),
        attainable=first.attainable & second.attainable,
        within_margin=within,
        interval=interval,
        further_items=np.where(decided, 0.0, np.where(opposed, np.inf, further)),
        decided_as=np.where(decided, verdict, np.where(opposed, UNDETERMINED, coming)),
        **{name: np.maximum(getattr(first, name), getattr(second, name)) for name in _LARGER},
    )


def _verdicts(
    *,
    p: FloatArray,
    p_within: Callable[[float], FloatArray],
    interval: PairedDifferenceInterval,
    attainable: BoolArray,
    seen: ObservedGap,
    family: FamilyTest | None,
    settings: tuple[Test, float | None, float, float],
    plan: Plan = "all",
) -> Verdicts:
    test, margin, alpha, power = settings
    nothing = np.full(np.shape(interval.delta), np.nan)
    p_equivalence = nothing if margin is None else p_within(margin)
    p_family = np.asarray(p if family is None else family.p)
    level = alpha if family is None else family.level
    each_side = _equivalence_level(alpha, family)
    different, within = np.asarray(p_family <= alpha), np.asarray(p_equivalence <= each_side)
    decided, verdict = different | within, _called(different, within)
    even = assured = np.full(p.shape, np.nan)
    if plan == "all":
        even, assured = (seen.items(level, chance) for chance in (0.5, power))
    to_plan = ~decided & (plan != "none")
    further, left = np.zeros(p.shape), seen.of(to_plan)
    further[to_plan] = left.items(level, power, further=True)
    coming = np.where(np.isinf(further), UNDETERMINED, DIFFERENT)
    if margin is not None:
        law, closer = (margin, each_side), np.zeros(p.shape)
        closer[to_plan] = left.items_within(*law, power, further=True)
        near = np.where(decided, within & ~different, closer < further)
        coming = np.where(near, EQUIVALENT, coming)
        further = np.where(near, closer, further)
        if plan == "all":
            even = np.where(near, seen.items_within(*law, 0.5), even)
            assured = np.where(near, seen.items_within(*law, power), assured)
    return Verdicts(
        verdict=verdict,
        direction=np.where(different, np.sign(interval.delta), 0).astype(np.int64),
        p=np.asarray(p),
        p_family=p_family,
        attainable=np.asarray(attainable),
        p_equivalence=np.asarray(p_equivalence),
        within_margin=within,
        interval=_as_decided(interval, p, different, within, margin),
        even_items=even,
        assured_items=assured,
        further_items=further,
        smallest_gap=seen.smallest(level, power),
        decided_as=np.where(decided, verdict, coming),
        test=test,
        margin=margin,
        alpha=alpha,
        power=power,
    )


def _smallest_p(test: McNemarTest, n_discordant: IntArray) -> FloatArray:
    """P-value where all discordant items go one way."""
    if test == "asymptotic":
        return mcnemar_asymptotic(n_discordant, 0)
    smallest = smallest_exact_p(n_discordant)
    # Half the weight on the only table of its tail, and 1 where there is none to weigh.
    halved = np.where(n_discordant > 0, np.exp2(-1.0 * n_discordant), 1.0)
    return smallest if test == "exact" else halved


def _called(different: BoolArray, within: BoolArray) -> NDArray[np.str_]:
    return np.where(different, DIFFERENT, np.where(within, EQUIVALENT, UNDETERMINED))


def _equivalence_level(alpha: float, family: FamilyTest | None) -> float:
    """Level of the test on each side of the margin.

    Simultaneous intervals allow every claim that they support, and so leave half of their level
    to a side; Bonferroni's is larger where the family is small.
    """
    return alpha if family is None else max(family.level / 2, alpha / family.size)


def _as_decided(
    interval: PairedDifferenceInterval,
    p: FloatArray,
    different: BoolArray,
    within: BoolArray,
    margin: float | None,
) -> PairedDifferenceInterval:
    r"""Return the interval with its ends where the tests that decide have them.

    A score interval may exclude 0 where the exact test does not reject, and is then extended to it.
    Far out in the tails it may hold 0 where that test rejects: there it ends at the test-based
    limit :math:`\hat\Delta (1 - z_{level} / z_p)`. It ends at a margin that is rejected.

    Miettinen (1976), American Journal of Epidemiology 103(2), 226-235, for test-based limits.
    """
    gap, low, high = interval.delta, interval.low, interval.high
    share = np.ones(np.shape(gap))
    np.divide(ndtri(interval.level / 2), ndtri(p / 2), out=share, where=different & (p < 1))
    nearest = gap * np.maximum(1 - share, _NOT_ZERO)
    low = np.where(different & (gap > 0), np.where(low > 0, low, nearest), low)
    high = np.where(different & (gap < 0), np.where(high < 0, high, nearest), high)
    low = np.where(different, low, np.minimum(low, 0.0))
    high = np.where(different, high, np.maximum(high, 0.0))
    if margin is not None:
        low = np.where(within, np.maximum(low, -margin), low)
        high = np.where(within, np.minimum(high, margin), high)
    return replace(interval, low=low, high=high)
