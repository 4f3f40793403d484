"""What another package adds by name: readers, commands, parts of simulations.

There is one mechanism for all of them: an entry point of a group such as ``llm_power.readers``.
Those of this package are listed in its pyproject.toml; another package lists its own there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any, Final

from llm_power.errors import InvalidArgument, LLMPowerError, listed, message_at

# Each group, and what a message calls one of it.
GROUPS: Final = {
    "llm_power.commands": "command",
    "llm_power.readers": "reader",
    "llm_power.processes": "process",
    "llm_power.effects": "effect",
    "llm_power.tests": "test",
}


class PluginError(LLMPowerError):
    """A package offers something by name that cannot be used.

    Examples
    --------
    >>> from llm_power.plugins import PluginError, load_plugin
    >>> issubclass(PluginError, Exception), load_plugin("llm_power.readers", "wide").__name__
    (True, 'read_wide')
    """


def plugin_names(group: str) -> tuple[str, ...]:
    """Return the names in a group, in alphabetical order.

    Parameters
    ----------
    group : str
        One of `GROUPS`.

    Returns
    -------
    tuple of str
        Each name once. Nothing is loaded.

    Examples
    --------
    >>> from llm_power.plugins import plugin_names
    >>> "mid_p" in plugin_names("llm_power.tests")
    True
    """
    return tuple(sorted({point.name for point in entry_points(group=group)}))


def load_plugin(group: str, name: str, *, besides: str = "") -> Callable[..., Any]:
    """Return what goes by that name in a group.

    Parameters
    ----------
    group : str
        One of `GROUPS`.
    name : str
        One of `plugin_names`.
    besides : str
        Another name that the caller understands, for the message.

    Returns
    -------
    callable
        A function or a class.

    Raises
    ------
    InvalidArgument
        If nothing goes by that name.
    PluginError
        If two packages use it, or what it stands for cannot be loaded or called.

    Examples
    --------
    >>> from llm_power.plugins import load_plugin
    >>> load_plugin("llm_power.effects", "accuracy_gap").__name__
    'accuracy_gap'
    """
    word = GROUPS[group]
    points = {point.value: point for point in _found(group, name, tuple(sys.path))}
    if not points:
        known = [*filter(None, [besides]), f"one of {list(plugin_names(group))}"]
        raise InvalidArgument(f"{word} must be {' or '.join(known)}, got {name!r}")
    if len(points) > 1:
        raise _error(
            f"{len(points)} packages have a {word} {name!r}: "
            + listed(sorted(map(_described, points.values()))),
            remedy="uninstall all but one of them",
        )
    (point,) = points.values()
    try:
        loaded = point.load()
    except Exception as error:  # whatever a package does when it is imported
        raise _error(
            f"the {word} {_described(point)!r} cannot be loaded ({type(error).__name__}: {error})"
        ) from error
    if not callable(loaded):
        raise _error(f"the {word} {_described(point)!r} is not a function")
    function: Callable[..., Any] = loaded
    return function


@lru_cache(maxsize=256)
def _found(group: str, name: str, path: tuple[str, ...]) -> EntryPoints:
    """Look through all packages on the path, which takes milliseconds, once."""
    return entry_points(group=group, name=name)


def _error(problem: str, remedy: str = "repair or uninstall that package") -> PluginError:
    return PluginError(message_at({}, problem, remedy))


def _described(point: EntryPoint) -> str:
    package = point.dist.name if point.dist else "an unknown package"
    return f"{point.name} = {point.value} of {package}"
