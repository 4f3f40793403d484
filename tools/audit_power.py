"""Measure how likely the audit of a paper is to notice a misprint, by its size.

    python tools/audit_power.py [--paper NAME] [--each N] [--minutes M]

Every number of the paper is misprinted by one unit, and those drawn by their names by each other
size, everywhere the paper prints them. What follows from them is computed and judged again. A
witness contradicts nothing, and so is not fitted again. What data/recorded/audit_power/NAME.csv has
is not tried again: without that file the tool begins anew. The file and docs/audit.md are written,
by a finished run of the paper.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from kotawala2026.exhibits.item_count import implied_item_count
from kotawala2026.labels import FIVE_NUMBERS
from kotawala2026.quantities.grounds import DisplayedScores, PublishedNumbers, load_published
from kotawala2026.quantities.notation import identified
from kotawala2026.quantities.true_ranges import PossibleTables, printed_rows
from llm_power._files import write_whole
from llm_power._report.figures import house_style
from llm_power._report.text_tables import markdown_table
from llm_power._statistics.arrays import ArrayLike, FloatArray
from llm_power._statistics.paired_binary import required_n_discordance, shortcut_required_n
from llm_power_audit._errors import UNDEFINED
from llm_power_audit.agreement import HOLDING, agrees, interval
from llm_power_audit.claims import Claim
from llm_power_audit.evaluate import Court, Judged
from llm_power_audit.misprints import (
    FACTORS,
    SIZES,
    UNITS,
    Detection,
    Printings,
    misprinted,
    printings,
    restored,
)
from llm_power_audit.printed import DISPLAY_RULES, DisplayRule, Printed
from llm_power_audit.register import load_register
from llm_power_audit.selection import ResultFolder
from miller2024.possible_items import items_of
from miller2024.possible_items import written as written_items
from replication.contradictions import CountRow, count_ranges, quantile_rows
from replication.exhibits import Inputs, write_numbers
from replication.findings import Finding, PrintedNumbers, evidence_view
from replication.paper import ExhibitPlan, Paper, folders_of
from replication.settings import load_settings
from replication.stages import REFUSALS, reason_of, write_undefined

ROOT: Final = Path(__file__).resolve().parents[1]
# The one that config.yaml names.
FIRST: Final = "kotawala2026"
RECORDED: Final = ROOT / "data" / "recorded" / "audit_power"
PAGE: Final = ROOT / "docs" / "audit.md"
# Between them the page has the rates of a paper.
_MARKS: Final = ("<!-- audit power of {} -->", "<!-- end of audit power of {} -->")
PICTURE: Final = ROOT / "docs" / "images" / "audit_power.svg"
EACH: Final = 71
# By this every number is misprinted, as far as the time reaches.
EVERY: Final = SIZES[0]
EVIDENCE: Final = "audit/evidence.csv"
# Topics that take seconds, and the table that they alone read.
_SLOW: Final = {FIRST: {"calibration": "printed/table_02.csv"}}
# n_h/N* of the pairs of Open LLM Leaderboard v1, and the quantile that each is.
RATIOS: Final = {f"s4/ratio-{part}": share for part, share in FIVE_NUMBERS.items()}
# The percentiles between the brackets of Table 9, and its resamples.
_TAILS: Final = "table-9-caption/percentiles"
_RESAMPLES: Final = 1000
# What a misprint of the paper cannot be held against: nobody says what is right.
_WRONG: Final = ("contradicted", "ambiguous")


def _by_units(n: int, number: Decimal, unit: Decimal) -> Decimal:
    return number + n * unit


def _by_factor(n: int, number: Decimal, unit: Decimal) -> Decimal:
    del unit
    return number * n


_HOW: Final = (*(partial(_by_units, n) for n in UNITS), *(partial(_by_factor, n) for n in FACTORS))
CHANGES: Final[Mapping[str, Callable[[Decimal, Decimal], Decimal]]] = dict(
    zip(SIZES, _HOW, strict=True)
)


# What printed numbers say of the tables of pairs: of how many each property is.
Rows = Sequence[tuple[str, float, float, Mapping[int, bytes]]]


@dataclass(frozen=True)
class Bench:
    """A finished run's results, in a copy where printed numbers are changed and put back."""

    paper: Paper
    data: Path
    results: Path
    claims: Mapping[str, Claim]
    court: Court
    numbers: Sequence[Printings]
    findings: Sequence[Finding]
    rows: Rows

    @classmethod
    def of(cls, finished: Path, folder: Path, name: str = FIRST) -> Bench:
        """Copy what the audit reads."""
        unread = shutil.ignore_patterns("*.parquet", "*.html", "*.tex", "boards", "pairs")
        below = finished / folders_of(ROOT, FIRST)[name]
        shutil.copytree(finished / "data" / name, folder / "data" / name)
        results = Path(shutil.copytree(below / "results", folder / "results", ignore=unread))
        paper = replace(Paper.load(ROOT, name, source="printed"), root=folder)
        findings = _evaluate(paper)
        evidence_view(findings).to_csv(results / EVIDENCE, index=False)
        register = load_register(paper.folder / "claims.yaml").present(results)
        claims = {claim.id: claim for claim in register.claims}
        court = Court(claims, ResultFolder(results))
        numbers = [
            one
            for one in printings(court.judged.values())
            if court.judged[next(iter(one.claims))].verdict not in _WRONG
        ]
        return cls(paper, paper.folder, results, claims, court, numbers, findings, _rows(paper))

    @property
    def exhibits(self) -> list[ExhibitPlan]:
        """Those made from printed tables alone, and from files that the run had."""
        return [
            one
            for one in self.paper.exhibits.values()
            if one.caption == "counts" and one.printed and not one.config
            if (self.results / f"{one.data}.csv".removeprefix("results/")).is_file()
        ]

    def trial(self, number: Printings, size: str) -> dict[str, object] | None:
        """Misprint a number everywhere, and say what becomes of it; None where it cannot be."""
        first = next(iter(number.claims))
        before = self.court.judged[first]
        changed = number.shifted(self.claims, CHANGES[size])
        if not changed:
            return None
        trial: dict[str, object] = {
            "size": size,
            "claim": first,
            "exhibit": before.claim.exhibit or "text",
            "evidence": before.evidence,
            "verdict": before.verdict,
            "printings": len(changed),
            "printed": before.claim.printed,
            "misprinted": changed[0].printed,
            "data": "",
        }
        try:
            after, by_tables = self._judged_again({one.id: one for one in changed})
        except Exception as error:
            return trial | {"fate": "stopped", "noticed_by": "", "stands": "", "reason": str(error)}
        lost = [one.claim.id for one in after if one.verdict == "contradicted"]
        undefined = any(outcome.undefined for one in after for outcome in one.outcomes)
        fate = "noticed" if lost else "undefined" if undefined else "passed"
        one = next((one for one in after if one.claim.id == first), before)
        # What bears on a number may be a check of another printing of it.
        printed = [one, *(two for two in after if two.claim.id in number.claims)]
        tested = next((two for two in printed if two.evidence != "consistency"), one)
        why = "" if lost else by_tables or _why_passed(tested)
        if why == "range" and first in RATIOS:
            why = "tables" if self._have_tables(changed) else "fault"
        elif why == "range":
            is_first = self.paper.name == FIRST
            trial["data"] = self._data(changed) if is_first else self._items(changed)
            why = "fault" if not trial["data"] else "values" if is_first else "items"
        return trial | {
            "fate": fate,
            "noticed_by": lost[0] if lost else "",
            "stands": why,
            "reason": "" if lost else one.reason,
        }

    def _have_tables(self, changed: Sequence[Claim]) -> bool:
        """Whether tables of all pairs have n_h/N* of whole items as stated, and the rest."""
        possible = _possible(self.paper)
        ratio = {}
        for i, one in enumerate(possible.tables):
            n_h = shortcut_required_n(one.p_a, one.p_b, one.rho)
            ratio[i] = np.asarray(np.ceil(n_h) / np.ceil(one.n_star))
        rows: list[CountRow] = list(printed_rows(possible))
        claims = {**self.claims, **{one.id: one for one in changed}}
        for name, share in RATIOS.items():
            rows += quantile_rows(name, ratio, share, *interval(claims[name].statement))
        return not count_ranges(rows, [])[1]

    def _data(self, changed: Sequence[Claim]) -> str:
        """Return values of the clusters' statistics that have a misprint and all of Table 9."""
        tails = next((one.printed for one in changed if one.id == _TAILS), "5–95%")
        low, high = (float(one) / 100 for one in tails.rstrip("%").split("–"))
        with misprinted(self.data, self.claims, {one.id: one for one in changed}):
            resampled = Resampled.of(load_published(self.data), (low, high))
        cell = next((one.cell for one in changed if one.cell), None)
        if resampled is None or (cell is None and tails == "5–95%"):
            return ""
        return resampled.written(*([cell.row - 1] if cell else range(9)))

    def _items(self, changed: Sequence[Claim]) -> str:
        """Return items of Miller's evals that have a misprint and what else is printed of them."""
        with misprinted(self.data, self.claims, {one.id: one for one in changed}):
            tables = PrintedNumbers.load(self.data).tables
        cell = changed[0].cell
        clusters = cell and items_of(tables, int(cell.file[-6:-4]), cell.label)
        return written_items(clusters) if clusters else ""

    def _judged_again(self, changed: Mapping[str, Claim]) -> tuple[list[Judged], str]:
        """Judge again what was not contradicted and may be now; say what the pairs' tables say."""
        claims = {
            name: replace(one, printed=new.printed, statement=new.statement)
            if (new := changed.get(one.printed_of or name))
            else one
            for name, one in self.claims.items()
        }
        made = [EVIDENCE, *(f"{one.data}.csv".removeprefix("results/") for one in self.exhibits)]
        with restored(self.results / name for name in made):
            with misprinted(self.data, self.claims, changed) as paths:
                tables = {path.relative_to(self.data).as_posix() for path in paths}
                settings = load_settings(self.data / "settings.yaml")
                is_read = tables or settings != self.paper.settings
                turned = self._made_again(tables, settings) if is_read else set()
                by_tables = self._by_tables()
            court = self.court.with_results(ResultFolder(self.results))
            return [
                court.judge_again(claims[name], claims)
                for name, before in self.court.judged.items()
                if before.verdict != "contradicted" and _may_turn(claims[name], changed, turned)
            ], by_tables

    def _by_tables(self) -> str:
        """Say whether tables of all pairs satisfy what is printed, where it says other things."""
        if _rows(self.paper) == self.rows:
            return ""
        evidence = pd.read_csv(self.results / EVIDENCE, dtype=str)
        (sentence,) = evidence.loc[evidence["quantity"] == "range_of_unresolved", "value"]
        return "conflict" if "contradict each other" in sentence else "tables"

    def _made_again(self, tables: set[str], settings: Mapping[str, Any]) -> set[str]:
        """Make again what printed numbers alone make; return the quantities and files that turn."""
        findings = _evaluate(self.paper, tables, self.findings)
        evidence_view(findings).to_csv(self.results / EVIDENCE, index=False)
        before, after = ({repr(f): f.quantity for f in some} for some in (self.findings, findings))
        turned = {{**before, **after}[key] for key in before.keys() ^ after.keys()}
        for plan in self.exhibits:
            inputs = replace(self.paper, root=ROOT).inputs(plan) | {
                f"printed/{n}": self.paper.printed(n) for n in plan.printed
            }
            of_root = {name: self.paper.data_files[name].path for name in plan.data_root}
            inputs |= {f"data_root/{name}": _data_root(path) for name, path in of_root.items()}
            stem = plan.data.removeprefix("results/")
            if tables & {f"printed/table_{n:02d}.csv" for n in plan.printed}:
                try:
                    module = import_module(self.paper.module(plan))
                    made = module.make(Inputs(plan.name, inputs, settings))
                    write_numbers(made, str(self.results / stem))
                except REFUSALS as error:
                    write_undefined([str(self.results / f"{stem}.csv")], reason_of(error))
                turned.add(f"{stem}.csv")
        return turned


