"""One file over HTTP to its final path: all of it and verified, or nothing.

When a connection breaks, the part that came is kept beside the final path. The next attempt, or the
next run, asks for the rest.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn

from tqdm import tqdm

from replication.hub.asking import by_deadline, opened
from replication.hub.disk import called, part_of, require_room, sum_like, writing
from replication.hub.errors import HubError, TransientError, address_of
from replication.hub.patience import Patience
from replication.records import sum_of

# The largest file of the register has 0.4 GB; what declares no size is cut off here.
LARGEST: Final = 8 * 2**30


@dataclass(frozen=True, slots=True)
class Remote:
    """A file as a server offers it."""

    url: str
    revision: str
    file: str
    client: Any
    refuse: Callable[[Any], NoReturn]
    bytes: int | None = None
    sha256: str | None = None
    # What to send along; may hold a token.
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Declared:
    """What a list of files says of the contents; None where it says nothing."""

    bytes: int | None = None
    sum: str | None = None
    where: str = "the register"


@dataclass(frozen=True, slots=True)
class Transfer:
    """One file on its way."""

    dataset: str
    remote: Remote
    declared: Declared
    patience: Patience

    @property
    def size(self) -> int | None:
        """Bytes that must come, where the server or the register says how many."""
        return self.declared.bytes if self.remote.bytes is None else self.remote.bytes

    @property
    def has_hash(self) -> bool:
        """Whether the server or the register says what the contents must hash to."""
        return self.remote.sha256 is not None or self.declared.sum is not None

    def receive(self, target: Path) -> tuple[int, str]:
        """Fetch the file and move it to `target` once it is whole and right."""
        if self.declared.bytes not in {None, self.size}:
            raise HubError(
                f"the server's file has {self.size} bytes, {self.declared.where} says "
                f"{self.declared.bytes}",
                remedy=_other_file(self.declared),
            )
        with writing(target):
            part = part_of(target, self.remote.url)
            # Without a hash nobody would see that a kept part is damaged.
            kept = _size_of(part) if self.has_hash else 0
            require_room(target.parent, None if self.size is None else self.size - kept)
            if kept == 0 or kept != self.size:
                kept = self._fetch(part, kept)
            self._require_whole(part)
            digest = sum_of(part)
            try:
                self._require_right(part, digest, is_resumed=kept > 0)
            except HubError:
                part.unlink()
                raise
            size = _size_of(part)
            part.replace(target)
        return size, digest

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
            with part.open("ab" if kept else "wb") as sink:
                self._copy(answer, sink, kept)
                os.fsync(sink.fileno())
        return kept

    def _ask(self, start: int) -> Any:
        # The size that is declared is that of the file, and not of a compressed body.
        headers = {**self.remote.headers, "Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
        return by_deadline(
            lambda: opened(self.remote.client, self.remote.url, headers, self.patience.silence),
            self.patience,
        )

    def _continues(self, answer: Any, start: int) -> bool:
        """Whether an answer holds what follows the first `start` bytes of the file."""
        said = re.fullmatch(
            r"bytes (\d{1,15})-(\d{1,15})/(\d{1,15}|\*)", answer.headers.get("Content-Range", "")
        )
        if answer.status_code != 206 or said is None:
            return False
        return int(said[1]) == start and (self.size is None or said[3] in {"*", str(self.size)})

    def _copy(self, answer: Any, sink: BinaryIO, received: int) -> None:
        limit = LARGEST if self.size is None else self.size
        pace = _Pace(self.patience, received)
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
                if pace.is_too_slow(received):
                    raise TransientError(
                        f"{address_of(self.remote.url)} sends less than "
                        f"{self.patience.slowest:g} bytes a second",
                        remedy="start again later, or on another network",
                    )

    def _require_whole(self, part: Path) -> None:
        received = _size_of(part)
        if received > (LARGEST if self.size is None else self.size):
            part.unlink()
        if self.size is None and received > LARGEST:
            raise HubError(
                f"the body is larger than {LARGEST >> 30} GB",
                remedy="check that the register names the right file",
            )
        if self.size is not None and received != self.size:
            count = "more than" if received > self.size else f"{received} of"
            raise TransientError(
                f"the body has {count} the {self.size} bytes declared",
                remedy="start again: the connection or the server cut it off",
            )

    def _require_right(self, part: Path, digest: str, *, is_resumed: bool) -> None:
        if self.remote.sha256 not in {None, digest}:
            raise TransientError(
                f"the body is damaged: its SHA-256 is {digest}, that of the server's file "
                f"{self.remote.sha256}",
                remedy="start again, or on another network",
            )
        known = self.declared.sum
        if known is not None and (found := sum_like(part, known)) != known:
            # Of two halves one may be wrong: only what came in one piece is the server's file.
            kind = TransientError if is_resumed else HubError
            raise kind(
                f"the {called(known)} is {found}, {self.declared.where} says {known}; what came is "
                "deleted",
                remedy=_other_file(self.declared),
            )


def _size_of(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


class _Pace:
    """A watch on the average speed: a byte now and then is no silence, and no transfer either."""

    def __init__(self, patience: Patience, received: int) -> None:
        self._patience = patience
        self._since, self._at = time.monotonic(), received

    def is_too_slow(self, received: int) -> bool:
        """Whether too little came since the last full window."""
        elapsed = time.monotonic() - self._since
        if elapsed < self._patience.window:
            return False
        came, self._at, self._since = received - self._at, received, time.monotonic()
        return came < self._patience.slowest * elapsed


def _other_file(declared: Declared) -> str:
    return (
        "do not use the file: it is not the one that was used before. Where the publisher says "
        f"why it changed, correct the entry in {declared.where}"
    )
