r"""The gap on the average of several tasks: test, equivalence and interval, stratified by task.

Tasks are strata: their items are sampled apart, and the weights :math:`w_t` are given. The average
gap :math:`\hat\Delta = \sum_t w_t \hat\delta_t` is held against a hypothesis :math:`\Delta_0` by

.. math:: T(\Delta_0) = \frac{\hat\Delta - \Delta_0}{\sqrt{\sum_t w_t^2 V_t(\delta_{t0})}}.

For 0/1 scores :math:`V_t` is the variance that Tango's score test fits to the task's own gap under
the hypothesis. That fixes only the sum: the likeliest gaps, found by a few refits, have
:math:`\delta_{t0} - \hat\delta_t \propto w_t V_t(\delta_{t0})`. So a task may have a gap of its own
where the average has none. For graded scores, and where clusters are the sample, :math:`V_t` is
that of the task's t test. T has the degrees of freedom of Welch and Satterthwaite: of a task of 0/1
scores twice its discordant items, for the variance of a Poisson number is its mean.

References
----------
Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B; Welch (1947),
doi:10.1093/biomet/34.1-2.28.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from llm_power._statistics.argument_checks import finite, pair_counts, positive
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, ratio
from llm_power._statistics.intervals import PairedDifferenceInterval, score_variance

# Further ones change no coverage.
_REFITS = 4
# A variance of none gives way a little.
_LEAST = 1e-12
# Steps to a limit, and the last of them.
_STEPS, _NEAR = 100, 1e-12


@dataclass(frozen=True, slots=True)
class TaskGap:
    """Gap of each pair on one task."""

    #: Gap in score units; shape (n_pairs,).
    delta: FloatArray
    #: From hypothesized gaps to the variance of the gap that is fitted under them; infinite where
    #: nothing shows how items vary.
    variance: Callable[[FloatArray], FloatArray]
    #: The same about the observed gap, and positive: how readily the task's gap gives way at first;
    #: shape (n_pairs,).
    flexibility: FloatArray
    #: Degrees of freedom; shape (n_pairs,).
    df: FloatArray

    def unknown_where(self, none: BoolArray) -> TaskGap:
        """Take the gap for one of which nothing is known, where two models share no item."""
        if not none.any():
            return self
        return TaskGap(
            self.delta,
            lambda gap: np.where(none, np.inf, self.variance(gap)),
            np.where(none, 1.0, self.flexibility),
            np.where(none, 1.0, self.df),
        )


def binary_gap(b: ArrayLike, c: ArrayLike, n_items: ArrayLike) -> TaskGap:
    """Gap of pairs of 0/1 scored models, with the variance of Tango's score test."""
    first, second, n = (np.atleast_1d(x) for x in pair_counts(b, c, n_items))
    delta = (first - second) / n
    return TaskGap(
        delta,
        lambda gap: score_variance(first, second, n, np.clip(gap, -1.0, 1.0)) / n,
        # A task without a discordant item gives way too.
        (first + second + 1) / (n + 2) / n,
        np.maximum(2.0 * (first + second), 1.0),
    )


def mean_gap(delta: ArrayLike, standard_error: ArrayLike, df: ArrayLike) -> TaskGap:
    """Gap of pairs by a t statistic: of graded scores, or of clusters.

    An infinite or missing standard error says that nothing shows how items or clusters vary.
    Shapes: `delta`, `standard_error`, `df` (n_pairs,).
    """
    error = np.atleast_1d(np.asarray(standard_error, dtype=np.float64))
    known = np.isfinite(error) & (np.asarray(df) > 0)
    square = np.where(known, np.square(np.where(known, error, 0.0)), np.inf)
    gap, square, freedom = np.broadcast_arrays(
        finite("delta", delta), square, np.where(known, df, 1.0)
    )
    return TaskGap(gap, lambda _: square, np.where(square < np.inf, square, 1.0), freedom)


def share_solved(solved: ArrayLike, n_items: ArrayLike) -> TaskGap:
    """Share of items that each model solves; of one task, its interval is Wilson's."""
    k, n = (np.asarray(x, dtype=np.float64) for x in (solved, n_items))

    def variance(share: FloatArray) -> FloatArray:
        inside = np.clip(share, 0.0, 1.0)
        return inside * (1 - inside) / n

    more = (k + 1) / (n + 2)
    return TaskGap(k / n, variance, more * (1 - more) / n, np.full(k.shape, np.inf))


