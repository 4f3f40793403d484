r"""The paired percentile bootstrap of Definition 2: its interval, its test, and its power.

For 0/1 scores the three cells of a pair are resampled, and graded
scores have their items resampled. The sum :math:`S^* = N\bar D^*` of the paired differences of 0/1
scores is that of :math:`N` independent steps of +1, -1 and 0, whose law is known exactly, and so is
the decision of the test with infinitely many resamples.

References
----------
Efron and Tibshirani (1993), doi:10.1201/9780429246593; Hall (1992),
doi:10.1007/978-1-4612-4384-4, for the percentile method and its error.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from scipy.special import ndtri

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import (
    at_least_two,
    finite,
    open_unit,
    pair_counts,
    positive_count,
)
from llm_power._statistics.arrays import (
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    RandomSource,
    ratio,
)
from llm_power._statistics.paired_binary import attainable

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
    tilt = np.sqrt(ratio(fewer, more, 1.0))
    stay = 1 - gap
    possible = stay > 0  # false where all items favor one model: S* = N
    width = ratio(paired / n, stay, 0.0, where=possible)
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


# Sums of graded differences within this share of their largest term count as zero, so that a
# tie at zero is a tie in whatever order the terms are added.
_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class PairedBootstrap:
    """Percentile interval of the gap and the test that reads it (Definition 2)."""

    #: Observed mean difference, A minus B.
    delta: float
    #: `ci_low`, `ci_high`: Ends of the percentile interval.
    ci_low: float
    ci_high: float
    #: `ci_low_error`, `ci_high_error`: Monte Carlo standard errors of the ends, from neighboring
    #: order statistics.
    ci_low_error: float
    ci_high_error: float
    #: Standard deviation of the resampled means.
    standard_error: float
    #: Whether 0 lies outside the interval and a rejection is attainable.
    reject: bool
    #: Whether so many items differ that an exact test could reach the level at all.
    attainable: bool
    #: Whether the scores are all 0 or 1, so that cells were resampled.
    binary: bool
    #: `n_items`, `n_resamples`: Number of items and of resamples.
    n_items: int
    n_resamples: int
    #: Confidence of the interval; the level of the test is its complement.
    confidence: float


def paired_bootstrap_delta(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: RandomSource = None,
) -> PairedBootstrap:
    """Percentile bootstrap interval of the mean paired difference (Definition 2, Appendix J).

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (n_items,)
        Scores of the two models on the same items.
    n_resamples : int, default 10,000
        Number of resamples, at least 2.
    confidence : float, default 0.95
        Confidence of the interval.
    rng : numpy.random.Generator or int, optional
        Stream of random numbers; a seed starts one, and by default it is fresh.

    Returns
    -------
    PairedBootstrap
        Scalars.

    Raises
    ------
    InvalidArgument
        If the scores differ in shape, are empty or not finite, or a setting is out of range.

    Notes
    -----
    Percentiles are order statistics (inverse of the empirical distribution function), taken
    alike from both sides, so that swapping the models mirrors the interval.

    On a handful of items the interval excludes 0 whenever all differences have one sign: a single
    item gives an interval of one point. That is no evidence. With m items that differ, no exact
    test of symmetry has a p-value below :math:`2^{1-m}`; where this exceeds the level, `reject`
    is false whatever the interval says.

    Examples
    --------
    >>> from llm_power import example_task, paired_bootstrap_delta
    >>> heron, _, _, wren = example_task().values.T
    >>> test = paired_bootstrap_delta(heron, wren, n_resamples=2000, rng=1)
    >>> round(test.delta, 4), test.reject
    (0.3225, True)
    """
    rng = np.random.default_rng(rng)
    a, b = score_vectors(scores_a, scores_b)
    alpha = 1.0 - open_unit("confidence", confidence)
    resamples = at_least_two("n_resamples", n_resamples)
    differences = a - b
    binary = _is_binary(a, b)
    if binary:
        cells = _cells(differences)
        drawn = rng.multinomial(a.size, cells / a.size, size=resamples)
        means = (drawn[:, 0] - drawn[:, 1]) / a.size
    else:
        means = _resampled_means(differences, resamples, rng)
    means.sort()
    possible = bool(attainable(np.count_nonzero(differences), alpha=alpha))
    rank = _tail_rank(resamples, alpha)
    low, low_error = _order_statistic(means, rank - 1)
    high, high_error = _order_statistic(means, resamples - rank)
    return PairedBootstrap(
        delta=float(differences.mean()),
        ci_low=low,
        ci_high=high,
        ci_low_error=low_error,
        ci_high_error=high_error,
        standard_error=float(means.std(ddof=1)),
        reject=possible and (low > 0 or high < 0),
        attainable=possible,
        binary=binary,
        n_items=a.size,
        n_resamples=resamples,
        confidence=confidence,
    )


@dataclass(frozen=True, slots=True)
class BootstrapPower:
    """Empirical power of the paired bootstrap test."""

    #: Share of the trials that reject.
    power: float
    #: Its binomial Monte Carlo standard error.
    standard_error: float
    #: `n_items`, `n_trials`: Items a trial and number of trials.
    n_items: int
    n_trials: int
    #: Resamples a trial; None for the exact decision.
    n_resamples: int | None
    #: Two-sided level.
    alpha: float


def bootstrap_power(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    n: int,
    *,
    alpha: float = 0.05,
    n_trials: int = 1_000,
    n_resamples: int | None = 1_000,
    rng: RandomSource = None,
) -> BootstrapPower:
    """Power of the paired bootstrap test against a reference score matrix (Appendix J).

    Each trial draws `n` items of the reference with replacement and runs Definition 2 on them.

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (n_reference,)
        Reference scores of the two models on the same items.
    n : int
        Items a trial.
    alpha : float, default 0.05
        Two-sided level of the test.
    n_trials : int, default 1,000
        Number of trials.
    n_resamples : int or None, default 1,000
        Resamples a trial. None takes the exact decision, which 0/1 scores have.
    rng : numpy.random.Generator or int, optional
        Stream of random numbers; a seed starts one, and by default it is fresh.

    Returns
    -------
    BootstrapPower
        The share of rejections, with its standard error.

    Raises
    ------
    InvalidArgument
        If the scores differ in shape, are empty or not finite, a setting is out of range, or
        graded scores are given without a number of resamples.

    Notes
    -----
    For 0/1 scores a trial needs its counts (b, c) alone, and its resamples the number of them
    on either side of zero, a multinomial of the exact tail probabilities: nothing is resampled
    item by item. For graded scores all trials share the resampled items, so that one matrix
    product serves them all. Each trial's test is marginally that of Definition 2, and the
    estimate is unbiased; the standard error neglects the dependence through the shared
    resamples, which is of the order of their Monte Carlo noise.

    Examples
    --------
    >>> from llm_power import bootstrap_power, example_task
    >>> heron, _, kite, _ = example_task().values.T
    >>> small = bootstrap_power(heron, kite, n=50, n_trials=200, n_resamples=None, rng=1)
    >>> large = bootstrap_power(heron, kite, n=400, n_trials=200, n_resamples=None, rng=1)
    >>> small.power < large.power
    True
    """
    rng = np.random.default_rng(rng)
    a, b = score_vectors(scores_a, scores_b)
    size, trials = positive_count("n", n), positive_count("n_trials", n_trials)
    level = open_unit("alpha", alpha)
    resamples = None if n_resamples is None else at_least_two("n_resamples", n_resamples)
    if _is_binary(a, b):
        rejected = _binary_trials(
            _cells(a - b) / a.size, n=size, trials=trials, resamples=resamples, alpha=level, rng=rng
        )
    elif resamples is None:
        raise InvalidArgument("n_resamples must be a number for graded scores, got None")
    else:
        samples = (a - b)[rng.integers(0, a.size, size=(trials, size))].T
        rejected = shared_bootstrap_rejects(samples, resamples=resamples, alpha=level, rng=rng)
    share = float(rejected.mean())
    error = float(np.sqrt(share * (1 - share) / trials))
    return BootstrapPower(share, error, size, trials, resamples, level)


def _binary_trials(
    cells: FloatArray,
    *,
    n: int,
    trials: int,
    resamples: int | None,
    alpha: float,
    rng: np.random.Generator,
) -> BoolArray:
    drawn = rng.multinomial(n, cells, size=trials)
    b, c = drawn[:, 0], drawn[:, 1]
    if resamples is None:
        return percentile_bootstrap_rejects(b, c, n, alpha=alpha)
    at_most, at_least = bootstrap_tails(b, c, n)
    sides = np.stack([1 - at_least, at_most + at_least - 1, 1 - at_most], axis=-1)
    below, zero, above = rng.multinomial(resamples, np.clip(sides, 0.0, 1.0)).T
    rank = _tail_rank(resamples, alpha)
    rejected: BoolArray = np.minimum(below, above) + zero < rank
    return rejected


def shared_bootstrap_rejects(
    samples: FloatArray, *, resamples: int, alpha: float, rng: np.random.Generator
) -> BoolArray:
    """Decisions of the paired bootstrap on samples (n_items, n_samples) that share resamples."""
    n, trials = samples.shape
    tie = _TIE * float(np.abs(samples).max())
    at_most, at_least = np.zeros(trials, dtype=np.int64), np.zeros(trials, dtype=np.int64)
    rows = max(1, _BLOCK // n)
    for start in range(0, resamples, rows):
        drawn = rng.integers(0, n, size=(min(rows, resamples - start), n))
        cells = drawn + n * np.arange(drawn.shape[0])[:, np.newaxis]
        weights = np.bincount(cells.ravel(), minlength=drawn.size).reshape(drawn.shape)
        sums = weights.astype(np.float64) @ samples
        at_most += (sums <= tie).sum(axis=0)
        at_least += (sums >= -tie).sum(axis=0)
    return np.minimum(at_most, at_least) < _tail_rank(resamples, alpha)


def _resampled_means(
    differences: FloatArray, resamples: int, rng: np.random.Generator
) -> FloatArray:
    n = differences.size
    means = np.empty(resamples)
    rows = max(1, _BLOCK // n)
    for start in range(0, resamples, rows):
        drawn = rng.integers(0, n, size=(min(rows, resamples - start), n))
        means[start : start + rows] = differences[drawn].mean(axis=1)
    tie = _TIE * float(np.abs(differences).max())
    return np.where(np.abs(means) <= tie / n, 0.0, means)


def _order_statistic(values: FloatArray, index: int) -> tuple[float, float]:
    share = (index + 1) / values.size
    reach = ceil(np.sqrt(values.size * share * max(1 - share, 1 / values.size)))
    low, high = max(index - reach, 0), min(index + reach, values.size - 1)
    return float(values[index]), float(values[high] - values[low]) / 2


def _tail_rank(resamples: int, alpha: float) -> int:
    """Rank of the lower percentile; 1e-9 keeps 10,000 x (1 - 0.95) / 2 at 250."""
    return max(1, ceil(resamples * alpha / 2 - 1e-9))


def score_vectors(scores_a: ArrayLike, scores_b: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Scores of two models as vectors over the same items."""
    a, b = finite("scores_a", scores_a), finite("scores_b", scores_b)
    if a.ndim != 1 or a.shape != b.shape or a.size == 0:
        raise InvalidArgument(
            "scores_a and scores_b must be vectors over the same items, "
            f"got shapes {a.shape} and {b.shape}"
        )
    return a, b


def _is_binary(a: FloatArray, b: FloatArray) -> bool:
    return bool(np.all((a == 0) | (a == 1)) and np.all((b == 0) | (b == 1)))


def _cells(differences: FloatArray) -> FloatArray:
    b, c = np.sum(differences == 1), np.sum(differences == -1)
    return np.array([b, c, differences.size - b - c], dtype=np.float64)
