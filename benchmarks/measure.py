"""Time and memory of one side of a contest, in a process of its own."""

from __future__ import annotations

import cProfile
import multiprocessing
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import CodeType
from typing import Final, TypeVar

from commands import Command
from contests import Side
from drawn import Size
from ours import Answers, Call

T = TypeVar("T")
Key = tuple[Side, Size]

# What is prepared, in the process that measures.
_calls: Final[dict[Key, Call]] = {}
_HOT_SPOTS: Final = 12
# Seconds after which a process is killed: a benchmark ends, whatever a side does.
LONGEST: Final = 900


@contextmanager
def own_process() -> Iterator[ProcessPoolExecutor]:
    """Start a process that shares nothing with the others but imported modules."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["llm_power._board.resolve"])
    with ProcessPoolExecutor(
        max_workers=1, mp_context=context, initializer=signal.alarm, initargs=(LONGEST,)
    ) as pool:
        yield pool


class Worker:
    """One side at one size, prepared in the process of a pool.

    Raises
    ------
    ModuleNotFoundError
        If its package is not installed.
    """

    def __init__(self, pool: ProcessPoolExecutor, side: Side, size: Size) -> None:
        self._pool, self._key = pool, (side, size)
        self.do(_prepare)

    def do(self, work: Callable[[Key], T]) -> T:
        """Return what one of the functions below returns in the process of the pool."""
        return self._pool.submit(work, self._key).result()


def _prepare(key: Key) -> None:
    side, size = key
    module, function = side.prepare.split(":")
    _calls[key] = getattr(import_module(module), function)(size, *side.arguments)
    # Linux starts the peak anew; elsewhere it is that of the preparation too.
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def forget(key: Key) -> None:
    """Drop the data, which would count as memory of what the process does next."""
    del _calls[key]


def wall_time(key: Key) -> float:
    """Do the work once, and return its wall time."""
    start = time.perf_counter()
    _calls[key]()
    return time.perf_counter() - start


def answers(key: Key) -> Answers:
    """Do the work once, and return what it found."""
    found = _calls[key]()
    return found() if callable(found) else found


def peak_memory(key: Key) -> float:
    """Return the peak of memory since the work was prepared, of a command that of its process.

    0 where the work is a browser's.
    """
    if key[0].prepare.startswith("pages:"):
        return 0.0
    if isinstance(_calls[key], Command):
        return _peak(resource.RUSAGE_CHILDREN)
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024 / 1e9
    return _peak(resource.RUSAGE_SELF)


def _peak(who: int) -> float:
    # In kibibytes, but on macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(who).ru_maxrss * unit / 1e9


def hot_spots(key: Key) -> list[tuple[str, float]]:
    """Do the work once under a profiler: functions and their own seconds, longest first."""
    call = _calls[key]
    if isinstance(call, Command):
        return call.hot_spots()[:_HOT_SPOTS]
    profile = cProfile.Profile()
    profile.runcall(call)
    own = [(_place(entry.code), entry.inlinetime) for entry in profile.getstats()]
    return sorted(own, key=lambda row: -row[1])[:_HOT_SPOTS]


def _place(code: CodeType | str) -> str:
    if isinstance(code, str):
        return code.strip("<>")
    return f"{code.co_name} ({Path(code.co_filename).name}:{code.co_firstlineno})"
