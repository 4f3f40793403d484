"""How firm a verdict stands: intervals and bootstrap of N*, and the chance that it turns."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from llm_power._statistics.argument_checks import (
    broadcast,
    counts,
    finite,
    non_negative,
    open_unit,
    positive_count,
    proportions,
    table_counts,
)
from llm_power._statistics.arrays import ArrayLike, FloatArray, IntArray, RandomSource
from llm_power._statistics.inversion import required_n
from llm_power._statistics.paired_binary import observed_difference_variance


def required_n_interval(
    low: ArrayLike,
    high: ArrayLike,
    mean_square: ArrayLike,
    *,
    alpha: float = 0.05,
    power: float = 0.80,
) -> tuple[FloatArray, FloatArray]:
    """Limits of N* from those of the gap at the observed `mean_square` of an item's difference.

    They have the confidence of the gap's interval; the upper one is ``inf`` where that holds 0.

    Parameters
    ----------
    low, high : array_like
        Limits of the gap, in score units.
    mean_square : array_like
        Mean squared difference of an item's two scores.
    alpha, power : float
        Two-sided level and target power, in (0, 1).

    Returns
    -------
    low, high : ndarray
        Items, broadcast shape.

    Raises
    ------
    InvalidArgument
        If a number is outside its domain.

    Examples
    --------
    >>> from llm_power import required_n_interval
    >>> [round(float(n)) for n in required_n_interval(0.01, 0.03, 0.1)]
    [864, 7841]
    """
    lower, upper, square = broadcast(
        low=np.asarray(low, dtype=np.float64),
        high=np.asarray(high, dtype=np.float64),
        mean_square=non_negative("mean_square", mean_square),
    )
    far = np.maximum(np.abs(lower), np.abs(upper))
    near = np.where((lower <= 0) & (upper >= 0), 0.0, np.minimum(np.abs(lower), np.abs(upper)))
    bounds = []
    for gap in (far, near):
        known = np.isfinite(gap)
        size = np.where(known, gap, 1.0)
        sigma = np.sqrt(np.maximum(square - np.square(size), 0.0))
        bounds.append(np.where(known, required_n(size, sigma, alpha=alpha, power=power), 0.0))
    return bounds[0], bounds[1]


def chance_of_turning(p: ArrayLike, direction: ArrayLike, *, level: float) -> FloatArray:
    r"""Chance that a new sample of the same size gives another verdict on a difference.

    .. math:: 1 - \Phi\!\left(\frac{|z| - z_{1-\alpha/2}}{\sqrt 2}\right)

    Both samples err, hence the root of 2: the predictive distribution of the new z at a flat
    prior on the gap. A power at the observed gap forgets the error of the present sample. The
    exact test, which counts in whole items, has `exact_chance_of_turning`.

    Goodman (1992), doi:10.1002/sim.4780110705.

    Parameters
    ----------
    p : array_like
        Two-sided p-value of the pair.
    direction : array_like
        Sign of the gap.
    level : float
        Level of the test, in (0, 1).

    Returns
    -------
    ndarray
        Broadcast shape, in [0, 1].

    Raises
    ------
    InvalidArgument
        If a number is outside its domain.

    Examples
    --------
    >>> from llm_power import chance_of_turning
    >>> round(float(chance_of_turning(0.03, 1, level=0.05)), 3)
    0.441
    """
    values, sign = broadcast(p=proportions("p", p), direction=finite("direction", direction))
    return _turning(-ndtri(values / 2), _critical(level), sign)


def exact_chance_of_turning(
    b: ArrayLike, c: ArrayLike, direction: ArrayLike, *, level: float, n_items: ArrayLike = np.inf
) -> FloatArray:
    r"""Chance of turning of the exact McNemar test's verdict.

    .. math:: 1 - \Phi\!\left(\frac{|b-c| - 1 - z_{1-\alpha/2}\sqrt{b+c}}{\sqrt{2(b+c)}}\right)

    The exact test asks for one discordant item more than the asymptotic one, whichever side
    leads. The z of its p-value forgets this for the trailing side: it states too much where
    few items are discordant, .16 in a decile of pairs between halves of 106 real Winogrande items
    of which .08 turned. docs/verdicts.md has the comparison for real boards. It is 0 where not
    even `n_items` that all differ one way are significant.
    """
    first, second, sign = broadcast(
        b=counts("b", b), c=counts("c", c), direction=finite("direction", direction)
    )
    root = np.sqrt(np.maximum(first + second, 1))
    chance = _turning(np.abs(first - second) / root, _critical(level) + 1 / root, sign)
    can_turn = (first + second > 0) & (np.exp2(1.0 - np.asarray(n_items)) <= level)
    return np.where(can_turn, chance, 0.0)


def _critical(level: float) -> float:
    return float(-ndtri(open_unit("level", level) / 2))


def _turning(
    z: FloatArray, critical: float | FloatArray, direction: NDArray[np.number]
) -> FloatArray:
    same, opposite = (ndtr((side * z - critical) / np.sqrt(2)) for side in (1, -1))
    return np.asarray(np.where(direction != 0, 1 - same, same + opposite))


# Numbers held at once by a work array; results do not depend on it.
_BLOCK = 2**20


@dataclass(frozen=True, slots=True)
class BootstrapRequiredN:
    """Bootstrap percentiles of the required N of each pair."""

    #: `low`, `high`: Percentiles of the required items; ``inf`` where the percentile falls among
    #: resamples without a gap.
    low: FloatArray
    high: FloatArray
    #: Share of resamples with b = c, where no number of items is enough.
    share_infinite: FloatArray
    #: Share of resamples that need more items than there are.
    share_unresolved: FloatArray
    #: The two percentiles, as shares.
    quantiles: tuple[float, float]
    #: Number of resamples.
    n_resamples: int
    #: `alpha`, `power`: The operating point.
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
    rng: RandomSource = None,
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
    rng : numpy.random.Generator or int, optional
        Stream of random numbers; a seed starts one, and by default it is fresh. Pairs are drawn
        one after the other.

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

    Examples
    --------
    >>> from llm_power import bootstrap_required_n
    >>> required = bootstrap_required_n([7987, 7693], [295, 831], [249, 195], [1511, 1323], rng=1)
    >>> required.share_unresolved.round(1)
    array([0.8, 0. ])
    """
    rng = np.random.default_rng(rng)
    _, first, second, _, n = table_counts(n11, b, c, n00)
    resamples = positive_count("n_resamples", n_resamples)
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
    sigma_d = np.sqrt(observed_difference_variance(drawn[..., 0], drawn[..., 1], n))
    return required_n(delta, sigma_d, alpha=alpha, power=power)
