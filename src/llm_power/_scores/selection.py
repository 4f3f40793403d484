"""Which models and which items of a task take part: ranking, selection, missing scores."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from llm_power._choices import MISSING_POLICIES, MissingPolicy
from llm_power._errors import InvalidArgument, ScoreError
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import BoolArray, FloatArray
from llm_power._statistics.random_streams import column_digests


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a missing-score policy found and did."""

    policy: MissingPolicy
    n_items: int  # before the policy
    n_dropped: int
    scored: Mapping[str, int]  # items of each model, before the policy


def rank_models(task: TaskScores) -> tuple[str, ...]:
    """Return the models by mean score, best first, equal means as `best_first` orders them."""
    return best_first([task], task.mean_merits)


def best_first(tasks: Sequence[TaskScores], score: FloatArray) -> tuple[str, ...]:
    """Return the models of all tasks by a score, (n_models,).

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
    key = zip(-where, digests.tolist(), models, strict=True)
    return tuple(name for *_, name in sorted(key))


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


def apply_missing_policy(
    task: TaskScores, policy: MissingPolicy = "error"
) -> tuple[TaskScores, Coverage]:
    """Decide what missing scores mean, for the models that were selected."""
    if policy not in MISSING_POLICIES:
        raise InvalidArgument(f"missing must be one of {MISSING_POLICIES}, got {policy!r}")
    scored = task.scored
    complete = np.logical_and.reduce(scored, axis=1)
    if policy == "error" and not complete.all():
        raise _missing_scores(task, scored)
    dropped = 0
    if policy == "drop_items":
        dropped = int(np.count_nonzero(~complete))
    counts = scored.sum(axis=0).tolist()
    coverage = Coverage(
        policy=policy,
        n_items=task.n_items,
        n_dropped=dropped,
        scored=dict(zip(task.models, counts, strict=True)),
    )
    return (_keep_items(task, complete) if dropped else task), coverage


def _missing_scores(task: TaskScores, scored: BoolArray) -> ScoreError:
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
