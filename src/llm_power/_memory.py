"""Limits of memory that are set for this process, and how to work under them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

_Result = TypeVar("_Result")
_Given = ParamSpec("_Given")


def memory_limits() -> dict[str, int]:
    """Return the limits that are set, in bytes, by what shows and sets them."""
    if sys.platform == "win32":
        return {}
    from resource import RLIM_INFINITY, RLIMIT_AS, RLIMIT_DATA, getrlimit  # noqa: PLC0415

    limits = {"`ulimit -d`": getrlimit(RLIMIT_DATA)[0], "`ulimit -v`": getrlimit(RLIMIT_AS)[0]}
    return {name: size for name, size in limits.items() if size != RLIM_INFINITY}


def workers(count: int) -> Executor:
    """Return an executor of as many threads, or of none under a limit of memory."""
    # A thread that gets no memory at its start is waited for without end (CPython 3.11).
    return _AtOnce() if memory_limits() else ThreadPoolExecutor(count)


class _AtOnce(Executor):
    """Does what is submitted before it returns."""

    def submit(
        self, fn: Callable[_Given, _Result], /, *args: _Given.args, **kwargs: _Given.kwargs
    ) -> Future[_Result]:
        done: Future[_Result] = Future()
        done.set_result(fn(*args, **kwargs))
        return done
