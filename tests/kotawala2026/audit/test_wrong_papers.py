"""No misprint stops the audit: with any printed number changed, it ends in a report."""

from __future__ import annotations

import os
from decimal import Decimal
from functools import partial
from pathlib import Path
from zlib import crc32

import pandas as pd
import pytest

from llm_power_audit.mutants import with_number
from planned_jobs import planned_jobs
from rerun import Rerun

N_TRIED = 60


def by_a_unit(number: Decimal, unit: Decimal) -> Decimal:
    return number + unit


def grossly(number: Decimal, unit: Decimal) -> Decimal:
    return 10 * number if number else 10 * unit


@pytest.mark.slow
def test_an_audit_of_a_wrong_paper_ends_in_a_report(
    whole_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty misprints, drawn by their names; all of them with FULL=1."""
    monkeypatch.delenv("LLM_POWER_DATA", raising=False)  # The whole run is without it too.
    plan = partial(planned_jobs, "audit")
    rerun = Rerun.of(whole_run, tmp_path / "run", "kotawala2026", plan)
    names = [c.id for c in rerun.claims.values() if not c.printed_of and c.kind == "claim"]
    tried = [(name, how) for how in (by_a_unit, grossly) for name in names]
    tried.sort(key=lambda one: crc32(f"{one[0]}/{one[1].__name__}".encode()))
    done, stopped = 0, {}
    for name, how in tried:
        claim = with_number(rerun.claims[name], how)
        if claim is None:
            continue
        try:
            with rerun.changed([claim]):
                judged = pd.read_csv(rerun.folder / "results/audit/claims.csv", dtype=str)
                assert len(judged) == len(rerun.claims)
        except Exception as error:
            stopped[name, claim.printed] = f"{type(error).__name__}: {error}"
        done += 1
        if done == N_TRIED and "FULL" not in os.environ:
            break
    assert stopped == {}
