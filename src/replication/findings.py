"""Quantities, the grounds they are computed from, and the findings that result.

One function computes a *quantity*. A *ground* is its input: printed numbers, a board's verdicts,
item-level scores, or settings alone. `Quantities` registers the functions of a paper and evaluates
them on the grounds at hand. The result is a *finding*. Functions know nothing of claims:
`replication.views` compares findings with printed numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, Self, TypeVar

import pandas as pd

from llm_power._errors import InvalidArgument
from llm_power._provenance import ScoresKind
from llm_power_audit._errors import UNDEFINED
from llm_power_audit.printed_tables import load_table
from replication.constraints import Interval
from replication.settings import OPERATING_POINT, load_settings
from replication.stages import REFUSALS, reason_of

# What a number rests on. "displayed" are scores that a board displayed, "counts" are printed
# numbers, "raw_sample" real items that somebody chose; "none" is what nothing at hand decides.
Basis = Literal["derived", "displayed", "counts", "simulated", "raw_sample", "none"] | ScoresKind


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
        return {name: self.settings[name] for name in OPERATING_POINT}


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


def within(quantity: str, subject: str, value: float, reach: Interval, method: str = "") -> Finding:
    """Return a finding that can have any value of an interval."""
    return Finding(quantity, subject, value, method, lower=reach.lower, upper=reach.upper)


def findings_frame(findings: Iterable[Finding]) -> pd.DataFrame:
    """Return the findings as a table with one column an attribute, in the order given."""
    columns = [field.name for field in fields(Finding)]
    return pd.DataFrame([asdict(finding) for finding in findings], columns=columns)
