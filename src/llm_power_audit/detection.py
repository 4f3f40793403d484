"""How likely an audit is to notice a misprint that is made wherever the number is printed.

A trial is a row of a table that `tools/audit_power.py` writes: the size of a misprint, exhibit and
evidence of its claim, and its fate. Noticed is what contradicts a claim that was not contradicted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from llm_power._provenance import EVIDENCE
from llm_power._statistics.intervals import wilson_interval
from llm_power_audit._csv import csv_table

# Units of the last printed digit, and factors.
UNITS: Final = (1, 2, 5, 10, 50)
FACTORS: Final = (2, 10)
SIZES: Final = (
    *(f"{n} unit{'s' if n > 1 else ''}" for n in UNITS),
    *(f"× {n}" for n in FACTORS),
)
Trial = Mapping[str, str]


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
        return [(name.replace("_", " "), self.rates(by, name)) for by, name in names]

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
