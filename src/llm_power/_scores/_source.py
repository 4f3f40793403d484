"""Files of scores as bytes: read whole or streamed, from folders, and out of zips."""

from __future__ import annotations

import hashlib
import io
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, Self, cast

import pyarrow as pa

from llm_power._errors import ScoreError
from llm_power._files import open_file

ZIP_MAGIC: Final = b"PK\x03\x04"
# Expanded, of one member. The largest published list of answers takes 22 MB, the log of a long
# agentic sample some tens of MB; parsed, JSON takes some five times its size.
LARGEST_PAYLOAD: Final = 128 * 2**20
# Expanded, of all members of a log that are read. They are read one at a time.
LARGEST_LOG: Final = 16 * 2**30

_DAMAGED: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,  # a place beyond all files
    RuntimeError,  # encrypted
    NotImplementedError,  # another compression
)

# Zstandard, which zipfile knows from Python 3.14 on; Inspect has written it since 2025.
_ZSTANDARD: Final = 93
# Python's other methods, bzip2 and LZMA, expand as far as they can, whatever is asked for.
_BOUNDED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LOCAL_HEADER: Final = struct.Struct("<4s22x2H")
# The end of the directory, of which the number of members is read, and the same for many members.
_END: Final = struct.Struct("<4s6xH10x")
_END_OF_MANY: Final = struct.Struct("<4s28xQ16x")
_LOCATOR_SIZE: Final = 20
_MANY: Final = 0xFFFF


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
        what: str,
        number: int,
        remedy: str,
        fault_of: Callable[[Mapping[str, Any]], str | None] = lambda _: None,
    ) -> Mapping[str, Any]:
        """Return a record of the file, which has to be an object without a fault."""
        if not isinstance(record, dict):
            fault: str | None = f"is a {type(record).__name__} instead of an object"
        elif (fault := fault_of(record)) is None:
            return record
        raise self.fault(f"{what} {number} {fault}", remedy)


class StreamedFile:
    """A file read once, in pieces, and hashed as it is read: for one too large to hold."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._hash = hashlib.sha256()

    def __enter__(self) -> Self:
        try:
            self.stream = open_file(self.path)
            self._seconds = os.fstat(self.stream.fileno()).st_mtime
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise _not_readable(self.path, error) from error
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, at most `size` of them or all, none at the end."""
        try:
            data = self.stream.read(size)
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


class Archive:
    """The members of an open zip; where two have the same name, the later replaced the earlier."""

    def __init__(self, stream: BinaryIO, file: str) -> None:
        self._stream, self._file = stream, file
        self._zip = zipfile.ZipFile(stream)
        self._members: dict[str, list[zipfile.ZipInfo]] = {}
        for info in self._zip.infolist():
            self._seek_data(info)
            self._members.setdefault(info.filename, []).append(info)
        self.names = [info.filename for info in self._zip.infolist()]
        # By damage to its directory a member can vanish, or have another name, without a trace.
        if len(self.names) != self._n_declared():
            raise zipfile.BadZipFile("Other number of files in directory than declared")

    @property
    def data_names(self) -> list[str]:
        """The names of files but those in a __MACOSX folder, which holds what the Finder adds."""
        return [
            name for name in self.names if not name.startswith("__MACOSX/") and name[-1:] != "/"
        ]

    def read(self, name: str) -> bytes:
        """Return a member, which has the size and the check sum that the zip says it has."""
        # Those that it replaced have them too, or damage might have made the name.
        *_, data = map(self._read, self._members[name])
        return data

    def lines(self, name: str, longest: int) -> Iterator[bytes]:
        """Yield the lines of a member, which is never held whole; at its end its sum is checked."""
        (info,) = self._members[name]  # a name that two members have raises ValueError
        if info.file_size > LARGEST_LOG:
            raise self._too_large(LARGEST_LOG)
        if info.compress_type not in _BOUNDED:
            raise NotImplementedError(f"compressed by method {info.compress_type}")
        with self._zip.open(info) as member, io.BufferedReader(cast(io.RawIOBase, member)) as lines:
            while line := lines.readline(longest + 1):
                if len(line) > longest:
                    raise ValueError(f"a line of {name!r} has more than {longest} bytes")
                yield line

    def check_size(self, names: Iterable[str]) -> None:
        """Refuse to expand these members to more than `LARGEST_LOG`, by what the zip declares."""
        declared = (info.file_size for name in names for info in self._members[name])
        if sum(declared) > LARGEST_LOG:
            raise self._too_large(LARGEST_LOG)

    def _read(self, info: zipfile.ZipInfo) -> bytes:
        # The size that a zip declares is a claim, so that what is read is bounded by it.
        if max(info.file_size, info.compress_size) > LARGEST_PAYLOAD:
            raise self._too_large(LARGEST_PAYLOAD)
        if info.compress_type in _BOUNDED:
            with self._zip.open(info) as stream:
                data = stream.read(info.file_size + 1)
        elif info.compress_type == _ZSTANDARD:
            data = self._expanded(info)
        else:
            raise NotImplementedError(f"compressed by method {info.compress_type}")
        if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
            raise zipfile.BadZipFile(f"Bad CRC-32 for file {info.filename!r}")
        return data

    def _n_declared(self) -> int:
        end = self._stream.seek(-_END.size - len(self._zip.comment), io.SEEK_END)
        _, n_declared = _END.unpack(self._stream.read(_END.size))
        if n_declared < _MANY:
            return int(n_declared)
        self._stream.seek(end - _LOCATOR_SIZE - _END_OF_MANY.size)
        _, n_declared = _END_OF_MANY.unpack(self._stream.read(_END_OF_MANY.size))
        return int(n_declared)

    def _seek_data(self, info: zipfile.ZipInfo) -> None:
        """Go to where the data of a member are, behind a header that has to be of that name."""
        self._stream.seek(info.header_offset)
        header = self._stream.read(_LOCAL_HEADER.size)
        magic, name_size, extra_size = _LOCAL_HEADER.unpack(header)
        name = self._stream.read(name_size).decode("utf-8" if info.flag_bits & 0x800 else "cp437")
        if magic != ZIP_MAGIC or name != info.orig_filename:
            raise zipfile.BadZipFile("File name in directory and header differ")
        self._stream.seek(extra_size, io.SEEK_CUR)

    def _expanded(self, info: zipfile.ZipInfo) -> bytes:
        if info.flag_bits & 0x1:
            raise RuntimeError(f"File {info.filename!r} is encrypted")
        self._seek_data(info)
        compressed = self._stream.read(info.compress_size)
        with pa.CompressedInputStream(pa.BufferReader(compressed), "zstd") as stream:
            data: bytes = stream.read(info.file_size + 1)
        return data

    def _too_large(self, limit: int) -> ScoreError:
        return ScoreError(
            f"it expands to more than {limit >> 20} MB",
            remedy="write the file again, or use an intact copy",
            file=self._file,
        )


@contextmanager
def open_archive(source: Path | bytes, file: str) -> Iterator[Archive]:
    """Open a zip that is at a path, or in memory; `file` names it in messages."""
    try:
        with open_file(source) if isinstance(source, Path) else io.BytesIO(source) as stream:
            yield Archive(stream, file)
    except _DAMAGED as error:
        raise ScoreError(
            f"not a readable zip ({error})", remedy="write or download the file again", file=file
        ) from error
