"""What selection adds to the gap of a significant pilot, and to the score of the best of several.

A pilot is followed up because it was significant, and significant gaps are too large on average:
the winner's curse. Of pilots with a power of .80 at the level .05, those that are significant put
the required items so low that a run with a promised power of .80 has .71 on average. The mend is
the likelihood on the condition that made the pilot count. A lower confidence limit from it is at
most the true gap with its confidence, whatever the power of the pilot, and so is the chance that a
plan at that limit has the power that it promises.

The largest of several means is too large: the model that leads was chosen on the items that it is
scored on. Part by part of the items, the leader and the second are chosen on the others and scored
on the part; the mean over parts and divisions is that of a leader so chosen, on further items.
This is unbiased for a choice on the items of all parts but one, whatever the ties and
correlations; a bootstrap of the maximum is not (Andrews 2000, doi:10.1111/1468-0262.00114).

References
----------
Taylor and Muller (1996), doi:10.1080/03610929608831787; Anderson, Kelley and Maxwell (2017),
doi:10.1177/0956797617723724, who give 50 % to 95 %, of which .80 is the default here; Perugini,
Gallucci and Costantini (2014), doi:10.1177/1745691614528519, for the limit without the condition;
Stone (1974), doi:10.1111/j.2517-6161.1974.tb00994.x, for parts chosen on the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, stdtrit

from llm_power._choices import McNemarTest
from llm_power._statistics._numerics import binomial_pmf, threshold
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray, ratio
from llm_power._statistics.mcnemar import critical_count
from llm_power._statistics.t_test import below

# Of a range, which leave less of it than rounding does.
_HALVINGS: Final = 60
# Fewer parts choose on fewer items, more make the estimate vary more.
_PARTS: Final = 10
_DIVISIONS: Final = 40


def share_limit(
    ahead: int,
    behind: int,
    *,
    selected: bool = True,
    confidence: float = 0.80,
    test: McNemarTest = "exact",
    alpha: float = 0.05,
) -> float:
    r"""Lower limit of the leader's share of the items that two models differ on.

    The :math:`\theta` at which a share as large as the pilot's has the chance 1 - `confidence`
    (mid-p), among significant pilots if it was selected; 1/2 where that does not exclude a tie. At
    a confidence of .5 it is the median-unbiased estimate.
    """
    m = ahead + behind
    needed = m - int(critical_count(np.array([m]), test, alpha)[0]) if selected else 0

    def admits(theta: float) -> bool:
        beyond = bdtrc(ahead, m, theta) + float(binomial_pmf(ahead, m, theta)) / 2
        condition = bdtrc(needed - 1, m, theta) if needed else 1.0
        return bool(beyond / condition >= 1 - confidence)

    return threshold(admits, 0.5, 1.0, halvings=_HALVINGS)


def shift_limit(
    t: float,
    freedom: float,
    *,
    selected: bool = True,
    confidence: float = 0.80,
    alpha: float = 0.05,
) -> float:
    """Lower limit of a gap over its standard error, from a pilot's t; 0 where a tie is possible."""
    size, critical = abs(t), -float(stdtrit(freedom, alpha / 2))

    def admits(shift: float) -> bool:
        condition = 1 - below(freedom, shift, critical) if selected else 1.0
        return bool((1 - below(freedom, shift, size)) / condition >= 1 - confidence)

    return threshold(admits, 0.0, size, halvings=_HALVINGS)


@dataclass(frozen=True, slots=True)
class LeaderOnFurtherItems:
    """Expected score of the leader on further items, and its lead over the second."""

    score: float
    lead: float


