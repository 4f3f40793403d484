r"""Families of pairwise claims: adjusted p-values, and the same on the scale of required items.

Section 3 ("Paired variance and multiplicity") and Section 6.3 of the paper. A procedure
replaces :math:`\alpha` in eq. (3) by the level :math:`\alpha'` at which it tests a
hypothesis, which inflates :math:`N^*`. The family is declared before any p-value is seen:
its size `m` is an argument, and may exceed the number of p-values at hand.

Where some pairs may be called different by mistake, Benjamini and Hochberg's procedure calls the R
pairs different whose p-values are at most :math:`R \alpha / m`, for the largest such R. Of these,
the expected share that does not differ, or differs the other way, is at most :math:`\alpha` where
tests are independent or positively dependent, and in simulations for pairs that share their models
and their items. Yekutieli's constant :math:`\sum_{j \le m} 1/j` makes it hold whatever the
dependence. Of the intervals of selected pairs at the level :math:`R \alpha / m` as small a share is
expected to miss the gap, and they hold 0 exactly where a pair is not selected.

References
----------
Benjamini and Hochberg (1995), doi:10.1111/j.2517-6161.1995.tb02031.x; Benjamini and Yekutieli
(2001), doi:10.1214/aos/1013699998; Benjamini and Yekutieli (2005), doi:10.1198/016214504000001907,
for directions and intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from llm_power._choices import Family
from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import (
    one_of,
    open_unit,
    p_values,
    proportions,
)
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray, ratio
from llm_power._statistics.inversion import required_n, resolution_ratio

Procedure = Literal["bonferroni", "sidak", "holm", "benjamini_hochberg"]


@dataclass(frozen=True, slots=True)
class AdjustedResolution:
    """Required items and verdicts of a family of pairs under one procedure."""

    #: Level at which the procedure tests each pair; shape (n_pairs,).
    levels: FloatArray
    #: Required items at that level; ``inf`` where the gap is zero; shape (n_pairs,).
    n_star: FloatArray
    #: Items at hand over `n_star`; shape (n_pairs,).
    q: FloatArray
    #: Verdict of the whole procedure, which for a stepwise one is not ``q >= 1`` alone.
    resolved: BoolArray
    #: Name of the procedure.
    procedure: Procedure
    #: Size of the declared family.
    m: int
    #: `alpha`, `power`: Family-wise level (false discovery rate for Benjamini-Hochberg) and target
    #: power.
    alpha: float
    power: float


def family_size(n_models: int, family: Family) -> int:
    """Size of a family of pairwise claims about a leaderboard.

    The two pre-declared families of Section 6.3.
    """
    if n_models < 2:
        raise InvalidArgument(f"n_models must be at least 2, got {n_models!r}")
    if family == "adjacent":
        return n_models - 1
    if family == "all":
        return n_models * (n_models - 1) // 2
    raise InvalidArgument(f"family must be 'adjacent' or 'all', got {family!r}")


def adjust_bonferroni(p: ArrayLike, m: int | None = None) -> FloatArray:
    r"""Bonferroni-adjusted p-values, :math:`\min(1, m p)`.

    Dunn (1961), doi:10.1080/01621459.1961.10482090.
    """
    p, m = _declared(p, m)
    return np.minimum(1.0, m * p)


def adjust_sidak(p: ArrayLike, m: int | None = None) -> FloatArray:
    """Šidák-adjusted p-values, :math:`1-(1-p)^m`.

    Holds for two-sided tests on jointly normal statistics under any correlation, so also
    for pairs that share a model.

    Šidák (1967), doi:10.1080/01621459.1967.10482935.
    """
    p, m = _declared(p, m)
    log_keep = np.full(p.shape, -np.inf)
    np.log1p(-p, out=log_keep, where=p < 1)
    adjusted: FloatArray = -np.expm1(m * log_keep)
    return adjusted


def adjust_holm(p: ArrayLike, m: int | None = None) -> FloatArray:
    r"""Holm-adjusted p-values, :math:`\max_{j \le k} \min(1, (m-j+1)\,p_{(j)})`.

    Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70 (no DOI; JSTOR 4615733).

    Parameters
    ----------
    p : array_like
        P-values of shape (n_tests,).
    m : int, optional
        Size of the family; the number of `p` if not given.

    Returns
    -------
    ndarray
        Adjusted p-values, in the order of `p`.

    Raises
    ------
    InvalidArgument
        If a p-value is outside [0, 1] or `m` is below their number.

    Examples
    --------
    >>> from llm_power import adjust_holm
    >>> adjust_holm([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    p, m = _declared(p, m)
    return stepwise(p, m)["p_holm"](p)


def adjust_benjamini_hochberg(p: ArrayLike, m: int | None = None) -> FloatArray:
    r"""Benjamini-Hochberg-adjusted p-values, :math:`\min_{j \ge k} \min(1, m\,p_{(j)}/j)`.

    Proved for independent or positively dependent tests. Adjacent pairs share a model with
    opposite signs; the paper leaves the dependence to future work (Section 7).

    Benjamini and Hochberg (1995), doi:10.1111/j.2517-6161.1995.tb02031.x.

    Parameters
    ----------
    p : array_like
        P-values of shape (n_tests,).
    m : int, optional
        Size of the family; the number of `p` if not given.

    Returns
    -------
    ndarray
        Adjusted p-values, in the order of `p`.

    Raises
    ------
    InvalidArgument
        If a p-value is outside [0, 1] or `m` is below their number.

    Examples
    --------
    >>> from llm_power import adjust_benjamini_hochberg
    >>> adjust_benjamini_hochberg([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.04, 0.04]
    """
    p, m = _declared(p, m)
    return stepwise(p, m)["p_bh"](p)


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Adjusted p-values as a function of the p-value, which steps up.

    A family of 10^8 pairs has few distinct p-values of exact tests, and leaves no room for further
    numbers of each pair.
    """

    #: Where the adjusted p-values step up, in ascending order, (n_steps,).
    at: FloatArray
    #: The adjusted p-values below the first step and from each step on, (n_steps + 1,).
    steps: FloatArray
    #: They are at least the p-value itself, and at most this times it; None: the steps alone.
    most: int | None = None

    def __call__(self, p: FloatArray) -> FloatArray:
        """Return the adjusted p-values of some tests of the family, (n_tests,)."""
        adjusted = self.steps[np.searchsorted(self.at, p, side="right")]
        if self.most is None:
            return adjusted
        np.minimum(adjusted, self.most * p, out=adjusted)
        return np.maximum(adjusted, p, out=adjusted)


def stepwise(p: FloatArray, m: int) -> dict[str, Adjustment]:
    """Return by column how Holm and how Benjamini and Hochberg adjust a family of `m` tests."""
    values, counts = _distinct(p)
    upto = np.cumsum(counts)
    steps = {
        "p_holm": np.maximum.accumulate(values * (m - (upto - counts))),
        "p_bh": np.minimum.accumulate((values * m / upto)[::-1])[::-1],
    }
    return {
        name: Adjustment(values, np.concatenate([np.zeros(1), np.minimum(1.0, each)]))
        for name, each in steps.items()
    }


# P-values that are sorted at once: 32 MB.
_SORTED: Final = 2**22


def _distinct(p: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the distinct p-values in ascending order, and how many there are of each."""
    parts = [
        np.unique(p[k : k + _SORTED], return_counts=True) for k in range(0, max(p.size, 1), _SORTED)
    ]
    if len(parts) == 1:
        return parts[0]
    values, counts = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.argsort(values)
    values = values[order]
    starts = np.flatnonzero(np.diff(values, prepend=-1.0))
    return values[starts], np.add.reduceat(counts[order], starts)


def bonferroni_level(m: int, *, alpha: float = 0.05) -> float:
    r"""Level of every hypothesis under Bonferroni, :math:`\alpha/m`."""
    return open_unit("alpha", alpha) / _family(m, 1)


def sidak_level(m: int, *, alpha: float = 0.05) -> float:
    r"""Level of every hypothesis under Šidák, :math:`1-(1-\alpha)^{1/m}`."""
    return float(-np.expm1(np.log1p(-open_unit("alpha", alpha)) / _family(m, 1)))


def step_levels(
    p: ArrayLike, procedure: Procedure, m: int | None = None, *, alpha: float = 0.05
) -> FloatArray:
    r"""Level of each hypothesis at its own step, k of m.

    Of Holm's procedure it is :math:`\alpha/(m-k+1)`, and equal p-values all take the smallest of
    their ranks: the strictest level of theirs, in whatever order the pairs are listed. Of
    Benjamini-Hochberg's it is :math:`\alpha k/m`, and they take the largest, as it steps up.
    """
    values, size = _declared(p, m)
    return _STEP_LEVELS[procedure](_ranks(values, procedure), size, alpha)


def adjusted_required_n(
    p: ArrayLike,
    delta: ArrayLike,
    sigma_d: ArrayLike,
    n_items: ArrayLike,
    *,
    procedure: Procedure,
    m: int | None = None,
    alpha: float = 0.05,
    power: float = 0.80,
) -> AdjustedResolution:
    r"""Required items, resolution ratio and verdict of each pair of a declared family.

    Parameters
    ----------
    p : array_like of shape (n_pairs,)
        P-values; they decide the steps of the stepwise procedures and nothing else.
    delta, sigma_d : array_like of shape (n_pairs,) or ()
        Gap and standard deviation of the paired difference, in score units.
    n_items : array_like of shape (n_pairs,) or ()
        Items at hand.
    procedure : {"bonferroni", "sidak", "holm", "benjamini_hochberg"}
        How :math:`\alpha` is adjusted.
    m : int, optional
        Size of the declared family; by default, and at least, the number of p-values.
    alpha : float, default 0.05
        Family-wise level, or false discovery rate for Benjamini-Hochberg.
    power : float, default 0.80
        Target power of each pair.

    Returns
    -------
    AdjustedResolution
        Arrays of shape (n_pairs,), and the settings.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain or `procedure` is none of the four.

    Notes
    -----
    Eq. (3) with :math:`\alpha'` for :math:`\alpha`, Section 3. Holm steps down: a pair is
    resolved only if it and every earlier step are, equal p-values being one step. As
    Section 6.3 says, its :math:`N^*` is nowhere above Bonferroni's. Benjamini-Hochberg steps
    up: a pair is resolved if its own step or any later one is, so ``q < 1`` can go with
    ``resolved``. Asymptotic McNemar p-values on one set of items are in the order of q;
    exact ones, or items that differ between pairs, can put a pair with ``q < 1`` before one
    with ``q >= 1``, and then Holm's verdict on the latter is stricter than its own q.

    Examples
    --------
    >>> from llm_power import adjusted_required_n
    >>> adjusted = adjusted_required_n(
    ...     [0.001, 0.04], delta=[0.06, 0.03], sigma_d=[0.5, 0.5], n_items=1000, procedure="holm"
    ... )
    >>> adjusted.n_star.round(), adjusted.resolved
    (array([ 660., 2180.]), array([ True, False]))
    """
    values, size = _declared(p, m)
    one_of("procedure", procedure, _STEP_LEVELS)
    for name, value in (("delta", delta), ("sigma_d", sigma_d), ("n_items", n_items)):
        if np.shape(value) not in ((), values.shape):
            raise InvalidArgument(
                f"{name} must fit p of shape {values.shape!r}, got shape {np.shape(value)!r}"
            )
    levels = step_levels(values, procedure, size, alpha=alpha)
    n_star = required_n(delta, sigma_d, alpha=levels, power=power)
    q = resolution_ratio(n_items, n_star)
    return AdjustedResolution(
        levels=levels,
        n_star=n_star,
        q=q,
        resolved=_through(values, q >= 1, procedure),
        procedure=procedure,
        m=size,
        alpha=alpha,
        power=power,
    )


def stepwise_required_n(
    delta: ArrayLike,
    sigma_d: ArrayLike,
    n_items: ArrayLike,
    *,
    procedures: Iterable[Procedure],
    m: int | None = None,
    alpha: float = 0.05,
    power: float = 0.80,
) -> dict[Procedure, AdjustedResolution]:
    r"""Required items at which each whole procedure resolves each pair.

    :math:`N^*` inverts the test that rejects at level :math:`\alpha'` where the standardized gap
    :math:`T = |\delta|\sqrt{N}/\sigma_D` reaches :math:`z_{1-\alpha'/2}+z_{1-\beta}`. With N the
    order of the pairs is that of T, and it stays as the items of all pairs grow in proportion.
    Let :math:`q_{(j)}` be the resolution ratio of the j-th largest T at the level of step j. Holm
    resolves the k-th pair where every earlier step passes, and Benjamini-Hochberg where any later
    one does, so that

    .. math::
        q_k = \min_{j \le k} q_{(j)} \;\text{(Holm)}, \qquad
        q_k = \max_{j \ge k} q_{(j)} \;\text{(Benjamini-Hochberg)}, \qquad N^*_k = N_k / q_k.

    Pairs on one set of items thus have the cumulative maximum of :math:`N^*` under Holm and its
    cumulative minimum from the end under Benjamini-Hochberg. At ``power=0.5`` these are the
    verdicts of the two procedures on the p-values of the z test.

    `adjusted_required_n` gives each pair the level of its own rank, as the paper does, and its
    :math:`N^*` may contradict its verdict.
    """
    gap, sigma, n = np.broadcast_arrays(delta, sigma_d, n_items)
    size = gap.size if m is None else m
    need = required_n(gap, sigma, alpha=alpha, power=power)
    # N* at another level is this one times a number that all pairs share: the order is T's.
    order = np.argsort(-resolution_ratio(n, need), kind="stable")
    back = np.argsort(order)
    resolutions: dict[Procedure, AdjustedResolution] = {}
    for procedure in procedures:
        levels = _STEP_LEVELS[procedure](np.arange(1, gap.size + 1), size, alpha)
        needed = required_n(gap[order], sigma[order], alpha=levels, power=power)
        by_step = resolution_ratio(n[order], needed)
        deciding = _deciding_step(by_step, procedure)[back]
        q = by_step[deciding]
        n_star = ratio(n, q, np.inf)
        resolutions[procedure] = AdjustedResolution(
            levels=levels[deciding],
            n_star=n_star,
            q=q,
            resolved=n_star <= n,
            procedure=procedure,
            m=size,
            alpha=alpha,
            power=power,
        )
    return resolutions


def _deciding_step(q: FloatArray, procedure: Procedure) -> IntArray:
    """For each step, in the order of the tests, the one that its verdict hangs on."""
    steps = np.arange(q.size)
    if procedure == "holm":
        lowest = np.minimum.accumulate(q)
        return np.maximum.accumulate(np.where(q == lowest, steps, 0))
    if procedure == "benjamini_hochberg":
        highest = np.maximum.accumulate(q[::-1])[::-1]
        return np.minimum.accumulate(np.where(q == highest, steps, q.size)[::-1])[::-1]
    return steps


def _ranks(p: FloatArray, procedure: Procedure) -> IntArray:
    """Step of each p-value: the smallest rank of equal ones, of Benjamini-Hochberg the largest."""
    if procedure == "benjamini_hochberg":
        return np.searchsorted(np.sort(p), p, side="right")
    return np.searchsorted(np.sort(p), p, side="left") + 1


def _through(p: FloatArray, passes: BoolArray, procedure: Procedure) -> BoolArray:
    """Which p-values are through: stepping down those before the first step that fails."""
    if procedure == "holm":
        return p < np.min(p, where=~passes, initial=np.inf)
    if procedure == "benjamini_hochberg":
        return p <= np.max(p, where=passes, initial=-np.inf)
    return passes


#: Level of the k-th step, k = 1, 2, ..., of a family of size m.
_STEP_LEVELS: dict[str, Callable[[IntArray, int, float], FloatArray]] = {
    "bonferroni": lambda k, m, alpha: np.full(k.shape, bonferroni_level(m, alpha=alpha)),
    "sidak": lambda k, m, alpha: np.full(k.shape, sidak_level(m, alpha=alpha)),
    "holm": lambda k, m, alpha: open_unit("alpha", alpha) / (m - k + 1),
    "benjamini_hochberg": lambda k, m, alpha: open_unit("alpha", alpha) * k / m,
}


def _declared(p: ArrayLike, m: int | None) -> tuple[FloatArray, int]:
    values = p_values(p)
    return values, _family(values.size if m is None else m, values.size)


def _family(m: int, n_given: int) -> int:
    least = max(1, n_given)
    if m != int(m) or m < least:
        raise InvalidArgument(f"m must be a whole number of at least {least}, got {m!r}")
    return int(m)


def false_discovery_family(
    p: ArrayLike, *, alpha: float = 0.05, any_dependence: bool = False
) -> FamilyTest:
    """Adjust by Benjamini-Hochberg, or by Benjamini-Yekutieli for `any_dependence`."""
    values, rate = proportions("p", p), open_unit("alpha", alpha)
    size = values.size
    constant = float(np.sum(1 / np.arange(1, size + 1))) if any_dependence else 1.0
    adjust = stepwise(values, size)["p_bh"]
    adjust = replace(adjust, steps=np.minimum(constant * adjust.steps, 1.0))
    family = FamilyTest(values, rate, size, adjust=adjust)
    selected = int(np.count_nonzero(family.different(rate)))
    return replace(family, level=max(selected, 1) * rate / (size * constant))


_AS_THEY_ARE: Final = Adjustment(np.zeros(0), np.ones(1), 1)
# Pairs that are adjusted at once.
_PAIRS: Final = 2**20


@dataclass(frozen=True, slots=True)
class FamilyTest:
    """P-values of a family of pairs."""

    #: P-values of the pairs by themselves; shape (n_pairs,).
    single: FloatArray
    #: Level of a single pair: one for all of them.
    level: float
    #: Number of pairs.
    size: int
    #: Ends of the interval of that level by the Monte Carlo error of the draws: the verdict of a
    #: pair whose own p-value is inside could be another by other draws. None without draws.
    close: tuple[float, float] | None = None
    #: How they are adjusted for the family.
    adjust: Adjustment = _AS_THEY_ARE

    @property
    def p(self) -> FloatArray:
        """Return the adjusted p-values; shape (n_pairs,)."""
        return self.adjust(self.single)

    def of(self, rows: slice | IntArray | BoolArray) -> FamilyTest:
        """Return the same for some of the pairs; the family stays as large as it is."""
        return replace(self, single=self.single[rows])

    def different(self, alpha: float) -> BoolArray:
        """Return which pairs are declared different, (n_pairs,)."""
        starts = range(0, max(self.single.size, 1), _PAIRS)
        return np.concatenate([self.of(slice(k, k + _PAIRS)).p <= alpha for k in starts])

    def close_calls(self, p: FloatArray) -> BoolArray:
        """Return which pairs, of these own p-values, other draws could decide otherwise."""
        if self.close is None:
            return np.zeros(p.shape, dtype=np.bool_)
        return np.asarray((p >= self.close[0]) & (p <= self.close[1]))
