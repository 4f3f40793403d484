"""One request: its deadline, the size of its answer, its errors, and the attempts at it."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from random import uniform
from typing import Any, TypeVar

import httpx2
from huggingface_hub import get_session

from llm_power._errors import one_line
from replication.hub.errors import HubError, TransientError, scrub

T = TypeVar("T")

_log = logging.getLogger("replication.hub")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to try."""

    attempts: int = 5
    # Seconds before the second attempt, doubled for each later one; and at most. A server that
    # asks for a longer wait than the longest is not waited for.
    first_wait: float = 2.0
    longest_wait: float = 120.0
    # Seconds without an answer, or without a byte, after which an attempt has failed.
    silence: float = 30.0
    # Seconds in which a request must be answered whole; of a file, up to its first byte.
    deadline: float = 60.0
    # The largest file of the register, 0.4 GB, then comes within eleven hours or not at all.
    # Bytes a second that must come of a file on average, over each window of so many seconds.
    slowest: float = 10_000.0
    window: float = 60.0


def persistently(action: Callable[[], T], patience: Patience) -> T:
    """Call `action` until it raises no `TransientError`, or patience is at its end."""
    attempt, pause = 0, patience.first_wait
    while True:
        attempt += 1
        try:
            return action()
        except TransientError as error:
            # With jitter, so that jobs which were refused together do not come back together.
            wait = pause + uniform(0, patience.first_wait) if error.wait is None else error.wait
            is_asked_too_much = error.wait is not None and error.wait > patience.longest_wait
            if attempt == patience.attempts or is_asked_too_much:
                problem = f"{error.problem}, {attempt} time{'s' * (attempt > 1)}"
                raise HubError(problem, remedy=error.remedy, file=error.file) from error
            _log.warning("attempt %d of %d failed: %s", attempt, patience.attempts, error)
            time.sleep(wait)
            pause = min(2 * pause, patience.longest_wait)


class Overdue(httpx2.TimeoutException):
    """A request was not over by its deadline, however busy it was kept."""


def by_deadline(action: Callable[[], T], patience: Patience) -> T:
    """Return what a request returns, or raise at its deadline."""
    # The timeouts of the client are between two bytes, of headers too. So a server that sends one
    # now and then is not noticed by them.
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(action())
        except BaseException as error:  # raised again where the result is waited for
            outcome.set_exception(error)

    # A daemon, for the interpreter waits at its exit for any other thread.
    threading.Thread(target=run, daemon=True).start()
    try:
        return outcome.result(timeout=patience.deadline)
    except TimeoutError as error:
        raise Overdue("the deadline of the request is over") from error


def opened(url: str, headers: Mapping[str, str], silence: float) -> Any:
    """Return the answer to a GET, of whose body nothing is read yet; the caller closes it."""
    # Redirects are followed here, for the client would read their bodies whole. The session keeps
    # the token from other hosts.
    client = get_session()
    request = client.build_request("GET", url, headers=dict(headers), timeout=silence)
    for _ in range(client.max_redirects):
        answer = client.send(request, stream=True, follow_redirects=False)
        if answer.next_request is None:
            return answer
        answer.close()
        request = answer.next_request
    raise httpx2.TooManyRedirects("Exceeded maximum allowed redirects.", request=request)


def status_error(status: int, headers: Mapping[str, str], who: str) -> HubError:
    """Return the error for an answer that means the same on every server; some may pass."""
    asked = _seconds(headers)
    if status not in {408, 429} and status < 500:
        return HubError(
            f"{who} answers with status {status}",
            remedy="open the address in a browser and see what it says",
        )
    if status == 429:
        problem = f"{who} limits the rate of requests (429)"
        remedy = "wait some minutes and start again: files that are here are not fetched again; "
        remedy += "with a token the limits are wider"
    else:
        problem = f"{who} has a fault of its own (status {status})"
        remedy = "start again later: files that are here are not fetched again"
    wait = "" if asked is None else f" and asks to wait {asked:g} seconds"
    error = TransientError(problem + wait, remedy=remedy)
    error.wait = asked
    return error


@contextmanager
def network_errors(who: str, patience: Patience) -> Iterator[None]:
    """Turn errors of the HTTP client into errors with a remedy."""
    try:
        yield
    except httpx2.TimeoutException as error:
        how = f"was silent for {patience.silence:g} seconds"
        if isinstance(error, Overdue):
            how = f"gave no whole answer within {patience.deadline:g} seconds"
        raise TransientError(
            f"{who} {how}", remedy="start again later, or on another network"
        ) from error
    except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.DecodingError) as error:
        raise TransientError(
            f"the answer of {who} broke off ({_reason(error)})",
            remedy="start again: what has come of a file is kept, and the rest of it is asked for",
        ) from error
    except httpx2.TransportError as error:
        raise TransientError(
            f"no connection to {who} ({_reason(error)})",
            remedy="check the network, the proxy and HF_ENDPOINT, or set hub: offline: true in "
            "config.yaml to use the files that are here",
        ) from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise HubError(
            f"{who} cannot be asked ({_reason(error)})", remedy="check HF_ENDPOINT and the token"
        ) from error


def _seconds(headers: Mapping[str, str]) -> float | None:
    """Return the wait that a server asks for, if it says so in seconds."""
    text = headers.get("Retry-After", "")
    return float(text) if re.fullmatch(r"\d{1,6}", text) else None


def _reason(error: Exception) -> str:
    return one_line(scrub(str(error) or type(error).__name__), 200)
