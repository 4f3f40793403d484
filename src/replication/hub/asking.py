"""One request, with a deadline and a limit on the size of its answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, Final, TypeVar

import httpx2

from replication.hub.patience import Patience

T = TypeVar("T")

_MOST_REDIRECTS: Final = 20


class Overdue(httpx2.TimeoutException):
    """A request was not over by its deadline, however busy it was kept."""


class TooLarge(Exception):
    """An answer has more bytes than any that is meant."""


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


def opened(client: httpx2.Client, url: str, headers: Mapping[str, str], silence: float) -> Any:
    """Return the answer to a GET, of whose body nothing is read yet; the caller closes it."""
    # Redirects are followed here, for the client would read their bodies whole.
    request = client.build_request("GET", url, headers=dict(headers), timeout=silence)
    for _ in range(_MOST_REDIRECTS):
        answer = client.send(request, stream=True, follow_redirects=False)
        if answer.next_request is None:
            return answer
        answer.close()
        request = answer.next_request
    raise httpx2.TooManyRedirects("Exceeded maximum allowed redirects.", request=request)


def body_of(answer: Any, most: int) -> bytes:
    """Return the decoded body of an answer."""
    body = bytearray()
    for block in answer.iter_bytes():  # of a compressed body, at most 1 MiB at a time
        body += block
        if len(body) > most:
            raise TooLarge
    return bytes(body)
