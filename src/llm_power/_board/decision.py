"""The verdict on every pair: different, equivalent or undetermined, and what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from llm_power._board.evidence import PairTests
from llm_power._board.operating_point import OperatingPoint
from llm_power._board.resolution import PAIR_KEY, without_strangers
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.inversion import resolution_ratio
from llm_power._statistics.mcnemar import normal_design_errors
from llm_power._statistics.multiplicity import FamilyTest
from llm_power._statistics.verdict import Verdicts
from llm_power._statistics.verdict_stability import required_n_interval

# Of each column what it says.
DECISION_COLUMNS: Final[Mapping[str, str]] = {
    "verdict": "different, equivalent or undetermined: what to act on",
    "direction": "1 where the better ranked model is different and leads, -1 where the other "
    "does, else 0",
    "test": "test that decides: exact, mid_p or asymptotic (McNemar), student, cluster or "
    "another of the clusters, weighted (missing scores), stratified (an average)",
    "p_single": "p-value of the declared test, for a pair named beforehand",
    "p_family": "p-value that decides, adjusted for the pairs of the family by max-T, or "
    "as --family says; p_single of a pair by itself",
    "family_size": "pairs of the family: those compared, of all models and tasks",
    "close_call": "whether p_single lies within the Monte Carlo error of the level that "
    "decides, so that other draws could give another verdict",
    "gap": "gap of the verdict: delta, or the weighted gap with --missing weighted",
    "gap_low": "lower end of the simultaneous interval of the gap, for all pairs of the "
    "family (with --family fdr at the level of false coverage): it holds 0 exactly if the pair "
    "is not different. Tango's score interval adapted to the declared test, the hull of "
    "Student's and Hall's for graded scores; if clusters are the sample, the hull of this "
    "interval and the cluster-robust one",
    "gap_high": "upper end of that interval",
    "gap_low_single": "lower end of the interval of a pair named beforehand",
    "gap_high_single": "upper end of that interval",
    "attainable": "whether any outcome on this many discordant items can be different",
    "p_equivalence": "larger p-value of two one-sided tests against the declared margin",
    "within_margin": "whether these tests reject, so that the interval lies within the margin",
    "items_needed": "items at hand and more_items_needed",
    "more_items_needed": "further items after which all items of the pair decide it with a "
    "chance of the target power, averaged over the uncertainty of the gap; 0 if it is "
    "decided, inf if a thousand times the items at hand do not give that chance",
    "items_even": "items of a new run that decides the pair, in the direction of its gap, with "
    "a chance of one half, given the gap and how large the gaps of all models are",
    "items_assured": "the same with a chance of the target power; inf if a thousand times the "
    "items at hand do not give it",
    "smallest_gap": "approximate detectable gap of the items at hand at the target power and the "
    "level that decides, by the normal or t law, with normal effects of clusters that are a "
    "sample; if 0/1 scores differ on fewer than 20 items it can be a quarter above the exact one "
    "of pair and plan, or be there where these detect no gap; inf if scores have no gap as large",
    "decided_as": "verdict of these items",
    "chance_of_turning": "chance that a new sample of the same size changes the verdict; about "
    "one half at the level itself",
    "n_star_low": "N* at the end of the single pair's interval that is farther from zero",
    "n_star_high": "N* at the other end; inf if the interval holds zero",
    "q_low": "q at n_star_high",
    "q_high": "q at n_star_low",
    "n_connor": "required items of the asymptotic test with its two variances (Connor): within "
    "3 per cent, also of the mid-p test, where the smaller of b and c is at least half of the "
    "larger, else at level .05 and power .8 up to 43 (mid-p: 17) per cent too many",
    "n_exact": "required items of the exact test by the continuity correction: within 3 per cent "
    "where n_connor is, else at level .05 and power .8 up to 24 per cent too many",
    "type_s": "chance that a significant gap has the wrong sign, if the observed one were true",
    "type_m": "mean factor by which a significant gap then exaggerates",
    "gap_lowest": "smallest gap over all items that the missing scores admit",
    "gap_highest": "largest such gap",
    "n_star_monitored": "with --monitored: items that give continuous monitoring the target "
    "power, by the Beta(4, 4) mixture",
    "items_monitored": "mean number of items at its end",
    "items_monitored_90": "items by which nine of ten runs have crossed",
}
ESTIMATES: Final = (
    *("gap", "gap_low", "gap_high", "gap_low_single", "gap_high_single"),
    *("items_needed", "more_items_needed", "items_even", "items_assured", "smallest_gap"),
    *("chance_of_turning", "n_star_low", "n_star_high"),
    *("q_low", "q_high", "n_connor", "n_exact", "type_s", "type_m"),
    *("n_star_monitored", "items_monitored", "items_monitored_90"),
)


def decide_pairs(
    pairs: pd.DataFrame,
    tests: PairTests,
    task: TaskScores,
    point: OperatingPoint,
    *,
    family: FamilyTest,
) -> pd.DataFrame:
    """Return the verdict on pairs of a task within a family, whose values are in their order.

    Every pair has an item.
    """
    items, judged = tests.items, tests.judged(point, family)
    verdicts, n = judged.verdicts, items.n_items
    # Of the pair as if it were named beforehand.
    single = tests.judged(point, plan="none").verdicts
    columns = all_verdict_columns(verdicts, single, n, family, task.largest_gap)
    turning = items.chance_of_turning(verdicts, judged.test, judged.level)
    columns |= {"test": judged.test, "chance_of_turning": turning}
    mean_square = items.mean_square(single.interval.delta)
    columns |= size_columns(single, judged.error, n, mean_square, point)
    columns |= items.required_columns(point) | _bounds(pairs, task)
    if tests.declared.monitored:
        columns |= items.monitored_columns(point)
    # What is not asked for, or not of these scores, is null.
    decided = pd.DataFrame(columns, index=pairs.index).reindex(columns=[*DECISION_COLUMNS])
    return without_strangers(pd.concat([pairs[PAIR_KEY], decided], axis=1), pairs, ESTIMATES)


def verdict_columns(
    verdicts: Verdicts, n_items: IntArray, family: FamilyTest, largest_gap: float
) -> dict[str, Any]:
    """Return the columns of a verdict table that a verdict in a family fills by itself."""
    return {
        "verdict": verdicts.verdict.astype(object),
        "direction": verdicts.direction,
        "test": verdicts.test,
        "p_single": verdicts.p,
        "p_family": verdicts.p_family,
        "family_size": np.full(verdicts.p.shape, family.size),
        "close_call": family.close_calls(verdicts.p),
        "gap": verdicts.interval.delta,
        **_interval_columns(verdicts, largest_gap),
        "attainable": pd.array(verdicts.attainable, dtype="boolean"),
        "p_equivalence": verdicts.p_equivalence,
        "within_margin": verdicts.within_margin,
        "items_needed": n_items + verdicts.further_items,
        "more_items_needed": verdicts.further_items,
        "decided_as": verdicts.decided_as.astype(object),
    }


def all_verdict_columns(
    verdicts: Verdicts,
    single: Verdicts,
    n_items: IntArray,
    family: FamilyTest,
    largest_gap: float,
) -> dict[str, Any]:
    """Return `verdict_columns`, the items of a new run, and each pair's interval by itself."""
    return verdict_columns(verdicts, n_items, family, largest_gap) | {
        "items_even": verdicts.even_items,
        "items_assured": verdicts.assured_items,
        "smallest_gap": np.where(
            verdicts.smallest_gap <= largest_gap, verdicts.smallest_gap, np.inf
        ),
        **_interval_columns(single, largest_gap, "_single"),
    }


