r"""The paired percentile bootstrap of Definition 2, by resampling and exactly.

For 0/1 scores a resample of the items is a multinomial draw of three cells: :math:`b` items
that only A solves, :math:`c` that only B does, and the rest. The bootstrap distribution of
the sum :math:`S^* = N\bar D^*` is then that of :math:`N` independent steps of +1, -1 and 0,
which is known exactly, and so is the decision of the test with infinitely many resamples.
Graded scores have their items resampled.

References
----------
Efron and Tibshirani (1993), doi:10.1201/9780429246593; Hall (1992),
doi:10.1007/978-1-4612-4384-4, for the percentile method and its error.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from llm_power.errors import InvalidArgument
from llm_power.statistics._checks import counts, finite, open_unit
from llm_power.statistics._typing import ArrayLike, BoolArray, FloatArray, IntArray
from llm_power.statistics.inversion import required_n

# Numbers held at once by a work array; results do not depend on it.
_BLOCK = 2**20

# Sums of graded differences within this share of their largest term count as zero, so that a
# tie at zero is a tie in whatever order the terms are added.
_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class PairedBootstrap:
    """Percentile interval of the gap and the test that reads it (Definition 2).

    Attributes
    ----------
    delta : float
        Observed mean difference, A minus B.
    ci_low, ci_high : float
        Ends of the percentile interval.
    ci_low_error, ci_high_error : float
        Monte Carlo standard errors of the ends, from neighboring order statistics.
    standard_error : float
        Standard deviation of the resampled means.
    reject : bool
        Whether 0 lies outside the interval.
    binary : bool
        Whether the scores are all 0 or 1, so that cells were resampled.
    n_items, n_resamples : int
        Number of items and of resamples.
    confidence : float
        Confidence of the interval; the level of the test is its complement.
    """

    delta: float
    ci_low: float
    ci_high: float
    ci_low_error: float
    ci_high_error: float
    standard_error: float
    reject: bool
    binary: bool
    n_items: int
    n_resamples: int
    confidence: float


def paired_bootstrap_delta(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: np.random.Generator,
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
    rng : numpy.random.Generator
        Stream of random numbers.

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
    """
    a, b = _score_pair(scores_a, scores_b)
    alpha = 1.0 - open_unit("confidence", confidence)
    resamples = _at_least("n_resamples", n_resamples, 2)
    differences = a - b
    binary = _is_binary(a, b)
    if binary:
        cells = _cells(differences)
        drawn = rng.multinomial(a.size, cells / a.size, size=resamples)
        means = (drawn[:, 0] - drawn[:, 1]) / a.size
    else:
        means = _resampled_means(differences, resamples, rng)
    means.sort()
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
        reject=low > 0 or high < 0,
        binary=binary,
        n_items=a.size,
        n_resamples=resamples,
        confidence=confidence,
    )


