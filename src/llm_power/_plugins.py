"""Readers and commands by name, which any package may add to, and the extra `report`.

The readers and commands of this project are listed in its pyproject.toml.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from importlib.util import find_spec
from typing import Any, Final

from llm_power._errors import InvalidArgument, LLMPowerError, listed, message_at

READERS: Final = "llm_power.readers"
COMMANDS: Final = "llm_power.commands"
# What a message calls one of each group, and what else its name may be.
_WORDS: Final = {READERS: ("reader", "auto or "), COMMANDS: ("command", "")}


class PluginError(LLMPowerError):
    """A package offers something by name that cannot be used."""


def reader_names() -> tuple[str, ...]:
    """Return the names of the readers that are installed.

    Returns
    -------
    tuple of str
        In alphabetical order.

    Examples
    --------
    >>> from llm_power import reader_names
    >>> "lm_eval" in reader_names()
    True
    """
    return plugin_names(READERS)


def plugin_names(group: str) -> tuple[str, ...]:
    """Return the names in a group, in alphabetical order; nothing is loaded."""
    return tuple(sorted({point.name for point in entry_points(group=group)}))


def built_in_readers() -> dict[str, Callable[..., Any]]:
    """Return the readers of this project by name; those of other packages are not loaded."""
    points = entry_points(group=READERS)
    return {point.name: point.load() for point in points if point.value.startswith("llm_power.")}


def load_reader(name: str) -> Callable[..., Any]:
    """Return the function ``(paths, options) -> TaskScores``, or several, of that name."""
    return load_plugin(READERS, name)


def load_plugin(group: str, name: str) -> Callable[..., Any]:
    """Return what goes by that name in a group."""
    word, besides = _WORDS[group]
    points = {point.value: point for point in _entry_points(group, name, tuple(sys.path))}
    if not points:
        known = list(plugin_names(group))
        raise InvalidArgument(f"{word} must be {besides}one of {known}, got {name!r}")
    if len(points) > 1:
        raise _error(
            f"{len(points)} packages have a {word} {name!r}: "
            + listed(sorted(map(_described, points.values()))),
            remedy="uninstall all but one of them",
        )
    (point,) = points.values()
    try:
        plugin = point.load()
    except Exception as error:  # whatever a package does when it is imported
        raise _error(
            f"the {word} {_described(point)!r} cannot be loaded ({type(error).__name__}: {error})"
        ) from error
    if not callable(plugin):
        raise _error(f"the {word} {_described(point)!r} is not a function")
    function: Callable[..., Any] = plugin
    return function


@lru_cache(maxsize=256)
def _entry_points(group: str, name: str, path: tuple[str, ...]) -> EntryPoints:
    """Look through all packages on the path once, for it takes milliseconds."""
    return entry_points(group=group, name=name)


def _error(problem: str, remedy: str = "repair or uninstall that package") -> PluginError:
    return PluginError(message_at({}, problem, remedy))


def _described(point: EntryPoint) -> str:
    package = point.dist.name if point.dist else "an unknown package"
    return f"{point.name} = {point.value} of {package}"


def installed(module: str) -> bool:
    """Return whether a module of the extra can be imported."""
    return find_spec(module) is not None


def left_out(needs: Mapping[str, str]) -> str:
    """Return one line that says which files are left out and how to get them."""
    absent = {files: module for files, module in needs.items() if not installed(module)}
    if not absent:
        return ""
    modules = " and ".join(dict.fromkeys(absent.values()))
    return (
        f"left out: {', '.join(absent)}, for want of {modules}. "
        "Remedy: in the clone, pip install '.[report]'."
    )
