"""What tests read of the clone, and what not every machine has: a program, a folder beside it.

Without that these tests are skipped; where LLM_POWER_THING=required says so, as in .ci/run, they
fail.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[1]


def page(name: str) -> str:
    """Return the text of a document, in one line."""
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def without(thing: str, message: str) -> NoReturn:
    """End a test for want of a thing: as a failure if it is required, else as skipped."""
    if os.environ.get(f"LLM_POWER_{thing.upper()}") == "required":
        pytest.fail(message)
    pytest.skip(message)


def folder_of(variable: str) -> Path:
    """Return the folder that LLM_POWER_DATA or LLM_POWER_PAPERS names."""
    named = os.environ.get(variable, "")
    if not named:
        without("shared", f"{variable} is not set: its folder is not at hand")
    folder = (ROOT / named).resolve()
    if not folder.is_dir():
        pytest.fail(f"{variable} names {folder}, which is no folder")
    return folder
