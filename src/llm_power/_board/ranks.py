"""Who is first: possible ranks, the leader, and what the leader scores on further items.

Whoever is found better than every rival at the level of a single pair is the best with that
confidence, without an adjustment: of two models that are best together, one has to be found better
than the other. Hung and Fithian (2019), doi:10.1214/18-AOS1788, prove it for exponential families;
for paired models of unequal variance, correlated scores and clusters the error is simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from llm_power._board.all_pairs import BoardPairs, RankEnds, p_values_between
from llm_power._board.clusters import sample_column, sampled_clusters
from llm_power._board.columns import RANK_COLUMNS
from llm_power._board.measure import POINTS, Measure, confidence
from llm_power._board.operating_point import OperatingPoint
from llm_power._errors import counted, first_names
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray, IntArray, ratio
from llm_power._statistics.average_gap import average_gap, mean_gap
from llm_power._statistics.cluster_moments import moments_from_differences
from llm_power._statistics.cluster_robust import cluster_robust_test
from llm_power._statistics.intervals import mean_interval, wilson_interval
from llm_power._statistics.missing_scores import missingness_by_difficulty
from llm_power._statistics.random_streams import column_digests, named_rng
from llm_power._statistics.selection_bias import leader_on_further_items
from llm_power._statistics.t_test import interval_multipliers
from llm_power._statistics.verdict import DIFFERENT


def _further_columns(
    tasks: Sequence[TaskScores], weights: Sequence[float], *, cluster: str | None
) -> dict[str, FloatArray]:
    """Return `score_further` and `lead_further`, of the first of several models."""
    n_models = len(tasks[0].models)
    # A digest of the answers orders models of equal scores, on the other items too.
    digests = np.sum([column_digests(task.item_ids, task.merits) for task in tasks], axis=0)
    order = np.argsort(digests, kind="stable")
    # The order of the rows decides nothing.
    by_id = [np.argsort(np.asarray(task.item_ids), kind="stable") for task in tasks]
    labels = [sampled_clusters(task, cluster) for task in tasks]
    leader = None
    if n_models > 2:
        leader = leader_on_further_items(
            [task.merits[np.ix_(rows, order)] for task, rows in zip(tasks, by_id, strict=True)],
            weights,
            rng=named_rng(0, "further_items"),
            clusters=[
                None if own is None else own[rows] for own, rows in zip(labels, by_id, strict=True)
            ],
        )
    score, lead = (np.nan, np.nan) if leader is None else (leader.score, leader.lead)
    score = -score if tasks[0].lower_is_better else score
    first = np.arange(n_models) == 0
    return {
        "score_further": np.where(first, score, np.nan),
        "lead_further": np.where(first, lead, np.nan),
    }


def further_sentence(
    ranks: pd.DataFrame, alpha: float, measure: Measure = POINTS, *, chosen: bool = False
) -> str:
    """Return what the leader is to score on further items; empty where that is what it has here."""
    first, second = ranks.iloc[0], ranks.iloc[1]
    if pd.isna(first["score_further"]):
        return ""
    score, ahead = measure.shown(first["score_further"]), measure.shown(first["lead_further"])
    sign = -1 if measure.lower_is_better else 1
    lead = measure.shown(sign * (first["score"] - second["score"]))
    behind = first["lead_further"] <= 0 or not ahead.strip("0.")
    place = (
        "no better than the second" if behind else f"{measure.with_unit(ahead)} ahead of the second"
    )
    less = ", or less: the models left out here are not in this" if chosen else ""
    error = (first["score_high"] - first["score_low"]) / (2 * -ndtri(alpha / 2))
    here = measure.shown(first["score"])
    if (score, ahead) == (here, lead):
        return ""
    if sign * (first["score"] - first["score_further"]) >= error:
        return (
            f"{first['model']} scores {here}, in part by luck, as the best of {len(ranks):,} on "
            f"these items: expect {score} on further items (right on average, not on each board), "
            f"{place} ({lead} ahead here){less}."
        )
    grows = first["lead_further"] > sign * (first["score"] - second["score"])
    more = "; the second owes more of its score here to luck" if grows and not behind else ""
    return (
        f"Corrected for the luck of being first or second on these items, expect {first['model']} "
        f"to score {score} on further ones ({here} here; right on average, not on each board), "
        f"{place} ({lead} ahead here){less}{more}."
    )


def rank_table(pairs: BoardPairs, ends: RankEnds) -> pd.DataFrame:
    """Return every model's rank and score, with their confidence sets and intervals.

    `ends` are those of `BoardPairs.rank_ends`. Of each leader it says whether it is verified to be
    first, and what it scores on further items.
    """
    sampled = sample_column(pairs.cluster, pairs.declared)
    tables = []
    for number, task in enumerate(pairs.tasks):
        rows = rank_rows(
            [task],
            [1.0],
            score=task.mean_scores,
            interval=score_interval(task, pairs.point, sampled),
            ends=ends[task.task],
            p_first=leader_p(pairs, number),
            alpha=pairs.point.alpha,
            cluster=sampled,
        )
        missing = rows["n_missing"].any()
        p_missing = missingness_by_difficulty(task.values).p if missing else np.nan
        tables.append(rows.assign(task=task.task, p_missing=p_missing)[[*RANK_COLUMNS]])
    return pd.concat(tables, ignore_index=True)


def rank_rows(
    tasks: Sequence[TaskScores],
    weights: Sequence[float],
    *,
    score: FloatArray,
    interval: tuple[FloatArray, FloatArray],
    ends: tuple[IntArray, IntArray],
    p_first: float,
    alpha: float,
    cluster: str | None,
) -> pd.DataFrame:
    """Return every model's rank by its score, a weighted average over tasks or that of one.

    `ends` are how many models are declared better, and worse, than each; `p_first` is the largest
    p-value of the first model against a rival.
    """
    n_models = len(score)
    leads = np.arange(n_models) == 0
    columns = {
        "rank": np.arange(1, n_models + 1),
        "model": tasks[0].models,
        "score": score,
        "score_low": interval[0],
        "score_high": interval[1],
        "n_missing": np.sum([(~task.scored).sum(axis=0) for task in tasks], axis=0),
        "rank_low": 1 + ends[0],
        "rank_high": n_models - ends[1],
        "first": leads & (p_first <= alpha),
        "p_first": np.where(leads, p_first, np.nan),
    }
    return pd.DataFrame(columns | _further_columns(tasks, weights, cluster=cluster))


def score_interval(
    task: TaskScores, point: OperatingPoint, cluster: str | None
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of each model's score on further items, and in further clusters.

    Clusters that are a sample have the interval of CR2 and Hall's, and it holds that of the items.
    """
    level = 1 - point.alpha
    if task.kind == "binary":
        solved = np.nansum(task.values, axis=0)
        items = wilson_interval(solved, task.scored.sum(axis=0), confidence=level)
    else:
        items = mean_interval(task.values, confidence=level)
    return with_clusters(items, [task], [1.0], alpha=point.alpha, cluster=cluster)


