"""Who is first: the model that the declared test finds better than each of its rivals.

Whoever is found better than every rival at the level of a single pair is the best with that
confidence, without an adjustment: of two models that are best together, one has to be found better
than the other. Hung and Fithian (2019), doi:10.1214/18-AOS1788, prove it for exponential families;
for paired models of unequal variance, correlated scores and clusters the error is simulated.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from llm_power._board.all_pairs import BoardPairs
from llm_power._board.further_items import further_columns
from llm_power._errors import counted, first_names
from llm_power._statistics.verdict import DIFFERENT

#: Columns of a table of ranks: whether the model is verified to be first, and by which p-value.
LEADER_COLUMNS = ("first", "p_first")


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
    return float(every.p_values(*rivals.tolist())[0].max())


def with_leader(ranks: pd.DataFrame, p: float, alpha: float) -> pd.DataFrame:
    """Add `LEADER_COLUMNS` to the ranks of one task."""
    leads = np.arange(len(ranks)) == 0
    return ranks.assign(first=leads & (p <= alpha), p_first=np.where(leads, p, np.nan))


def with_leaders(ranks: pd.DataFrame, pairs: BoardPairs) -> pd.DataFrame:
    """Add `LEADER_COLUMNS`, and what each leader scores on further items, to ranks of tasks."""
    sampled = pairs.cluster if pairs.declared.clusters == "random" else None
    tables = []
    for number, task in enumerate(pairs.tasks):
        own, p = ranks[ranks["task"] == task.task], leader_p(pairs, number)
        further = further_columns([task], [1.0], cluster=sampled)
        tables.append(with_leader(own, p, pairs.point.alpha).assign(**further))
    return pd.concat(tables, ignore_index=True)


def first_sentence(ranks: pd.DataFrame, verdicts: pd.DataFrame, alpha: float) -> str:
    """Return who is first of one task, or who could be, and why other lines may seem to differ."""
    could = ranks.loc[ranks["rank_low"].eq(1).fillna(False), "model"].tolist()
    who = str(ranks["model"].iloc[0])
    if ranks["first"].iloc[0]:
        sentence = f"{who} is first, with {100 * (1 - alpha):g}% confidence"
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
    low, high = (ranks[name].astype("Float64").astype(float) for name in ("rank_low", "rank_high"))
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
        notes.append(
            "Possible ranks need not follow the scores: a gap that varies less, between items or "
            "clusters, shows sooner than a larger one that varies more."
        )
    same = (low.to_numpy()[first] == low.to_numpy()[second]) & (
        high.to_numpy()[first] == high.to_numpy()[second]
    )
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
