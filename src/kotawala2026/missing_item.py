"""The item of MMLU-Pro that the paper leaves out: which one it can be, by every printed number."""

# The board displayed scores of 12,032 items; the printed numbers hold at 12,031 alone. By the
# displayed counts all ten models solved the missing item. So it matters through its subject alone,
# but for numbers that are drawn or depend on an item's place.

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd

from kotawala2026.adjacent_clusters import CLUSTER
from llm_power._errors import ScoreError
from llm_power._scores.store import TaskScores
from replication.constraints import Constraint
from replication.findings import Finding
from replication.views import roles_view

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
