"""What the items that two models share say of them: counts of 0/1 scores, moments of graded ones.

Both kinds have the same methods, so that no caller asks which kind it has.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, Final

import numpy as np

from llm_power._board.operating_point import OperatingPoint
from llm_power._choices import McNemarTest
from llm_power._statistics.anytime_horizon import anytime_horizon
from llm_power._statistics.arrays import FloatArray, IntArray, by_counts, ratio
from llm_power._statistics.average_gap import TaskGap, binary_gap, mean_gap
from llm_power._statistics.e_process import UNIFORM_98, log_e_value
from llm_power._statistics.inversion import (
    minimum_detectable_effect,
    required_n,
    resolution_ratio,
)
from llm_power._statistics.mcnemar import (
    P_VALUES,
    connor_required_n,
    continuity_corrected,
    log_mcnemar_exact,
    mcnemar_asymptotic,
    mcnemar_continuity_corrected,
    mcnemar_exact,
    mcnemar_mid_p,
)
from llm_power._statistics.paired_binary import (
    miller_unpaired_required_n,
    observed_difference_variance,
    shortcut_required_n,
    summarize_counts,
)
from llm_power._statistics.t_test import t_test_p_value
from llm_power._statistics.verdict import Verdicts, binary_verdicts, mean_p, mean_verdicts
from llm_power._statistics.verdict_stability import chance_of_turning, exact_chance_of_turning

Columns = dict[str, np.ndarray]
_SUMMARY: Final = ("p_a", "p_b", "delta", "rho", "var_d", "n_star", "q", "mde", "resolved")


@dataclass(frozen=True, slots=True)
class PairCells:
    """The 2 x 2 table of each pair, (n_pairs,) or (n_clusters, n_pairs)."""

    n11: IntArray
    b: IntArray
    c: IntArray
    n00: IntArray

    @property
    def n_items(self) -> IntArray:
        """Return the number of items that both models were scored on."""
        return self.n11 + self.b + self.c + self.n00

    @property
    def n_differing(self) -> IntArray:
        """Return the number of these on which their scores differ."""
        return self.b + self.c

    @property
    def sum_a(self) -> IntArray:
        """Return the sums of A's scores."""
        return self.n11 + self.b

    @property
    def sum_b(self) -> IntArray:
        """Return the sums of B's scores."""
        return self.n11 + self.c

    @property
    def standard_error(self) -> FloatArray:
        """Return the standard error of the gap."""
        n = self.n_items
        return np.sqrt(observed_difference_variance(self.b, self.c, n) / n)

    @property
    def gap(self) -> TaskGap:
        """Return the gap as a part of an average over tasks."""
        return binary_gap(self.b, self.c, self.n_items)

    def with_an_item(self) -> PairCells:
        """Give pairs that share no item one that both failed."""
        return replace(self, n00=np.where(self.n_items == 0, 1, self.n00))

    def unadjusted_p(self) -> FloatArray:
        """Return the p-values of the exact McNemar test."""
        return mcnemar_exact(self.b, self.c)

    def p_values(self, test: McNemarTest, unadjusted: FloatArray | None = None) -> FloatArray:
        """Return the p-values of the declared test; `unadjusted` are `unadjusted_p` if known."""
        if test == "exact" and unadjusted is not None:
            return unadjusted
        return P_VALUES[test](self.b, self.c)

    def verdicts(self, test: McNemarTest, **settings: Any) -> Verdicts:
        """Return the verdicts by the declared test."""
        return binary_verdicts(self.b, self.c, self.n_items, test=test, **settings)

    def chance_of_turning(self, verdicts: Verdicts, test: np.ndarray, level: float) -> FloatArray:
        """Return the chance that a new sample turns each verdict, by the test that it is of."""
        sign, n = verdicts.direction, self.n_items
        exact = exact_chance_of_turning(self.b, self.c, sign, level=level, n_items=n)
        return np.where(test == "exact", exact, chance_of_turning(verdicts.p, sign, level=level))

    def mean_square(self, _delta: FloatArray) -> FloatArray:
        """Return the mean square of an item's difference."""
        return self.n_differing / self.n_items

    def core_columns(self, point: OperatingPoint, unadjusted: FloatArray) -> Columns:
        """Return the resolution columns that boards of millions of pairs have."""
        b, c = self.b, self.c
        summary = summarize_counts(self.n11, b, c, self.n00, alpha=point.alpha, power=point.power)
        return {
            **{name: getattr(summary, name) for name in _SUMMARY},
            "p_chi2": mcnemar_asymptotic(b, c),
            "p_exact": unadjusted,
            "log_p_exact": log_mcnemar_exact(b, c, known_p=unadjusted),
        }

    def resolution_columns(self, point: OperatingPoint) -> Columns:
        """Return all resolution columns."""
        core = self.core_columns(point, self.unadjusted_p())
        p_a, p_b, rho = core["p_a"], core["p_b"], core["rho"]
        return {
            **core,
            "n_h": shortcut_required_n(p_a, p_b, rho, alpha=point.alpha, power=point.power),
            "n_miller": miller_unpaired_required_n(p_a, p_b, alpha=point.alpha, power=point.power),
            "p_midp": mcnemar_mid_p(self.b, self.c),
            "p_cc": mcnemar_continuity_corrected(self.b, self.c),
        }

    def required_columns(self, point: OperatingPoint) -> Columns:
        """Return the required items of McNemar's test itself."""
        b, c = self.b / self.n_items, self.c / self.n_items
        connor = connor_required_n(b, c, alpha=point.alpha, power=point.power)
        exact = continuity_corrected(connor, (self.b - self.c) / self.n_items)
        return {"n_connor": connor, "n_exact": exact}

    def monitored_columns(self, point: OperatingPoint) -> Columns:
        """Return what continuous monitoring takes."""
        horizon = anytime_horizon(
            self.b, self.c, self.n_items, alpha=point.alpha, power=point.power
        )
        return {
            "n_star_monitored": horizon.n_star_anytime,
            "items_monitored": horizon.expected_items,
            "items_monitored_90": horizon.stopping_90,
        }

    def counts(self) -> Columns:
        """Return the columns of counts, which only 0/1 scores have."""
        return {each.name: getattr(self, each.name).astype(np.int32) for each in fields(self)}

    def monitoring(self, alpha: float) -> Columns:
        """Return the columns of monitoring as in the paper, which only 0/1 scores have."""
        log_e = by_counts(partial(log_e_value, mixture=UNIFORM_98), self.b, self.c)
        return {"log_e": log_e, "crossed": log_e >= -np.log(alpha)}


