"""What a file begins as: all that a format needs to say whether it is one of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from llm_power._errors import ScoreError
from llm_power._scores._json import json_members, json_records
from llm_power._scores._source import ZIP_MAGIC, StreamedFile, open_archive
from llm_power._scores._table import PARQUET_MAGIC, is_json, parquet_header

_HEAD: Final = 2**10
_MOST_MEMBERS: Final = 20
_TABLES: Final = (".csv", ".tsv", ".parquet")
_WORKBOOK: Final = "[Content_Types].xml"


@dataclass(frozen=True)
class Head:
    """The beginning of a file, read as far as it is asked for."""

    path: Path

    @cached_property
    def data(self) -> bytes:
        """The first bytes."""
        with StreamedFile(self.path) as file:
            return file.read(_HEAD)

    @property
    def is_zip(self) -> bool:
        """Whether it is a zip."""
        return self.data.startswith(ZIP_MAGIC)

    @cached_property
    def in_zip(self) -> frozenset[str]:
        """Names of the members, if it is a zip."""
        if not self.is_zip:
            return frozenset()
        with open_archive(self.path, str(self.path)) as archive:
            return frozenset(archive.names)

    @property
    def is_table(self) -> bool:
        """Whether it is a zip, or a workbook, that holds a table."""
        return any(name.endswith(_TABLES) or name == _WORKBOOK for name in self.in_zip)

    @cached_property
    def members(self) -> Mapping[str, Any]:
        """The first members of the one object, if it is JSON and not too large to be read."""
        members: dict[str, Any] = {}
        if is_json(self.data):
            with suppress(ScoreError), StreamedFile(self.path) as file:
                for name, value in json_members(file):
                    if name in members or len(members) > _MOST_MEMBERS:
                        break  # the rest of a list may be all of a log
                    members[name] = value
        return members

    @cached_property
    def record(self) -> object:
        """The first record, if it is JSON: of a list, of lines, or the one object."""
        if not is_json(self.data):
            return None
        with StreamedFile(self.path) as file:
            return next(json_records(file), None)

    def has(self, *fields: str) -> bool:
        """Return whether the first record is an object with these fields."""
        return isinstance(self.record, dict) and {*fields} <= {*self.record}

    @cached_property
    def columns(self) -> Sequence[str]:
        """Names of the columns, if it is Parquet."""
        if not self.data.startswith(PARQUET_MAGIC):
            return ()
        with StreamedFile(self.path) as file:
            return parquet_header(file.record(), file.stream)[0]
