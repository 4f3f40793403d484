"""Quantities, the grounds they are computed from, and the findings that result.

One function computes a *quantity*. A *ground* is its input: printed numbers, a board's verdicts,
item-level scores, or settings alone. `Quantities` registers the functions of a paper and evaluates
them on the grounds at hand. The result is a *finding*. Functions know nothing of claims:
tables of findings (`prose_view`, `roles_view`) set them beside printed numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, Protocol, Self, TypeVar

import pandas as pd

from llm_power._errors import InvalidArgument
from llm_power._provenance import ScoresKind
from llm_power_audit._csv import csv_table
from llm_power_audit._errors import UNDEFINED
from llm_power_audit.claims import Evidence
from llm_power_audit.printed_tables import load_table
from llm_power_audit.register import REMARK
from replication.constraints import Constraint, Interval, load_constraints
from replication.settings import level_and_power, load_settings
from replication.stages import REFUSALS, reason_of

# What a number rests on. "displayed" are scores that a board displayed, "counts" are printed
# numbers, "raw_sample" real items that somebody chose; "none" is what nothing at hand decides.
Basis = Literal["derived", "displayed", "counts", "simulated", "raw_sample", "none"] | ScoresKind

ROLES_COLUMNS: Final = [
    *("id", "panel", "quantity", "subject", "where", "printed", "role"),
    *("value", "value_untilted", "residual", "unit", "status", "note"),
]
PROSE_COLUMNS: Final = [
    *("panel", "quantity", "subject", "where", "printed", "role"),
    *("value", "lower", "upper", "mc_se", "printed_se", "agrees", "evidence", "note"),
]
EVIDENCE_COLUMNS: Final = [
    *("quantity", "subject", "value", "lower", "upper", "method", "evidence"),
    *("standard_error", "unit"),
]
ITEMS_COLUMNS: Final = [
    *("id", "quantity", "value", "standard_error", "joint_error", "evidence", "method")
]
# A value differs from the printed one by arithmetic alone.
_ROUNDING: Final = 1e-9

# Printed numbers by panel, quantity and subject.
Printed = Mapping[tuple[str, str, str], Constraint]


@dataclass(frozen=True, slots=True)
class Finding:
    """A recomputed number."""

    quantity: str
    # A row's label, a pair, a bucket; empty for the whole.
    subject: str
    # Unrounded; text for words such as a verdict.
    value: float | str
    # How it is computed, with the equation; or a remark for the reader.
    method: str = ""
    # That of the ground if left out.
    basis: Basis | None = None
    # Of a simulation.
    standard_error: float = math.nan
    # Ends of a set that certainly holds every value that the inputs allow, given that they are
    # rounded; may be infinite, NaN for a value that they fix. Of a number with a standard error,
    # ends of what a simulation shows at the level of `audit.agreement`, where the standard error
    # does not say it.
    lower: float = math.nan
    upper: float = math.nan
    unit: str = ""
    # The data; that of the ground if left out.
    panel: str = ""
    # Filled in by `Quantities.evaluate`: name of the ground, and module of the function.
    ground: str = ""
    topic: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.value, str) or math.isnan(self.lower):
            return
        if not self.lower <= self.value <= self.upper:
            raise InvalidArgument(
                f"{self.quantity} of {self.subject!r} is {self.value}, not from {self.lower} to "
                f"{self.upper}"
            )


class Ground(Protocol):
    """The input that quantities are computed from."""

    @property
    def name(self) -> str:
        """The kind of ground, in a word or two."""

    @property
    def panel(self) -> str:
        """The data its findings are about; a finding may name other data."""

    @property
    def basis(self) -> Basis:
        """The basis of its findings; a finding may name another."""


@dataclass(frozen=True, slots=True)
class PrintedNumbers:
    """What a paper prints: its tables by their numbers, and what its exhibits are computed with."""

    name: ClassVar[str] = "printed numbers"
    panel: ClassVar[str] = "general"
    basis: ClassVar[Basis] = "counts"

    tables: Mapping[int, pd.DataFrame]
    settings: Mapping[str, Any]

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read them from the folder of the paper's data."""
        paths = sorted((folder / "printed").glob("table_*.csv"))
        tables = {int(path.stem.removeprefix("table_")): load_table(path) for path in paths}
        return cls(tables, load_settings(folder / "settings.yaml"))

    @property
    def point(self) -> dict[str, float]:
        """The paper's ``alpha`` and ``power``."""
        return level_and_power(self.settings)


