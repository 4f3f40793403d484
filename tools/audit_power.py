"""Measure how likely the audit of the paper is to notice a misprint, by its size.

    python tools/audit_power.py [--each N] [--minutes M]

Numbers of the paper are drawn by their names and misprinted everywhere the paper prints them; what
is computed from them is computed again and judged again. A witness contradicts nothing, and so is
not fitted again. Written are docs/audit_power.csv and its drawing, by a finished run of the paper.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import matplotlib.pyplot as plt
import pandas as pd
from scipy.stats import binomtest

from audit.claims import Claim
from audit.evaluate import Court, Judged
from audit.printings import Printings, printings
from audit.register import load_register
from audit.selection import UNDEFINED, ResultFolder
from kotawala2026.quantities.evaluated import on_printed_numbers
from kotawala2026.quantities.grounds import load_published
from llm_power._provenance import EVIDENCE as EVIDENCE_CLASSES
from llm_power._report.figures import house_style
from llm_power._report.text_tables import markdown_table
from replication.exhibits import Inputs, write_numbers
from replication.findings import Finding
from replication.rerun import stating, write_cells
from replication.settings import load_settings
from replication.undefined import REFUSALS, reason_of, write_undefined
from replication.views import evidence_view

ROOT: Final = Path(__file__).resolve().parents[1]
PAPER: Final = "kotawala2026"
TABLE: Final = ROOT / "docs" / "audit_power.csv"
PAGE: Final = ROOT / "docs" / "audit.md"
# Between them the page has the rates.
_MARKS: Final = ("<!-- audit power -->", "<!-- end of audit power -->")
PICTURE: Final = ROOT / "docs" / "images" / "audit_power.svg"
EACH: Final = 45
UNITS: Final = (1, 2, 5, 10, 50)
FACTORS: Final = (2, 10)


def _by_units(n: int, number: Decimal, unit: Decimal) -> Decimal:
    return number + n * unit


def _by_factor(n: int, number: Decimal, unit: Decimal) -> Decimal:
    del unit
    return number * n


CHANGES: Final[Mapping[str, Callable[[Decimal, Decimal], Decimal]]] = {
    **{f"{n} unit{'s' if n > 1 else ''}": partial(_by_units, n) for n in UNITS},
    **{f"× {n}": partial(_by_factor, n) for n in FACTORS},
}
SIZES: Final = tuple(CHANGES)
EVIDENCE: Final = "audit/evidence.csv"
# Made from printed tables alone, and from which.
EXHIBITS: Final = {
    "tables/table_01": (1,),
    "tables/table_06": (6, 11),
    "tables/table_07": (7, 4),
    "tables/table_11": (11, 6),
    "figures/figure_03": (7,),
}
_MADE: Final = (EVIDENCE, *(f"{stem}.csv" for stem in EXHIBITS))
# Topics that take seconds, and the table that they alone read.
_SLOW: Final = {"calibration": "printed/table_02.csv"}
# What a misprint of the paper cannot be held against: nobody says what is right.
_WRONG: Final = ("contradicted", "ambiguous")


@dataclass(frozen=True)
class Bench:
    """A finished run's results, in a copy where printed numbers are changed and put back."""

    data: Path
    results: Path
    claims: Mapping[str, Claim]
    court: Court
    numbers: Sequence[Printings]
    settings: Mapping[str, Any]
    findings: Sequence[Finding]

    @classmethod
    def of(cls, finished: Path, folder: Path) -> Bench:
        """Copy what the audit reads."""
        unread = shutil.ignore_patterns("*.parquet", "*.html", "*.tex", "boards", "pairs")
        data = Path(shutil.copytree(finished / "data" / PAPER, folder / "data"))
        results = Path(shutil.copytree(finished / "results", folder / "results", ignore=unread))
        findings = on_printed_numbers(load_published(data))
        evidence_view(findings).to_csv(results / EVIDENCE, index=False)
        register = load_register(data / "claims.yaml").present(results)
        claims = {claim.id: claim for claim in register.claims}
        court = Court(claims, ResultFolder(results))
        numbers = [
            one
            for one in printings(court.judged.values())
            if court.judged[next(iter(one.claims))].verdict not in _WRONG
        ]
        settings = load_settings(data / "settings.yaml")
        return cls(data, results, claims, court, numbers, settings, findings)

    def trial(self, number: Printings, size: str) -> dict[str, object] | None:
        """Misprint a number everywhere, and say what becomes of it; None where it cannot be."""
        first = next(iter(number.claims))
        before = self.court.judged[first]
        changed = number.shifted(self.claims, CHANGES[size])
        if not changed:
            return None
        told: dict[str, object] = {
            "size": size,
            "claim": first,
            "exhibit": before.claim.exhibit or "text",
            "evidence": before.evidence,
            "verdict": before.verdict,
            "printings": len(changed),
            "printed": before.claim.printed,
            "misprinted": changed[0].printed,
        }
        try:
            after = self._judged_again({one.id: one for one in changed})
        except Exception as error:
            return told | {"fate": "stopped", "noticed_by": "", "reason": str(error)}
        lost = [one.claim.id for one in after if one.verdict == "contradicted"]
        undefined = any(outcome.undefined for one in after for outcome in one.outcomes)
        fate = "noticed" if lost else "undefined" if undefined else "passed"
        reason = next((one.reason for one in after if one.claim.id == first), before.reason)
        return told | {
            "fate": fate,
            "noticed_by": lost[0] if lost else "",
            "reason": "" if lost else reason,
        }

    def _judged_again(self, changed: Mapping[str, Claim]) -> list[Judged]:
        """Judge again what was not contradicted and may be now."""
        claims = {
            name: replace(one, printed=new.printed, statement=new.statement)
            if (new := changed.get(one.printed_of or name))
            else one
            for name, one in self.claims.items()
        }
        tables = {one.cell.file for one in changed.values() if one.cell}
        kept = {path: path.read_bytes() for path in (self.data / name for name in tables)}
        kept |= {path: path.read_bytes() for path in (self.results / name for name in _MADE)}
        try:
            write_cells(self.data, self.claims, changed.values())
            with stating(changed):
                settings = load_settings(self.data / "settings.yaml")
                turned = (
                    self._made_again(tables, settings)
                    if tables or settings != self.settings
                    else set()
                )
            court = self.court.with_results(ResultFolder(self.results))
            return [
                court.judge_again(claims[name], claims)
                for name, before in self.court.judged.items()
                if before.verdict != "contradicted" and _may_turn(claims[name], changed, turned)
            ]
        finally:
            for path, content in kept.items():
                path.write_bytes(content)

    def _made_again(self, tables: set[str], settings: Mapping[str, Any]) -> set[str]:
        """Make again what printed numbers alone make; return the quantities and files that turn."""
        fast = {one.topic for one in self.findings} - {
            topic for topic, table in _SLOW.items() if table not in tables
        }
        findings = on_printed_numbers(load_published(self.data), fast | {"notation"})
        findings += [one for one in self.findings if one.topic not in fast]
        evidence_view(findings).to_csv(self.results / EVIDENCE, index=False)
        before, after = ({repr(f): f.quantity for f in some} for some in (self.findings, findings))
        turned = {{**before, **after}[key] for key in before.keys() ^ after.keys()}
        for stem, numbers in EXHIBITS.items():
            files = {n: f"printed/table_{n:02d}.csv" for n in numbers}
            if tables & {*files.values()}:
                name = Path(stem).name
                inputs = {f"printed/{n}": self.data / file for n, file in files.items()}
                recorded = ROOT / "data/recorded/r_pwr_2p_test.yaml"
                try:
                    made = import_module(f"{PAPER}.exhibits.{name}").make(
                        Inputs(name, {**inputs, "recorded": recorded, "provenance": []}, settings)
                    )
                    write_numbers(made, str(self.results / stem))
                except REFUSALS as error:
                    write_undefined([str(self.results / f"{stem}.csv")], reason_of(error))
                turned.add(f"{stem}.csv")
        return turned


