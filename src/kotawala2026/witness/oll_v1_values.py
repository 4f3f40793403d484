"""Every printed quantity of the Open LLM Leaderboard v1, evaluated on a board's verdict table.

`OllV1Values` reads the table of the exhibits, so that a number of the report is the number of the
exhibit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd

from kotawala2026.witness.oll_v1_summaries import PERCENTILES, bucket_mask
from llm_power.board.operating_point import OperatingPoint
from llm_power.board.resolve import BoardVerdicts, resolve_board
from llm_power.errors import InvalidArgument
from llm_power.scores.store import TaskScores
from llm_power.statistics._seeds import named_rng
from llm_power.statistics._typing import FloatArray
from llm_power.statistics.multiplicity import adjust_benjamini_hochberg
from llm_power.statistics.rejection_rates import TESTS, rejection_rates
from llm_power.statistics.required_n_bootstrap import bootstrap_required_n
from llm_power.statistics.rho_sensitivity import (
    RhoSensitivity,
    required_n_at_shifted_rho,
    rho_sensitivity,
)
from replication.constraints import Constraint

_SPREAD: Final = re.compile(
    r"(?P<moment>miller_gain|shortcut_ratio|shortcut_ratio_of_whole_items)"
    r"_(?P<statistic>min|q1|median|q3|max)"
)

# Forty times the paper's 500: with 500, two of the seven close pairs change sides with the seed.
_BOOTSTRAP_RESAMPLES: Final = 20_000


@dataclass(frozen=True)
class OllV1Values:
    """Quantities of the Open LLM Leaderboard v1, evaluated on a board's verdict table.

    Attributes
    ----------
    board : BoardVerdicts
        All pairs of all tasks.
    seed : int
        Of the bootstrap of N*.

    Notes
    -----
    Call it with a constraint. Quantities of a pair are read in the subject's order of models.
    """

    board: BoardVerdicts
    seed: int = 0

    @classmethod
    def of(
        cls, tasks: Sequence[TaskScores], *, point: OperatingPoint | None = None, seed: int = 0
    ) -> OllV1Values:
        """Resolve all pairs of `tasks` and evaluate on them."""
        return cls(resolve_board(tasks, family="all", point=point or OperatingPoint()), seed)

    def __call__(self, c: Constraint) -> float:
        """Return the value of a constraint's quantity.

        Raises
        ------
        InvalidArgument
            If the quantity is unknown, or its subject is not on the board.
        """
        if c.quantity in _OF_BOARD:
            return float(_OF_BOARD[c.quantity](self))
        if c.quantity in _OF_BUCKET:
            return float(_OF_BUCKET[c.quantity](self, bucket_mask(c.subject[0], self._delta)))
        if match := _SPREAD.fullmatch(c.quantity):
            values = _MOMENTS[match["moment"]](self)
            return float(np.percentile(values, PERCENTILES[match["statistic"]]))
        if c.quantity == "board_score":
            return 100 * self._accuracy(*c.subject)
        if c.quantity in _OF_PAIR:
            return self._of_pair(c)
        raise InvalidArgument(f"no quantity of the panel oll_v1 is named {c.quantity!r}")

    @property
    def verdicts(self) -> pd.DataFrame:
        """The verdict table."""
        return self.board.verdicts

    @cached_property
    def _columns(self) -> Mapping[str, FloatArray]:
        names = ["n_items", "p_a", "p_b", "delta", "rho", "n_star", "n_h", "n_miller"]
        return {name: self.verdicts[name].to_numpy(np.float64) for name in names}

    @property
    def _delta(self) -> FloatArray:
        return self._columns["delta"]

    @property
    def _r(self) -> FloatArray:
        return np.asarray(self._columns["n_star"] / self._columns["n_items"])

    def _accuracy(self, task: str, model: str) -> float:
        table = self.verdicts[self.verdicts["task"] == task]
        for side in ("a", "b"):
            rows = table[table[f"model_{side}"] == model]
            if len(rows):
                return float(rows[f"p_{side}"].iloc[0])
        raise InvalidArgument(f"{model!r} is not on the board of {task!r}")

    def _of_pair(self, c: Constraint) -> float:
        task, model_a, model_b = c.subject
        table = self.verdicts[self.verdicts["task"] == task]
        for first, second, swapped in ((model_a, model_b, False), (model_b, model_a, True)):
            rows = table[(table["model_a"] == first) & (table["model_b"] == second)]
            if len(rows):
                name = _SWAPPED.get(c.quantity, c.quantity) if swapped else c.quantity
                return float(_OF_PAIR[c.quantity](rows.iloc[0], name))
        raise InvalidArgument(f"no pair of the board is {', '.join(c.subject)}")

    def _unresolved(self, column: str) -> FloatArray:
        """1 where a procedure leaves the pair unresolved."""
        source = self.verdicts if column in self.verdicts else self.board.multiplicity
        return 1.0 - source[column].to_numpy(np.float64)

    @cached_property
    def _shifted_rho(self) -> RhoSensitivity:
        columns = (self._columns[name] for name in ("p_a", "p_b", "rho", "n_items"))
        point = self.board.point
        return rho_sensitivity(*columns, alpha=point.alpha, power=point.power)

    def _retracted_above_5pp(self) -> float:
        p = self.verdicts["p_chi2"].to_numpy(np.float64)
        alpha = self.board.point.alpha
        retracted = (p <= alpha) & (adjust_benjamini_hochberg(p) > alpha)
        return float(np.sum(retracted & (np.abs(self._delta) > 0.05)))

    def _robustly_unresolved(self) -> float:
        close = self.verdicts[np.abs(self._delta) <= 0.02]
        cells = (close[name].to_numpy(np.int64) for name in ("n11", "b", "c", "n00"))
        point = self.board.point
        result = bootstrap_required_n(
            *cells,
            n_resamples=_BOOTSTRAP_RESAMPLES,
            alpha=point.alpha,
            power=point.power,
            rng=named_rng(self.seed, "witness/n_star_bootstrap"),
        )
        return float(np.sum(result.low > close["n_items"].to_numpy(np.float64)))


def _gain(v: OllV1Values) -> FloatArray:
    return np.asarray(v._columns["n_miller"] / v._columns["n_star"])


def _gain_residual(v: OllV1Values) -> FloatArray:
    """Empirical gain minus the textbook 1/(1 - rho) of Figure 1."""
    return _gain(v) - 1 / (1 - v._columns["rho"])


def _ratio(v: OllV1Values) -> FloatArray:
    return v._columns["n_h"] / v._columns["n_star"]


def _ratio_of_whole_items(v: OllV1Values) -> FloatArray:
    return np.asarray(np.ceil(v._columns["n_h"]) / np.ceil(v._columns["n_star"]))


def _r_at(row: Any, step: float) -> float:
    """Ratio r = N*/N with the correlation moved by `step`, kept admissible (Section 6.2)."""
    n_star = required_n_at_shifted_rho(row["p_a"], row["p_b"], row["rho"], step)
    return float(n_star / row["n_items"])


def _power_at(row: Any, share: float) -> float:
    """Exact power of McNemar's test at a share of the required items, rounded up."""
    n = math.ceil(row["n_star"])
    items = round(share * n)
    rates = rejection_rates(
        float(row["b"] / row["n_items"]),
        float(row["c"] / row["n_items"]),
        items,
        n_trials=1,
        rng=named_rng(0, "witness/exact_power"),
    )
    return float(rates.exact[TESTS.index("mcnemar_chi2")])


