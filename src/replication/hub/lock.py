"""The lock file datasets.lock.csv: size and hash of each file at its first download."""

from __future__ import annotations

import csv
import fcntl
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Final

from llm_power._files import write_whole
from replication.hub.datasets import Dataset, table_rows
from replication.hub.errors import HubError


@dataclass(frozen=True, slots=True)
class Locked:
    """One observed file."""

    name: str
    # Address it came from: what a mirror or a stand-in served says nothing about the hub.
    endpoint: str
    revision: str
    file: str
    bytes: int | None
    sha256: str
    retrieved: str


_COLUMNS: Final = tuple(field.name for field in fields(Locked))


@dataclass(frozen=True, slots=True)
class LockFile:
    """The lock file, read anew at each call: other jobs write to it."""

    path: Path

    def find(self, dataset: Dataset, endpoint: str) -> Locked | None:
        """Return what was observed of a data set, unless the register now pins something else."""
        for locked in self._read():
            if (locked.name, locked.endpoint) == (dataset.name, endpoint):
                is_meant = dataset.revision in {None, locked.revision}
                return locked if is_meant and dataset.means(locked.file) else None
        return None

    def record(self, observed: Locked) -> None:
        """Write down what was observed, in place of an older entry of the same data set."""
        with self._alone():
            key = (observed.name, observed.endpoint)
            kept = [one for one in self._read() if (one.name, one.endpoint) != key]
            self._write(sorted([*kept, observed], key=lambda one: (one.endpoint, one.name)))

    def _read(self) -> list[Locked]:
        if not self.path.exists():
            return []
        try:
            return [_parse(row) for row in table_rows(self.path, _COLUMNS, "the lock file")]
        except ValueError as error:
            raise HubError(
                str(error),
                remedy="restore it from version control; without it, nothing says what the files "
                "were at their first download",
                file=str(self.path),
            ) from error

    def _write(self, entries: list[Locked]) -> None:
        text = io.StringIO(newline="")
        rows = [_COLUMNS, *(astuple(entry) for entry in entries)]
        csv.writer(text, lineterminator="\n").writerows(rows)
        try:
            write_whole(self.path, text.getvalue())
        except OSError as error:
            raise HubError(
                f"the lock file cannot be written ({error.strerror})",
                remedy="make its folder writable, and room on its disk",
                file=str(self.path),
            ) from error

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes from writing in between: downloads run side by side."""
        try:
            folder = os.open(self.path.parent, os.O_RDONLY)
        except OSError as error:
            raise HubError(
                f"the folder of the lock file cannot be opened ({error.strerror})",
                remedy="start in the folder of config.yaml",
                file=str(self.path),
            ) from error
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)


def _parse(row: list[str]) -> Locked:
    name, endpoint, revision, file, size, sha256, retrieved = row
    if len(sha256) != 64 or not size.isdecimal():
        raise ValueError(f"has neither size nor hash of {name!r}")
    return Locked(name, endpoint, revision, file, int(size), sha256, retrieved)
