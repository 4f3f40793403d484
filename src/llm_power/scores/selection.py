"""Which models and which items of a task take part: ranking, selection, missing scores."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from llm_power.choices import MISSING_POLICIES, MissingPolicy
from llm_power.errors import InvalidArgument, ScoreError
from llm_power.scores.store import TaskScores
from llm_power.statistics._typing import BoolArray


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a missing-score policy found and did.

    Attributes
    ----------
    policy : {"error", "pairwise", "drop_items", "weighted"}
        The policy.
    n_items : int
        Items of the task, before the policy.
    n_dropped : int
        Items removed because a model has no score on them.
    scored : mapping of str to int
        Scored items of each model, before the policy.

    Examples
    --------
    >>> from llm_power.scores.selection import Coverage
    >>> Coverage("drop_items", n_items=400, n_dropped=3, scored={"wren": 397}).policy
    'drop_items'
    """

    policy: MissingPolicy
    n_items: int
    n_dropped: int
    scored: Mapping[str, int]


def rank_models(task: TaskScores) -> tuple[str, ...]:
    """Return the models by mean score, best first, equal means by name.

    Parameters
    ----------
    task : TaskScores
        The scores.

    Returns
    -------
    tuple of str
        All models of the task.

    Notes
    -----
    The mean is over the items a model has scores on, as a leaderboard shows it. With missing
    scores, two models are then ranked on different items.

    Examples
    --------
    >>> from llm_power.example import example_task
    >>> from llm_power.scores.selection import rank_models
    >>> rank_models(example_task())
    ('heron', 'osprey', 'kite', 'wren')
    """
    mean = dict(zip(task.models, task.mean_scores.tolist(), strict=True))
    return tuple(sorted(task.models, key=lambda model: (-mean[model], model)))


def select_models(task: TaskScores, names: Sequence[str]) -> TaskScores:
    """Return the scores of `names` alone, in that order, on all items of the task.

    Parameters
    ----------
    task : TaskScores
        The scores.
    names : sequence of str
        At least two different models of the task.

    Returns
    -------
    TaskScores
        With the same items and provenance.

    Raises
    ------
    ScoreError
        If a name is not a model of the task, or occurs twice, or there are fewer than two.

    Examples
    --------
    >>> from llm_power.example import example_task
    >>> from llm_power.scores.selection import select_models
    >>> select_models(example_task(), ["wren", "heron"]).models
    ('wren', 'heron')
    """
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
    """Decide what missing scores mean, for the models that were selected.

    Parameters
    ----------
    task : TaskScores
        The scores.
    policy : {"error", "pairwise", "drop_items", "weighted"}
        "error" stops at the first model with a missing score. "pairwise" keeps them all: each
        pair is compared on the items both models have. "drop_items" removes every item that a
        model lacks. "weighted" is "pairwise" here; the verdict weights those items by cluster.

    Returns
    -------
    TaskScores
        `task` itself, unless items were dropped.
    Coverage
        Counts before the policy, and how many items it dropped.

    Raises
    ------
    ScoreError
        If scores are missing and the policy is "error"; or if dropping leaves no items.
    InvalidArgument
        If there is no such policy.

    Examples
    --------
    >>> from llm_power.example import example_task
    >>> from llm_power.scores.selection import apply_missing_policy
    >>> task, coverage = apply_missing_policy(example_task(), "drop_items")
    >>> coverage.n_dropped
    0
    """
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
        remedy="choose missing: pairwise (each pair on the items it shares), weighted (the same by "
        "cluster) or drop_items (--missing, or of prepare_task), or exclude the model",
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
