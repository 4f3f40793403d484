r"""The exact law of the paired bootstrap of 0/1 scores, and the decision of its test.

A resample of the items is a multinomial draw of three cells: :math:`b` items that only A solves,
:math:`c` that only B does, and the rest. The sum :math:`S^* = N\bar D^*` of the paired
differences is then that of :math:`N` independent steps of +1, -1 and 0, whose law is known
exactly, and so is the decision of the test of Definition 2 with infinitely many resamples.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from llm_power._statistics.argument_checks import open_unit, pair_counts
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray

# Numbers held at once by a work array; results do not depend on it.
_BLOCK = 2**20


def bootstrap_tails(
    b: ArrayLike, c: ArrayLike, n_items: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    r"""Exact :math:`P(S^* \le 0)` and :math:`P(S^* \ge 0)` of the bootstrap sum.

    Say :math:`b \ge c` and let :math:`r = \sqrt{c/b}`. A path with :math:`i` steps up and
    :math:`j` down has weight :math:`b^i c^j = (bc)^{(i+j)/2} r^{j-i}`, so that

    .. math:: P(S^* = -k) = \varrho^N r^k q(k), \qquad
        \varrho = 1 - (\sqrt b - \sqrt c)^2 / N,

    where :math:`q` is the law of a symmetric walk whose steps are :math:`\pm 1` with
    probability :math:`\sqrt{bc}/(N\varrho)` each. The tail is a sum of positive terms around
    the center of :math:`q`, where its Fourier inversion is accurate.
    """
    first, second, n = pair_counts(b, c, n_items)
    more, fewer = np.maximum(first, second), np.minimum(first, second)
    tail, atom = _small_tail(more.ravel(), fewer.ravel(), n.ravel())
    small = tail.reshape(n.shape)
    large = 1.0 - small + atom.reshape(n.shape)
    a_leads = first >= second
    return np.where(a_leads, small, large), np.where(a_leads, large, small)


def percentile_bootstrap_boundary(
    c: ArrayLike, n_items: ArrayLike, *, alpha: float = 0.05
) -> IntArray:
    r"""Smallest `b` above `c` at which the paired bootstrap of Definition 2 rejects, exactly.

    Giving A one more item moves a step of the bootstrap walk from 0 to +1, so that
    :math:`P(S^* \le 0)` falls in b at fixed c and N, and bisection finds the boundary. At
    b = c the probability is at least 1/2.
    """
    level = open_unit("alpha", alpha)
    fewer, _, n = pair_counts(c, 0, n_items)
    fewer_flat, n_flat = fewer.ravel(), n.ravel()
    rejects = n_flat - fewer_flat + 1
    keeps = np.minimum(fewer_flat, rejects - 1)
    # At 5% the boundary is one of the two here: three steps instead of log2(N).
    near = _normal_boundary(fewer_flat, level)
    aims = [near + 1, near - 1]
    while np.any(rejects - keeps > 1):
        open_ = np.flatnonzero(rejects - keeps > 1)
        low, high = keeps[open_], rejects[open_]
        middle = aims.pop()[open_].clip(low + 1, high - 1) if aims else (low + high) // 2
        tail, _ = _small_tail(middle, fewer_flat[open_], n_flat[open_])
        outside = tail < level / 2
        rejects[open_[outside]] = middle[outside]
        keeps[open_[~outside]] = middle[~outside]
    return rejects.reshape(n.shape)


def percentile_bootstrap_rejects(
    b: ArrayLike, c: ArrayLike, n_items: ArrayLike, *, alpha: float = 0.05
) -> BoolArray:
    """Exact decision of the paired bootstrap (Definition 2) with infinitely many resamples."""
    first, second, n = pair_counts(b, c, n_items)
    more, fewer = np.maximum(first, second).ravel(), np.minimum(first, second).ravel()
    keys, where = np.unique(np.stack([fewer, n.ravel()]), axis=1, return_inverse=True)
    boundary = percentile_bootstrap_boundary(keys[0], keys[1], alpha=alpha)
    rejects: BoolArray = more >= boundary[where.ravel()]
    return rejects.reshape(n.shape)


def _normal_boundary(fewer: IntArray, alpha: float) -> IntArray:
    """Whole b nearest to the one with (b - c)^2 = z^2 (b + c)."""
    square = ndtri(alpha / 2) ** 2
    gap = square / 2 + np.sqrt(square**2 / 4 + 2 * square * fewer)
    whole: IntArray = fewer + np.rint(gap).astype(np.int64)
    return whole


def _small_tail(more: IntArray, fewer: IntArray, n: IntArray) -> tuple[FloatArray, FloatArray]:
    """P(S* <= 0) and P(S* = 0) for more >= fewer, flat arrays; see `bootstrap_tails`."""
    paired = 2 * np.sqrt(more * 1.0 * fewer)
    # (sqrt(more) - sqrt(fewer))^2 without cancellation, and `more` itself where fewer is 0.
    gap = np.square(more - fewer) / np.maximum(more + fewer + paired, 1.0) / n
    tilt = np.sqrt(np.divide(fewer, more, out=np.ones(n.shape), where=more > 0))
    stay = 1 - gap
    possible = stay > 0  # false where all items favor one model: S* = N
    width = np.divide(paired / n, stay, out=np.zeros(n.shape), where=possible)
    log_mass = n * np.log1p(-np.where(possible, gap, 0.0))
    tail, atom = np.zeros(n.shape), np.zeros(n.shape)
    periods = _period(n * width)
    for period in np.unique(periods):  # a handful of powers of 2
        members = np.flatnonzero(periods == period)
        steps = np.arange(period // 2 + 1)
        versine = 1 - np.cos(2 * np.pi * steps / period)
        rows = max(1, _BLOCK // (4 * period))
        for start in range(0, members.size, rows):
            at = members[start : start + rows]
            characteristic = (1 - np.outer(width[at], versine)) ** n[at, np.newaxis]
            walk = np.fft.irfft(characteristic, period, axis=1)[:, : period // 2]
            weights = tilt[at, np.newaxis] ** steps[:-1]
            mass = np.where(possible[at], np.exp(log_mass[at]), 0.0)
            tail[at] = mass * np.sum(weights * walk, axis=1)
            atom[at] = mass * walk[:, 0]
    return tail, atom


def _period(variance: FloatArray) -> IntArray:
    # Half a period of 9.5 standard deviations and 30 leaves a wrapped mass below 1e-19
    # (Bernstein's inequality), whatever the variance. A power of 2 suits the transform.
    exponent: IntArray = np.ceil(np.log2(19 * np.sqrt(variance) + 60)).astype(np.int64)
    return np.left_shift(1, exponent)
