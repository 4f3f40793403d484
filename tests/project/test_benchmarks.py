"""The benchmark of the verdicts runs, and finds its places in the documents."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from repository import ROOT


@pytest.mark.slow
def test_a_short_run_prints_every_table_and_says_that_no_boards_are_there() -> None:
    environment = {k: v for k, v in os.environ.items() if k != "LLM_POWER_DATA"}
    script = ROOT / "benchmarks" / "measured_errors.py"
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", script, "--trials", "40"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    for part in ("Type I error", "Crossing", "Coverage", "Power", "Half samples are left out"):
        assert part in done.stdout


@pytest.mark.parametrize("document", ["docs/numbers.md", "docs/verdicts.md"])
def test_a_document_has_one_place_for_what_is_measured(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    begin, end = "<!-- measured by make bench-verdicts -->\n", "<!-- end of what is measured -->\n"
    assert (text.count(begin), text.count(end)) == (1, 1)
    assert "nominal" in text[text.index(begin) : text.index(end)]
