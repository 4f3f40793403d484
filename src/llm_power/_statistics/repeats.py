r"""Items or repeats: what several answers of a model to one item are worth.

An answer's score is that of its item, :math:`x_i`, plus noise of variance :math:`\sigma_i^2`. By
the law of total variance the mean difference of two models over n items with K repeats each has

.. math:: \mathrm{Var}(\hat\delta) = \frac{\omega^2 + \sigma_A^2/K_A + \sigma_B^2/K_B}{n}

with :math:`\omega^2 = \mathrm{Var}(x_A - x_B)` between items and :math:`\sigma^2 = E[\sigma_i^2]`
within. Repeats shrink the second part alone.

References
----------
Miller (2024), Adding Error Bars to Evals, arXiv:2411.00640, section 3.1 and eqs. (9) and (10);
Searle, Casella and McCulloch (1992), Variance Components, chapter 3, for moments from unequal
numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import broadcast, finite, non_negative, positive
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray, ratio
from llm_power._statistics.inversion import required_n

# Relative size below which a whole number is exceeded by rounding alone.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class RepeatVariances:
    """Within- and between-item variance of each pair, arrays of shape (n_pairs,) or ()."""

    #: Gap, the mean over items of the difference of the item means.
    delta: FloatArray
    #: :math:`\omega^2`, unbiased, and therefore negative at times; NaN with fewer than two items.
    between: FloatArray
    #: `within_a`, `within_b`: :math:`\sigma_A^2` and :math:`\sigma_B^2`, the mean over the items
    #: that have repeats; NaN where none has.
    within_a: FloatArray
    within_b: FloatArray
    #: Of the gap, from the item means: it holds whatever the numbers of repeats.
    standard_error: FloatArray
    #: Items that both models have an answer to.
    n_items: IntArray


@dataclass(frozen=True, slots=True)
class ItemMeans:
    """What is needed of a model's answers, by item; arrays of shape (n_items, ...)."""

    #: Mean score of an item's answers; anything where there is none.
    mean: FloatArray
    #: Answers to the item, 0 where there is none.
    number: IntArray
    #: Their sample variance, unbiased; anything where there are fewer than two.
    variance: FloatArray


def variances_of_means(first: ItemMeans, second: ItemMeans) -> RepeatVariances:
    r"""Within- and between-item variance of a paired difference, by unbiased moments.

    The variance of the item means over items is :math:`\omega^2` plus the mean of
    :math:`\sigma_{A,i}^2/K_{A,i} + \sigma_{B,i}^2/K_{B,i}`. Each item's own variance estimates its
    share without bias, so that unequal numbers of repeats bias nothing; an item with a single
    answer takes the mean :math:`\sigma^2` of the others.
    """
    k_a, k_b = first.number, second.number
    shared = (k_a > 0) & (k_b > 0)
    n = shared.sum(axis=0)
    d = np.where(shared, first.mean - second.mean, 0.0)
    delta = ratio(d.sum(axis=0), n)
    squares = np.where(shared, np.square(d - delta), 0.0).sum(axis=0)
    variance = ratio(squares, n - 1.0)
    within = [_mean(one.variance, shared & (one.number > 1)) for one in (first, second)]
    noise = [
        ratio(np.where(one.number > 1, one.variance, average), one.number.astype(np.float64))
        for one, average in zip((first, second), within, strict=True)
    ]
    return RepeatVariances(
        delta=delta,
        between=np.asarray(variance - _mean(noise[0] + noise[1], shared)),
        within_a=within[0],
        within_b=within[1],
        standard_error=np.sqrt(ratio(variance, n)),
        n_items=np.asarray(n),
    )


def repeats_variance(
    between: ArrayLike,
    within_a: ArrayLike,
    within_b: ArrayLike,
    *,
    repeats_a: ArrayLike = 1,
    repeats_b: ArrayLike | None = None,
) -> FloatArray:
    r"""Variance of an item's mean gap, :math:`\omega^2 + \sigma_A^2/K_A + \sigma_B^2/K_B`.

    Parameters
    ----------
    between, within_a, within_b : array_like
        Variance between items, and of one answer of each model.
    repeats_a, repeats_b : array_like
        Answers to an item; B's are A's if not given.

    Returns
    -------
    ndarray
        Broadcast shape.

    Raises
    ------
    InvalidArgument
        If there are fewer than one repeat.

    Examples
    --------
    >>> from llm_power import repeats_variance
    >>> round(float(repeats_variance(1 / 9, 1 / 6, 1 / 6, repeats_a=10)), 4)
    0.1444
    """
    k_a = np.asarray(repeats_a, dtype=np.float64)
    k_b = k_a if repeats_b is None else np.asarray(repeats_b, dtype=np.float64)
    for name, k in (("repeats_a", k_a), ("repeats_b", k_b)):
        if not np.all(k >= 1):
            raise InvalidArgument(f"{name} must be at least 1, got {float(np.nanmin(k))!r}")
    omega, sigma_a, sigma_b = (
        np.maximum(finite(name, value), 0.0)
        for name, value in (("between", between), ("within_a", within_a), ("within_b", within_b))
    )
    return np.asarray(omega + sigma_a / k_a + sigma_b / k_b)


