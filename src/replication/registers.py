"""Which files the registers of printed numbers point at."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml


def printed_numbers(registers: Sequence[str], panels: Sequence[str]) -> list[str]:
    """Return the registers, and the tables that their entries on these panels point at."""
    tables = {
        entry["table"]
        for register in registers
        for panel in panels
        for entry in _entries(register).get(panel) or []
        if "table" in entry
    }
    folder = Path(registers[0]).parent
    return [*registers, *(_table_file(folder, table) for table in sorted(tables))]


def _table_file(folder: Path, table: str) -> str:
    printed = re.fullmatch(r"table_\d+", table)
    return str(folder / ("printed" if printed else "") / f"{table}.csv")


@cache
def _entries(register: str) -> dict[str, Any]:
    return dict(yaml.safe_load(Path(register).read_text(encoding="utf-8")))
