r"""Confidence intervals: Wilson's of a share, Student's of a mean, Tango's of a paired difference.

Of :math:`n` items, model A alone solves :math:`b` and model B alone solves :math:`c`. The gap
:math:`\Delta` is A's accuracy minus B's, :math:`(b-c)/n` in the sample. All functions work on
arrays of pairs and are the same, with signs exchanged, when the models are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import (
    counts,
    open_unit,
    pair_counts,
    strictly_between,
)
from llm_power._statistics.arrays import ArrayLike, FloatArray, IntArray, by_counts, ratio


def wilson_interval(
    solved: ArrayLike, n_items: ArrayLike, *, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Wilson's score interval of a proportion; NaN without items.

    Wilson (1927), doi:10.1080/01621459.1927.10502953.

    Parameters
    ----------
    solved, n_items : array_like
        Counts.
    confidence : float, default 0.95
        Confidence, in (0, 1).

    Returns
    -------
    low, high : ndarray
        Limits of the proportion, broadcast shape.

    Raises
    ------
    InvalidArgument
        If more items are solved than there are.

    Examples
    --------
    >>> from llm_power import wilson_interval
    >>> low, high = wilson_interval(60, 100)
    >>> print(f"{low:.3f} to {high:.3f}")
    0.502 to 0.691
    """
    k, n = np.broadcast_arrays(counts("solved", solved), counts("n_items", n_items))
    if np.any(k > n):
        raise InvalidArgument("solved must be at most n_items")
    z = -ndtri((1 - open_unit("confidence", confidence)) / 2)
    known = np.where(n > 0, n, 1).astype(np.float64)
    p = k / known
    down, up = _wilson_distances(p, known, z)
    there = n > 0
    return np.where(there, p - down, np.nan), np.where(there, p + up, np.nan)


