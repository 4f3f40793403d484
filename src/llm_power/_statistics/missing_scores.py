r"""What missing scores leave open: worst-case bounds of a gap, and whether missingness is harmless.

Deleting items that either model lacks changes the question from all items to those that happen
to be there. Without an assumption about the missing scores, the gap over all items is known only
within bounds (Manski 2003). The bounds are not a confidence interval: sampling error comes on top.

Where items of a cluster are missing at random within it, whatever the cluster, each item that both
models answered stands for :math:`n_k/m_k` of its cluster's: :math:`n_k` items, of which
:math:`m_k` have both scores. The weighted gap is then

.. math:: \hat\delta = \sum_k \frac{n_k}{N} \bar d_k.

Deleting the others instead weighs clusters by what happens to be answered.

References
----------
Horvitz and Thompson (1952), doi:10.1080/01621459.1952.10483446; Seaman and White (2013),
doi:10.1177/0962280210395740; Lunceford and Davidian (2004), doi:10.1002/sim.1903, for the
linearised variance with estimated shares.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, ndtr, stdtr

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import counts, numbers, refuse
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray, ratio
from llm_power._statistics.cluster_moments import ROUNDING, ClusterMoments


@dataclass(frozen=True, slots=True)
class GapBounds:
    """Worst-case bounds of the gap of every ordered pair of models."""

    #: `low`, `high`: Bounds of the mean of the row's model minus that of the column's, over all
    #: items, in score units; 0 on the diagonal; shape (n_models, n_models).
    low: FloatArray
    high: FloatArray
    #: Gap over the items that both models have; NaN without one; shape (n_models, n_models).
    pairwise: FloatArray
    #: All items.
    n_items: int


@dataclass(frozen=True, slots=True)
class MissingnessByDifficulty:
    """How the items that a model lacks differ in difficulty from those it has."""

    #: Items without a score of the model.
    n_missing: IntArray
    #: Standardized difference, present minus missing; large where the hard items lack; shape
    #: (n_models,).
    z: FloatArray
    #: Two-sided p-value of items missing at random; NaN where nothing can be compared; shape
    #: (n_models,).
    p: FloatArray


def missing_gap_bounds(
    scores: ArrayLike, *, lowest: float = 0.0, highest: float = 1.0
) -> GapBounds:
    """Worst-case bounds of every gap when scores are missing (Manski 2003).

    Shapes: `scores` (n_items, n_models).

    The lower bound gives every missing score of the row's model the lowest value and every one
    of the column's model the highest. The bounds are sharp: some filling attains each.

    Manski (2003), Partial Identification of Probability Distributions, doi:10.1007/b97478; Horowitz
    and Manski (2000), doi:10.1080/01621459.2000.10473902.

    Parameters
    ----------
    scores : array_like
        Scores of shape (n_items, n_models), NaN where missing.
    lowest, highest : float
        Range of the scores.

    Returns
    -------
    GapBounds
        Bounds of shape (n_models, n_models).

    Raises
    ------
    InvalidArgument
        If a score lies outside the range.

    Examples
    --------
    >>> from llm_power import missing_gap_bounds
    >>> bounds = missing_gap_bounds([[1, 0], [1, float("nan")], [0, 0], [1, 0]])
    >>> float(bounds.low[0, 1]), float(bounds.high[0, 1])
    (0.5, 0.75)
    """
    x = _matrix(scores)
    present, n_items = ~np.isnan(x), x.shape[0]
    outside = present & ~((x >= lowest) & (x <= highest))
    refuse("scores", x, outside, f"lie in [{lowest:g}, {highest:g}]")
    filled, has = np.where(present, x, 0.0), present.astype(np.float64)
    least, most = score_bounds(x, lowest=lowest, highest=highest)
    low = least[:, np.newaxis] - most
    high = most[:, np.newaxis] - least
    np.fill_diagonal(low, 0.0)
    np.fill_diagonal(high, 0.0)
    common = has.T @ has
    # Sum of the row's model's scores over the items that the column's model has as well.
    shared = filled.T @ has
    pairwise = ratio(shared - shared.T, common)
    return GapBounds(low, high, pairwise, n_items)


def score_bounds(
    scores: FloatArray, *, lowest: float = 0.0, highest: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest mean score over all items that the missing ones leave, (n_models,)."""
    known, n_items = np.nansum(scores, axis=0), len(scores)
    missing = np.isnan(scores).sum(axis=0)
    # Scores without bounds leave a mean without them, but only where one is missing.
    low, high = (
        np.multiply(missing, x, out=0.0 * known, where=missing > 0) for x in (lowest, highest)
    )
    return (known + low) / n_items, (known + high) / n_items


