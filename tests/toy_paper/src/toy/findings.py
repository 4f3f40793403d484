"""The one quantity of the toy paper, evaluated on what it prints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from replication.findings import Finding, PrintedNumbers, Quantities
from toy.pairs import resolved_pairs

QUANTITIES: Final = Quantities()


def evaluate_printed(folder: Path) -> list[Finding]:
    """Evaluate on what the paper prints, read from the folder of its data."""
    return QUANTITIES.evaluate(PrintedNumbers.load(folder))


@QUANTITIES.on(PrintedNumbers)
def unresolved(numbers: PrintedNumbers) -> Iterator[Finding]:
    """Count the pairs that need more items than they have."""
    r = resolved_pairs(numbers.tables[1], **numbers.point)["r"]
    yield Finding("unresolved", "", int((r > 1).sum()), "pairs with N* > N")