_MOMENTS: Final[Mapping[str, Callable[[OllV1Values], FloatArray]]] = {
    "miller_gain": _gain,
    "shortcut_ratio": _ratio,
    "shortcut_ratio_of_whole_items": _ratio_of_whole_items,
}
_OF_BOARD: Final[Mapping[str, Callable[[OllV1Values], float]]] = {
    "miller_residual_mean": lambda v: float(_gain_residual(v).mean()),
    "miller_residual_max": lambda v: float(np.abs(_gain_residual(v)).max()),
    "shortcut_ratio_close_pairs_deviation": lambda v: float(
        np.abs(_ratio(v) - 0.5)[np.abs(v._delta) <= 0.02].max()
    ),
    "pairs_within_5pp": lambda v: float(np.sum(np.abs(v._delta) <= 0.05)),
    "unresolved_fixed": lambda v: float(v._unresolved("resolved").sum()),
    "unresolved_bonferroni": lambda v: float(v._unresolved("resolved_bonferroni").sum()),
    "unresolved_anytime": lambda v: float(v._unresolved("resolved_anytime").sum()),
    "n_close_pairs_robustly_unresolved": OllV1Values._robustly_unresolved,
    "rho_sensitivity_fewest": lambda v: float(v._shifted_rho.upper.sum()),
    "rho_sensitivity_most": lambda v: float(v._shifted_rho.lower.sum()),
    "rho_sensitivity_flips": lambda v: float(v._shifted_rho.flips.sum()),
    "rho_sensitivity_largest_gap_pp": lambda v: float(
        (100 * np.abs(v._delta) * v._shifted_rho.flips).max()
    ),
    "bh_retracted_above_5pp": OllV1Values._retracted_above_5pp,
}
_OF_BUCKET: Final[Mapping[str, Callable[[OllV1Values, Any], float]]] = {
    "pairs_in_bucket": lambda v, mask: float(mask.sum()),
    "unresolved_in_bucket": lambda v, mask: float(v._unresolved("resolved")[mask].sum()),
    "unresolved_share_in_bucket": lambda v, mask: float(v._unresolved("resolved")[mask].mean()),
    "bonferroni_unresolved_in_bucket": lambda v, mask: float(
        v._unresolved("resolved_bonferroni")[mask].sum()
    ),
    "r_median": lambda v, mask: float(np.median(v._r[mask])),
    "r_worst": lambda v, mask: float(v._r[mask].max()),
}
_SWAPPED: Final = {"b": "c", "c": "b", "p_a": "p_b", "p_b": "p_a"}
_OF_PAIR: Final[Mapping[str, Callable[[Any, str], float]]] = {
    **dict.fromkeys(
        ("n_items", "b", "c", "p_a", "p_b", "rho", "n_star", "p_chi2", "p_exact", "p_midp"),
        lambda row, name: float(row[name]),
    ),
    "gap": lambda row, _: abs(float(row["delta"])),
    "gap_pp": lambda row, _: 100 * abs(float(row["delta"])),
    "r_at_rho_plus_010": lambda row, _: _r_at(row, 0.1),
    "power_at_080": lambda row, _: _power_at(row, 0.8),
    "power_at_100": lambda row, _: _power_at(row, 1.0),
    "power_at_120": lambda row, _: _power_at(row, 1.2),
}
