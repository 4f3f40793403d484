"""What every test may use: a hypothesis profile, the printed numbers, the real boards' root."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pandas as pd
import pytest
from filelock import FileLock
from hypothesis import settings

from kotawala2026.witness.oll_v1 import OllV1Witness, build_witness, witness_scores
from llm_power.scores.store import TaskScores
from replication.constraints import (
    FITTED,
    BoardScore,
    Constraint,
    displayed_scores,
    load_board_scores,
    load_constraints,
)
from replication.printed import (
    PublishedCounts,
    load_counts,
    load_table,
)
from repository import copy_repository, run_workflow

# The same examples on every machine, and no deadline: a busy machine is not a failure.
settings.register_profile(
    "llm-power", derandomize=True, deadline=None, max_examples=50, database=None
)
settings.load_profile("llm-power")

ROOT = Path(__file__).resolve().parents[1]
# In minutes where all others take seconds, in this order: those after the first are at hand when
# the whole run that they wait for is over.
_LONG: Final = ("test_planting.py", "witness", "test_workflow.py", "test_hub_workflow.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first: none is what a worker waits for at the end."""
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    named = {item.path.name, item.path.parent.name} & {*_LONG}
    return _LONG.index(named.pop()) if named else len(_LONG)


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The folder that LLM_POWER_DATA names; tests on real boards are skipped without it."""
    named = os.environ.get("LLM_POWER_DATA", "")
    if not named:
        pytest.skip("LLM_POWER_DATA is not set: the real boards' files are not at hand")
    root = (ROOT / named).resolve()
    if not root.is_dir():
        pytest.fail(f"LLM_POWER_DATA names {root}, which is no folder")
    return root


@pytest.fixture(scope="session")
def recorded() -> Path:
    """The folder of outputs recorded from other programs."""
    return ROOT / "data" / "recorded"


@pytest.fixture(scope="session")
def published() -> Callable[[int], pd.DataFrame]:
    """Load a table of the paper's printed numbers by its number."""
    return lambda number: load_table(
        ROOT / "data" / "kotawala2026" / "printed" / f"table_{number:02d}.csv"
    )


@pytest.fixture(scope="session")
def counts_6() -> PublishedCounts:
    """Table 6."""
    return load_counts(ROOT / "data" / "kotawala2026" / "printed" / "table_06.csv")


@pytest.fixture(scope="session")
def counts_7() -> PublishedCounts:
    """Table 7 with the N of its caption."""
    return load_counts(ROOT / "data" / "kotawala2026" / "printed" / "table_07.csv", n_items=12032)


@pytest.fixture(scope="session")
def board_scores() -> tuple[BoardScore, ...]:
    """The displayed scores."""
    return load_board_scores(ROOT / "data" / "kotawala2026" / "board_scores.csv")


@pytest.fixture(scope="session")
def oll_v1_constraints(board_scores: tuple[BoardScore, ...]) -> tuple[Constraint, ...]:
    """The displayed scores, and the panel's part of the register."""
    printed = load_constraints(ROOT / "data" / "kotawala2026" / "claims.yaml")["oll_v1"]
    return (*displayed_scores(board_scores, "oll_v1"), *printed)


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
def whole_run(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A copy of the repository after its default run, which the workers share: only read it."""
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent
    where = shared / "whole-run"
    with FileLock(shared / "whole-run.lock"):
        if not (where / "results" / "manifest.json").is_file():
            done = run_workflow(copy_repository(where))
            assert done.returncode == 0, done.stdout + done.stderr
    return where