def _interval_columns(
    verdicts: Verdicts, largest_gap: float, of: str = ""
) -> dict[str, FloatArray]:
    """Return the ends of the gaps' intervals, none beyond what scores can differ by."""
    ends = {f"gap_low{of}": verdicts.interval.low, f"gap_high{of}": verdicts.interval.high}
    return {name: np.clip(end, -largest_gap, largest_gap) for name, end in ends.items()}


def size_columns(
    verdicts: Verdicts,
    error: FloatArray,
    n_items: IntArray,
    mean_square: FloatArray,
    point: OperatingPoint,
) -> dict[str, Any]:
    """Return N* and q as intervals, and errors of a significant gap's size."""
    at = {"alpha": point.alpha, "power": point.power}
    delta = verdicts.interval.delta
    low, high = required_n_interval(
        verdicts.interval.low, verdicts.interval.high, mean_square, **at
    )
    known = (delta != 0) & np.isfinite(error) & (error > 0)
    errors = normal_design_errors(
        np.where(known, delta, 1.0), np.where(known, error, 1.0), alpha=point.alpha
    )
    return {
        "n_star_low": low,
        "n_star_high": high,
        "q_low": resolution_ratio(n_items, high),
        "q_high": resolution_ratio(n_items, low),
        "type_s": np.where(known, errors.type_s, np.nan),
        "type_m": np.where(known, errors.type_m, np.nan),
    }


def _bounds(rows: pd.DataFrame, task: TaskScores) -> dict[str, FloatArray]:
    """Return the smallest and largest gap over all items of the task, by the missing scores."""
    least, most = task.merit_bounds
    a, b = (rows[name].to_numpy(int) - 1 for name in ("rank_a", "rank_b"))
    return {"gap_lowest": least[a] - most[b], "gap_highest": most[a] - least[b]}