def _rows(paper: Paper) -> Rows:
    if paper.name != FIRST:
        return []
    return [
        (row.member, row.least, row.most, {i: has.tobytes() for i, has in row.has.items()})
        for row in printed_rows(_possible(paper))
    ]


def _possible(paper: Paper) -> PossibleTables:
    return PossibleTables(DisplayedScores(identified(load_published(paper.folder))))


@dataclass(frozen=True)
class Resampled:
    """ICC and mean size of a cluster for each pair of MMLU-Pro: of all items, and by resample.

    They display as Tables 4 and 9 print; no items were made that have them.
    """

    labels: Sequence[str]
    n_star: FloatArray
    icc: FloatArray  # Of all items, by pair
    resamples: FloatArray  # ICC and mean size, shape (n_pairs, n_resamples, 2)
    n_items: int
    mean_size: float

    @classmethod
    def of(cls, published: PublishedNumbers, tails: tuple[float, float]) -> Resampled | None:
        """Return such values; None where none are found."""
        for rule in DISPLAY_RULES:
            resampled = cls._by_rule(published, rule)
            if resampled is not None and resampled.displays(published, tails, rule):
                return resampled
        return None

    @classmethod
    def _by_rule(cls, published: PublishedNumbers, rule: DisplayRule) -> Resampled | None:
        pairs, fine = published.adjacent_pairs, published.tables[9]
        n_items = implied_item_count(pairs).n_items
        n_star = required_n_discordance(pairs.b, pairs.c, n_items)
        mean, any_size = n_items / len(published.subject_sizes), [*published.subject_sizes]
        wholes, resamples, resolved = [], [], []
        for i, one in enumerate(n_star.tolist()):
            cells = {part: _cells(fine, i, part) for part in ("lower", "point", "upper")}
            point = _values(one, [*cells["point"], *_cells(published.tables[4], i)], [mean], rule)
            low, high = (_values(one, cells[end], any_size, rule) for end in ("lower", "upper"))
            if point is None or low is None or high is None:
                return None
            n_resolved = _RESAMPLES - round(fine["pr_unresolved"][i].value * _RESAMPLES)
            of_low, of_high = (one * _effect(*end) <= n_items for end in (low, high))
            turn = n_resolved if of_low and not of_high else _RESAMPLES // 2
            ranked = np.where(np.arange(_RESAMPLES)[:, None] < turn, low, high)
            if not of_low:
                ranked[:n_resolved] = -1 / mean, mean
            elif of_high:
                ranked[n_resolved:] = 2 * n_items / one / mean, mean
            wholes.append(point[0])
            resamples.append(ranked)
            resolved.append(n_resolved)
        varying = [i for i in np.argsort(resolved) if 0 < resolved[i] < _RESAMPLES]
        if len(varying) == 2:
            # As many as print four unresolved pairs resolve both.
            both = round(float(published.settings["category_bootstrap_shares"][0]) * _RESAMPLES)
            few, many = varying
            resamples[few] = np.roll(resamples[few], resolved[many] - both, axis=0)
        return cls(pairs.label, n_star, np.array(wholes), np.array(resamples), n_items, mean)

    def displays(
        self, published: PublishedNumbers, tails: tuple[float, float], rule: DisplayRule
    ) -> bool:
        """Whether Tables 4 and 9 and the shares beside them are printed of these values."""
        fine, n_unresolved = published.tables[9], np.zeros(_RESAMPLES, dtype=int)
        fits = []
        for i, one in enumerate(self.n_star.tolist()):
            icc, size = self.resamples[i].T
            effect = _effect(icc, size)
            unresolved = one * effect > self.n_items
            n_unresolved += unresolved
            fits.append(agrees(fine["pr_unresolved"][i], float(unresolved.mean())))
            whole = _shown(one, self.icc[i], self.mean_size)
            fits += _fit(_cells(fine, i, "point"), whole, rule)
            fits += _fit(_cells(published.tables[4], i), whole, rule)
            for end, tail in zip(("lower", "upper"), tails, strict=True):
                quantiles = [float(np.quantile(x, tail)) for x in (icc, effect, one * effect)]
                fits += _fit(_cells(fine, i, end), quantiles, rule)
        shares = zip((4, 5, 6), published.settings["category_bootstrap_shares"], strict=True)
        fits += [abs((n_unresolved == n).mean() - float(share)) < 1e-9 for n, share in shares]
        return all(fits)

    def written(self, *pairs: int) -> str:
        """Write what a pair has: the ICC of all items, and of resamples ICC and mean size."""
        listed = []
        for i in pairs:
            counted = Counter(map(tuple, self.resamples[i].tolist()))
            each = (f"{x:.9g} (size {m:.9g}) × {n}" for (x, m), n in sorted(counted.items()))
            listed.append(f"{self.labels[i]}: ICC {self.icc[i]:.9g}; resamples {', '.join(each)}")
        return " | ".join(listed)