def _wilson_distances(p: FloatArray, n: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    """Return the distance from a proportion down and up to its Wilson limits."""
    shrink = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / shrink
    return p - (centre - half), centre + half - p


def mean_interval(scores: ArrayLike, *, confidence: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Student's interval of each model's mean score over its own items; NaN with fewer than two.

    Scores that lie in [0, 1] have an interval that may reach beyond it.

    Student (1908), doi:10.1093/biomet/6.1.1.
    """
    level = open_unit("confidence", confidence)
    values = np.asarray(scores, dtype=np.float64)
    n = np.sum(~np.isnan(values), axis=0)
    known = np.maximum(n, 1)
    mean = np.nansum(values, axis=0) / known
    degrees = np.maximum(n - 1, 1)
    spread = np.sqrt(np.nansum(np.square(values - mean), axis=0) / degrees / known)
    half = np.where(n > 1, stdtrit(degrees, (1 + level) / 2) * spread, np.nan)
    return mean - half, mean + half


# Newton's steps converge in four or five; where the slope is no guide, halvings take over.
_STEPS = 100
# Relative sizes of the last step: after one of Newton's, the error is of the order of its square.
_NEWTON_STEP, _HALVING = 1e-9, 4e-16
_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, slots=True)
class PairedDifferenceInterval:
    """Gap of each pair with its confidence interval."""

    #: Observed gap, A minus B, in score units.
    delta: FloatArray
    #: `low`, `high`: Limits of the two-sided interval, in score units.
    low: FloatArray
    high: FloatArray
    #: One less the nominal confidence.
    level: float


def score_statistic(
    b: ArrayLike, c: ArrayLike, n_items: ArrayLike, delta_0: ArrayLike = 0.0
) -> FloatArray:
    r"""Score statistic of the hypothesis that the gap is `delta_0` (Tango 1998, eq. (9)).

    .. math::
        T(\Delta_0) = \frac{b - c - n \Delta_0}{\sqrt{n (2 \hat q + \Delta_0 (1 - \Delta_0))}}

    :math:`\hat q` is the maximum-likelihood probability that only B solves an item, under the
    hypothesis. For a negative `delta_0` the models are exchanged, so that every sum under the
    root has terms of one sign.

    Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B.
    """
    first, second, n = pair_counts(b, c, n_items)
    gap = strictly_between("delta_0", delta_0, -1.0, 1.0)
    standard_error = np.sqrt(n * score_variance(first, second, n, gap))
    return ratio(first - second - n * gap, standard_error, 0.0)


def score_variance(
    b: ArrayLike, c: ArrayLike, n_items: ArrayLike, delta_0: ArrayLike
) -> FloatArray:
    """Variance of one item's difference, fitted under the hypothesis of a gap `delta_0`."""
    first, second, n, gap = np.broadcast_arrays(
        *(np.asarray(x, dtype=np.float64) for x in (b, c, n_items, delta_0))
    )
    size, mirrored = np.abs(gap), gap < 0
    smaller, larger = np.where(mirrored, first, second), np.where(mirrored, second, first)
    q, _ = _fitted(size, n, smaller, larger)
    return np.asarray(2 * q + size * (1 - size))


def _fitted(
    size: FloatArray, n: FloatArray, smaller: FloatArray, larger: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Fitted probability of the smaller cell under a gap, and the root of its discriminant."""
    spread = size * (1 - size)
    # Tango's eq. (5), 2n q^2 + linear q - smaller spread = 0, in its two stable forms.
    linear = (2 * n - larger + smaller) * size - larger - smaller
    root = np.sqrt(np.square(linear) + 8 * n * smaller * spread)
    up = linear > 0
    q = np.where(up, 2 * smaller * spread, root - linear)
    q /= np.where(up, np.maximum(linear + root, _TINY), 4 * n)
    return q, root


def tango_interval(
    b: ArrayLike, c: ArrayLike, n_items: ArrayLike, *, confidence: float = 0.95
) -> PairedDifferenceInterval:
    r"""Score interval of the difference of two paired proportions (Tango 1998).

    All gaps that the score test does not reject. It excludes 0 exactly where the asymptotic
    McNemar test rejects at ``1 - confidence``. Where no item is discordant the limits are
    :math:`\pm z^2 / (n + z^2)`; where A alone solves all, :math:`(n - z^2) / (n + z^2)` and 1.
    At a nominal .95 the exact coverage, over discordances .02, .04, ..., 1 and 26 gaps from 0
    to each, is at least .927, .921 and .929 at n = 20, 50 and 100, and .962, .953 and .951 in
    the mean.

    Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B.

    Parameters
    ----------
    b, c : array_like
        Items that A alone solved, and B alone.
    n_items : array_like
        All items.
    confidence : float, default 0.95
        Confidence, in (0, 1).

    Returns
    -------
    PairedDifferenceInterval
        Gap and limits, in score units; broadcast shape.

    Raises
    ------
    InvalidArgument
        If counts are negative or exceed the items.

    Examples
    --------
    >>> from llm_power import tango_interval
    >>> interval = tango_interval(295, 249, 10_042)
    >>> print(f"{interval.low:.5f} to {interval.high:.5f}")
    0.00003 to 0.00916
    """
    level = 1 - open_unit("confidence", confidence)
    return score_interval(*pair_counts(b, c, n_items), level)


def score_interval(b: IntArray, c: IntArray, n: IntArray, level: float) -> PairedDifferenceInterval:
    """Return `tango_interval` at a level, however small it is."""
    z = -ndtri(level / 2)
    return PairedDifferenceInterval(
        delta=np.asarray((b - c) / n),
        low=np.asarray(-_upper_limits(c, b, n, z)),
        high=_upper_limits(b, c, n, z),
        level=level,
    )


def _upper_limits(b: IntArray, c: IntArray, n: IntArray, z: float) -> FloatArray:
    if b.ndim != 1 or np.any(n != n[:1]):
        return _upper_limit(b, c, n, z)
    return by_counts(lambda b, c: _upper_limit(b, c, np.broadcast_to(n[:1], b.shape), z), b, c)


def _upper_limit(b: IntArray, c: IntArray, n: IntArray, z: float) -> FloatArray:
    """Largest gap at which the score statistic is at least -z."""
    gap = (b - c).astype(np.float64)
    # Where the hypothesis of no gap is rejected from below, the limit is negative.
    side = np.where(gap + z * np.sqrt(b + c) < 0, -1.0, 1.0)
    smaller, larger = np.where(side > 0, c, b), np.where(side > 0, b, c)
    pairs = np.stack([np.ravel(x).astype(float) for x in (side, gap, n, smaller, larger)])
    return np.asarray(side * _limit_size(pairs, z).reshape(gap.shape))


def _limit_size(pairs: FloatArray, z: float) -> FloatArray:
    """Size of the limit, by Newton's method inside a bracket; every pair stops by itself.

    `pairs` has the rows side, b - c, n, smaller and larger count of `_upper_limit`.
    """
    side, gap, n, smaller, larger = pairs
    observed = gap / n
    low = np.where(side > 0, np.maximum(observed, 0.0), 0.0)
    high = np.where(side > 0, 1.0, -observed)
    spread = smaller + larger + np.where(side > 0, z * z, 0.0)
    # Short of a gap of 1, where the variance is zero and its slope infinite.
    start = side * (observed + z * np.sqrt(spread) / n)
    size = np.clip(start, low, low + 0.99 * (high - low))
    limits, active = np.array(size), np.arange(size.size)
    for _ in range(_STEPS):
        excess, slope = _excess_of_gap(size, pairs, z)
        low, high = np.where(excess <= 0, size, low), np.where(excess <= 0, high, size)
        moved = size - excess / slope
        inside = (moved == size) | ((moved > low) & (moved < high))
        moved = np.where(inside, moved, (low + high) / 2)
        still = np.abs(moved - size) > np.where(inside, _NEWTON_STEP, _HALVING) * size
        limits[active] = moved
        if not still.any():
            break
        active, size, low, high = active[still], moved[still], low[still], high[still]
        pairs = pairs[:, still]
    return limits


def _excess_of_gap(size: FloatArray, pairs: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    """N times a hypothetical gap, less what the score test leaves possible; and its slope."""
    side, gap, n, smaller, larger = pairs
    q, root = _fitted(size, n, smaller, larger)
    variance = np.maximum(2 * q + size * (1 - size), _TINY)
    slope_q = smaller * (1 - 2 * size) - (2 * n - larger + smaller) * q
    slope_q /= np.maximum(root, _TINY)
    error = np.sqrt(n * variance)
    excess = n * size - side * (gap + z * error)
    return excess, n - side * z * n * (2 * slope_q + 1 - 2 * size) / (2 * error)