@dataclass(frozen=True, slots=True)
class BootstrapDistribution:
    r"""Exact bootstrap distribution of the sum of N paired 0/1 differences.

    Attributes
    ----------
    sums : ndarray of int, shape (2 N + 1,)
        Values of :math:`S^* = N\bar D^*`, from -N to N.
    pmf : ndarray, shape (2 N + 1,)
        Their probabilities, to an absolute error of about 1e-13.
    at_most_zero, at_least_zero : float
        :math:`P(S^* \le 0)` and :math:`P(S^* \ge 0)`; the smaller one has full relative
        precision however small it is.
    n_items : int
        Number of items N.
    """

    sums: IntArray
    pmf: FloatArray
    at_most_zero: float
    at_least_zero: float
    n_items: int

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Percentile interval of the gap with infinitely many resamples."""
        tail = (1.0 - open_unit("confidence", confidence)) / 2
        low = int(np.argmax(np.cumsum(self.pmf) >= tail))
        high = self.sums.size - 1 - int(np.argmax(np.cumsum(self.pmf[::-1]) >= tail))
        return float(self.sums[low] / self.n_items), float(self.sums[high] / self.n_items)

    def rejects(self, alpha: float = 0.05) -> bool:
        """Whether 0 lies outside the interval of confidence 1 - `alpha`."""
        return min(self.at_most_zero, self.at_least_zero) < open_unit("alpha", alpha) / 2


def exact_bootstrap_distribution(b: int, c: int, n_items: int) -> BootstrapDistribution:
    r"""Distribution of the bootstrap sum of a pair of 0/1 scores, without resampling.

    Parameters
    ----------
    b, c : int
        Items that only the first, and only the second, model solves.
    n_items : int
        Items that both models were scored on, at least b + c.

    Returns
    -------
    BootstrapDistribution
        The distribution, its percentile interval and decision.

    Raises
    ------
    InvalidArgument
        If a count is not whole, negative, or b + c exceeds `n_items`.

    Notes
    -----
    The probabilities invert the characteristic function
    :math:`((N-b-c + b e^{it} + c e^{-it})/N)^N` by a fast Fourier transform. For the
    HellaSwag pair of Table 6 (b = 295, c = 249, N = 10,042) :math:`P(S^* \le 0) = 0.0254`:
    the interval contains 0, as Table 11 has it, by so little that 10,000 resamples
    (standard error 0.0016 at the level of 0.025) decide it either way.
    """
    first, second, n = (int(x) for x in _discordance(b, c, n_items))
    t = 2 * np.pi * np.arange(n + 1) / (2 * n + 1)
    step = ((n - first - second) + first * np.exp(-1j * t) + second * np.exp(1j * t)) / n
    wrapped = np.fft.irfft(step**n, 2 * n + 1)
    pmf = np.maximum(np.roll(wrapped, n), 0.0)
    pmf /= pmf.sum()
    at_most, at_least = bootstrap_tails(first, second, n)
    return BootstrapDistribution(np.arange(-n, n + 1), pmf, float(at_most), float(at_least), n)


def bootstrap_tails(
    b: ArrayLike, c: ArrayLike, n_items: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    r"""Exact :math:`P(S^* \le 0)` and :math:`P(S^* \ge 0)` of the bootstrap sum.

    Parameters
    ----------
    b, c, n_items : array_like of int
        As in `exact_bootstrap_distribution`, one entry a pair.

    Returns
    -------
    at_most_zero, at_least_zero : ndarray
        Broadcast shape; the smaller of the two has full relative precision.

    Raises
    ------
    InvalidArgument
        As `exact_bootstrap_distribution`.

    Notes
    -----
    Say :math:`b \ge c` and let :math:`r = \sqrt{c/b}`. A path with :math:`i` steps up and
    :math:`j` down has weight :math:`b^i c^j = (bc)^{(i+j)/2} r^{j-i}`, so that

    .. math:: P(S^* = -k) = \varrho^N r^k q(k), \qquad
        \varrho = 1 - (\sqrt b - \sqrt c)^2 / N,

    where :math:`q` is the law of a symmetric walk whose steps are :math:`\pm 1` with
    probability :math:`\sqrt{bc}/(N\varrho)` each. The tail is a sum of positive terms around
    the center of :math:`q`, where its Fourier inversion is accurate.
    """
    first, second, n = _discordance(b, c, n_items)
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

    Parameters
    ----------
    c, n_items : array_like of int
        Items that only the weaker model solves, and items in all.
    alpha : float, default 0.05
        Two-sided level.

    Returns
    -------
    ndarray of int
        Broadcast shape; ``n_items - c + 1``, which no b can be, where no b rejects.

    Raises
    ------
    InvalidArgument
        If a count is not whole, negative, or `c` exceeds `n_items`, or `alpha` is not in (0, 1).

    Notes
    -----
    Giving A one more item moves a step of the bootstrap walk from 0 to +1, so that
    :math:`P(S^* \le 0)` falls in b at fixed c and N, and bisection finds the boundary. At
    b = c the probability is at least 1/2.
    """
    level = open_unit("alpha", alpha)
    fewer, _, n = _discordance(c, 0, n_items)
    fewer_flat, n_flat = fewer.ravel(), n.ravel()
    rejects = n_flat - fewer_flat + 1
    keeps = np.minimum(fewer_flat, rejects - 1)
    while np.any(rejects - keeps > 1):
        open_ = np.flatnonzero(rejects - keeps > 1)
        middle = (keeps[open_] + rejects[open_]) // 2
        tail, _ = _small_tail(middle, fewer_flat[open_], n_flat[open_])
        outside = tail < level / 2
        rejects[open_[outside]] = middle[outside]
        keeps[open_[~outside]] = middle[~outside]
    return rejects.reshape(n.shape)