def _cells(table: pd.DataFrame, row: int, part: str = "") -> list[Printed]:
    """Return ICC, design effect and cluster N* of a row, as printed."""
    cells = [table[name][row] for name in ("icc", "design_effect", "n_star_cluster")]
    return [getattr(one, part) for one in cells] if part else cells


def _effect(icc: ArrayLike, size: ArrayLike) -> FloatArray:
    return 1 + (np.asarray(size) - 1) * np.maximum(icc, 0)


def _shown(n_star: float, icc: float, size: float) -> list[float]:
    effect = float(_effect(icc, size))
    return [icc, effect, n_star * effect]


def _fit(cells: Sequence[Printed], values: Sequence[float], rule: DisplayRule) -> list[bool]:
    rules: list[DisplayRule] = ["nearest", "nearest", rule]
    return [agrees(c, v, rounding=r) for c, v, r in zip(cells, values, rules, strict=True)]


def _values(
    n_star: float, cells: Sequence[Printed], sizes: Sequence[float], rule: DisplayRule
) -> tuple[float, float] | None:
    """Return an ICC and a mean size from the least to the largest that display as printed."""
    rules: list[DisplayRule] = ["nearest", "nearest", rule]
    ends = np.array([interval(c, rules[k % 3]) for k, c in enumerate(cells)])
    of_icc, of_effect, of_required = (ends[k::3] for k in range(3))
    low = max(1.0, of_effect[:, 0].max(), of_required[:, 0].max() / n_star)
    high = min(of_effect[:, 1].min(), of_required[:, 1].min() / n_star)
    least, most = of_icc[:, 0].max(), of_icc[:, 1].min()
    inside = np.linspace(low, high, 5)[1:-1].tolist() if low <= high else []
    for effect in ([1.0] if low == 1 else []) + inside:
        if effect == 1:
            # No ICC is below -1 / (size - 1), and one up to 0 inflates nothing.
            size = min(sizes)
            candidates = (
                [((max(least, -1 / (size - 1)) + min(most, 0)) / 2, size)] if least <= 0 else []
            )
        else:
            iccs = np.linspace(least, most, 99)[1:-1]
            with np.errstate(divide="ignore"):
                candidates = [(x, (effect - 1) / x + 1) for x in iccs.tolist() if x > 0]
            if len(sizes) == 1:
                candidates = [((effect - 1) / (sizes[0] - 1), sizes[0])]
        for icc, size in candidates:
            within = min(sizes) <= size <= max(sizes)
            if within and all(
                fit
                for k in range(0, len(cells), 3)
                for fit in _fit(cells[k : k + 3], _shown(n_star, icc, size), rule)
            ):
                return icc, size
    return None


