"""Items that are not there: one of MMLU-Pro that the paper leaves out, or all of a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import Final

import numpy as np
import pandas as pd

from kotawala2026.adjacent_clusters import CLUSTER
from kotawala2026.quantities.grounds import QUANTITIES, ResolvedBoard
from llm_power._errors import ScoreError
from llm_power._scores.selection import prepare_task
from llm_power._scores.store import TaskScores
from replication.constraints import Constraint
from replication.findings import Finding, roles_view

# The board displayed scores of 12,032 items; the printed numbers hold at 12,031 alone. By the
# displayed counts all ten models solved the missing item. So it matters through its subject alone,
# but for numbers that are drawn or depend on an item's place.
COLUMNS: Final = [
    *("item", "category", "is_possible", "is_left_out", "n_printed", "n_reproduced", "missed")
]
# Drawn at random, or by the place or the difficulty of an item.
_NOT_BY_SUBJECT: Final = ("bootstrap_", "probability_", "random_", "parity_", "quartile_")
_Evaluate = Callable[[TaskScores], Iterable[Finding]]


def leave_one_out(
    task: TaskScores, n_printed: int, constraints: Sequence[Constraint], evaluate: _Evaluate
) -> tuple[TaskScores, pd.DataFrame]:
    """Leave out the item whose category reproduces most printed numbers; list the candidates."""
    if task.n_items == n_printed:
        return task, pd.DataFrame(columns=COLUMNS)
    shared = np.flatnonzero(task.values.all(axis=1))
    if task.n_items != n_printed + 1 or not shared.size:
        raise ScoreError(
            f"{task.n_items} items, of which all models solved {shared.size}; the printed numbers "
            f"are of {n_printed}, and leave out one that all models solved",
            remedy="use the scores of the board's complete runs",
            file=task.provenance.file,
        )
    labels = np.array(task.clusters[CLUSTER])
    last = {str(labels[i]): int(i) for i in shared}
    met = pd.DataFrame(
        {
            category: _reproduced(_without(task, item), constraints, evaluate)
            for category, item in last.items()
        }
    )
    n_met = met.sum()
    best = n_met.max()
    chosen = last[str(n_met.idxmax())]
    decisive = met[met.any(axis=1)]
    missed = {name: ", ".join(decisive.index[~decisive[name]]) for name in met}
    rows = [
        (
            task.item_ids[i],
            labels[i],
            n_met[labels[i]] == best,
            i == chosen,
            len(met),
            n_met[labels[i]],
            missed[labels[i]],
        )
        for i in shared
    ]
    left = task.item_ids[chosen]
    source = f"{task.provenance.source}, item {left} of {labels[chosen]} left out"
    kept = _without(task, chosen)
    kept = replace(kept, provenance=replace(task.provenance, source=source))
    return kept, pd.DataFrame(rows, columns=COLUMNS)


def require_same_categories(task: TaskScores, authors: TaskScores) -> None:
    """Refuse categories that differ from those in the benchmark authors' own outputs."""
    if task.n_items != authors.n_items:
        return  # a table without the item that the paper leaves out, whose places are others
    order = sorted(range(authors.n_items), key=lambda i: int(authors.item_ids[i]))
    theirs = [authors.clusters[CLUSTER][i] for i in order]
    for item, ours, category in zip(task.item_ids, task.clusters[CLUSTER], theirs, strict=True):
        if ours != category:
            raise ScoreError(
                f"it is of {ours!r} here, and of {category!r} in the authors' own outputs",
                remedy="report it: mmlu_pro_categories.csv is not the order of this test",
                file=task.provenance.file,
                item=item,
            )


def _reproduced(
    task: TaskScores, constraints: Sequence[Constraint], evaluate: _Evaluate
) -> pd.Series[bool]:
    """Return which printed numbers come out, by claim and quantity."""
    roles = roles_view(constraints, evaluate(task))
    drawn = set(roles.loc[roles["unit"] == "standard errors", "quantity"])
    by_subject = ~roles["quantity"].isin(drawn) & ~roles["quantity"].str.startswith(_NOT_BY_SUBJECT)
    kept = roles[by_subject]
    wrong = kept["status"].isin(["residual", "held out: wrong"])
    return pd.Series(~wrong.to_numpy(), index=kept["id"])


def _without(task: TaskScores, item: int) -> TaskScores:
    return task.part(items=[i for i in range(task.n_items) if i != item])


# Where a model has no items, what the others decide.
_OF_ONE_PAIR: Final = ("pairs",)
_BOARDS: Final = {"oll_v1": "Open LLM Leaderboard v1", "mmlu_pro": "MMLU-Pro's top ten"}