def with_clusters(
    items: tuple[FloatArray, FloatArray],
    tasks: Sequence[TaskScores],
    weights: Sequence[float],
    *,
    alpha: float,
    cluster: str | None,
) -> tuple[FloatArray, FloatArray]:
    """Widen the score intervals of items where clusters of a task are a sample.

    The third cumulants of the weighted tasks add up, as their variances do. A task whose clusters
    show no variance has that of its items. No score of 0/1 or graded tasks is beyond 0 and 1.
    """
    low, high = items
    labels = [sampled_clusters(task, cluster) for task in tasks]
    if any(own is not None for own in labels):
        laws = [_score_law(task, own) for task, own in zip(tasks, labels, strict=True)]
        gaps = [mean_gap(task.mean_scores, *law[:2]) for task, law in zip(tasks, laws, strict=True)]
        average = average_gap(gaps, weights)
        error, freedom = average.standard_error, average.df
        thirds = [(w * one) ** 3 * skew for w, (one, _, skew) in zip(weights, laws, strict=True)]
        tilt = ratio(np.sum(thirds, axis=0), error**3, 0.0)
        below, above = interval_multipliers(alpha, freedom, tilt, freedom)
        low = np.fmin(low, average.delta - below * error)
        high = np.fmax(high, average.delta + above * error)
    if tasks[0].kind == "real":
        return low, high
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


# Models whose sums by cluster are taken at once.
_MODELS: Final = 256


def item_error(task: TaskScores) -> FloatArray:
    """Return the standard error of each model's mean score over its items; 0 with one."""
    n = task.scored.sum(axis=0)
    return np.asarray(np.sqrt(np.nanvar(task.values, axis=0) / np.maximum(n - 1, 1)))


