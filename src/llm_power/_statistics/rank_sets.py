r"""Simultaneous confidence sets of ranks, from all pairwise differences by max-T.

Model :math:`j` is declared better than :math:`k` where its lead, over its standard error, exceeds
a critical value that all true non-leads stay below together with the stated confidence. The joint
distribution comes from Gaussian multipliers on centred scores: models are scored on the same
items, and their leads are correlated. A model's rank is then at least one more than the number of
models declared better, and at most the number of models not declared worse. Sets of two models
may overlap without the models being equal: overlap is no tie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from scipy.special import ndtr, stdtrit

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import finite, open_unit, positive_count
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray, ratio
from llm_power._statistics.cluster_robust import satterthwaite
from llm_power._statistics.random_streams import Keys, keyed_normals, named_rng

# Largest number of multipliers held at once.
_BLOCK = 4_000_000


def inverse_standard_errors(centred: FloatArray) -> FloatArray:
    """One over the standard error of each pair's gap; 0 where the difference does not vary."""
    n = centred.shape[0]
    products = centred.T @ centred
    own = np.diag(products)
    sums = own[:, np.newaxis] + own
    squares = sums - 2 * products
    # Of squares below this nothing is left but the rounding of the subtraction.
    varies = squares > 1e-12 * sums
    return ratio(n, np.sqrt(np.maximum(squares, 0.0)), 0.0, where=varies)


def independent_rows(centred: FloatArray, clusters: ArrayLike | None) -> tuple[FloatArray, float]:
    r"""Rows that vary independently, by CR2, and the degrees of freedom of their variance.

    The rows are cluster sums :math:`s_k / \sqrt{1 - n_k/N}` on the scale of a mean over rows; every
    item is a cluster of its own where none are given. The degrees of freedom are Satterthwaite's.
    """
    n = len(centred)
    names = np.arange(n) if clusters is None else np.asarray(clusters)
    codes, sizes = np.unique(names, return_inverse=True, return_counts=True)[1:]
    order = np.argsort(codes, kind="stable")
    sums = np.add.reduceat(centred[order], np.cumsum(sizes) - sizes, axis=0)
    share = (sizes / n)[:, np.newaxis]
    rows = sums / np.sqrt(1 - share) * (sizes.size / n)
    return rows, float(satterthwaite(share)[0])


def stratified_rows(
    tasks: Sequence[FloatArray],
    weights: Sequence[float],
    clusters: Sequence[ArrayLike | None],
) -> tuple[FloatArray, float]:
    """`independent_rows` of all tasks, so weighted that their mean over all rows is the average.

    The degrees of freedom are Welch's, of the mean variance of the models' averages.
    """
    parts = [independent_rows(x - x.mean(axis=0), y) for x, y in zip(tasks, clusters, strict=True)]
    scales = [w / len(rows) for w, (rows, _) in zip(weights, parts, strict=True)]
    variances = [np.square(s * rows).sum() for s, (rows, _) in zip(scales, parts, strict=True)]
    per_df = sum(v * v / df for v, (_, df) in zip(variances, parts, strict=True))
    df = float(sum(variances) ** 2 / per_df) if per_df > 0 else parts[0][1]
    total = sum(len(rows) for rows, _ in parts)
    scaled = [rows * (s * total) for s, (rows, _) in zip(scales, parts, strict=True)]
    return np.concatenate(scaled), df


