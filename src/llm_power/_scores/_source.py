"""One file read once: the bytes that are hashed are the bytes that are parsed."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from llm_power._errors import ScoreError
from llm_power._files import open_file


class NoClusterColumn(ScoreError):
    """A task has no cluster column of that name; another task may have it."""

    def __init__(self, column: str, problem: str, **where: Any) -> None:
        super().__init__(problem, **where)
        self.column = column


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file's bytes, their SHA-256, and when the file was last modified (UTC)."""

    path: Path
    data: bytes
    sha256: str
    modified: datetime

    def fault(
        self, problem: str, remedy: str, *, model: str | None = None, item: str | None = None
    ) -> ScoreError:
        """Return the error that names the file, and model and item where there are any."""
        return ScoreError(problem, remedy=remedy, file=str(self.path), model=model, item=item)

    def without_data(self) -> SourceFile:
        """Return the record of the file alone, for a reader that is done with its bytes."""
        return replace(self, data=b"")


def read_file(path: str | os.PathLike[str]) -> SourceFile:
    """Read a file whole."""
    with StreamedFile(path) as file:
        data = file.read()
        return replace(file.record(), data=data)


@dataclass(frozen=True, slots=True)
class LogFile:
    """One model's file, as errors name it, and which task of the file is read."""

    model: str
    path: Path
    task: str | None = None  # as the file calls it, if it does

    def fault(self, problem: str, remedy: str, item: str | None = None) -> ScoreError:
        """Return the error that names the file, the model, and the item where there is one."""
        return ScoreError(problem, remedy=remedy, file=str(self.path), model=self.model, item=item)

    def checked(
        self,
        record: object,
        called: str,
        remedy: str,
        fault_of: Callable[[Mapping[str, Any]], str | None] = lambda _: None,
    ) -> Mapping[str, Any]:
        """Return a record of the file, which has to be an object without a fault."""
        if not isinstance(record, dict):
            problem = f"is a {type(record).__name__} instead of an object"
            raise self.fault(f"{called} {problem}", remedy)
        if (fault := fault_of(record)) is not None:
            raise self.fault(f"{called} {fault}", remedy)
        return record


class StreamedFile:
    """A file read once, in pieces, and hashed as it is read: for one too large to hold."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._hash = hashlib.sha256()

    def __enter__(self) -> Self:
        try:
            self._stream = open_file(self.path)
            self._seconds = os.fstat(self._stream.fileno()).st_mtime
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise _not_readable(self.path, error) from error
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, at most `size` of them or all, none at the end."""
        try:
            data = self._stream.read(size)
        except OSError as error:
            raise _not_readable(self.path, error) from error
        self._hash.update(data)
        return data

    def record(self) -> SourceFile:
        """Return the record of what has been read, which is all of the file at its end."""
        return SourceFile(
            path=self.path,
            data=b"",
            sha256=self._hash.hexdigest(),
            modified=datetime.fromtimestamp(self._seconds, tz=UTC),
        )


class HeldFile:
    """A file that has been read whole, to be read in pieces."""

    def __init__(self, source: SourceFile) -> None:
        self.path = source.path
        self._stream = io.BytesIO(source.data)

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most `size` of them, none at the end."""
        return self._stream.read(size)


def _not_readable(path: Path, error: Exception) -> ScoreError:
    reason = getattr(error, "strerror", None) or str(error)
    return ScoreError(f"cannot be read ({reason})", remedy="check the path", file=str(path))


def common_folder(paths: Sequence[Path]) -> Path:
    """Return the deepest folder that all of these files are in."""
    return Path(os.path.commonpath([path.absolute().parent for path in paths]))


def joint_source(folder: Path, files: Sequence[SourceFile]) -> SourceFile:
    """Return the record of a folder of files: its sum is that of their names and sums."""
    listed = "".join(f"{file.sha256}  {file.path.relative_to(folder)}\n" for file in files)
    return SourceFile(
        path=folder,
        data=b"",
        sha256=hashlib.sha256(listed.encode()).hexdigest(),
        modified=max(file.modified for file in files),
    )


def only_file(paths: Sequence[Path]) -> SourceFile:
    """Read the one file of a reader that takes no more."""
    if len(paths) != 1:
        raise ScoreError(
            f"{len(paths)} paths for a reader of one table",
            remedy="give one file per task",
            file=str(paths[1]) if paths else None,
        )
    return read_file(paths[0])
