"""One file over HTTP to its final path: all of it and verified, or nothing."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn

from tqdm import tqdm

from replication.hub.disk import part_of, require_room, writing
from replication.hub.errors import HubError, TransientError, address_of
from replication.hub.patience import Patience

# The largest file of the register has 0.4 GB; what declares no size is cut off here.
LARGEST: Final = 8 * 2**30


@dataclass(frozen=True, slots=True)
class Remote:
    """A file as a server offers it.

    Attributes
    ----------
    url : str
        Where it is.
    revision, file : str
        Which commit and path that is.
    bytes : int or None
        Its size, where declared.
    sha256 : str or None
        Its hash, where declared.
    headers : mapping of str to str
        What to send along; may hold a token.
    """

    url: str
    revision: str
    file: str
    bytes: int | None = None
    sha256: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Declared:
    """What the register or the lock file says of the contents; None where it says nothing."""

    bytes: int | None = None
    sha256: str | None = None
    where: str = "the register"


@dataclass(frozen=True, slots=True)
class Transfer:
    """One file on its way.

    Attributes
    ----------
    dataset : str
        Name for messages and for the progress bar.
    remote : Remote
        What to ask for.
    declared : Declared
        What the contents must be.
    patience : Patience
        How long to be silent or slow; attempts are the caller's.
    """

    dataset: str
    remote: Remote
    declared: Declared
    patience: Patience

    @property
    def size(self) -> int | None:
        """Bytes that must come, where the server or the register says how many."""
        return self.declared.bytes if self.remote.bytes is None else self.remote.bytes

    def receive(
        self, client: Any, target: Path, refuse: Callable[[Any], NoReturn]
    ) -> tuple[int, str]:
        """Fetch the file and move it to `target` once it is whole and right.

        Parameters
        ----------
        client : httpx2.Client
            What asks.
        target : Path
            Final path; its folder is made. A file that is there is replaced in one step.
        refuse : callable
            Raises what an answer means that is not the file.

        Returns
        -------
        tuple of (int, str)
            Size and SHA-256.

        Raises
        ------
        TransientError
            If the transfer broke off, stalled, or arrived damaged.
        HubError
            If the file is not the declared one, or there is no room for it.
        """
        if self.declared.bytes not in {None, self.size}:
            raise self._error(
                HubError,
                f"the server's file has {self.size} bytes, {self.declared.where} says "
                f"{self.declared.bytes}",
                remedy=_other_file(self.declared),
            )
        # The size that is declared is that of the file, and not of a compressed body.
        asking = {
            "headers": {**self.remote.headers, "Accept-Encoding": "identity"},
            "timeout": self.patience.silence,
            "follow_redirects": True,
        }
        with writing(target, self.dataset):
            require_room(target.parent, self.size, self.dataset)
            with part_of(target) as part:
                with part.open("wb") as sink:
                    with client.stream("GET", self.remote.url, **asking) as answer:
                        if answer.status_code != 200:
                            refuse(answer)
                        received, digest = self._copy(answer, sink)
                    self._check(received, digest)
                    sink.flush()
                    os.fsync(sink.fileno())
                part.replace(target)
        return received, digest

    def _copy(self, answer: Any, sink: BinaryIO) -> tuple[int, str]:
        digest, received, limit = hashlib.sha256(), 0, LARGEST if self.size is None else self.size
        pace = _Pace(self.patience)
        # Jobs write their messages into a log; the bar is for whoever sits at the terminal.
        with tqdm(
            total=self.size,
            desc=self.dataset,
            unit="B",
            unit_scale=True,
            file=sys.__stderr__,
            disable=None,
        ) as bar:
            for block in answer.iter_bytes():
                received += len(block)
                if received > limit:
                    break
                sink.write(block)
                digest.update(block)
                bar.update(len(block))
                if pace.is_too_slow(received):
                    raise self._error(
                        TransientError,
                        f"{address_of(self.remote.url)} sends less than "
                        f"{self.patience.slowest:g} bytes a second",
                        remedy="start again later, or on another network",
                    )
        return received, digest.hexdigest()

    def _check(self, received: int, digest: str) -> None:
        if self.size is None and received > LARGEST:
            raise self._error(
                HubError,
                f"the body is larger than {LARGEST >> 30} GB",
                remedy="check that the register names the right file",
            )
        if self.size is not None and received != self.size:
            count = "more than" if received > self.size else f"{received} of"
            raise self._error(
                TransientError,
                f"the body has {count} the {self.size} bytes declared",
                remedy="start again: the connection or the server cut it off",
            )
        if self.remote.sha256 not in {None, digest}:
            raise self._error(
                TransientError,
                f"the body is damaged: its SHA-256 is {digest}, that of the server's file "
                f"{self.remote.sha256}",
                remedy="start again, or on another network",
            )
        if self.declared.sha256 not in {None, digest}:
            raise self._error(
                HubError,
                f"the SHA-256 is {digest}, {self.declared.where} says {self.declared.sha256}",
                remedy=_other_file(self.declared),
            )

    def _error(self, kind: type[HubError], problem: str, remedy: str) -> HubError:
        return kind(problem, remedy=remedy, dataset=self.dataset, file=self.remote.file)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Pace:
    """A watch on the average speed: a byte now and then is no silence, and no transfer either."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._since, self._at = time.monotonic(), 0

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