def percentile_bootstrap_rejects(
    b: ArrayLike, c: ArrayLike, n_items: ArrayLike, *, alpha: float = 0.05
) -> BoolArray:
    r"""Exact decision of the paired bootstrap (Definition 2) with infinitely many resamples.

    Parameters
    ----------
    b, c, n_items : array_like of int
        As in `exact_bootstrap_distribution`, one entry a pair.
    alpha : float, default 0.05
        Two-sided level.

    Returns
    -------
    ndarray of bool
        Broadcast shape; true where :math:`P(S^* \le 0)` or :math:`P(S^* \ge 0)` is below
        `alpha` / 2, that is, where 0 lies outside the percentile interval.

    Raises
    ------
    InvalidArgument
        As `exact_bootstrap_distribution`, or if `alpha` is not in (0, 1).
    """
    first, second, n = _discordance(b, c, n_items)
    more, fewer = np.maximum(first, second).ravel(), np.minimum(first, second).ravel()
    keys, where = np.unique(np.stack([fewer, n.ravel()]), axis=1, return_inverse=True)
    boundary = percentile_bootstrap_boundary(keys[0], keys[1], alpha=alpha)
    rejects: BoolArray = more >= boundary[where.ravel()]
    return rejects.reshape(n.shape)


@dataclass(frozen=True, slots=True)
class BootstrapPower:
    """Empirical power of the paired bootstrap test.

    Attributes
    ----------
    power : float
        Share of the trials that reject.
    standard_error : float
        Its binomial Monte Carlo standard error.
    n_items, n_trials : int
        Items a trial and number of trials.
    n_resamples : int or None
        Resamples a trial; None for the exact decision.
    alpha : float
        Two-sided level.
    """

    power: float
    standard_error: float
    n_items: int
    n_trials: int
    n_resamples: int | None
    alpha: float