def _may_turn(claim: Claim, changed: Mapping[str, Claim], turned: set[str]) -> bool:
    """Whether a claim states something else, or is held against what does."""
    if claim.id in changed or claim.printed_of in changed:
        return True
    for check in claim.checks:
        quantity = check.rows.get("quantity")
        names = {check.claim, check.result, quantity if isinstance(quantity, str) else ""}
        if names & changed.keys() or names & turned:
            return True
        if check.result == EVIDENCE and (UNDEFINED in turned or not isinstance(quantity, str)):
            return True
    return False


def drawn(numbers: Sequence[Printings], size: str) -> list[Printings]:
    """Return the numbers in an order that their names decide."""
    return sorted(numbers, key=lambda one: crc32(f"{size}/{next(iter(one.claims))}".encode()))


def rates(trials: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return the share noticed of each group, with its interval at 95 % (Wilson)."""
    rows = []
    for names, group in trials.groupby(list(by), sort=False):
        noticed = int((group["fate"] == "noticed").sum())
        ends = binomtest(noticed, len(group)).proportion_ci(method="wilson")
        rows.append((*names, noticed, len(group), noticed / len(group), ends.low, ends.high))
    return pd.DataFrame(rows, columns=[*by, "noticed", "misprints", "share", "low", "high"])


def written(trials: pd.DataFrame) -> str:
    """Return the shares noticed by class of evidence and by exhibit, for each size, as Markdown."""
    total = rates(trials, ["size"]).set_index("size").reindex(list(SIZES))

    def counts(by: str, names: Sequence[str]) -> list[list[str]]:
        found = rates(trials, [by, "size"]).set_index([by, "size"])
        of = zip(found.index, found["noticed"], found["misprints"], strict=True)
        cells = {key: f"{noticed}/{misprints}" for key, noticed, misprints in of}
        return [[n.replace("_", " "), *(cells.get((n, s), "") for s in SIZES)] for n in names]

    shares = [f"{row.share:.0%} ({row.low:.0%} to {row.high:.0%})" for row in total.itertuples()]
    rows = [
        *counts("evidence", [one for one in EVIDENCE_CLASSES if one in set(trials["evidence"])]),
        *counts("exhibit", sorted(set(trials["exhibit"]))),
        ["all", *(f"{row.noticed}/{row.misprints}" for row in total.itertuples())],
        ["share, 95% interval", *shares],
    ]
    return markdown_table([["", *SIZES], *rows], right=range(1, len(SIZES) + 1))


def draw(trials: pd.DataFrame, path: Path) -> None:
    """Draw the share noticed by size, with intervals, of all numbers and of those with evidence."""
    tested = trials[trials["evidence"].isin(["derived", "displayed", "counts", "simulated"])]
    with house_style():
        figure, axes = plt.subplots(figsize=(5.2, 2.6))
        for shift, label, some in ((-0.1, "all numbers", trials), (0.1, "with evidence", tested)):
            found = rates(some, ["size"]).set_index("size").reindex(list(SIZES))
            place = [i + shift for i in range(len(found))]
            ends = [found["share"] - found["low"], found["high"] - found["share"]]
            axes.errorbar(place, found["share"], yerr=ends, fmt="o", label=label, capsize=2)
        axes.set_xticks(range(len(SIZES)), list(SIZES))
        axes.set_ylim(0, 1)
        axes.set_ylabel("Share noticed")
        axes.legend(loc="lower right")
        figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    """Misprint, judge and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=EACH, help="Misprints of each size")
    parser.add_argument("--minutes", type=float, default=120, help="Longest run")
    given = parser.parse_args()
    began, trials = time.monotonic(), []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench.of(ROOT, Path(folder))
        waiting = {size: iter(drawn(bench.numbers, size)) for size in SIZES}
        for _ in range(given.each):
            for size, numbers in waiting.items():
                if time.monotonic() - began < 60 * given.minutes:
                    tried = (bench.trial(number, size) for number in numbers)
                    trials += [found for found in [next(filter(None, tried), None)] if found]
    table = pd.DataFrame(trials)
    table.to_csv(TABLE, index=False, lineterminator="\n")
    draw(table, PICTURE)
    page = PAGE.read_text(encoding="utf-8")
    start, end = (page.index(mark) for mark in _MARKS)
    text = f"{page[: start + len(_MARKS[0])]}\n\n{written(table)}\n\n{page[end:]}"
    PAGE.write_text(text, encoding="utf-8")
    print(rates(table, ["size"]).to_string(index=False))
    print(f"{len(table)} misprints of {len(bench.numbers)} numbers: {Counter(table['fate'])}")


if __name__ == "__main__":
    main()
