"""Every name at the door shows an example, and every example of the library runs as printed."""

from __future__ import annotations

import doctest
import os
from importlib import import_module
from pkgutil import walk_packages

import pytest

import llm_power

MODULES = ["llm_power"] + [
    found.name
    for found in walk_packages(llm_power.__path__, "llm_power.")
    if not any(part.startswith("_") for part in found.name.split("."))
]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


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
