"""Partial files beside their final path, locks on them, and errors of the disk."""

from __future__ import annotations

import errno
import glob
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from huggingface_hub.utils import WeakFileLock  # type: ignore[attr-defined]

from replication.hub.errors import HubError
from replication.records import sum_of

_FULL: Final = {"ENOSPC", "EDQUOT"}


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Turn what the file system refuses into errors with a remedy."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if errno.errorcode.get(error.errno or 0) in _FULL:
            raise _no_room(target.parent, reason) from error
        raise HubError(
            f"the file cannot be written ({reason})",
            remedy="make the folder writable, or name another as hub: folder in config.yaml",
            file=str(target),
        ) from error


@contextmanager
def only_writer(target: Path) -> Iterator[None]:
    """Keep other processes from fetching the same file; they wait, and may find it there then."""
    lock = target.with_name(f".{target.name}.lock")
    with writing(target), WeakFileLock(lock):
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def part_of(target: Path, url: str) -> Path:
    """Return where the file at `url`, pinned by its commit, is kept until it is whole."""
    # Parts of other files for the same place are cleared away.
    key = hashlib.sha256(url.encode()).hexdigest()[:16]
    part = target.with_name(f".{target.name}.{key}.part")
    for stale in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
        if stale != part:
            stale.unlink(missing_ok=True)
    return part


def sum_like(path: Path, known: str) -> str:
    """Return git's id of a file's contents where `known` is one, of 40 digits; else its SHA-256."""
    if len(known) == 64:
        return sum_of(path)
    with path.open("rb") as file:
        head = b"blob %d\0" % os.fstat(file.fileno()).st_size
        return hashlib.file_digest(
            file, lambda: hashlib.sha1(head, usedforsecurity=False)
        ).hexdigest()


def called(known: str) -> str:
    """Return what a sum is called."""
    return "SHA-256" if len(known) == 64 else "git id"


def require_room(folder: Path, size: int | None) -> None:
    """Refuse a file that the disk has no room for, before any of it is fetched."""
    free = shutil.disk_usage(folder).free
    if size is not None and size > free:
        raise _no_room(folder, f"{size} bytes are needed and {free} are free")


def _no_room(folder: Path, reason: str) -> HubError:
    return HubError(
        f"the disk is full ({reason})",
        remedy="make room, or name a folder on another disk as hub: folder in config.yaml",
        file=str(folder),
    )