@dataclass(frozen=True, slots=True)
class AverageGap:
    """Weighted mean of the gaps of several tasks."""

    #: Positive weights, of sum 1, and the gaps of the same pairs.
    parts: Sequence[tuple[float, TaskGap]]

    @property
    def delta(self) -> FloatArray:
        """Average gap in score units."""
        return np.asarray(np.sum([w * task.delta for w, task in self.parts], axis=0))

    @property
    def standard_error(self) -> FloatArray:
        """Its standard error at the observed gaps; infinite where nothing shows how items vary.

        Where others vary, a task of 0/1 scores without a discordant item has the variance of one
        among two more.
        """
        variances = self._variances()
        some = np.sum(variances, axis=0) > 0
        shown = [
            np.where(some & (variance == 0), w * w * task.flexibility, variance)
            for variance, (w, task) in zip(variances, self.parts, strict=True)
        ]
        return np.asarray(np.sqrt(np.sum(shown, axis=0)))

    def p_different(self) -> FloatArray:
        """Return the two-sided p-value of no average gap."""
        return np.asarray(2 * stdtr(self.df, -np.abs(self._statistic(0.0))))

    def p_within(self, margin: float) -> FloatArray:
        """Return the larger one-sided p-value of an average gap as large as the margin."""
        bound = float(positive("margin", margin))
        nearer = np.minimum(-self._statistic(bound), self._statistic(-bound))
        return np.asarray(stdtr(self.df, -nearer))

    def interval(self, level: float) -> PairedDifferenceInterval:
        """Return all average gaps that the test does not reject."""
        critical = np.asarray(-stdtrit(self.df, level / 2), dtype=np.float64)
        low, high = (self._limit(critical, side) for side in (-1, 1))
        return PairedDifferenceInterval(self.delta, low, high, level)

    def _limit(self, critical: FloatArray, side: int) -> FloatArray:
        """Farthest gap on one side that is not rejected, by fixed points inside a bracket."""
        inner, error = self.delta, self.standard_error
        varies = np.isfinite(error)
        # No gap of 0/1 scores is beyond 1; that of a t statistic is as far as its error goes.
        outer = inner + side * (2.0 + critical * np.where(varies, error, 0.0))
        # Positive also where no item is discordant, and the standard error at the gap is none.
        give = np.sum([w * w * task.flexibility for w, task in self.parts], axis=0)
        gap = inner + side * critical * np.sqrt(give)
        for _ in range(_STEPS):
            reach = self.delta + side * critical * np.where(varies, self._error(gap), 0.0)
            held = side * (reach - gap) >= 0
            inner, outer = np.where(held, gap, inner), np.where(held, outer, gap)
            inside = side * (reach - inner) * side * (outer - reach) > 0
            moved = np.where(inside, reach, np.where(reach == gap, gap, (inner + outer) / 2))
            if np.all(np.abs(moved - gap) <= _NEAR):
                break
            gap = moved
        return np.where(varies, gap, side * np.inf)

    def _statistic(self, gap: float | FloatArray) -> FloatArray:
        moved = gap - self.delta
        error = self._error(gap)
        certain = np.where(moved < 0, np.inf, np.where(moved > 0, -np.inf, 0.0))
        return np.asarray(np.divide(-moved, error, out=certain, where=error > 0))

    def _error(self, gap: float | FloatArray) -> FloatArray:
        """Return the standard error under the hypothesis of a gap."""
        fitted = self._fitted(gap, [task.flexibility for _, task in self.parts])
        for _ in range(_REFITS):
            variances = [task.variance(x) for x, (_, task) in zip(fitted, self.parts, strict=True)]
            fitted = self._fitted(gap, [np.clip(x, _LEAST, 1.0) for x in variances])
        return np.asarray(np.sqrt(np.sum(self._variances(fitted), axis=0)))

    def _fitted(self, gap: float | FloatArray, give: Sequence[FloatArray]) -> list[FloatArray]:
        """Return the gaps of the tasks under a hypothesis if these give way so readily."""
        moved = gap - self.delta
        parts = [(w * x, w, task.delta) for x, (w, task) in zip(give, self.parts, strict=True)]
        total = np.sum([w * x for x, w, _ in parts], axis=0)
        return [delta + moved * x / total for x, _, delta in parts]

    def _variances(self, gaps: Sequence[FloatArray] | None = None) -> list[FloatArray]:
        at = [task.delta for _, task in self.parts] if gaps is None else gaps
        return [w * w * task.variance(gap) for (w, task), gap in zip(self.parts, at, strict=True)]

    @property
    def df(self) -> FloatArray:
        """Degrees of freedom of Welch and Satterthwaite."""
        observed = np.stack(self._variances())
        share = np.where(np.isfinite(observed).all(axis=0), observed, 1.0)
        total = np.square(share.sum(axis=0))
        per_df = np.sum(
            [np.square(x) / t.df for x, (_, t) in zip(share, self.parts, strict=True)], 0
        )
        return ratio(total, per_df, np.inf, where=per_df > 0)


def average_gap(tasks: Sequence[TaskGap], weights: Iterable[float]) -> AverageGap:
    """Average the gaps of several tasks by weights of shape (n_tasks,) and sum 1.

    With two to six tasks of 20 to 5,000 items, discordances of .01 to .5 and gaps of either sign,
    such as plus and minus .045 in two tasks of 200 items at a discordance of .05, the interval of a
    nominal .95 covers .945 or more and the type I error of a nominal .05 is at most .055 (20,000
    simulations each, standard error .0015). With few discordant items it covers more, up to .99.
    """
    return AverageGap([(float(w), t) for w, t in zip(weights, tasks, strict=True) if w > 0])
