"""No misprint stops the audit: with any printed number changed, it ends in a report."""

from __future__ import annotations

import os
from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from pathlib import Path
from zlib import crc32

import pandas as pd
import pytest

from kotawala2026.exhibits import table_09
from kotawala2026.quantities import calibration, true_ranges
from kotawala2026.witness import mmlu_pro, oll_v1, oll_v1_board
from llm_power_audit import _exhibits, register
from llm_power_audit.claims import Claim, Register
from llm_power_audit.mutation import with_number
from needed import page
from planned_jobs import planned_jobs
from rerun import Rerun, remembering

N_TRIED = 60
# A correlation of 3 once ended the simulations of Figure 5, a power of 8 the stages of boards, and
# a gap of 2.5% the audit: rows were named by it.
STOPPED_ONCE = {"app-b/rho", "s6/operating-point", "app-c/gap-1"}
# What most misprints leave as it is, in the order of what it costs.
UNCHANGING = (
    (mmlu_pro, "fit_pair"),
    (mmlu_pro, "find_contradiction"),
    (oll_v1_board, "find_contradiction"),
    (oll_v1, "fit_loadings"),
    (oll_v1, "tilt_overlaps"),
    (true_ranges, "count_ranges"),
    (table_09, "bound_errors"),
    (_exhibits, "picture_address"),
    (calibration, "bootstrap_rejection"),
    (calibration, "exact_rates"),
    (register, "read_document"),
)


def by_a_unit(number: Decimal, unit: Decimal) -> Decimal:
    return number + unit


def grossly(number: Decimal, unit: Decimal) -> Decimal:
    return 10 * number if number else 10 * unit


def misprints(printed: Mapping[str, Claim]) -> list[tuple[str, Claim]]:
    """Each number in digits by a unit and grossly, in an order that names decide."""
    names = [c.id for c in printed.values() if not c.printed_of and c.kind == "claim"]
    tried = [(name, how) for how in (by_a_unit, grossly) for name in names]
    tried.sort(key=lambda one: crc32(f"{one[0]}/{one[1].__name__}".encode()))
    changed = ((name, with_number(printed[name], how)) for name, how in tried)
    return [(name, claim) for name, claim in changed if claim is not None]


def test_the_page_counts_the_misprints_of_the_workflow(paper_register: Register) -> None:
    tried = misprints({c.id: c for c in paper_register.claims})
    fitted = [c.role in ("input", "target") and "panel" in c.measures for _, c in tried]
    text = page("docs/audit.md")
    assert f"which is {len(tried):,} misprints, {sum(fitted)} of them of numbers" in text
    assert f"drawn by name, {sum(fitted[:N_TRIED])} of them from the {sum(fitted)}." in text


@pytest.mark.slow
def test_an_audit_of_a_wrong_paper_ends_in_a_report(
    whole_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty misprints, drawn by their names, and three that stopped it once; all with FULL=1."""
    monkeypatch.delenv("LLM_POWER_DATA", raising=False)  # The whole run is without it too.
    plan = partial(planned_jobs, "audit")
    rerun = Rerun.of(whole_run, tmp_path / "run", "kotawala2026", plan)
    tried = misprints(rerun.claims)
    if "FULL" not in os.environ:
        again = [one for one in tried[N_TRIED:] if one[0] in STOPPED_ONCE]
        tried = [*tried[:N_TRIED], *again]
    stopped = {}
    with remembering(*UNCHANGING):
        for name, claim in tried:
            try:
                with rerun.changed([claim]):
                    judged = pd.read_csv(rerun.folder / "results/audit/claims.csv", dtype=str)
                    assert len(judged) == len(rerun.claims)
            except Exception as error:
                stopped[name, claim.printed] = f"{type(error).__name__}: {error}"
    assert stopped == {}