def multiplier_means(centred: FloatArray, draws: int, rng: np.random.Generator) -> FloatArray:
    """Means of centred scores under standard normal multipliers, shape (draws, n_models)."""
    n, means = centred.shape[0], np.empty((draws, centred.shape[1]))
    rows = max(1, _BLOCK // n)
    for start in range(0, draws, rows):
        stop = min(start + rows, draws)
        means[start:stop] = rng.standard_normal((stop - start, n)) @ centred / n
    return means


@dataclass(frozen=True, slots=True)
class RankSets:
    """Confidence sets of the ranks of all models, simultaneous over models."""

    #: Mean score over items; shape (n_models,).
    mean: FloatArray
    #: Observed rank, 1 for the best; equal means share the smallest.
    rank: IntArray
    #: `low`, `high`: Best and worst rank in the confidence set.
    low: IntArray
    high: IntArray
    #: Whether the model of the row is declared better than that of the column.
    better: BoolArray
    #: Standardized lead that decided the last step.
    critical_value: float
    #: Its Monte Carlo error, half the range of the neighboring order statistics.
    critical_value_error: float
    #: Steps down; 1 for a single step.
    n_steps: int
    #: Nominal simultaneous confidence.
    confidence: float
    #: Number of multiplier draws.
    n_draws: int


def rank_confidence_sets(
    scores: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
    step_down: bool = True,
    n_draws: int = 2_000,
    rng: np.random.Generator | None = None,
) -> RankSets:
    r"""Simultaneous confidence sets of the ranks of all models.

    Shapes: `scores` (n_items, n_models); `clusters` (n_items,).

    The hypotheses are :math:`\theta_j \le \theta_k` for all ordered pairs. Pairs whose
    differences do not vary are never declared: no standard error speaks for them. Standard errors
    are CR2, every item a cluster where none are given, and the critical value is that of t with
    Satterthwaite's degrees of freedom at the same tail. With five equal models, correlated 0/1
    scores and a nominal .95, the sets contain all ranks in .939 and .946 of 2,000 simulations of
    50 and 100 items (standard error .005). With 500 items in 14 clusters, in the shares of
    MMLU-Pro's subjects, and a latent ICC of 0, .05 and .2, they do in .953, .941 and .932 of 1,000
    simulations; those of items as the sample do in .949, .573 and .194. Neither items by pairs
    nor draws by pairs are held.

    A declared lead leaves its opposite in the comparison, as Mogstad and coauthors have it, so
    that the direction of each lead is covered as well. Step-down tests of two-sided hypotheses
    drop both, which is a little narrower and says nothing of direction.

    Mogstad, Romano, Shaikh and Wilhelm (2024), doi:10.1093/restud/rdad006; Romano and Wolf (2005),
    doi:10.1198/016214504000000539; Chernozhukov, Chetverikov and Kato (2013),
    doi:10.1214/13-AOS1161.

    Parameters
    ----------
    scores : array_like
        Scores of shape (n_items, n_models), without missing ones.
    clusters : array_like, optional
        Cluster of each item, shape (n_items,).
    confidence : float, default 0.95
        Simultaneous confidence, in (0, 1).
    step_down : bool, default True
        Whether to test again without what was declared.
    n_draws : int, default 2000
        Multiplier draws.
    rng : Generator, optional
        Source of the draws.

    Returns
    -------
    RankSets
        Best and worst rank of each model.

    Raises
    ------
    InvalidArgument
        If scores are missing, or a number is outside its domain.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power import example_task, rank_confidence_sets
    >>> sets = rank_confidence_sets(example_task().values, rng=np.random.default_rng(1))
    >>> sets.low.tolist(), sets.high.tolist()
    ([1, 1, 3, 4], [2, 2, 3, 4])
    """
    x = finite("scores", scores)
    if x.ndim != 2 or min(x.shape) < 2:
        raise InvalidArgument(
            "scores must be a matrix of at least two items (rows) and two models (columns), "
            f"got shape {x.shape!r}"
        )
    return average_rank_sets(
        [x],
        [1.0],
        clusters=[clusters],
        confidence=confidence,
        step_down=step_down,
        n_draws=n_draws,
        rng=rng,
    )


def average_rank_sets(
    tasks: Sequence[FloatArray],
    weights: Sequence[float],
    *,
    clusters: Sequence[ArrayLike | None],
    confidence: float,
    step_down: bool = True,
    n_draws: int = 2_000,
    rng: np.random.Generator | None = None,
    keys: Sequence[Keys] | None = None,
) -> RankSets:
    """Simultaneous confidence sets of the ranks by the average over tasks.

    Shapes: `tasks` (n_items, n_models); `clusters` (n_items,). With `keys`, of the clusters in
    alphabetical order, (n_clusters,), the draws are theirs.
    """
    level, draws = 1 - open_unit("confidence", confidence), positive_count("n_draws", n_draws)
    if draws < 20 or level * (draws + 1) < 1:
        raise InvalidArgument(
            f"n_draws must be at least 20 and 1 / (1 - confidence), got {n_draws!r}"
        )
    labels = [None if x is None else np.asarray(x) for x in clusters]
    for found, x in zip(labels, tasks, strict=True):
        if found is not None and (found.shape != x.shape[:1] or np.all(found == found[0])):
            raise InvalidArgument(
                f"clusters must have one label an item and at least two, got shape {found.shape!r}"
            )
    stream = named_rng(0, "rank_confidence_sets") if rng is None else rng
    means = [weight * x.mean(axis=0) for x, weight in zip(tasks, weights, strict=True)]
    mean = np.asarray(np.sum(means, axis=0))
    rows, df = stratified_rows(tasks, weights, labels)
    precision = inverse_standard_errors(rows)
    lead = (mean[:, np.newaxis] - mean) * precision
    if keys is None:
        drawn = multiplier_means(rows, draws, stream)
    else:
        drawn = keyed_normals(np.concatenate(keys), 0, draws).T @ rows / len(rows)
    better, step = np.zeros(lead.shape, dtype=np.bool_), 0
    while True:
        step += 1
        largest = np.sort(_largest_lead(drawn, np.where(better, 0.0, precision)))
        critical, error = _upper_quantile(largest, level, df)
        found = lead > critical
        if not step_down or np.array_equal(found | better, better):
            better |= found
            break
        better |= found
    return RankSets(
        mean=mean,
        rank=1 + (mean[:, np.newaxis] < mean).sum(axis=1),
        low=1 + better.sum(axis=0),
        high=mean.size - better.sum(axis=1),
        better=better,
        critical_value=critical,
        critical_value_error=error,
        n_steps=step,
        confidence=confidence,
        n_draws=draws,
    )


def _largest_lead(drawn: FloatArray, precision: FloatArray) -> FloatArray:
    """Largest standardized lead of each draw, over the ordered pairs of positive precision."""
    largest, buffer = np.zeros(drawn.shape[0]), np.empty_like(drawn)
    for model in range(drawn.shape[1]):
        np.subtract(drawn[:, model : model + 1], drawn, out=buffer)
        buffer *= precision[model]
        np.maximum(largest, buffer.max(axis=1), out=largest)
    return largest


def _upper_quantile(ordered: FloatArray, level: float, df: float) -> tuple[float, float]:
    """The ceil((1 - level) (B + 1))-th of B ordered values, and its Monte Carlo error.

    As a quantile of t at the same tail of a single lead: its standard error is estimated.
    """
    size = ordered.size
    # 1e-9 keeps 1,000 x 0.95 whole.
    rank = min(ceil((1 - level) * (size + 1) - 1e-9), size)
    reach = ceil(np.sqrt(size * level * (1 - level)))
    places = [max(rank - 1 - reach, 0), rank - 1, min(rank - 1 + reach, size - 1)]
    # Of no lead it is 0, where older versions of scipy return a trace less.
    low, quantile, high = np.maximum(-stdtrit(df, ndtr(-ordered[places])), 0.0)
    return float(quantile), float(high - low) / 2
