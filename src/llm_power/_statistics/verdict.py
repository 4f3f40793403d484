r"""One verdict of three for each pair: different, equivalent or undetermined.

*Different*: the declared test rejects equal accuracy at its level; the direction is that of the
gap. *Equivalent*: two one-sided tests find the gap inside a margin that the user declared. Neither:
*undetermined*, with the number of further items after which one of the two is likely. Each of the
two claims is wrong with at most the chance :math:`\alpha`, for a pair that was named beforehand.
A pair can be both, different by a gap inside the margin: it is then called different, and
`within_margin` says the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from llm_power._choices import McNemarTest
from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import (
    broadcast,
    finite,
    numbers,
    open_unit,
    pair_counts,
    positive,
)
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray
from llm_power._statistics.average_gap import AverageGap
from llm_power._statistics.cluster_robust import ClusterResampling
from llm_power._statistics.exact_required_n import (
    P_VALUES,
    connor_required_n,
    continuity_corrected,
)
from llm_power._statistics.inversion import required_n
from llm_power._statistics.max_t import FamilyTest
from llm_power._statistics.mcnemar import mcnemar_asymptotic, smallest_exact_p
from llm_power._statistics.paired_difference_interval import (
    PairedDifferenceInterval,
    mean_with_skewness,
    tango_interval,
)
from llm_power._statistics.paired_equivalence import (
    score_equivalence_required_n,
    score_equivalence_test,
    student_equivalence_required_n,
)
from llm_power._statistics.skewness import equivalence_p, reach, two_sided_p

DIFFERENT: Final = "different"
EQUIVALENT: Final = "equivalent"
UNDETERMINED: Final = "undetermined"

_SETTINGS: Final = ("test", "margin", "alpha", "power")

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
    #: Gap and its interval of confidence ``1 - alpha``.
    interval: PairedDifferenceInterval
    #: Whether the interval and the declared test disagree about zero.
    interval_differs: BoolArray
    #: Items at which a pair with the rates observed is decided with the target power; ``inf`` where
    #: no number would do.
    required_items: FloatArray
    #: Further items after which the pair is decided with the target power, if its rates stay those
    #: observed; 0 where it is decided, ``inf`` where no number would do.
    further_items: FloatArray
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
) -> Verdicts:
    r"""Verdict on pairs of 0/1 scored models, by McNemar's test and the score equivalence test.

    Parameters
    ----------
    b, c : array_like of int
        Items that only A, and only B, solves.
    n_items : array_like of int
        Items that both models were scored on, at least b + c.
    margin : float, optional
        Largest gap that counts as none, in (0, 1). Without one no pair is equivalent.
    test : {"exact", "mid_p", "asymptotic"}, default "exact"
        Form of McNemar's test. "asymptotic" is the score test.
    alpha : float, default 0.05
        Two-sided level of the test, and level of the equivalence test; below 1/2.
    power : float, default 0.80
        Target power of `further_items`.
    family : FamilyTest, optional
        Adjusted p-values that "different" is decided by, and the level that further items are
        for; claims of equivalence are then adjusted by Bonferroni. Without it every pair is a
        family of its own, named beforehand.
    known_p : ndarray, optional
        P-values of the test, where they have been worked out already.

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
    The interval is Tango's, which belongs to the asymptotic test: with another one it can
    exclude 0 where the verdict is not "different", and `interval_differs` says where.

    Further items for a difference are Connor's formula at the observed rates, for the exact test
    with the continuity correction :math:`\frac{n}{4}\left(1+\sqrt{1+4/(n|\delta|)}\right)^2`;
    `llm_power._statistics.exact_required_n.McNemarDesign` has them without approximation; the two
    are within 5 items or 3 per cent of each other in the cases tested.

    Examples
    --------
    >>> from llm_power._statistics.verdict import binary_verdicts
    >>> found = binary_verdicts([5, 30, 40], [0, 8, 38], [10, 500, 2000], margin=0.02)
    >>> found.verdict.tolist(), found.p.round(4).tolist()
    (['undetermined', 'different', 'equivalent'], [0.0625, 0.0005, 0.9099])
    >>> float(found.further_items[0]), str(found.decided_as[0])
    (7.0, 'different')
    """
    if test not in P_VALUES:
        raise InvalidArgument(f"test must be one of {sorted(P_VALUES)}, got {test!r}")
    level = open_unit("alpha", alpha)
    each = level if family is None else family.level
    interval = tango_interval(b, c, n_items, confidence=1 - level)
    first, second, n = pair_counts(b, c, n_items)
    p = P_VALUES[test](first, second) if known_p is None else known_p
    p10, p01 = first / n, second / n
    need = connor_required_n(p10, p01, alpha=each, power=power)
    if test == "exact":
        need = continuity_corrected(need, interval.delta)
    if margin is None:
        p_equivalence, need_equivalence = _no_margin(n.shape)
    else:
        p_equivalence = score_equivalence_test(first, second, n, margin=margin, alpha=level).p
        need_equivalence = score_equivalence_required_n(
            p10, p01, margin=margin, alpha=each, power=power
        )
    return _verdicts(
        p=p,
        p_equivalence=p_equivalence,
        interval=interval,
        attainable=_smallest_p(test, first + second) <= each,
        need=need,
        need_equivalence=need_equivalence,
        n_items=n,
        family=family,
        settings=(test, margin, level, power),
    )


def student_verdicts(
    differences: ArrayLike,
    *,
    margin: float | None = None,
    alpha: float = 0.05,
    power: float = 0.80,
) -> Verdicts:
    """Verdict on pairs of graded models, by the paired t test with Hall's beside it.

    Shapes: `differences` (n_items,) or (n_items, n_pairs).

    Test and interval are the same, so that they never differ. Student's test, with the degrees of
    freedom of the items that differ, and Hall's, which takes skewness into account, must both
    reject: `llm_power._statistics.skewness`.
    """
    d = finite("differences", differences)
    if d.ndim not in (1, 2) or d.shape[0] == 0:
        raise InvalidArgument(
            f"differences must have shape (n_items,) or (n_items, n_pairs), got {d.shape!r}"
        )
    n, mean = d.shape[0], d.mean(axis=0)
    error, df, skew, hall_df = mean_with_skewness(d)
    sigma_d = np.where(np.isfinite(error), error, 0.0) * np.sqrt(n)
    return mean_verdicts(
        mean,
        error,
        df,
        n,
        need=required_n(mean, sigma_d, alpha=alpha, power=power),
        skew=skew,
        hall_df=hall_df,
        margin=margin,
        alpha=alpha,
        power=power,
    )


def mean_verdicts(
    delta: ArrayLike,
    standard_error: ArrayLike,
    df: ArrayLike,
    n_items: ArrayLike,
    *,
    need: ArrayLike,
    skew: ArrayLike = 0.0,
    hall_df: ArrayLike | None = None,
    resampled: ClusterResampling | None = None,
    test: Literal["student", "weighted", ClusterTestName] = "student",
    margin: float | None = None,
    alpha: float = 0.05,
    power: float = 0.80,
    family: FamilyTest | None = None,
    known_p: FloatArray | None = None,
) -> Verdicts:
    """Verdict on pairs by the t statistic of a mean difference.

    An infinite or missing standard error, and degrees of freedom below 1, decide nothing. `need`
    are the items that a difference takes by the normal law, at the level of `family` if it is
    given; p-values of `resampled` take the place of the t test's, and the interval stays its own.
    """
    level = open_unit("alpha", alpha)
    gap, error, freedom, n, items, tilt, hall = broadcast(
        delta=finite("delta", delta),
        standard_error=numbers("standard_error", standard_error),
        df=numbers("df", df),
        n_items=finite("n_items", n_items),
        need=numbers("need", need),
        skew=numbers("skew", skew),
        hall_df=numbers("hall_df", df if hall_df is None else hall_df),
    )
    varies = np.isfinite(error) & (freedom > 0)
    error, freedom = np.where(varies, error, np.inf), np.where(varies, freedom, 1.0)
    hall, tilt = np.where(varies, hall, 1.0), np.where(varies, tilt, 0.0)
    if test == "student":
        # What Student's t takes beyond the normal law, Guenther (1981), doi:10.2307/2683298.
        items = items + ndtri((level if family is None else family.level) / 2) ** 2 / 2
    below, above = reach(level, freedom, tilt, hall)
    p_equivalence, need_equivalence = _no_margin(gap.shape)
    if margin is not None:
        bound = float(positive("margin", margin))
        p_equivalence = equivalence_p(gap, error, freedom, tilt, hall, margin=bound)
        if test == "student":
            need_equivalence = student_equivalence_required_n(
                gap,
                np.where(varies, error, 0.0) * np.sqrt(n),
                margin=bound,
                alpha=level if family is None else family.level,
                power=power,
            )
    # As many degrees of freedom for both tests take one tail instead of two.
    own = None if hall_df is None else hall
    p = two_sided_p(gap / error, freedom, tilt, own) if known_p is None else known_p
    attainable = varies
    if resampled is not None:
        p = np.where(varies & ~np.isnan(resampled.p), resampled.p, 1.0)
        attainable = varies & (resampled.smallest_p <= (level if family is None else family.level))
    return _verdicts(
        p=p,
        p_equivalence=p_equivalence,
        interval=PairedDifferenceInterval(gap, gap - below * error, gap + above * error, 1 - level),
        attainable=attainable,
        need=np.where(varies, items, np.inf),
        need_equivalence=np.where(varies, need_equivalence, np.inf),
        n_items=n,
        family=family,
        settings=(test, margin, level, power),
    )


def mean_p(
    delta: FloatArray, standard_error: FloatArray, df: FloatArray, skew: FloatArray
) -> FloatArray:
    """P-values of `mean_verdicts` alone, with one number of degrees of freedom for both tests."""
    varies = np.isfinite(standard_error) & (df > 0)
    error, freedom = np.where(varies, standard_error, np.inf), np.where(varies, df, 1.0)
    return two_sided_p(delta / error, freedom, np.where(varies, skew, 0.0))


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
) -> Verdicts:
    """Verdict on pairs by the average of their gaps over tasks.

    No p-value is below that of the exact test where all `n_discordant` items go one way, whatever
    their weights; further items are in the same proportions.
    """
    level = open_unit("alpha", alpha)
    each = level if family is None else family.level
    delta, error, n = average.delta, average.standard_error, np.asarray(n_items)
    varies = np.isfinite(error)
    sigma = np.where(varies, error, 0.0) * np.sqrt(n)
    floor = smallest_exact_p(n_discordant)
    p_equivalence, need_equivalence = _no_margin(delta.shape)
    if margin is not None:
        p_equivalence = average.p_within(margin)
        need_equivalence = student_equivalence_required_n(
            delta, sigma, margin=margin, alpha=each, power=power
        )
    need = required_n(delta, sigma, alpha=each, power=power)
    return _verdicts(
        p=np.maximum(average.p_different(), floor),
        p_equivalence=p_equivalence,
        interval=average.interval(1 - level),
        attainable=varies & (floor <= each),
        need=np.where(varies, need, np.inf),
        need_equivalence=np.where(varies, need_equivalence, np.inf),
        n_items=n,
        family=family,
        settings=(test, margin, level, power),
    )


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
    interval = PairedDifferenceInterval(delta, low, high, second.interval.confidence)
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
        p=np.maximum(first.p, second.p),
        p_family=np.maximum(first.p_family, second.p_family),
        attainable=first.attainable & second.attainable,
        p_equivalence=np.maximum(first.p_equivalence, second.p_equivalence),
        within_margin=within,
        interval=interval,
        interval_differs=_excludes_zero(interval) != different,
        required_items=np.maximum(first.required_items, second.required_items),
        further_items=np.where(decided, 0.0, np.where(opposed, np.inf, further)),
        decided_as=np.where(decided, verdict, np.where(opposed, UNDETERMINED, coming)),
    )


def _verdicts(
    *,
    p: FloatArray,
    p_equivalence: FloatArray,
    interval: PairedDifferenceInterval,
    attainable: BoolArray,
    need: FloatArray,
    need_equivalence: FloatArray,
    n_items: IntArray | FloatArray,
    family: FamilyTest | None,
    settings: tuple[Test, float | None, float, float],
) -> Verdicts:
    test, margin, alpha, power = settings
    p_family = np.asarray(p if family is None else family.p)
    claim = p_equivalence
    if family is not None and margin is not None:
        claim = family.size * p_equivalence
    different, within = np.asarray(p_family <= alpha), np.asarray(claim <= alpha)
    decided, verdict = different | within, _called(different, within)
    smaller = np.minimum(need, need_equivalence)
    required = np.ceil(smaller)
    # Power may be reached and the observed verdict still be open: at least one more item.
    further = np.maximum(required - n_items, 1.0)
    coming = np.where(need <= need_equivalence, DIFFERENT, EQUIVALENT)
    coming = np.where(np.isinf(smaller), UNDETERMINED, coming)
    return Verdicts(
        verdict=verdict,
        direction=np.where(different, np.sign(interval.delta), 0).astype(np.int64),
        p=np.asarray(p),
        p_family=p_family,
        attainable=np.asarray(attainable),
        p_equivalence=np.asarray(p_equivalence),
        within_margin=within,
        interval=interval,
        interval_differs=_excludes_zero(interval) != different,
        required_items=required,
        further_items=np.where(decided, 0.0, further),
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


def _excludes_zero(interval: PairedDifferenceInterval) -> BoolArray:
    return np.asarray((interval.low > 0) | (interval.high < 0))


def _no_margin(shape: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    """P-value and required items of an equivalence that nobody asked for."""
    return np.full(shape, np.nan), np.full(shape, np.inf)
