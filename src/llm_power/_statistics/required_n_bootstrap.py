"""Bootstrap of the required N itself: how far it hangs on the items at hand (Section 6.1)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import broadcast, counts, open_unit, positive_count
from llm_power._statistics.arrays import ArrayLike, FloatArray, IntArray, RandomSource
from llm_power._statistics.inversion import required_n
from llm_power._statistics.paired_binary import observed_difference_variance

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
    >>> found = bootstrap_required_n([7987, 7693], [295, 831], [249, 195], [1511, 1323], rng=1)
    >>> found.share_unresolved.round(1)
    array([0.8, 0. ])
    """
    rng = np.random.default_rng(rng)
    both, first, second, neither = broadcast(
        n11=counts("n11", n11), b=counts("b", b), c=counts("c", c), n00=counts("n00", n00)
    )
    n = both + first + second + neither
    if np.any(n == 0):
        raise InvalidArgument("every pair needs at least one item, got n11 = b = c = n00 = 0")
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
