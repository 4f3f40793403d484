"""The tables of numbers that a paper prints, and its settings, read and checked."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from llm_power.errors import LLMPowerError, one_line
from llm_power.printed import (
    LabeledGap,
    Printed,
    PrintedCount,
    PrintedInterval,
    parse_count,
    parse_interval,
    parse_labeled_gap,
    parse_printed,
)
from llm_power.statistics._typing import IntArray

Cell = str | Printed | PrintedInterval | PrintedCount | LabeledGap | None


class PublishedError(LLMPowerError):
    """A file of printed numbers is malformed; the message names file, row and column."""


def _text(cell: str) -> str:
    return cell


def _number_or_dash(cell: str) -> Printed | None:
    return None if cell == "–" else parse_printed(cell)


def _count_or_na(cell: str) -> PrintedCount | None:
    return None if cell == "n/a" else parse_count(cell)


_Parser = Callable[[str], Cell]

# What each column of each table holds; a column in no list is text.
_COUNTS: Mapping[str, _Parser] = dict.fromkeys(
    ("n", "p_a", "p_b", "b", "c", "rho", "p_chi2", "p_exact", "n_star"), parse_printed
)
_COLUMNS: Mapping[str, Mapping[str, _Parser]] = {
    "table_01": {
        "calculator": _text,
        "convention": _text,
        "per_arm": _number_or_dash,
        "times_one_minus_rho": parse_printed,
    },
    "table_02": {
        "variant": _text,
        "null": _text,
        "data": _text,
        "type1_max_dev_pp": parse_printed,
        "power_median": parse_printed,
        "power_max_dev_pp": parse_printed,
    },
    "table_03": {
        "gap_bucket": _text,
        "pairs": parse_printed,
        "unresolved": parse_count,
        "r_median": parse_printed,
        "r_worst": parse_printed,
    },
    "table_04": {
        "pair": _text,
        "gap_pp": parse_printed,
        "rho": parse_printed,
        "icc": parse_printed,
        "design_effect": parse_printed,
        "n_star_cluster": parse_printed,
    },
    "table_05": {"procedure": _text, "oll_v1": _count_or_na, "mmlu_pro": parse_count},
    "table_06": {"task": _text, "model_a": _text, "model_b": _text, **_COUNTS},
    "table_07": {
        "pair": _text,
        "model_a": _text,
        "model_b": _text,
        **{name: parser for name, parser in _COUNTS.items() if name != "n"},
    },
    "table_08": {"dropped": _text, "unresolved": parse_count},
    "table_09": {
        "pair": _text,
        "icc": parse_interval,
        "design_effect": parse_interval,
        "n_star_cluster": parse_interval,
        "pr_unresolved": parse_printed,
    },
    "table_10": {
        "pair": _text,
        "gap": parse_printed,
        "rho": parse_printed,
        "n_star": parse_printed,
        "power_at_080": parse_printed,
        "power_at_100": parse_printed,
        "power_at_120": parse_printed,
    },
    "table_11": {
        "pair": parse_labeled_gap,
        "p_chi2": parse_printed,
        "p_exact": parse_printed,
        "p_midp": parse_printed,
        "zero_in_ci": _text,
        "verdict": _text,
    },
    "table_12": {"quantity": _text, "definition": _text, "why": _text},
}


def load_table(path: Path) -> pd.DataFrame:
    """Load one table of printed numbers in typed form.

    Parameters
    ----------
    path : Path
        A file named ``table_NN.csv`` as ``data/kotawala2026/README.md`` describes it.

    Returns
    -------
    DataFrame
        One row a printed row, in printed order. Cells are `str`, `Printed`,
        `PrintedInterval`, `PrintedCount` or `LabeledGap`; None where the paper prints a dash.

    Raises
    ------
    PublishedError
        If the file cannot be read, is no known table, or a cell cannot be parsed; the
        message names file, row (1 is the first below the header) and column.
    """
    columns = _COLUMNS.get(path.stem)
    if columns is None:
        raise PublishedError(_message(path, f"no published table is named {path.stem!r}"))
    header, *rows = _read_rows(path)
    if header != list(columns):
        raise PublishedError(
            _message(path, f"the header must be {','.join(columns)}, got {','.join(header)}")
        )
    if not rows:
        raise PublishedError(_message(path, "the table has no rows"))
    parsed = [_parse_row(path, number, row, columns) for number, row in enumerate(rows, start=1)]
    return pd.DataFrame(
        {
            name: pd.Series([row[i] for row in parsed], dtype=object)
            for i, name in enumerate(columns)
        }
    )


@dataclass(frozen=True, slots=True)
class PublishedCounts:
    """The discordant counts of Table 6 or 7, with what was printed beside them.

    Attributes
    ----------
    name : str
        ``table_06`` or ``table_07``.
    label : tuple of str, length n_pairs
        Task (Table 6) or rank pair (Table 7).
    model_a, model_b : tuple of str, length n_pairs
        Model names as printed.
    n_items, b, c : ndarray of int, shape (n_pairs,)
        Shared items, and those that only A and only B solves.
    p_a, p_b, rho, p_chi2, p_exact, n_star : tuple of Printed, length n_pairs
        The printed accuracies, and the printed results to be recomputed.
    """

    name: str
    label: tuple[str, ...]
    model_a: tuple[str, ...]
    model_b: tuple[str, ...]
    n_items: IntArray
    b: IntArray
    c: IntArray
    p_a: tuple[Printed, ...]
    p_b: tuple[Printed, ...]
    rho: tuple[Printed, ...]
    p_chi2: tuple[Printed, ...]
    p_exact: tuple[Printed, ...]
    n_star: tuple[Printed, ...]

    def __len__(self) -> int:
        return len(self.label)


def load_counts(path: Path, *, n_items: int | None = None) -> PublishedCounts:
    """Load Table 6 or 7 and check that each row can be a row of counts.

    Parameters
    ----------
    path : Path
        ``table_06.csv`` or ``table_07.csv``.
    n_items : int, optional
        Shared items of every pair, for Table 7, which prints them in its caption only;
        not to be given for Table 6, which prints them in each row.

    Returns
    -------
    PublishedCounts
        In printed order.

    Raises
    ------
    PublishedError
        If the file is malformed, `n_items` is given where printed or missing where not, or
        a row cannot be: a count that is not whole, more discordant items than items, an
        accuracy outside [0, 1], or accuracies whose difference is not (b - c)/N.
    """
    table = load_table(path)
    if not {"b", "c"} <= set(table.columns):
        raise PublishedError(_message(path, "the table prints no discordant counts"))
    if ("n" in table.columns) == (n_items is not None):
        problem = (
            "prints N in each row" if n_items is not None else "needs n_items, its caption's N"
        )
        raise PublishedError(_message(path, f"the table {problem}"))
    b, c = (_whole_numbers(path, table, name) for name in ("b", "c"))
    n = (
        _whole_numbers(path, table, "n")
        if n_items is None
        else np.full(len(table), n_items, dtype=np.int64)
    )
    loaded = PublishedCounts(
        name=path.stem,
        label=tuple(table["task" if "task" in table.columns else "pair"]),
        model_a=tuple(table["model_a"]),
        model_b=tuple(table["model_b"]),
        n_items=n,
        b=b,
        c=c,
        p_a=tuple(table["p_a"]),
        p_b=tuple(table["p_b"]),
        rho=tuple(table["rho"]),
        p_chi2=tuple(table["p_chi2"]),
        p_exact=tuple(table["p_exact"]),
        n_star=tuple(table["n_star"]),
    )
    _check_counts(path, loaded)
    return loaded


def load_settings(path: Path) -> dict[str, float | int | list[float] | list[int]]:
    """Load the numbers that prose and captions state.

    Parameters
    ----------
    path : Path
        ``settings.yaml``.

    Returns
    -------
    dict
        Value of each setting by name.

    Raises
    ------
    PublishedError
        If the file cannot be read, or a setting lacks ``value``, ``printed`` or ``where``.
    """
    entries = _read_mapping(path)
    for name, entry in entries.items():
        if not isinstance(entry, dict) or set(entry) != {"value", "printed", "where"}:
            raise PublishedError(
                _message(path, f"setting {name!r} must have exactly value, printed and where")
            )
    return {str(name): entry["value"] for name, entry in entries.items()}


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """Sample sizes that an R session printed, with the versions that printed them.

    Attributes
    ----------
    r_version, pwr_version : str
        Versions of R and of its package pwr.
    n : mapping of str to float
        Sample size by the function that returned it.
    """

    r_version: str
    pwr_version: str
    n: Mapping[str, float]


def load_recorded_session(path: Path) -> RecordedSession:
    """Load the numbers of the recorded R session.

    Parameters
    ----------
    path : Path
        ``r_pwr_2p_test.yaml`` of ``data/recorded``.

    Returns
    -------
    RecordedSession
        Versions and numbers.

    Raises
    ------
    PublishedError
        If the file cannot be read or lacks a version or a number.
    """
    entries = _read_mapping(path)
    try:
        numbers = {str(name): float(call["n"]) for name, call in entries["calls"].items()}
        return RecordedSession(str(entries["r_version"]), str(entries["pwr_version"]), numbers)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = f"r_version, pwr_version and the n of each call are needed: {error!r}"
        raise PublishedError(_message(path, problem)) from error


def _read_mapping(path: Path) -> dict[str, Any]:
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise PublishedError(_message(path, f"cannot be read: {error}")) from error
    if not isinstance(entries, dict):
        raise PublishedError(_message(path, "must map names to entries"))
    return entries


def _read_rows(path: Path) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise PublishedError(_message(path, f"cannot be read: {error}")) from error
    if not rows:
        raise PublishedError(_message(path, "the file is empty"))
    return rows


def _parse_row(
    path: Path, number: int, row: Sequence[str], columns: Mapping[str, _Parser]
) -> list[Cell]:
    if len(row) != len(columns):
        problem = f"{len(columns)} cells expected, got {len(row)}"
        raise PublishedError(_message(path, problem, row=number))
    cells: list[Cell] = []
    for text, (name, parser) in zip(row, columns.items(), strict=True):
        try:
            cells.append(parser(text))
        except ValueError as error:
            raise PublishedError(_message(path, str(error), row=number, column=name)) from error
    return cells


def _whole_numbers(path: Path, table: pd.DataFrame, column: str) -> IntArray:
    cells: list[Printed] = list(table[column])
    for number, cell in enumerate(cells, start=1):
        if cell.relation != "=" or cell.value < 0 or cell.value != int(cell.value):
            problem = f"a count must be a whole number, got {cell.text!r}"
            raise PublishedError(_message(path, problem, row=number, column=column))
    return np.array([int(cell.value) for cell in cells], dtype=np.int64)


def _check_counts(path: Path, counts: PublishedCounts) -> None:
    # What no pair can have. Printed numbers that contradict each other are findings, not faults.
    for i in range(len(counts)):
        n, b, c = (int(x[i]) for x in (counts.n_items, counts.b, counts.c))
        if n == 0 or b + c > n:
            problem = f"b + c = {b + c} discordant items cannot be among N = {n}"
            raise PublishedError(_message(path, problem, row=i + 1, column="b"))
        for name, cell in (("p_a", counts.p_a[i]), ("p_b", counts.p_b[i])):
            if not 0 <= cell.value <= 1:
                problem = f"an accuracy must lie in [0, 1], got {cell.text!r}"
                raise PublishedError(_message(path, problem, row=i + 1, column=name))


def _message(path: Path, problem: str, *, row: int | None = None, column: str | None = None) -> str:
    place = "".join(
        f", {label} {value}" for label, value in (("row", row), ("column", column)) if value
    )
    return one_line(f"{path}{place}: {problem}")
