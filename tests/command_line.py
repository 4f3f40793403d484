"""The command line as a test calls it."""

from __future__ import annotations

from collections.abc import Callable

from llm_power._cli import main

#: Of a command that is refused, the one line that says why.
Refusal = Callable[..., str]


def run(*arguments: object) -> int:
    """Run a command, and return its exit code."""
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0
