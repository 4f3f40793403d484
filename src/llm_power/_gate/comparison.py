"""One candidate against its baseline: the outcome, and the items that decided it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from llm_power._board.measure import Measure
from llm_power._board.operating_point import UNDECLARED, USUAL, Declared, OperatingPoint
from llm_power._board.resolve import BoardVerdicts, resolve_board
from llm_power._choices import OUTCOMES, Kind, MissingPolicy, Outcome
from llm_power._errors import InvalidArgument
from llm_power._scores.selection import prepare_task, select_models
from llm_power._scores.store import TaskScores
from llm_power._statistics.verdict import DIFFERENT


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one task says of a candidate against its baseline."""

    task: str
    kind: Kind
    baseline: str
    candidate: str
    outcome: Outcome
    n_items: int
    n_unscored: int  # items left out, because one of the two has no score
    baseline_score: float  # mean over the items, whatever the gap is weighted by
    candidate_score: float
    gap: float  # by how much the candidate is better, in score units
    gap_low: float  # of all tasks at once
    gap_high: float
    gap_low_single: float  # of this task alone
    gap_high_single: float
    p_single: float
    p_family: float  # adjusted for the tasks compared together
    test: str
    broke: tuple[str, ...]  # items on which the candidate is worse
    mended: tuple[str, ...]
    more_items: float  # that decide it with a chance of `power`; 0 if decided, inf if none would
    decided_as: str  # what these would decide: "different" or "equivalent"
    margin: float | None
    alpha: float
    power: float  # chance of `more_items`
    measure: Measure

    @property
    def is_weighted(self) -> bool:
        """Whether the gap is another than that of the two scores."""
        of_scores = self.candidate_score - self.baseline_score
        return not np.isclose(np.abs(of_scores), np.abs(self.gap), rtol=1e-9, atol=1e-12)


def compare_models(
    tasks: Sequence[TaskScores],
    baseline: str,
    candidate: str,
    *,
    missing: MissingPolicy = "error",
    cluster: str | None = None,
    point: OperatingPoint = USUAL,
    declared: Declared = UNDECLARED,
) -> list[Comparison]:
    """Compare a candidate with the model that it would replace, on each of some tasks."""
    if baseline == candidate:
        raise InvalidArgument(f"baseline and candidate are both {baseline!r}: name two models")
    pairs = [
        prepare_task(select_models(task, [baseline, candidate]), missing=missing) for task in tasks
    ]
    board = resolve_board(pairs, cluster=cluster, point=point, declared=declared)
    rows = board.verdicts.to_dict("records")
    return [
        _comparison(pair, row, baseline, candidate, board, n_read=task.n_items)
        for task, pair, row in zip(tasks, pairs, rows, strict=True)
    ]


def overall_outcome(compared: Sequence[Comparison]) -> Outcome:
    """Return the least favourable outcome of some tasks."""
    return min((one.outcome for one in compared), key=OUTCOMES.index)


def _comparison(
    pair: TaskScores,
    row: Mapping[Any, Any],
    baseline: str,
    candidate: str,
    board: BoardVerdicts,
    *,
    n_read: int,
) -> Comparison:
    """Return what a row of the verdicts says of the candidate."""
    margin = board.declared.margin
    # Rows have the better ranked model first.
    sign = 1 if row["model_a"] == candidate else -1
    low, high, low_single, high_single = (
        float(end)
        for of in ("", "_single")
        for end in sorted((sign * row[f"gap_low{of}"], sign * row[f"gap_high{of}"]))
    )
    by_name = {name: pair.merits[:, j] for j, name in enumerate(pair.models)}
    gain = by_name[candidate] - by_name[baseline]
    both, sense = ~np.isnan(gain), -1 if pair.lower_is_better else 1
    return Comparison(
        task=pair.task,
        kind=pair.kind,
        baseline=baseline,
        candidate=candidate,
        outcome=_outcome(row, int(sign * row["direction"]), low_single, margin),
        n_items=int(row["n_items"]),
        n_unscored=n_read - int(row["n_items"]),
        baseline_score=float(sense * by_name[baseline][both].mean()),
        candidate_score=float(sense * by_name[candidate][both].mean()),
        gap=float(sign * row["gap"]),
        gap_low=low,
        gap_high=high,
        gap_low_single=low_single,
        gap_high_single=high_single,
        p_single=float(row["p_single"]),
        p_family=float(row["p_family"]),
        test=str(row["test"]),
        broke=_named(pair, gain < 0),
        mended=_named(pair, gain > 0),
        more_items=float(row["more_items_needed"]),
        decided_as=str(row["decided_as"]),
        margin=margin,
        alpha=board.point.alpha,
        power=board.point.power,
        measure=board.measure,
    )


def _outcome(row: Mapping[Any, Any], lead: int, low: float, margin: float | None) -> Outcome:
    """Return the first outcome that is true: a sure loss within the margin is equivalent."""
    if row["verdict"] == DIFFERENT and lead > 0:
        return "better"
    if row["within_margin"]:
        return "equivalent"
    if row["verdict"] == DIFFERENT:
        return "worse"
    # A one-sided test at half the level (ICH E9, 1998, section 3.3.2). To be so on every task needs
    # no adjustment (R. L. Berger 1982, Technometrics 24(4), 295-300).
    return "undetermined" if margin is None or low <= -margin else "non_inferior"


def _named(task: TaskScores, where: Collection[bool]) -> tuple[str, ...]:
    return tuple(item for item, named in zip(task.item_ids, where, strict=True) if named)
