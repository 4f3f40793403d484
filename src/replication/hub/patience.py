"""Number of attempts at a file, and the waits between them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import tenacity

from replication.hub.errors import HubError, TransientError

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
        problem = f"{error.problem}, {made} time{'s' * (made > 1)}"
        raise HubError(problem, remedy=error.remedy, file=error.file) from error
