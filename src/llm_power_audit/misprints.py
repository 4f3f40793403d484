"""A misprint made wherever a number is printed, and how likely an audit is to notice one.

A trial is a row of a table that `tools/audit_power.py` writes: the size of a misprint, exhibit and
evidence of its claim, and its fate. Noticed is what contradicts a claim that was not contradicted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from llm_power._statistics.intervals import wilson_interval
from llm_power_audit import register
from llm_power_audit._csv import csv_rows, csv_table, write_rows
from llm_power_audit.claims import EVIDENCE, Cell, Claim
from llm_power_audit.evaluate import Judged
from llm_power_audit.mutation import with_number
from llm_power_audit.printed import as_decimal
from llm_power_audit.register import PrintedCells
from llm_power_audit.written_verdicts import in_words

# Units of the last printed digit, and factors.
UNITS: Final = (1, 2, 5, 10, 50)
FACTORS: Final = (2, 10)
SIZES: Final = (
    *(f"{n} unit{'s' if n > 1 else ''}" for n in UNITS),
    *(f"× {n}" for n in FACTORS),
)
Trial = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Printings:
    """One number, wherever it is printed: ids of claims, with the factor to the first's units."""

    claims: Mapping[str, Decimal]

    def shifted(
        self, printed: Mapping[str, Claim], change: Callable[[Decimal, Decimal], Decimal]
    ) -> list[Claim]:
        """Return the claims that state another number if the first is changed, each in its digits.

        Empty where the first has no digits, or the change leaves it as it is.
        """
        first, *others = self.claims
        changed = with_number(printed[first], change)
        if changed is None:
            return []
        by = as_decimal(changed.statement.value) - as_decimal(printed[first].statement.value)
        shifted = [changed]
        for name in others:
            other = with_number(printed[name], _moved_by(by / self.claims[name], printed[name]))
            shifted += [other] if other else []
        return shifted


def _moved_by(step: Decimal, claim: Claim) -> Callable[[Decimal, Decimal], Decimal]:
    half_unit = as_decimal(claim.statement.half_unit)

    def change(number: Decimal, unit: Decimal) -> Decimal:
        # The statement is in other units than the digits where these are per cent.
        scale = unit / (2 * half_unit) if half_unit else Decimal(1)
        return number + step * scale

    return change


def printings(judged: Iterable[Judged]) -> list[Printings]:
    """Return each printed number once, with all its printings, in the order of the register.

    What a cross-check holds against results is printed where a claim has it.
    """
    held = {one.claim.id: one for one in judged}
    claims = {name: one.claim for name, one in held.items()}
    near: dict[str, dict[str, Decimal]] = {}
    for one in held.values():
        for check in one.claim.checks:
            own = one.claim.printed_of or one.claim.id
            agree = one.verdict == "holds" and one.claim.kind == "cross_check"
            if check.claim and agree and not check.independent and check.scale > 0:
                scale = as_decimal(check.scale)
                other = claims[check.claim].printed_of or check.claim
                near.setdefault(own, {})[other] = scale
                near.setdefault(other, {})[own] = 1 / scale
    numbers, seen = [], set[str]()
    for name, claim in claims.items():
        again = claim.kind == "cross_check" and not any(check.claim for check in claim.checks)
        if claim.printed_of or again or name in seen or not claim.statement.is_number:
            continue
        factors, waiting = {name: Decimal(1)}, [name]
        while waiting:
            at = waiting.pop()
            for other, scale in near.get(at, {}).items():
                if other not in factors and claims[other].statement.is_number:
                    factors[other] = factors[at] * scale
                    waiting.append(other)
        seen |= factors.keys()
        numbers.append(Printings(factors))
    return numbers


