r"""The discordant items of one pair, cluster by cluster: gaps that fit, and whole ones near.

Given b and c of the pair, Table 4 depends on the gaps :math:`d_k = b_k - c_k` through one number,
:math:`Q = \sum_k d_k^2 / n_k`: the ANOVA sums of squares are :math:`Q - D^2/N` and
:math:`S - Q`, with :math:`D = b - c` and :math:`S = b + c`. The printed digits of Table 4 give an
interval of Q (`explained_interval`), which is a constraint. Tables 8 and 9 are met as nearly as
possible; `Misfit` holds their residuals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray, ordered_product
from llm_power._statistics.inversion import z_sum

# Whole solutions whose misfit is computed.
SHORTLIST: Final = 250

_PERCENTILES: Final = (0.05, 0.95)
# Resamples on either side of a percentile, of 2,000, whose gradients are averaged.
_WINDOW: Final = 0.02
# By how much, on the log scale, a verdict of Table 8 must clear its threshold.
_MARGIN: Final = 0.01
# A cluster's gap may use this share of its discordant items before it is held back.
_SHARE: Final = 0.8

Score = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class PairTargets:
    """Printed numbers of one pair that depend on its clusters."""

    # Items of each cluster, shape (n_clusters,).
    n_items: IntArray
    b: int
    c: int
    # Lower and upper end of the ICC that Table 4 prints.
    icc: tuple[float, float]
    # First row: 5th and 95th percentile of the category bootstrap. Second row: the distance from
    # each that is a residual of 1. None where they are not fitted.
    bootstrap_icc: FloatArray | None = None
    bootstrap_design_effect: FloatArray | None = None
    # Whether the pair is unresolved without each cluster; None where it is not fitted.
    unresolved_without: BoolArray | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.b + self.c <= int(self.n_items.sum()):
            raise InvalidArgument(f"b + c must not exceed the items, got {self.b + self.c!r}")
        if not self.icc[0] <= self.icc[1] < 1:
            raise InvalidArgument(f"icc must be an interval below 1, got {self.icc!r}")

    @property
    def difference(self) -> int:
        """D = b - c."""
        return self.b - self.c

    @property
    def discordant(self) -> int:
        """S = b + c."""
        return self.b + self.c

    @property
    def expected_discordant(self) -> FloatArray:
        """Discordant items of each cluster in proportion to its size."""
        return np.asarray(self.discordant * self.n_items / self.n_items.sum())


def explained_interval(targets: PairTargets) -> tuple[float, float]:
    r"""Return the interval of :math:`Q = \sum_k d_k^2 / n_k` that gives the printed ICC."""
    # With F = MSB/MSW the one-way ANOVA has `ICC = (F - 1)/(F + n_0 - 1)`, hence `F = (1 + (n_0 -
    # 1) ICC)/(1 - ICC)`, and F is linear fractional in Q.
    n, k = float(targets.n_items.sum()), len(targets.n_items)
    n0 = (n - float(np.sum(np.square(targets.n_items))) / n) / (k - 1)
    icc = np.asarray(targets.icc)
    f = (1 + (n0 - 1) * icc) / (1 - icc) * (k - 1) / (n - k)
    q = (targets.difference**2 / n + f * targets.discordant) / (1 + f)
    return float(q[0]), float(q[1])


class Misfit:
    """Residuals and their gradient in the gaps, for many candidates at once."""

    def __init__(self, targets: PairTargets, resamples: IntArray) -> None:
        self.targets = targets
        self.expected = np.maximum(targets.expected_discordant, 1e-9)
        self.boot = _ClusterSets(targets, resamples.T.astype(np.float64))
        k = len(targets.n_items)
        self.drop = _ClusterSets(targets, 1.0 - np.eye(k))

    def residuals(self, gaps: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Residuals (n_candidates, m) and gradient (n_candidates, m, n_clusters)."""
        parts = [self._crowded(gaps)]
        icc, slopes = self.boot.icc(gaps)
        by_q, by_d = slopes()
        for value, others, aim in self._bootstrapped(icc):
            gradient = self._slopes(gaps, value, others * by_q, others * by_d, aim)
            parts.append((_off_percentiles(value, aim), gradient))
        if self.targets.unresolved_without is not None:
            parts.append(self._verdicts(gaps, self.targets.unresolved_without))
        values, gradients = zip(*parts, strict=True)
        return np.concatenate(values, axis=1), np.concatenate(gradients, axis=1)

    def score(self, gaps: FloatArray) -> FloatArray:
        """Half the sum of squared residuals of each candidate."""
        parts = [self._crowded(gaps)[0]]
        icc, _ = self.boot.icc(gaps)
        parts += [_off_percentiles(value, aim) for value, _, aim in self._bootstrapped(icc)]
        if self.targets.unresolved_without is not None:
            parts.append(self._verdicts(gaps, self.targets.unresolved_without)[0])
        return np.asarray(0.5 * np.square(np.concatenate(parts, axis=1)).sum(axis=1))

    def _bootstrapped(
        self, icc: FloatArray
    ) -> Iterator[tuple[FloatArray, FloatArray | float, FloatArray]]:
        """Value of each resample, its derivative in the ICC, and what its percentiles shall be."""
        if (aim := self.targets.bootstrap_icc) is not None:
            yield icc, 1.0, aim
        if (aim := self.targets.bootstrap_design_effect) is not None:
            others = np.where(icc > 0, self.boot.mean_size - 1, 0.0)
            yield 1 + others * icc, others, aim

    def _slopes(
        self,
        gaps: FloatArray,
        value: FloatArray,
        by_q: FloatArray,
        by_d: FloatArray,
        aim: FloatArray,
    ) -> FloatArray:
        """Gradient of each percentile: the mean of the resamples near it."""
        n_sets = value.shape[1]
        order = np.argsort(value, axis=1, kind="stable")
        half = max(int(_WINDOW * n_sets), 1)
        slopes = []
        for share, unit in zip(_PERCENTILES, aim[1], strict=True):
            low = int(share * (n_sets - 1))
            near = order[:, max(low - half, 0) : low + half + 2]
            weights = self.boot.weights.T[near]
            mean_q = (weights * np.take_along_axis(by_q, near, axis=1)[..., None]).mean(axis=1)
            mean_d = (weights * np.take_along_axis(by_d, near, axis=1)[..., None]).mean(axis=1)
            slopes.append((mean_q * 2 * gaps / self.targets.n_items + mean_d) / unit)
        return np.stack(slopes, axis=1)

    def _verdicts(self, gaps: FloatArray, unresolved: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Residuals on Table 8: log of clustered N* over its budget, one cluster dropped."""
        # A residual is zero on the right side of the budget. Table 8 does not say whether the
        # budget is the remaining items or all of them. Both readings are met: a resolved pair is
        # resolved on the remaining items, an unresolved one is unresolved on all.
        sets, n_all = self.drop, float(self.targets.n_items.sum())
        icc, slopes = sets.icc(gaps)
        by_q, by_d = slopes()
        others = np.where(icc > 0, sets.mean_size - 1, 0.0)
        effect = 1 + others * icc
        gap = ordered_product(gaps, sets.weights)
        # Kept from zero: N* is huge either way, and on the same side of the budget.
        gap = np.where(np.abs(gap) < 1e-6, 1e-6, gap)
        scale = sets.squares * sets.n_items / np.square(gap)
        n_star = float(z_sum(0.05, 0.80)) ** 2 * (scale - 1) * effect
        budget = np.where(unresolved, n_all, sets.n_items)
        sign = np.where(unresolved, -1.0, 1.0)
        hinge = sign * np.log(n_star / budget) + _MARGIN
        active = hinge > 0
        by_gap = -2 * scale / (gap * (scale - 1))
        # Rows are the dropped clusters; the gradient has a column for each gap.
        direct = (others * by_d / effect + by_gap)[..., None] * sets.weights.T
        through_q = (others * by_q / effect)[..., None] * sets.weights.T
        slope = direct + through_q * (2 * gaps / self.targets.n_items)[:, None, :]
        slope *= (np.where(active, sign, 0.0) / _MARGIN)[..., None]
        return np.where(active, hinge, 0.0) / _MARGIN, slope

    def _crowded(self, gaps: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Penalize a gap that needs nearly all discordant items of its cluster."""
        over = np.abs(gaps) / (_SHARE * self.expected) - 1
        slope = np.where(over > 0, 20 * np.sign(gaps) / (_SHARE * self.expected), 0.0)
        diagonal = slope[:, :, None] * np.eye(gaps.shape[1])
        return 20 * np.maximum(over, 0.0), diagonal


def _off_percentiles(value: FloatArray, aim: FloatArray) -> FloatArray:
    """How far the percentiles of the resamples are from their aims, in the aims' units."""
    place = np.array(_PERCENTILES) * (value.shape[1] - 1)
    low = place.astype(np.int64)
    # To put four in their places takes less than to sort all.
    ordered = np.partition(value, (*low, *(low + 1)), axis=1)
    at_low, above = ordered[:, low], ordered[:, low + 1]
    return np.asarray((at_low + place % 1 * (above - at_low) - aim[0]) / aim[1])


class _ClusterSets:
    """One-way ANOVA ICC of many sets of clusters; discordant items are in proportion to size."""

    def __init__(self, targets: PairTargets, weights: FloatArray) -> None:
        n = targets.n_items.astype(np.float64)
        self.n = n
        self.weights = weights
        self.n_clusters = weights.sum(axis=0)
        self.n_items = ordered_product(n[None], weights)[0]
        self.squares = self.n_items * (targets.discordant / n.sum())
        self.mean_size = self.n_items / self.n_clusters
        spread = ordered_product(np.square(n)[None], weights)[0]
        self.n0 = (self.n_items - spread / self.n_items) / (self.n_clusters - 1)

    def icc(
        self, gaps: FloatArray
    ) -> tuple[FloatArray, Callable[[], tuple[FloatArray, FloatArray]]]:
        """ICC (n_candidates, n_sets), and what computes its derivatives in Q and in D."""
        q = ordered_product(np.square(gaps) / self.n, self.weights)
        d = ordered_product(gaps, self.weights)
        within = (self.squares - q) / (self.n_items - self.n_clusters)
        between = (q - np.square(d) / self.n_items) / (self.n_clusters - 1)
        bottom = between + (self.n0 - 1) * within
        icc = (between - within) / bottom

        def slopes() -> tuple[FloatArray, FloatArray]:
            slope = self.n0 / np.square(bottom)
            by_between, by_within = slope * within, -slope * between
            by_q = by_between / (self.n_clusters - 1)
            by_q -= by_within / (self.n_items - self.n_clusters)
            return by_q, -2 * d / self.n_items * by_between / (self.n_clusters - 1)

        return icc, slopes


def integer_gaps(
    targets: PairTargets, gaps: FloatArray, misfit: Score, *, width: int
) -> tuple[IntArray, int]:
    r"""Find whole gaps near `gaps` with the pair's D and with Q in the interval of Table 4."""
    # Meet in the middle: the clusters are halved, all combinations of neighbors are listed in each
    # half, and the halves are matched by their parts of D and Q. Every solution is found; no
    # solver with a time limit is needed.
    interval = explained_interval(targets)
    base = np.rint(gaps).astype(np.int64) - (width - 1) // 2
    even = _half(targets, gaps, base, 0, width)
    odd = _half(targets, gaps, base, 1, width)
    pool, n_solutions = _solutions(even, odd, targets.difference, interval)
    if n_solutions == 0:
        return _closest(even, odd, targets.difference, interval), 0
    candidates = np.stack([_join(even, odd, a, b) for _, a, b in pool])
    return candidates[int(np.argmin(misfit(candidates.astype(np.float64))))], n_solutions


def split_discordant(targets: PairTargets, gaps: IntArray) -> tuple[IntArray, IntArray]:
    """Share the pair's discordant items among the clusters, in proportion to their sizes."""
    # Each cluster's number of discordant items has the parity of its gap. Table 4 does not depend
    # on this split, Tables 8 and 9 hardly do.
    if int(gaps.sum()) != targets.difference:
        raise InvalidArgument(f"gaps must sum to {targets.difference}, got {int(gaps.sum())!r}")
    least = np.abs(gaps)
    if int(least.sum()) > targets.discordant:
        raise InvalidArgument(
            f"gaps must use at most {targets.discordant} discordant items, got {int(least.sum())!r}"
        )
    expected = targets.expected_discordant
    share = least + 2 * np.maximum(np.rint((expected - least) / 2).astype(np.int64), 0)
    share = np.where(share > targets.n_items, share - 2, share)
    while (missing := targets.discordant - int(share.sum())) != 0:
        step = 2 if missing > 0 else -2
        there = share + step
        cost = (np.square(there - expected) - np.square(share - expected)) / expected
        cost[(there < least) | (there > targets.n_items)] = np.inf
        share[int(np.argmin(cost))] += step
    return (share + gaps) // 2, (share - gaps) // 2


@dataclass(frozen=True, slots=True)
class _Half:
    """All combinations of neighboring whole gaps in one half of the clusters."""

    clusters: IntArray
    values: IntArray
    total: IntArray
    explained: FloatArray
    distance: FloatArray


def _half(targets: PairTargets, gaps: FloatArray, base: IntArray, start: int, width: int) -> _Half:
    clusters = np.arange(start, len(gaps), 2)
    grid = np.indices((width,) * len(clusters)).reshape(len(clusters), -1)
    values = base[clusters][:, None] + grid
    n = targets.n_items[clusters][:, None]
    return _Half(
        clusters=clusters,
        values=values,
        total=values.sum(axis=0),
        explained=(values * values / n).sum(axis=0),
        distance=(np.square(values - gaps[clusters][:, None]) / n).sum(axis=0),
    )


def _matched(
    first: _Half, second: _Half, difference: int
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Yield rows of both halves whose sums add up, those of the second by their part of Q."""
    for total in np.unique(first.total):
        partners = np.flatnonzero(second.total == difference - total)
        if len(partners):
            partners = partners[np.argsort(second.explained[partners], kind="stable")]
            yield np.flatnonzero(first.total == total), partners, second.explained[partners]


def _solutions(
    first: _Half, second: _Half, difference: int, interval: tuple[float, float]
) -> tuple[list[tuple[float, int, int]], int]:
    """Return the nearest solutions as (distance, row, row), and how many there are in all."""
    lower, upper = interval
    pool: list[tuple[float, int, int]] = []
    count = 0
    for rows, partners, explained in _matched(first, second, difference):
        low = np.searchsorted(explained, lower - first.explained[rows], side="left")
        high = np.searchsorted(explained, upper - first.explained[rows], side="right")
        matches = high - low
        count += int(matches.sum())
        a = np.repeat(rows, matches)
        place = np.arange(len(a)) - np.repeat(np.cumsum(matches) - matches, matches)
        b = partners[np.repeat(low, matches) + place]
        distance = first.distance[a] + second.distance[b]
        near = np.argsort(distance, kind="stable")[:SHORTLIST]
        pool += zip(distance[near].tolist(), a[near].tolist(), b[near].tolist(), strict=True)
    return sorted(pool)[:SHORTLIST], count


def _closest(
    first: _Half, second: _Half, difference: int, interval: tuple[float, float]
) -> IntArray:
    """Return the gaps of the right sum whose Q is nearest to the interval."""
    lower, upper = interval
    best = (np.inf, 0, 0)
    for rows, partners, explained in _matched(first, second, difference):
        after = np.searchsorted(explained, (lower + upper) / 2 - first.explained[rows])
        for side in (after - 1, after):
            at = np.clip(side, 0, len(partners) - 1)
            q = first.explained[rows] + explained[at]
            miss = np.maximum(lower - q, q - upper)
            i = int(np.argmin(miss))
            best = min(best, (float(miss[i]), int(rows[i]), int(partners[at[i]])))
    return _join(first, second, best[1], best[2])


def _join(first: _Half, second: _Half, a: int, b: int) -> IntArray:
    gaps = np.empty(len(first.clusters) + len(second.clusters), dtype=np.int64)
    gaps[first.clusters] = first.values[:, a]
    gaps[second.clusters] = second.values[:, b]
    return gaps


# The search: number of starts, steps of each, starts kept, their further steps. The result depends
# on them, so they are fixed: nothing stops early, nothing depends on time.
_STARTS: Final = 24
_STEPS: Final = 14
_KEPT: Final = 4
_LAST_STEPS: Final = 30
_WIDTHS: Final = (3, 5)


@dataclass(frozen=True, slots=True)
class ClusterGaps:
    """Discordant counts of one pair in each cluster."""

    # Items of each cluster that only the first, and only the second, model solves.
    b: IntArray
    c: IntArray
    # Number of whole gaps with Q in the interval. If it is 0, the gaps returned are those with Q
    # nearest to the interval.
    n_solutions: int


def fit_gaps(targets: PairTargets, resamples: IntArray, rng: np.random.Generator) -> FloatArray:
    """Fit real-valued gaps: Table 4 is met, Tables 8 and 9 as nearly as possible."""
    # Levenberg-Marquardt on the sphere of gaps with this D and Q, from many points at once. The
    # gradient of a percentile is the mean gradient of the resamples around it. Nothing here is a
    # global optimum: other starts give other gaps of about the same misfit.
    lower, upper = explained_interval(targets)
    n = targets.n_items.astype(np.float64)
    total = n.sum()
    radius = np.sqrt(max((lower + upper) / 2 - targets.difference**2 / total, 0.0))
    # d = D n/N + radius sqrt(n) (basis v) has sum D for every v, and this Q for |v| = 1.
    basis = np.sqrt(n)[:, None] * _complement(np.sqrt(n / total)) * radius
    center = targets.difference * n / total
    misfit = Misfit(targets, resamples)

    points = _unit(_starting_points(targets, rng) @ _complement(np.sqrt(n / total)))
    points, costs = _descend(misfit, center, basis, points, _STEPS)
    best = np.argsort(costs, kind="stable")[:_KEPT]
    points, _ = _descend(misfit, center, basis, points[best], _LAST_STEPS)
    return np.asarray(center + _times(basis, points))


def fit_pair(targets: PairTargets, resamples: IntArray, rng: np.random.Generator) -> ClusterGaps:
    """Find the discordant counts of one pair in each cluster: all three steps."""
    misfit = Misfit(targets, resamples).score
    solutions = [
        _whole_solution(targets, real, misfit) for real in fit_gaps(targets, resamples, rng)
    ]
    costs = misfit(np.stack([gaps for gaps, _ in solutions]).astype(np.float64))
    # A solution comes before the nearest miss; then the smaller misfit.
    unsolved = np.array([n_solutions == 0 for _, n_solutions in solutions])
    best = int(np.lexsort((costs, unsolved))[0])
    gaps, n_solutions = solutions[best]
    return ClusterGaps(*split_discordant(targets, gaps), n_solutions)


def _whole_solution(targets: PairTargets, real: FloatArray, misfit: Score) -> tuple[IntArray, int]:
    """Search a narrow window; if that has too few solutions, a wider one."""
    for width in _WIDTHS:
        gaps, n_solutions = integer_gaps(targets, real, misfit, width=width)
        if n_solutions >= SHORTLIST:
            break
    return gaps, n_solutions


def _times(matrix: FloatArray, vectors: FloatArray) -> FloatArray:
    """Matrix (n, m) times each row of `vectors` (n_candidates, m)."""
    return ordered_product(vectors, np.ascontiguousarray(matrix.T))


def _complement(direction: FloatArray) -> FloatArray:
    """Orthonormal columns that complete the unit vector `direction`: a Householder reflection."""
    axis = np.zeros_like(direction)
    axis[0] = 1.0
    mirror = direction + axis
    reflection = np.eye(len(direction)) - 2 * np.outer(mirror, mirror) / np.square(mirror).sum()
    return np.asarray(reflection[:, 1:])


def _unit(vectors: FloatArray) -> FloatArray:
    return np.asarray(vectors / np.sqrt(np.square(vectors).sum(axis=1, keepdims=True)))


def _starting_points(targets: PairTargets, rng: np.random.Generator) -> FloatArray:
    """Return starts: half are Gaussian, half have gaps of similar size and random sign."""
    k = len(targets.n_items)
    gaussian = rng.normal(size=(_STARTS // 2, k))
    signs = rng.choice([-1.0, 1.0], size=(_STARTS - _STARTS // 2, k))
    points = np.concatenate([gaussian, signs * rng.uniform(0.7, 1.3, size=signs.shape)])
    if targets.unresolved_without is not None:
        # Dropping a category whose gap has the opposite sign helps to resolve the pair.
        against = ~targets.unresolved_without
        points[:, against] = -np.sign(targets.difference) * np.abs(points[:, against])
    return np.asarray(points * np.sqrt(targets.n_items))


def _descend(
    misfit: Misfit, center: FloatArray, basis: FloatArray, points: FloatArray, steps: int
) -> tuple[FloatArray, FloatArray]:
    """Levenberg-Marquardt from each of `points` on the unit sphere, a fixed number of steps."""

    def evaluate(at: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        value, gradient = misfit.residuals(center + _times(basis, at))
        return value, gradient, 0.5 * np.square(value).sum(axis=1)

    value, gradient, cost = evaluate(points)
    damping = np.full(len(points), 1.0)
    for _ in range(steps):
        slope = np.einsum("smk,kj->smj", gradient, basis)
        normal = np.einsum("smi,smj->sij", slope, slope)
        size = np.maximum(np.trace(normal, axis1=1, axis2=2) / normal.shape[1], 1e-12)
        normal += (damping * size)[:, None, None] * np.eye(normal.shape[1])
        downhill = np.einsum("smj,sm->sj", slope, value)
        step = np.linalg.solve(normal, -downhill[..., None])[..., 0]
        step -= points * (points * step).sum(axis=1, keepdims=True)
        trial = _unit(points + step)
        new_value, new_gradient, new_cost = evaluate(trial)
        better = new_cost < cost
        damping = np.where(better, damping / 4, damping * 4)
        points = np.where(better[:, None], trial, points)
        value = np.where(better[:, None], new_value, value)
        gradient = np.where(better[:, None, None], new_gradient, gradient)
        cost = np.where(better, new_cost, cost)
    return points, cost
