"""All quantities of the paper, evaluated on what it prints."""

from __future__ import annotations

from pathlib import Path

from audit.printed_tables import load_table

# Imported so that their functions are registered.
from miller2024.quantities import told_of_tables, worked_numbers  # noqa: F401
from miller2024.quantities.grounds import QUANTITIES, PrintedNumbers
from replication.findings import Finding
from replication.settings import load_settings


def evaluate_printed(folder: Path) -> list[Finding]:
    """Evaluate on what the paper prints, read from the folder of its data."""
    tables = {number: load_table(folder / f"printed/table_0{number}.csv") for number in range(1, 6)}
    return QUANTITIES.evaluate(PrintedNumbers(tables, load_settings(folder / "settings.yaml")))
