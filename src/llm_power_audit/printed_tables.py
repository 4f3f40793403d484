"""The tables of numbers that a paper prints, read and checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from llm_power._errors import LLMPowerError, one_line
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power_audit._csv import CSVError, csv_rows
from llm_power_audit.printed import (
    Printed,
    PrintedCount,
    PrintedInterval,
    parse_count,
    parse_interval,
    parse_printed,
)

Cell = str | Printed | PrintedInterval | PrintedCount | None


class PublishedError(LLMPowerError):
    """A file of printed numbers is malformed; the message names file, row and column."""


# How a cell without a number is printed.
_EMPTY = frozenset({"–", "n/a"})
_PARSERS: Sequence[Callable[[str], Cell]] = (parse_printed, parse_interval, parse_count)


def load_table(path: Path) -> pd.DataFrame:
    """Load a table of printed numbers, each column of one type.

    Cells are `Printed`, `PrintedInterval` or `PrintedCount`, None for a dash or "n/a"; or `str`.
    """
    header, *rows = read_rows(path)
    if not rows:
        raise PublishedError(_message(path, "the table has no rows"))
    if len(set(header)) != len(header):
        raise PublishedError(_message(path, "two columns have the same name"))
    columns = zip(header, zip(*rows, strict=True), strict=True)
    typed = {name: _typed(path, name, cells) for name, cells in columns}
    return pd.DataFrame(
        {name: pd.Series(list(cells), dtype=object) for name, cells in typed.items()}
    )


@dataclass(frozen=True, slots=True)
class PublishedCounts:
    """The discordant counts of a printed table, with what was printed beside them."""

    label: tuple[str, ...]  # Task or rank pair
    # Model names as printed.
    model_a: tuple[str, ...]
    model_b: tuple[str, ...]
    # Shared items, and those that only A and only B solves.
    n_items: IntArray
    b: IntArray
    c: IntArray
    # The printed accuracies, and the printed results to be recomputed.
    p_a: tuple[Printed, ...]
    p_b: tuple[Printed, ...]
    rho: tuple[Printed, ...]
    p_chi2: tuple[Printed, ...]
    p_exact: tuple[Printed, ...]
    n_star: tuple[Printed, ...]

    def __len__(self) -> int:
        return len(self.label)

    @property
    def printed_r(self) -> FloatArray:
        """The printed N* over N of each pair."""
        return np.array([n_star.value for n_star in self.n_star]) / self.n_items

    @property
    def is_chain(self) -> bool:
        """Whether each pair's second model is the next one's first, a misprinted name aside."""
        links = [a == b for a, b in zip(self.model_a[1:], self.model_b[:-1], strict=True)]
        return 2 * sum(links) > len(links)


_COUNTED = {"model_a", "model_b", "b", "c", "p_a", "p_b", "rho", "p_chi2", "p_exact", "n_star"}


def load_counts(path: Path, *, n_items: int | None = None) -> PublishedCounts:
    """Load a printed table of counts; rows that no pair can have are printed all the same.

    `n_items` are the items of every pair, where the caption and not the row prints them.
    """
    table = load_table(path)
    missing = sorted(_COUNTED - set(table.columns))
    if missing:
        raise PublishedError(_message(path, f"prints no discordant counts: lacks {missing[0]}"))
    if ("n" in table.columns) == (n_items is not None):
        problem = (
            "prints N in each row" if n_items is not None else "needs n_items, its caption's N"
        )
        raise PublishedError(_message(path, f"the table {problem}"))
    whole: dict[str, Any] = {name: _whole_numbers(path, table, name) for name in ("b", "c")}
    if n_items is None:
        whole["n_items"] = _whole_numbers(path, table, "n")
    else:
        whole["n_items"] = np.full(len(table), n_items, dtype=np.int64)
    others = {name: tuple(table[name]) for name in _COUNTED - whole.keys()}
    label = tuple(table["task" if "task" in table.columns else "pair"])
    return PublishedCounts(label=label, **(whole | others))


def read_rows(path: Path) -> list[list[str]]:
    """Return the header of a CSV file, and its rows, which have a cell for each column."""
    try:
        rows = csv_rows(path)
    except CSVError as error:
        raise PublishedError(_message(path, str(error), row=error.row)) from error
    if not rows:
        raise PublishedError(_message(path, "the file is empty"))
    return rows


def _typed(path: Path, name: str, cells: Sequence[str]) -> Sequence[Cell]:
    """Parse a column by the first parser that takes any of its cells; text if none does."""
    for parser in _PARSERS:
        parsed: list[Cell] = []
        refused: dict[int, ValueError] = {}
        for number, text in enumerate(cells, start=1):
            try:
                parsed.append(None if text in _EMPTY else parser(text))
            except ValueError as error:
                refused[number] = error
        if not refused and any(cell is not None for cell in parsed):
            return parsed
        if any(cell is not None for cell in parsed):
            row, reason = next(iter(refused.items()))
            raise PublishedError(_message(path, str(reason), row=row, column=name)) from reason
    return cells


def _whole_numbers(path: Path, table: pd.DataFrame, column: str) -> IntArray:
    cells: list[Printed] = list(table[column])
    for number, cell in enumerate(cells, start=1):
        if cell.relation != "=" or cell.value != int(cell.value):
            problem = f"a count must be a whole number, got {cell.text!r}"
            raise PublishedError(_message(path, problem, row=number, column=column))
    return np.array([int(cell.value) for cell in cells], dtype=np.int64)


def _message(path: Path, problem: str, *, row: int | None = None, column: str | None = None) -> str:
    place = "".join(
        f", {label} {value}" for label, value in (("row", row), ("column", column)) if value
    )
    return one_line(f"{path}{place}: {problem}")
