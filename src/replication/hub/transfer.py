"""One file over HTTP to its final path: all of it and verified, or nothing.

When a connection breaks, the part that came is kept beside the final path. The next attempt, or the
next run, asks for the rest.
"""

from __future__ import annotations

import errno
import glob
import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn

from huggingface_hub.utils import WeakFileLock  # type: ignore[attr-defined]
from tqdm import tqdm

from replication.hub.errors import HubError, TransientError, address_of
from replication.hub.lock import Locked
from replication.hub.requests import Patience, by_deadline, opened
from replication.records import sum_of

# The largest file of the register has 0.4 GB; what declares no size is cut off here.
LARGEST: Final = 8 * 2**30
_FULL: Final = {"ENOSPC", "EDQUOT"}


@dataclass(frozen=True, slots=True)
class Remote:
    """A file as a server offers it."""

    url: str
    revision: str
    file: str
    refuse: Callable[[Any], NoReturn]
    bytes: int | None = None
    sha256: str | None = None
    # What to send along; may hold a token.
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Transfer:
    """One file on its way."""

    dataset: str
    remote: Remote
    patience: Patience
    # Size and sum that the contents must have, and the file that lists them.
    known: Locked | None
    listed_in: str

    @property
    def size(self) -> int | None:
        """Bytes of the file, if they are known."""
        listed = self.known.bytes if self.known else None
        return listed if self.remote.bytes is None else self.remote.bytes

    def receive(self, target: Path) -> tuple[int, str]:
        """Fetch the file and move it to `target` once it is whole and right."""
        size = self.size
        if self.known and self.known.bytes not in {None, size}:
            listed = f"{self.listed_in} says {self.known.bytes}"
            raise self._other_file(f"the server's file has {size} bytes, {listed}")
        with _writing(target):
            part = _part_of(target, self.remote.url)
            # Without a hash nobody would see that a kept part is damaged.
            has_sum = self.known is not None or self.remote.sha256 is not None
            kept = part.stat().st_size if has_sum and part.is_file() else 0
            free = shutil.disk_usage(target.parent).free
            if size is not None and size - kept > free:
                raise _no_room(target.parent, f"{size - kept} bytes are needed and {free} are free")
            if kept == 0 or kept != size:
                kept = self._fetch(part, kept)
            digest = sum_of(part)
            try:
                self._require_right(part, digest, is_resumed=kept > 0)
            except HubError:
                part.unlink()
                raise
            received = part.stat().st_size
            part.replace(target)
        return received, digest

    def _fetch(self, part: Path, kept: int) -> int:
        """Append what is missing to `part`; return how many bytes of it were kept."""
        # No tag of the contents is sent along: the storage that a hub redirects to has tags of its
        # own. The address holds the commit, and the hash of the whole is checked at the end.
        answer = self._ask(kept)
        if kept and not self._continues(answer, kept):
            # The server ignores ranges, or has another file: then the whole of it.
            if answer.status_code in {206, 416}:
                answer.close()
                answer = self._ask(0)
            kept = 0
        with closing(answer):
            if answer.status_code != (206 if kept else 200):
                self.remote.refuse(answer)
            if answer.headers.get("Content-Encoding", "identity") != "identity":
                raise HubError(
                    f"{address_of(self.remote.url)} sends the file compressed, unasked",
                    remedy="check the endpoint and the proxy",
                )
            limit = LARGEST if self.size is None else self.size
            with part.open("ab" if kept else "wb") as sink:
                received = self._copy(answer, sink, kept, limit)
                os.fsync(sink.fileno())
        if received > limit:
            part.unlink()
            if self.size is None:
                raise HubError(
                    f"the body is larger than {LARGEST >> 30} GB",
                    remedy="check that the register names the right file",
                )
        if self.size not in {None, received}:
            came = "more than" if received > limit else f"{received} of"
            raise TransientError(
                f"the body has {came} the {limit} bytes declared",
                remedy="start again: the connection or the server cut it off",
            )
        return kept

    def _ask(self, start: int) -> Any:
        # The size that is declared is that of the file, and not of a compressed body.
        headers = {**self.remote.headers, "Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
        return by_deadline(
            lambda: opened(self.remote.url, headers, self.patience.silence),
            self.patience,
        )

    def _continues(self, answer: Any, start: int) -> bool:
        """Whether an answer holds what follows the first `start` bytes of the file."""
        sent = re.fullmatch(
            r"bytes (\d{1,15})-(\d{1,15})/(\d{1,15}|\*)", answer.headers.get("Content-Range", "")
        )
        if answer.status_code != 206 or sent is None:
            return False
        return int(sent[1]) == start and (self.size is None or sent[3] in {"*", str(self.size)})

    def _copy(self, answer: Any, sink: BinaryIO, received: int, limit: int) -> int:
        """Write the body up to a limit, and return how much of the file is there then."""
        since, seen = time.monotonic(), received
        # Jobs write their messages into a log; the bar is for whoever sits at the terminal.
        with tqdm(
            total=self.size,
            initial=received,
            desc=self.dataset,
            unit="B",
            unit_scale=True,
            file=sys.__stderr__,
            disable=None,
        ) as bar:
            for block in answer.iter_raw():
                received += len(block)
                sink.write(block)
                sink.flush()  # so that it is there for the next run if this one is killed
                if received > limit:
                    break
                bar.update(len(block))
                since, seen = self._window(received, since, seen)
        return received

    def _window(self, received: int, since: float, seen: int) -> tuple[float, int]:
        """Return when the window of time began, and with how many bytes; refuse a slow one."""
        # A byte now and then is no silence, and no transfer either.
        elapsed = time.monotonic() - since
        if elapsed < self.patience.window:
            return since, seen
        if received - seen < self.patience.slowest * elapsed:
            raise TransientError(
                f"{address_of(self.remote.url)} sends less than "
                f"{self.patience.slowest:g} bytes a second",
                remedy="start again later, or on another network",
            )
        return time.monotonic(), received

    def _require_right(self, part: Path, digest: str, *, is_resumed: bool) -> None:
        if self.remote.sha256 not in {None, digest}:
            raise TransientError(
                f"the body is damaged: its SHA-256 is {digest}, that of the server's file "
                f"{self.remote.sha256}",
                remedy="start again, or on another network",
            )
        known = self.known.sha256 if self.known else None
        if known is not None and (received := sum_like(part, known)) != known:
            # Of two halves one may be wrong: only what came in one piece is the server's file.
            raise self._other_file(
                f"the {called(known)} is {received}, {self.listed_in} says {known}; what came is "
                "deleted",
                TransientError if is_resumed else HubError,
            )

    def _other_file(self, problem: str, kind: type[HubError] = HubError) -> HubError:
        remedy = "do not use the file: it is not the one that was used before. Where the publisher "
        remedy += f"says why it changed, correct the entry in {self.listed_in}"
        return kind(problem, remedy=remedy)


@contextmanager
def _writing(target: Path) -> Iterator[None]:
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
    with _writing(target), WeakFileLock(lock):
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def _part_of(target: Path, url: str) -> Path:
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


def _no_room(folder: Path, reason: str) -> HubError:
    return HubError(
        f"the disk is full ({reason})",
        remedy="make room, or name a folder on another disk as hub: folder in config.yaml",
        file=str(folder),
    )
