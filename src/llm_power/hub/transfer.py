"""One file over HTTP to its final path: all of it and verified, or nothing."""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn, TypeVar

import httpx2
import tenacity
from tqdm import tqdm

from llm_power.errors import one_line
from llm_power.hub.errors import HubError, TransientError, address_of, scrub

T = TypeVar("T")

# The largest file of the register has 0.4 GB; what declares no size is cut off here.
LARGEST: Final = 8 * 2**30

_log = logging.getLogger("llm_power.hub")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to try.

    Attributes
    ----------
    attempts : int
        Times that a file is asked for.
    first_wait, longest_wait : float
        Seconds before the second attempt, doubled for each later one; and at most. A server that
        asks for a longer wait than the longest is not waited for.
    silence : float
        Seconds without an answer, or without a byte, after which an attempt has failed.
    slowest, window : float
        Bytes a second that must come on average, over each window of so many seconds.
    """

    attempts: int = 5
    first_wait: float = 2.0
    longest_wait: float = 120.0
    silence: float = 30.0
    slowest: float = 1000.0
    window: float = 60.0


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


def persistently(action: Callable[[], T], patience: Patience, dataset: str) -> T:
    """Call `action` until it raises no `TransientError`, or patience is at its end.

    Raises
    ------
    HubError
        What the last attempt raised; its message says how many there were.
    """

    def wait(state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.wait if isinstance(error, TransientError) else None
        return backoff(state) if asked is None else asked

    def say(state: tenacity.RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        _log.warning("attempt %d of %d failed: %s", state.attempt_number, patience.attempts, error)

    def is_worth_it(error: BaseException) -> bool:
        if not isinstance(error, TransientError):
            return False
        return error.wait is None or error.wait <= patience.longest_wait

    # With jitter, so that jobs which were refused together do not come back together.
    backoff = tenacity.wait_exponential(
        multiplier=patience.first_wait, max=patience.longest_wait
    ) + tenacity.wait_random(0, patience.first_wait)
    attempts = tenacity.Retrying(
        stop=tenacity.stop_after_attempt(patience.attempts),
        wait=wait,
        retry=tenacity.retry_if_exception(is_worth_it),
        before_sleep=say,
        reraise=True,
    )
    try:
        return attempts(action)
    except TransientError as error:
        made = attempts.statistics["attempt_number"]
        raise HubError(
            f"{error.problem}, {made} time{'s' * (made > 1)}",
            remedy=error.remedy,
            dataset=dataset,
            file=error.file,
        ) from error


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
        with _writing(target, self.dataset):
            _require_room(target.parent, self.size, self.dataset)
            with _part_of(target) as part:
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


def status_error(
    status: int, headers: Mapping[str, str], endpoint: str, dataset: str, file: str
) -> HubError:
    """Return the error for an answer that means the same on every server."""
    who, asked = address_of(endpoint), _seconds(headers)
    wait = "" if asked is None else f" and asks to wait {asked:g} seconds"
    if status == 429:
        error = TransientError(
            f"{who} limits the rate of requests (429){wait}",
            remedy="wait some minutes and start again: files that are here are not fetched again; "
            "with a token the limits are wider",
            dataset=dataset,
            file=file,
        )
        error.wait = asked
        return error
    if status >= 500 or status == 408:
        error = TransientError(
            f"{who} has a fault of its own (status {status}){wait}",
            remedy="start again later: files that are here are not fetched again",
            dataset=dataset,
            file=file,
        )
        error.wait = asked
        return error
    return HubError(
        f"{who} answers with status {status}",
        remedy="open the address in a browser and see what it says",
        dataset=dataset,
        file=file,
    )


@contextmanager
def network_errors(endpoint: str, patience: Patience, dataset: str, file: str) -> Iterator[None]:
    """Turn what the HTTP client raises into errors with a remedy."""
    who = address_of(endpoint)
    try:
        yield
    except httpx2.TimeoutException as error:
        raise TransientError(
            f"{who} was silent for {patience.silence:g} seconds",
            remedy="start again later, or on another network",
            dataset=dataset,
            file=file,
        ) from error
    except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.DecodingError) as error:
        raise TransientError(
            f"the answer of {who} broke off ({_reason(error)})",
            remedy="start again: files that are here are not fetched again",
            dataset=dataset,
            file=file,
        ) from error
    except httpx2.TransportError as error:
        raise TransientError(
            f"no connection to {who} ({_reason(error)})",
            remedy="check the network, the proxy and HF_ENDPOINT, or set hub: offline: true in "
            "config.yaml to use the files that are here",
            dataset=dataset,
            file=file,
        ) from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise HubError(
            f"{who} cannot be asked ({_reason(error)})",
            remedy="check HF_ENDPOINT and the token",
            dataset=dataset,
            file=file,
        ) from error


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


def _require_room(folder: Path, size: int | None, dataset: str) -> None:
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


_FULL: Final = {"ENOSPC", "EDQUOT"}


@contextmanager
def _writing(target: Path, dataset: str) -> Iterator[None]:
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
def _part_of(target: Path) -> Iterator[Path]:
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


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _seconds(headers: Mapping[str, str]) -> float | None:
    """Return the wait that a server asks for, if it says so in seconds."""
    text = headers.get("Retry-After", "")
    return float(text) if re.fullmatch(r"\d{1,6}", text) else None


def _reason(error: Exception) -> str:
    return one_line(scrub(str(error) or type(error).__name__), 200)
