r"""How firm a verdict stands: intervals of N* and q, and the chance that a new sample turns it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from llm_power._statistics.argument_checks import (
    broadcast,
    counts,
    finite,
    non_negative,
    open_unit,
    proportions,
)
from llm_power._statistics.arrays import ArrayLike, FloatArray
from llm_power._statistics.inversion import required_n


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
    """
    values, sign = broadcast(p=proportions("p", p), direction=finite("direction", direction))
    return _turning(-ndtri(values / 2), _critical(level), sign)


def exact_chance_of_turning(
    b: ArrayLike, c: ArrayLike, direction: ArrayLike, *, level: float
) -> FloatArray:
    r"""Chance of turning of the exact McNemar test's verdict.

    .. math:: 1 - \Phi\!\left(\frac{|b-c| - 1 - z_{1-\alpha/2}\sqrt{b+c}}{\sqrt{2(b+c)}}\right)

    The exact test asks for one discordant item more than the asymptotic one, whichever side
    leads. The z of its p-value forgets this for the trailing side: it states too much where
    few items are discordant, .16 in a decile of pairs between halves of 106 real Winogrande items
    of which .08 turned. docs/verdicts.md has the comparison for real boards.
    """
    first, second, sign = broadcast(
        b=counts("b", b), c=counts("c", c), direction=finite("direction", direction)
    )
    root = np.sqrt(np.maximum(first + second, 1))
    chance = _turning(np.abs(first - second) / root, _critical(level) + 1 / root, sign)
    return np.where(first + second > 0, chance, 0.0)


def _critical(level: float) -> float:
    return float(-ndtri(open_unit("level", level) / 2))


def _turning(
    z: FloatArray, critical: float | FloatArray, direction: NDArray[np.number]
) -> FloatArray:
    same, opposite = (ndtr((side * z - critical) / np.sqrt(2)) for side in (1, -1))
    return np.asarray(np.where(direction != 0, 1 - same, same + opposite))