G = TypeVar("G", bound=Ground)
_Function = Callable[[G], Iterable[Finding]]


class Quantities:
    """The functions that compute a paper's quantities, each with the ground it needs."""

    def __init__(self) -> None:
        self._registered: list[tuple[type[Ground], str, Callable[..., Iterable[Finding]]]] = []

    def on(self, kind: type[G]) -> Callable[[_Function[G]], _Function[G]]:
        """Register the decorated function for grounds of this class and its subclasses."""

        def register(function: _Function[G]) -> _Function[G]:
            topic = function.__module__.rpartition(".")[2]
            self._registered.append((kind, topic, function))
            return function

        return register

    def evaluate(self, *grounds: Ground, topics: Collection[str] = ()) -> list[Finding]:
        """Run the functions, or those of some modules, on every ground that is of their kind.

        Of a function that its ground leaves without a value, a finding says why.
        """
        return [
            replace(
                finding,
                panel=finding.panel or ground.panel,
                basis=finding.basis or ground.basis,
                ground=ground.name,
                topic=topic,
            )
            for ground in grounds
            for kind, topic, function in self._registered
            if isinstance(ground, kind) and (not topics or topic in topics)
            for finding in _of(function, ground)
        ]


def _of(function: Callable[..., Iterable[Finding]], ground: Ground) -> Iterator[Finding]:
    try:
        yield from function(ground)
    except REFUSALS as error:
        why = f"{function.__name__}: {reason_of(error)}"
        yield Finding(UNDEFINED, function.__name__, math.nan, why, basis="none")


def derived(
    quantity: str, subject: str, value: float | str, method: str = "", unit: str = ""
) -> Finding:
    """Return a finding that is mathematics alone."""
    return Finding(quantity, subject, value, method, basis="derived", unit=unit)


def within(quantity: str, subject: str, near: float, span: Interval, method: str = "") -> Finding:
    """Return a finding that can have any value of an interval: the one next to `near`."""
    value = span.nearest_to(near)
    return Finding(quantity, subject, value, method, lower=span.lower, upper=span.upper)


def findings_frame(findings: Iterable[Finding]) -> pd.DataFrame:
    """Return the findings as a table with one column an attribute, in the order given."""
    columns = [field.name for field in fields(Finding)]
    return pd.DataFrame([asdict(finding) for finding in findings], columns=columns)


def evidence_view(findings: Iterable[Finding]) -> pd.DataFrame:
    """Return the findings by quantity and subject; checks of claims read them."""
    return findings_frame(findings).rename(columns={"basis": "evidence"})[EVIDENCE_COLUMNS]


def items_view(
    constraints: Iterable[Constraint], findings: Iterable[Finding], *, remark: str = ""
) -> pd.DataFrame:
    """Return what the items of a panel give for each of its printed numbers.

    A number without a value has what leaves it without one as its method. A `remark` is a row of no
    claim, and opens the report.
    """
    by_name = _by_name(findings)
    judged = [(c, _finding_for(c, by_name)) for c in constraints]
    rows = [
        (
            *(c.id, c.quantity, f.value, _error(f), math.hypot(_error(f), c.standard_error)),
            *(f.basis, f.method),
        )
        for c, f in judged
    ]
    opening = [("", REMARK, remark, 0.0, 0.0, "none", "")] if remark else []
    return pd.DataFrame([*rows, *opening], columns=ITEMS_COLUMNS)


