"""Misprints judged by results that stay, against misprints from which the results are made again.

A check whose result was computed from the very number that is misprinted would notice nothing in
truth: the result would be misprinted with it.
"""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import pytest
from test_planting import write_evidence

from audit.claims import Claim
from audit.evaluate import judge_claim
from audit.mutants import Mutant
from audit.mutation import Trial, mutation_trials
from audit.register import load_register
from audit.selection import ResultFolder
from llm_power._errors import LLMPowerError
from replication.exhibits import Inputs, write_numbers
from replication.settings import load_settings

# Made from printed tables alone, and of which; all others wait for a witness or a simulation.
EXHIBITS: Final = {
    "tables/table_06": (6, 11),
    "tables/table_07": (7, 4),
    "tables/table_11": (11, 6),
    "figures/figure_03": (7,),
}
N_RERUNS: Final = 24


@dataclass(frozen=True)
class Rerun:
    """A copy of a finished run in which misprints are made and taken back."""

    published: Path
    results: Path
    claims: Mapping[str, Claim]
    settings: Mapping[str, Any]

    @classmethod
    def of(cls, finished: Path, to: Path) -> Rerun:
        published = finished / "data/kotawala2026"
        unread = shutil.ignore_patterns("*.parquet", "*.html", "*.md", "*.tex")
        return cls(
            Path(shutil.copytree(published, to / "published")),
            Path(shutil.copytree(finished / "results", to / "results", ignore=unread)),
            {claim.id: claim for claim in load_register(published / "claims.yaml").claims},
            load_settings(published / "settings.yaml"),
        )

    def fate(self, trial: Trial) -> str:
        """Say whether a claim that noticed is contradicted by results that are made again.

        A run that stops at the misprint notices it as well, though it should say so.
        """
        kept = {path: path.read_bytes() for path in self.published.glob("printed/*.csv")}
        try:
            self._misprint(trial.mutant)
            self._make()
            claims = {**self.claims, **{one.id: one for one in trial.mutant.changed}}
            folder = ResultFolder(self.results)
            verdicts = {
                judge_claim(claims[name], claims, folder).verdict for name in trial.noticed_by
            }
            return "contradicted" if "contradicted" in verdicts else "passed"
        except (LLMPowerError, ArithmeticError, RuntimeWarning, ValueError):
            return "stopped"
        finally:
            for path, content in kept.items():
                path.write_bytes(content)

    def _misprint(self, mutant: Mutant) -> None:
        for claim in mutant.changed:
            if claim.cell is None:
                continue
            path = self.published / claim.cell.file
            header, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
            rows[claim.cell.row - 1][header.index(claim.cell.column)] = claim.printed
            with path.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([header, *rows])

    def _make(self) -> None:
        write_evidence(self.published, self.results / "audit/evidence.csv")
        for stem, numbers in EXHIBITS.items():
            files = {f"printed/{n}": self.published / f"printed/table_{n:02d}.csv" for n in numbers}
            name = stem.partition("/")[2]
            made = import_module(f"kotawala2026.exhibits.{name}").make(
                Inputs(name, {**files, "provenance": []}, self.settings)
            )
            write_numbers(made, str(self.results / stem))


def sampled(trials: list[Trial], n: int) -> list[Trial]:
    """Misprints of whole cells that are detected, drawn by their names."""
    whole = [
        trial
        for trial in trials
        if trial.fate == "detected"
        and all(one.cell and one.cell.part in ("", "count", "text") for one in trial.mutant.changed)
    ]
    return sorted(
        whole, key=lambda t: crc32(f"full rerun/{t.mutant.claim}/{t.mutant.misprinted}".encode())
    )[:n]


@pytest.mark.slow
def test_what_is_detected_is_detected_by_results_that_are_made_again(
    whole_run: Path, tmp_path: Path
) -> None:
    register = load_register(whole_run / "data/kotawala2026/claims.yaml")
    trials = sampled(mutation_trials(register, whole_run / "results"), N_RERUNS)
    rerun = Rerun.of(whole_run, tmp_path)
    fates = {(t.mutant.claim, t.mutant.misprinted): rerun.fate(t) for t in trials}
    assert len(fates) == N_RERUNS
    assert [misprint for misprint, fate in fates.items() if fate == "passed"] == []
    assert Counter(fates.values())["stopped"] < N_RERUNS / 4