@dataclass(frozen=True)
class DifferenceMoments:
    """Moments of both scores and their paired difference over shared items, (n_pairs,)."""

    n_items: IntArray
    sum_a: FloatArray
    sum_b: FloatArray
    sum_d: FloatArray
    # Sums of squared deviations from the mean.
    ss_a: FloatArray
    ss_b: FloatArray
    ss_d: FloatArray
    n_differing: IntArray
    skew_d: FloatArray

    def of(self, some: slice) -> DifferenceMoments:
        """Return the moments of some pairs."""
        return DifferenceMoments(*(getattr(self, each.name)[some] for each in fields(self)))

    @property
    def standard_error(self) -> FloatArray:
        """Return the standard error of the gap, infinite for equal differences."""
        n, squares = self.n_items.astype(np.float64), self.ss_d
        varies = (n > 1) & (squares > 0)
        error = np.sqrt(squares / np.maximum(n - 1, 1) / n)
        return np.where(varies, error, np.inf)

    @property
    def gap(self) -> TaskGap:
        """Return the gap as a part of an average over tasks."""
        return mean_gap(*self._law)

    @property
    def _law(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return gap, standard error and degrees of freedom."""
        delta = self.sum_d / self.n_items
        return delta, self.standard_error, self.n_differing.astype(np.float64) - 1

    def with_an_item(self) -> DifferenceMoments:
        """Give pairs that share no item one on which both score 0."""
        return replace(self, n_items=np.where(self.n_items == 0, 1, self.n_items))

    def unadjusted_p(self) -> FloatArray:
        """Return the p-values of the paired t test."""
        return t_test_p_value(self.sum_d / self.n_items, self.ss_d, self.n_items)

    def p_values(self, _test: McNemarTest, _unadjusted: FloatArray | None = None) -> FloatArray:
        """Return the p-values of Student's test and Hall's."""
        return self._p

    @cached_property
    def _p(self) -> FloatArray:
        return mean_p(*self._law, self.skew_d, self.n_items.astype(np.float64) - 1)

    def verdicts(self, _test: McNemarTest, **settings: Any) -> Verdicts:
        """Return the verdicts by Student's test and Hall's."""
        n = self.n_items.astype(np.float64)
        return mean_verdicts(*self._law, n, skew=self.skew_d, hall_df=n - 1, **settings)

    def chance_of_turning(self, verdicts: Verdicts, _test: np.ndarray, level: float) -> FloatArray:
        """Return the chance that a new sample turns each verdict."""
        return chance_of_turning(verdicts.p, verdicts.direction, level=level)

    def mean_square(self, delta: FloatArray) -> FloatArray:
        """Return the mean square of an item's difference about a gap of the verdict."""
        return self.ss_d / self.n_items + np.square(delta)

    def core_columns(self, point: OperatingPoint, _unadjusted: object = None) -> Columns:
        """Return the resolution columns that boards of millions of pairs have."""
        n = self.n_items.astype(np.float64)
        var_a, var_b, var_d = self.ss_a / n, self.ss_b / n, self.ss_d / n
        delta = self.sum_d / n
        at = {"alpha": point.alpha, "power": point.power}
        n_star = required_n(delta, np.sqrt(var_d), **at)
        q = resolution_ratio(n, n_star)
        return {
            "p_a": self.sum_a / n,
            "p_b": self.sum_b / n,
            "delta": delta,
            "rho": ratio((var_a + var_b - var_d) / 2, np.sqrt(var_a * var_b)),
            "var_d": var_d,
            "n_star": n_star,
            "q": q,
            "mde": minimum_detectable_effect(n, np.sqrt(var_d), **at),
            "resolved": q >= 1,
            **dict.fromkeys(("p_chi2", "p_exact", "log_p_exact"), np.full(n.shape, np.nan)),
        }

    def resolution_columns(self, point: OperatingPoint) -> Columns:
        """Return all resolution columns."""
        core = self.core_columns(point)
        # The covariance set to zero, as for binary scores.
        apart = np.sqrt((self.ss_a + self.ss_b) / self.n_items)
        unpaired = required_n(core["delta"], apart, alpha=point.alpha, power=point.power)
        undefined = np.full(unpaired.shape, np.nan)
        return {
            **core,
            "n_h": undefined,
            "n_miller": unpaired,
            "p_midp": undefined,
            "p_cc": undefined,
        }

    def required_columns(self, _point: OperatingPoint) -> Columns:
        """Return no columns: McNemar's test is of 0/1 scores."""
        return {}

    def monitored_columns(self, _point: OperatingPoint) -> Columns:
        """Return no columns: the e-process is of discordant items."""
        return {}

    def counts(self) -> Columns:
        """Return no columns: scores of several values have no counts."""
        return {}

    def monitoring(self, _alpha: float) -> Columns:
        """Return no columns: the e-process is of discordant items."""
        return {}


PairItems = PairCells | DifferenceMoments
