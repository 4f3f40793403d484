"""What every test may use: one hypothesis profile and the root of the real boards' files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every machine, and no deadline: a busy machine is not a failure.
settings.register_profile(
    "llm-power", derandomize=True, deadline=None, max_examples=50, database=None
)
settings.load_profile("llm-power")

ROOT = Path(__file__).resolve().parents[1]


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
