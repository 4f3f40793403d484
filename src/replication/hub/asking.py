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
    """Return what a request returns, or raise at its deadline.

    The timeouts of the client are between two bytes, of headers too. So a server that sends one
    now and then is not noticed by them.

    Parameters
    ----------
    action : callable
        Makes the request, in a thread that is left behind at the deadline. It must write nothing.
    patience : Patience
        What holds the deadline.

    Raises
    ------
    Overdue
        At the deadline; before it, whatever `action` raises.
    """
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
    """Return the answer to a GET, of whose body nothing is read yet; the caller closes it.

    Redirects are followed here, for the client would read their bodies whole.

    Parameters
    ----------
    client : httpx2.Client
        What asks; it keeps the token from other hosts.
    url : str
        What is asked for.
    headers : mapping of str to str
        What is sent along.
    silence : float
        Seconds without a byte after which the request has failed.

    Raises
    ------
    httpx2.HTTPError
        If there is no answer.
    """
    request = client.build_request("GET", url, headers=dict(headers), timeout=silence)
    for _ in range(_MOST_REDIRECTS):
        answer = client.send(request, stream=True, follow_redirects=False)
        if answer.next_request is None:
            return answer
        answer.close()
        request = answer.next_request
    raise httpx2.TooManyRedirects("Exceeded maximum allowed redirects.", request=request)


def body_of(answer: Any, most: int) -> bytes:
    """Return the decoded body of an answer.

    Raises
    ------
    TooLarge
        Once it has more than `most` bytes; the rest is not read.
    """
    body = bytearray()
    for block in answer.iter_bytes():  # of a compressed body, at most 1 MiB at a time
        body += block
        if len(body) > most:
            raise TooLarge
    return bytes(body)
