"""MMLU-Pro's top ten where a model has no items: what the other nine decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import Final

from kotawala2026.quantities.grounds import QUANTITIES, ResolvedBoard
from llm_power._board.ranking import prepare_task
from llm_power._scores.store import TaskScores
from replication.constraints import Constraint
from replication.findings import Finding

_OF_ONE_PAIR: Final = ("pairs",)


def pairs_there(task: TaskScores, ranked: Sequence[str], *, seed: int) -> list[Finding]:
    """Evaluate the pairs of neighbors of which both have items, under their ranks among all."""
    found = []
    for first, part in _neighbors(task, ranked):
        board = ResolvedBoard.of("mmlu_pro", [part], seed=seed)
        ranks = {name: board.verdicts[name] + first for name in ("rank_a", "rank_b")}
        there = replace(board, verdicts=board.verdicts.assign(**ranks))
        found += QUANTITIES.evaluate(there, topics=_OF_ONE_PAIR)
    return [one for one in found if " vs " in one.subject]


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
        # A pair is named by its ranks, with or without its models.
        if one.subject and (one.quantity, one.subject[0]) in there
    ]


def what_is_judged(task: TaskScores, ranked: Sequence[str]) -> str:
    """Say which pairs are judged by items and which are not."""
    lacking = [model for model in ranked if model not in task.models]
    if not lacking:
        return f"All {len(ranked)} models of MMLU-Pro have items: every pair is judged by them."
    pairs = [
        (f"{rank} vs {rank + 1}", set(pair).isdisjoint(lacking))
        for rank, pair in enumerate(pairwise(ranked), start=1)
    ]
    there, not_there = (
        ", ".join(name for name, is_judged in pairs if is_judged == wanted)
        for wanted in (True, False)
    )
    return (
        f"{' and '.join(lacking)} of MMLU-Pro's top ten has no items with the displayed score. "
        f"Judged by items are the pairs {there or 'none'}; not judged by them are {not_there} and "
        "every number of the whole board. The exhibits of this board show a witness in their place."
    )


def in_their_place(witness: TaskScores, task: TaskScores) -> TaskScores:
    """Return the witness as what stands in for items that are not all there."""
    source = f"a witness in the place of items that not all models have; {task.provenance.source}"
    stand_in = replace(witness.provenance, source=source, kind="stand_in", fitted_to="")
    return prepare_task(replace(witness, task=task.task, provenance=stand_in))
