"""The one quantity of the toy paper, evaluated on what it prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import pandas as pd

from audit.printed_tables import load_table
from replication.findings import Basis, Finding, Quantities
from replication.settings import load_settings
from toy.pairs import resolved_pairs

QUANTITIES: Final = Quantities()


@dataclass(frozen=True, eq=False)
class PrintedNumbers:
    """What the paper prints."""

    name: ClassVar[str] = "printed numbers"
    panel: ClassVar[str] = "general"
    basis: ClassVar[Basis] = "counts"

    table_1: pd.DataFrame
    settings: dict[str, Any]


def evaluate_printed(folder: Path) -> list[Finding]:
    """Evaluate on what the paper prints, read from the folder of its data."""
    table_1 = load_table(folder / "printed/table_01.csv")
    return QUANTITIES.evaluate(PrintedNumbers(table_1, load_settings(folder / "settings.yaml")))


@QUANTITIES.on(PrintedNumbers)
def unresolved(numbers: PrintedNumbers) -> Iterator[Finding]:
    """Count the pairs that need more items than they have."""
    point = {name: numbers.settings[name] for name in ("alpha", "power")}
    r = resolved_pairs(numbers.table_1, **point)["r"]
    yield Finding("unresolved", "", int((r > 1).sum()), "pairs with N* > N")