def leader_on_further_items(
    tasks: Sequence[FloatArray],
    weights: Sequence[float],
    *,
    rng: np.random.Generator,
    clusters: Sequence[NDArray[np.str_] | None] | None = None,
) -> LeaderOnFurtherItems | None:
    """Score on each part of the items the leader of the others, by the weighted mean of tasks.

    Shapes: `tasks` (n_items, n_models), NaN where missing; `clusters` (n_items,), which stay
    whole. Of equal means the first column leads. None where too few items or clusters tell.
    """
    labels = [None] * len(tasks) if clusters is None else clusters
    blocks = [
        np.arange(len(x)) if names is None else np.unique(names, return_inverse=True)[1]
        for x, names in zip(tasks, labels, strict=True)
    ]
    parts = min(_PARTS, *(int(block.max()) + 1 for block in blocks))
    if parts < 2:
        return None
    kept = _contenders(tasks, weights, blocks, parts)
    some = [x[:, kept] for x in tasks]
    # What differs by rounding alone is told by numbers up to 1; a power of two moves no bit.
    sizes = np.nan_to_num(np.fmax.reduce(np.abs(np.concatenate(some)), axis=0))
    scale = 2.0 ** np.ceil(np.log2(float(np.median(sizes)) or float(sizes.max()) or 1.0))
    strata = [_by_block(x / scale, block) for x, block in zip(some, blocks, strict=True)]
    scores = np.mean([_divided(strata, weights, parts, rng) for _ in range(_DIVISIONS)], axis=0)
    if not np.isfinite(scores).all():
        return None
    return LeaderOnFurtherItems(*(float(scale * x) for x in (scores[0], scores[0] - scores[1])))


def _contenders(
    tasks: Sequence[FloatArray], weights: Sequence[float], blocks: Sequence[IntArray], parts: int
) -> BoolArray:
    """Return which models may be first or second without one of the parts, (n_models,)."""
    if any(np.isnan(x).any() for x in tasks):
        return np.ones(tasks[0].shape[1], dtype=np.bool_)
    mean, most_lost = np.zeros(tasks[0].shape[1]), 0.0
    for x, weight, block in zip(tasks, weights, blocks, strict=True):
        largest = np.sort(np.bincount(block))[-(-(int(block.max()) + 1) // parts) :].sum()
        mean += weight * x.mean(axis=0)
        most_lost += weight * float(np.ptp(x)) * largest / len(x)
    return np.asarray(mean >= np.sort(mean)[-2] - most_lost * (1 + 1e-9))


def _by_block(x: FloatArray, block: IntArray) -> tuple[FloatArray, FloatArray]:
    """Sums of the scores of each block, (n_blocks, n_models), and their numbers."""
    order, ends = np.argsort(block, kind="stable"), np.cumsum(np.bincount(block))
    starts = np.concatenate([[0], ends[:-1]])
    missing = np.isnan(x)
    # One column counts for all models where no score is missing.
    has_score = ~(missing if missing.any() else missing[:, :1])
    parts = (np.nan_to_num(x)[order], has_score.astype(np.float64)[order])
    total, scored = (np.add.reduceat(each, starts, axis=0) for each in parts)
    return total, scored


def _divided(
    strata: Sequence[tuple[FloatArray, FloatArray]],
    weights: Sequence[float],
    parts: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Mean held-out score of the leaders and of the seconds, of one division into parts."""
    sums, others = [], np.zeros((parts, strata[0][0].shape[1]))
    for (x, has_score), weight in zip(strata, weights, strict=True):
        part = rng.permutation(len(x)) % parts
        inside = (part == np.arange(parts)[:, np.newaxis]).astype(np.float64)
        total, scored = inside @ x, inside @ has_score
        rest = scored.sum(axis=0) - scored
        mean = ratio(total.sum(axis=0) - total, rest, -np.inf)
        sums.append((total, scored))
        others += weight * mean
    # Means that are equal but for rounding are equal.
    others, every = np.round(others, 12), np.arange(parts)
    leader = others.argmax(axis=1)
    others[every, leader] = -np.inf
    chosen = np.stack([leader, others.argmax(axis=1)])
    score = np.zeros(2)
    for (total, scored), weight in zip(sums, weights, strict=True):
        items = np.broadcast_to(scored, total.shape)[every, chosen].sum(axis=1)
        known = np.where(items > 0, items, np.nan)
        score += weight * total[every, chosen].sum(axis=1) / known
    return score