def bootstrap_power(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    n: int,
    *,
    alpha: float = 0.05,
    n_trials: int = 1_000,
    n_resamples: int | None = 1_000,
    rng: np.random.Generator,
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
    rng : numpy.random.Generator
        Stream of random numbers.

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
    """
    a, b = _score_pair(scores_a, scores_b)
    size, trials = _at_least("n", n, 1), _at_least("n_trials", n_trials, 1)
    level = open_unit("alpha", alpha)
    resamples = None if n_resamples is None else _at_least("n_resamples", n_resamples, 2)
    if _is_binary(a, b):
        rejected = _binary_trials(
            _cells(a - b) / a.size, n=size, trials=trials, resamples=resamples, alpha=level, rng=rng
        )
    elif resamples is None:
        raise InvalidArgument("n_resamples must be a number for graded scores, got None")
    else:
        rejected = _graded_trials(
            a - b, n=size, trials=trials, resamples=resamples, alpha=level, rng=rng
        )
    share = float(rejected.mean())
    error = float(np.sqrt(share * (1 - share) / trials))
    return BootstrapPower(share, error, size, trials, resamples, level)


@dataclass(frozen=True, slots=True)
class BootstrapRequiredN:
    """Bootstrap percentiles of the required N of each pair.

    Attributes
    ----------
    low, high : ndarray
        Percentiles of the required items; ``inf`` where the percentile falls among resamples
        without a gap.
    share_infinite : ndarray
        Share of resamples with b = c, where no number of items is enough.
    share_unresolved : ndarray
        Share of resamples that need more items than there are.
    quantiles : tuple of float
        The two percentiles, as shares.
    n_resamples : int
        Number of resamples.
    alpha, power : float
        The operating point.
    """

    low: FloatArray
    high: FloatArray
    share_infinite: FloatArray
    share_unresolved: FloatArray
    quantiles: tuple[float, float]
    n_resamples: int
    alpha: float
    power: float


def bootstrap_required_n(
    n11: ArrayLike,
    b: ArrayLike,
    c: ArrayLike,
    n00: ArrayLike,
    *,
    n_resamples: int = 500,
    quantiles: tuple[float, float] = (0.05, 0.95),
    alpha: float = 0.05,
    power: float = 0.80,
    rng: np.random.Generator,
) -> BootstrapRequiredN:
    """Bootstrap percentiles of the required N (Section 6.1: B = 500, 5th to 95th percentile).

    Parameters
    ----------
    n11, b, c, n00 : array_like of int
        Items solved by both, only by A, only by B, and by neither.
    n_resamples : int, default 500
        Resamples a pair.
    quantiles : tuple of float, default (0.05, 0.95)
        Lower and upper percentile, as shares.
    alpha, power : float
        Two-sided level and target power.
    rng : numpy.random.Generator
        Stream of random numbers; pairs are drawn one after the other.

    Returns
    -------
    BootstrapRequiredN
        Arrays of the broadcast shape.

    Raises
    ------
    InvalidArgument
        If a cell is negative or not whole, a pair has no item, or a setting is out of range.

    Notes
    -----
    Resampling the items moves the accuracies and the correlation through the cells alone.
    Percentiles are order statistics: nothing is interpolated between a number and infinity.
    """
    both, first, second, neither = np.broadcast_arrays(
        counts("n11", n11), counts("b", b), counts("c", c), counts("n00", n00)
    )
    n = both + first + second + neither
    if np.any(n == 0):
        raise InvalidArgument("every pair needs at least one item, got n11 = b = c = n00 = 0")
    resamples = _at_least("n_resamples", n_resamples, 1)
    ranks = [ceil(open_unit("quantiles", q) * resamples - 1e-9) - 1 for q in quantiles]
    pairs = np.stack([n, first, second], axis=-1).reshape(-1, 3)
    columns = np.empty((pairs.shape[0], 4))
    rows = max(1, _BLOCK // (3 * resamples))
    for start in range(0, pairs.shape[0], rows):
        block = slice(start, start + rows)
        needed = _resampled_required_n(pairs[block], resamples, alpha, power, rng)
        columns[block, 0] = np.isinf(needed).mean(axis=1)
        columns[block, 1] = (needed > pairs[block, :1]).mean(axis=1)
        columns[block, 2:] = np.sort(needed, axis=1)[:, ranks]
    infinite, unresolved, low, high = (column.reshape(n.shape) for column in columns.T)
    return BootstrapRequiredN(low, high, infinite, unresolved, quantiles, resamples, alpha, power)


def _resampled_required_n(
    pairs: IntArray, resamples: int, alpha: float, power: float, rng: np.random.Generator
) -> FloatArray:
    n, discordant = pairs[:, :1], pairs[:, 1:]
    cells = np.concatenate([discordant, n - discordant.sum(axis=1, keepdims=True)], axis=1) / n
    drawn = rng.multinomial(n, cells[:, np.newaxis, :], size=(pairs.shape[0], resamples))
    delta = (drawn[..., 0] - drawn[..., 1]) / n
    sigma_d = np.sqrt((drawn[..., 0] + drawn[..., 1]) / n - np.square(delta))
    return required_n(delta, sigma_d, alpha=alpha, power=power)


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


def _graded_trials(
    differences: FloatArray,
    *,
    n: int,
    trials: int,
    resamples: int,
    alpha: float,
    rng: np.random.Generator,
) -> BoolArray:
    samples = differences[rng.integers(0, differences.size, size=(trials, n))].T
    tie = _TIE * float(np.abs(differences).max())
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


def _order_statistic(values: FloatArray, index: int) -> tuple[float, float]:
    share = (index + 1) / values.size
    reach = ceil(np.sqrt(values.size * share * max(1 - share, 1 / values.size)))
    low, high = max(index - reach, 0), min(index + reach, values.size - 1)
    return float(values[index]), float(values[high] - values[low]) / 2


def _tail_rank(resamples: int, alpha: float) -> int:
    """Rank of the lower percentile; 1e-9 keeps 10,000 x (1 - 0.95) / 2 at 250."""
    return max(1, ceil(resamples * alpha / 2 - 1e-9))


def _score_pair(scores_a: ArrayLike, scores_b: ArrayLike) -> tuple[FloatArray, FloatArray]:
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


def _discordance(
    b: ArrayLike, c: ArrayLike, n_items: ArrayLike
) -> tuple[IntArray, IntArray, IntArray]:
    first, second, n = np.broadcast_arrays(
        counts("b", b), counts("c", c), counts("n_items", n_items)
    )
    if np.any((first + second > n) | (n == 0)):
        raise InvalidArgument("n_items must be positive and at least b + c")
    return first, second, n


def _at_least(name: str, value: int, least: int) -> int:
    number = int(value)
    if number != value or number < least:
        raise InvalidArgument(f"{name} must be a whole number of at least {least}, got {value!r}")
    return number
