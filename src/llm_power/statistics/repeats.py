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
numbers; Cochran (1977), Sampling Techniques, section 10.6, for the best number of repeats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from llm_power.errors import InvalidArgument
from llm_power.statistics._checks import broadcast, finite, non_negative, numbers, positive
from llm_power.statistics._cluster_sets import ratio
from llm_power.statistics._typing import ArrayLike, BoolArray, FloatArray, IntArray
from llm_power.statistics.inversion import required_n
from llm_power.statistics.standard_errors import score_errors

# Probabilities whose logarithms have a few digits add up to 1 within this.
_ROUNDING_OF_LOGS = 1e-3

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


def repeat_variances(scores_a: ArrayLike, scores_b: ArrayLike) -> RepeatVariances:
    r"""Within- and between-item variance of a paired difference, by unbiased moments.

    Shapes: `scores_a`, `scores_b` (n_items, n_repeats) or (n_items, n_repeats, n_pairs).

    The variance of the item means over items is :math:`\omega^2` plus the mean of
    :math:`\sigma_{A,i}^2/K_{A,i} + \sigma_{B,i}^2/K_{B,i}`. Each item's own variance estimates its
    share without bias, so that unequal numbers of repeats bias nothing; an item with a single
    answer takes the mean :math:`\sigma^2` of the others.
    """
    first, second = _answers("scores_a", scores_a), _answers("scores_b", scores_b)
    if first.shape[::2] != second.shape[::2]:
        raise InvalidArgument(
            "scores_a and scores_b must have the same items and pairs, "
            f"got shapes {first.shape!r} and {second.shape!r}"
        )
    return variances_of_means(_by_item(first), _by_item(second))


def variances_of_means(first: ItemMeans, second: ItemMeans) -> RepeatVariances:
    """Return the same from the items' means, numbers and variances, of two models."""
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
    r"""Variance of an item's mean gap, :math:`\omega^2 + \sigma_A^2/K_A + \sigma_B^2/K_B`."""
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


def variance_removed(
    between: ArrayLike, within: ArrayLike, repeats: ArrayLike = np.inf
) -> FloatArray:
    r"""Share of a score's variance that K repeats of each item remove, section 3.1.

    .. math:: \frac{\sigma^2 (1 - 1/K)}{\omega^2 + \sigma^2}

    NaN where there is no variance.
    """
    one = repeats_variance(between, within, 0.0)
    return ratio(one - repeats_variance(between, within, 0.0, repeats_a=repeats), one)


@dataclass(frozen=True, slots=True)
class ExpectedScores:
    """Items' scores from next-token probabilities, arrays of shape (n_items, ...)."""

    #: Expected score of an answer to the item.
    score: FloatArray
    #: Variance of a sampled answer's score about it, :math:`\sigma_i^2`, which is removed.
    variance: FloatArray


def expected_scores(
    log_probabilities: ArrayLike, values: ArrayLike, *, normalize: bool = False
) -> ExpectedScores:
    r"""Score items by the log-probabilities of their choices, section 3.2.

    Shapes: `log_probabilities` (n_items, n_choices) or (n_items, n_choices, n_models); `values`
    (n_items, n_choices).

    The mean of ``variance`` is :math:`\sigma^2` and the variance of ``score`` is that of the
    items' means: `variance_removed` of the two is what this is worth beside one answer.
    """
    logs, worth = numbers("log_probabilities", log_probabilities), finite("values", values)
    if logs.ndim not in (2, 3) or logs.shape[:2] != worth.shape or logs.size == 0:
        raise InvalidArgument(
            "log_probabilities must have shape (n_items, n_choices) or (n_items, n_choices, "
            f"n_models), and values its first two, got {logs.shape!r} and {worth.shape!r}"
        )
    total = logsumexp(logs, axis=1, keepdims=True)
    if not np.all(total <= _ROUNDING_OF_LOGS) or np.any(np.isneginf(total)):
        item = int(np.argwhere(~(total <= _ROUNDING_OF_LOGS) | np.isneginf(total))[0][0])
        raise InvalidArgument(
            "log_probabilities of an item must be those of parts of 1, and not of 0, got a sum of "
            f"exp {float(np.exp(total[item].flat[0]))!r} for item {item}"
        )
    p = np.exp(logs - total if normalize else logs)
    worth = worth.reshape(worth.shape + (1,) * (logs.ndim - 2))
    score = (p * worth).sum(axis=1)
    variance = (p * np.square(worth)).sum(axis=1) - np.square(score)
    return ExpectedScores(score, np.maximum(variance, 0.0))


