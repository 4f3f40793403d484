"""Which models and items of a task take part: ranking, selection and missing scores."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from llm_power._choices import MISSING_POLICIES, MissingPolicy
from llm_power._errors import InvalidArgument, ScoreError
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import BoolArray, FloatArray
from llm_power._statistics.random_streams import column_digests

#: Under which the provenance of a task has the missing scores that were accepted.
NO_SCORE: Final = "items without a score"


def ranked(task: TaskScores, only_best: int | None = None) -> TaskScores:
    """Return the models by mean score, best first, equal means as `best_first` orders them."""
    return task.part(models=best_first([task], task.mean_merits)[:only_best])


def best_first(tasks: Sequence[TaskScores], score: FloatArray) -> list[int]:
    """Return the places of the models of all tasks by a score, (n_models,).

    A digest of their answers orders models of equal scores, so that a new name changes no rank;
    the name orders those of equal answers.
    """
    models, digests = tasks[0].models, np.zeros(len(score), dtype=np.uint64)
    # Sums in another order differ by rounding.
    size = max(1.0, float(np.abs(score).max()))
    _, where, counts = np.unique(
        np.round(score / size, 12), return_inverse=True, return_counts=True
    )
    tied = np.flatnonzero(counts[where] > 1)
    for task in tasks:
        digests[tied] += column_digests(task.item_ids, task.merits[:, tied])
    key = zip(-where, digests.tolist(), models, range(len(models)), strict=True)
    return [place for *_, place in sorted(key)]


def select_models(task: TaskScores, names: Sequence[str]) -> TaskScores:
    """Return the scores of `names` alone, in that order, on all items of the task."""
    position = {model: j for j, model in enumerate(task.models)}
    for name in names:
        if name not in position:
            near = difflib.get_close_matches(name, task.models, n=3)
            raise ScoreError(
                f"no such model in task {task.task!r}",
                remedy=f"did you mean {' or '.join(map(repr, near))}"
                if near
                else "correct the name",
                file=task.provenance.file,
                model=name,
            )
    return task.part(models=[position[name] for name in names])


def apply_missing_policy(task: TaskScores, policy: MissingPolicy = "error") -> TaskScores:
    """Decide what missing scores mean, for the models that were selected."""
    if policy not in MISSING_POLICIES:
        raise InvalidArgument(f"missing must be one of {MISSING_POLICIES}, got {policy!r}")
    complete = np.logical_and.reduce(task.scored, axis=1)
    if policy == "error" and not complete.all():
        raise _missing_scores(task)
    return task if policy != "drop_items" or complete.all() else _keep_items(task, complete)


def _missing_scores(task: TaskScores) -> ScoreError:
    scored = task.scored
    j = int(np.argmin(scored.all(axis=0)))
    lacking = np.flatnonzero(~scored[:, j])
    return ScoreError(
        f"{lacking.size} of {task.n_items} items have no score of this model in task "
        f"{task.task!r}, this item first",
        remedy="exclude the model, or choose pairwise (each pair on the items it shares), weighted "
        "(the same by cluster) or drop_items, for example",
        settings={"missing": "pairwise"},
        file=task.provenance.file,
        model=task.models[j],
        item=task.item_ids[lacking[0]],
    )


def _keep_items(task: TaskScores, keep: BoolArray) -> TaskScores:
    if not keep.any():
        scored = task.scored.sum(axis=0)
        fewest = int(np.argmin(scored))
        raise ScoreError(
            f"no item of task {task.task!r} has a score of every model; this one has the fewest, "
            f"{scored[fewest]}",
            remedy="choose missing: pairwise, or exclude the model",
            file=task.provenance.file,
            model=task.models[fewest],
        )
    return task.part(items=np.flatnonzero(keep).tolist())


def prepare_task(
    task: TaskScores, *, only_best: int | None = None, missing: MissingPolicy = "error"
) -> TaskScores:
    """Keep the best models of a task, settle missing scores, and order by rank.

    With `only_best` the others are no part of the board: neither of its ranks nor of its family.
    `top` of `resolve_board` shows the best of a board that has all of them.

    Parameters
    ----------
    task : TaskScores
        Scores as they were read.
    only_best : int, optional
        How many models to keep; all of them by default.
    missing : {"error", "pairwise", "drop_items", "weighted"}
        What to do about items that a kept model has no score on.

    Returns
    -------
    TaskScores
        Models in rank order: by mean score over their own scored items, as a leaderboard
        displays them, equal means by a digest of the answers. What was missing is part of the
        provenance, and so is of how many models the best were kept.

    Raises
    ------
    ScoreError
        If there is one model, or fewer than `only_best`, or scores are missing under policy
        "error".

    Examples
    --------
    >>> from llm_power import example_task, prepare_task
    >>> prepare_task(example_task(), only_best=2).models
    ('heron', 'osprey')
    """
    if len(task.models) < 2:
        raise ScoreError(
            f"task {task.task!r} has one model: a paired comparison needs at least two",
            remedy="give the scores of two or more models",
            file=task.provenance.file,
            model=task.models[0],
        )
    require_top(task, only_best)
    kept = ranked(task, only_best)
    if len(kept.models) < len(task.models):
        chosen = replace(task.provenance, chosen_of=len(task.models))
        kept = replace(kept, provenance=chosen)
    settled = apply_missing_policy(kept, missing)
    dropped = kept.n_items - settled.n_items
    lacking = (kept.n_items - kept.scored.sum(axis=0)).tolist()
    if any(lacking):
        fault = NO_SCORE
        if dropped:
            fault += f" ({dropped} of {kept.n_items} items dropped for all models)"
        by_model = {model: n for model, n in zip(kept.models, lacking, strict=True) if n}
        tolerated = {**settled.provenance.tolerated, fault: by_model}
        settled = replace(settled, provenance=replace(settled.provenance, tolerated=tolerated))
    # Dropping items changes the means, and so may change the order of those kept.
    return ranked(settled) if dropped else settled


def require_top(task: TaskScores, top: int | None) -> None:
    """Refuse a number of best models that a task does not have."""
    n = len(task.models)
    if top is not None and not 2 <= top <= n:
        raise ScoreError(
            f"the best {top} of {n} models of task {task.task!r} cannot be taken",
            remedy=f"choose {f'a number from 2 to {n}' if n > 2 else n}",
            file=task.provenance.file,
        )