def missingness_by_difficulty(scores: ArrayLike) -> MissingnessByDifficulty:
    """Whether the items that each model lacks are harder than those it has.

    Shapes: `scores` (n_items, n_models).

    An item's difficulty for a model is the mean score of the other models on it. If :math:`m`
    of :math:`n` items were missing at random, the mean difficulty of the missing ones would
    have the variance :math:`(1 - m/n) S^2 / m` of a sample without replacement. Items that are
    missing together, whole subjects say, make p too small: read it as a warning. It says
    nothing of missingness that goes with the missing score itself.

    Rubin (1976), doi:10.1093/biomet/63.3.581; for the variance Cochran (1977), Sampling Techniques,
    eq. (2.9).
    """
    x = _matrix(scores)
    present = ~np.isnan(x)
    filled = np.where(present, x, 0.0)
    n_others = present.sum(axis=1, keepdims=True) - present
    ease = ratio(filled.sum(axis=1, keepdims=True) - filled, n_others)
    usable = n_others > 0
    on_missing, m = _column_means(ease, usable & ~present)
    on_present, rest = _column_means(ease, usable & present)
    n = m + rest
    mean, _ = _column_means(ease, usable)
    deviation = np.where(usable, ease - mean, 0.0)
    variance = np.square(deviation).sum(axis=0) / np.maximum(n - 1, 1)
    rounding = ROUNDING * np.abs(filled).max()
    comparable = (m > 0) & (rest > 0) & (variance > np.square(rounding))
    # The difference of the two means is that from the common mean, times n / (n - m).
    error = np.sqrt(variance * n / np.where(comparable, m * rest, 1))
    z = ratio(on_present - on_missing, error, where=comparable)
    # No p-value is below that of the one hardest or easiest choice of so many items.
    choices = gammaln(n + 1) - gammaln(m + 1) - gammaln(rest + 1)
    return MissingnessByDifficulty(
        n_missing=(~present).sum(axis=0),
        z=z,
        p=np.maximum(2 * ndtr(-np.abs(z)), np.exp(-choices)),
    )


def _column_means(values: FloatArray, where: BoolArray) -> tuple[FloatArray, IntArray]:
    """Mean of each column over the marked rows, NaN without one, and their number."""
    count = where.sum(axis=0)
    return ratio(np.where(where, values, 0.0).sum(axis=0), count), count


def _matrix(scores: ArrayLike) -> FloatArray:
    x = numbers("scores", scores)
    if x.ndim != 2 or x.size == 0:
        raise InvalidArgument(f"scores must have shape (n_items, n_models), got {x.shape!r}")
    if np.any(np.isinf(x)):
        raise InvalidArgument("scores must be finite or missing (NaN), got an infinite one")
    return x


@dataclass(frozen=True, slots=True)
class WeightedGap:
    """Weighted gap of each pair, arrays of shape (n_pairs,) or ()."""

    #: Gap over the items of all clusters that have an item with both scores.
    delta: FloatArray
    #: Linearised, for items as the sample; NaN without two items of one cluster.
    standard_error: FloatArray
    #: Answered items beyond the first of each cluster.
    df: FloatArray
    #: Two-sided p-value of a zero gap, by t.
    p: FloatArray


def weighted_moments(moments: ClusterMoments, cluster_sizes: ArrayLike) -> ClusterMoments:
    """Moments of all items of each cluster that has answers, from those that are answered.

    With these `cluster_robust_test` takes clusters as the sample: its standard error holds what is
    lost within them as well.
    """
    m, sizes = moments.n_items, counts("cluster_sizes", cluster_sizes).astype(np.float64)
    if sizes.shape != m.shape[:1]:
        raise InvalidArgument(
            f"cluster_sizes must have one number a cluster, got shape {sizes.shape!r}"
        )
    n = np.where(m > 0, sizes.reshape(-1, *[1] * (m.ndim - 1)), 0.0)
    if np.any(m > n):
        raise InvalidArgument(
            f"cluster_sizes must be at least the answered items, got {float(n[m > n][0]):g}"
        )
    weight = ratio(n, m, empty=0.0)
    return ClusterMoments(n, weight * moments.sum_d, weight * moments.sum_d2, moments.origin)


def weighted_gap(moments: ClusterMoments, cluster_sizes: ArrayLike) -> WeightedGap:
    r"""Gap over all items, weighted by the inverse of the share answered in each cluster.

    An item adds :math:`\frac{n_k}{m_k}(d_i - \bar d_k)` where it is answered, and
    :math:`\bar d_k - \hat\delta` in any case:

    .. math:: \widehat{V} = \sum_k \left(\frac{n_k}{N}\right)^2 \frac{s_k^2}{m_k}
        + \frac{1}{N}\sum_k \frac{n_k}{N} (\bar d_k - \hat\delta)^2.

    Without missing scores this is the variance of the mean. A cluster with one answer has the
    variance :math:`s^2` of all clusters. The second term is what clusters as strata add where their
    items are a sample from a larger number in the same proportions.
    """
    whole = weighted_moments(moments, cluster_sizes)
    m, n, _ = np.broadcast_arrays(moments.n_items, whole.n_items, moments.sum_d)
    total = n.sum(axis=0)
    mean = ratio(moments.sum_d, m, empty=0.0)
    shift = ratio(whole.sum_d.sum(axis=0), total)
    squares = moments.sum_d2 - m * np.square(mean)
    squares = np.where(squares > ROUNDING * moments.sum_d2, squares, 0.0)
    freedom = np.maximum(m - 1, 0).sum(axis=0)
    pooled = ratio(squares.sum(axis=0), freedom)
    own = np.where(m > 1, ratio(squares, m - 1, empty=0.0), pooled)
    share = ratio(n, total)
    within = (np.square(share) * ratio(own, m, empty=0.0)).sum(axis=0)
    between = (share * np.square(mean - shift)).sum(axis=0) / np.maximum(total, 1)
    variance = within + between
    error = np.where(variance > 0, np.sqrt(variance), np.nan)
    delta = moments.origin + shift
    return WeightedGap(
        delta=np.asarray(delta),
        standard_error=error,
        df=np.asarray(freedom),
        p=np.asarray(2 * stdtr(np.maximum(freedom, 1.0), -np.abs(delta / error))),
    )