def _score_law(
    task: TaskScores, labels: NDArray[np.str_] | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the standard error of each mean score, its degrees of freedom and its skewness."""
    n, error = task.scored.sum(axis=0), item_error(task)
    df, skew = np.maximum(n - 1.0, 1.0), np.zeros(n.shape)
    if labels is not None:
        blocks = np.split(task.values, range(_MODELS, len(task.models), _MODELS), axis=1)
        tests = [cluster_robust_test(moments_from_differences(x, labels)) for x in blocks]
        by_clusters = np.concatenate([test.standard_error for test in tests])
        freedom = np.concatenate([test.df for test in tests])
        tilt = np.concatenate([test.skew for test in tests])
        varies = np.isfinite(by_clusters)
        error, df = np.where(varies, by_clusters, error), np.where(varies, freedom, df)
        skew = np.where(varies, tilt, skew)
    return error, df, skew


def leader_p(pairs: BoardPairs, number: int = 0) -> float:
    """Return the largest p-value of the first model of a task, by its position, against a rival.

    It is 1 where missing scores leave the sign of one of its gaps open.
    """
    task = pairs.tasks[number]
    least, most = task.merit_bounds
    if not task.scored.all() and np.any(least[0] <= most[1:]):
        return 1.0
    every = pairs if pairs.family == "all" else pairs.otherwise("all", pairs.declared)
    rivals = every.places(number, np.array([0, 0]), np.array([1, len(task.models)]))
    return float(p_values_between(every, *rivals.tolist())[0].max())


def first_sentence(ranks: pd.DataFrame, verdicts: pd.DataFrame, alpha: float) -> str:
    """Return who is first of one task, or who could be, and why other lines may seem to differ."""
    could = ranks.loc[ranks["rank_low"].eq(1), "model"].tolist()
    who = str(ranks["model"].iloc[0])
    if ranks["first"].iloc[0]:
        sentence = f"{who} is first, with {confidence(alpha)} confidence"
        own = verdicts[verdicts["rank_a"] == 1]
        if len(could) < 2 and own["verdict"].eq(DIFFERENT).all():
            return f"{sentence}."
        return (
            f"{sentence}: it beats each rival in a test of its own, which needs no adjustment for "
            "other pairs; possible ranks and verdicts hold for all pairs at once."
        )
    if len(could) == len(ranks) > 2:
        return f"Any of the {len(could):,} models could be first."
    if len(could) < 2:
        return f"{who} leads, and is not shown to be first."
    return f"{counted(len(could), 'model')} could be first: {first_names(could)}."


def rank_notes(ranks: pd.DataFrame, verdicts: pd.DataFrame) -> list[str]:
    """Return why ranks do not follow the scores, or overlap where a verdict tells models apart."""
    low, high = (ranks[name].to_numpy() for name in ("rank_low", "rank_high"))
    notes = []
    own_low, own_high = (ranks[name].to_numpy(float) for name in ("score_low", "score_high"))
    different = verdicts[verdicts["verdict"] == DIFFERENT]
    first, second = (different[name].to_numpy(int) - 1 for name in ("rank_a", "rank_b"))
    overlap = np.maximum(own_low[first], own_low[second]) <= np.minimum(
        own_high[first], own_high[second]
    )
    if overlap.any():
        notes.append(
            "Models with overlapping score intervals may still differ: pairs are compared item by "
            "item."
        )
    if (np.diff(low) < 0).any() or (np.diff(high) < 0).any():
        missing = ""
        if ranks["n_missing"].any():
            missing = "a lead counts only if no value of the missing scores would close it, and "
        notes.append(
            f"Possible ranks need not follow the scores: {missing}a gap that varies less between "
            "items or clusters, or without a few far below the rest (skewness), can show sooner "
            "than a larger one."
        )
    same = (low[first] == low[second]) & (high[first] == high[second])
    if same.any():
        pair = different[same].iloc[0]
        why = (
            "ranks count a lead only if no value of the missing scores would close it"
            if pair["gap_lowest"] <= 0 <= pair["gap_highest"]
            else "ranks hold for all pairs of models at once, verdicts for the pairs compared"
        )
        notes.append(
            f"{pair['model_a']} and {pair['model_b']} are different and have the same possible "
            f"ranks: {why}."
        )
    return notes