@dataclass(frozen=True, slots=True)
class Rate:
    """Misprints of one size, and how many of them are noticed."""

    noticed: int
    misprints: int

    @property
    def share(self) -> float:
        """The share that is noticed."""
        return self.noticed / self.misprints

    @property
    def interval(self) -> tuple[float, float]:
        """Its interval at 95 % (Wilson)."""
        low, high = wilson_interval(self.noticed, self.misprints)
        return float(low), float(high)

    def written(self, name: str = "95% interval ") -> str:
        """Write the share with its interval, which has a name or stands where it is named."""
        low, high = self.interval
        return f"{self.share:.0%} ({name}{low:.0%} to {high:.0%})"


@dataclass(frozen=True)
class Detection:
    """Trials of one paper."""

    trials: Sequence[Trial]

    @classmethod
    def of(cls, *tables: Path) -> Detection:
        """Read tables of trials."""
        return cls([one for path in tables for one in csv_table(path)])

    def rates(self, by: str = "", name: str = "") -> dict[str, Rate]:
        """Return the rate of each size that was tried, of all trials or of one group."""
        chosen = [one for one in self.trials if not by or one[by] == name]
        return {
            size: _rate(of) for size in SIZES if (of := [t for t in chosen if t["size"] == size])
        }

    @property
    def groups(self) -> list[tuple[str, dict[str, Rate]]]:
        """The rates by class of evidence, strongest first, and then by exhibit."""
        classes = {one["evidence"] for one in self.trials}
        names: list[tuple[str, str]] = [("evidence", one) for one in EVIDENCE if one in classes]
        names += [("exhibit", name) for name in sorted({one["exhibit"] for one in self.trials})]
        return [(in_words(name), self.rates(by, name)) for by, name in names]

    def cells(self) -> list[list[str]]:
        """Return noticed of misprints by group and size, and all, as rows of a table."""
        everything = self.rates()
        rows = [
            [name, *(_counted(rates.get(size)) for size in SIZES)]
            for name, rates in [*self.groups, ("all", everything)]
        ]
        shares = [everything[one].written("") if one in everything else "" for one in SIZES]
        return [["", *SIZES], *rows, ["share, 95% interval", *shares]]


def _rate(trials: Sequence[Trial]) -> Rate:
    return Rate(sum(one["fate"] == "noticed" for one in trials), len(trials))


def _counted(rate: Rate | None) -> str:
    return f"{rate.noticed}/{rate.misprints}" if rate else ""


@contextmanager
def misprinted(
    data: Path, printed: Mapping[str, Claim], claims: Mapping[str, Claim]
) -> Iterator[set[Path]]:
    """Let tables of a folder, and every register that is loaded, state something else of claims.

    Yields the tables.
    """
    as_printed = register._claims

    def changed(document: Mapping[str, Any], cells: PrintedCells) -> list[Claim]:
        return [claims.get(claim.id, claim) for claim in as_printed(document, cells)]

    tables = {data / claim.cell.file for claim in claims.values() if claim.cell}
    with restored(tables):
        register._claims = changed
        try:
            for name, claim in claims.items():
                if cell := claim.cell:
                    _write(data / cell.file, cell, printed[name].printed, claim.printed)
            yield tables
        finally:
            register._claims = as_printed


@contextmanager
def restored(paths: Iterable[Path]) -> Iterator[None]:
    """Put the files that are there back as they were."""
    kept = {path: path.read_bytes() for path in paths if path.is_file()}
    try:
        yield
    finally:
        for path, content in kept.items():
            path.write_bytes(content)


def _write(path: Path, cell: Cell, before: str, now: str) -> None:
    header, *rows = csv_rows(path)
    row, column = rows[cell.row - 1], header.index(cell.column)
    row[column] = _in_cell(row[column], cell.part, before, now)
    write_rows(path, [header, *rows])


def _in_cell(cell: str, part: str, before: str, now: str) -> str:
    """Return a printed cell with another number in the place of one of what it holds."""
    ends = {"lower": cell.find("["), "upper": cell.rfind(", ")}
    start = {**ends, **dict.fromkeys(("share", "parentheses"), cell.find("("))}.get(part, 0)
    return cell[:start] + cell[start:].replace(before.rstrip("%M"), now.rstrip("%M"), 1)