def left_open(files: Iterable[str]) -> list[str]:
    """Return the remark of each panel of whose printed numbers some rest on no items."""
    tables = [csv_table(Path(file)) for file in files]
    return [
        row["value"]
        for rows in tables
        for row in rows
        if row["quantity"] == REMARK
        and any(other["id"] and other["evidence"] == "none" for other in rows)
    ]


def index_printed(constraints: Iterable[Constraint]) -> Printed:
    """Index printed numbers by panel, quantity and subject."""
    indexed: dict[tuple[str, str, str], Constraint] = {}
    for c in constraints:
        indexed.setdefault((c.panel, c.quantity, c.about), c)
    return indexed


def load_printed(register: Path) -> Printed:
    """Index the printed numbers of a register of claims, as `index_printed` does."""
    return index_printed(chain.from_iterable(load_constraints(register).values()))


def prose_view(findings: Iterable[Finding], printed: Printed) -> pd.DataFrame:
    """Set each finding beside the printed number of its panel, quantity and subject."""
    rows = []
    for f in findings:
        c = printed.get((f.panel, f.quantity, f.subject))
        agrees = c.agrees(float(f.value), _error(f)) if c else None
        note = "; ".join(filter(None, [f.method, c.note if c else ""]))
        rows.append(
            (
                *(f.panel, f.quantity, f.subject),
                *((c.where, c.printed.text, c.role) if c else (None, None, None)),
                *(float(f.value), f.lower, f.upper, f.standard_error),
                *((c.standard_error if c else 0.0) or math.nan, agrees, _evidence(f, c), note),
            )
        )
    return pd.DataFrame(rows, columns=PROSE_COLUMNS).astype({"agrees": "boolean"})


def roles_view(
    constraints: Sequence[Constraint],
    findings: Iterable[Finding],
    *,
    untilted: Iterable[Finding] | None = None,
) -> pd.DataFrame:
    """Compare a witness with every printed number of its panel."""
    after, before = _by_name(findings), _by_name(untilted or ())
    rows = []
    for c in constraints:
        finding = _finding_for(c, after)
        value, error = float(finding.value), _error(finding)
        simulated = math.hypot(error, c.standard_error)
        untilted_value = float(_finding_for(c, before).value) if before else math.nan
        unit = "standard errors" if simulated else "half units"
        rows.append(
            (
                *(c.id, c.panel, c.quantity, c.about, c.where, c.printed.text, c.role),
                *(value, untilted_value, _residual(c, value, simulated), unit),
                *(_status(c, value, error), c.note),
            )
        )
    return pd.DataFrame(rows, columns=ROLES_COLUMNS)


def _by_name(findings: Iterable[Finding]) -> dict[tuple[str, str], Finding]:
    return {(f.quantity, f.subject): f for f in findings}


def _finding_for(c: Constraint, findings: Mapping[tuple[str, str], Finding]) -> Finding:
    for subject in (c.about, *c.subject[:1], ""):
        if (c.quantity, subject) in findings:
            return findings[c.quantity, subject]
    raise InvalidArgument(f"no finding of the panel {c.panel} is for {c.label}")


def _evidence(f: Finding, c: Constraint | None) -> Evidence:
    if f.basis == "witness":
        return "witness_fitted" if c is not None and c.is_fitted else "witness_held_out"
    return f.basis or "none"


def _residual(c: Constraint, value: float, error: float) -> float:
    if math.isinf(c.interval[1] - c.interval[0]):
        return math.nan
    if error:
        return (value - c.printed.value) / error
    low, high = c.interval
    return (value - (low + high) / 2) / ((high - low) / 2)


def _status(c: Constraint, value: float, error: float) -> str:
    right = c.agrees(value, error)
    if not c.is_fitted:
        return f"held out: {'right' if right else 'wrong'}"
    if right and abs(value - c.printed.value) <= _ROUNDING * max(1.0, abs(c.printed.value)):
        return "exact"
    return "within rounding" if right else "residual"


def _error(f: Finding) -> float:
    """Monte Carlo standard error of a finding; 0 where it has none."""
    return 0.0 if math.isnan(f.standard_error) else f.standard_error
