"""A file in the making beside its final path, and what a disk refuses."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from replication.hub.errors import HubError

_FULL: Final = {"ENOSPC", "EDQUOT"}


@contextmanager
def writing(target: Path, dataset: str) -> Iterator[None]:
    """Turn what the file system refuses into errors with a remedy."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if errno.errorcode.get(error.errno or 0) in _FULL:
            raise _no_room(target.parent, dataset, reason) from error
        raise HubError(
            f"the file cannot be written ({reason})",
            remedy="make the folder writable, or name another as hub: folder in config.yaml",
            dataset=dataset,
            file=str(target),
        ) from error


@contextmanager
def part_of(target: Path) -> Iterator[Path]:
    """Yield a path beside `target`, and clear away whatever is left there afterwards."""
    for stale in target.parent.glob(".*.part"):
        # A process that was killed could not clear away its own.
        owner = re.fullmatch(re.escape(f".{target.name}.") + r"(\d+)\.part", stale.name)
        if owner and not _is_alive(int(owner[1])):
            stale.unlink(missing_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)


def require_room(folder: Path, size: int | None, dataset: str) -> None:
    """Refuse a file that the disk has no room for, before any of it is fetched.

    Raises
    ------
    HubError
        If fewer bytes are free than the file has.
    """
    free = shutil.disk_usage(folder).free
    if size is not None and size > free:
        raise _no_room(folder, dataset, f"{size} bytes are needed and {free} are free")


def _no_room(folder: Path, dataset: str, reason: str) -> HubError:
    return HubError(
        f"the disk is full ({reason})",
        remedy="make room, or name a folder on another disk as hub: folder in config.yaml",
        dataset=dataset,
        file=str(folder),
    )


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
