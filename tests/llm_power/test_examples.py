"""Every name at a door shows an example that runs as printed."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import llm_power
import llm_power_audit
from llm_power import simulation

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
_DOORS = (llm_power, simulation, llm_power_audit)
_NAMED = [(name, getattr(door, name)) for door in _DOORS for name in door.__all__]
DOOR = {name: named for name, named in _NAMED if callable(named)}


@pytest.mark.parametrize("name", DOOR)
def test_the_example_shows_what_it_prints(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each in a folder of its own, with nothing but what it imports itself."""
    tests = doctest.DocTestFinder().find(DOOR[name], name, globs={})
    assert any(test.examples for test in tests)
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for number, test in enumerate(tests):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
