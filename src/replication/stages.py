"""Results between jobs: the same table gives the same bytes, and a result without value says why.

A wrong paper is audited to the end: what cannot be computed from its numbers says so, and why, in
the file where the value would be, and so does whatever would have been computed from that. A
download that the hub does not have says so in its place too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from llm_power._errors import InvalidArgument, LLMPowerError, one_line
from llm_power_audit._csv import csv_table, write_rows
from llm_power_audit._errors import UNDEFINED

if TYPE_CHECKING:
    import pandas as pd

    from llm_power._board.operating_point import OperatingPoint

# What a computation raises that is given numbers which cannot all be true.
REFUSALS: Final = (LLMPowerError, ArithmeticError, LookupError, ValueError)
_HEAD: Final = "quantity,value,method,evidence"
_START: Final = f"{_HEAD}\n{UNDEFINED},".encode()


def read_stage(path: str) -> pd.DataFrame:
    """Read a stage's table, in one thread: Arrow's pools can abort at exit (apache/arrow#34314)."""
    # Imported here: whoever only asks whether a result has a value starts in half the time.
    import pandas as pd  # noqa: PLC0415

    return pd.read_parquet(path, use_threads=False, pre_buffer=False)


def write_stage(table: pd.DataFrame, path: str) -> None:
    """Write a stage's table as Parquet."""
    table.to_parquet(path, index=False, compression="zstd")


def csv_text(table: pd.DataFrame) -> str:
    """Return a table as CSV at full precision."""
    return str(table.to_csv(index=False, lineterminator="\n"))


def write_csv(table: pd.DataFrame, path: str) -> None:
    """Write a table as CSV at full precision."""
    Path(path).write_text(csv_text(table), encoding="utf-8")


class MisprintedPoint(LLMPowerError):
    """Level and power of a paper that no test can have.

    Those of config.yaml are checked before any job.
    """


def operating_point(point: Mapping[str, float]) -> OperatingPoint:
    """Return level and power of a job."""
    # Not every job needs them.
    from llm_power._board.operating_point import OperatingPoint  # noqa: PLC0415

    try:
        return OperatingPoint(**point)
    except InvalidArgument as error:
        raise MisprintedPoint(str(error)) from error


class UndeclaredInput(LLMPowerError):
    """A module asks for an input that its entry in paper.yaml does not name: a fault of code."""


def reason_of(error: BaseException) -> str:
    """Say in one line why a value is not defined."""
    why = one_line(str(error), 300) or type(error).__name__
    return why if isinstance(error, LLMPowerError) else f"{type(error).__name__}: {why}"


def write_undefined(paths: Iterable[str], reason: str) -> None:
    """Write in place of each result why there is none."""
    for path in paths:
        write_rows(Path(path), [_HEAD.split(","), (UNDEFINED, "", reason, "none")])


def undefined_among(paths: Iterable[str]) -> str:
    """Return why the first result that has no value has none; empty where all have one."""
    for path in paths:
        if Path(path).is_file():
            with Path(path).open("rb") as file:
                if file.read(len(_START)) == _START:
                    return csv_table(Path(path))[0]["method"]
    return ""
