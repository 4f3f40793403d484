"""Witness of the Open LLM Leaderboard v1: five models, four tasks."""

# As few printed numbers as possible are dropped, so that the rest can hold. Each task is then a
# table of 32 whole cells, one a pattern of solving models:
# 1. reference: one factor, loadings by least squares on the fitted overlaps and gains;
# 2. projection onto the fitted margins and overlaps (kept too: nothing of Table 3 is in it);
# 3. smallest change of all other overlaps that makes fitted percentiles true;
# 4. projection onto all overlaps, then the nearest table of whole items.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from kotawala2026.witness.oll_v1_board import LINEAR, Board, find_contradictions, nominal_board
from kotawala2026.witness.oll_v1_overlaps import (
    PairLimits,
    PairPanel,
    fit_loadings,
    is_summary,
    reference_table,
    tilt_overlaps,
)
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power_audit.printed_tables import PublishedError
from replication.constraints import BoardScore, Constraint, witness_task
from replication.witness.infeasible import Contradiction
from replication.witness.reference import cell_patterns, information_projection, integer_projection


@dataclass(frozen=True, slots=True, eq=False)
class TaskWitness:
    """Items of each pattern of solving models, shape (2**n_models,), with and without the tilt."""

    task: str
    cells: IntArray
    untilted: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class OllV1Witness:
    """The witness of the board, and the printed numbers that contradict each other."""

    board: Board
    tasks: tuple[TaskWitness, ...]
    fixed: tuple[bool, ...]
    tilt_cost: float
    contradictions: tuple[Contradiction, ...]
    dropped: tuple[Constraint, ...]


def build_witness(scores: Sequence[BoardScore], constraints: Sequence[Constraint]) -> OllV1Witness:
    """Build the witness from the displayed scores and the fitted printed numbers."""
    # The check for contradictions reads held-out rows too: only the others tell which number is
    # wrong.
    _check_fittable(constraints)
    board = nominal_board(scores)
    contradictions = find_contradictions(board, constraints)
    dropped = tuple(row.constraint for one in contradictions for row in one.correction)
    out = {c.id for c in dropped}
    fitted = tuple(c for c in constraints if c.is_fitted and c.id not in out)
    limits = PairLimits.of(board, fitted, dropped)
    panel = PairPanel(limits.board)
    loadings = fit_loadings(panel, limits, fitted)
    tilted, tilt_cost, untilted = tilt_overlaps(panel, limits, loadings, fitted)
    return OllV1Witness(
        board=limits.board,
        tasks=tuple(
            _task_witness(limits, task, loadings[k], tilted, untilted[k])
            for k, task in enumerate(board.tasks)
        ),
        fixed=tuple(bool(x) for x in limits.fixed),
        tilt_cost=tilt_cost,
        contradictions=contradictions,
        dropped=dropped,
    )


def witness_scores(
    witness: OllV1Witness, files: Mapping[str, str], *, tilted: bool = True
) -> tuple[TaskScores, ...]:
    """Return each task's scores, `tilted` or with the numbers alone linear in the cells."""
    patterns = cell_patterns(len(witness.board.models))
    cells = {task.task: task.cells if tilted else task.untilted for task in witness.tasks}
    return tuple(
        witness_task(
            task,
            witness.board.models,
            np.repeat(patterns, items, axis=0).astype(np.float64),
            files,
            source="witness",
            digits=6,
        )
        for task, items in cells.items()
    )


def pair_freedom(witness: OllV1Witness) -> pd.DataFrame:
    """List the pairs, and whether printed numbers fix their overlap."""
    board = witness.board
    pairs = [(task, board.models[i], board.models[j]) for task, i, j in board.pairs]
    table = pd.DataFrame(pairs, columns=["task", "model_a", "model_b"])
    return table.assign(fixed=list(witness.fixed))


def _check_fittable(constraints: Sequence[Constraint]) -> None:
    for c in constraints:
        if c.is_fitted and c.quantity not in LINEAR and not is_summary(c):
            raise PublishedError(
                f"oll_v1: {c.quantity!r} cannot be fitted; give it the role held_out ({c.where})"
            )


def _task_witness(
    limits: PairLimits, task: str, loadings: FloatArray, tilted: FloatArray, untilted: FloatArray
) -> TaskWitness:
    rows, sums = limits.sums(task, tilted)
    real = information_projection(reference_table(limits, task, loadings), rows, sums)
    before = _whole(task, untilted, *limits.fixed_sums(task))
    return TaskWitness(task, _whole(task, real, rows, sums), before)


def _whole(task: str, center: FloatArray, rows: FloatArray, sums: FloatArray) -> IntArray:
    cells = integer_projection(center, rows, sums)
    if cells is None:
        raise PublishedError(f"oll_v1: no whole table of {task} has the overlaps that were chosen")
    return cells