def _why_passed(one: Judged) -> str:
    """Say why a misprint that passes can be what the paper says; a fault if nothing does."""
    if one.evidence == "none":
        return "untested"
    if one.verdict == "ambiguous" and not one.claim.exhaustive:
        return "reading"
    can_be = [o for o in one.outcomes if o.verdict in (*HOLDING, "feasible")]
    if any(o.standard_error for o in can_be):
        return "chance"
    return "range" if any(o.is_set for o in can_be) else "fault"


def _data_root(path: str) -> str:
    return os.path.join(os.environ.get("LLM_POWER_DATA", "DATA_ROOT"), path)


def _evaluate(
    paper: Paper, tables: set[str] | None = None, before: Sequence[Finding] = ()
) -> list[Finding]:
    """Evaluate the quantities on what is printed; slow ones stay where their table does."""
    evaluate = import_module(paper.quantities).evaluate_printed
    slow = (
        []
        if tables is None
        else [k for k, v in _SLOW.get(paper.name, {}).items() if v not in tables]
    )
    if not slow:
        return list(evaluate(paper.folder))
    fast = {one.topic for one in before} - {*slow}
    return [*evaluate(paper.folder, fast), *(one for one in before if one.topic in slow)]


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


def written(detection: Detection) -> str:
    """Return the shares noticed by class of evidence and by exhibit, for each size, as Markdown."""
    return markdown_table(detection.cells(), right=range(1, len(SIZES) + 1))


