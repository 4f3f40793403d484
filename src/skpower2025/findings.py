"""What follows from what the paper prints: the order of its datasets by size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from replication.findings import Finding, PrintedNumbers, Quantities

QUANTITIES: Final = Quantities()


def evaluate_printed(folder: Path) -> list[Finding]:
    """Evaluate on what the paper prints, read from the folder of its data."""
    return QUANTITIES.evaluate(PrintedNumbers.load(folder))


@QUANTITIES.on(PrintedNumbers)
def place_by_size(numbers: PrintedNumbers) -> Iterator[Finding]:
    """Rank the datasets by their printed sizes, the largest first."""
    table = numbers.tables[1]
    sizes = {name: int(cell.value) for name, cell in zip(*map(table.get, table), strict=True)}
    ranked = sorted(sizes, key=lambda name: -sizes[name])
    for place, name in enumerate(ranked, start=1):
        yield Finding("place by size", name, place, f"of {len(ranked)}")
