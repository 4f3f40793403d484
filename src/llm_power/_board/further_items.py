"""What the leader of a board is expected to score on items that did not choose it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtri

from llm_power._board.measure import POINTS, Measure
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.further_items import leader_on_further_items
from llm_power._statistics.random_streams import column_digests, named_rng


def further_columns(
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
    found = None
    if n_models > 2:
        found = leader_on_further_items(
            [task.merits[np.ix_(rows, order)] for task, rows in zip(tasks, by_id, strict=True)],
            weights,
            rng=named_rng(0, "further_items"),
            clusters=[
                None if own is None else own[rows] for own, rows in zip(labels, by_id, strict=True)
            ],
        )
    score, lead = (np.nan, np.nan) if found is None else (found.score, found.lead)
    score = -score if tasks[0].lower_is_better else score
    first = np.arange(n_models) == 0
    return {
        "score_further": np.where(first, score, np.nan),
        "lead_further": np.where(first, lead, np.nan),
    }


def sampled_clusters(task: TaskScores, cluster: str | None) -> np.ndarray | None:
    """Return the cluster of each item, None where items are the sample."""
    labels = () if cluster is None else task.clusters.get(cluster, ())
    # One cluster says nothing of others: the items are the sample.
    return np.asarray(labels, dtype=str) if len(set(labels)) > 1 else None


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
            f"these items: expect {score} on further items, {place} ({lead} ahead here){less}."
        )
    grows = first["lead_further"] > sign * (first["score"] - second["score"])
    more = "; the second owes more of its score here to luck" if grows and not behind else ""
    return (
        f"Corrected for the luck of being first or second on these items, expect {first['model']} "
        f"to score {score} on further ones ({here} here), {place} ({lead} ahead here){less}{more}."
    )