def draw(detection: Detection, path: Path) -> None:
    """Draw the share noticed by size, with its interval."""
    rates = detection.rates()
    shares = np.array([rate.share for rate in rates.values()])
    low, high = np.array([rate.interval for rate in rates.values()]).T
    reach = [shares - low, high - shares]
    with house_style():
        figure, axes = plt.subplots(figsize=(5.2, 2.6))
        axes.errorbar(range(len(rates)), shares, yerr=reach, fmt="o", capsize=2)
        axes.set_xticks(range(len(rates)), list(rates))
        axes.set_ylim(0, 1)
        axes.set_ylabel("Share noticed")
        figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _write(table: Path, trials: Sequence[Mapping[str, object]]) -> None:
    write_whole(table, pd.DataFrame(trials).to_csv(index=False, lineterminator="\n"))


def main() -> None:
    """Misprint, judge and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paper", default=FIRST, help="Folder of data/")
    parser.add_argument("--each", type=int, default=EACH, help="Misprints of each other size")
    parser.add_argument("--minutes", type=float, default=120, help="Longest run")
    given = parser.parse_args()
    table = RECORDED / f"{given.paper}.csv"
    before = [table] if table.is_file() else []
    known = {
        (one["size"], one["claim"]): one
        for one in Detection.of(*before).trials
        if one["fate"] == "noticed" or one.get("stands")
    }
    trials: list[Mapping[str, object]] = []
    waits = {**known}
    ends = time.monotonic() + 60 * given.minutes
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench.of(ROOT, Path(folder), given.paper)

        def tried(number: Printings, size: str) -> Mapping[str, object] | None:
            recorded = known.get((size, next(iter(number.claims))))
            return recorded or (bench.trial(number, size) if time.monotonic() < ends else None)

        def of_size(size: str) -> Iterator[Mapping[str, object]]:
            return filter(None, (tried(one, size) for one in drawn(bench.numbers, size)))

        waiting = {size: of_size(size) for size in SIZES}
        for done in range(len(bench.numbers)):
            for size, trials_of_size in waiting.items():
                if done < given.each or size == EVERY:
                    for one in islice(trials_of_size, 1):
                        trials.append(one)
                        waits.pop((str(one["size"]), str(one["claim"])), None)
                        # A run that is ended leaves what it has not come to as it was.
                        _write(table, [*trials, *waits.values()])
    _write(table, trials)
    detection = Detection.of(table)
    if given.paper == FIRST:
        draw(detection, PICTURE)
    page = PAGE.read_text(encoding="utf-8")
    start, end = (mark.format(given.paper) for mark in _MARKS)
    if start in page:
        above, _, rest = page.partition(start)
        below = rest[rest.index(end) :]
        PAGE.write_text(f"{above}{start}\n\n{written(detection)}\n\n{below}", encoding="utf-8")
    for size, rate in detection.rates().items():
        print(f"{size:10}{rate.noticed:4}/{rate.misprints:<4}{rate.written()}")
    fates = Counter(one["fate"] for one in detection.trials)
    print(f"{len(trials)} misprints of {len(bench.numbers)} numbers: {dict(fates)}")


if __name__ == "__main__":
    main()