def what_is_absent(tasks: Sequence[TaskScores], ranked: Sequence[str]) -> str:
    """Say which models have no items of which tasks, and why; empty where every model has all."""
    absences: dict[str, list[str]] = {}
    for task in tasks:
        why = {
            model: fault.replace("_", " ")
            for fault, models in task.provenance.tolerated.items()
            for model in models
        }
        for model in ranked:
            if model not in task.models:
                absences.setdefault(f"{model} has {why.get(model, 'none')}", []).append(task.task)
    on = {line: f" on {', '.join(names)}" * (len(tasks) > 1) for line, names in absences.items()}
    return " and ".join(line + names for line, names in on.items())


def pairs_there(
    panel: str, tasks: Sequence[TaskScores], ranked: Sequence[str], *, seed: int
) -> list[Finding]:
    """Evaluate each pair of which both models have items, neighbors under their ranks among all."""
    findings = []
    for task in tasks:
        parts = _neighbors(task, ranked) if panel == "mmlu_pro" else [(0, task)]
        for first, part in parts:
            board = ResolvedBoard.of(panel, [part], seed=seed)
            ranks = {name: board.verdicts[name] + first for name in ("rank_a", "rank_b")}
            there = replace(board, verdicts=board.verdicts.assign(**ranks))
            pairs = set(there.by_pair().index)
            evaluated = QUANTITIES.evaluate(there, topics=_OF_ONE_PAIR)
            findings += [one for one in evaluated if one.subject in pairs]
    return findings


def _neighbors(task: TaskScores, ranked: Sequence[str]) -> Iterator[tuple[int, TaskScores]]:
    """Yield the models of consecutive ranks that have items, after so many better ones."""
    for is_there, group in groupby(enumerate(ranked), key=lambda one: one[1] in task.models):
        (first, _), *_ = run = list(group)
        if is_there and len(run) > 1:
            yield first, task.part(models=[task.models.index(model) for _, model in run])


def of_pairs(constraints: Iterable[Constraint], findings: Iterable[Finding]) -> list[Constraint]:
    """Return the printed numbers of which there is a finding for their own pair."""
    there = {(one.quantity, one.subject) for one in findings}
    return [
        one
        for one in constraints
        # A pair is named by task and models, or by its ranks, with or without its models.
        if one.subject
        and not there.isdisjoint((one.quantity, name) for name in (one.about, one.subject[0]))
    ]


def without_value(
    constraints: Sequence[Constraint], findings: Sequence[Finding], absent: str
) -> list[Finding]:
    """Return a finding for each other printed number: it needs items that are not there."""
    there = of_pairs(constraints, findings)
    return [
        Finding(one.quantity, one.about, math.nan, absent, basis="none")
        for one in constraints
        if one not in there
    ]


def what_is_judged(panel: str, tasks: Sequence[TaskScores], ranked: Sequence[str]) -> str:
    """Say which pairs are judged by items and which are not, and why."""
    absent = what_is_absent(tasks, ranked)
    if not absent:
        return f"All models of {_BOARDS[panel]} have items: every pair is judged by them."
    there, not_there = _pairs_in_words(panel, tasks, ranked)
    return (
        f"Among the published items of {_BOARDS[panel]}, {absent}. Judged by items are {there}; "
        f"not judged by them are {not_there} and every number of the whole board. The exhibits of "
        "this board show a witness in their place."
    )


def _pairs_in_words(
    panel: str, tasks: Sequence[TaskScores], ranked: Sequence[str]
) -> tuple[str, str]:
    """Name the pairs that are judged by items, and those that are not."""
    if panel != "mmlu_pro":
        n_all = len(tasks) * math.comb(len(ranked), 2)
        n_there = sum(math.comb(task.n_models, 2) for task in tasks)
        return f"{n_there} of the {n_all} pairs", f"the other {n_all - n_there}"
    lacking = [model for model in ranked if model not in tasks[0].models]
    pairs = [
        (f"{rank} vs {rank + 1}", set(pair).isdisjoint(lacking))
        for rank, pair in enumerate(pairwise(ranked), start=1)
    ]
    there, not_there = (
        ", ".join(name for name, is_judged in pairs if is_judged == wanted)
        for wanted in (True, False)
    )
    return f"the pairs {there or 'none'}", not_there


def in_their_place(witness: TaskScores, task: TaskScores) -> TaskScores:
    """Return the witness as what stands in for items that are not all there."""
    source = f"a witness in the place of items that not all models have; {task.provenance.source}"
    stand_in = replace(witness.provenance, source=source, kind="stand_in", fitted_to="")
    return prepare_task(replace(witness, task=task.task, provenance=stand_in))
