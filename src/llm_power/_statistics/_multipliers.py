"""Gaussian multipliers on centred scores: the joint law of all gaps on one set of items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from llm_power._statistics.arrays import ArrayLike, FloatArray
from llm_power._statistics.cluster_robust import satterthwaite

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
    precision = np.zeros(squares.shape)
    np.divide(n, np.sqrt(np.maximum(squares, 0.0)), out=precision, where=varies)
    return precision


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
