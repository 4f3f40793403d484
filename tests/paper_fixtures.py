"""The paper as tests have it: its printed numbers, its displayed scores, a witness of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

import board_examples
from board_examples import ClusteredBoard, CountedBoard
from findings_by_name import Errors, Sets, Values, errors_of, sets_of, values_of
from kotawala2026.findings import on_printed_numbers
from kotawala2026.quantities.grounds import PublishedNumbers, load_published
from kotawala2026.witness.oll_v1 import OllV1Witness, build_witness, witness_scores
from llm_power._scores.store import TaskScores
from llm_power_audit.claims import Register
from llm_power_audit.printed_tables import PublishedCounts, load_counts, load_table
from llm_power_audit.register import load_register
from replication.constraints import (
    FITTED,
    BoardScore,
    Constraint,
    load_board_scores,
    load_constraints,
    score_constraints,
)
from replication.findings import Finding
from replication.paper import Paper

#: What the paper prints.
PUBLISHED = Path(__file__).resolve().parents[1] / "data" / "kotawala2026"
#: What is claimed of each panel.
Constraints = Mapping[str, tuple[Constraint, ...]]


@cache
def loaded_paper(source: str, *matrices: str) -> Paper:
    """Read the paper of this repository, which takes a second, once a process."""
    return Paper.load(PUBLISHED.parents[1], PUBLISHED.name, source=source, matrices=matrices)


def with_cell(folder: Path, table: int, row: int, column: str, text: str) -> Path:
    """Copy what the paper prints into a folder, with one cell that reads otherwise."""
    shutil.copytree(PUBLISHED, folder, dirs_exist_ok=True)
    path = folder / "printed" / f"table_{table:02d}.csv"
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    frame.loc[row - 1, column] = text
    frame.to_csv(path, index=False)
    return folder


@pytest.fixture(scope="session")
def published() -> Callable[[int], pd.DataFrame]:
    """Load a table of the paper's printed numbers by its number."""
    return lambda number: load_table(PUBLISHED / "printed" / f"table_{number:02d}.csv")


@pytest.fixture(scope="session")
def counts_6() -> PublishedCounts:
    """Table 6."""
    return load_counts(PUBLISHED / "printed" / "table_06.csv")


@pytest.fixture(scope="session")
def counts_7() -> PublishedCounts:
    """Table 7 with the N of its caption."""
    return load_counts(PUBLISHED / "printed" / "table_07.csv", n_items=12032)


@pytest.fixture(scope="session")
def board_scores() -> tuple[BoardScore, ...]:
    """The displayed scores of Open LLM Leaderboard v1."""
    return load_board_scores(PUBLISHED / "board_scores.csv")["oll_v1"]


@pytest.fixture(scope="session")
def paper_register() -> Register:
    """All that is claimed."""
    return load_register(PUBLISHED / "claims.yaml")


@pytest.fixture(scope="session")
def printed_constraints() -> Constraints:
    """The register's constraints, which take seconds to read."""
    return load_constraints(PUBLISHED / "claims.yaml")


@pytest.fixture(scope="session")
def oll_v1_constraints(
    board_scores: tuple[BoardScore, ...], printed_constraints: Constraints
) -> tuple[Constraint, ...]:
    """The displayed scores, and the panel's part of the register."""
    return (*score_constraints(board_scores, "oll_v1"), *printed_constraints["oll_v1"])


@pytest.fixture(scope="session")
def oll_v1_witness(
    board_scores: tuple[BoardScore, ...], oll_v1_constraints: tuple[Constraint, ...]
) -> OllV1Witness:
    """The witness of the register as it stands."""
    return build_witness(board_scores, oll_v1_constraints)


@pytest.fixture(scope="session")
def oll_v1_tasks(oll_v1_witness: OllV1Witness) -> tuple[TaskScores, ...]:
    """Its items."""
    return witness_scores(oll_v1_witness, {FITTED: "0" * 64})


@pytest.fixture(scope="session")
def numbers() -> PublishedNumbers:
    """All that the paper prints."""
    return load_published(PUBLISHED)


@pytest.fixture(scope="session")
def evidence(numbers: PublishedNumbers) -> list[Finding]:
    """All that follows from it."""
    return on_printed_numbers(numbers)


@pytest.fixture(scope="session")
def found(evidence: list[Finding]) -> Values:
    """The value of each of these."""
    return values_of(evidence)


@pytest.fixture(scope="session")
def sets(evidence: list[Finding]) -> Sets:
    """The ends of the values of each."""
    return sets_of(evidence)


@pytest.fixture(scope="session")
def errors(evidence: list[Finding]) -> Errors:
    """The standard error of each."""
    return errors_of(evidence)


@pytest.fixture(scope="session")
def counted_board() -> CountedBoard:
    """Twelve pairs of two tasks, as counts."""
    return board_examples.counted_board()


@pytest.fixture(scope="session")
def clustered_board() -> ClusteredBoard:
    """A board of items in categories."""
    return board_examples.clustered_board()
