"""One file read once: the bytes that are hashed are the bytes that are parsed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from llm_power.errors import ScoreError


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file's bytes, their SHA-256, and when the file was last modified (UTC)."""

    path: Path
    data: bytes
    sha256: str
    modified: datetime

    def without_data(self) -> SourceFile:
        """Return the record of the file alone, for a reader that is done with its bytes."""
        return replace(self, data=b"")


def read_file(path: str | os.PathLike[str]) -> SourceFile:
    """Read a file whole.

    Raises
    ------
    ScoreError
        If there is no such file or it cannot be read.
    """
    place = Path(path)
    try:
        data = place.read_bytes()
        seconds = place.stat().st_mtime
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise ScoreError(
            f"cannot be read ({reason})", remedy="check the path", file=str(path)
        ) from error
    return SourceFile(
        path=place,
        data=data,
        sha256=hashlib.sha256(data).hexdigest(),
        modified=datetime.fromtimestamp(seconds, tz=UTC),
    )


def only_file(paths: Sequence[Path]) -> SourceFile:
    """Read the one file of a reader that takes no more.

    Raises
    ------
    ScoreError
        If there is more than one path, or `read_file` fails.
    """
    if len(paths) != 1:
        raise ScoreError(
            f"{len(paths)} paths for a reader of one table",
            remedy="give one file a task",
            file=str(paths[1]) if paths else None,
        )
    return read_file(paths[0])
