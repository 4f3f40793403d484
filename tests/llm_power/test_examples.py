"""Every public docstring of the library shows an example, and every example runs as printed."""

from __future__ import annotations

import doctest
import inspect
import os
from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import pytest

import llm_power

MODULES = ["llm_power"] + [
    found.name
    for found in walk_packages(llm_power.__path__, "llm_power.")
    if not any(part.startswith("_") for part in found.name.split("."))
]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def defined(owner: Any, module: str) -> Iterator[tuple[str, Any]]:
    """Public functions and classes that are defined in `module`, and their public methods."""
    for name, value in vars(owner).items():
        inner = getattr(value, "fget", None) or getattr(value, "__func__", value)
        if name.startswith("_") or getattr(inner, "__module__", None) != module:
            continue
        if inspect.isfunction(inner):
            yield f"{owner.__name__}.{name}", inner
        elif inspect.isclass(inner):
            yield f"{owner.__name__}.{name}", inner
            yield from defined(inner, module)


@pytest.mark.parametrize("name", MODULES)
def test_every_public_docstring_has_an_example(name: str) -> None:
    without = [
        place
        for place, value in defined(import_module(name), name)
        if not doctest.DocTestParser().get_examples(value.__doc__ or "")
    ]
    assert without == []


@pytest.mark.parametrize("name", dir(llm_power))
def test_every_name_at_the_door_has_an_example(name: str) -> None:
    assert doctest.DocTestParser().get_examples(getattr(llm_power, name).__doc__ or "")


@pytest.mark.parametrize("name", MODULES)
def test_examples_show_what_they_print(
    name: str, tmp_path: os.PathLike[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each in a folder of its own, with nothing but what it imports itself."""
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for number, test in enumerate(doctest.DocTestFinder().find(import_module(name), globs={})):
        folder = os.path.join(tmp_path, str(number))
        os.mkdir(folder)
        monkeypatch.chdir(folder)
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
