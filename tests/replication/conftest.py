"""Fixtures of tests that hold the machine against the paper."""

# ruff: noqa: F401
from __future__ import annotations

from paper_fixtures import (
    board_scores,
    counts_6,
    counts_7,
    oll_v1_constraints,
    oll_v1_tasks,
    oll_v1_witness,
    published,
)