def clustered_repeat_variances(
    scores_a: ArrayLike, scores_b: ArrayLike, clusters: ArrayLike
) -> RepeatVariances:
    r"""Cluster-adjusted variances of a paired difference from repeated answers, Appendix C.

    Shapes: `scores_a`, `scores_b` (n_items, n_repeats) or (n_items, n_repeats, n_pairs); `clusters`
    (n_items,).

    Within: the variance over runs of a cluster's sum, :math:`K/(K-1)` times the mean square of
    its deviations, added up and over n, as Miller has it. It holds where the answers of one run
    to one cluster hang together; where they do not, it estimates what `repeat_variances` does,
    with more noise.

    Between: Miller takes the clustered variance of the items' means as it is. That of K answers
    still holds :math:`\sigma_A^2/K_A + \sigma_B^2/K_B`, which is taken off here, and its CR0 is
    too small for few clusters, which CR2 mends.
    """
    first, second = (
        _whole(name, scores) for name, scores in (("scores_a", scores_a), ("scores_b", scores_b))
    )
    if first.shape[::2] != second.shape[::2]:
        raise InvalidArgument(
            "scores_a and scores_b must have the same items and pairs, "
            f"got shapes {first.shape!r} and {second.shape!r}"
        )
    labels = np.asarray(clusters)
    found = score_errors(first.mean(axis=1) - second.mean(axis=1), labels)
    n = len(first)
    within = [_variance_over_runs(x, labels) for x in (first, second)]
    noise = within[0] / first.shape[1] + within[1] / second.shape[1]
    return RepeatVariances(
        delta=found.estimate,
        between=np.asarray(n * np.square(found.standard_error) - noise),
        within_a=within[0],
        within_b=within[1],
        standard_error=found.standard_error,
        n_items=found.n_items,
    )


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
    #: Repeats of the cheapest board made anew, a whole number; ``inf`` where items do not differ.
    best_repeats: FloatArray


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

    With :math:`N^*` from eq. (9), a board of K repeats costs :math:`N^*(K)(c + 2K)`, which is
    least at :math:`K = \sqrt{c (\sigma_A^2 + \sigma_B^2) / (2\omega^2)}`, as Cochran has it for
    sampling in two stages. Where items cost nothing but their answers, one repeat is best, and
    further items are the cheaper way.
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
    needed = np.full(n.shape, np.inf)
    np.divide(sigma, room, out=needed, where=room > 0)
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
        best_repeats=_best_repeats(omega, sigma, c),
    )


def _times(unit: FloatArray, variance: FloatArray) -> FloatArray:
    """Items of a variance, from those of a variance of 1; ``inf`` without a gap, as of eq. (3)."""
    return np.where(np.isinf(unit), np.inf, np.where(np.isinf(unit), 0.0, unit) * variance)


def _best_repeats(omega: FloatArray, sigma: FloatArray, item_cost: FloatArray) -> FloatArray:
    paid = item_cost * sigma
    root = np.where(paid > 0, np.inf, 1.0)
    np.sqrt(ratio(paid, 2 * omega, empty=np.inf), out=root, where=(omega > 0) & (paid > 0))
    finite_root = np.where(np.isfinite(root), root, 1.0)
    low, high = np.maximum(np.floor(finite_root), 1), np.ceil(np.maximum(finite_root, 1))
    # Costs at the two whole numbers beside the root, without what both have in common.
    cost = [2 * k * omega + paid / k for k in (low, high)]
    return np.where(np.isinf(root), np.inf, np.where(cost[0] <= cost[1], low, high))


def _answers(name: str, scores: ArrayLike) -> FloatArray:
    x = numbers(name, scores)
    if x.ndim not in (2, 3) or x.size == 0:
        raise InvalidArgument(
            f"{name} must have shape (n_items, n_repeats) or (n_items, n_repeats, n_pairs), "
            f"got {x.shape!r}"
        )
    if np.any(np.isinf(x)):
        raise InvalidArgument(f"{name} must be finite or missing (NaN), got an infinite score")
    return x


def _whole(name: str, scores: ArrayLike) -> FloatArray:
    x = _answers(name, scores)
    if np.any(np.isnan(x)) or x.shape[1] < 2:
        raise InvalidArgument(
            f"{name} must have two answers to every item, and as many to each, got an item that "
            "lacks one. Remedy: leave out items or runs, or use repeat_variances."
        )
    return x


def _variance_over_runs(x: FloatArray, labels: NDArray[Any]) -> FloatArray:
    """Variance over runs of each cluster's sum, added up, an item."""
    n, k = x.shape[:2]
    codes = np.unique(labels, return_inverse=True)[1]
    sums = np.zeros((int(codes.max()) + 1, *x.shape[1:]))
    np.add.at(sums, codes, x - x.mean(axis=1, keepdims=True))
    return np.asarray(np.square(sums).sum(axis=(0, 1)) / (n * (k - 1)))


def _by_item(x: FloatArray) -> ItemMeans:
    """Mean, number of answers and unbiased variance of each item."""
    present = ~np.isnan(x)
    k = present.sum(axis=1)
    mean = np.where(present, x, 0.0).sum(axis=1) / np.maximum(k, 1)
    deviation = np.where(present, x - mean[:, np.newaxis], 0.0)
    return ItemMeans(mean, k, np.square(deviation).sum(axis=1) / np.maximum(k - 1, 1))


def _mean(values: FloatArray, where: BoolArray) -> FloatArray:
    total = np.where(where, values, 0.0).sum(axis=0)
    return ratio(total, where.sum(axis=0).astype(np.float64))
