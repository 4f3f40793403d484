"""From scores as they were read to the ranked models of a board."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from llm_power._choices import MissingPolicy
from llm_power._errors import ScoreError
from llm_power._scores.selection import (
    Coverage,
    apply_missing_policy,
    rank_models,
    select_models,
)
from llm_power._scores.store import Provenance, TaskScores

#: Under which the provenance of a task has the missing scores that were accepted.
NO_SCORE: Final = "items without a score"


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
    >>> from llm_power import prepare_task
    >>> from llm_power._example import example_task
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
    kept = select_models(task, rank_models(task)[:only_best])
    if len(kept.models) < len(task.models):
        chosen = replace(task.provenance, chosen_of=len(task.models))
        kept = replace(kept, provenance=chosen)
    settled, coverage = apply_missing_policy(kept, missing)
    recorded = replace(settled, provenance=_record_missing(settled.provenance, coverage))
    # Dropping items changes the means, and so may change the order of those kept.
    return select_models(recorded, rank_models(recorded))


def require_top(task: TaskScores, top: int | None) -> None:
    """Refuse a number of best models that a task does not have."""
    if top is not None and not 2 <= top <= len(task.models):
        raise ScoreError(
            f"the best {top} of {len(task.models)} models of task {task.task!r} cannot be taken",
            remedy=f"choose a number from 2 to {len(task.models)}",
            file=task.provenance.file,
        )


def _record_missing(provenance: Provenance, coverage: Coverage) -> Provenance:
    missing = {
        model: coverage.n_items - scored
        for model, scored in coverage.scored.items()
        if scored < coverage.n_items
    }
    if not missing:
        return provenance
    fault = NO_SCORE
    if coverage.n_dropped:
        fault += f" ({coverage.n_dropped} of {coverage.n_items} items dropped for all models)"
    return replace(provenance, tolerated={**provenance.tolerated, fault: missing})
