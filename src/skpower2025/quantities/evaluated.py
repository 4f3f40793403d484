"""What follows from what the paper prints: the order of its datasets by size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from audit.printed_tables import load_table
from replication.findings import Basis, Finding, Quantities

QUANTITIES: Final = Quantities()


@dataclass(frozen=True, eq=False)
class PrintedSizes:
    """Table 1."""

    name: ClassVar[str] = "printed numbers"
    panel: ClassVar[str] = "general"
    basis: ClassVar[Basis] = "counts"

    sizes: dict[str, int]


def evaluate_printed(folder: Path) -> list[Finding]:
    """Evaluate on what the paper prints, read from the folder of its data."""
    table = load_table(folder / "printed/table_01.csv")
    sizes = {name: int(cell.value) for name, cell in zip(*map(table.get, table), strict=True)}
    return QUANTITIES.evaluate(PrintedSizes(sizes))


@QUANTITIES.on(PrintedSizes)
def place_by_size(printed: PrintedSizes) -> Iterator[Finding]:
    """Rank the datasets by their printed sizes, the largest first."""
    ranked = sorted(printed.sizes, key=lambda name: -printed.sizes[name])
    for place, name in enumerate(ranked, start=1):
        yield Finding("place by size", name, place, f"of {len(ranked)}")
