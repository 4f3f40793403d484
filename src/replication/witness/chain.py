r"""Item-level scores of models in a chain, from b and c of each neighbor pair and cluster.

Given how many items of each cluster the first model solves, and for each neighbor pair the
counts :math:`b_k, c_k`, the marginals of all models follow. Which items flip is free: they are
drawn without replacement with odds :math:`e^{\mp\kappa F}`, where F is the item's Gaussian
easiness. At :math:`\kappa = 0` the models form a Markov chain, whose ends are nearly independent.
With a larger :math:`\kappa` all models tend to solve the same, easy items.
"""

from __future__ import annotations

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import FloatArray, IntArray


def start_counts(n_items: IntArray, b: IntArray, c: IntArray, solved: int) -> IntArray:
    """Return how many items of each cluster the first model solves; b, c: (n_pairs, n_clusters)."""
    # Nothing printed decides this. The mean accuracy over the models is made the same in every
    # cluster, as far as the counts allow. With a start in proportion to the sizes, the gaps can
    # add up along the chain to more than a cluster.
    drop = np.vstack([np.zeros(len(n_items), dtype=np.int64), np.cumsum(b - c, axis=0)])
    # The first model of a pair solves its b and not its c: bounds on the first of the chain.
    least = np.maximum(drop[:-1] + b, 0).max(axis=0)
    most = (n_items + drop[:-1] - c).min(axis=0)
    if np.any(least > most) or not least.sum() <= solved <= most.sum():
        raise InvalidArgument(
            f"no start of {solved!r} solved items lets every model keep its counts in each cluster"
        )
    mean_drop = drop.mean(axis=0)
    level = (solved - mean_drop.sum()) / n_items.sum()
    wanted = mean_drop + level * n_items
    start = np.clip(np.floor(wanted).astype(np.int64), least, most)
    while (missing := solved - int(start.sum())) != 0:
        step = 1 if missing > 0 else -1
        free = (start < most) if step > 0 else (start > least)
        short = np.where(free, step * (wanted - start), -np.inf)
        start[int(np.argmax(short))] += step
    return np.asarray(start, dtype=np.int64)


def chain_scores(
    n_items: IntArray,
    b: IntArray,
    c: IntArray,
    start: IntArray,
    *,
    kappa: float,
    rng: np.random.Generator,
) -> FloatArray:
    r"""Draw 0/1 scores, shape (n_items, n_pairs + 1), with exactly these counts in each cluster."""
    # Sampling without replacement with odds `e^{\theta}` by the largest of `\theta` plus standard
    # Gumbel noise: Efraimidis and Spirakis (2006), doi:10.1016/j.ipl.2005.11.003.
    if not kappa >= 0:
        raise InvalidArgument(f"kappa must be at least 0, got {kappa!r}")
    n_models = len(b) + 1
    blocks = []
    for k, size in enumerate(n_items):
        easiness = kappa * rng.normal(size=size)
        noise = rng.gumbel(size=(n_models, size))
        scores = np.zeros((n_models, size))
        scores[0, _largest(easiness + noise[0], np.ones(size, dtype=bool), int(start[k]))] = 1
        for i in range(n_models - 1):
            right = scores[i] == 1
            scores[i + 1] = scores[i]
            scores[i + 1, _largest(noise[i + 1] - easiness, right, int(b[i, k]))] = 0
            scores[i + 1, _largest(noise[i + 1] + easiness, ~right, int(c[i, k]))] = 1
        blocks.append(scores.T)
    return np.concatenate(blocks)


def _largest(keys: FloatArray, among: np.ndarray, count: int) -> IntArray:
    rows = np.flatnonzero(among)
    if count > len(rows):
        raise InvalidArgument(f"{count} items cannot flip where there are {len(rows)}")
    return np.asarray(rows[np.argsort(-keys[rows], kind="stable")[:count]], dtype=np.int64)