@dataclass(frozen=True, slots=True)
class ItemsOrRepeats:
    """What reaches the target power from the items and repeats at hand."""

    #: Items at the repeats at hand, eq. (9).
    n_star: FloatArray
    #: Items however many repeats there are: fewer are never enough.
    n_star_limit: FloatArray
    #: Repeats of the items at hand, a whole number; ``inf`` where no number is enough.
    repeats: FloatArray
    #: `items_cost`, `repeats_cost`: Cost of the further items, and of the further repeats, in
    #: answers of one model.
    items_cost: FloatArray
    repeats_cost: FloatArray
    #: "items", "repeats", "enough" where nothing is missing, "neither" where nothing helps.
    cheaper: NDArray[np.str_]


def items_or_repeats(
    delta: ArrayLike,
    between: ArrayLike,
    within: ArrayLike,
    *,
    n_items: ArrayLike,
    repeats: ArrayLike = 1,
    item_cost: ArrayLike = 0.0,
    alpha: float = 0.05,
    power: float = 0.80,
) -> ItemsOrRepeats:
    r"""Whether further items or further repeats reach the target power at less cost.

    With :math:`N^*` from eq. (9). The cheapest numbers of a board made anew are those of
    `llm_power._statistics.design_costs.cheapest_design`.

    Parameters
    ----------
    delta, between, within : array_like
        Gap, variance between items, and both models' variance within an item.
    n_items, repeats : array_like
        Items and repeats at hand.
    item_cost : array_like, default 0
        Cost of an item beside its answers, in answers of one model.
    alpha, power : float
        Two-sided level and target power, in (0, 1).

    Returns
    -------
    ItemsOrRepeats
        Broadcast shape.

    Raises
    ------
    InvalidArgument
        If a number is outside its domain.

    Examples
    --------
    >>> from llm_power import items_or_repeats
    >>> plan = items_or_repeats(0.05, 1 / 9, 1 / 6, n_items=200, item_cost=3)
    >>> str(plan.cheaper), round(float(plan.n_star), 1)
    ('items', 872.1)
    """
    omega, sigma, k, c, n, unit = broadcast(
        between=np.maximum(finite("between", between), 0.0),
        within=np.maximum(finite("within", within), 0.0),
        repeats=finite("repeats", repeats),
        item_cost=non_negative("item_cost", item_cost),
        n_items=positive("n_items", n_items),
        delta=required_n(delta, 1.0, alpha=alpha, power=power),
    )
    n_star = _times(unit, repeats_variance(omega, sigma, 0.0, repeats_a=k))
    room = n / unit - omega
    enough = n_star <= n
    needed = ratio(sigma, room, np.inf, where=room > 0)
    needed = np.where(enough, k, np.ceil(needed * (1 - _ROUNDING)))
    items_cost = np.where(enough, 0.0, (np.ceil(n_star * (1 - _ROUNDING)) - n) * (c + 2 * k))
    repeats_cost = 2 * n * (needed - k)
    way = np.where(repeats_cost < items_cost, "repeats", "items")
    way = np.where(np.isinf(np.minimum(items_cost, repeats_cost)), "neither", way)
    return ItemsOrRepeats(
        n_star=n_star,
        n_star_limit=_times(unit, omega),
        repeats=needed,
        items_cost=items_cost,
        repeats_cost=np.asarray(repeats_cost),
        cheaper=np.where(enough, "enough", way),
    )


def _times(unit: FloatArray, variance: FloatArray) -> FloatArray:
    """Items of a variance, from those of a variance of 1; ``inf`` without a gap, as of eq. (3)."""
    return np.where(np.isinf(unit), np.inf, np.where(np.isinf(unit), 0.0, unit) * variance)


def _mean(values: FloatArray, where: BoolArray) -> FloatArray:
    total = np.where(where, values, 0.0).sum(axis=0)
    return ratio(total, where.sum(axis=0).astype(np.float64))
