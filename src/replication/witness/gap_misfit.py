r"""The objective that fits one pair's gap :math:`d_k = b_k - c_k` in each cluster k.

Given b and c of the pair, Table 4 depends on the gaps through one number,
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
        for value, reach, aim in self._bootstrapped(icc):
            gradient = self._slopes(gaps, value, reach * by_q, reach * by_d, aim)
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
            reach = np.where(icc > 0, self.boot.mean_size - 1, 0.0)
            yield 1 + reach * icc, reach, aim

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
        reach = np.where(icc > 0, sets.mean_size - 1, 0.0)
        effect = 1 + reach * icc
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
        direct = (reach * by_d / effect + by_gap)[..., None] * sets.weights.T
        through_q = (reach * by_q / effect)[..., None] * sets.weights.T
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
