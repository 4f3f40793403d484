"""The witness of the frontier panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kotawala2026.findings import on_scores
from kotawala2026.witness.frontier import FREE, _quantities, build_frontier, witness_scores
from llm_power._board.counts import count_cells
from llm_power._scores.store import TaskScores
from llm_power._statistics.paired_binary import summarize_counts
from llm_power_audit.printed import parse_printed
from paper_fixtures import Constraints
from replication.constraints import FITTED, Constraint
from replication.findings import roles_view


@pytest.fixture(scope="module")
def constraints(
    printed_constraints: Constraints,
) -> tuple[Constraint, ...]:
    return printed_constraints["frontier"]


def held_against(constraints: Sequence[Constraint], scores: TaskScores) -> pd.DataFrame:
    findings = on_scores("frontier", [scores], settings={}, table_8=Path(), seed=1)
    return roles_view(constraints, findings)


def test_everything_printed_is_met_by_the_items(constraints: tuple[Constraint, ...]) -> None:
    witness = build_frontier(constraints, seed=1)
    scores = witness_scores(witness, {FITTED: "0" * 64})
    assert scores.provenance.fitted_to == (
        "this board's inputs and targets in results/witness/roles.csv, digest 000000000000; free: "
        + "; ".join(FREE)
    )
    first = np.arange(3, dtype=np.int64)
    cells = count_cells(scores.values, first, first + 1)
    summary = summarize_counts(cells.n11, cells.b, cells.c, cells.n00)
    # Appendix D: N = 1,350; ranks 3 vs 4 with gap 2.8 pp and rho 0.48, alone unresolved.
    assert scores.n_items == 1350
    assert cells.b[2] - cells.c[2] == 38
    assert summary.rho[2] == pytest.approx(0.48, abs=0.005)
    assert summary.resolved.tolist() == [True, True, False]
    assert np.all(np.diff(scores.mean_scores) < 0)
    assert witness.contradictions == ()
    report = held_against(constraints, scores)
    assert set(report["status"]) <= {"exact", "within rounding"}
    assert (report["role"] == "input").all()


def test_printed_quantities_are_those_of_the_last_pair() -> None:
    summary = summarize_counts([500, 600, 700], [60, 50, 90], [30, 20, 40], [410, 330, 170])
    found = _quantities(summary)
    assert found["gap"] == summary.delta[2] != summary.delta[1]
    assert found["rho"] == summary.rho[2] != summary.rho[1]


def test_a_gap_that_cannot_be_unresolved_is_reported(constraints: tuple[Constraint, ...]) -> None:
    planted = tuple(
        replace(c, printed=parse_printed("9.8 pp")) if c.quantity == "gap" else c
        for c in constraints
    )
    witness = build_frontier(planted, seed=1)
    (found,) = witness.contradictions
    # A gap of 9.8 pp at rho 0.48 needs fewer than 1,350 items at any accuracy.
    (row,) = found.smallest
    assert row.constraint.quantity == "pair_unresolved"
    assert {"gap", "rho", "n_items"} == {c.quantity for c in row.rests_on}
    report = held_against(planted, witness_scores(witness, {}))
    assert (report["status"] == "residual").any()


def test_the_scores_are_a_function_of_the_seed(constraints: tuple[Constraint, ...]) -> None:
    first, second, other = (build_frontier(constraints, seed=s).values for s in (1, 1, 2))
    np.testing.assert_array_equal(first, second)
    assert np.any(first != other)
